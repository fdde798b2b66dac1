"""How long something lasts, as people write it: `30m`, `12h`, `2d`."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from urlset._model.errors import InputError

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def seconds_of(text: str) -> float | None:
    """Return a time such as `30m` or `2d` in seconds; None for anything else.

    Example:
        >>> seconds_of("1.5h"), seconds_of("soon")
        (5400.0, None)
    """
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)([smhd])", text, re.ASCII)
    seconds = 0.0 if found is None else float(found[1]) * _UNITS[found[2]]
    return seconds or None


def duration_of(name: str, value: str | timedelta) -> timedelta:
    """Return how long an argument says.

    Args:
        name: The argument, for messages.
        value: A text such as `2d`, or a timedelta.

    Raises:
        InputError: It is not a time, or none at all.
    """
    if isinstance(value, timedelta):
        if value <= timedelta():
            raise InputError(f"{name} must be more than nothing, got {value!r}")
        return value
    seconds = seconds_of(value) if isinstance(value, str) else None
    try:
        if seconds is not None:
            return timedelta(seconds=seconds)
    except OverflowError:
        pass
    raise InputError(f"{name} must be a time such as 12h or 2d, got {value!r}")
