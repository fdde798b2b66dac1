"""What the driver of a job does: it finds the current set, and commits what the tasks wrote as every publish does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from urlset._model.errors import InputError, PublishError
from urlset._model.plan import PlannedShard
from urlset._publish.commit.commit import StagedSet, commit_set
from urlset._publish.commit.publication import Publication
from urlset._publish.parts.facts import ROWS, CurrentPart, PartFacts, PartOptions
from urlset._publish.parts.tasks import AttemptFolder
from urlset._publish.plan.plan import plan_of
from urlset._publish.plan.totals import Totals, merged
from urlset._publish.rows.database import PlanningDatabase, planning_database
from urlset._publish.stored import manifest
from urlset._publish.stored.manifest import MANIFEST, NEXT
from urlset._publish.stored.recall import KnownSet, find_set, recall
from urlset._publish.stored.transaction import Transaction, digest
from urlset._publish.values.header import Header, ShardRecord
from urlset._stores.store import Store
from urlset._util.duckdb import literal, path_pattern, scalar
from urlset._util.identity import make_normal_forms
from urlset._util.instances import cursor_of
from urlset._util.manifest_parts import part_name
from urlset._util.text import plural


def begin_parts(
    options: PartOptions, store: Store, recovered: str, folder: AttemptFolder
) -> tuple[CurrentPart, list[str]]:
    """Find the current set, and the names of the files that know its locs.

    If the manifest is lost, what it knew is recovered from the documents.

    Args:
        options: How the parts are made.
        store: Where the set is stored.
        recovered: The name of the folder in the store for what is recovered.
        folder: Where that is written.
    """
    publish = options.publish
    with planning_database(options.memory) as database, Transaction.read_only(store, database) as transaction:
        current = find_set(transaction, publish)
        sha256, header = digest(current.live), current.header
        if header is not None:
            files = list(header.parts) or [_manifest_of(transaction, header)]
            return CurrentPart(replace(header, shards=(), parts=()), header.shards, sha256), files
        if current.live is None:
            return CurrentPart(sha256=sha256), []
        records = tuple(recall(database, transaction, publish, current).records)
        with folder as path:
            assert path is not None
            manifest.write(path / ROWS, None, manifest.sorted_rows(database.connection, "FROM known"))
        return CurrentPart(None, records, sha256), [f"{recovered}/{ROWS}"]


def _manifest_of(transaction: Transaction, header: Header) -> str:
    """Return the name of the current manifest: after an interrupted publish it has not got its own name yet."""
    found = transaction.header(MANIFEST)
    return MANIFEST if found is not None and found[0].entry_point == header.entry_point else NEXT


def commit_parts(
    options: PartOptions,
    store: Store,
    job: str,
    facts: Iterable[PartFacts],
    *,
    compared_with: CurrentPart | None = None,
    dry_run: bool = False,
) -> Publication:
    """Make the set whose parts tasks have made the current one.

    Args:
        options: How the parts were made.
        store: Where the set is stored.
        job: The id of the job, which is in the names of the parts of the manifest.
        facts: What the task of each part reports.
        compared_with: What the rows were compared with, and brought together by their locs; None if they were not.
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
    publish = options.publish
    begin = Transaction.read_only if dry_run else Transaction.begin
    with planning_database(options.memory) as database, begin(store, database) as transaction:
        current = find_set(transaction, publish)
        if current.header is None and current.live is not None:
            known = recall(database, transaction, publish, current)
        else:
            known = current.without_locs()
        if compared_with is not None and compared_with.sha256 not in (None, digest(known.live)):
            raise PublishError(f"another publish has replaced the set in {store.location} meanwhile: publish again")
        totals, planned = _totals(given, known)
        plan = plan_of(known, totals, planned, publish)

        def staged() -> StagedSet:
            if compared_with is None:
                _check_distinct(database, transaction, given)
            return _staged(job, given, totals)

        return commit_set(database, transaction, publish, known, plan, totals.report, staged, dry_run=dry_run)


def _totals(facts: Sequence[PartFacts], known: KnownSet) -> tuple[Totals, Sequence[PlannedShard]]:
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
    job: str,
    facts: Sequence[PartFacts],
    totals: Totals,
) -> StagedSet:
    """Return the documents that the tasks have made, and the parts of the manifest."""
    records = [record for each in facts for record in each.records]

    return StagedSet(
        sorted(records, key=lambda record: (record.section, record.group, record.part)),
        {name: f"{each.folder}/{name}" for each in facts for name in each.made},
        manifest.write,
        totals.manifest_differs,
        {f"{each.folder}/{ROWS}": part_name(job, each.part) for each in facts if each.manifest_rows},
    )


def _planned(facts: PartFacts, previous: Mapping[str, ShardRecord]) -> Sequence[PlannedShard]:
    """Return what becomes of the shards of a part.

    If its rows were not compared with the current set, its documents are: one that is there already is kept.
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
