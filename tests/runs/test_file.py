"""The run file: what is written is there, whole batches only, and one writer at a time."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from urlset import InputError, UrlsetError
from urlset._runs.file import RunFile
from urlset._runs.schema import COLUMNS, cut

NOW = datetime(2026, 3, 1, 12, 30, 0, 123_456, tzinfo=UTC)
SITE = "https://shop.example/"


def begun(file: RunFile) -> int:
    """Begin a run."""
    return file.begin("crawl", SITE, settings={"max_pages": 3}, now=NOW, version="1")


def test_a_row_has_the_values_and_types_that_it_was_given(tmp_path: Path) -> None:
    page = {
        "loc": "https://shop.example/ü",
        "status": 200,
        "hops": [{"url": "https://shop.example/a", "status": 301}],
        "fetched": NOW,
        "robots": [],
        "is_noindex": False,
        "hreflang": [{"hreflang": "de", "href": "https://shop.example/de"}],
        "content_hash": 2**64 - 1,
        "seconds": 0.25,
        "title": 'a "quoted" title\u2028 with \\ and \U0001f600',
    }
    with RunFile(tmp_path / "a.duckdb") as file:
        run = begun(file)
        with file.transaction():
            file.insert("pages", [page | {"run": run}, {"run": run, "loc": "https://shop.example/b"}])
        file.end(run, "bounded", now=NOW, reason="the run has 3 pages")
    # Read by DuckDB itself, through Arrow, which needs no package for times.
    rows = duckdb.connect(str(tmp_path / "a.duckdb"), read_only=True).sql("FROM pages").to_arrow_table().to_pylist()
    assert rows[0] == dict.fromkeys(COLUMNS["pages"]) | page | {"run": run}
    assert rows[1] == dict.fromkeys(COLUMNS["pages"]) | {"run": run, "loc": "https://shop.example/b"}


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a type of a column, which may be absent."""
    if isinstance(kind, list):
        return st.none() | st.lists(values(kind[0]), max_size=3)
    if isinstance(kind, dict):
        return st.none() | st.fixed_dictionaries({name: values(each) for name, each in kind.items()})
    sizes = {
        "SMALLINT": (-(2**15), 2**15),
        "USMALLINT": (0, 2**16),
        "INTEGER": (-(2**31), 2**31),
        "BIGINT": (-(2**63), 2**63),
    }
    moments = st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
    of: dict[str, st.SearchStrategy[Any]] = {
        "VARCHAR": st.text(max_size=20),
        "BOOLEAN": st.booleans(),
        "DOUBLE": st.floats(allow_nan=False),
        "UBIGINT": st.integers(0, 2**64 - 1),
        "TIMESTAMPTZ": moments,
        **{name: st.integers(low, high - 1) for name, (low, high) in sizes.items()},
    }
    return st.none() | of[kind]


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_any_rows_come_back_as_they_were_given(data: st.DataObject) -> None:
    table = data.draw(st.sampled_from(["pages", "listed", "findings", "probes", "candidates"]))
    shape = {name: values(kind) for name, kind in COLUMNS[table].items()}
    rows = data.draw(st.lists(st.fixed_dictionaries({}, optional=shape), max_size=4))
    with RunFile() as file:
        with file.transaction():
            file.insert(table, rows)
        found = file.connection.sql(f"FROM {table}").to_arrow_table().to_pylist()
    assert found == [dict.fromkeys(COLUMNS[table]) | row for row in rows]


@pytest.mark.parametrize(("column", "wrong"), [("status", "200"), ("status", 2**15), ("robots", 1), ("loc", b"a")])
def test_a_value_of_another_type_is_refused(column: str, wrong: object) -> None:
    with RunFile() as file, pytest.raises((TypeError, OverflowError)):
        file.insert("pages", [{column: wrong}])


def test_runs_are_numbered_and_described(tmp_path: Path) -> None:
    with RunFile(tmp_path / "a.duckdb") as file:
        first, second = begun(file), begun(file)
        file.end(first, "complete", now=NOW)
    with RunFile(tmp_path / "a.duckdb", read_only=True) as file:
        one, two = file.runs()
    assert (first, second) == (one.run, two.run) == (1, 2)
    assert (one.state, one.started, one.ended, one.settings) == ("complete", NOW, NOW, {"max_pages": 3})
    assert (two.state, two.ended, two.reason) == ("running", None, None)


def test_a_file_is_about_one_site(tmp_path: Path) -> None:
    with RunFile(tmp_path / "a.duckdb") as file:
        begun(file)
        with pytest.raises(InputError, match=r"is about https://shop\.example/: name another file for https://other"):
            file.begin("audit", "https://other.example/", settings={}, now=NOW, version="1")


def test_a_transaction_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with RunFile(tmp_path / "a.duckdb") as file:

        def fail() -> None:
            with file.transaction():
                file.insert("pages", [{"run": 1, "loc": "https://shop.example/"}])
                file.connection.execute("FROM nothing")

        with pytest.raises(UrlsetError, match="the run file"):
            fail()
        assert file.connection.execute("SELECT count(*) FROM pages").fetchall() == [(0,)]


def test_another_process_is_told_that_the_file_is_in_use(tmp_path: Path) -> None:
    program = (
        "import sys; from urlset._runs.file import RunFile\ntry: RunFile(sys.argv[1])\nexcept Exception as e: print(e)"
    )
    path = tmp_path / "a.duckdb"
    with RunFile(path) as file:
        begun(file)
        ran = subprocess.run(
            [sys.executable, "-c", program, path], capture_output=True, text=True, env=os.environ, check=True
        )
        with pytest.raises(InputError, match="is in use"):
            RunFile(path)
    assert ran.stdout == f"another process works with {path}: wait for its end, or name another\n"
    RunFile(path).close()


@pytest.mark.parametrize("content", [b"", b"not a database" * 500])
def test_what_is_no_run_file_is_the_callers_fault(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.duckdb"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"run file"):
        RunFile(path, read_only=True)
    with pytest.raises(InputError, match="must be a file that a crawl or an audit has written"):
        RunFile(tmp_path / "missing", read_only=True)


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE customers (name VARCHAR)")
    for read_only in (False, True):
        with pytest.raises(InputError, match=r"tables of another program|not a run file"):
            RunFile(path, read_only=read_only)
    with duckdb.connect(str(path)) as connection:
        assert connection.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("customers",)]


def test_texts_of_sites_are_cut_and_have_an_encoding() -> None:
    assert cut("a" * 2_000) == "a" * 1_000
    assert cut("a\0b\ud800") == "a\ufffdb?"
    assert cut(None) is None


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE pages; CREATE VIEW pages AS SELECT * FROM read_text('{secret}')",
        "CREATE VIEW other AS SELECT * FROM read_text('{secret}')",
        "CREATE MACRO lower(x) AS (SELECT content FROM read_text('{secret}'))",
    ],
)
def test_what_a_stranger_has_put_into_a_run_file_reads_no_other_file(tmp_path: Path, statement: str) -> None:
    path, secret = tmp_path / "run.duckdb", tmp_path / "secret.txt"
    secret.write_text("secret")
    with RunFile(path) as file:
        begun(file)
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement.format(secret=secret))
    for read_only in (True, False):
        with pytest.raises(InputError, match="has views or macros"):
            RunFile(path, read_only=read_only)
