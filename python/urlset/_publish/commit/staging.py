"""Stage: make and verify the documents of a planned set, which then wait for the commit."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from urlset._model.progress import OnProgress, Progress
from urlset._options.publish import Layout
from urlset._publish.commit.commit import StagedSet
from urlset._publish.documents import derived, names
from urlset._publish.documents.documents import Staged, assembled, assembled_in_core, rows_of, stage
from urlset._publish.plan.in_core_plan import manifest_beside
from urlset._publish.plan.plan import PlannedSet, PlannedShards
from urlset._publish.rows.database import PlanningDatabase
from urlset._publish.rows.schema import create_with
from urlset._publish.stored import manifest
from urlset._publish.stored.manifest import PREVIOUS
from urlset._publish.stored.recover import stable_names
from urlset._publish.stored.transaction import Transaction
from urlset._publish.values.assignment import ShardDraft
from urlset._publish.values.header import Header, ShardRecord
from urlset._publish.values.options import PublishOptions
from urlset._read.entry_points import ENTRY_POINT
from urlset._stores.errors import os_errors_as_publish_errors

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def stage_set(
    database: PlanningDatabase,
    transaction: Transaction,
    options: PublishOptions,
    planned: PlannedSet,
    progress: OnProgress | None = None,
) -> StagedSet:
    """Make and verify the documents of a planned set that are not kept.

    `progress` is called with how many shards were written.

    Raises:
        PublishError: A document does not read back as it was written, a file cannot be written, or it would replace
            one that is not the set's.
    """
    shards = planned.shards
    assignment = shards.assignment
    _check_names(transaction, options, shards)
    if assignment.in_core is None:
        records, made = stage_shards(database, transaction.stage, options, shards, progress)

        def write_manifest(path: Path, header: Header) -> None:
            manifest.write(path, header, manifest_rows(database.connection, options, shards))
    else:
        begun_at = transaction.stage / "begun.parquet"
        with manifest_beside(assignment, assignment.in_core, options, begun_at) as begun:
            records, made = stage_shards(database, transaction.stage, options, shards, progress)

        def write_manifest(path: Path, header: Header) -> None:
            begun.finish(database, options, header)
            with os_errors_as_publish_errors(path):
                begun_at.replace(path)

    return StagedSet(
        records=records,
        made=dict.fromkeys(made),
        write_manifest=write_manifest,
        manifest_differs=shards.totals.manifest_differs,
        rows=planned.rows,
        input_record=planned.learned,
    )


def stage_shards(
    database: PlanningDatabase,
    folder: Path,
    options: PublishOptions,
    planned: PlannedShards,
    progress: OnProgress | None = None,
) -> tuple[list[ShardRecord], list[str]]:
    """Make and verify the documents of shards that are not kept, in a folder.

    `progress` is called with how many of them were written.

    Returns:
        The records of all shards, and the names of the documents that were made.

    Raises:
        PublishError: A document does not read back as it was written, or a file cannot be written.
    """
    staged: dict[int, Staged] = {}
    tell = progress or (lambda _: None)
    if planned.new:
        tell(Progress("shards", 0, len(planned.new)))
    for number, document in _stage_documents(database, folder, options.layout, planned):
        staged[number] = document
        tell(Progress("shards", len(staged), len(planned.new)))
    records = [_record_of(shard, staged.get(shard.number), options) for shard in planned.shards]
    return records, [document.name for document in staged.values()]


def _stage_documents(
    database: PlanningDatabase, folder: Path, layout: Layout, planned: PlannedShards
) -> Iterator[tuple[int, Staged]]:
    """Make and verify documents, and yield each with the number of its shard."""
    shards, assignment = planned.new, planned.assignment
    stems = {shard.number: shard.shard for shard in shards}

    def name(number: int, content: str) -> str:
        return ENTRY_POINT if planned.is_alone else names.document_name(stems[number], content, layout)

    wanted = {shard.number for shard in shards if shard.section in derived.NAMES}
    lasting = [shard for shard in shards if shard.number not in wanted]
    # Of a part, one document is made after the other: other tasks have the other cores.
    is_one = planned.is_part or len(shards) == 1
    in_core = assignment.in_core
    if lasting and in_core is not None:
        wanted_shards = {shard.number for shard in lasting}
        documents = assembled_in_core(in_core.rows, assignment.filled, wanted_shards, layout)
        yield from stage(documents, name, folder, is_one=is_one)
    elif lasting:
        is_all = len(lasting) == sum(shard.entries > 0 for shard in assignment.shards.values())
        rows = rows_of(database.connection, lasting, assignment.order, is_all=is_all)
        yield from stage(assembled(rows, layout), name, folder, is_one=is_one)
    if wanted:
        rows = database.connection.sql(derived.rows_sql(planned.derived))
        documents = (document for document in assembled(rows, layout) if document[0] in wanted)
        yield from stage(documents, name, folder, is_one=is_one)


def _check_names(transaction: Transaction, options: PublishOptions, planned: PlannedShards) -> None:
    """Check that no document under a stable name replaces a file that is not one of the set's."""
    if options.layout.names != "stable" or planned.is_alone:
        return
    wanted = [names.document_name(shard.shard, "", options.layout) for shard in planned.new]
    previous, known = transaction.header(PREVIOUS), planned.known
    records = [*known.records, *(previous[0].shards if previous else ())]
    own = {record.name for record in records if record.is_ours}
    if known.header is None:  # documents of this set may be too damaged for `known`
        own |= stable_names(transaction.store, known.live, options.base)
    names.check_free(transaction.store, wanted, own)


def _record_of(shard: ShardDraft, staged: Staged | None, options: PublishOptions) -> ShardRecord:
    """Return the record of a shard that was staged, or else is kept."""
    old = shard.old
    if staged is None:
        assert old is not None  # only current documents are kept
        return old
    return ShardRecord(
        shard=shard.shard,
        section=shard.section,
        group=shard.group,
        part=shard.part,
        name=staged.name,
        url=options.base + staged.name,
        entries=staged.entries,
        bytes=staged.bytes,
        size=staged.size,
        sha256=staged.sha256,
        lastmod=options.now.isoformat(timespec="seconds"),
        fingerprint=shard.fingerprint,
    )


def manifest_rows(connection: DuckDBPyConnection, options: PublishOptions, planned: PlannedShards) -> DuckDBPyRelation:
    """Return the manifest's rows: every loc of planned shards, and those that were in the set not long ago."""
    shards = [(shard.number, shard.shard, shard.section) for shard in planned.shards]
    create_with(connection, "named_shards", shards)
    since = options.now - max(manifest.REMEMBERED, timedelta(days=options.derived.removed or 0))
    now, since_then = "$now::TIMESTAMPTZ", "$since::TIMESTAMPTZ"
    values = {"now": options.now.isoformat()}
    rows = f"""
        SELECT loc, named_shards.section, shard, entry_hash, lastmod, lastmod_source, content,
            coalesce(first_seen, {now}) AS first_seen, {now} AS last_seen, NULL::TIMESTAMPTZ AS gone
        FROM assigned JOIN named_shards USING (number)
    """
    if not planned.known.has_rows:
        return manifest.sorted_rows(connection, rows, values)
    rows = f"""
        {rows}
        UNION ALL
        SELECT loc, section, NULL, entry_hash, lastmod, lastmod_source, content, first_seen, last_seen,
            coalesce(gone, {now})
        FROM gone WHERE coalesce(gone, {now}) > {since_then} AND starts_with(loc, $prefix)
    """
    values |= {"since": since.isoformat(), "prefix": options.prefix}
    return manifest.sorted_rows(connection, rows, values)
