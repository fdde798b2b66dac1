"""Between which values the share of a whole is, if it was counted in a part of it."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, lgamma
from typing import Final

#: What is outside of an interval at each of its ends. Pages are whole numbers, so how often an interval holds goes up
#: and down with the truth: with 2.5 % at each end, it would be 92 % for some, and with 2 % it is at least 93 %.
_TAIL: Final = 0.02
#: What is outside of a bound.
_ABOVE: Final = 0.05
#: A term of a sum that is so much smaller than the sum changes nothing.
_SMALLEST: Final = 1e-17


def wilson(hits: int, drawn: int, *, z: float = 1.96) -> tuple[float, float]:
    """Return the interval that has a share with a probability of 95 %, if it was seen so often in trials without end.

    Source: Wilson, Probable inference, the law of succession, and statistical inference (1927).

    Example:
        >>> low, high = wilson(10, 100)
        >>> round(low, 3), round(high, 3)
        (0.055, 0.174)
    """
    if not drawn:
        return 0.0, 1.0
    share, square = hits / drawn, z * z
    middle = (share + square / (2 * drawn)) / (1 + square / drawn)
    half = z * (share * (1 - share) / drawn + square / (4 * drawn * drawn)) ** 0.5 / (1 + square / drawn)
    # The ends are exact where the sums of floats are not.
    return 0.0 if not hits else max(0.0, middle - half), 1.0 if hits == drawn else min(1.0, middle + half)


def of_whole(hits: int, drawn: int, whole: int) -> tuple[int, int]:
    """Return between how many and how many of a whole there are, with 95 %, if so many of those drawn from it are hits.

    What was drawn is known, so the interval ends at the truth when everything is drawn. Half of the probability of what
    was seen counts to each side: the interval holds as often as it says, and hardly more often.

    Sources: Lancaster, Significance tests in discrete distributions (1961); the hypergeometric distribution.

    Example:
        >>> of_whole(10, 100, 500), of_whole(10, 500, 500)
        ((28, 83), (10, 10))
    """
    most = whole - (drawn - hits)
    low = _first(hits, most, lambda count: _tail(hits, drawn, count, whole, step=1) > _TAIL)
    high = _first(hits, most, lambda count: _tail(hits, drawn, count, whole, step=-1) <= _TAIL)
    # The last that still holds is the one before the first that does not.
    return low, most if _tail(hits, drawn, most, whole, step=-1) > _TAIL else high - 1


def at_most(drawn: int, whole: int) -> int:
    """Return how many of a whole there can be at most, with a confidence of 95 %, if none of those drawn is one.

    Source: the rule of three, for a whole that is finite: Hanley and Lippman-Hand, If nothing goes wrong, is everything
    all right? (1983).

    Example:
        >>> at_most(100, 10_000), at_most(500, 500)
        (293, 0)
    """
    most = whole - drawn
    if _probability(0, drawn, most, whole) >= _ABOVE:
        return most
    return _first(0, most, lambda count: _probability(0, drawn, count, whole) < _ABOVE) - 1


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the first number from which on something holds; the highest if it holds for none."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _probability(hits: int, drawn: int, count: int, whole: int) -> float:
    """Return how likely so many hits are if there are so many in the whole."""
    if hits > count or drawn - hits > whole - count:
        return 0.0

    def ways(some: int, of: int) -> float:
        return lgamma(of + 1) - lgamma(some + 1) - lgamma(of - some + 1)

    return exp(ways(hits, count) + ways(drawn - hits, whole - count) - ways(drawn, whole))


def _tail(hits: int, drawn: int, count: int, whole: int, *, step: int) -> float:
    """Return how likely more hits are, or fewer, with half of the probability of exactly as many."""
    term = _probability(hits, drawn, count, whole)
    total, at = term / 2, hits
    if not term:
        # So many are impossible: the whole has too few of them, or too few others.
        return float((hits > count) == (step < 0))
    while term > total * _SMALLEST:
        others = whole - count - drawn
        if step > 0:
            term *= (count - at) * (drawn - at) / ((at + 1) * (others + at + 1))
        else:
            term *= at * (others + at) / ((count - at + 1) * (drawn - at + 1))
        at += step
        total += term
    return total
