"""Measure sets on disk: large documents on one core and on all, and very many small ones.

    python benches/sets.py
    python benches/sets.py --children 20 --tiny 500 --rounds 1

The set is gzipped children of 50,000 entries; the small documents have ten entries each. Each measurement is a process
of its own, which reads everything once before it is measured. Prints JSON with the best seconds on one core and on
all, their ratio, the microseconds of each small document, and those of one `urlset.parse`. Exits with 1 if entries are
missing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ENTRIES, FEW = 50_000, 10
BODY = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{}</urlset>\n'


def document(number: int, entries: int) -> bytes:
    """Return a sitemap."""
    rows = (
        f"<url><loc>https://shop.example/category-{entry % 97}/page-{number:05}-{entry:06}</loc>"
        f"<lastmod>2026-01-{entry % 28 + 1:02}</lastmod></url>\n"
        for entry in range(entries)
    )
    return BODY.format("".join(rows)).encode()


def measure(folder: str, rounds: int) -> dict[str, Any]:
    """Read all documents of a folder; return how many entries they have, and the best seconds."""
    import urlset

    found: set[int] = set()
    best = {"seconds": float("inf"), "cpu": float("inf")}
    for _ in range(rounds + 1):
        begin, cpu = time.perf_counter(), time.process_time()
        found.add(sum(len(batch) for batch in urlset.scan(folder).batches()))
        taken = {"seconds": time.perf_counter() - begin, "cpu": time.process_time() - cpu}
        best = min(best, taken, key=lambda each: each["seconds"])
    [entries] = found
    return {"entries": entries, **best}


def measure_parse(rounds: int) -> float:
    """Return the best microseconds of one small document in memory."""
    import urlset

    data = document(0, 1)
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(1_000):
            urlset.parse(data)
        best = min(best, time.perf_counter() - begin)
    return round(best * 1_000, 1)


def in_process(folder: Path, cores: set[int], rounds: int) -> dict[str, Any]:
    """Measure on some cores, in a process of its own."""
    command = [sys.executable, __file__, "--folder", str(folder), "--rounds", str(rounds)]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, preexec_fn=lambda: os.sched_setaffinity(0, cores)
    )
    record: dict[str, Any] = json.loads(done.stdout)
    return record


def main() -> int:
    """Measure; 1 if entries are missing."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--children", type=int, default=200)
    parser.add_argument("--tiny", type=int, default=10_000, help="how many small documents")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.folder:
        print(json.dumps(measure(options.folder, options.rounds)))
        return 0
    cores = os.sched_getaffinity(0)
    one = {min(cores)}
    with TemporaryDirectory() as folder:
        large, small = Path(folder, "large"), Path(folder, "small")
        large.mkdir()
        small.mkdir()
        for number in range(options.children):
            (large / f"sitemap-{number:03}.xml.gz").write_bytes(gzip.compress(document(number, ENTRIES), 6))
        for number in range(options.tiny):
            (small / f"sitemap-{number:05}.xml").write_bytes(document(number, FEW))
        on_one, on_all = (in_process(large, which, options.rounds) for which in (one, cores))
        tiny_on_one, tiny_on_all = (in_process(small, which, options.rounds) for which in (one, cores))
    each = {
        name: round(found["seconds"] / options.tiny * 1e6, 1)
        for name, found in (("one_core", tiny_on_one), ("all_cores", tiny_on_all))
    }
    ratio = round(on_one["seconds"] / on_all["seconds"], 2)
    print(
        json.dumps(
            {
                "set": {"one_core": on_one, "all_cores": on_all, "cores": len(cores), "ratio": ratio},
                "microseconds_of_a_small_document": each,
                "microseconds_of_a_parse": measure_parse(options.rounds),
            }
        )
    )
    is_whole = {on_one["entries"], on_all["entries"]} == {options.children * ENTRIES}
    is_whole &= {tiny_on_one["entries"], tiny_on_all["entries"]} == {options.tiny * FEW}
    return int(not is_whole)


if __name__ == "__main__":
    sys.exit(main())
