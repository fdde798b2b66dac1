"""Rows of a real PostgreSQL: how every type is read, what is refused, and with which message."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import pytest
from support.sources.queries import LOC, SECRET, refused, table, written
from urlset import InputError

if TYPE_CHECKING:
    from support.postgres import Postgres

pytest_plugins = ["support.postgres"]


@pytest.fixture(scope="module")
def types(postgres: Postgres) -> str:
    """The URL of a database with types of its own."""
    postgres.run("CREATE DATABASE types")
    url = postgres.url(database="types")
    postgres.run(
        "CREATE TYPE freq AS ENUM ('daily', 'never'); CREATE DOMAIN address AS text;"
        "CREATE TYPE image AS (loc text, title text); CREATE EXTENSION citext",
        database="types",
    )
    return url


MOMENT = datetime(2024, 1, 2, 3, 4, 5, 678901, UTC)


@pytest.mark.parametrize(
    ("value", "type_", "found"),
    [
        ("'a'::text", "string", "a"),
        ("'a'::varchar(5)", "string", "a"),
        ("'a'::char(3)", "string", "a  "),
        ("'daily'::freq", "string", "daily"),
        ("'a'::address", "string", "a"),
        ("NULL", "string", None),
        ("date '2024-01-02'", "date32[day]", date(2024, 1, 2)),
        ("timestamptz '2024-01-02 04:04:05.678901+01'", "timestamp[us, tz=UTC]", MOMENT),
        ("timestamp '2024-01-02 03:04:05.678901' AT TIME ZONE 'UTC'", "timestamp[us, tz=UTC]", MOMENT),
        ("timestamp '2024-01-02 03:04:05.678901'", "timestamp[us]", MOMENT.replace(tzinfo=None)),
        ("0.80::numeric(3, 2)", "extension<arrow.opaque[storage_type=string, type_name=numeric", "0.80"),
        ("0.5::real", "float", 0.5),
        ("0.8::float8", "double", 0.8),
        ("1::smallint", "int16", 1),
        ("true", "bool", True),
        ("'[\"a\"]'::json", "extension<arrow.json>", '["a"]'),
        ("'{\"a\":1}'::jsonb", "extension<arrow.json>", '{"a": 1}'),
        ("ARRAY['a', NULL]", "list<item: string>", ["a", None]),
        ("ARRAY['{\"a\":1}'::jsonb]", "list<item: extension<arrow.json>>", ['{"a": 1}']),
        ("ROW('a', 'b')::image", "struct<loc: string, title: string>", {"loc": "a", "title": "b"}),
        ("ARRAY[ROW('a', 'b')::image]", "list<item: struct<", [{"loc": "a", "title": "b"}]),
        ("'a'::citext", "extension<arrow.opaque[storage_type=binary, type_name=citext", b"a"),
        ("'a'::citext::text", "string", "a"),
        ("'\\x61'::bytea", "binary", b"a"),
    ],
)
def test_every_type_of_postgresql_that_a_row_could_have(types: str, value: str, type_: str, found: Any) -> None:
    answer = table(types, f"SELECT {value} AS x")
    assert str(answer.schema.field("x").type).startswith(type_)
    assert answer["x"].to_pylist() == [found]


@pytest.mark.parametrize(
    ("columns", "entry"),
    [
        ("date '2024-01-02' AS lastmod", "<lastmod>2024-01-02</lastmod>"),
        ("timestamptz '2024-01-02 04:04:05+01' AS lastmod", "<lastmod>2024-01-02T03:04:05Z</lastmod>"),
        ("timestamp '2024-01-02 03:04' AT TIME ZONE 'UTC' AS lastmod", "<lastmod>2024-01-02T03:04:00Z</lastmod>"),
        ("NULL::timestamptz AS lastmod, NULL AS changefreq, NULL::numeric AS priority", ""),
        ("0.8::numeric(2, 1) AS priority", "<priority>0.8</priority>"),
        ("0.8::real AS priority", "<priority>0.8</priority>"),
        ("1 AS priority", "<priority>1.0</priority>"),
        ("'daily'::freq AS changefreq", "<changefreq>daily</changefreq>"),
        (f"ARRAY['{LOC}1'] AS images", f"<image:image><image:loc>{LOC}1</image:loc></image:image>"),
        (
            f"ARRAY[ROW('{LOC}1', 'A')::image] AS images",
            f"<image:image><image:loc>{LOC}1</image:loc><image:title>A</image:title></image:image>",
        ),
    ],
)
def test_rows_of_postgresql_can_be_written(types: str, columns: str, entry: str) -> None:
    sql = f"SELECT '{LOC}'::address AS loc, {columns}"
    assert written(types, sql) == f"<url><loc>{LOC}</loc>{entry}</url>"


@pytest.mark.parametrize(
    ("column", "pattern"),
    [
        ("timestamp '2024-01-02 03:04:05' AS lastmod", "holds times without a zone: give it one, such as UTC"),
        ("timestamptz 'infinity' AS lastmod", "MOD00"),
        ("date '-infinity' AS lastmod", "MOD00"),
        ("'nan'::numeric AS priority", "PRI001"),
        ("'daily'::char(9) AS changefreq", "FRQ001"),
        ("'daily'::citext AS changefreq", 'the column "changefreq" has to be text, not Binary'),
        ("ROW('a', 'b') AS images", 'the column "images" has an unknown field "oid"'),
        ("1 / (i - 1) AS priority", "postgresql://.* failed while its rows were read: ERROR: division by zero$"),
    ],
)
def test_values_of_postgresql_that_the_writer_refuses(types: str, column: str, pattern: str) -> None:
    with pytest.raises(InputError, match=pattern):
        written(types, f"SELECT '{LOC}' AS loc, {column} FROM generate_series(1, 3) AS i")


@pytest.mark.parametrize("database", ["LATIN1", "SQL_ASCII"])
def test_text_is_utf_8_whatever_the_server_keeps(postgres: Postgres, database: str) -> None:
    postgres.run(f"CREATE DATABASE \"{database}\" ENCODING '{database}' LOCALE 'C' TEMPLATE template0")
    assert table(postgres.url(database=database), "SELECT 'é' AS loc")["loc"].to_pylist() == ["é"]


@pytest.mark.parametrize(
    ("sql", "pattern"),
    [
        ("SELECT * FROM none", 'refuses the query: ERROR: relation "none" does not exist'),
        ("SELECT relnam FROM pg_class", 'column "relnam" does not exist; HINT: Perhaps you meant to reference the'),
        ("SELECT FROM WHERE", 'refuses the query: ERROR: syntax error at or near "WHERE"'),
        ("SELECT $1 AS loc", "there is no parameter $1"),
        ("SELECT", "the query returns no columns: it needs one that is loc, or is mapped to it"),
        ("SELECT 1 AS loc, 2 AS loc", "two columns of the query are named loc"),
        ('SELECT 1 AS loc, 2 AS "LOC"', "two columns of the query are named LOC"),
        ("WITH a AS (SELECT 1) UPDATE kept SET loc = 'y'", "the query returns no columns"),
        ("WITH a AS (SELECT 1) UPDATE kept SET loc = 'y' RETURNING loc", "cannot execute UPDATE in a read-only tr"),
        ("WITH a AS (DELETE FROM kept RETURNING loc) SELECT * FROM a", "in a read-only transaction"),
        ("SELECT * INTO other FROM pg_class", "the query returns no columns"),
        ("SELECT set_config('transaction_read_only', 'off', false) AS loc", "must be set before any query"),
    ],
)
def test_what_postgresql_refuses_is_reported_with_its_own_message(postgres: Postgres, sql: str, pattern: str) -> None:
    postgres.run("CREATE TABLE IF NOT EXISTS kept (loc text); TRUNCATE kept; INSERT INTO kept VALUES ('x')")
    with pytest.raises(InputError, match=re.escape(pattern)) as raised:
        written(postgres.url(), sql)
    assert postgres.password not in str(raised.value)
    assert "\n" not in str(raised.value)
    assert postgres.run("SELECT count(*) FROM kept") == "1"


def test_an_unreachable_server_is_reported_without_the_password(postgres: Postgres) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    place = f"127.0.0.1:{postgres.port}"
    for url, pattern in {
        f"postgresql://u:{SECRET}@127.0.0.1:{port}/d": f"//u@127.0.0.1:{port}/d cannot be reached: .* refused",
        f"postgresql://127.0.0.1:{port}/d?user=u&password={SECRET}": "cannot be reached: .* Connection refused",
        f"postgresql://u:{SECRET}@none.invalid/d": "could not translate host name",
        f"postgresql://u:{SECRET}@127.0.0.1:99999/d": "invalid port number",
        postgres.url(password=SECRET): "password authentication failed for user",
        postgres.url(user="nobody", password=SECRET): 'password authentication failed for user "nobody"',
        f"postgresql://urlset@{place}/postgres": "no password supplied",
        postgres.url(database="none"): 'database "none" does not exist',
        postgres.url(query="?sslmode=require"): "server does not support SSL",
        postgres.url(query="?colour=blue"): 'invalid URI query parameter: "colour"',
    }.items():
        message = refused(url)
        assert re.search(pattern, message), message
        assert postgres.password not in message
    assert postgres.connections() == 0


def test_a_server_that_accepts_and_never_answers_times_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://u:{SECRET}@127.0.0.1:{silent.getsockname()[1]}/d?connect_timeout=1"
        assert "timeout expired" in refused(url)


@contextmanager
def echo() -> Iterator[int]:
    """Run a server that requests the password in clear text, and repeats it in its error."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            client, _ = server.accept()
            with client:
                while client.recv(4096)[4:8] != b"\x00\x03\x00\x00":  # it asks for encryption first
                    client.sendall(b"N")
                client.sendall(b"R\x00\x00\x00\x08\x00\x00\x00\x03")
                password = client.recv(4096)[5:-1]
                error = b"SFATAL\0C28P01\0M\x1b[31mnot <" + password + b">\0\0"
                client.sendall(b"E" + (len(error) + 4).to_bytes(4, "big") + error)

        serving = threading.Thread(target=serve)
        serving.start()
        yield server.getsockname()[1]
        serving.join()


def test_a_server_that_repeats_the_password_is_not_quoted_with_it() -> None:
    for secret in (SECRET, SECRET.replace("-", "%2D")):
        with echo() as port:
            message = refused(f"postgresql://u:{secret}@127.0.0.1:{port}/d?sslmode=disable")
        assert message.endswith("FATAL: ␛[31mnot <***>")


def test_a_user_named_as_the_password_is_not_masked() -> None:
    assert "u@127.0.0.1:1/u cannot be reached" in refused("postgresql://u:u@127.0.0.1:1/u")
