"""What tasks report to the driver about the parts that they wrote."""

from __future__ import annotations

from dataclasses import dataclass

from urlset._model.plan import PlannedShard
from urlset._publish.plan.totals import Totals
from urlset._publish.values.header import ShardRecord


@dataclass(frozen=True, slots=True)
class PartFacts:
    """What one task wrote. It is small, can be pickled, and is all that a commit needs.

    Attributes:
        part: The number of the part.
        folder: The folder of the attempt that wrote it, below the destination.
        first: The first of the normal forms of its locs by text, or None.
        last: The last of them, or None.
        has_unnormalized: Whether any of its locs is not in its normal form.
        records: Its documents, each with its `name`, `entries`, `bytes` of XML, stored `size` and `sha256`.
        made: The names of those that were made; the others are in force already.
        manifest_rows: How many rows its part of the manifest has.
        planned: What becomes of each of its shards.
        totals: What became of its rows, with the first refusals.
        is_compared: Whether its rows were compared with the set in force; otherwise only its documents can be.

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
    first: str | None
    last: str | None
    has_unnormalized: bool
    records: tuple[ShardRecord, ...]
    made: frozenset[str]
    manifest_rows: int
    planned: tuple[PlannedShard, ...]
    totals: Totals
    is_compared: bool

    @property
    def entries(self) -> int:
        """How many entries it has."""
        return self.totals.entries

    @property
    def refused(self) -> int:
        """How many of its rows were left out because they break a rule."""
        return self.totals.report.refused
