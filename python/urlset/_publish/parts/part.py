"""One part of a set, planned, made and verified by one task, with the same stages as a publish on one machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from urlset._model.errors import InputError, PublishError
from urlset._publish.commit.staging import manifest_rows, stage_shards
from urlset._publish.parts.facts import ROWS, CurrentPart, PartFacts, PartTarget
from urlset._publish.plan.assign import assign
from urlset._publish.plan.guards import count_lastmods
from urlset._publish.plan.plan import PlannedShards, plan_shards
from urlset._publish.rows.database import PlanningDatabase
from urlset._publish.rows.ingest import IngestReport, check_incoming
from urlset._publish.stored import manifest
from urlset._publish.stored.integrity import Integrity
from urlset._publish.stored.manifest import MANIFEST
from urlset._publish.stored.recall import KnownSet
from urlset._publish.values.assignment import Assignment, RepeatedLocError
from urlset._publish.values.options import PublishOptions, SectionRows
from urlset._stores.store import Store
from urlset._util.duckdb import scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Refused rows and corrected values that a part reports; all are counted.
_REPORTED = 100


def check_rows(connection: DuckDBPyConnection, report: IngestReport) -> None:
    """Check the rows of `incoming`, and leave one row per loc.

    Raises:
        InputError: A value is not one of the known words, or rows are to be linked as translations.
    """
    if check_incoming(connection, report).has_groups:
        raise InputError(
            "the rows of a job cannot be linked as translations by group and lang, because the pages of a group can be"
            " in different parts: give each row its alternates, or use urlset.publish"
        )


def make_part(
    database: PlanningDatabase,
    store: Store,
    options: PublishOptions,
    section: SectionRows,
    report: IngestReport,
    current: CurrentPart,
    target: PartTarget,
    folder: Path | None,
) -> PartFacts:
    """Make the documents of a part from the rows of `incoming`, and its part of the manifest.

    Args:
        database: The planning database, with `incoming`, and with `known` if anything is known.
        store: Where the set is stored.
        options: The options of the publish.
        section: How the rows are sharded.
        report: The counts of the rows.
        current: The current documents of the part.
        target: Which part it is, and the name of its folder in the store.
        folder: Where the files are made; None to plan only.

    Raises:
        EntryError: A row is refused, and it is not to be left out.
        InputError: The rows cannot be used.
        PublishError: A document does not read back as it was written, or cannot be written.
    """
    connection = database.connection
    check_rows(connection, report)
    [(first, last, normalized)] = connection.execute(
        "SELECT min(coalesce(normal, loc)), max(coalesce(normal, loc)), count(normal) FROM incoming"
    ).fetchall()
    is_known = bool(connection.execute("SELECT 1 FROM known LIMIT 1").fetchall())
    assignment = _assigned(connection, section, current, options, is_known=is_known)
    contents = scalar(connection, "SELECT count(content) FROM assigned")
    if not is_known:  # nobody can tell whether the contents are those of last time
        assignment = replace(assignment, manifest_differs=contents > 0)
    lastmods = count_lastmods(connection, assignment.entries, assignment.latest, options.now, is_part=True)
    known = KnownSet(None, current.header, current.records, has_rows=is_known)
    planned = plan_shards(known, assignment, (), Integrity(store), options, report, lastmods, is_part=True)
    records = [shard.old for shard in planned.shards if shard.old is not None and shard.number in planned.kept]
    made, rows = list[str](), 0
    if folder is not None:
        records, made = stage_shards(database, folder, options, planned)
        rows = _write_manifest_rows(connection, folder, options, planned)
    del report.refusals[_REPORTED:], report.corrections[_REPORTED:]
    return PartFacts(
        part=target.part,
        folder=target.name,
        first=first,
        last=last,
        has_unnormalized=normalized > 0,
        records=tuple(records),
        made=frozenset(made),
        manifest_rows=rows,
        planned=tuple(planned.summary()),
        totals=planned.totals,
        is_compared=is_known,
    )


def _write_manifest_rows(
    connection: DuckDBPyConnection, folder: Path, options: PublishOptions, planned: PlannedShards
) -> int:
    """Write the part of the manifest, unless it is empty, and return how many rows it has."""
    if not planned.totals.entries and not planned.known.has_rows:
        return 0
    manifest.write(folder / ROWS, None, manifest_rows(connection, options, planned))
    rows = manifest.count_rows(connection, [folder / ROWS])
    if not rows:
        (folder / ROWS).unlink()
    return rows


def _assigned(
    connection: DuckDBPyConnection,
    section: SectionRows,
    current: CurrentPart,
    options: PublishOptions,
    *,
    is_known: bool,
) -> Assignment:
    try:
        return assign(connection, [section], current.records, options, is_known=is_known, has_groups=False)
    except RepeatedLocError as error:
        raise PublishError(
            f"the current manifest lists a loc twice, so no publish wrote it: move {MANIFEST} away, and what it knew"
            " is recovered from the documents"
        ) from error
