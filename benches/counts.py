"""Count what reading takes: blocks of memory, and bytes that are looked at.

    python benches/counts.py

`crates/urlset-core/benches/counts.rs` does the counting, which needs Rust. Two runs of one program give the same
counts, so a change that undoes an earlier one is seen however small it is.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from inputs import DATA, ensure
from read import INPUTS, QUICK_ENTRIES
from report import RESULTS, keep, machine, table

ROOT = Path(__file__).parent.parent
COMMAND = ("cargo", "bench", "--quiet", "--locked", "-p", "urlset-core", "--bench", "counts", "--")


def show(records: list[dict[str, Any]]) -> str:
    """Return the counts as a table."""
    body = [
        [
            record["input"],
            f"{record['entries']:,}",
            f"{record['allocations']:,}",
            f"{record['allocated_bytes'] / record['bytes']:.2f}",
            f"{record['peak_bytes'] / 1e6:,.2f}",
            f"{record['looked_at'] / record['bytes']:.4f}",
        ]
        for record in records
    ]
    head = ["input", "entries", "blocks", "their bytes per byte", "peak MB", "bytes looked at per byte"]
    return f"\nto the full table, counted\n\n{table(head, body)}"


def main() -> int:
    """Count, print the counts, keep them; 1 when an input was not read whole."""
    parser = argparse.ArgumentParser(description="Count what reading takes.")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ENTRIES:,} entries, and nothing is kept")
    parser.add_argument("--data", type=Path, default=DATA, help="where the inputs are (%(default)s)")
    parser.add_argument("--date", help="the date to keep with the results, instead of now")
    options = parser.parse_args()
    made = [ensure(name, directory=options.data, entries=QUICK_ENTRIES if options.quick else 0) for name in INPUTS]
    paths = [str(each.path.absolute()) for each in made]
    done = subprocess.run([*COMMAND, *paths], check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    records = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    print(show(records), flush=True)
    rows = {each.name: each.rows for each in made} | {"tiny": 1}
    wrong = [record["input"] for record in records if record["entries"] != rows[record["input"]]]
    if wrong or len(records) != len(rows):
        print(f"WRONG: {', '.join(wrong) or 'inputs are missing'}", file=sys.stderr)
        return 1
    if not options.quick:
        keep(RESULTS / "counts.json", {"machine": machine(options.date), "counts": records})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
