"""Count what reading and linting take: blocks of memory, bytes that are looked at, and instructions.

    python benches/counts.py                    plain, images, dense and alternates
    python benches/counts.py hosts iris rss     other inputs; nothing is kept

`crates/urlset-core/benches/counts.rs` does the counting, which needs Rust. Instructions are counted by valgrind, where
that is installed; it has no AVX-512, so a processor that has it executes fewer. Two runs of one program give the same
counts, so a change that undoes an earlier one is seen however small it is.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inputs import DATA, ensure
from read import INPUTS, OTHERS, QUICK_ENTRIES
from report import RESULTS, keep, machine, table

ROOT = Path(__file__).parent.parent
BUILD = ("cargo", "bench", "--locked", "-p", "urlset-core", "--no-run", "--message-format=json")
INSTRUCTIONS: dict[str, tuple[str, ...]] = {"instructions": (), "lint_instructions": ("--lint",)}
"""What is counted, by the options of the program: reading to the full table, and judging by the rules of `protocol`."""
VALGRIND = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null")


def program(*options: str, bench: str = "counts", env: Mapping[str, str] | None = None) -> str:
    """Build the program that counts, or another bench of the core, with more options of cargo; return where it is."""
    command = [*BUILD, "--bench", bench, *options]
    built = subprocess.run(command, check=True, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)
    messages = (json.loads(line) for line in built.stdout.splitlines())
    return str(next(path for message in messages if (path := message.get("executable"))))


def instructions(counting: str, *arguments: str) -> int:
    """Return how many instructions a run of the program takes, which goes through each of its files twice."""
    done = subprocess.run([*VALGRIND, counting, *arguments], check=True, capture_output=True, text=True)
    counted = re.search(r"Collected : (\d+)", done.stderr)
    assert counted, done.stderr
    return int(counted[1])


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
            *(f"{record[name] / record['entries']:,.1f}" if name in record else "" for name in INSTRUCTIONS),
        ]
        for record in records
    ]
    head = [
        "input",
        "entries",
        "blocks",
        "their bytes per byte",
        "peak MB",
        "bytes looked at per byte",
        "instructions an entry",
        "to lint it",
    ]
    return f"\nto the full table, counted\n\n{table(head, body)}"


def main() -> int:
    """Count, print the counts, keep them; 1 when an input was not read whole."""
    parser = argparse.ArgumentParser(description="Count what reading and linting take.")
    parser.add_argument(
        "inputs", nargs="*", metavar="INPUT", help=f"of {', '.join(INPUTS)} (the default), {', '.join(OTHERS)}"
    )
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ENTRIES:,} entries, and nothing is kept")
    parser.add_argument("--data", type=Path, default=DATA, help="where the inputs are (%(default)s)")
    parser.add_argument("--date", help="the date to keep with the results, instead of now")
    options = parser.parse_args()
    names = options.inputs or INPUTS
    if unknown := set(names) - {*INPUTS, *OTHERS}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    made = [ensure(name, directory=options.data, entries=QUICK_ENTRIES if options.quick else 0) for name in names]
    paths = [str(each.path.absolute()) for each in made]
    counting = program()
    done = subprocess.run([counting, *paths], check=True, stdout=subprocess.PIPE, text=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    if shutil.which("valgrind"):
        for name, options_of in INSTRUCTIONS.items():
            without = instructions(counting, *options_of)
            for record, path in zip(records[1:], paths, strict=True):
                record[name] = (instructions(counting, *options_of, path) - without) // 2
    else:
        print("valgrind is not installed: no instructions are counted", file=sys.stderr)
    print(show(records), flush=True)
    rows = {each.name: each.rows for each in made} | {"tiny": 1}
    wrong = [record["input"] for record in records if record["entries"] != rows[record["input"]]]
    if wrong or len(records) != len(rows):
        print(f"WRONG: {', '.join(wrong) or 'inputs are missing'}", file=sys.stderr)
        return 1
    if not options.quick and not options.inputs:
        keep(RESULTS / "counts.json", {"machine": machine(options.date), "counts": records})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
