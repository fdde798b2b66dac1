"""Publish a CSV of rows, publish it again, and with some rows changed, and say what it took as a line of JSON.

    python benches/publishing.py FILE ROWS SEED FOLDER

Run by write.py in a process of its own: the peak of memory is the process's.
"""

from __future__ import annotations

import gzip
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from inputs import CORE
from shop import SITE, rows

if TYPE_CHECKING:
    import urlset

NS = f"{{{CORE}}}"


def publish(source: Path, folder: Path) -> tuple[float, urlset.Publication]:
    """Publish the CSV into `folder`; return the seconds that took, reading the CSV included."""
    import urlset
    from urlset.sources import files

    start = time.perf_counter()
    with files.rows([source]) as table:
        publication = urlset.publish(table, folder, base_url=f"{SITE}/")
    return time.perf_counter() - start, publication


def publish_relation(source: Path, folder: Path) -> tuple[float, float, urlset.Publication]:
    """Publish a relation of DuckDB twice, of which urlset cannot know whether its rows are those of the last time.

    Returns the seconds of the rerun, its seconds of processor, and what it says.
    """
    import urlset

    duckdb: Any = import_module("duckdb")
    with duckdb.connect() as connection:
        table = connection.read_csv(str(source))
        table.create("given")
        urlset.publish(connection.table("given"), folder, base_url=f"{SITE}/")
        start, busy = time.perf_counter(), time.process_time()
        publication = urlset.publish(connection.table("given"), folder, base_url=f"{SITE}/")
        return time.perf_counter() - start, time.process_time() - busy, publication


def peak() -> int:
    """Return the most memory this process ever had resident, in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def published(location: Path) -> Iterator[str]:
    """Yield every loc of the set whose root is at `location`, as ElementTree reads it."""
    pending = [location]
    while pending:
        path = pending.pop()
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for _, element in ElementTree.iterparse(file):
                if element.tag == f"{NS}url":
                    yield element.findtext(f"{NS}loc") or ""
                    element.clear()
                elif element.tag == f"{NS}sitemap":
                    loc = element.findtext(f"{NS}loc") or ""
                    pending.append(location.parent / loc.removeprefix(f"{SITE}/"))


def change(source: Path, target: Path) -> None:
    """Write the CSV to `target` with 0.2 % of the rows edited, 0.1 % of them gone and 0.1 % new, all over the set."""
    with source.open() as given, target.open("w") as out:
        for number, line in enumerate(given):
            loc, _, rest = line.split(",", 2)
            if number % 1_000 == 500:
                continue
            out.write(f"{loc},2025-05-05T10:00:00Z,{rest}" if number % 500 == 100 else line)
            if number % 1_000 == 700:
                out.write(f"{loc.replace('/shop/', '/shop/new-')},2025-05-05T10:00:00Z,{rest}")


def main(source: Path, count: int, seed: int, folder: Path) -> None:
    """Publish, publish the same again, check the set against the generator, publish changes, print the record."""
    seconds, first = publish(source, folder)
    memory = peak()
    again, second = publish(source, folder)
    # As a set: in what order a published set stands is its own affair.
    right = sorted(published(Path(first.location))) == sorted(row.loc for row in islice(rows(seed), count))
    wrong = None if right else "the published locs are not those of the rows"
    with tempfile.TemporaryDirectory(dir=folder.parent) as beside:
        change(source, Path(beside, "changed.csv"))
        changed, third = publish(Path(beside, "changed.csv"), folder)
        relation, busy, fourth = publish_relation(source, Path(beside, "relation"))
    for rerun in (second, fourth):
        if rerun.written or rerun.removed or rerun.plan.same != count:
            wrong = f"a rerun over the same rows wrote {len(rerun.written)}, removed {len(rerun.removed)} files"
    plan = third.plan
    if (
        abs(plan.added - count / 1_000) > 1
        or abs(plan.removed - count / 1_000) > 1
        or abs(plan.changed - count / 500) > 1
    ):
        wrong = f"of the changed rows {plan.added} are new, {plan.changed} changed and {plan.removed} gone"
    record = {
        "wrong": wrong,
        "seconds": seconds,
        "rerun_seconds": again,
        "relation_rerun_seconds": relation,
        "relation_rerun_cpu_seconds": busy,
        "changed_seconds": changed,
        "peak_rss_bytes": memory,
        "entries": first.entries,
        "shards": len(first.shards),
        "bytes": sum(shard.bytes for shard in first.shards),
        "size": sum(shard.size for shard in first.shards),
    }
    print(json.dumps(record))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
