"""The commit of a job: what its tasks wrote, as a staged set, goes through the commit of every publish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from urlset._model.errors import InputError, PublishError
from urlset._model.plan import PlannedShard
from urlset._publish.commit.commit import StagedSet, commit_set
from urlset._publish.commit.publication import Publication
from urlset._publish.plan.plan import plan_of
from urlset._publish.plan.totals import Totals, merged
from urlset._publish.rows.database import PlanningDatabase, planning_database
from urlset._publish.stored import manifest
from urlset._publish.stored.recall import CurrentSet, Known, find_set, recall
from urlset._publish.stored.transaction import Transaction, digest
from urlset._publish.values.header import Header, ShardRecord
from urlset._publish.values.options import PublishOptions
from urlset._stores.store import Store
from urlset._util.duckdb import literal, path_pattern, scalar
from urlset._util.identity import make_normal_forms
from urlset._util.instances import cursor_of
from urlset._util.manifest_parts import part_name
from urlset._util.text import plural
from urlset.jobs._facts import PartFacts
from urlset.jobs._folder import remove_expired, remove_job
from urlset.jobs._part import ROWS


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
            totals, planned = _totals(given, known)
            plan = plan_of(known, totals, planned, options)

            def staged() -> StagedSet:
                if not is_distinct:
                    _check_distinct(database, transaction, given)
                return _staged(database, job, given, totals)

            publication = commit_set(
                database, transaction, options, known, plan, totals.report, staged, dry_run=dry_run
            )
            if not dry_run:
                remove_expired(store, options.now)
            return publication
    finally:
        if not dry_run:
            remove_job(store, job)


def _known(database: PlanningDatabase, transaction: Transaction, options: PublishOptions, current: CurrentSet) -> Known:
    """Return what is known of the set in force, without its locs. A set whose manifest is lost is recovered."""
    if current.header is None and current.live is not None:
        return recall(database, transaction, options, current)
    records = current.header.shards if current.header else ()
    return Known(current.live, current.header, records, has_rows=False, served_at=current.served_at)


def _totals(facts: Sequence[PartFacts], known: Known) -> tuple[Totals, Sequence[PlannedShard]]:
    """Return what became of the rows of all parts, and of their shards."""
    previous = {record.shard: record for record in known.records}
    planned, stay = list[PlannedShard](), 0
    for each in facts:
        shards = _planned(each, previous)
        planned += shards
        if not each.is_compared:
            stay += sum(shard.entries for shard in shards if shard.action == "keep")
    planned.sort(key=lambda shard: (shard.section, shard.shard))
    found = merged([each.totals for each in facts])
    counts = {**found.counts, "added": found.counts["added"] - stay, "same": found.counts["same"] + stay}
    return replace(found, counts=counts), planned


def _staged(
    database: PlanningDatabase,
    job: str,
    facts: Sequence[PartFacts],
    totals: Totals,
) -> StagedSet:
    """Return the documents that the tasks have made, and the parts of the manifest."""
    records = [record for each in facts for record in each.records]

    def write_manifest(header: Header, path: Path) -> None:
        manifest.write_header(database.connection, header, path)

    return StagedSet(
        sorted(records, key=lambda record: (record.section, record.group, record.part)),
        {name: f"{each.folder}/{name}" for each in facts for name in each.made},
        write_manifest,
        totals.manifest_differs,
        {f"{each.folder}/{ROWS}": part_name(job, each.part) for each in facts if each.manifest_rows},
    )


def _planned(facts: PartFacts, previous: Mapping[str, ShardRecord]) -> Sequence[PlannedShard]:
    """Return what becomes of the shards of a part.

    If its rows were not compared with the set in force, its documents are: one that is in force already is kept.
    """
    if facts.is_compared:
        return facts.planned
    made = {record.shard: record for record in facts.records}

    def compared(shard: PlannedShard) -> PlannedShard:
        old, new = previous.get(shard.shard), made.get(shard.shard)
        if old is None:
            return shard
        if new is not None and (old.name, old.sha256) == (new.name, new.sha256):
            return replace(shard, action="keep", previous=shard.entries, added=0)
        return replace(shard, action="rewrite", previous=old.entries)

    return [compared(shard) for shard in facts.planned]


def _check_distinct(database: PlanningDatabase, transaction: Transaction, facts: Sequence[PartFacts]) -> None:
    """Check that no page is in two parts. If the parts are ranges of locs, that shows without reading them.

    Raises:
        PublishError: A loc is in two parts.
    """
    ranges = sorted((each.first, each.last) for each in facts if each.first is not None and each.last is not None)
    if all(one[1] < other[0] for one, other in pairwise(ranges)):
        return
    files = ", ".join(literal(path_pattern(path)) for path in _local_rows(database, transaction, facts))
    database.expect(sum(each.entries for each in facts))
    connection, rows, url = database.connection, f"(FROM read_parquet([{files}]) WHERE gone IS NULL)", "loc"
    if any(each.has_unnormalized for each in facts):
        with cursor_of(connection) as cursor:
            make_normal_forms(connection, cursor, "forms", (rows, "loc"))
        rows, url = f"{rows} LEFT JOIN forms ON written = loc", "coalesce(normal, loc)"
    if not (repeated := scalar(connection, f"SELECT count(*) - count(DISTINCT hash({url})) FROM {rows}")):
        return
    query = f"SELECT min(loc) FROM {rows} GROUP BY hash({url}) HAVING count(*) > 1 LIMIT 1"
    example = scalar(connection, query)
    raise PublishError(
        f"the loc of {plural(repeated, 'row')} is in another part too, such as {example}: drop the duplicates before"
        " the rows are partitioned, or partition them by loc"
    )


def _local_rows(database: PlanningDatabase, transaction: Transaction, facts: Sequence[PartFacts]) -> Iterator[Path]:
    """Yield local paths of the rows of the manifest that the tasks have written."""
    for each in facts:
        if each.manifest_rows:
            yield transaction.local(f"{each.folder}/{ROWS}", database.folder / f"rows-{each.part}.parquet")
