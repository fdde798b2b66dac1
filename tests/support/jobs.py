"""What the tests of jobs that write share: jobs over given parts on given days, and what lies in the folder then."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
from urlset import Publication, Section
from urlset._publish.parts import KNOWN, joined_sql
from urlset.jobs import PartFacts, PublishJob, WriteJob

from support.publish import BASE, DAY
from support.publish.grouped import grouped

pa: Any = import_module("pyarrow")


def job(folder: Path | str, day: int = 1, **options: Any) -> WriteJob:
    """A job on that day of January 2024, at noon."""
    return WriteJob(folder, **grouped({"base_url": BASE, "now": DAY[day - 1], "allow": ["shrunk"], **options}))


def written(work: WriteJob, parts: Sequence[Any]) -> list[PartFacts]:
    """The facts of all parts."""
    return [work.write_part(rows, part) for part, rows in enumerate(parts)]


def write(parts: Sequence[Any], folder: Path | str, day: int = 1, **options: Any) -> Publication:
    """Writes a set in parts, and commits it."""
    work = job(folder, day, **options)
    return work.commit(written(work, parts))


def own_files(folder: Path) -> list[str]:
    """The files of our own folder, but for the lock, the stamps, and the parts of manifests, whose names are random."""
    own = (path.relative_to(folder / ".urlset").as_posix() for path in (folder / ".urlset").rglob("*"))
    return sorted(name for name in own if name not in ("lock", "stamps.json") and not name.startswith("parts"))


def parts_of_manifests(folder: Path) -> list[str]:
    """The jobs whose parts of manifests are there, each as often as it has parts."""
    return sorted(path.name.rpartition("-")[0] for path in (folder / ".urlset" / "parts").glob("*"))


def publish_in_parts(
    partitions: Sequence[Any],
    folder: Path | str,
    day: int = 1,
    *,
    parts: int = 3,
    dry_run: bool = False,
    **options: Any,
) -> Publication:
    """Publishes partitions as an engine does, with pyarrow in place of the engine.

    What has the same route comes together in one of so many parts. Rows without a route go anywhere.
    """
    work = PublishJob(
        folder, **grouped({"base_url": BASE, "now": DAY[day - 1], "allow": ["shrunk"], "shard_by": "hash:5", **options})
    )
    try:
        names = work.begin()
        work = pickle.loads(pickle.dumps(work))
        rendered = [pa.table(table) for rows in partitions for table in work.rendered(rows)]
        known = [pa.table(table) for name in names for table in work.known(name)]
        nothing = pa.table({name: pa.array([], pa.null()) for name in ("route", *KNOWN)})
        mine = pa.concat_tables(rendered, promote_options="default")
        theirs = pa.concat_tables(known, promote_options="default") if known else nothing
        if work.shard_by.kind == "hash":
            travelling = pa.concat_tables([mine, theirs], promote_options="default")
        else:
            with duckdb.connect() as connection:
                connection.register("mine_table", mine).register("theirs_table", theirs)
                travelling = pa.table(connection.sql(joined_sql("mine_table", "theirs_table")))
        routes = travelling["route"].to_pylist()
        places = [
            zlib.crc32((str(number) if route is None else route).encode()) % parts
            for number, route in enumerate(routes)
        ]
        facts = []
        for part in range(parts):
            arrived = travelling.filter(pa.array([place == part for place in places], pa.bool_()))
            batches = [pa.Table.from_batches([batch]) for batch in arrived.to_batches(max_chunksize=7)]
            facts.append(work.write_arrived(batches, part, dry_run=dry_run))
        published: Publication = work.commit(facts, dry_run=dry_run)
        return published
    finally:
        work.abort()


def sections(parts: list[list[str]]) -> dict[str, Section]:
    """The parts as sections of a publish on one machine."""
    return {f"{number:05}": Section(rows) for number, rows in enumerate(parts)}
