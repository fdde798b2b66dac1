"""Commit a set of a billion locs: what the driver of a job does, whose tasks are left out.

    python benches/scale_driver.py
    python benches/scale_driver.py --rows 10000000000

One task writes a part of a million rows, and another one the same rows with changes. All other parts are copies of the
first: hard links to its documents and to its rows of the manifest under their own names, and what the task has reported
with those names. So the driver gets as many reports, documents of true sizes and files of the manifest as it would from
a cluster. It does with them what it always does: it plans, moves the documents into place, writes index and manifest,
and removes the job. What tasks do is not measured, nor what a store over a network would take for each file. Then the
set is committed again, with the part of the second task in one place of a hundred, and rolled back, for which every
document is hashed. Measured are the seconds and the processor time of the driver, its peak of memory until then, and
the bytes of the reports, the indexes and the manifest. The exit code is 1 if a count is not what it has to be. Prints a
line of JSON for each.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from shutil import rmtree
from typing import Any

import duckdb
import urlset
from spark import HERE, peak_mb
from urlset.jobs import PartFacts, WriteJob

BASE = "https://shop.example/"
#: Rows of a part.
PART = 1_000_000
ROWS = """
    SELECT 'https://shop.example/pages/' || md5(n::VARCHAR) || '/' || n AS loc,
        TIMESTAMPTZ '2020-01-01 00:00:00Z' + to_minutes(n % 3000000 + if(n % 100 < {changed}, 1440, 0)) AS lastmod
    FROM range({part}) AS numbers(n)
"""


def write_part(job: WriteJob, changed: int) -> PartFacts:
    """Write part 0, in which so many rows of a hundred are changed. This runs in a task."""
    with duckdb.connect() as connection:
        return job.write_part(connection.sql(ROWS.format(part=PART, changed=changed)), 0, changed)


def copied(facts: PartFacts, part: int, out: Path) -> PartFacts:
    """Return a part that another task might have written, and put its files where they wait for the commit."""
    if not part:
        return facts
    number = f"{part:05}"

    def named(name: str) -> str:
        return name.replace("00000", number, 1)

    job, _, attempt = facts.folder.rpartition("/")
    folder = f"{job}/{named(attempt)}"
    (out / folder).mkdir()
    for path in (out / facts.folder).iterdir():
        os.link(path, out / folder / named(path.name))
    records = tuple(
        replace(each, shard=named(each.shard), section=number, name=named(each.name), url=BASE + named(each.name))
        for each in facts.records
    )
    planned = tuple(replace(each, shard=named(each.shard), section=number) for each in facts.planned)
    return replace(
        facts,
        part=part,
        folder=folder,
        # The parts are ranges of locs.
        first=f"{BASE}{number}/a",
        last=f"{BASE}{number}/z",
        records=records,
        made=frozenset(record.name for record in records),
        planned=planned,
    )


def committed(out: Path, parts: int, changed: Callable[[int], bool]) -> dict[str, Any]:
    """Commit a set of so many parts, and return the figures."""
    job = WriteJob(out, base_url=BASE)
    # The memory of a task is not the driver's.
    with ProcessPoolExecutor(1, get_context("spawn")) as task:
        some = {each: task.submit(write_part, job, int(each)).result() for each in set(map(changed, range(parts)))}
    facts = [copied(some[changed(part)], part, out) for part in range(parts)]
    reports = sum(len(pickle.dumps(each)) for each in facts)
    begin, spent = time.perf_counter(), time.process_time()
    done = job.commit(facts)
    return {
        "seconds": round(time.perf_counter() - begin, 2),
        "cpu_seconds": round(time.process_time() - spent, 2),
        "entries": done.entries,
        "documents": len(done.shards),
        "written": sum(name.startswith("sitemap-") for name in done.written),
        "rewritten": done.plan.count("rewrite"),
        "indexes": len(done.urls),
        "reports_mb": round(reports / 1e6, 1),
    }


def sizes(out: Path) -> dict[str, Any]:
    """Return what the set takes."""
    documents = sum(path.stat().st_size for path in out.glob("sitemap-*.xml.gz"))
    parts = sum(path.stat().st_size for path in out.glob(".urlset/parts/*"))
    return {
        "documents_gb": round(documents / 1e9, 1),
        "index_mb": round(sum(path.stat().st_size for path in out.glob("sitemap*.xml")) / 1e6, 1),
        "manifest_mb": round((out / ".urlset/manifest.parquet").stat().st_size / 1e6, 1),
        "manifest_parts_gb": round(parts / 1e9, 1),
    }


def steps(out: Path, rows: int, *, is_once: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what is done, with its figures."""
    parts = rows // PART
    yield "commit", {**committed(out, parts, lambda _: False), **sizes(out)}
    if is_once:
        return
    yield "change", committed(out, parts, lambda part: part % 100 == 0)
    begin, spent = time.perf_counter(), time.process_time()
    names = urlset.rollback(out)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - spent
    yield "rollback", {"seconds": round(seconds, 2), "cpu_seconds": round(cpu, 2), "documents": len(names)}


def main() -> int:
    """Run the steps; 1 if a count is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000_000, help="a multiple of a million")
    parser.add_argument("--folder", type=Path, default=HERE / "data" / "scale-driver", help="it is removed at the end")
    parser.add_argument("--once", action="store_true", help="only the first commit")
    options = parser.parse_args()
    rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    parts = options.rows // PART
    expected: dict[str, dict[str, int]] = {
        "commit": {"entries": options.rows, "documents": parts * 20, "written": parts * 20, "rewritten": 0},
        "change": {"entries": options.rows, "documents": parts * 20, "rewritten": -(-parts // 100) * 20},
        "rollback": {"documents": parts * 20},
    }
    is_right = True
    try:
        for name, figures in steps(options.folder, options.rows, is_once=options.once):
            print(json.dumps({"step": name, **figures, "driver_mb": peak_mb(os.getpid())}), flush=True)
            is_right = is_right and figures.items() >= expected[name].items()
    finally:
        rmtree(options.folder, ignore_errors=True)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
