"""Instants as the core, Arrow and DuckDB count them: in microseconds since the beginning of 1970."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def instant_of(micros: int) -> datetime:
    """Return the instant of a number of microseconds, in UTC.

    Raises:
        OverflowError: It is not in one of the years of Python.
    """
    return _EPOCH + timedelta(microseconds=micros)


def rfc3339(instant: datetime) -> str:
    """Return the text of an instant in UTC, as every JSON and table has it: with a fraction only if there is one."""
    whole, point, fraction = instant.isoformat().removesuffix("+00:00").partition(".")
    return f"{whole}{point}{fraction.rstrip('0')}Z"


def micros_of(instant: datetime) -> int:
    """Return the microseconds of an instant, which has a zone."""
    return (instant - _EPOCH) // _MICROSECOND
