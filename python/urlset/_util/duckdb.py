"""DuckDB, which reads and writes tables of rows, as far as both directions share it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def connect() -> DuckDBPyConnection:
    """A database of our own, in memory.

    It works on one thread, which keeps memory flat: with more, finished pieces wait until the rows
    before them are out. The core, which it feeds or is fed by, is at work beside it.
    """
    import duckdb  # noqa: PLC0415  (0.15 s, for which the verbs without rows should not wait)

    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def moment_text(column: str) -> str:
    """SQL for a TIMESTAMP WITH TIME ZONE as RFC 3339 in UTC, with a fraction only where there is one."""
    fraction = f"CASE epoch_us({column}) % 1000000 WHEN 0 THEN '' ELSE rtrim(strftime({column}, '.%f'), '0') END"
    return f"(strftime({column}, '%Y-%m-%dT%H:%M:%S') || {fraction} || 'Z')"
