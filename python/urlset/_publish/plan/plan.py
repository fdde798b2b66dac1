"""Plan: which documents are kept, which are made, and which guards the set trips."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from urlset._model.limits import PROTOCOL
from urlset._model.plan import Guard, Plan, PlannedShard
from urlset._publish.plan import guards
from urlset._publish.plan.guards import Lastmods
from urlset._publish.plan.totals import Totals
from urlset._publish.rows.ingest import IngestReport
from urlset._publish.rows.known_input import InputRecord
from urlset._publish.stored.integrity import Integrity
from urlset._publish.stored.recall import CurrentSet, Known
from urlset._publish.values.assignment import Assignment, ShardDraft
from urlset._publish.values.header import ShardRecord
from urlset._publish.values.options import PublishOptions
from urlset._read.entry_points import ENTRY_POINT


@dataclass(frozen=True, slots=True)
class PlannedSet:
    """The set to come, as far as it can be known before any document is made.

    Attributes:
        plan: What users see of it.
        known: What is known of the set in force.
        totals: What becomes of the rows.
        assignment: Which rows are in which shards.
        derived: The shards of derived documents.
        shards: All shards that have entries, in the order of their names.
        kept: The numbers of those whose documents stay as they are.
        rows: The fingerprint of options and rows for the manifest, or "".
        learned: What the files of the rows come to, if the store does not have that yet and a later publish may ask.
    """

    plan: Plan
    known: Known
    totals: Totals
    assignment: Assignment
    derived: Sequence[ShardDraft]
    shards: Sequence[ShardDraft]
    kept: frozenset[int]
    rows: str
    learned: InputRecord | None = None


def unchanged(
    current: CurrentSet, integrity: Integrity, options: PublishOptions, rows: str
) -> tuple[Known, Assignment] | None:
    """Return the set in force as the set to come, if it was made from the same options and rows and is intact.

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
    assignment = Assignment(shards, counts, 0, dict(header.evidence), manifest_differs=False, latest=None, order="loc")
    return Known(current.live, header, header.shards, has_rows=False), assignment


def plan_set(
    known: Known,
    assignment: Assignment,
    derived: Sequence[ShardDraft],
    integrity: Integrity,
    options: PublishOptions,
    report: IngestReport,
    rows: str,
    lastmods: Lastmods | None,
) -> PlannedSet:
    """Plan the set to come from the shards that its rows are assigned to."""
    shards = ordered(assignment, derived)
    kept = kept_numbers(shards, known, integrity, options, is_alone=len(shards) == 1)
    totals = totals_of(assignment, lastmods, report)
    plan = plan_of(known, totals, list(planned_shards(shards, kept)), options)
    return PlannedSet(plan, known, totals, assignment, derived, shards, kept, rows)


def totals_of(assignment: Assignment, lastmods: Lastmods | None, report: IngestReport) -> Totals:
    """Return the totals of rows that are assigned to shards."""
    counts, removed, evidence = assignment.counts, assignment.removed, assignment.evidence
    return Totals(counts, removed, evidence, lastmods, report, assignment.manifest_differs)


def plan_of(known: Known, totals: Totals, planned: Sequence[PlannedShard], options: PublishOptions) -> Plan:
    """Return what users see of a set to come, with the guards that it trips.

    Args:
        known: What is known of the set in force.
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
        evidence=totals.evidence,
        shards=(*planned, *_removed_shards(known.records, {shard.shard for shard in planned})),
        guards=() if totals.lastmods is None else _guards(known, totals, totals.lastmods, planned, options),
        corrected=report.corrected,
        corrected_by_code=dict(report.corrected_by_code),
        outside=report.outside,
        recovered=known.header is None and bool(known.records),
    )


def _guards(
    known: Known, totals: Totals, lastmods: Lastmods, planned: Sequence[PlannedShard], options: PublishOptions
) -> tuple[Guard, ...]:
    return guards.check(
        totals.report,
        lastmods,
        entries=totals.entries,
        previous=sum(record.entries for record in known.lasting),
        served_at=known.served_at,
        base=options.base,
        oversize=[shard.shard for shard in planned if shard.entries > PROTOCOL.entries or shard.bytes > PROTOCOL.bytes],
        allow=options.checks.allow,
    )


def ordered(assignment: Assignment, derived: Sequence[ShardDraft]) -> list[ShardDraft]:
    """Return all shards that have entries, in the order of their names."""
    shards = [shard for shard in assignment.shards.values() if shard.entries]
    return sorted([*shards, *derived], key=lambda shard: (shard.section, shard.group, shard.part))


def kept_numbers(
    shards: Sequence[ShardDraft],
    known: Known,
    integrity: Integrity,
    options: PublishOptions,
    *,
    is_alone: bool,
    is_careful: bool = False,
) -> frozenset[int]:
    """Return the numbers of the shards whose documents stay as they are.

    Args:
        shards: The shards.
        known: What is known of the set in force.
        integrity: Compares documents in force with what was published.
        options: The options of the publish.
        is_alone: The set is a single document.
        is_careful: These are not all shards of the set, so a new index may vouch for them whatever becomes of these.
    """

    def is_intact(record: ShardRecord | None, *, is_careful: bool) -> bool:
        if record is None or record.name == ENTRY_POINT:
            return record is not None and known.live is not None  # its record is that of these bytes
        return integrity.is_intact(record, is_careful=is_careful)

    same = [shard for shard in shards if _says_the_same(shard, known, options, is_alone=is_alone)]
    kept = [shard for shard in same if is_intact(shard.old, is_careful=False)]
    if is_careful or not len(kept) == len(shards) == len(known.records):
        # A new index vouches for all that it names.
        kept = [shard for shard in kept if is_intact(shard.old, is_careful=True)]
    return frozenset(shard.number for shard in kept)


def _says_the_same(shard: ShardDraft, known: Known, options: PublishOptions, *, is_alone: bool) -> bool:
    """Return whether the document in force is what would be made anew."""
    old, header = shard.old, known.header
    if old is None or (old.name == ENTRY_POINT) != is_alone or old.entries != shard.entries:
        return False
    if old.is_ours:
        is_fine = header is not None and header.layout == str(options.layout)
    else:
        is_fine = 0 < old.bytes <= PROTOCOL.bytes and old.entries <= PROTOCOL.entries
    is_same = shard.fingerprint == old.fingerprint if shard.fingerprint else shard.is_same
    return is_fine and is_same


def planned_shards(shards: Sequence[ShardDraft], kept: frozenset[int]) -> Iterator[PlannedShard]:
    """Yield what becomes of each shard of the set to come."""
    for shard in shards:
        old = shard.old
        previous = old.entries if old else 0
        if old is not None and shard.number in kept:
            counts = (shard.entries, previous, shard.added, shard.changed, shard.moved_out, old.bytes)
            yield PlannedShard(shard.shard, shard.section, "keep", *counts)
        else:
            counts = (shard.entries, previous, shard.added, shard.changed, shard.moved_out, shard.bytes)
            yield PlannedShard(shard.shard, shard.section, "rewrite" if old else "new", *counts)


def _removed_shards(records: Sequence[ShardRecord], stay: Collection[str]) -> Iterator[PlannedShard]:
    """Yield the shards in force of which no name stays."""
    for record in records:
        if record.shard not in stay:
            yield PlannedShard(record.shard, record.section, "remove", 0, record.entries, 0, 0, record.entries, 0)
