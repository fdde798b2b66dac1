"""What the tasks of a job do: they render rows, bring what is known of their locs, and make parts of the set."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from urlset._model.errors import PublishError
from urlset._publish.parts.facts import CurrentPart, PartFacts, PartOptions, PartTarget
from urlset._publish.parts.part import check_rows, make_part
from urlset._publish.parts.shuffle import RENDERED, arrive, create_routes, known_sql, rows_sql
from urlset._publish.plan.totals import merged_reports
from urlset._publish.rows.database import PlanningDatabase, planning_database
from urlset._publish.rows.ingest import IngestReport, checked_source, collect, ingest, insert, sort
from urlset._publish.rows.schema import create
from urlset._publish.stored import manifest
from urlset._publish.stored.manifest import MANIFEST
from urlset._publish.stored.transaction import Transaction
from urlset._publish.values.options import SectionRows
from urlset._publish.values.shards import ShardBy
from urlset._stores.seal import is_sealed
from urlset._stores.store import Store
from urlset._util.duckdb import connect, path_pattern
from urlset._util.identity import make_normal_forms
from urlset._util.instances import cursor_of
from urlset._write.rows import ArrowTable, RowsLike

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

#: A folder for the files of one attempt, made when it is entered; it yields None if the part is only planned.
AttemptFolder = AbstractContextManager[Path | None]


def check_columns(options: PartOptions, shard_by: ShardBy, rows: ArrowTable) -> None:
    """Check the columns of a table as a task would. Its rows are not read.

    Raises:
        InputError: A column is missing, unknown or of a wrong type.
    """
    checked_source(SectionRows("", shard_by, options.columns, rows), options.publish)


def write_part(
    options: PartOptions, store: Store, rows: RowsLike, target: PartTarget, folder: AttemptFolder
) -> PartFacts:
    """Make and verify the documents of a part from its rows, a series of its own.

    Raises:
        EntryError: A row is refused, and it is not to be left out.
        InputError: The rows cannot be used.
        PublishError: A document does not read back as it was written, or cannot be written.
    """
    section = SectionRows(f"{target.part:05}", ShardBy("sticky"), options.columns, rows)
    report = IngestReport(options.publish.checks.on_error, [section.name])
    with planning_database(options.memory, options.threads) as database, folder as path:
        create(database.connection, "known")
        ingest(database, options.publish, [section], report)
        return make_part(database, store, options.publish, section, report, CurrentPart(), target, path)


def rendered(options: PartOptions, shard_by: ShardBy, rows: RowsLike) -> Iterator[DuckDBPyRelation]:
    """Yield rows, rendered, as they travel; the last one carries their counts.

    Raises:
        EntryError: A row is refused, and it is not to be left out.
        InputError: The rows cannot be used.
    """
    section = SectionRows("", shard_by, options.columns, rows)
    report = IngestReport(options.publish.checks.on_error)
    with planning_database(options.memory, options.threads) as database:
        ingested = collect(database, options.publish, [section], report)
        sort(ingested)
        made = ingested[0].rows
        if made.has_extras or shard_by.kind != "hash":
            insert(database, ingested)
            check_rows(database.connection, report)
            create_routes(database.connection, shard_by)
            yield database.connection.sql(rows_sql(shard_by))
        else:  # there is nothing to check or look up
            rendered = made.rendered()  # noqa: F841  (DuckDB finds it among the local variables by its name)
            yield database.connection.sql(rows_sql(shard_by, RENDERED))
        tally = "SELECT NULL::VARCHAR AS route, $tally::BLOB AS tally"
        yield database.connection.sql(tally, params={"tally": pickle.dumps(report)})


def known(options: PartOptions, shard_by: ShardBy, store: Store, name: str) -> Iterator[DuckDBPyRelation]:
    """Yield what a file of the current manifest knows, as it travels.

    Raises:
        PublishError: The file is damaged, or is missing.
    """
    with planning_database(options.memory, options.threads) as database:
        with Transaction.read_only(store, database) as transaction:
            path = transaction.local(name, database.folder / "known.parquet")
        create(database.connection, "known")
        database.expect(manifest.count_rows(database.connection, [path]))
        if not (is_sealed(path) and manifest.load(database.connection, [path])):
            raise PublishError(
                f"{store.location}/{name} is missing or damaged: move {MANIFEST} away, and what it knew is"
                " recovered from the documents"
            )
        if shard_by.kind == "hash":
            _ingest_known(database, options, shard_by, path)
        else:
            with cursor_of(database.connection) as cursor:
                make_normal_forms(database.connection, cursor, "forms", ("known", "loc"))
        yield database.connection.sql(known_sql(shard_by))


def _ingest_known(database: PlanningDatabase, options: PartOptions, shard_by: ShardBy, path: Path) -> None:
    """Put the known locs into `incoming`, because only the core knows their hashes."""
    with connect() as reading:
        locs = reading.read_parquet(path_pattern(path)).select("loc")
        ingest(database, options.publish, [SectionRows("", shard_by, {}, locs)], IngestReport("collect"))


def write_arrived(
    options: PartOptions,
    shard_by: ShardBy,
    store: Store,
    current: CurrentPart,
    tables: Iterable[Any],
    target: PartTarget,
    folder: AttemptFolder,
) -> PartFacts:
    """Make and verify the documents of the series that have arrived in one task.

    Args:
        options: How the part is made.
        shard_by: How the set is sharded.
        store: Where the set is stored.
        current: The current documents of the whole set.
        tables: What has arrived: Arrow tables of what `rendered` and `known` yield.
        target: The part and its folder in the store.
        folder: Where its files are made.

    Raises:
        InputError: The rows cannot be used.
        PublishError: A document does not read back as it was written, or cannot be written.
    """
    with planning_database(options.memory, options.threads) as database, folder as path:
        report, routes = _arrive(database, tables)
        current = replace(current, records=[record for record in current.records if record.series in routes])
        section = SectionRows("", shard_by, options.columns, ())
        return make_part(database, store, options.publish, section, report, current, target, path)


def _arrive(database: PlanningDatabase, tables: Iterable[Any]) -> tuple[IngestReport, set[str]]:
    connection = database.connection
    create(connection, "incoming")
    create(connection, "known")
    routes: set[str] = set()
    tallies: list[bytes] = []
    for table in tables:
        database.expect(len(table))
        found = arrive(connection, table)
        routes |= found[0]
        tallies += found[1]
    # From our own tasks, as everything that an engine moves.
    return merged_reports([pickle.loads(tally) for tally in tallies]), routes  # noqa: S301
