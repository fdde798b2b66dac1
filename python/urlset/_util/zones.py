"""The zone of times that state none: `Z`, an offset, or a name of the time zone database."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from urlset._model.core_types import ZoneOffsets
from urlset._model.errors import InputError

_OFFSET = re.compile(r"Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00)", re.ASCII)
#: A name that every time zone database has.
_USUAL = "Europe/Berlin"
#: The days from the epoch on in which the changes of a zone are looked up: no page is older, and nobody knows the zones
#: of the next century. After them the last offset applies.
_DAYS = 365 * 130
#: Before any time.
_ALWAYS = -(2**63)


def check_zone(zone: str) -> None:
    """Raise InputError unless it is `Z`, an offset such as `+01:00`, up to 14:00 either way, or a known name."""
    if not _is_offset(zone):
        _named(zone)


def zone_offsets(zone: str | None) -> ZoneOffsets | None:
    """Return the offsets of a zone, each with the seconds since the epoch, by its clock, from which it applies.

    When clocks are put back, an hour is repeated, and when they are put forward, one is left out. A time in either
    counts by the offset before the change, as in Python.

    Raises:
        InputError: There is no such zone, or the machine has no time zone database.

    Example:
        >>> zone_offsets("+01:00")
        ((-9223372036854775808, '+01:00'),)
    """
    if zone is None:
        return None
    return ((_ALWAYS, zone),) if _is_offset(zone) else _offsets_of(_named(zone))


def _is_offset(zone: str) -> bool:
    return isinstance(zone, str) and _OFFSET.fullmatch(zone) is not None


def _named(zone: str) -> ZoneInfo:
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError) as error:
        known = f"a name such as {_USUAL!r}, an offset up to 14:00 such as '+01:00', or 'Z'"
        problem = f"zone must be {known}, got {zone!r}"
        if not _has_database():
            problem += ": this machine has no time zone database; pip install tzdata"
        raise InputError(problem) from error


def _has_database() -> bool:
    try:
        ZoneInfo(_USUAL)
    except ZoneInfoNotFoundError:
        return False
    return True


@lru_cache(maxsize=16)
def _offsets_of(zone: ZoneInfo) -> ZoneOffsets:
    before = _offset(zone, 0)
    offsets = [(0, _written(before))]
    for day in range(_DAYS):
        begin, end = day * 86_400, (day + 1) * 86_400
        after = _offset(zone, end)
        if before == after:
            continue
        while end - begin > 1:
            middle = (begin + end) // 2
            begin, end = (middle, end) if _offset(zone, middle) == before else (begin, middle)
        offsets.append((end + max(before, after), _written(after)))
        before = after
    return tuple(offsets)


def _offset(zone: ZoneInfo, seconds: int) -> int:
    """Return the seconds that a zone is ahead of UTC at an instant."""
    ahead = datetime.fromtimestamp(seconds, zone).utcoffset()
    return round(ahead.total_seconds()) if ahead is not None else 0


def _written(seconds: int) -> str:
    """Return an offset as the W3C profile writes it, or nothing if it is not of whole minutes."""
    hours, rest = divmod(abs(seconds), 3_600)
    minutes, rest = divmod(rest, 60)
    return f"{'-' if seconds < 0 else '+'}{hours:02}:{minutes:02}" if not rest else ""
