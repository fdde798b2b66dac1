"""Measure reading: urlset and its peers, on the same bytes, in one run.

    python benches/read.py                      every reader on plain, images, dense and alternates
    python benches/read.py plain --only urlset,count

A full run is kept in results/read.json. A reader that does not find exactly the locs the generator
wrote is shown as WRONG, its time does not count, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from contest import Contestant, Found, compete
from inputs import DATA, Input, ensure, gzipped
from readers import READERS, Reader
from report import RESULTS, keep, machine, table, times

HERE = Path(__file__).parent
PEERS = HERE.parent / ".venv-peers" / ("Scripts" if os.name == "nt" else "bin") / "python"
INPUTS = ("plain", "images", "dense", "alternates")
OTHERS = (
    "windows", "hosts", "hosts8", "iris", "escapes", "ampersands", "misnamed", "once",
    "atom", "rss", "wordpress", "jekyll", "lines",
)  # fmt: skip
"""Inputs that are read only if they are named; benches/README.md says what they are."""
QUICK_ENTRIES = 5_000
BASES = {"usp": "x usp", "lxml": "x lxml", "count": "x count", "urlset": "x table", "gunzip": "x gunzip"}
"""The readers that every other one is compared to, and the heads of their columns."""


def expected(reader: Reader, made: Input) -> Found:
    """Return what `reader` has to find in the input."""
    if reader.finds == "tags":
        return Found(made.tags, "")
    if reader.finds == "number":
        return Found(made.rows, "")
    if reader.finds == "bytes":
        return Found(made.bytes, made.sha256)
    return Found(made.rows * reader.documents, made.locs)


def measure(made: Input, names: list[str], *, rounds: int) -> list[Contestant]:
    """Run the readers `names` on one input."""
    contestants = []
    for name in names:
        reader = READERS[name]
        python = PEERS if reader.python == "peers" else sys.executable
        path = gzipped(made) if reader.source == "gz" else made.path
        command = (python, HERE / "readers.py", name, path)
        contestants.append(Contestant(name, command, expected(reader, made)))
    compete(contestants, rounds=rounds, label=made.name)
    return contestants


def figures(made: Input, contestants: list[Contestant]) -> list[dict[str, Any]]:
    """Turn what was measured on one input into one record a reader; MB are 10^6 bytes of XML."""
    best = {each.name: sample.seconds / READERS[each.name].documents for each in contestants if (sample := each.best)}
    records = []
    for each in contestants:
        seconds = best.get(each.name)  # for one document
        # Only what starts from gzip is to be compared to gunzip.
        bases = BASES if READERS[each.name].source == "gz" else [base for base in BASES if base != "gunzip"]
        records.append(
            {
                "input": made.name,
                "reader": each.name,
                "version": each.version,
                "python": each.python,
                "wrong": each.wrong,
                "repetitions": len(each.samples),
                "seconds": seconds,
                "page_faults": each.best.page_faults if each.best else None,
                "mb_per_second": made.bytes / seconds / 1e6 if seconds else None,
                "entries_per_second": made.rows / seconds if seconds else None,
                "times": {base: best[base] / seconds for base in bases if base in best} if seconds else {},
            }
        )
    return records


def show(made: Input, records: list[dict[str, Any]]) -> str:
    """Return one input's records as a table."""
    body = []
    for record in records:
        reader = READERS[record["reader"]]
        label = reader.label + (f" {record['version']}" if reader.package else "")
        if record["wrong"]:
            body.append([label, "WRONG", *["-"] * (len(BASES) + 1)])
            continue
        ratios = [times(record["times"].get(base)) for base in BASES]
        entries = f"{record['entries_per_second']:,.0f}" if reader.finds in ("entries", "number") else "-"
        body.append([label, f"{record['mb_per_second']:,.1f}", entries, *ratios])
    head = ["reader", "MB/s", "entries/s", *BASES.values()]
    title = f"{made.name}: {made.rows:,} entries, {made.bytes / 1e6:.1f} MB"
    wrong = [f"WRONG: {record['reader']}: {record['wrong']}" for record in records if record["wrong"]]
    return "\n".join(["", title, "", table(head, body), *wrong])


def main() -> int:
    """Measure, print the tables, keep the results; 1 when any reader was wrong."""
    parser = argparse.ArgumentParser(description="Measure reading, compared with peers.")
    parser.add_argument(
        "inputs", nargs="*", metavar="INPUT", help=f"of {', '.join(INPUTS)} (the default), {', '.join(OTHERS)}"
    )
    parser.add_argument("--only", help=f"readers to run, by comma, of {', '.join(READERS)}")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ENTRIES:,} entries and one round")
    parser.add_argument("--rounds", type=int, help="measured rounds (3; 1 when quick)")
    parser.add_argument("--data", type=Path, default=DATA, help="where the inputs are (%(default)s)")
    parser.add_argument("--results", type=Path, help="where to keep the figures, also of a partial run")
    parser.add_argument("--date", help="the date to keep with the results, instead of now")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(READERS)
    if unknown := set(names) - set(READERS) | set(options.inputs) - {*INPUTS, *OTHERS}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if any(READERS[name].python == "peers" for name in names) and not PEERS.exists():
        parser.error(f"no {PEERS}: benches/run.py makes it")

    entries = QUICK_ENTRIES if options.quick else 0
    measured: list[dict[str, Any]] = []
    sources: list[dict[str, Any]] = []
    for name in options.inputs or INPUTS:
        made = ensure(name, directory=options.data, entries=entries)
        contestants = measure(made, names, rounds=options.rounds or (1 if options.quick else 3))
        records = figures(made, contestants)
        print(show(made, records), flush=True)
        measured += records
        sources.append({key: value for key, value in asdict(made).items() if key != "path"})
    full = not (options.quick or options.only or options.inputs)
    if target := options.results or (RESULTS / "read.json" if full else None):
        keep(target, {"machine": machine(options.date), "inputs": sources, "results": measured})
    return 1 if any(record["wrong"] for record in measured) else 0


if __name__ == "__main__":
    raise SystemExit(main())
