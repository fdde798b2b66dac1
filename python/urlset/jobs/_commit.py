"""The commit of a job: what its tasks wrote gets its names, and the transaction of a publish puts it into force."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from urlset._model.errors import GuardError, InputError, PublishError
from urlset._model.limits import PROTOCOL
from urlset._model.plan import Guard, Plan, PlannedShard
from urlset._publish.commit.commit import PublishedSet, store_recovered_manifest
from urlset._publish.commit.publication import Publication, publication_of
from urlset._publish.documents import index_documents
from urlset._publish.plan import guards
from urlset._publish.plan.plan import removed_shards
from urlset._publish.rows.database import PlanningDatabase, planning_database
from urlset._publish.rows.ingest import Intake
from urlset._publish.stored import manifest
from urlset._publish.stored.recall import InForce, Known, find_set, recall
from urlset._publish.stored.transaction import FileChanges, Transaction, digest
from urlset._publish.values import robots_txt
from urlset._publish.values.header import Header, ShardRecord
from urlset._publish.values.options import PublishOptions
from urlset._read.entry_points import ENTRY_POINT
from urlset._stores.errors import os_errors_as_publish_errors
from urlset._stores.store import Store
from urlset._util.duckdb import path_pattern, scalar
from urlset._util.manifest_parts import part_name
from urlset._util.text import plural
from urlset.jobs._facts import PartFacts, merged_intake, merged_lastmods, summed
from urlset.jobs._folder import remove_expired, remove_job
from urlset.jobs._part import ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Files of the store that are compared at once.
_COMPARED_AT_ONCE = 16
_PARTS = ".urlset/parts/"


@dataclass(frozen=True, slots=True)
class JobSet:
    """The set that a job has written, before it is in force.

    Attributes:
        job: The id of the job.
        facts: What its tasks report, by part.
        records: All documents of the set.
        intake: The counts of all rows.
        plan: What users see of it.
    """

    job: str
    facts: Sequence[PartFacts]
    records: Sequence[ShardRecord]
    intake: Intake
    plan: Plan


def commit_job(
    store: Store,
    options: PublishOptions,
    job: str,
    facts: Iterable[PartFacts],
    *,
    memory: str,
    is_distinct: bool = False,
    began_with: str | None = None,
    dry_run: bool = False,
) -> Publication:
    """Put the set that a job has written into force, and remove the folder of the job, whatever happens.

    Args:
        store: Where the set is stored.
        options: The options of the publish.
        job: The id of the job.
        facts: What the task of each part reports.
        memory: How much memory the driver may use for planning.
        is_distinct: No loc can be in two parts.
        began_with: The SHA-256 of the entry point that the parts were compared with; None if they were not.
        dry_run: Plan only.

    Raises:
        InputError: Two facts are of one part.
        GuardError: The set is most likely a mistake.
        PublishError: A loc is in two parts, another publish came in between, or the store fails.
    """
    given = sorted(facts, key=lambda each: each.part)
    for one, other in pairwise(given):
        if one.part == other.part:
            raise InputError(f"facts must have each part once, got part {one.part} twice: pass those of one attempt")
    begin = Transaction.read_only if dry_run else Transaction.begin
    try:
        with planning_database(memory) as database, begin(store, database) as transaction:
            known = _known(database, transaction, options, find_set(transaction, options))
            if began_with is not None and began_with != digest(known.live):
                raise PublishError(f"another publish has replaced the set in {store.location} meanwhile: publish again")
            set_ = _job_set(job, given, known, options)
            if dry_run:
                return publication_of(store, options, set_.intake, set_.plan, PublishedSet((), (), FileChanges()))
            if set_.plan.is_blocked:
                raise GuardError([guard for guard in set_.plan.guards if not guard.is_allowed], set_.plan)
            if not set_.records:
                raise PublishError("there is no entry to publish, and a sitemap cannot be empty")
            if not is_distinct:
                _check_distinct(database, transaction, set_)
            published = _put_into_force(database, transaction, options, set_, known)
            remove_expired(store, options.now)
            return publication_of(store, options, set_.intake, set_.plan, published)
    finally:
        if not dry_run:
            remove_job(store, job)


def _known(database: PlanningDatabase, transaction: Transaction, options: PublishOptions, in_force: InForce) -> Known:
    """Return what is known of the set in force, without its locs. A set whose manifest is lost is recovered."""
    if in_force.header is None and in_force.live is not None:
        return recall(database, transaction, options, in_force)
    records = in_force.header.shards if in_force.header else ()
    return Known(in_force.live, in_force.header, records, has_rows=False, served_at=in_force.served_at)


def _job_set(job: str, facts: Sequence[PartFacts], known: Known, options: PublishOptions) -> JobSet:
    before = {record.name: record for record in known.records}
    records = [_dated(record, before.get(record.name)) for each in facts for record in each.records]
    records.sort(key=lambda record: (record.section, record.group, record.part))
    planned = [shard for each in facts for shard in _planned(each, before)]
    planned.sort(key=lambda shard: (shard.section, shard.shard))
    counts, intake = summed([each.counts for each in facts]), merged_intake([each.intake for each in facts])
    kept = [shard for each in facts if not each.is_compared for shard in _planned(each, before)]
    stay = sum(shard.entries for shard in kept if shard.action == "keep")
    plan = Plan(
        entries=sum(each.entries for each in facts),
        added=counts.get("added", 0) - stay,
        changed=counts.get("changed", 0),
        removed=sum(each.removed for each in facts),
        moved=counts.get("moved", 0),
        same=counts.get("same", 0) + stay,
        rows=intake.rows,
        duplicates=intake.rows - intake.refused - sum(each.entries for each in facts),
        respelled=intake.respelled,
        refused=intake.refused,
        refused_by_code=dict(intake.refused_by_code),
        evidence=summed([each.evidence for each in facts]),
        shards=(*planned, *removed_shards(known.records, {shard.shard for shard in planned})),
        guards=_guards(facts, planned, intake, known, options),
        dropped=intake.dropped,
        dropped_by_code=dict(intake.dropped_by_code),
        outside=intake.outside,
        recovered=known.header is None and bool(known.records),
    )
    return JobSet(job, facts, records, intake, plan)


def _dated(record: ShardRecord, before: ShardRecord | None) -> ShardRecord:
    """Return a document with the time at which its bytes were made, if those are in force already."""
    return replace(record, lastmod=before.lastmod) if before is not None and _is_same(record, before) else record


def _is_same(record: ShardRecord, before: ShardRecord | None) -> bool:
    return before is not None and (before.name, before.sha256) == (record.name, record.sha256)


def _planned(facts: PartFacts, before: Mapping[str, ShardRecord]) -> Sequence[PlannedShard]:
    """Return what becomes of the shards of a part.

    If its rows were not compared with the set in force, its documents are: one that is in force already is kept.
    """
    if facts.is_compared:
        return facts.planned
    there = {record.shard for record in facts.records if _is_same(record, before.get(record.name))}
    shards = {record.shard: record for record in before.values()}

    def compared(shard: PlannedShard) -> PlannedShard:
        if shard.shard in there:
            return replace(shard, action="keep", before=shard.entries, added=0)
        old = shards.get(shard.shard)
        return shard if old is None else replace(shard, action="rewrite", before=old.entries)

    return [compared(shard) for shard in facts.planned]


def _guards(
    facts: Sequence[PartFacts],
    planned: Sequence[PlannedShard],
    intake: Intake,
    known: Known,
    options: PublishOptions,
) -> tuple[Guard, ...]:
    return guards.check(
        intake,
        merged_lastmods([each.lastmods for each in facts]),
        entries=sum(each.entries for each in facts),
        before=sum(record.entries for record in known.lasting),
        served_at=known.served_at,
        base=options.base,
        oversize=[shard.shard for shard in planned if shard.entries > PROTOCOL.entries or shard.bytes > PROTOCOL.bytes],
        allow=options.allow,
    )


def _check_distinct(database: PlanningDatabase, transaction: Transaction, set_: JobSet) -> None:
    """Check that no loc is in two parts. If the parts are ranges of locs, that shows without reading them.

    Raises:
        PublishError: A loc is in two parts.
    """
    ranges = sorted((each.first, each.last) for each in set_.facts if each.first is not None and each.last is not None)
    if all(one[1] < other[0] for one, other in pairwise(ranges)):
        return
    files = [path_pattern(path) for path in _local_rows(database, transaction, set_)]
    database.expect(sum(each.entries for each in set_.facts))
    rows = "read_parquet(?) WHERE gone IS NULL"
    count = f"SELECT count(*) - count(DISTINCT hash(loc)) FROM {rows}"
    if not (repeated := scalar(database.connection, count, [files])):
        return
    query = f"SELECT min(loc) FROM {rows} GROUP BY hash(loc) HAVING count(*) > 1 LIMIT 1"
    example = scalar(database.connection, query, [files])
    raise PublishError(
        f"the loc of {plural(repeated, 'row')} is in another part too, such as {example}: drop the duplicates before"
        " the rows are partitioned, or partition them by loc"
    )


def _local_rows(database: PlanningDatabase, transaction: Transaction, set_: JobSet) -> Iterator[Path]:
    """Yield local paths of the rows of the manifest that the tasks have written."""
    for each in set_.facts:
        if each.manifest_rows:
            yield transaction.local(f"{each.folder}/{ROWS}", database.folder / f"rows-{each.part}.parquet")


def _put_into_force(
    database: PlanningDatabase, transaction: Transaction, options: PublishOptions, set_: JobSet, known: Known
) -> PublishedSet:
    store, layout = transaction.store, options.layout
    if options.robots:
        store.read(robots_txt.ROBOTS, robots_txt.MOST)  # if it cannot be read, it cannot be updated after the commit
    index_documents.check_stylesheet(store, layout)
    indexes = index_documents.stage_indexes(set_.records, transaction.stage, layout)
    stylesheets = index_documents.put_stylesheet(store, layout)
    changes = _commit(database, transaction, options, set_, known, indexes)
    transaction.integrity.learn(set_.records, indexes, written=changes.written)
    is_announced = options.robots and robots_txt.update(store, options.base, indexes, is_asked=True)
    written = [*stylesheets, *changes.written, *[robots_txt.ROBOTS] * is_announced]
    return PublishedSet(set_.records, robots_txt.urls_of(options.base, indexes), replace(changes, written=written))


def _commit(
    database: PlanningDatabase,
    transaction: Transaction,
    options: PublishOptions,
    set_: JobSet,
    known: Known,
    indexes: Sequence[str],
) -> FileChanges:
    store = transaction.store
    with os_errors_as_publish_errors(transaction.stage):
        entry_point = (transaction.stage / ENTRY_POINT).read_bytes()
    is_new = entry_point != known.live
    moves = _moves(transaction, set_)
    lost = [name for name in indexes if not transaction.integrity.is_index_intact(name, is_careful=True)]
    files = [record.name for record in set_.records] + list(indexes)
    unchanged = [name for name in files if name not in moves and name not in lost] + [ENTRY_POINT] * (not is_new)
    header = Header(
        base_url=options.base,
        published=options.now.isoformat(timespec="seconds"),
        entry_point=digest(entry_point),
        layout=str(options.layout),
        shards=tuple(set_.records),
        indexes=tuple(indexes),
        evidence=set_.plan.evidence,
        parts=tuple(part_name(set_.job, each.part) for each in set_.facts if each.manifest_rows),
    )
    renames = {source: name for name, source in moves.items()}
    is_same = known.header is not None and known.served_at is None and known.header.is_same_set(header)
    if is_same and not any(each.is_learned for each in set_.facts):
        # The set is in force already. Files of it that were lost are stored again.
        transaction.move(renames)
        for name in [*lost, *[ENTRY_POINT] * is_new]:
            store.put_file(name, transaction.stage / name)
        return FileChanges([*moves, *lost, *[ENTRY_POINT] * is_new], unchanged)
    if is_new and known.header is None and known.live is not None and known.records:
        store_recovered_manifest(database, transaction, header, known)
    parts = {f"{each.folder}/{ROWS}": part_name(set_.job, each.part) for each in set_.facts if each.manifest_rows}
    for name in parts:
        _check_size(store, name)
    path = transaction.stage / "next.parquet"
    manifest.write_header(database.connection, header, path)
    changes = transaction.commit(path, header, lost, is_new=is_new, moves=renames | parts)
    _remove_unnamed_parts(transaction, header)
    return replace(changes, written=[*moves, *changes.written], unchanged=unchanged)


def _moves(transaction: Transaction, set_: JobSet) -> dict[str, str]:
    """Return the documents that the store does not have under their names yet, and where in it they are."""
    made = [(record, each.folder) for each in set_.facts for record in each.records if record.name in each.made]

    def is_there(one: tuple[ShardRecord, str]) -> bool:
        record, folder = one
        _check_size(transaction.store, f"{folder}/{record.name}", record.size)
        return transaction.integrity.is_intact(record, is_careful=True)

    with ThreadPoolExecutor(_COMPARED_AT_ONCE) as pool:  # an object store takes a request for each
        there = list(pool.map(is_there, made))
    return {
        record.name: f"{folder}/{record.name}"
        for (record, folder), is_fine in zip(made, there, strict=True)
        if not is_fine
    }


def _check_size(store: Store, name: str, size: int | None = None) -> None:
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
    before = transaction.header(manifest.PREVIOUS)
    named = {*header.parts, *(before[0].parts if before else ())}
    transaction.store.delete([name for name in transaction.store.list(_PARTS) if name not in named])
