"""The result of a query: its rows, the XML that they are written as, or the message that refuses it."""

from __future__ import annotations

import io
from importlib import import_module
from typing import Any

import pytest
import urlset
from urlset import InputError
from urlset.sources.database import PostgreSQLRows, SQLiteRows, query

pa: Any = import_module("pyarrow")

LOC = "https://example.com/"
SECRET = "s3cret-of-nobody"
LITE = "sqlite:///site.db"
NUMBERS = "(WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 5000) SELECT i FROM s)"


def records(url: str, sql: str) -> list[dict[str, object]]:
    """Return all rows of SQLite."""
    with query(url, sql) as rows:
        assert isinstance(rows, SQLiteRows)
        return list(rows)


def table(url: str, sql: str) -> Any:
    """Return all rows of PostgreSQL as a pyarrow table."""
    with query(url, sql) as rows:
        return table_of(rows)


def table_of(rows: SQLiteRows | PostgreSQLRows) -> Any:
    """Return the rows as a pyarrow table."""
    return pa.RecordBatchReader.from_stream(rows).read_all()


def written(url: str, sql: str) -> str:
    """Return the entries that urlset writes for the rows."""
    buffer = io.BytesIO()
    with query(url, sql) as rows:
        urlset.write(rows, buffer)
    return "".join(buffer.getvalue().decode().splitlines()[2:-1])


def refused(url: str, sql: str = "SELECT 'x' AS loc") -> str:
    """Return the message of the InputError, after checking that the password is nowhere in the error or its causes."""
    with pytest.raises(InputError) as raised, query(url, sql):
        pass
    error: BaseException | None = raised.value
    while error is not None:
        for text in (str(error), repr(error), *map(str, getattr(error, "__notes__", ()))):
            assert SECRET not in text
        error = error.__cause__ or error.__context__
    return str(raised.value)
