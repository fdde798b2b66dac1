"""What is known of each section: how often its pages change, what its lastmods are worth, and what they could save."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from urlset._audit.trust import Trust

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Whether the lastmods of a section count.
Hints = Literal["used", "unproven", "ignored"]

#: How long after a change that it did not tell a lastmod has moved, while nothing else changed.
_LATE: Final = """
    SELECT section, median(epoch(next_move - time)) AS late FROM (
        SELECT section, time, is_changed AND NOT is_moved AS is_missed,
            min(CASE WHEN is_moved AND NOT is_changed THEN time END) OVER (
                PARTITION BY source, loc ORDER BY time ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_move
        FROM steps JOIN pages USING (loc) WHERE is_changed IS NOT NULL AND is_moved IS NOT NULL
    ) WHERE is_missed AND next_move IS NOT NULL GROUP BY section
"""
_SECTIONS: Final = f"""
    SELECT section, sizes.pages, hints, mean_rate, per_day, coalesce(trusts.looks, 0)::BIGINT,
        coalesce(vain, 0)::BIGINT, coalesce(vain_bytes, 0)::BIGINT, coalesce(foreseen, 0)::BIGINT,
        coalesce(pairs, 0)::BIGINT, coalesce(moved, 0)::BIGINT, coalesce(changed, 0)::BIGINT, coalesce(told, 0)::BIGINT,
        late, coalesce(most_looks, 0)::BIGINT, coalesce(unjudged, 0)::BIGINT
    FROM (SELECT section, count(*) AS pages, avg(change_rate) AS mean_rate FROM rates GROUP BY section) AS sizes
        LEFT JOIN trusts USING (section) LEFT JOIN ({_LATE}) AS lates USING (section)
    ORDER BY sizes.pages DESC, section
"""


@dataclass(frozen=True, slots=True)
class SectionRates:
    """What is known of one section.

    Attributes:
        section: The first folder of the paths of its pages, such as `"/blog/"`; `"/"` has the others.
        pages: How many pages it has.
        hints: Whether its lastmods count: `"used"`; `"unproven"` if they have not told enough changes yet, and only
            pages whose content is never looked at go by them; or `"ignored"` if they move without changes, give most
            pages the same day again and again, or date changes that did not happen.
        change_rate: Changes per day of a page, on average; None without any estimate.
        fetches_per_day: Looks at contents per day, of all its pages together; None without any.
        looks: How many looks could have found a change.
        unchanged: How many of them found none: so many fetches true lastmods would save, or so many bodies a 304 would.
        unchanged_bytes: The bytes of these.
        foreseen: In how many of them the lastmod had not moved either, so that nobody had to fetch.
        trust: How often its lastmods and its contents agree, in the last 20 looks at each page.
    """

    section: str
    pages: int
    hints: Hints
    change_rate: float | None
    fetches_per_day: float | None
    looks: int
    unchanged: int
    unchanged_bytes: int
    foreseen: int
    trust: Trust

    def as_dict(self) -> dict[str, Any]:
        """Return it as values of JSON."""
        return asdict(self) | {"trust": self.trust.as_dict()}


def sections_of(connection: DuckDBPyConnection) -> tuple[SectionRates, ...]:
    """Return what is known of each section, the largest first."""
    found = []
    for section, pages, hints, rate, per_day, looks, vain, vain_bytes, foreseen, *counts in connection.execute(
        _SECTIONS
    ).fetchall():
        pairs, moved, changed, told, late, most, unjudged = counts
        trust = Trust(section, pairs, moved, changed, told, late, most, unjudged)
        known: Hints = hints or "unproven"
        found.append(SectionRates(section, pages, known, rate, per_day, looks, vain, vain_bytes, foreseen, trust))
    return tuple(found)
