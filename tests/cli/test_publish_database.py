"""`urlset publish`: rows of SQLite and of a real PostgreSQL."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.cli import Cli
from support.cli.readback import BASE, TO, manifest, published
from urlset import Alternate, Image, UrlEntry

if TYPE_CHECKING:
    from support.postgres import Postgres

pytest_plugins = ["support.postgres"]


@pytest.fixture
def shop(tmp_path: Path) -> str:
    """A SQLite file with a table `pages`."""
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        connection.execute("CREATE TABLE pages (url, updated, images, locale, product, brand)")
        pictures = json.dumps(["https://example.com/1.jpg", {"loc": "https://example.com/2.jpg", "title": 2}])
        connection.executemany(
            "INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?)",
            [("/en", "2024-01-02", pictures, "en", 7, "Tea"), ("/de", None, None, "de", 7, "Pot")],
        )
        connection.commit()
    return "sqlite:///shop.db"


NAMES = (
    "--columns",
    "loc=url",
    "--columns",
    "lastmod=updated",
    "--columns",
    "lang=locale",
    "--columns",
    "group=product",
)
LINKS = (Alternate("de", BASE + "de"), Alternate("en", BASE + "en"))
FOUND = [
    UrlEntry(BASE + "de", alternates=LINKS),
    UrlEntry(
        BASE + "en", lastmod="2024-01-02", images=[Image(BASE + "1.jpg"), Image(BASE + "2.jpg", "2")], alternates=LINKS
    ),
]


def test_a_query_of_sqlite_is_published(cli: Cli, shop: str) -> None:
    query = ("--query", "SELECT * FROM pages", *NAMES, "--shard-by", "key:brand")
    ended = cli("publish", "--database", shop, *query, *TO)
    assert (ended.code, ended.err) == (0, "")
    assert sorted(published(cli), key=lambda entry: str(entry.loc)) == FOUND
    assert len({shard for _, shard in manifest(cli, "loc, shard")}) == 2


def test_a_query_of_postgresql_is_published(cli: Cli, postgres: Postgres) -> None:
    postgres.run("""
        DROP TABLE IF EXISTS pages;
        CREATE TABLE pages (url text, updated date, images jsonb, locale varchar, product int, brand text);
        INSERT INTO pages VALUES
            ('/en', '2024-01-02', '["https://example.com/1.jpg", {"loc": "https://example.com/2.jpg", "title": "2"}]',
                'en', 7, 'Tea'),
            ('/de', NULL, NULL, 'de', 7, 'Pot');
    """)
    query = ("--query", "SELECT * FROM pages", *NAMES, "--shard-by", "key:brand")
    ended = cli("publish", "--database-env", "SHOP", *query, *TO, SHOP=postgres.url())
    assert (ended.code, ended.err) == (0, "")
    assert sorted(published(cli), key=lambda entry: str(entry.loc)) == FOUND
    assert len({shard for _, shard in manifest(cli, "loc, shard")}) == 2


def test_lists_of_postgresql_are_published(cli: Cli, postgres: Postgres) -> None:
    sql = "SELECT '/a' AS loc, ARRAY['https://example.com/1.jpg'] AS images, now() - interval '1 day' AS lastmod"
    ended = cli("publish", "--database", postgres.url(), "--query", sql, *TO)
    assert (ended.code, ended.err) == (0, "")
    [entry] = published(cli)
    assert isinstance(entry, UrlEntry)
    assert entry.images == (Image(BASE + "1.jpg"),)
    assert str(entry.lastmod_raw).endswith("Z")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT '/'||i AS loc, (1/(5-i))::text AS content FROM generate_series(1,10) i", "ERROR: division by zero"),
        ("SELECT '/a' AS loc, 'x' AS images", "the query: images of /a is not a JSON list: x"),
        (
            "SELECT '/a' AS loc, 1 AS videos",
            "the query: videos must be a list of structs, or JSON as text, got INTEGER",
        ),
        ("SELECT '/a' AS url", "the query: there is no column loc, which every row needs; columns found: url"),
    ],
)
def test_what_postgresql_refuses_is_reported(cli: Cli, postgres: Postgres, query: str, said: str) -> None:
    ended = cli("publish", "--database", postgres.url(), "--query", query, *TO)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert said in ended.err


@pytest.mark.parametrize(
    ("url", "query", "said"),
    [
        ("sqlite:///none.db", "SELECT 1", "none.db does not exist"),
        (
            "sqlite:///shop.db",
            "SELECT 1 AS x",
            "the query: there is no column loc, which every row needs; columns found",
        ),
        ("sqlite:///shop.db", "DROP TABLE pages", "such as SELECT …, got DROP"),
        ("sqlite:///shop.db", "SELECT url AS loc, 'x' AS news FROM pages", "row 1 of the query: news is not JSON: x"),
        ("mysql://db.example/shop", "SELECT 1", "the database URL cannot be used: mysql: is not supported"),
    ],
)
def test_what_a_database_refuses_is_reported(cli: Cli, shop: str, url: str, query: str, said: str) -> None:
    assert shop
    ended = cli("publish", "--database", url, "--query", query, *TO)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert said in ended.err


def test_a_password_is_never_shown(cli: Cli, postgres: Postgres) -> None:
    url = postgres.url(password="swordfish")
    for given in (["--database", url], ["--database-env", "SHOP"]):
        ended = cli("publish", *given, "--query", "SELECT 1", *TO, SHOP=url)
        assert ended.code == 2
        assert "cannot be reached" in ended.err
        assert "swordfish" not in ended.err
    ended = cli("publish", "--database-env", "NOTHING", "--query", "SELECT 1", *TO)
    assert (ended.code, ended.err) == (
        2,
        "urlset: the environment variable NOTHING is not set; it must hold the URL of the database\n",
    )
