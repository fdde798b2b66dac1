"""How old the newest lastmod of a site is: a site whose sitemaps stand still has a generator that does not run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from urlset._model.errors import InputError
from urlset._model.instants import instant_of, micros_of
from urlset._watch.state import State

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
#: Days that a lastmod leaves open, by the precision with which a moment is kept: a year, a month, a day, an instant. It
#: counts as late as it can be.
_DAYS: Final = (366, 31, 1, 0)
_NEWEST: Final = f"""
    SELECT max(min((moment >> 2) + CASE moment & 3 {
    " ".join(f"WHEN {at} THEN {days * 86_400_000_000}" for at, days in enumerate(_DAYS))
} END, $now)) FROM entries WHERE moment >> 2 <= $now
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Age:
    """How old the newest lastmod is.

    Attributes:
        newest: That lastmod; None if there is none.
        is_stale: Whether it is too old, or there is none.
    """

    newest: datetime | None
    is_stale: bool


def seconds_of(text: str) -> float | None:
    """Return a time such as `30m` or `2d` in seconds; None for anything else.

    Example:
        >>> seconds_of("1.5h"), seconds_of("soon")
        (5400.0, None)
    """
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)([smhd])", text, re.ASCII)
    seconds = 0.0 if found is None else float(found[1]) * _UNITS[found[2]]
    return seconds or None


def check_age(value: str | timedelta | None) -> timedelta | None:
    """Return how old the newest lastmod may be.

    Raises:
        InputError: It is not a time.
    """
    if value is None or isinstance(value, timedelta):
        if value is not None and value <= timedelta():
            raise InputError(f"max_age must be more than nothing, got {value!r}")
        return value
    seconds = seconds_of(value) if isinstance(value, str) else None
    try:
        if seconds is not None:
            return timedelta(seconds=seconds)
    except OverflowError:
        pass
    raise InputError(f"max_age must be a time such as 12h or 2d, got {value!r}")


def age_of(state: State, longest: timedelta, now: datetime) -> Age:
    """Return how old the newest lastmod of a state is."""
    micros = state.connection.execute(_NEWEST, {"now": micros_of(now)}).fetchone()[0]
    newest = None if micros is None else instant_of(micros)
    return Age(newest, newest is None or now - newest > longest)
