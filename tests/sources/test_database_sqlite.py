"""Rows of SQLite: how every value is read, what is refused, and that nothing is written."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from pathlib import Path

import pytest
from support.sources.queries import LITE, LOC, NUMBERS, records, refused, written
from urlset import InputError


def test_each_value_of_sqlite_keeps_its_own_type(lite: sqlite3.Connection) -> None:
    lite.execute("CREATE TABLE pages (loc TEXT, lastmod, priority REAL, n INTEGER, mixed, content BLOB)")
    lite.execute("INSERT INTO pages VALUES ('https://a.example/', NULL, 0.5, 1, 'x', x'41'), ('é', '2024', 1, 2, 3, 4)")
    assert records(LITE, "SELECT * FROM pages") == [
        {"loc": "https://a.example/", "lastmod": None, "priority": 0.5, "n": 1, "mixed": "x", "content": b"A"},
        {"loc": "é", "lastmod": "2024", "priority": 1.0, "n": 2, "mixed": 3, "content": 4},
    ]


def test_rows_of_sqlite_keep_their_order_and_their_number(lite: sqlite3.Connection) -> None:
    for count in (0, 1, 5000):
        found = records(LITE, f"SELECT i AS loc FROM {NUMBERS} WHERE i <= {count} ORDER BY i DESC")
        assert [row["loc"] for row in found] == list(range(count, 0, -1))


def test_rows_of_sqlite_can_be_written(lite: sqlite3.Connection) -> None:
    lite.execute("CREATE TABLE pages (loc, updated, seconds, priority, changefreq)")
    lite.execute("INSERT INTO pages VALUES ('https://example.com/a', '2024-01-02 03:04:05', 86400, 0.5, 'daily')")
    assert written(LITE, "SELECT loc, strftime('%Y-%m-%dT%H:%M:%SZ', updated) AS lastmod, priority FROM pages") == (
        "<url><loc>https://example.com/a</loc><lastmod>2024-01-02T03:04:05Z</lastmod><priority>0.5</priority></url>"
    )
    unix = "SELECT loc, strftime('%Y-%m-%dT%H:%M:%SZ', seconds, 'unixepoch') AS lastmod FROM pages"
    assert "<lastmod>1970-01-02T00:00:00Z</lastmod>" in written(LITE, unix)
    for column, pattern in (("updated", "MOD004"), ("seconds", "lastmod is int")):
        with pytest.raises(InputError, match=pattern):
            written(LITE, f"SELECT loc, {column} AS lastmod FROM pages")


@pytest.mark.parametrize(
    ("sql", "pattern"),
    [
        ("SELECT * FROM none", "site.db refuses the query: no such table: none"),
        ("SELECT none FROM pages", "site.db refuses the query: no such column: none"),
        ("SELECT FROM", 'site.db refuses the query: near "FROM": syntax error'),
        ("SELECT ? AS loc", "site.db refuses the query: Incorrect number of bindings supplied"),
        ("TABLE pages", 'near "TABLE": syntax error'),
        ("WITH a AS (SELECT 1) DELETE FROM pages", "attempt to write a readonly database"),
        ("WITH a AS (SELECT 1) UPDATE pages SET loc = 'y' RETURNING loc", "attempt to write a readonly database"),
        ("SELECT 1 AS loc, 2 AS loc", "two columns of the query are named loc: rename one"),
        ("SELECT 1 AS loc, 2 AS LOC", "two columns of the query are named LOC"),
        ("SELECT load_extension('x') AS loc", "not authorized"),
        ("SELECT CAST(x'ff' AS TEXT) AS loc", "Could not decode to UTF-8"),
        (
            f"SELECT '{LOC}' AS loc, substr(json(iif(i = 4000, '{{', '1')), 2) AS changefreq FROM {NUMBERS}",
            "read: malformed JSON",
        ),
        (f"SELECT x'41' AS lastmod, '{LOC}' AS loc", "lastmod is bytes"),
        ("SELECT x'41' AS loc", "loc is bytes"),
    ],
)
def test_queries_and_values_of_sqlite_that_are_refused(lite: sqlite3.Connection, sql: str, pattern: str) -> None:
    lite.execute("CREATE TABLE pages (loc)")
    with pytest.raises(InputError, match=re.escape(pattern)):
        written(LITE, sql)


def test_a_file_that_is_not_a_database_is_reported(lite: sqlite3.Connection) -> None:
    Path("junk.db").write_bytes(b"no database at all" * 100)
    assert "junk.db refuses the query: file is not a database" in refused("sqlite:junk.db", "SELECT * FROM pages")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is closed to root")
def test_an_unreadable_file_is_reported(lite: sqlite3.Connection) -> None:
    lite.execute("CREATE TABLE pages (loc)")
    Path("site.db").chmod(0)
    assert "site.db cannot be opened: unable to open database file" in refused(LITE)


def test_sqlite_is_not_written(lite: sqlite3.Connection) -> None:
    lite.execute("CREATE TABLE pages (loc)")
    lite.execute("INSERT INTO pages VALUES ('x')")
    before = Path("site.db").read_bytes()
    assert records(LITE, "SELECT * FROM pages") == [{"loc": "x"}]
    assert Path("site.db").read_bytes() == before
    assert [*Path().iterdir()] == [Path("site.db")]


def test_sqlite_waits_while_another_connection_writes(lite: sqlite3.Connection) -> None:
    lite.execute("CREATE TABLE pages (loc)")
    lite.execute("BEGIN EXCLUSIVE")
    lite.execute("INSERT INTO pages VALUES ('x')")
    found: list[object] = []
    reading = threading.Thread(target=lambda: found.extend(records(LITE, "SELECT * FROM pages")))
    reading.start()
    reading.join(0.2)  # in which it would have failed
    assert not found
    lite.execute("COMMIT")
    reading.join()
    assert found == [{"loc": "x"}]
