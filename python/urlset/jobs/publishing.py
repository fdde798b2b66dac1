"""Publish rows as a set in parts, compared with the set in force: an engine brings together what belongs together."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from urlset._model.errors import InputError, PublishError
from urlset._publish.commit.publication import Publication
from urlset._publish.plan.totals import merged_reports
from urlset._publish.rows.database import PlanningDatabase, planning_database
from urlset._publish.rows.ingest import IngestReport, check_incoming, ingest
from urlset._publish.rows.schema import create
from urlset._publish.stored import manifest
from urlset._publish.stored.manifest import MANIFEST, NEXT
from urlset._publish.stored.recall import find_set, recall
from urlset._publish.stored.transaction import Transaction, digest
from urlset._publish.values.header import Header, ShardRecord
from urlset._publish.values.options import SectionRows
from urlset._publish.values.shards import ShardBy
from urlset._util.duckdb import connect, path_pattern
from urlset._util.identity import make_normal_forms
from urlset._util.instances import cursor_of
from urlset._write.rows import RowsLike
from urlset.jobs._commit import commit_job
from urlset.jobs._facts import PartFacts
from urlset.jobs._folder import attempt_folder, attempt_name
from urlset.jobs._part import ROWS, CurrentPart, make_part
from urlset.jobs._shuffle import arrive, create_routes, known_sql, rows_sql
from urlset.jobs.writing import WriteJob

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

#: Rows that are handed on at once.
_HANDED_AT_ONCE = 16_384
#: The number of the part under which the driver leaves what it has recovered: no task has it.
_RECOVERED = 999_999


class PublishJob(WriteJob):
    """Publishes rows as a set in parts, and compares them with the set in force, as `publish` does.

    A loc stays in its shard while it lives, documents whose rows stay are not made again, and the same rows give the
    same bytes, whatever their order and their partitions are. For that, the engine has to bring rows of one series of
    shards together, with what is known of their locs. It runs, in this order:

    1. on the driver `begin`, which finds the set in force, and returns the names of the files that know its locs;
    2. in tasks `rendered` over all rows, and `known` over those files; both yield Arrow tables with a column `route`;
    3. in tasks `write_arrived` over what has the same routes. With `hash`, rows and known locs of the same page have
       the same route. With `key`, the engine joins them by the normal forms of their locs (`normal` and `known_normal`,
       or the loc where they are null), and leaves one row for each of these;
    4. on the driver `commit`, with the facts of all parts, or `abort`.

    `urlset.contrib.spark.publish` does so on Spark.

    Args:
        dest: As in `WriteJob`.
        shard_by: `hash:N` or `key:COLUMN`.
        **options: The other arguments of `WriteJob`.

    Raises:
        InputError: An argument is invalid.
    """

    def __init__(self, dest: str | os.PathLike[str], *, shard_by: str | ShardBy, **options: Any) -> None:
        super().__init__(dest, **options)
        self.shard_by = ShardBy.parse(shard_by)
        if self.shard_by.kind not in ("hash", "key"):
            raise InputError(f"shard_by of a job must be hash:N or key:COLUMN, got {str(self.shard_by)!r}")
        self._header: Header | None = None
        self._records: tuple[ShardRecord, ...] = ()
        self._began_with: str | None = None

    def begin(self) -> list[str]:
        """Find the set in force, and return the names of the files that know its locs. This runs on the driver.

        If the manifest is lost, what it knew is recovered from the documents, into the folder of the job.
        """
        store = self._open()
        with (
            planning_database(self._memory) as database,
            Transaction.read_only(store, database) as transaction,
        ):
            current = find_set(transaction, self._options)
            self._began_with = digest(current.live)
            if current.header is not None:
                self._header, self._records = replace(current.header, shards=(), parts=()), current.header.shards
                return list(current.header.parts) or [_manifest_of(transaction, current.header)]
            if current.live is None:
                return []
            self._records = tuple(recall(database, transaction, self._options, current).records)
            name = attempt_name(self.id, _RECOVERED, 0)
            with attempt_folder(store, name, has_folder=self._has_folder) as folder:
                manifest.write_part(database.connection, "FROM known", folder / ROWS)
            return [f"{name}/{ROWS}"]

    def rendered(self, rows: RowsLike) -> Iterator[DuckDBPyRelation]:
        """Yield the rows of one task, rendered, as they travel; the last one carries their counts.

        Raises:
            EntryError: A row is refused, and `on_error` is `raise`.
            InputError: The rows cannot be used.
        """
        section, report = self._section(rows), IngestReport(self._on_error)
        with planning_database(self._memory, self._threads) as database:
            ingest(database, self._options, [section], report)
            if check_incoming(database.connection, report).has_groups:
                raise InputError("the rows of a job cannot be linked as translations by group and lang: use publish")
            create_routes(database.connection, self.shard_by)
            yield database.connection.sql(rows_sql(self.shard_by))
            tally = "SELECT NULL::VARCHAR AS route, $tally::BLOB AS tally"
            yield database.connection.sql(tally, params={"tally": pickle.dumps(report)})

    def known(self, name: str) -> Iterator[DuckDBPyRelation]:
        """Yield what one of the files of `begin` knows, as it travels.

        Raises:
            PublishError: The file is damaged, or is missing.
        """
        store = self._open()
        with planning_database(self._memory, self._threads) as database:
            with Transaction.read_only(store, database) as transaction:
                path = transaction.local(name, database.folder / "known.parquet")
            create(database.connection, "known")
            database.expect(manifest.count_rows(database.connection, [path]))
            if not manifest.load(database.connection, [path]):
                raise PublishError(
                    f"{store.location}/{name} is missing or damaged: move {MANIFEST} away, and what it knew is"
                    " recovered from the documents"
                )
            if self.shard_by.kind == "hash":
                self._ingest_known(database, path)
            else:
                with cursor_of(database.connection) as cursor:
                    make_normal_forms(database.connection, cursor, "forms", ("known", "loc"))
            yield database.connection.sql(known_sql(self.shard_by))

    def _ingest_known(self, database: PlanningDatabase, path: Path) -> None:
        """Put the known locs into `incoming`, because only the core knows their hashes."""
        with connect() as reading:
            locs = reading.read_parquet(path_pattern(path)).select("loc")
            section = SectionRows("", self.shard_by, {}, locs)
            ingest(database, self._options, [section], IngestReport("collect"))
        create_routes(database.connection, self.shard_by)

    def write_arrived(self, tables: Iterable[Any], part: int, attempt: int = 0, *, dry_run: bool = False) -> PartFacts:
        """Make and prove the documents of the series that have arrived in one task, in the folder of the job.

        Args:
            tables: What has arrived: Arrow tables with the columns of `rendered` and `known`.
            part: The number of the part, from 0 up.
            attempt: A number that no other attempt at this part has.
            dry_run: Plan only.

        Raises:
            InputError: The rows cannot be used.
            PublishError: A document does not read back as it was written, or cannot be written.
        """
        store, name = self._open(), attempt_name(self.id, part, attempt)
        folder = nullcontext() if dry_run else attempt_folder(store, name, has_folder=self._has_folder)
        with planning_database(self._memory, self._threads) as database, folder as path:
            report, routes = self._arrive(database, tables)
            records = [record for record in self._records if record.series in routes]
            current = CurrentPart(self._header, records)
            section = SectionRows("", self.shard_by, self._columns, ())
            return make_part(database, store, self._options, section, report, current, path, name, part)

    def _arrive(self, database: PlanningDatabase, tables: Iterable[Any]) -> tuple[IngestReport, set[str]]:
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

    def commit(self, facts: Iterable[PartFacts], *, dry_run: bool = False) -> Publication:
        """Put the set into force, as in `WriteJob`.

        Args:
            facts: The facts of all parts.
            dry_run: Plan only.

        Raises:
            GuardError: The set is most likely a mistake.
            PublishError: Another publish came in between, there is no entry, or the store fails.
        """
        return commit_job(
            self._open(),
            self._options,
            self.id,
            facts,
            memory=self._memory,
            is_distinct=True,
            began_with=self._began_with,
            dry_run=dry_run,
        )


def _manifest_of(transaction: Transaction, header: Header) -> str:
    """Return the name of the manifest in force: after an interrupted publish it has not got its own name yet."""
    found = transaction.header(MANIFEST)
    return MANIFEST if found is not None and found[0].entry_point == header.entry_point else NEXT
