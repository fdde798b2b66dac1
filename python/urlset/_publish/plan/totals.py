"""What became of the rows of a set, or of one part of a set, and the totals of all parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from urlset._publish.plan.guards import LastmodCounts
from urlset._publish.rows.ingest import IngestReport
from urlset._write.rows import KEPT


@dataclass(frozen=True, slots=True)
class Totals:
    """What became of the rows of a set, or of one part of it. It is small, and can be pickled.

    Attributes:
        counts: How many rows are `added`, `changed`, `moved` and the `same`.
        removed: How many known locs are gone.
        lastmod_sources: How many lastmods come from where.
        lastmods: What guards look at in the lastmods; None for rows that are there already, which no guard checks.
        report: The counts of the rows that came in.
        manifest_differs: Whether the manifest learns something that no document shows.
    """

    counts: Mapping[str, int]
    removed: int
    lastmod_sources: Mapping[str, int]
    lastmods: LastmodCounts | None
    report: IngestReport
    manifest_differs: bool

    @property
    def entries(self) -> int:
        """How many entries the documents have, without derived documents."""
        return sum(self.counts.values())


def merged(parts: Sequence[Totals]) -> Totals:
    """Return the totals of a set from those of its parts.

    A row is a duplicate if neither an entry nor a refusal came of it, whichever parts it met its equals in.
    """
    found = Totals(
        counts={"added": 0, "changed": 0, "moved": 0, "same": 0, **_summed([each.counts for each in parts])},
        removed=sum(each.removed for each in parts),
        lastmod_sources=_summed([each.lastmod_sources for each in parts]),
        lastmods=_merged_lastmods([each.lastmods for each in parts if each.lastmods is not None]),
        report=merged_reports([each.report for each in parts]),
        manifest_differs=any(each.manifest_differs for each in parts),
    )
    found.report.duplicates = found.report.rows - found.report.refused - found.entries
    return found


def merged_reports(reports: Sequence[IngestReport]) -> IngestReport:
    """Return the counts of all rows."""
    found = IngestReport("collect")
    for each in reports:
        found.rows += each.rows
        found.normalized += each.normalized
        found.duplicates += each.duplicates
        found.outside += each.outside
        found.refused_by_code.update(each.refused_by_code)
        found.corrected_by_code.update(each.corrected_by_code)
        found.refusals += each.refusals[: KEPT - len(found.refusals)]
        found.corrections += each.corrections[: KEPT - len(found.corrections)]
        found.unused_columns |= each.unused_columns
    return found


def _merged_lastmods(counted: Sequence[LastmodCounts]) -> LastmodCounts:
    """Return what guards look at in all lastmods. One that nearly all entries have is the commonest of each part."""
    commonest: Counter[str] = Counter()
    for each in counted:
        commonest.update(each.commonest)
    examples = [each.example for each in counted if each.example is not None]
    return LastmodCounts(commonest, sum(each.later for each in counted), min(examples, default=None))


def _summed(counted: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the sums by key, sorted by key. Zeros stay."""
    found: dict[str, int] = {}
    for each in counted:
        for name, count in each.items():
            found[name] = found.get(name, 0) + count
    return dict(sorted(found.items()))
