"""URLs in their normal form where tables of them are compared: `_core.normalized_url` says what it is.

Nearly all URLs are in it already, and a pattern shows that. Only the others pass through Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from urlset import _core
from urlset._util.duckdb import insert_rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: An escape in capital letters, of a character that needs one. Source: RFC 3986, sections 2.3 and 6.2.2.
_ESCAPE: Final = "%([0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF])"
#: A URL in its normal form, unless it has a `/.`, which may be a dot segment, or a host beyond ASCII.
USUAL: Final = rf"https?://[a-z0-9.-]*[a-z]/([!#$&(-;=?-Z_a-z~]|{_ESCAPE})*"
#: URLs that are normalized at a time.
_BATCH: Final = 10_000


def may_differ(column: str) -> str:
    """Return DuckDB's SQL for whether a URL may have another normal form than its text."""
    return f"(NOT regexp_full_match({column}, '{USUAL}') OR contains({column}, '/.') OR contains({column}, '//xn--'))"


def host_sql(url: str) -> str:
    """Return SQL for the host of a URL, with its port; DuckDB and Spark have it."""
    return f"lower(split_part({url}, '/', 3))"


def make_normal_forms(
    connection: DuckDBPyConnection, cursor: DuckDBPyConnection, name: str, *columns: tuple[str, str]
) -> bool:
    """Make a table of the URLs that are not in their normal form: their text, `written`, and the form, `normal`.

    Args:
        connection: Where the table is made.
        cursor: Another connection to the same tables, which reads meanwhile.
        name: Of the table, which is temporary.
        *columns: The tables and their columns that have the URLs.

    Returns:
        Whether there are any.
    """
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} (written VARCHAR, normal VARCHAR)")
    odd = (f"SELECT {column} AS url FROM {table} WHERE {may_differ(column)}" for table, column in columns)  # noqa: S608
    found = cursor.execute(" UNION ".join(odd) if len(columns) > 1 else f"SELECT DISTINCT * FROM ({next(odd)})")  # noqa: S608
    is_any = False
    while rows := found.fetchmany(_BATCH):
        urls = [url for (url,) in rows]
        pairs = [pair for pair in zip(urls, _core.normalized_urls(urls), strict=True) if pair[0] != pair[1]]
        insert_rows(connection, name, pairs)
        is_any = is_any or bool(pairs)
    return is_any
