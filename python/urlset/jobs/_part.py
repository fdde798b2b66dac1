"""One part of a set, planned, made and verified by one task, with the same stages as a publish on one machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from urlset._model.errors import InputError, PublishError
from urlset._publish.commit.staging import manifest_rows, record_of, stage_documents
from urlset._publish.documents.documents import Staged
from urlset._publish.plan.assign import assign
from urlset._publish.plan.guards import count_lastmods
from urlset._publish.plan.plan import kept_numbers, ordered, planned_shards, totals_of
from urlset._publish.rows.database import PlanningDatabase
from urlset._publish.rows.ingest import IngestReport, check_incoming
from urlset._publish.stored import manifest
from urlset._publish.stored.integrity import Integrity
from urlset._publish.stored.manifest import MANIFEST
from urlset._publish.stored.recall import Known
from urlset._publish.values.assignment import Assignment, RepeatedLocError
from urlset._publish.values.header import Header, ShardRecord
from urlset._publish.values.options import PublishOptions, SectionRows
from urlset._stores.store import Store
from urlset._util.duckdb import scalar
from urlset.jobs._facts import PartFacts

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: The file with the part's rows of the manifest, in the folder of the attempt.
ROWS = "manifest.parquet"
#: Refused rows and corrected values that a part reports; all are counted.
_REPORTED = 100


@dataclass(frozen=True, slots=True)
class CurrentPart:
    """The documents in force whose locs a part may have.

    Attributes:
        header: The metadata of the manifest without its documents, or None if it is lost.
        records: The documents of the part.
    """

    header: Header | None = None
    records: Sequence[ShardRecord] = ()


def make_part(
    database: PlanningDatabase,
    store: Store,
    options: PublishOptions,
    section: SectionRows,
    report: IngestReport,
    current: CurrentPart,
    folder: Path | None,
    name: str,
    part: int,
) -> PartFacts:
    """Make the documents of a part from the rows of `incoming`, and its part of the manifest.

    Args:
        database: The planning database, with `incoming`, and with `known` if anything is known.
        store: Where the set is stored.
        options: The options of the publish.
        section: How the rows are sharded.
        report: The counts of the rows.
        current: What is in force of the part.
        folder: Where the files are made; None to plan only.
        name: The name of that folder in the store.
        part: The number of the part.

    Raises:
        EntryError: A row is refused, and it is not to be left out.
        InputError: The rows cannot be used.
        PublishError: A document does not read back as it was written, or cannot be written.
    """
    connection = database.connection
    if check_incoming(connection, report).has_groups:
        raise InputError(
            "the rows of a job cannot be linked as translations by group and lang, because the pages of a group can be"
            " in different parts: give each row its alternates, or use urlset.publish"
        )
    [(first, last, normalized)] = connection.execute(
        "SELECT min(coalesce(normal, loc)), max(coalesce(normal, loc)), count(normal) FROM incoming"
    ).fetchall()
    is_known = bool(connection.execute("SELECT 1 FROM known LIMIT 1").fetchall())
    assignment = _assigned(connection, section, current, options, is_known=is_known)
    shards = ordered(assignment, ())
    known = Known(None, current.header, current.records, has_rows=is_known)
    kept = kept_numbers(shards, known, Integrity(store), options, is_alone=False, is_careful=True)
    staged: dict[int, Staged] = {}
    if folder is not None:
        new = [shard for shard in shards if shard.number not in kept]
        # One after the other: the engine runs as many tasks as there are cores.
        staged = dict(stage_documents(connection, folder, options.layout, new, assignment, is_one=True))
    rows = 0
    if folder is not None and (assignment.entries or is_known):
        said, values = manifest_rows(connection, options, shards, is_known=is_known)
        manifest.write_part(connection, said, folder / ROWS, values)
        rows = manifest.count_rows(connection, [folder / ROWS])
        if not rows:
            (folder / ROWS).unlink()
    made = [shard for shard in shards if shard.number in staged or shard.number in kept]
    contents = scalar(connection, "SELECT count(content) FROM assigned")
    if not is_known:  # nobody can tell whether the contents are those of last time
        assignment = replace(assignment, manifest_differs=contents > 0)
    lastmods = count_lastmods(connection, assignment.entries, assignment.latest, options.now, is_part=True)
    del report.refusals[_REPORTED:], report.corrections[_REPORTED:]
    return PartFacts(
        part=part,
        folder=name,
        first=first,
        last=last,
        has_unnormalized=normalized > 0,
        records=tuple(record_of(shard, staged.get(shard.number), options) for shard in made),
        made=frozenset(each.name for each in staged.values()),
        manifest_rows=rows,
        planned=tuple(planned_shards(shards, kept)),
        totals=totals_of(assignment, lastmods, report),
        is_compared=is_known,
    )


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
            f"the manifest in force lists a loc twice, so no publish wrote it: move {MANIFEST} away, and what it knew"
            " is recovered from the documents"
        ) from error
