"""What is known of each section: how often its pages change, what its lastmods are worth, and what they could save."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, overload

from urlset import _core
from urlset._audit.trust import Trust
from urlset._model.tables import _ArrowExport

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Whether the lastmods of a section count.
Hints = Literal["used", "unproven", "ignored"]

#: How long after a change that it did not tell a lastmod has moved, while nothing else changed. The interval of 95 % of
#: a median is between the values whose ranks are so far from the middle. Source: Conover, Practical nonparametric
#: statistics, 3.2: confidence intervals for a quantile.
_LATE: Final = """
    SELECT section, list_aggregate(waits, 'median') / 1e6 AS late,
        waits[greatest(1, floor(len(waits) / 2 - 0.98 * sqrt(len(waits))))::BIGINT] / 1e6 AS late_low,
        waits[least(len(waits), ceil(1 + len(waits) / 2 + 0.98 * sqrt(len(waits))))::BIGINT] / 1e6 AS late_high
    FROM (
        SELECT missed.section, list(idle.time - missed.time ORDER BY idle.time - missed.time) AS waits
        FROM (FROM steps WHERE is_changed AND NOT is_moved) AS missed
            ASOF JOIN (FROM steps WHERE is_moved AND NOT is_changed) AS idle
                ON idle.source = missed.source AND idle.place = missed.place AND missed.time < idle.time
        GROUP BY missed.section
    )
"""
_SECTIONS: Final = f"""
    SELECT section, sizes.pages, hints, mean_rate, per_day, coalesce(trusts.looks, 0)::BIGINT,
        coalesce(vain, 0)::BIGINT, coalesce(vain_bytes, 0)::BIGINT, coalesce(foreseen, 0)::BIGINT,
        coalesce(pairs, 0)::BIGINT, coalesce(moved, 0)::BIGINT, coalesce(changed, 0)::BIGINT, coalesce(told, 0)::BIGINT,
        late, late_low, late_high, coalesce(most_looks, 0)::BIGINT, coalesce(unjudged, 0)::BIGINT
    FROM (SELECT section, count(*) AS pages, avg(change_rate) AS mean_rate FROM rates GROUP BY section) AS sizes
        LEFT JOIN trusts USING (section) LEFT JOIN ({_LATE}) AS lates USING (section)
    ORDER BY sizes.pages DESC, section
"""


@dataclass(frozen=True, slots=True)
class SectionRates:
    """What is known of one section.

    Attributes:
        section: The first folder of the paths of its pages, such as `"/blog/"`; `"/"` has the others. If there are
            pages of several hosts, it begins with the host.
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
        late_interval: Between which values the middle of `trust.late` is, with a probability of 95 %; None without it.
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
    late_interval: tuple[float, float] | None
    trust: Trust

    def as_dict(self) -> dict[str, Any]:
        """Return it as values of JSON, with those of `trust` beside the others."""
        trust = self.trust.as_dict()
        ends = {
            f"{name}_{end}": None if trust[f"{name}_interval"] is None else trust[f"{name}_interval"][at]
            for name in ("precision", "recall")
            for at, end in enumerate(("low", "high"))
        }
        ends |= dict(zip(("late_low", "late_high"), self.late_interval or (None, None), strict=True))
        known = {name: getattr(self, name) for name in self.__slots__ if name not in ("trust", "late_interval")}
        return {name: (known | trust | ends)[name] for name in _COLUMNS}


#: The columns of a table of sections, with their types in DuckDB.
_COLUMNS: Final = {
    "section": "VARCHAR",
    "pages": "BIGINT",
    "change_rate": "DOUBLE",
    "hints": "VARCHAR",
    **dict.fromkeys(("pairs", "moved", "changed", "told"), "BIGINT"),
    **dict.fromkeys(("precision", "precision_low", "precision_high", "recall", "recall_low", "recall_high"), "DOUBLE"),
    **dict.fromkeys(("late", "late_low", "late_high"), "DOUBLE"),
    "unjudged": "BIGINT",
    "fetches_per_day": "DOUBLE",
    **dict.fromkeys(("looks", "unchanged", "unchanged_bytes", "foreseen"), "BIGINT"),
}


class SectionTable(Sequence[SectionRates], _ArrowExport):
    """What is known of each section, the largest first: a sequence, and a table with the keys of `as_dict`."""

    def __init__(self, sections: Sequence[SectionRates]) -> None:
        self._sections = tuple(sections)

    @overload
    def __getitem__(self, at: int) -> SectionRates: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[SectionRates, ...]: ...
    def __getitem__(self, at: int | slice) -> SectionRates | tuple[SectionRates, ...]:
        """Return a section, or some."""
        return self._sections[at]

    def __len__(self) -> int:
        """Return how many sections there are."""
        return len(self._sections)

    def __iter__(self) -> Iterator[SectionRates]:
        """Iterate the sections."""
        return iter(self._sections)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the sections as an Arrow stream."""
        records = _core.records(_COLUMNS, [each.as_dict() for each in self._sections])
        return records.__arrow_c_stream__(requested_schema)


def sections_of(connection: DuckDBPyConnection) -> SectionTable:
    """Return what is known of each section, the largest first."""
    found = []
    for section, pages, hints, rate, per_day, looks, vain, vain_bytes, foreseen, *counts in connection.execute(
        _SECTIONS
    ).fetchall():
        pairs, moved, changed, told, late, late_low, late_high, most, unjudged = counts
        interval = None if late is None else (late_low, late_high)
        trust = Trust(section, pairs, moved, changed, told, late, most, unjudged)
        known: Hints = hints or "unproven"
        found.append(
            SectionRates(section, pages, known, rate, per_day, looks, vain, vain_bytes, foreseen, interval, trust)
        )
    return SectionTable(found)
