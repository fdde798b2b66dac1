"""Looks at pages that change at random moments, as rows for `urlset.rates`. The true rates are known."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

START: Final = datetime(2026, 1, 1, tzinfo=UTC)

#: From the moments of the changes so far, in days, and the time, to the lastmod in days; None for none.
Stated = Callable[[list[float], float], float | None]


def honest(past: list[float], _: float) -> float | None:
    """A lastmod that is the moment of the last change."""
    return past[-1] if past else -30.0


def stamped(_: list[float], now: float) -> float | None:
    """A lastmod that is always the day before the look."""
    return float(int(now))


def silent(_past: list[float], _now: float) -> float | None:
    """No lastmod."""
    return None


def moments(rate: float, days: float, draw: random.Random) -> list[float]:
    """Moments at which a page changes, in days."""
    found: list[float] = []
    at = draw.expovariate(rate) if rate else days + 1
    while at <= days:
        found.append(at)
        at += draw.expovariate(rate)
    return found


def looks(
    loc: str,
    rate: float,
    *,
    every: float,
    days: float,
    draw: random.Random,
    stated: Stated = silent,
    shows_content: bool = True,
) -> Iterator[dict[str, object]]:
    """Yield looks at a page at even intervals."""
    changes = moments(rate, days, draw)
    for number in range(int(days / every) + 1):
        now = number * every
        past = [each for each in changes if each <= now]
        lastmod = stated(past, now)
        yield {
            "loc": loc,
            "time": START + timedelta(days=now),
            "hash": str(len(past)) if shows_content else None,
            "lastmod": None if lastmod is None else (START + timedelta(days=lastmod)).isoformat(),
            "bytes": 1000,
        }
