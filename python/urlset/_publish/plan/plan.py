"""Plan: which documents are kept, which are made, and which guards the set trips."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from urlset._model.limits import PROTOCOL
from urlset._model.plan import Action, Guard, Plan, PlannedShard
from urlset._publish.documents import names
from urlset._publish.plan import guards
from urlset._publish.plan.guards import LastmodCounts
from urlset._publish.plan.totals import Totals
from urlset._publish.rows.ingest import IngestReport
from urlset._publish.rows.known_input import InputRecord
from urlset._publish.stored.integrity import Integrity
from urlset._publish.stored.recall import CurrentSet, KnownSet
from urlset._publish.values.assignment import Assignment, ShardDraft
from urlset._publish.values.header import ShardRecord
from urlset._publish.values.options import PublishOptions
from urlset._read.entry_points import ENTRY_POINT


@dataclass(frozen=True, slots=True)
class PlannedShards:
    """The shards of a set to come, or of one part of it.

    Attributes:
        known: What is known of the current set, or of the part of it that these shards replace.
        totals: What becomes of the rows.
        assignment: Which rows are in which shards.
        derived: The shards of derived documents.
        shards: All shards that have entries, in the order of their names.
        kept: The numbers of those whose documents stay as they are.
        is_part: Whether the set has other shards too.
        is_alone: Whether the set is a single document.
    """

    known: KnownSet
    totals: Totals
    assignment: Assignment
    derived: Sequence[ShardDraft]
    shards: Sequence[ShardDraft]
    kept: frozenset[int]
    is_part: bool
    is_alone: bool

    @property
    def new(self) -> list[ShardDraft]:
        """The shards whose documents are made."""
        return [shard for shard in self.shards if shard.number not in self.kept]

    def summary(self) -> list[PlannedShard]:
        """Return what users see of each shard."""
        return [_planned(shard, is_kept=shard.number in self.kept) for shard in self.shards]


@dataclass(frozen=True, slots=True)
class PlannedSet:
    """The set to come, as far as it can be known before any document is made.

    Attributes:
        plan: What users see of it.
        shards: Its shards, and what becomes of its rows.
        rows: The fingerprint of options and rows for the manifest, or "".
        learned: What the files of the rows come to, if the store does not have that yet and a later publish may ask.
    """

    plan: Plan
    shards: PlannedShards
    rows: str
    learned: InputRecord | None = None


def unchanged(
    current: CurrentSet, integrity: Integrity, options: PublishOptions, rows: str
) -> tuple[KnownSet, Assignment] | None:
    """Return the current set as the set to come, if it was made from the same options and rows and is intact.

    Then every row is where it is, and nothing has to be compared.
    """
    header = current.header
    if header is None or current.live is None or not rows or header.rows != rows or options.has_derived:
        return None
    # The entry point is intact: it is that of the manifest.
    if not all(integrity.is_intact(record) for record in header.shards if record.name != ENTRY_POINT):
        return None
    if not all(map(integrity.is_index_intact, header.indexes)):
        return None
    shards = {
        number: ShardDraft(number, record.shard, record.section, record.group, record.part, record, record.entries)
        for number, record in enumerate(header.shards)
    }
    counts = {"added": 0, "changed": 0, "moved": 0, "same": sum(record.entries for record in header.shards)}
    assignment = Assignment(
        shards, counts, 0, dict(header.lastmod_sources), manifest_differs=False, latest=None, order="loc"
    )
    return KnownSet(current.live, header, header.shards, has_rows=False), assignment


def plan_set(
    known: KnownSet,
    assignment: Assignment,
    derived: Sequence[ShardDraft],
    integrity: Integrity,
    options: PublishOptions,
    report: IngestReport,
    rows: str,
    lastmods: LastmodCounts | None,
) -> PlannedSet:
    """Plan the set to come from the shards that its rows are assigned to."""
    shards = plan_shards(known, assignment, derived, integrity, options, report, lastmods)
    return PlannedSet(plan_of(known, shards.totals, shards.summary(), options), shards, rows)


def plan_shards(
    known: KnownSet,
    assignment: Assignment,
    derived: Sequence[ShardDraft],
    integrity: Integrity,
    options: PublishOptions,
    report: IngestReport,
    lastmods: LastmodCounts | None,
    *,
    is_part: bool = False,
) -> PlannedShards:
    """Plan the shards of a set, or of a part of one, from what its rows are assigned to."""
    filled = [shard for shard in assignment.shards.values() if shard.entries]
    shards = sorted([*filled, *derived], key=lambda shard: (shard.section, shard.group, shard.part))
    is_alone = len(shards) == 1 and not is_part and not _has_stable_index(known, options)
    kept = _kept_numbers(shards, known, integrity, options, is_alone=is_alone, is_part=is_part)
    counts, removed, lastmod_sources = assignment.counts, assignment.removed, assignment.lastmod_sources
    totals = Totals(counts, removed, lastmod_sources, lastmods, report, assignment.manifest_differs)
    return PlannedShards(known, totals, assignment, derived, shards, kept, is_part, is_alone)


def _has_stable_index(known: KnownSet, options: PublishOptions) -> bool:
    """Return whether the set has an index that it keeps, because people know its shards by their stable names."""
    is_stable = options.layout.names == "stable"
    return is_stable and any(record.is_ours and names.is_stable(record.name) for record in known.records)


def plan_of(known: KnownSet, totals: Totals, planned: Sequence[PlannedShard], options: PublishOptions) -> Plan:
    """Return what users see of a set to come, with the guards that it trips.

    Args:
        known: What is known of the current set.
        totals: What becomes of the rows.
        planned: What becomes of the shards that the set will have.
        options: The options of the publish.
    """
    counts, report = totals.counts, totals.report
    return Plan(
        entries=totals.entries,
        added=counts["added"],
        changed=counts["changed"],
        removed=totals.removed,
        moved=counts["moved"],
        same=counts["same"],
        rows=report.rows,
        duplicates=report.duplicates,
        normalized=report.normalized,
        refused=report.refused,
        refused_by_code=dict(report.refused_by_code),
        lastmod_sources=totals.lastmod_sources,
        shards=(*planned, *_removed_shards(known.records, {shard.shard for shard in planned})),
        guards=() if totals.lastmods is None else _guards(known, totals, totals.lastmods, planned, options),
        corrected=report.corrected,
        corrected_by_code=dict(report.corrected_by_code),
        outside=report.outside,
        recovered=known.header is None and bool(known.records),
    )


def _guards(
    known: KnownSet, totals: Totals, lastmods: LastmodCounts, planned: Sequence[PlannedShard], options: PublishOptions
) -> tuple[Guard, ...]:
    return guards.check(
        totals.report,
        lastmods,
        entries=totals.entries,
        previous=sum(record.entries for record in known.lasting),
        served_at=known.served_at,
        base=options.base,
        oversize=[shard.shard for shard in planned if shard.entries > PROTOCOL.entries or shard.bytes > PROTOCOL.bytes],
        sources=totals.lastmod_sources,
        allow=options.checks.allow,
    )


def _kept_numbers(
    shards: Sequence[ShardDraft],
    known: KnownSet,
    integrity: Integrity,
    options: PublishOptions,
    *,
    is_alone: bool,
    is_part: bool,
) -> frozenset[int]:
    """Return the numbers of the shards whose documents stay as they are."""

    def is_intact(record: ShardRecord | None, *, is_careful: bool) -> bool:
        if record is None or record.name == ENTRY_POINT:
            return record is not None and known.live is not None  # its record is that of these bytes
        return integrity.is_intact(record, is_careful=is_careful)

    same = [shard for shard in shards if _says_the_same(shard, known, options, is_alone=is_alone)]
    kept = [shard for shard in same if is_intact(shard.old, is_careful=False)]
    if is_part or known.live is None or not len(kept) == len(shards) == len(known.records):
        # A new index vouches for all that it names; a part cannot know whether there will be one.
        kept = [shard for shard in kept if is_intact(shard.old, is_careful=True)]
    return frozenset(shard.number for shard in kept)


def _says_the_same(shard: ShardDraft, known: KnownSet, options: PublishOptions, *, is_alone: bool) -> bool:
    """Return whether the current document is what would be made anew."""
    old, header = shard.old, known.header
    if old is None or (old.name == ENTRY_POINT) != is_alone or old.entries != shard.entries:
        return False
    if old.is_ours:
        is_fine = header is not None and header.layout == str(options.layout)
    else:
        is_fine = 0 < old.bytes <= PROTOCOL.bytes and old.entries <= PROTOCOL.entries
    is_same = shard.fingerprint == old.fingerprint if shard.fingerprint else shard.is_same
    return is_fine and is_same


def _planned(shard: ShardDraft, *, is_kept: bool) -> PlannedShard:
    """Return what becomes of a shard of the set to come."""
    old = shard.old
    action: Action = "new" if old is None else "keep" if is_kept else "rewrite"
    return PlannedShard(
        shard.shard,
        shard.section,
        action,
        shard.entries,
        old.entries if old else 0,
        shard.added,
        shard.changed,
        shard.moved_out,
        old.bytes if old and is_kept else shard.bytes,
    )


def _removed_shards(records: Sequence[ShardRecord], stay: Collection[str]) -> Iterator[PlannedShard]:
    """Yield the current shards of which no name stays."""
    for record in records:
        if record.shard not in stay:
            yield PlannedShard(record.shard, record.section, "remove", 0, record.entries, 0, 0, record.entries, 0)
