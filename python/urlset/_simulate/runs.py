"""One run of a simulation: some days of a crawler that keeps copies of pages, by a plan or by what lastmods say."""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from urlset._simulate.model import PageModel
from urlset._simulate.refetching import Refetching

#: How often `believed` fetches all pages, or could, before it begins to measure.
WARM_UP = 3


class Measured(NamedTuple):
    """What one run has measured.

    Attributes:
        fresh: Days in which the copies were what the pages are, times their importance.
        fetches: How many fetches took place.
        size: Their bytes.
    """

    fresh: float
    fetches: int
    size: float


def planned(numbers: Random, pages: Sequence[PageModel], plan: Sequence[Refetching | None], days: float) -> Measured:
    """Fetch each page as a plan says.

    Args:
        numbers: What decides chance.
        pages: The pages.
        plan: When each is fetched again; None for never.
        days: How long it is measured.
    """
    fresh, fetches, size = 0.0, 0, 0.0
    for page, how in zip(pages, plan, strict=True):
        if how is None:
            fresh += 0.0 if page.changes else page.importance * days
            continue
        current, count = 0.0, 0
        at = how.begin(numbers)
        while at < days:
            stale, until = how.cycle(numbers, page, at)
            current += max(min(stale, until, days) - max(at, 0.0), 0.0)
            count += at >= 0
            at = until
        fresh += page.importance * current
        fetches += count
        size += page.size * count
    return Measured(fresh, fetches, size)


def believed(numbers: Random, pages: Sequence[PageModel], budget: float, days: float, *, by_bytes: bool) -> Measured:
    """Fetch whatever has moved, in the order of the moves, as the budget allows; and otherwise by importance.

    Args:
        numbers: What decides chance.
        pages: The pages.
        budget: What may be spent in a day.
        days: How long it is measured.
        by_bytes: Whether a fetch takes as much of the budget as the page has bytes, and not 1.
    """
    costs = [page.size if by_bytes else 1.0 for page in pages]
    begin = at = -WARM_UP * math.fsum(costs) / budget
    crawler = _Believer(numbers, pages, begin)
    fresh, fetches, size = 0.0, 0, 0.0
    while at < days:
        number = crawler.next(at)
        if number is None:
            at = crawler.idle_until()
            continue
        fresh += crawler.fetch(number, at, days)
        fetches += at >= 0
        size += pages[number].size if at >= 0 else 0
        at += costs[number] / budget
    return Measured(fresh + sum(crawler.fresh(number, days, days) for number in range(len(pages))), fetches, size)


class _Believer:
    """A crawler that takes every move of a lastmod for a change.

    Args:
        numbers: What decides chance.
        pages: The pages.
        begin: When all of them are fetched for the first time.
    """

    def __init__(self, numbers: Random, pages: Sequence[PageModel], begin: float) -> None:
        self._numbers, self._pages = numbers, pages
        self._fetched = [begin] * len(pages)
        self._copies = [page.fetched(numbers, begin) for page in pages]
        #: When lastmods move, in that order; of pages that move at the same moment, any comes first.
        self._moves = [(copy.moved, numbers.random(), number) for number, copy in enumerate(self._copies)]
        heapq.heapify(self._moves)
        #: Pages whose lastmod has moved since their last fetch.
        self._moved: deque[int] = deque()
        #: How much of their turns pages have had, if each has as many as its importance.
        self._turns = [numbers.random() / page.importance if page.importance else math.inf for page in pages]
        self._others = [(turn, number) for number, turn in enumerate(self._turns) if turn < math.inf]
        heapq.heapify(self._others)

    def next(self, at: float) -> int | None:
        """Return the page to fetch at a moment; None if none has moved and none is important."""
        while self._moves and self._moves[0][0] <= at:
            moved, _, number = heapq.heappop(self._moves)
            if moved == self._copies[number].moved:
                self._moved.append(number)
        if self._moved:
            return self._moved.popleft()
        while self._others:
            turn, number = self._others[0]
            if turn == self._turns[number]:
                return number
            heapq.heapreplace(self._others, (self._turns[number], number))
        return None

    def idle_until(self) -> float:
        """Return when the next lastmod moves, if there is nothing to fetch before."""
        return self._moves[0][0] if self._moves else math.inf

    def fetch(self, number: int, at: float, days: float) -> float:
        """Fetch a page, and return what its copy before has been worth."""
        page, fresh = self._pages[number], self.fresh(number, at, days)
        self._fetched[number] = at
        copy = self._copies[number] = page.fetched(self._numbers, at)
        if copy.moved < math.inf:
            heapq.heappush(self._moves, (copy.moved, self._numbers.random(), number))
        if page.importance:
            self._turns[number] += 1 / page.importance
        return fresh

    def fresh(self, number: int, until: float, days: float) -> float:
        """Return for how many of the measured days a copy has been fresh, times the importance of the page."""
        current = min(self._copies[number].stale, until, days) - max(self._fetched[number], 0.0)
        return self._pages[number].importance * max(current, 0.0)
