"""How old the newest lastmod of a site is: a site whose sitemaps stand still has a generator that does not run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from urlset._model.instants import instant_of, micros_of
from urlset._util.durations import duration_of
from urlset._watch.state import State

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


def check_age(value: str | timedelta | None) -> timedelta | None:
    """Return how old the newest lastmod may be.

    Raises:
        InputError: It is not a time.
    """
    return None if value is None else duration_of("max_age", value)


def age_of(state: State, longest: timedelta, now: datetime) -> Age:
    """Return how old the newest lastmod of a state is."""
    micros = state.connection.execute(_NEWEST, {"now": micros_of(now)}).fetchone()[0]
    newest = None if micros is None else instant_of(micros)
    return Age(newest, newest is None or now - newest > longest)
