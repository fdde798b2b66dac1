"""What a query is, and which database a URL names, before anything is opened or run."""

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
def test_one_query_is_taken_up_to_its_end(sql: str, query: str | None) -> None:
    assert single_query(sql) == (query or sql + "\n")


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("", "the query is empty"),
        (" ; -- SELECT 1", "the query is empty"),
        ("SELECT 1; SELECT 2", "there is more than one statement"),
        ("SELECT 1; DROP TABLE pages", "there is more than one statement"),
        ("UPDATE pages SET loc = ''", "a statement that begins with UPDATE is no query"),
        ("/* SELECT */ ATTACH 'other.db' AS other", "a statement that begins with ATTACH is no query"),
        ("PRAGMA user_version", "begins with PRAGMA"),
        ("COPY pages TO PROGRAM 'cat'", "begins with COPY"),
        ("SELECT 'a\0b'", "U\\+0000"),
    ],
)
def test_what_is_not_one_query_is_refused(sql: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        single_query(sql)


# --- what a URL is ------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test's own folder, which is the current one, with a file in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site.db").touch()
    return tmp_path


def test_the_files_of_sqlite(folder: Path) -> None:
    for url in ("sqlite:///site.db", "sqlite:site.db", "SQLite:./site.db", f"sqlite:///{folder}/site.db"):
        assert parse_url(url) == SQLiteFile(folder / "site.db")
    odd = folder / "100% ü?&#.db"
    odd.touch()
    assert parse_url(f"sqlite:///{odd}") == SQLiteFile(odd)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("sqlite:///none.db", "there is no file .*none.db"),
        ("sqlite:///.", "is a folder, and no file of SQLite"),
        ("sqlite:///", "the URL names no file of SQLite"),
        ("sqlite::memory:", "the URL names no file of SQLite"),
        ("sqlite://site.db", "come three slashes and a path"),
        ("sqlite:///a\0b", "U\\+0000"),
        ("sqlite+pysqlite:///site.db", "write sqlite:"),
        ("postgresql+psycopg://u@h/d", "write postgresql:"),
        ("mysql://u:p@h/d", "a database of mysql:; known are sqlite:///file.db, .*; from others, export to CSV"),
        ("site.db", "a database URL without a scheme; known are "),
        ("", "a database URL without a scheme; known are "),
    ],
)
def test_urls_that_name_no_database_of_ours(folder: Path, url: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
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
def test_a_url_that_can_be_read_in_two_ways_is_refused_and_not_shown(rest: str) -> None:
    with pytest.raises(InputError, match=r"the URL of PostgreSQL (cannot be read|is not name=value)") as raised:
        parse_url(f"postgresql://{rest}")
    assert SECRET not in str(raised.value)
    assert raised.value.__context__ is None


@pytest.mark.parametrize("text", ["0", "301", "-1", "x", "", "²", "9" * 5_000])
def test_no_url_waits_for_ever(text: str) -> None:
    with pytest.raises(InputError, match="connect_timeout is from 1 to 300 seconds"):
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
def test_who_does_not_answer_is_given_up_after_ten_seconds(rest: str, uri: str | None, shown: str) -> None:
    server = parse_url(f"postgres://{rest}")
    assert isinstance(server, PostgreSQLServer)
    assert server.uri == f"postgresql://{uri or rest + '&connect_timeout=10'}"
    assert server.shown == f"postgresql://{shown}"
    assert repr(server) == f"PostgreSQLServer(shown='postgresql://{shown}')"


@pytest.mark.parametrize(
    ("rest", "said", "quoted"),
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
def test_what_a_database_says_is_quoted_without_the_password(rest: str, said: str, quoted: str) -> None:
    assert parse_url(f"postgres://{rest}").quote(said) == quoted


@pytest.mark.parametrize("url", ["sqlite:\x1b[31m", "\x1b[31m:", "postgres://\x1b[31m", "postgres://h\u202e/d"])
def test_no_message_holds_what_a_terminal_obeys(folder: Path, url: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_url(url)
    assert str(raised.value).isprintable()
