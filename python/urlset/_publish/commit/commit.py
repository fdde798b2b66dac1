"""Commit: make a set whose documents are made the current one. A publish and a job in many processes both end here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from urlset._model.errors import GuardError, PublishError
from urlset._model.plan import Plan
from urlset._publish.commit.publication import Publication, publication_of
from urlset._publish.documents import index_documents
from urlset._publish.rows.database import PlanningDatabase
from urlset._publish.rows.ingest import IngestReport
from urlset._publish.rows.known_input import InputRecord, store_record
from urlset._publish.stored import manifest
from urlset._publish.stored.manifest import MANIFEST, PREVIOUS
from urlset._publish.stored.recall import KnownSet
from urlset._publish.stored.transaction import FileChanges, Transaction, digest
from urlset._publish.values import robots_txt
from urlset._publish.values.header import Header, ShardRecord
from urlset._publish.values.options import PublishOptions
from urlset._read.entry_points import ENTRY_POINT
from urlset._stores.errors import os_errors_as_publish_errors
from urlset._stores.seal import BLANK
from urlset._stores.store import Store

#: Files of the store that are compared at once.
_COMPARED_AT_ONCE = 16
_PARTS = ".urlset/parts/"


@dataclass(frozen=True, slots=True)
class StagedSet:
    """A set whose documents are made and verified, before it is the current one.

    Attributes:
        records: All documents of the set.
        made: The documents that were made, by name, each with the file of the store in which it waits; None for one
            that waits in the stage of the transaction.
        write_manifest: Writes the manifest to a path, with a header.
        manifest_differs: Whether the manifest learns something that no document shows.
        parts: The files of the store that hold parts of the manifest, and the names that they get.
        rows: The fingerprint of options and rows for the manifest, or "".
        input_record: What the files of the rows come to, if the store does not have that yet.
    """

    records: Sequence[ShardRecord]
    made: Mapping[str, str | None]
    write_manifest: Callable[[Path, Header], None]
    manifest_differs: bool
    parts: Mapping[str, str] = field(default_factory=dict)
    rows: str = ""
    input_record: InputRecord | None = None


def commit_set(
    database: PlanningDatabase,
    transaction: Transaction,
    options: PublishOptions,
    known: KnownSet,
    plan: Plan,
    report: IngestReport,
    stage: Callable[[], StagedSet],
    *,
    dry_run: bool = False,
) -> Publication:
    """Make a planned set the current one, unless a guard stops it, and return what was done.

    Args:
        database: The planning database.
        transaction: The store.
        options: The options of the publish.
        known: What is known of the current set.
        plan: What becomes of it.
        report: The counts of the rows.
        stage: Makes the documents of the set, or names those that tasks have made.
        dry_run: Plan only.

    Raises:
        GuardError: The set is most likely a mistake.
        PublishError: There is nothing to publish, a document does not read back as it was written, or a file cannot
            be written.
    """
    store, layout = transaction.store, options.layout
    if dry_run:
        return publication_of(store, options, report, plan, (), (), FileChanges())
    if plan.is_blocked:
        raise GuardError([guard for guard in plan.guards if not guard.is_allowed], plan)
    if all(shard.action == "remove" for shard in plan.shards):
        raise PublishError("there is no entry to publish, and a sitemap cannot be empty: remove the set by hand")
    if options.update_robots:
        # If it cannot be read now, it cannot be updated after the commit.
        store.read(robots_txt.ROBOTS, robots_txt.MAX_BYTES)
    index_documents.check_stylesheet(store, layout)
    set_ = _dated(stage(), known)
    is_alone = [record.name for record in set_.records] == [ENTRY_POINT]
    indexes = [] if is_alone else index_documents.stage_indexes(set_.records, transaction.stage, layout)
    stylesheets = index_documents.put_stylesheet(store, layout)  # before the documents that name it
    changes = _put_into_force(database, transaction, options, known, plan, set_, indexes)
    transaction.integrity.learn(set_.records, indexes, written=changes.written)
    if set_.input_record is not None:
        store_record(store, set_.input_record)
    is_announced = options.update_robots and robots_txt.update(store, options.base, indexes, is_asked=True)
    written = [*stylesheets, *changes.written, *[robots_txt.ROBOTS] * is_announced]
    urls = robots_txt.urls_of(options.base, indexes)
    return publication_of(store, options, report, plan, set_.records, urls, replace(changes, written=written))


def _dated(set_: StagedSet, known: KnownSet) -> StagedSet:
    """Return the set with the times at which those of its documents were made whose bytes are there already."""
    # Source: sitemaps.org protocol: the lastmod of a sitemap is when that document was modified, not any page of it.
    made = {(record.name, record.sha256): record.lastmod for record in known.records}
    records = [
        replace(record, lastmod=made.get((record.name, record.sha256), record.lastmod)) for record in set_.records
    ]
    return replace(set_, records=records)


def _put_into_force(
    database: PlanningDatabase,
    transaction: Transaction,
    options: PublishOptions,
    known: KnownSet,
    plan: Plan,
    set_: StagedSet,
    indexes: Sequence[str],
) -> FileChanges:
    store, path = transaction.store, transaction.stage / ENTRY_POINT
    with os_errors_as_publish_errors(transaction.stage):
        entry_point = path.read_bytes() if path.is_file() else known.live
    is_new = entry_point != known.live
    new = _new_files(transaction, set_, indexes)
    files = [*(record.name for record in set_.records if record.name != ENTRY_POINT), *indexes]
    unchanged = [name for name in files if name not in new] + [ENTRY_POINT] * (not is_new)
    written = [name for name in files if name in new] + [ENTRY_POINT] * is_new
    moves = {source: name for name, source in set_.made.items() if name in new and source is not None}
    staged = [name for name in files if name in new and set_.made.get(name) is None]
    header = Header(
        base_url=options.base,
        published=options.now.isoformat(timespec="seconds"),
        entry_point=digest(entry_point),
        layout=str(options.layout),
        shards=tuple(set_.records),
        indexes=tuple(indexes),
        rows=set_.rows,
        lastmod_sources=plan.lastmod_sources,
        parts=tuple(set_.parts.values()),
    )
    is_same = known.header is not None and known.served_at is None and known.header.is_same_set(header)
    if is_same and not set_.manifest_differs:
        # The set is there already. Files of it that were lost are stored again.
        transaction.move(moves)
        for name in [*staged, *[ENTRY_POINT] * is_new]:
            store.put_file(name, transaction.stage / name)
        return FileChanges(written, unchanged)
    if is_new and known.header is None and known.live is not None and known.records:
        _store_recovered_manifest(database, transaction, header, known)
    for source in set_.parts:
        _check_there(store, source)
    next_manifest = transaction.stage / "next.parquet"
    set_.write_manifest(next_manifest, header)
    changes = transaction.commit(next_manifest, header, staged, is_new=is_new, moves={**moves, **set_.parts})
    if set_.parts:
        _remove_unnamed_parts(transaction, header)
    return FileChanges(written, unchanged, changes.removed)


def _new_files(transaction: Transaction, set_: StagedSet, indexes: Sequence[str]) -> set[str]:
    """Return the names of the made files that the store does not have, without the entry point."""
    integrity = transaction.integrity

    def is_new(record: ShardRecord) -> bool:
        if (source := set_.made[record.name]) is not None:
            _check_there(transaction.store, source, record.size)
        # What was made anew may be there already, damaged in a way that its stamp does not show.
        return not integrity.is_intact(record, is_careful=True)

    made = [record for record in set_.records if record.name in set_.made and record.name != ENTRY_POINT]
    with ThreadPoolExecutor(_COMPARED_AT_ONCE) as pool:  # an object store takes a request for each
        new = {record.name for record, is_one in zip(made, pool.map(is_new, made), strict=True) if is_one}
    return new | {name for name in indexes if not integrity.is_index_intact(name, is_careful=True)}


def _check_there(store: Store, name: str, size: int | None = None) -> None:
    """Check that a file that a task has written is there.

    Raises:
        PublishError: It is not, or it has another size.
    """
    found = store.size(name)
    if found is None or size not in (None, found):
        problem = "is missing" if found is None else "is not as its task has written it"
        raise PublishError(
            f"{store.location}/{name} {problem}: dest must be an object store, or a folder that the driver and all"
            " tasks share"
        )


def _remove_unnamed_parts(transaction: Transaction, header: Header) -> None:
    """Remove the parts of manifests that were lost: neither this one names them nor the previous one."""
    previous = transaction.header(PREVIOUS)
    named = {*header.parts, *(previous[0].parts if previous else ())}
    transaction.store.delete([name for name in transaction.store.list(_PARTS) if name not in named])


def _store_recovered_manifest(
    database: PlanningDatabase, transaction: Transaction, header: Header, known: KnownSet
) -> None:
    """Store a manifest of what was recovered from the current set, so that it is replaced like any other set.

    A set of which a document is damaged is replaced like one whose entry point is lost: no rollback restores it.
    """
    path = transaction.stage / "known.parquet"
    recovered = replace(
        header,
        entry_point=digest(known.live) if known.is_whole else BLANK,
        layout="",
        shards=tuple(known.records),
        indexes=(),
        rows="",
        lastmod_sources={},
        parts=(),
    )
    manifest.write(path, recovered, manifest.sorted_rows(database.connection, "FROM known"))
    transaction.put_manifest(MANIFEST, path, recovered)
