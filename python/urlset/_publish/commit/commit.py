"""Stage and commit: make the documents of a planned set, and let the transaction put them into force."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from urlset._model.errors import PublishError
from urlset._publish.documents import derived, index_documents, names
from urlset._publish.documents.documents import Staged, assembled, assembled_plain, rows_of, stage
from urlset._publish.plan.plain_set import write_plain_manifest
from urlset._publish.plan.plan import PlannedSet
from urlset._publish.rows.database import PlanningDatabase
from urlset._publish.rows.known_input import store_record
from urlset._publish.rows.schema import create_with
from urlset._publish.stored import manifest
from urlset._publish.stored.manifest import MANIFEST, PREVIOUS
from urlset._publish.stored.recall import Known
from urlset._publish.stored.recover import stable_names
from urlset._publish.stored.transaction import FileChanges, Transaction, digest
from urlset._publish.values import robots_txt
from urlset._publish.values.assignment import ShardDraft
from urlset._publish.values.header import Header, ShardRecord
from urlset._publish.values.options import PublishOptions
from urlset._read.entry_points import ENTRY_POINT

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class StagedSet:
    """The documents of a set, which wait in the stage or are in force already.

    Attributes:
        records: All documents of the set.
        staged: What was staged, by the number of the shard.
        indexes: The names of the indexes after the entry point.
    """

    records: Sequence[ShardRecord]
    staged: Mapping[int, Staged]
    indexes: Sequence[str]


@dataclass(frozen=True, slots=True)
class PublishedSet:
    """A set in force: its documents, the URLs of its entry point and further indexes, and what became of the files."""

    records: Sequence[ShardRecord]
    urls: Sequence[str]
    changes: FileChanges


def commit_set(
    database: PlanningDatabase, transaction: Transaction, options: PublishOptions, planned: PlannedSet
) -> PublishedSet:
    """Make the documents of a planned set, and put it into force.

    Raises:
        PublishError: There is nothing to publish, a document does not read back as it was written, or a file cannot
            be written.
    """
    store = transaction.store
    if not planned.shards:
        raise PublishError("there is no entry to publish, and a sitemap cannot be empty: remove the set by hand")
    if options.robots:
        store.read(robots_txt.ROBOTS, robots_txt.MOST)  # if it cannot be read, it cannot be updated after the commit
    index_documents.check_stylesheet(store, options.layout)
    _check_names(transaction, options, planned)
    staged = stage_set(database, transaction, options, planned)
    urls = robots_txt.urls_of(options.base, staged.indexes)
    # Before the documents that name it.
    stylesheets = index_documents.put_stylesheet(store, options.layout)
    changes = _commit(database, transaction, options, planned, staged)
    transaction.integrity.learn(staged.records, staged.indexes, written=changes.written)
    if planned.learned is not None:
        store_record(store, planned.learned)
    is_announced = options.robots and robots_txt.update(store, options.base, staged.indexes, is_asked=True)
    written = [*stylesheets, *changes.written, *[robots_txt.ROBOTS] * is_announced]
    return PublishedSet(staged.records, urls, replace(changes, written=written))


def stage_set(
    database: PlanningDatabase, transaction: Transaction, options: PublishOptions, planned: PlannedSet
) -> StagedSet:
    """Make and prove the documents that are not kept, and the indexes."""
    is_alone = len(planned.shards) == 1
    staged = dict(_stage_documents(database, transaction, options, planned, is_alone=is_alone))
    records = [record_of(shard, staged.get(shard.number), options) for shard in planned.shards]
    indexes = [] if is_alone else index_documents.stage_indexes(records, transaction.stage, options.layout)
    return StagedSet(records, staged, indexes)


def _stage_documents(
    database: PlanningDatabase,
    transaction: Transaction,
    options: PublishOptions,
    planned: PlannedSet,
    *,
    is_alone: bool,
) -> Iterator[tuple[int, Staged]]:
    connection, layout = database.connection, options.layout
    shards = [shard for shard in planned.shards if shard.number not in planned.kept]
    stems = {shard.number: shard.shard for shard in shards}

    def name(number: int, content: str) -> str:
        return ENTRY_POINT if is_alone else names.document_name(stems[number], content, layout)

    wanted = {shard.number for shard in shards if shard.section in derived.NAMES}
    lasting = [shard for shard in shards if shard.number not in wanted]
    is_one = len(shards) == 1
    plain = planned.assignment.plain
    if lasting and plain is not None:
        wanted_shards = {shard.number for shard in lasting}
        documents = assembled_plain(plain.rows, planned.assignment.filled, wanted_shards, layout)
        yield from stage(documents, name, transaction.stage, is_one=is_one)
    elif lasting:
        is_all = len(lasting) == sum(shard.entries > 0 for shard in planned.assignment.shards.values())
        rows = rows_of(connection, lasting, planned.assignment.order, is_all=is_all)
        yield from stage(assembled(rows, layout), name, transaction.stage, is_one=is_one)
    if wanted:
        rows = connection.sql(derived.rows_sql(planned.derived))
        documents = (document for document in assembled(rows, layout) if document[0] in wanted)
        yield from stage(documents, name, transaction.stage, is_one=is_one)


def _check_names(transaction: Transaction, options: PublishOptions, planned: PlannedSet) -> None:
    """Check that no document under a stable name replaces a file that is not one of the set's."""
    if options.layout.names != "stable" or len(planned.shards) == 1:
        return
    made = (shard for shard in planned.shards if shard.number not in planned.kept)
    wanted = [names.document_name(shard.shard, "", options.layout) for shard in made]
    before, known = transaction.header(PREVIOUS), planned.known
    records = [*known.records, *(before[0].shards if before else ())]
    own = {record.name for record in records if record.is_ours}
    if known.header is None:  # documents of this set may be too damaged for `known`
        own |= stable_names(transaction.store, known.live, options.base)
    names.check_free(transaction.store, wanted, own)


def record_of(shard: ShardDraft, staged: Staged | None, options: PublishOptions) -> ShardRecord:
    """Return the record of a shard that was staged, or else is kept."""
    old = shard.old
    if staged is None:
        assert old is not None  # only what is in force is kept
        return old
    # Source: sitemaps.org protocol: the lastmod of a sitemap is when that document was modified, not any page of it.
    is_same = old is not None and old.name == staged.name and old.sha256 == staged.sha256
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
        lastmod=old.lastmod if is_same and old is not None else options.now.isoformat(timespec="seconds"),
        fingerprint=shard.fingerprint,
    )


def _commit(
    database: PlanningDatabase,
    transaction: Transaction,
    options: PublishOptions,
    planned: PlannedSet,
    set_: StagedSet,
) -> FileChanges:
    known, connection = planned.known, database.connection
    path = transaction.stage / ENTRY_POINT
    entry_point = path.read_bytes() if path.is_file() else known.live
    is_new = entry_point != known.live
    new = _new_files(transaction, planned, set_)
    files = [record.name for record in set_.records if record.name != ENTRY_POINT] + list(set_.indexes)
    written = [name for name in files if name in new]
    unchanged = [name for name in files if name not in new] + [ENTRY_POINT] * (not is_new)
    header = Header(
        base_url=options.base,
        published=options.now.isoformat(timespec="seconds"),
        entry_point=digest(entry_point),
        layout=str(options.layout),
        shards=tuple(set_.records),
        indexes=tuple(set_.indexes),
        rows=planned.rows,
        evidence=planned.assignment.evidence,
    )
    is_same = known.header is not None and known.served_at is None and known.header.is_same_set(header)
    if is_same and not planned.assignment.is_learned:
        # The set is in force already. Files of it that were lost are stored again.
        written += [ENTRY_POINT] * is_new
        for name in written:
            transaction.store.put_file(name, transaction.stage / name)
        return FileChanges(written, unchanged)
    if is_new and known.header is None and known.live is not None and known.records:
        store_recovered_manifest(database, transaction, header, known)
    next_manifest = transaction.stage / "next.parquet"
    plain = planned.assignment.plain
    if plain is not None:
        write_plain_manifest(connection, planned.assignment, plain, options, header, next_manifest)
    else:
        rows, values = manifest_rows(connection, options, planned.shards, is_known=known.has_rows)
        manifest.write(connection, rows, header, next_manifest, values)
    changes = transaction.commit(next_manifest, header, written, is_new=is_new)
    return replace(changes, unchanged=unchanged)


def _new_files(transaction: Transaction, planned: PlannedSet, set_: StagedSet) -> set[str]:
    """Return the names of the staged files that the store does not have, without the entry point."""
    integrity = transaction.integrity
    # What was staged anew may be there already, damaged in a way that its stamp does not show.
    new = {
        one.name
        for one in set_.staged.values()
        if one.name != ENTRY_POINT and integrity.problem(one.name, one.sha256, one.size, is_careful=True) is not None
    }
    return new | {name for name in set_.indexes if not integrity.is_index_intact(name, is_careful=True)}


def store_recovered_manifest(
    database: PlanningDatabase, transaction: Transaction, header: Header, known: Known
) -> None:
    """Store a manifest of what was recovered from the set in force, so that it is replaced like any other set."""
    path = transaction.stage / "known.parquet"
    recovered = replace(
        header,
        entry_point=digest(known.live),
        layout="",
        shards=tuple(known.records),
        indexes=(),
        rows="",
        evidence={},
        parts=(),
    )
    manifest.write(database.connection, "FROM known", recovered, path)
    transaction.put_manifest(MANIFEST, path, recovered)


def manifest_rows(
    connection: DuckDBPyConnection, options: PublishOptions, shards: Sequence[ShardDraft], *, is_known: bool
) -> tuple[str, dict[str, str]]:
    """Return the query for every loc of these shards, and for those that were in the set not long ago.

    Returns:
        The query, and its parameters by their names.
    """
    create_with(connection, "named_shards", [(shard.number, shard.shard, shard.section) for shard in shards])
    since = options.now - max(manifest.REMEMBERED, timedelta(days=options.removed or 0))
    now, since_then = "$now::TIMESTAMPTZ", "$since::TIMESTAMPTZ"
    values = {"now": options.now.isoformat()}
    rows = f"""
        SELECT loc, named_shards.section, shard, entry_hash, lastmod, evidence, content,
            coalesce(first_seen, {now}) AS first_seen, {now} AS last_seen, NULL::TIMESTAMPTZ AS gone
        FROM assigned JOIN named_shards USING (number)
    """
    if not is_known:
        return rows, values
    rows = f"""
        {rows}
        UNION ALL
        SELECT loc, section, NULL, entry_hash, lastmod, evidence, content, first_seen, last_seen,
            coalesce(gone, {now})
        FROM gone WHERE coalesce(gone, {now}) > {since_then} AND starts_with(loc, $prefix)
    """
    return rows, {**values, "since": since.isoformat(), "prefix": options.prefix}
