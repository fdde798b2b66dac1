"""Measure what it takes to read a gzipped document, beside what it takes only to decompress it.

    python benches/unpacking.py
    python benches/unpacking.py plain dense --rounds 50

A document is read to the full table on one core and on all, and the core's decoder decompresses it without reading
(crates/urlset-core/benches/inflating.rs). All take turns, each in a process of its own. Printed are the wall time of
each and the processor time of reading, the best of all rounds, and the ratio of the wall times to decompressing alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import urlset
from counts import program
from inputs import DATA, ensure, gzipped
from read import INPUTS
from report import table

PROGRAM = Path(__file__)
TURNS = 3


def read(path: Path, rounds: int, cores: int) -> None:
    """Read a document again and again, and print a line of JSON: its rows, and the best wall and processor time."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    document, rows = path.read_bytes(), 0
    wall = processor = float("inf")
    for _ in range(rounds):
        start, used = time.perf_counter(), time.process_time()
        rows = len(urlset.read(document))
        wall, processor = min(wall, time.perf_counter() - start), min(processor, time.process_time() - used)
    print(json.dumps({"rows": rows, "wall": wall, "processor": processor}))


def run(*command: object) -> dict[str, Any]:
    """Run a process that prints a line of JSON, and return that."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measured(inflating: str, path: Path, *, rows: int, size: int, rounds: int) -> list[str]:
    """Return a row of the table for one document. Ends the program where something else was read."""
    alone, one, all_cores = [], [], []
    cores = len(os.sched_getaffinity(0))
    for _ in range(TURNS):
        alone.append(run(inflating, f"--times={rounds}", path))
        one.append(run(sys.executable, PROGRAM, "--read", path, "--rounds", rounds, "--cores", 1))
        all_cores.append(run(sys.executable, PROGRAM, "--read", path, "--rounds", rounds, "--cores", cores))
    if any(each["bytes"] != size for each in alone) or any(each["rows"] != rows for each in one + all_cores):
        sys.exit(f"WRONG: {path.name} has {size} bytes and {rows} rows, and that is not what was read")
    base = min(each["seconds"] for each in alone)
    cells = [path.name, f"{base * 1e3:.1f}"]
    for times in (one, all_cores):
        wall, processor = (min(each[name] for each in times) for name in ("wall", "processor"))
        cells += [f"{wall * 1e3:.1f}", f"{wall / base:.2f}", f"{processor * 1e3:.1f}"]
    return cells


def main() -> None:
    """Print one line for each document."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("inputs", nargs="*", metavar="INPUT", help=f"of {', '.join(INPUTS)} (the default)")
    parser.add_argument("--rounds", type=int, default=15, help="repetitions in each process (%(default)s)")
    parser.add_argument("--data", type=Path, default=DATA, help="where the inputs are (%(default)s)")
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--cores", type=int, default=1, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        read(options.read, options.rounds, options.cores)
        return
    if unknown := set(options.inputs) - set(INPUTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    inflating = program(bench="inflating")
    rows = []
    for name in options.inputs or INPUTS:
        made = ensure(name, directory=options.data)
        path = gzipped(made)
        size = made.path.stat().st_size
        rows.append(measured(inflating, path, rows=made.rows, size=size, rounds=options.rounds))
    head = ["document", "inflate ms", "one core ms", "x", "CPU ms", "all cores ms", "x", "CPU ms"]
    print(table(head, rows))


if __name__ == "__main__":
    main()
