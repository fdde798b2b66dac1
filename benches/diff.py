"""Measure the diff of two sets of ten million entries each: gzipped documents, and manifests.

    python benches/diff.py
    python benches/diff.py --entries 1000000 --rounds 1

Three sets are made from a seed, each an index of 200 gzipped children and a manifest that says the same: `old`, `few`,
in which two entries of a thousand are added, removed or changed, and `all`, in which every lastmod is another one. A
run that does not find exactly what was planted is shown as WRONG and the exit code is 1. Each diff is made in a process
of its own: the peak of memory is the process's. What it found is looked at off the clock.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from contest import progress
from inputs import CORE, DATA, DECLARATION
from publishing import peak
from report import machine, table
from shop import SEED, SITE, rows

ENTRIES = 10_000_000
CHILDREN = 200
SETS = ("old", "few", "all")
EARLY = "2001-01-01"
"""The lastmod of an entry that stands there twice: its other one counts."""
COUNTS = ("added", "removed", "changed", "same", "duplicates_old", "duplicates_new")
RUN = "--run"


def child(number: int) -> str:
    """The name of a child of the index."""
    return f"sitemap-{number:04d}.xml.gz"


def utc(lastmod: str) -> str:
    """The same instant in UTC."""
    return datetime.fromisoformat(lastmod).astimezone(UTC).isoformat().replace("+00:00", "Z")


def line(loc: str, change: str, old: str | None, new: str | None) -> int:
    """What one change adds to the sum of all: whatever their order, the sum is the same."""
    return zlib.crc32(f"{loc} {change} {old} {new}".encode())


def entries(number: int, count: int, seed: int) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Each loc of a child, and the lastmods it has in each set: none where it is not there."""
    for index, row in enumerate(islice(rows(seed + number), count)):
        loc = f"{SITE}/shop/{number}/{row.slug}"
        lastmods = {"old": [row.lastmod], "few": [row.lastmod], "all": [f"2031-01-01{row.lastmod[10:]}"]}
        if index % 1500 == 1:
            lastmods["old"] = []
        elif index % 1500 == 500:
            lastmods["few"] = []
        elif index % 1500 == 1000:
            lastmods["few"] = ["2030-01-01T00:00:00Z"]
        elif index % 100 == 50:
            # The same instant, spelled differently, is not a change.
            lastmods["few"] = [utc(row.lastmod)]
        elif index % 5000 == 7:
            lastmods["old"] = [EARLY, row.lastmod]
        yield loc, lastmods


def write_child(folder: Path, number: int, count: int, seed: int) -> dict[str, Counter[str]]:
    """Write one child of each set; what is to be found between `old` and the two others."""
    documents: dict[str, list[str]] = {name: [f'{DECLARATION}\n<urlset xmlns="{CORE}">\n'] for name in SETS}
    planted: dict[str, Counter[str]] = {name: Counter() for name in SETS[1:]}
    for loc, lastmods in entries(number, count, seed):
        for name in SETS:
            documents[name] += [f"<url><loc>{loc}</loc><lastmod>{m}</lastmod></url>\n" for m in lastmods[name]]
        for name, found in planted.items():
            old, new = (utc(each[-1]) if each else None for each in (lastmods["old"], lastmods[name]))
            if old is None and new is None:
                continue
            change = "added" if old is None else "removed" if new is None else "same" if old == new else "changed"
            found[change] += 1
            found["duplicates_old"] += len(lastmods["old"]) > 1
            if change != "same":
                found["sum"] += line(loc, change, old, new)
    for name, lines in documents.items():
        packed = gzip.compress("".join([*lines, "</urlset>\n"]).encode(), 6, mtime=0)
        (folder / name / child(number)).write_bytes(packed)
    return planted


def ensure(directory: Path, total: int, seed: int) -> Path:
    """The folder of the sets, made if it is not there; `planted.json` in it says what is to be found."""
    folder = directory / f"diff-{total}"
    record = folder / "planted.json"
    sources = (Path(__file__), Path(__file__).with_name("inputs.py"))
    generator = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
    if record.exists():
        known = json.loads(record.read_text())
        if known["generator"] == generator and known["seed"] == seed:
            return folder
    progress(f"making {folder}")
    planted: dict[str, Counter[str]] = {name: Counter() for name in SETS[1:]}
    for name in SETS:
        (folder / name).mkdir(parents=True, exist_ok=True)
        listed = "".join(f"<sitemap><loc>{SITE}/{child(number)}</loc></sitemap>\n" for number in range(CHILDREN))
        index = f'{DECLARATION}\n<sitemapindex xmlns="{CORE}">\n{listed}</sitemapindex>\n'
        (folder / name / "sitemap.xml").write_text(index)
    with ProcessPoolExecutor() as pool:
        jobs = [pool.submit(write_child, folder, number, total // CHILDREN, seed) for number in range(CHILDREN)]
        for job in jobs:
            for name, found in job.result().items():
                planted[name] += found
    for name in SETS:
        write_manifest(folder / name)
    record.write_text(json.dumps({"generator": generator, "seed": seed, "entries": total, "planted": planted}))
    return folder


def write_manifest(folder: Path) -> None:
    """A manifest of the set, as publish leaves it: a row for each loc."""
    import urlset
    from urlset._stores.seal import BLANK, KEY, seal

    duckdb: Any = import_module("duckdb")
    scan = urlset.scan(folder, columns=["loc", "lastmod_raw", "document"])  # noqa: F841  (DuckDB finds it by its name)
    with duckdb.connect() as connection:
        connection.execute("SET preserve_insertion_order = false")
        connection.execute(
            f"COPY (SELECT loc, '' AS section, CAST(document AS VARCHAR) AS shard, hash(loc) AS entry_hash,"
            f" lastmod_raw AS lastmod, 'column' AS lastmod_source, CAST(NULL AS VARCHAR) AS content,"
            f" TIMESTAMPTZ '2026-01-01 00:00:00Z' AS first_seen, TIMESTAMPTZ '2026-01-01 00:00:00Z' AS last_seen,"
            f" CAST(NULL AS TIMESTAMPTZ) AS gone FROM scan WHERE lastmod_raw <> '{EARLY}')"
            f" TO '{folder / 'manifest.parquet'}'"
            f" (FORMAT parquet, COMPRESSION zstd, KV_METADATA {{'urlset.manifest': '1', '{KEY}': '{BLANK}'}})"
        )
    seal(folder / "manifest.parquet")


def run(old: Path, new: Path, memory: str) -> dict[str, Any]:
    """Compare the sets, and return what that took and found; then put the changes in order, and take them all."""
    import urlset

    before, start, used = peak(), time.perf_counter(), time.process_time()
    with urlset.diff(old, new, memory=memory) as found:
        taken = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - used}
        start = time.perf_counter()
        changes = iter(found)
        taken |= {"sort_seconds": time.perf_counter() - start, "peak_rss_bytes": peak(), "before_bytes": before}
        counts = {name: getattr(found, name) for name in COUNTS}
        return taken | {"found": {**counts, "sum": total(changes)}}


def total(changes: Iterable[Any]) -> int:
    """The sum over all changes, or -1 where they are out of order."""
    last, found = "", 0
    for each in changes:
        if each.loc <= last:
            return -1
        last = each.loc
        found += line(each.loc, each.change, each.old_lastmod, each.new_lastmod)
    return found


def measure(folder: Path, new: str, *, manifests: bool, memory: str, rounds: int) -> dict[str, Any]:
    """The best of some rounds, each in a process; what it found is that of the first that is wrong."""
    planted = json.loads((folder / "planted.json").read_text())["planted"][new]
    expected = dict.fromkeys((*COUNTS, "sum"), 0) | planted | ({"duplicates_old": 0} if manifests else {})
    paths = [str(folder / name / "manifest.parquet" if manifests else folder / name) for name in ("old", new)]
    name = f"{'manifests' if manifests else 'documents'}, {new} changed"
    taken: list[dict[str, Any]] = []
    for number in range(rounds):
        progress(f"{name}: round {number + 1}/{rounds}")
        command = [sys.executable, __file__, RUN, *paths, "--memory", memory]
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            return {"name": name, "wrong": "its process failed; the error is above"}
        taken.append(json.loads(done.stdout))
        if taken[-1]["found"] != expected:
            return {"name": name, "wrong": f"found {taken[-1]['found']}, expected {expected}"}
    best = min(taken, key=lambda each: float(each["seconds"]))
    return best | {"name": name, "wrong": None, "peak_rss_bytes": max(each["peak_rss_bytes"] for each in taken)}


def show(records: list[dict[str, Any]]) -> str:
    """Return the records as a table."""
    body = []
    for record in records:
        if record["wrong"]:
            body.append([record["name"], "WRONG", *["-"] * 4])
            continue
        figures = [f"{record[name]:.1f}" for name in ("seconds", "cpu_seconds", "sort_seconds")]
        memory = [f"{record[name] / 1e6:,.0f}" for name in ("peak_rss_bytes", "before_bytes")]
        body.append([record["name"], *figures, *memory])
    head = ["diff", "seconds", "CPU seconds", "and to sort", "peak RSS, MB", "of that before"]
    return "\n".join([table(head, body), *(f"\nWRONG: {r['name']}: {r['wrong']}" for r in records if r["wrong"])])


def main() -> int:
    """Measure, print the figures; 1 when anything was wrong."""
    parser = argparse.ArgumentParser(description="Measure the diff of two sets.")
    parser.add_argument("--entries", type=int, default=ENTRIES, help="entries of each set (%(default)s)")
    parser.add_argument("--rounds", type=int, default=2, help="how often each is made (%(default)s)")
    parser.add_argument("--memory", default="1GB", help="what the diff is given (%(default)s)")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--data", type=Path, default=DATA, help="where the inputs are (%(default)s)")
    parser.add_argument(
        RUN, type=Path, nargs=2, metavar="SET", help="compare two sets once and say what it took: a measured run"
    )
    options = parser.parse_args()
    if options.run:
        old, new = options.run
        print(json.dumps(run(old, new, options.memory)))
        return 0
    folder = ensure(options.data, options.entries, options.seed)
    load = os.getloadavg()[0]
    records = [
        measure(folder, new, manifests=manifests, memory=options.memory, rounds=options.rounds)
        for manifests in (False, True)
        for new in SETS[1:]
    ]
    where = machine(None)
    print(
        f"\ndiff of two sets of {options.entries:,} entries, memory={options.memory}: urlset {version('urlset')}",
        end="",
    )
    print(f", {where['cores']} cores of {where['cpu']}, {where['date']}")
    print(f"load average {load:.2f} before, {os.getloadavg()[0]:.2f} after\n")
    print(show(records))
    return 1 if any(record["wrong"] for record in records) else 0


if __name__ == "__main__":
    raise SystemExit(main())
