"""How far the lastmods of a site can be trusted, section by section, by all audits that saw its pages."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from urlset._audit.comparing import JUDGED
from urlset._audit.intervals import wilson

if TYPE_CHECKING:
    from urlset._runs.file import RunFile

_TRUST: Final = f"""
    WITH seen AS (
        SELECT section, loc, run, epoch(looked) AS looked, coalesce(is_moved, false) AS is_moved, is_changed,
            coalesce({JUDGED}, false) AS is_judged
        FROM changes_seen
    ), missed AS (FROM seen WHERE is_judged AND is_changed AND NOT is_moved),
    idle AS (FROM seen WHERE is_judged AND is_moved AND NOT is_changed),
    late AS (
        -- A change that was not told when it was seen, and the nearest move of the lastmod that announced no other,
        -- or the next one, which tells of both.
        SELECT missed.section, missed.loc, missed.run,
            arg_min(moved.looked - missed.looked, (abs(moved.looked - missed.looked), moved.looked)) AS seconds
        FROM missed JOIN seen AS moved ON moved.loc = missed.loc AND moved.is_moved
            AND (moved.looked > missed.looked
                OR (moved.loc, moved.run) IN (SELECT (loc, run) FROM idle))
        GROUP BY ALL
    ), delays AS (SELECT section, median(seconds) AS seconds FROM late GROUP BY GROUPING SETS ((section), ()))
    SELECT each.section, count(*) FILTER (is_judged), count(*) FILTER (is_judged AND is_moved),
        count(*) FILTER (is_judged AND is_changed), count(*) FILTER (is_judged AND is_moved AND is_changed),
        any_value(delays.seconds), count(DISTINCT run) FILTER (is_judged), count(*) FILTER (NOT is_judged)
    FROM (FROM seen UNION ALL SELECT * REPLACE (NULL AS section) FROM seen) AS each
        LEFT JOIN delays ON delays.section IS NOT DISTINCT FROM each.section
    GROUP BY each.section ORDER BY each.section IS NOT NULL, count(*) DESC, each.section
"""

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Trust:
    """How far the lastmods of a section can be trusted, by the last 60 audits.

    A share is of the looks that were made. Between which values it is for the section, with a probability of 95 %, is
    its interval: few looks make it wide.

    Attributes:
        section: The first folder of the path, such as `"/blog/"`; `"/"` has the others, None is the whole site.
        pairs: How often a page was seen by one audit, and again by the next that saw it.
        moved: How often its lastmod had moved in between.
        changed: How often its content had changed.
        told: How often both.
        late: Seconds from the audit that saw a change without a new lastmod to the nearest at which the lastmod had
            moved for it, in the middle; negative if it had moved before, and None if that has not been seen.
        looks: How many audits were compared with an earlier one.
        unjudged: How often it could not be told whether the content had changed, or whether the lastmod had to move.
            These are not among the pairs.
    """

    section: str | None
    pairs: int
    moved: int
    changed: int
    told: int
    late: float | None
    looks: int
    unjudged: int

    @property
    def precision(self) -> float | None:
        """How often a moved lastmod meant a change, from 0 to 1; None if none has moved."""
        return self.told / self.moved if self.moved else None

    @property
    def precision_interval(self) -> Interval | None:
        """Between which values the precision is, with a probability of 95 %."""
        return wilson(self.told, self.moved) if self.moved else None

    @property
    def recall(self) -> float | None:
        """How many of the changes a moved lastmod told, from 0 to 1; None if nothing has changed."""
        return self.told / self.changed if self.changed else None

    @property
    def recall_interval(self) -> Interval | None:
        """Between which values the recall is, with a probability of 95 %."""
        return wilson(self.told, self.changed) if self.changed else None

    @property
    def score(self) -> float | None:
        """Both in one number, from 0 to 1: their harmonic mean, the F1 score; None if one of them is not known."""
        return None if self.precision is None or self.recall is None else _harmonic(self.precision, self.recall)

    @property
    def score_interval(self) -> Interval | None:
        """The scores of the lowest and of the highest values of both: wider than an interval of 95 % has to be."""
        precision, recall = self.precision_interval, self.recall_interval
        if precision is None or recall is None:
            return None
        return _harmonic(precision[0], recall[0]), _harmonic(precision[1], recall[1])

    def as_dict(self) -> dict[str, Any]:
        """Return it as values of JSON, with precision, recall and score, and their intervals."""
        names = ("precision", "recall", "score")
        return asdict(self) | {name: getattr(self, name) for each in names for name in (each, f"{each}_interval")}


def _harmonic(precision: float, recall: float) -> float:
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0


def trust_of(file: RunFile) -> tuple[Trust, ...]:
    """Return the trust in the lastmods of the whole site, then of each section, the largest first.

    It comes from the table of `compare_looks`. There is none after the first audit.
    """
    return tuple(Trust(*row) for row in file.connection.execute(_TRUST).fetchall())
