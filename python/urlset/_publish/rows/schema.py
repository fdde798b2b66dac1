"""The tables of the planning database: each one's columns, what is in it, who fills it and who reads it.

Every table is made here, by one of these functions, so that it always has exactly the columns that are listed below.
The stages that fill and read them: ingest (with hreflang), recall (with recover), assign, derived, guards, commit
(with documents).

The columns that come back in several tables:

    section            number of the section, in the order in which the sections were given
    row                index of the row in its section
    normal             the normal form of the loc, if that is another text
    instant            the lastmod in microseconds since the epoch
    xml_after_lastmod  the entry's XML after its lastmod, without links between translations and without news
    links, news        the XML of those two; `article` is the news of a row whose entry leaves it to the news sitemap
    namespace_bits     bits of the namespaces that the XML needs: 1 images, 2 videos, 4 links, 8 news
    size               bytes of the entry
    entry_hash         hash of all that the entry says except its loc and lastmod
    content            what the page said, by its source: a short text or a hash
    lastmod_source     where the lastmod comes from
    number             number of a shard, in the order in which the shards became known
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from urlset._util.duckdb import parsed

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_XML = "xml_after_lastmod VARCHAR, links VARCHAR, news VARCHAR, namespace_bits UTINYINT"
_RESOLVED = (
    "series UINTEGER, section UTINYINT, row UBIGINT, loc VARCHAR, lastmod VARCHAR, instant BIGINT,"
    f" lastmod_source VARCHAR, content VARCHAR, {_XML}, article VARCHAR, size UBIGINT, entry_hash UBIGINT,"
    " first_seen TIMESTAMPTZ, stays_in UINTEGER, was_in UINTEGER, state VARCHAR, manifest_differs BOOLEAN"
)
_DERIVED = f"place BIGINT, loc VARCHAR, lastmod VARCHAR, {_XML}, size UBIGINT"

TABLES = {
    # Ingest fills it with every accepted row, hreflang takes refused ones out, assign reads and drops it. `grp` is what
    # its section is sharded by, `page` the group of translations and `lang` the language of the page.
    "incoming": (
        "section UTINYINT, row UBIGINT, loc VARCHAR, normal VARCHAR, lastmod VARCHAR, instant BIGINT,"
        " lastmod_source VARCHAR,"
        " content VARCHAR, xml_after_lastmod VARCHAR, news VARCHAR, namespace_bits UTINYINT, size UINTEGER,"
        " entry_hash UBIGINT, loc_hash UBIGINT, grp VARCHAR, page VARCHAR, lang VARCHAR"
    ),
    # Ingest: the rows of `incoming`, by rowid, that repeat the loc of another row. Read by ingest alone.
    "repeated": "rowid_of BIGINT, section UTINYINT, row UBIGINT, loc VARCHAR",
    # Recall fills it from the manifest, or recover from the documents: what the last publish knew of each loc. `gone`
    # is when the loc was found missing. Assign and commit read it.
    "known": (
        "loc VARCHAR, section VARCHAR, shard VARCHAR, entry_hash UBIGINT, lastmod VARCHAR, lastmod_source VARCHAR,"
        " content VARCHAR, first_seen TIMESTAMPTZ, last_seen TIMESTAMPTZ, gone TIMESTAMPTZ"
    ),
    # Hreflang: every language as it was given, and as hreflang spells it (null if it is not one).
    "codes": "lang VARCHAR, usual VARCHAR",
    # Hreflang: the second and further pages of a group in one language, by their rowid in `incoming`.
    "repeated_languages": ("rowid_of BIGINT, section UTINYINT, row UBIGINT, loc VARCHAR, page VARCHAR, lang VARCHAR"),
    # Hreflang: each page of a group with its escaped loc.
    "pages": "page VARCHAR, lang VARCHAR, href VARCHAR",
    # Hreflang: the links of each group of translations, and how many there are. Assign reads it.
    "links": "page VARCHAR, links VARCHAR, pages UBIGINT",
    # Own_links: rows of groups whose own links were taken out, by their rowid in `incoming`, with the rest of their XML
    # and how many bytes it has less; or that are refused, without it.
    "own_links": "rowid_of BIGINT, xml_after_lastmod VARCHAR, less UINTEGER",
    # Hreflang: groups with more links than an entry can hold.
    "oversize_groups": "page VARCHAR, pages UBIGINT, size UBIGINT",
    # Assign, if there are several: the series of shards that the rows need, by section and the value it is sharded by.
    "series": "series UINTEGER, section UTINYINT, grp VARCHAR",
    # Assign, if anything is known: the current shards. `series` is null for those whose rows cannot stay in them.
    "old_shards": "shard VARCHAR, number UINTEGER, series UINTEGER, part UINTEGER",
    # Assign, if a page has another spelling than before: its loc, and the loc that is known. Read through `resolved`.
    "respelled": "loc VARCHAR, written VARCHAR",
    # Assign, if anything is known: every row with its final lastmod, lastmod source and size. `stays_in` is the shard
    # that it stays in, if it does, `was_in` the one that it was in, `state` added, changed or same, and
    # `manifest_differs` says that the manifest learns something that the entry does not show. Read through `assigned`.
    "resolved": _RESOLVED,
    # Assign: the rows that go to a new place, in the order in which shards are filled with them. If nothing was known
    # before, these are all rows, and they have not been in `resolved`.
    "new_rows": _RESOLVED,
    # Assign: the number of the shard of each row of `new_rows`, in the same order. Both are read through `assigned`.
    "new_shards": "number UINTEGER",
    # Assign, if anything is known or `removed` is wanted: the known locs that are not there any more. Read by derived
    # and commit.
    "gone": (
        "loc VARCHAR, section VARCHAR, shard VARCHAR, entry_hash UBIGINT, lastmod VARCHAR, lastmod_source VARCHAR,"
        " content VARCHAR, first_seen TIMESTAMPTZ, last_seen TIMESTAMPTZ, gone TIMESTAMPTZ"
    ),
    # Assign: the rows of shards that have grown beyond a limit, in the order in which these are filled again, and the
    # ranges of them that have to leave.
    "overfull": "place BIGINT, series UINTEGER, size UBIGINT, namespace_bits UTINYINT, loc VARCHAR",
    "leaving": "first BIGINT, stop BIGINT",
    # Derived: the rows of each kind of derived documents, in order. Read by commit.
    "recent_rows": _DERIVED,
    "news_rows": _DERIVED,
    "removed_rows": _DERIVED,
    # Commit: the shards whose documents are made.
    "wanted_shards": "number UINTEGER",
    # Commit: what the shards of the new set are called, for the manifest.
    "named_shards": "number UINTEGER, shard VARCHAR, section VARCHAR",
}

#: The rows that go to a new place, each with the number of its shard, in order.
ASSIGNED_NEW_ROWS = "new_rows POSITIONAL JOIN new_shards"


def columns_of(table: str) -> dict[str, str]:
    """Return the types of a table's columns by their names."""
    return dict(column.split(" ") for column in TABLES[table].split(", "))


def create(connection: DuckDBPyConnection, table: str) -> None:
    """Create an empty table."""
    connection.execute(parsed(f"CREATE TABLE {table} ({TABLES[table]})"))


def create_with(connection: DuckDBPyConnection, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Create a table with these rows, in their order. A table of that name is replaced."""
    if not rows:
        connection.execute(parsed(f"CREATE OR REPLACE TABLE {table} ({TABLES[table]})"))
        return
    values = ", ".join(f"unnest(?)::{kind} AS {name}" for name, kind in columns_of(table).items())
    columns = [list(column) for column in zip(*rows, strict=True)]
    connection.execute(parsed(f"CREATE OR REPLACE TABLE {table} AS SELECT {values}"), columns)


def create_as(
    connection: DuckDBPyConnection, table: str, query: str, values: list[Any] | None = None, *, order: str = ""
) -> None:
    """Create a table with the rows of a query, which has all of its columns by name."""
    columns = ", ".join(f"{name}::{kind} AS {name}" for name, kind in columns_of(table).items())
    sort = f" ORDER BY {order}" if order else ""
    statement = f"CREATE TABLE {table} AS SELECT {columns} FROM ({query}){sort}"
    connection.execute(parsed(statement), values or [])


def create_constant(connection: DuckDBPyConnection, table: str, value: int, rows: str) -> None:
    """Create a view in place of a table of one column that has the same number in as many rows as another table."""
    [(name, kind)] = columns_of(table).items()
    connection.execute(parsed(f"CREATE VIEW {table} AS SELECT {value}::{kind} AS {name} FROM {rows}"))


def create_assigned(connection: DuckDBPyConnection, *, is_known: bool) -> None:
    """Create the view `assigned`: every row of the set with the number of its shard, and whether it stays there."""
    columns = ", ".join(columns_of("resolved"))
    new = f"SELECT number, FALSE AS stays, {columns} FROM {ASSIGNED_NEW_ROWS}"
    old = f"SELECT stays_in AS number, TRUE AS stays, {columns} FROM resolved WHERE stays_in IS NOT NULL"
    connection.execute(parsed(f"CREATE VIEW assigned AS {f'{old} UNION ALL {new}' if is_known else new}"))
