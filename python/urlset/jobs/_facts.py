"""What tasks report to the driver about the parts that they wrote, and what all of it says together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from urlset._model.plan import PlannedShard
from urlset._publish.plan.guards import Lastmods
from urlset._publish.rows.ingest import Intake
from urlset._publish.values.header import ShardRecord
from urlset._write.rows import KEPT


@dataclass(frozen=True, slots=True)
class PartFacts:
    """What one task wrote. It is small, can be pickled, and is all that a commit needs.

    Attributes:
        part: The number of the part.
        folder: The folder of the attempt that wrote it, below the destination.
        entries: How many entries it has.
        first: Its first loc by text, or None.
        last: Its last loc by text, or None.
        records: Its documents, each with its `name`, `entries`, `bytes` of XML, stored `size` and `sha256`.
        made: The names of those that were made; the others are in force already.
        manifest_rows: How many rows its part of the manifest has.
        planned: What becomes of each of its shards.
        counts: How many rows are `added`, `changed`, `moved` and the `same`.
        removed: How many known locs are gone.
        evidence: How many lastmods rest on what.
        lastmods: What guards look at in its lastmods.
        intake: The counts of its rows, with the first refusals.
        is_compared: Whether its rows were compared with the set in force; otherwise only its documents can be.
        is_learned: Whether its part of the manifest says something that no document shows.

    Example:
        >>> from urlset.jobs import WriteJob
        >>> job = WriteJob("public", base_url="https://shop.example/")
        >>> facts = job.write_part(["/tea", "/"], part=0)
        >>> facts.entries, facts.first, len(facts.records)
        (2, 'https://shop.example/', 1)
        >>> job.abort()
    """

    part: int
    folder: str
    entries: int
    first: str | None
    last: str | None
    records: tuple[ShardRecord, ...]
    made: frozenset[str]
    manifest_rows: int
    planned: tuple[PlannedShard, ...]
    counts: Mapping[str, int]
    removed: int
    evidence: Mapping[str, int]
    lastmods: Lastmods
    intake: Intake
    is_compared: bool
    is_learned: bool

    @property
    def refused(self) -> int:
        """How many of its rows were left out because they break a rule."""
        return self.intake.refused


def merged_intake(intakes: Sequence[Intake]) -> Intake:
    """Return the counts of all rows."""
    found = Intake("collect")
    for each in intakes:
        found.rows += each.rows
        found.respelled += each.respelled
        found.duplicates += each.duplicates
        found.outside += each.outside
        found.refused_by_code.update(each.refused_by_code)
        found.dropped_by_code.update(each.dropped_by_code)
        found.refusals += each.refusals[: KEPT - len(found.refusals)]
        found.drops += each.drops[: KEPT - len(found.drops)]
        found.passed |= each.passed
    return found


def merged_lastmods(counted: Sequence[Lastmods]) -> Lastmods:
    """Return what guards look at in all lastmods. One that nearly all entries have is the commonest of each part."""
    commonest: Counter[str] = Counter()
    for each in counted:
        commonest.update(each.commonest)
    examples = [each.example for each in counted if each.example is not None]
    return Lastmods(commonest, sum(each.later for each in counted), min(examples, default=None))


def summed(counted: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the sums by key, sorted by key. Zeros stay."""
    found: dict[str, int] = {}
    for each in counted:
        for name, count in each.items():
            found[name] = found.get(name, 0) + count
    return dict(sorted(found.items()))
