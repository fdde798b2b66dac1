"""What may be spent in a day, as a number or as a text with units."""

from __future__ import annotations

import re
from dataclasses import dataclass

from urlset._model.errors import InputError

#: The least and the greatest number that counts, so that products of them are numbers too.
LEAST, MOST = 1e-12, 1e12
#: The largest amount: of bytes, more than all networks carry.
MOST_A_DAY = 1e21

_AMOUNT = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[kMGT]?B)?(?:\s*/\s*(?P<time>day|hour|minute|second))?")
_UNITS = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_PER_DAY = {"day": 1, "hour": 24, "minute": 24 * 60, "second": 24 * 60 * 60}


@dataclass(frozen=True, slots=True)
class Amount:
    """What may be spent in a day.

    Attributes:
        per_day: How much.
        is_bytes: Whether it is a number of bytes, and not of fetches.
    """

    per_day: float
    is_bytes: bool


def amount(name: str, given: float | str) -> Amount:
    """Return the amount that an argument means.

    Args:
        name: The argument, for messages.
        given: A number of fetches per day, or a text such as `20GB/day`.

    Raises:
        InputError: It is neither, or out of bounds.
    """
    if isinstance(given, str) and (found := _AMOUNT.fullmatch(given.strip())):
        per_day = float(found["number"]) * _UNITS.get(found["unit"] or "B", 1) * _PER_DAY[found["time"] or "day"]
        is_bytes = found["unit"] is not None
    elif isinstance(given, int | float) and not isinstance(given, bool):
        per_day, is_bytes = float(given), False
    else:
        raise InputError(f"{name} must be a number or a text such as '10000/day' or '20GB/day', got {given!r}")
    if not LEAST <= per_day <= MOST_A_DAY:
        raise InputError(f"{name} must be from {LEAST:g} to {MOST_A_DAY:g} a day, got {given!r}")
    return Amount(per_day, is_bytes)
