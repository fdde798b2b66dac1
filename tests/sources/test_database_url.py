"""Checks of the query and of the database URL, before anything is opened or run."""

from __future__ import annotations

from pathlib import Path

import pytest
from urlset import InputError
from urlset.sources._database_url import PostgreSQLServer, SQLiteFile, parse_url
from urlset.sources._sql import single_query

SECRET = "s3cret-of-nobody"


# --- what a query is ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "query"),
    [
        ("SELECT 1", "SELECT 1\n"),
        ("select 1 ; -- that's all;\n ;", "select 1 \n"),
        ("-- first;\n/* and; */ WITH a AS (SELECT ';') SELECT * FROM a", None),
        ("(SELECT 1) UNION (SELECT 2)", None),
        ("VALUES (';', \";\", `;`, E'\\';', $$;$$, $a$;$b$;$a$, 'it''s;')", None),
        ("TABLE pages -- here", None),
    ],
)
def test_a_query_is_cut_at_its_semicolon(sql: str, query: str | None) -> None:
    assert single_query(sql) == (query or sql + "\n")


@pytest.mark.parametrize(
    ("sql", "pattern"),
    [
        ("", "the query is empty"),
        (" ; -- SELECT 1", "the query is empty"),
        ("SELECT 1; SELECT 2", "the query must be a single statement"),
        ("SELECT 1; DROP TABLE pages", "the query must be a single statement"),
        ("UPDATE pages SET loc = ''", "must be a query that returns rows, such as SELECT …, got UPDATE"),
        ("/* SELECT */ ATTACH 'other.db' AS other", "must be a query that returns rows, such as SELECT …, got ATTACH"),
        ("PRAGMA user_version", "such as SELECT …, got PRAGMA"),
        ("COPY pages TO PROGRAM 'cat'", "such as SELECT …, got COPY"),
        ("SELECT 'a\0b'", "U\\+0000"),
    ],
)
def test_anything_but_a_single_query_is_refused(sql: str, pattern: str) -> None:
    with pytest.raises(InputError, match=pattern):
        single_query(sql)


# --- what a URL is ------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which is the test's own, with a file in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site.db").touch()
    return tmp_path


def test_a_url_names_an_sqlite_file(folder: Path) -> None:
    for url in ("sqlite:///site.db", "sqlite:site.db", "SQLite:./site.db", f"sqlite:///{folder}/site.db"):
        assert parse_url(url) == SQLiteFile(folder / "site.db")
    odd = folder / "100% ü?&#.db"
    odd.touch()
    assert parse_url(f"sqlite:///{odd}") == SQLiteFile(odd)


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("sqlite:///none.db", "none.db does not exist"),
        ("sqlite:///.", "is a folder, not an SQLite file"),
        ("sqlite:///", "does not name an SQLite file"),
        ("sqlite::memory:", "does not name an SQLite file"),
        ("sqlite://site.db", "must be followed by three slashes and a path"),
        ("sqlite:///a\0b", "U\\+0000"),
        ("sqlite+pysqlite:///site.db", "write sqlite:"),
        ("postgresql+psycopg://u@h/d", "write postgresql:"),
        ("mysql://u:p@h/d", "mysql: is not supported; use sqlite:///file.db, .*; from another database, export CSV"),
        ("site.db", "it has no scheme; use "),
        ("", "it has no scheme; use "),
    ],
)
def test_urls_without_a_supported_database_are_refused(folder: Path, url: str, pattern: str) -> None:
    with pytest.raises(InputError, match=pattern):
        parse_url(url)
    assert [*folder.iterdir()] == [folder / "site.db"]  # a missing file is not made


@pytest.mark.parametrize(
    "rest",
    [
        *(f"u:{SECRET}", f"u:a/{SECRET}@h/d", f"u:a@{SECRET}@h/d", f"u:{SECRET}@h@i/d", f"u:{SECRET}@h/d?a=b@c"),
        *(f"u:%{SECRET}@h/d", f"u:%00{SECRET}@h/d", f"u: {SECRET}@h/d", f"u:\n{SECRET}@h/d", f"u:{SECRET}@h:port/d"),
        *(f"h/d?{SECRET}", f"h/d?%{SECRET}=1", f"[::1/{SECRET}]", f"{SECRET}:{SECRET}:1/d", f"h/d?%20={SECRET}"),
    ],
)
def test_an_ambiguous_url_is_refused_and_not_shown(rest: str) -> None:
    with pytest.raises(
        InputError, match=r"the (parameters of the )?PostgreSQL URL (cannot be parsed|must be name=value)"
    ) as raised:
        parse_url(f"postgresql://{rest}")
    assert SECRET not in str(raised.value)
    assert raised.value.__context__ is None


@pytest.mark.parametrize("text", ["0", "301", "-1", "x", "", "²", "9" * 5_000])
def test_every_url_has_a_connect_timeout(text: str) -> None:
    with pytest.raises(InputError, match="connect_timeout must be from 1 to 300 seconds"):
        parse_url(f"postgres://h/d?connect_timeout=10&connect_timeout={text}")


@pytest.mark.parametrize(
    ("rest", "uri", "shown"),
    [
        ("h/d", "h/d?connect_timeout=10", "h/d"),
        ("u@h", "u@h?connect_timeout=10", "u@h/"),
        ("h?", "h?connect_timeout=10", "h/"),
        ("/d?host=/run", "/d?host=/run&connect_timeout=10", "/d"),
        ("u:a%40b@[::1]:5432/d", "u:a%40b@[::1]:5432/d?connect_timeout=10", "u@[::1]:5432/d"),
        ("u:a?#:b@h:1,i:2/d?sslmode=require", None, "u@h:1,i:2/d"),
        ("h/d?password=a&connect_timeout=300", "h/d?password=a&connect_timeout=300", "h/d"),
    ],
)
def test_the_default_connect_timeout_is_ten_seconds(rest: str, uri: str | None, shown: str) -> None:
    server = parse_url(f"postgres://{rest}")
    assert isinstance(server, PostgreSQLServer)
    assert server.uri == f"postgresql://{uri or rest + '&connect_timeout=10'}"
    assert server.shown == f"postgresql://{shown}"
    assert repr(server) == f"PostgreSQLServer(shown='postgresql://{shown}')"


@pytest.mark.parametrize(
    ("rest", "message", "quoted"),
    [
        ("u:p@h/d", "expired: p, 'p' and port", "expired: ***, '***' and port"),
        ("u:a%26b@h/d", "a&b or a%26b", "*** or ***"),
        ("h/d?password=a%26b&sslpassword=c", "a&b c", "*** ***"),
        ("u:u@h/d", "no user u", "no user u"),  # to mask the name would tell the password
        ("u:d@h/d", "no database d", "no database d"),
        ("u@h/d", "two\n\tlines \x1b[31m\n", "two; lines ␛[31m"),
        ("u@h/d", "x" * 5_000, "x" * 1_000 + "…"),
    ],
)
def test_messages_of_a_database_are_quoted_without_the_password(rest: str, message: str, quoted: str) -> None:
    assert parse_url(f"postgres://{rest}").quote(message) == quoted


@pytest.mark.parametrize("url", ["sqlite:\x1b[31m", "\x1b[31m:", "postgres://\x1b[31m", "postgres://h\u202e/d"])
def test_messages_have_no_control_characters(folder: Path, url: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_url(url)
    assert str(raised.value).isprintable()
