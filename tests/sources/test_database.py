"""Rows of a database: read once, inside their block, in bounded memory, and to their end or with an error."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from support.sources.queries import LITE, NUMBERS, refused, table_of, written
from urlset import EntryError, InputError, UrlsetError
from urlset.sources.database import PostgreSQLRows, SQLiteRows, query

if TYPE_CHECKING:
    from support.postgres import Postgres

pytest_plugins = ["support.postgres"]

pa: Any = import_module("pyarrow")


@pytest.fixture
def both(lite: sqlite3.Connection, postgres: Postgres) -> dict[str, str]:
    """The URLs of a database of each kind."""
    return {"lite": LITE, "postgres": postgres.url()}


@pytest.mark.parametrize("name", ["lite", "postgres"])
def test_rows_can_be_read_only_once_and_inside_their_block(both: dict[str, str], name: str) -> None:
    with query(both[name], "SELECT 1 AS loc, 2 AS x") as rows:
        assert rows.columns == ("loc", "x")
        assert len(list(taken(rows))) == 1
        with pytest.raises(InputError, match="can be read only once, inside its `with` block"):
            taken(rows)
    with query(both[name], "SELECT 1 AS loc") as rows:
        pass
    with pytest.raises(InputError, match="can be read only once, inside its `with` block"):
        taken(rows)


def taken(rows: SQLiteRows | PostgreSQLRows) -> Iterator[object]:
    """Return an iterator over the rows, or over the batches."""
    return iter(rows if isinstance(rows, SQLiteRows) else pa.RecordBatchReader.from_stream(rows))


def test_the_schema_can_be_read_before_the_rows(postgres: Postgres) -> None:
    with query(postgres.url(), "SELECT 'a' AS loc, 2 AS x") as rows:
        assert pa.schema(rows).names == ["loc", "x"]
        assert table_of(rows).to_pylist() == [{"loc": "a", "x": 2}]
    assert isinstance(rows, PostgreSQLRows)
    with pytest.raises(InputError, match="can be read only once, inside its `with` block"):
        rows.__arrow_c_schema__()


def test_duckdb_reads_the_rows_and_errors_quote_the_database(postgres: Postgres) -> None:
    with query(postgres.url(), "VALUES ('a', 1), ('b', NULL)") as rows, duckdb.connect() as connection:
        assert connection.from_arrow(rows).select("column2, column1").fetchall() == [(1, "a"), (None, "b")]

    def fail(how: str) -> None:
        sql = "SELECT 1 / (4000 - i) AS x FROM generate_series(1, 5000) AS i"
        with query(postgres.url(), sql) as rows, duckdb.connect() as connection:
            relation = connection.from_arrow(rows) if how == "by object" else connection.sql("FROM rows")
            relation.sum("x").fetchall()

    for how in ("by object", "by name"):
        with pytest.raises(InputError, match=r"failed while its rows were read: ERROR: division by zero$"):
            fail(how)


@pytest.mark.parametrize("name", ["lite", "postgres"])
def test_other_errors_in_the_block_are_not_changed(both: dict[str, str], name: str) -> None:
    for sql, kind, pattern in (
        ("SELECT '/relative' AS loc", EntryError, "row 1"),
        ("SELECT 'x' AS url", UrlsetError, "loc"),
    ):
        with pytest.raises(kind, match=pattern) as raised:
            written(both[name], sql)
        assert "while its rows were read" not in str(raised.value)
    with pytest.raises(KeyError), query(both[name], "SELECT 1 AS loc"):
        raise KeyError


MANY = "SELECT 'https://example.com/' || i AS loc FROM (SELECT generate_series(1, 100000000) AS i) AS series"


def test_leaving_in_the_middle_closes_the_connection_at_once(postgres: Postgres) -> None:
    with query(postgres.url(), MANY) as rows:
        reader = pa.RecordBatchReader.from_stream(rows)
        assert 0 < reader.read_next_batch().num_rows < 1_000_000
        assert postgres.connections() == 1
    for _ in range(100):  # the server takes a moment to see it
        if postgres.connections() == 0:
            break
    assert postgres.connections() == 0
    with pytest.raises(Exception, match="statement or reader was closed"):
        reader.read_next_batch()
    with pytest.raises(KeyboardInterrupt), query(postgres.url(), "SELECT 1 AS loc"):
        raise KeyboardInterrupt
    assert postgres.connections() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
def test_leaving_in_the_middle_closes_the_file(lite: sqlite3.Connection) -> None:
    def opened() -> int:
        links = [path for path in Path("/proc/self/fd").iterdir() if path.exists()]
        return sum(path.resolve() == Path("site.db").resolve() for path in links)

    before = opened()
    with query(LITE, f"SELECT i AS loc FROM {NUMBERS}") as rows:
        reading = taken(rows)
        next(reading)
        assert opened() == before + 1
    assert opened() == before
    with pytest.raises(InputError, match="failed while its rows were read: Cannot operate on a closed"):
        next(reading)
    refused(LITE, "SELECT * FROM none")
    assert opened() == before


def test_a_lost_server_is_an_error_and_not_the_end_of_the_rows(postgres: Postgres) -> None:
    def count() -> None:
        with query(postgres.url(), MANY) as rows, duckdb.connect() as connection:
            postgres.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY%'")
            connection.from_arrow(rows).aggregate("count(*)").fetchall()

    pattern = "failed while its rows were read: (FATAL: terminating connection|.* server closed the connection)"
    with pytest.raises(InputError, match=pattern):
        count()


MEMORY = """
    import sys
    from importlib import import_module
    from pathlib import Path
    from urlset.sources.database import PostgreSQLRows, query

    pa = import_module("pyarrow")

    def peak():
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) >> 10

    def run(rows):
        with query(sys.argv[1], sys.argv[2].format(rows)) as found:
            if isinstance(found, PostgreSQLRows):
                return sum(len(batch) for batch in pa.RecordBatchReader.from_stream(found))
            return sum(1 for _ in found)

    assert run(100_000) == 100_000
    before = peak()
    assert run(1_000_000) == 1_000_000
    print(peak() - before)
"""
SERIES = {
    "lite": "(WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s LIMIT {}) SELECT i FROM s)",
    "postgres": "(SELECT generate_series(1, {}) AS i) AS s",
}


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
@pytest.mark.parametrize("name", ["lite", "postgres"])
def test_memory_does_not_grow_with_the_rows(both: dict[str, str], name: str) -> None:
    sql = f"SELECT 'https://example.com/' || i AS loc, '{'x' * 100}' AS content FROM {SERIES[name]}"
    command = [sys.executable, "-c", textwrap.dedent(MEMORY), both[name], sql]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    # Of 130 MB.
    assert int(ended.stdout) < 24


@pytest.mark.parametrize("missing", ["adbc_driver_manager", "adbc_driver_postgresql"])
def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    assert "pip install 'urlset[postgresql]'" in refused("postgres://127.0.0.1:1/d")
