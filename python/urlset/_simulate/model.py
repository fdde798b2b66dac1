"""A page as the simulation knows it: when it changes, and when its lastmod moves."""

from __future__ import annotations

import math
from random import Random
from typing import NamedTuple


class Copy(NamedTuple):
    """What will become of a copy that was just fetched.

    Attributes:
        stale: When the page changes.
        moved: When its lastmod moves, because of a change or not; never is infinity.
    """

    stale: float
    moved: float


class PageModel(NamedTuple):
    """A page: the rates of what happens to it, per day. Each of them happens at random, as a Poisson process.

    Attributes:
        importance: Its weight.
        size: Bytes of a fetch.
        shown: Changes with which the lastmod moves.
        hidden: Changes with which it does not.
        false: Moves of the lastmod without a change.
        stamps: Moves of the lastmod at even intervals, at the same moments for all pages: a build stamps them all.
    """

    importance: float
    size: float
    shown: float
    hidden: float
    false: float
    stamps: float

    @property
    def changes(self) -> float:
        """How often it changes."""
        return self.shown + self.hidden

    @property
    def moves(self) -> float:
        """How often its lastmod moves."""
        return self.shown + self.false + self.stamps

    def fetched(self, numbers: Random, at: float) -> Copy:
        """Return what will become of a copy. What was before its fetch does not count, as the process has no memory."""
        shown, hidden = at + wait(numbers, self.shown), at + wait(numbers, self.hidden)
        moved = min(shown, at + wait(numbers, self.false), self.stamp(at))
        return Copy(min(shown, hidden), moved)

    def stamp(self, at: float) -> float:
        """Return the first moment after another at which a build stamps the page."""
        if not self.stamps:
            return math.inf
        number = math.floor(at * self.stamps) + 1
        moment = number / self.stamps
        return moment if moment > at else (number + 1) / self.stamps


def page_model(
    importance: float,
    change_rate: float,
    size: float | None,
    recall: float | None,
    precision: float | None,
    stamps: float | None,
) -> PageModel:
    """Return a page, by the columns of its row.

    Of all moves of a lastmod with recall r and precision p, a share p goes with a change: so there are d r (1 - p)/p
    others in a day.
    """
    recall = recall or 0.0
    precision = 1.0 if precision is None else precision
    shown = change_rate * recall
    false = shown * (1 - precision) / precision if shown else 0.0
    return PageModel(importance, size or 0.0, shown, change_rate - shown, false, stamps or 0.0)


def wait(numbers: Random, rate: float) -> float:
    """Return how long it takes until something happens that does so at a rate."""
    return numbers.expovariate(rate) if rate else math.inf
