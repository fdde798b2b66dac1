"""Measure a document far over the protocol's limits: its memory, and whether time grows only as bytes do.

    python benches/giant.py
    python benches/giant.py --size 100000000 --rounds 1

`urlset.scan` reads the file in batches that nobody keeps, each time in a process of its own: the peak of
memory is the process's. A file of a tenth of the size takes turns with it. A full run is kept in
results/giant.json. If a process does not find exactly what the generator wrote, the file is shown as
WRONG and the exit code is 1.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import time
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from contest import progress
from inputs import DATA, GIANT, Input, ensure
from publishing import peak
from report import RESULTS, keep, machine, table, times

HERE = Path(__file__).parent
QUICK = 20_000_000
TENTH = 10
READ, CHECK = "--read", "--check"


def read(path: Path, *, check: bool) -> dict[str, Any]:
    """Read the file in batches and return what that took; to `check`, read it again and take the locs' sum."""
    import urlset

    before = peak()
    rows = 0
    start = time.perf_counter()
    for batch in urlset.scan(path).batches():
        rows += len(batch)
    seconds = time.perf_counter() - start
    taken = {"seconds": seconds, "rows": rows, "peak_rss_bytes": peak(), "before_bytes": before}
    return taken | ({"locs": _locs(path)} if check else {})


def _locs(path: Path) -> str:
    """The checksum of all locs, as the generator takes it, without ever having all of them."""
    import urlset

    found = hashlib.sha256()
    entries = iter(urlset.scan(path))
    joint = ""
    while block := [entry.loc or "" for entry in islice(entries, 2_000)]:
        found.update((joint + "\n".join(block)).encode())
        joint = "\n"
    return found.hexdigest()


def measure(inputs: list[Input], *, rounds: int) -> list[dict[str, Any]]:
    """Read each file in turn, `rounds` times after a first one that warms up and checks; one record a file."""
    taken: dict[int, list[dict[str, Any]]] = {made.bytes: [] for made in inputs}
    wrong: dict[int, str | None] = dict.fromkeys(taken)
    for turn in range(rounds + 1):
        for made in inputs:
            if wrong[made.bytes]:
                continue
            progress(f"giant: {made.bytes / 1e6:,.0f} MB: {f'round {turn}/{rounds}' if turn else 'warm-up, check'}")
            found = _in_a_process(made.path, check=not turn)
            wrong[made.bytes] = _wrong(made, found)
            if turn and found:
                taken[made.bytes].append(found)
    return [_record(made, taken[made.bytes], wrong[made.bytes]) for made in inputs]


def _in_a_process(path: Path, *, check: bool) -> dict[str, Any] | None:
    command = (sys.executable, __file__, READ, str(path), *([CHECK] if check else []))
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] | None = None if done.returncode else json.loads(done.stdout)
    return found


def _wrong(made: Input, found: dict[str, Any] | None) -> str | None:
    if found is None:
        return "its process failed; the error is above"
    if found["rows"] != made.rows:
        return f"found {found['rows']:,} rows, expected {made.rows:,}"
    return None if found.get("locs", made.locs) == made.locs else "found other locs than were written"


def _record(made: Input, taken: list[dict[str, Any]], wrong: str | None) -> dict[str, Any]:
    counts = bool(taken) and not wrong
    seconds = min(each["seconds"] for each in taken) if counts else None
    return {
        "bytes": made.bytes,
        "rows": made.rows,
        "wrong": wrong,
        "repetitions": len(taken),
        "seconds": seconds,
        "mb_per_second": made.bytes / seconds / 1e6 if seconds else None,
        "peak_rss_bytes": max(each["peak_rss_bytes"] for each in taken) if counts else None,
        "before_bytes": max(each["before_bytes"] for each in taken) if counts else None,
    }


def growth(records: list[dict[str, Any]]) -> float | None:
    """Seconds a byte of the bigger file over those of the smaller one: 1 where time grows as bytes do."""
    smaller, bigger = sorted(records, key=lambda record: int(record["bytes"]))
    if not smaller["seconds"] or not bigger["seconds"]:
        return None
    return float(bigger["seconds"] / bigger["bytes"] / (smaller["seconds"] / smaller["bytes"]))


def show(records: list[dict[str, Any]]) -> str:
    """Return the records as a table."""
    body = []
    for record in records:
        size = f"{record['bytes'] / 1e6:,.0f} MB"
        if record["wrong"]:
            body.append([size, f"{record['rows']:,}", "WRONG", "-", "-", "-"])
            continue
        speed, memory = f"{record['mb_per_second']:,.1f}", f"{record['peak_rss_bytes'] / 1e6:,.1f}"
        before = f"{record['before_bytes'] / 1e6:,.1f}"
        body.append([size, f"{record['rows']:,}", f"{record['seconds']:.3f}", speed, memory, before])
    wrong = [f"WRONG: {record['bytes']:,} bytes: {record['wrong']}" for record in records if record["wrong"]]
    head = ["urlset.scan, in batches", "entries", "seconds", "MB/s", "peak RSS, MB", "of that before"]
    ratio = f"seconds a byte, the bigger over the smaller: {times(growth(records))}"
    return "\n".join(["", "giant: one urlset from disk", "", table(head, body), "", ratio, *wrong])


def main() -> int:
    """Measure, print the figures, keep the results; 1 when anything was wrong."""
    parser = argparse.ArgumentParser(description="Measure a giant document.")
    parser.add_argument("--size", type=int, help=f"bytes of the bigger file ({GIANT:,}; {QUICK:,} when quick)")
    parser.add_argument("--quick", action="store_true", help="small files and one round")
    parser.add_argument("--rounds", type=int, help="measured rounds (3; 1 when quick)")
    parser.add_argument("--data", type=Path, default=DATA, help="where the inputs are (%(default)s)")
    parser.add_argument("--results", type=Path, help="where to keep the figures, also of a partial run")
    parser.add_argument("--date", help="the date to keep with the results, instead of now")
    parser.add_argument(READ, type=Path, metavar="FILE", help="read the file once and say what it took: a measured one")
    parser.add_argument(CHECK, action="store_true", help=f"with {READ}: and the checksum of its locs")
    options = parser.parse_args()
    if options.read:
        print(json.dumps(read(options.read, check=options.check)))
        return 0

    size = options.size or (QUICK if options.quick else GIANT)
    inputs = [ensure("giant", directory=options.data, size=each) for each in (size // TENTH, size)]
    records = measure(inputs, rounds=options.rounds or (1 if options.quick else 3))
    print(show(records), flush=True)
    full = size == GIANT and not options.quick
    if target := options.results or (RESULTS / "giant.json" if full else None):
        source = {"seed": inputs[0].seed, "version": version("urlset")}
        keep(target, {"machine": machine(options.date), "input": source, "growth": growth(records), "giant": records})
    return 1 if any(record["wrong"] for record in records) else 0


if __name__ == "__main__":
    raise SystemExit(main())
