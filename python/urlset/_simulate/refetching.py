"""When a page is fetched again, by what a plan says of it."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Protocol

from urlset._simulate.model import PageModel, wait

#: Cycles that pass before the first one that counts, where they differ in length.
_CYCLES = 4


class Refetching(Protocol):
    """When a page is fetched again."""

    def begin(self, numbers: Random) -> float:
        """Return the moment of a fetch before the run, from which on all is as if it had long been so."""
        ...

    def cycle(self, numbers: Random, page: PageModel, at: float) -> tuple[float, float]:
        """Return when a page that was fetched at a moment changes, and when it is fetched again."""
        ...

    def steps(self, page: PageModel, days: int) -> float:
        """Return about how many steps a run takes: fetches, and moves that are counted."""
        ...


@dataclass(frozen=True, slots=True)
class Evenly:
    """At even intervals.

    The last fetch before a run was at any moment of the interval with the same chance. So nothing has to settle: on
    average, what is measured is what holds for all time.
    """

    interval: float

    def begin(self, numbers: Random) -> float:
        """Return the moment of the last fetch before the run."""
        return -self.interval * numbers.random()

    def cycle(self, numbers: Random, page: PageModel, at: float) -> tuple[float, float]:
        """Return when the page changes, and when it is fetched again."""
        return at + wait(numbers, page.changes), at + self.interval

    def steps(self, page: PageModel, days: int) -> float:
        """Return how many fetches a run has."""
        return days / self.interval


@dataclass(frozen=True, slots=True)
class ByThreshold:
    """Once the time since the last fetch, with so much for each move of the lastmod, reaches a threshold.

    Attributes:
        interval: The days between two fetches, on average.
        threshold: The days if the lastmod does not move.
        worth: The days that each move stands for.
    """

    interval: float
    threshold: float
    worth: float

    def begin(self, numbers: Random) -> float:
        """Return the moment of a fetch some cycles before the run."""
        return -self.interval * (_CYCLES + numbers.random())

    def cycle(self, numbers: Random, page: PageModel, at: float) -> tuple[float, float]:
        """Return when the page changes, and when it is fetched again."""
        shown, false, stamp = at + wait(numbers, page.shown), at + wait(numbers, page.false), page.stamp(at)
        stale, due = min(shown, at + wait(numbers, page.hidden)), at + self.threshold
        while (move := min(shown, false, stamp)) < due:
            due = max(due - self.worth, move)
            if move == shown:
                shown += wait(numbers, page.shown)
            elif move == false:
                false += wait(numbers, page.false)
            else:
                stamp = page.stamp(move)
        return stale, due

    def steps(self, page: PageModel, days: int) -> float:
        """Return about how many fetches a run has, and moves that are counted.

        The plan knows nothing of stamps, which may make cycles much shorter than it says.
        """
        shortened = max(self.threshold / (1 + self.worth * page.moves), 1 / page.moves if page.moves else 0.0)
        cycle = min(self.interval, shortened)
        return (days + (_CYCLES + 1) * self.interval) / cycle * (1 + page.moves * cycle)


@dataclass(frozen=True, slots=True)
class ByNotice:
    """When it announces a change, with a chance.

    Attributes:
        interval: The days between two fetches, on average.
    """

    interval: float

    def begin(self, numbers: Random) -> float:
        """Return the moment of a fetch some cycles before the run."""
        return -self.interval * (_CYCLES + numbers.random())

    def cycle(self, numbers: Random, page: PageModel, at: float) -> tuple[float, float]:
        """Return when the page changes, and when it is fetched again: at once, or at a later change."""
        stale, chance = at + wait(numbers, page.changes), 1 / (self.interval * page.changes)
        return stale, stale if numbers.random() < chance else stale + wait(numbers, 1 / self.interval)

    def steps(self, page: PageModel, days: int) -> float:
        """Return about how many fetches a run has."""
        return days / self.interval + _CYCLES + 1
