"""Noisy signals: when to fetch a page whose lastmod moves with some of its changes, and at other times too.

Source: Busa-Fekete and others, Learning to crawl: scheduling with noisy change signals, WWW 2025. A page changes d
times a day. With a share r of these changes its lastmod moves, and it moves for no reason too. A move is worth as much
as a time beta without one, so a page that was fetched tau days ago, and whose lastmod has moved n times since, is as
far as tau + n beta. It is fetched once that reaches a threshold.

In units of 1/d the page is (r, p) alone, with p the share of moves that go with a change: nu = r (1 - p)/p, and
beta = -ln(1 - p)/(1 - r). With the threshold x, a cycle takes psi and is fresh for w of it:

    psi = sum of P(i + 1, (r + nu)(x - i beta)) / (r + nu)
    w   = sum of nu^i / (1 + nu)^(i + 1) P(i + 1, (1 + nu)(x - i beta)),  for each i up to x/beta

P is the regularized lower gamma function. The value of the next fetch is m/d times y = w - e^(-(1 - r) x) psi, which is
l c for all pages that are fetched. So one curve for each (r, p), a table, has the rates of all such pages at any l.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

#: The greatest recall that counts. With more, a page whose lastmod stands still would hardly ever be fetched, and the
#: recall is only an estimate.
MOST_RECALL: Final = 0.97
#: Terms of a sum. Signals that need more say so little that they count as none.
_MOST_TERMS: Final = 64
#: How near to 1 the value y comes: ln of the rest. What is beyond is worth a fetch hardly ever.
_END: Final = 12.0
#: Points of a curve, before it is put on a grid.
_POINTS: Final = 300


@dataclass(frozen=True, slots=True)
class Grid:
    """Places at even distances.

    Attributes:
        start: The first.
        step: The distance.
        cells: How many distances there are.
    """

    start: float
    step: float
    cells: int

    def places(self) -> list[float]:
        """Return all places, one more than there are cells."""
        return [self.start + self.step * at for at in range(self.cells + 1)]


#: The values y of a curve, as ln(-ln(1 - y)), and its cycles, as ln(psi).
VALUES: Final = Grid(-18.4, 0.04, 522)
CYCLES: Final = Grid(-9.6, 0.02, 900)


@dataclass(frozen=True, slots=True)
class Signal:
    """What the moves of a lastmod say, in units of the changes of a page.

    Attributes:
        recall: The share of changes with which it moves.
        false: Moves for no reason, by changes.
        worth: What a move is worth, as a time without one; infinite if there are no false moves.
    """

    recall: float
    false: float
    worth: float

    @classmethod
    def of(cls, recall: float, precision: float) -> Signal | None:
        """Return what the moves say; None if they say so little that they count as none."""
        recall = min(recall, MOST_RECALL)
        if recall <= 0 or precision <= 0:
            return None
        worth = math.inf if precision >= 1 else -math.log1p(-precision) / (1 - recall)
        # The longest threshold is about that long.
        if (_END + 3) / (1 - recall) > _MOST_TERMS * worth:
            return None
        return cls(recall, recall * (1 - precision) / precision, worth)

    def cycle(self, threshold: float) -> tuple[float, float]:
        """Return how long a cycle takes, and how long of it the copy is fresh."""
        moves, events = self.recall + self.false, 1 + self.false
        length = fresh = 0.0
        for number in range(int(threshold / self.worth) + 1):
            rest = threshold - number * self.worth if number else threshold
            length += _gamma(number + 1, moves * rest) / moves
            fresh += (self.false / events) ** number / events * _gamma(number + 1, events * rest)
        return length, fresh

    def value(self, threshold: float) -> float:
        """Return what the next fetch is worth at a threshold, from 0 to 1."""
        length, fresh = self.cycle(threshold)
        return fresh - math.exp((self.recall - 1) * threshold) * length


def _gamma(terms: int, value: float) -> float:
    """Return the regularized lower gamma function of a whole number: the chance of at least so many events."""
    if value <= 0:
        return 0.0
    if value > terms + 40 * math.sqrt(terms) + 40:
        return 1.0
    term = math.exp(terms * math.log(value) - value - math.lgamma(terms + 1))
    if value < terms + 1:  # the others are few, and 1 less their sum would lose digits
        whole, at = 0.0, terms
        while term > whole * 1e-17:
            whole += term
            at += 1
            term *= value / at
        return whole
    whole = 0.0
    for at in range(terms, 0, -1):
        term *= at / value
        whole += term
    return 1 - whole


@dataclass(frozen=True, slots=True)
class Curve:
    """All thresholds of one signal, on grids.

    Attributes:
        cycles: ln(psi) at the places of `VALUES`.
        fresh: The share of time in which a copy is fresh, at the places of `CYCLES`.
        thresholds: ln(x) at the places of `CYCLES`.
    """

    cycles: Sequence[float]
    fresh: Sequence[float]
    thresholds: Sequence[float]


@lru_cache(maxsize=1024)
def curve_of(signal: Signal) -> Curve:
    """Return the curve of a signal."""
    first = math.sqrt(2e-8 / (1 - signal.recall))
    last = first
    while 1 - signal.value(last) > math.exp(-_END):
        last *= 1.5
    points = _thresholds(signal, first, last)
    found = [(signal.cycle(point), signal.value(point)) for point in points]
    values = [math.log(-math.log1p(-min(max(value, 1e-300), 1 - 1e-15))) for _, value in found]
    cycles = [math.log(length) for (length, _), _ in found]
    shares = [fresh / length for (length, fresh), _ in found]
    thresholds = [math.log(point) for point in points]
    # Below the first point, a cycle is as long as its threshold, which is the root of the value; beyond the last one, a
    # page is fetched so seldom that each fetch is worth the same.
    start, end, rare = cycles[0], cycles[-1], shares[-1]
    return Curve(
        _on(VALUES, values, cycles, lambda value: start + (value - values[0]) / 2, lambda _: end),
        _on(
            CYCLES,
            cycles,
            shares,
            lambda cycle: 1 - (1 - shares[0]) * math.exp(cycle - start),
            lambda cycle: rare * math.exp(end - cycle),
        ),
        _on(CYCLES, cycles, thresholds, lambda cycle: cycle, lambda cycle: thresholds[-1] + cycle - end),
    )


def _thresholds(signal: Signal, first: float, last: float) -> list[float]:
    """Return thresholds from the first to the last: more of them where one more move counts, and cycles get longer."""
    points = [first * (last / first) ** (at / _POINTS) for at in range(_POINTS + 1)]
    for number in range(1, int(last / signal.worth) + 1) if signal.worth > 1 else ():
        points += [number * signal.worth + min(signal.worth, 10) * 0.7**at for at in range(16)]
    return sorted(point for point in points if point <= last)


def _on(
    grid: Grid,
    places: Sequence[float],
    values: Sequence[float],
    below: Callable[[float], float],
    beyond: Callable[[float], float],
) -> list[float]:
    """Return a curve at the places of a grid, in straight lines between its points."""
    found = []
    for place in grid.places():
        at = bisect_left(places, place)
        if at == 0:
            found.append(below(place))
        elif at == len(places):
            found.append(beyond(place))
        else:
            share = (place - places[at - 1]) / ((places[at] - places[at - 1]) or 1.0)
            found.append(values[at - 1] + share * (values[at] - values[at - 1]))
    return found
