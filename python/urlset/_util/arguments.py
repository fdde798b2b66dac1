"""Checks of arguments that several verbs take under the same name."""

from __future__ import annotations

import re
from typing import Literal

from urlset._model.errors import InputError

OnError = Literal["raise", "collect"]

_ZONE = re.compile(r"Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00)", re.ASCII)


def check_on_error(on_error: str) -> None:
    """Raises InputError for anything but the two words."""
    if on_error not in ("raise", "collect"):
        raise InputError(f"on_error is {on_error!r}; it is 'raise' or 'collect'")


def check_zone(zone: str) -> None:
    """Raises InputError for what is no zone: `Z`, or an offset such as `+01:00`, up to 14:00 either way."""
    if not isinstance(zone, str) or not _ZONE.fullmatch(zone):
        raise InputError(f"{zone!r} is no zone; it is 'Z', or an offset up to 14:00 such as '+01:00'")
