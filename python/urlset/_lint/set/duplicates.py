"""A page in more than one document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlset._lint.set.findings import FindingCollector, Hit
from urlset._lint.set.sql import places_sql, repeated_sql, twice_sql
from urlset._lint.set.tables import first_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def check(connection: DuckDBPyConnection, found: FindingCollector) -> None:
    """IDX008.

    Locs are compared in their normal form. A loc that is repeated within one document is LOC014. Feeds
    and news articles do not count: Google recommends a feed of new pages, and a news sitemap, in addition to the
    sitemap of all pages.

    Source:
        Screaming Frog and Sitebulb report URLs in several sitemaps; no consumer states which entry counts.
    """
    connection.execute("""
        CREATE VIEW listed AS
        SELECT document, line, coalesce(written, loc) AS written, loc, hash FROM entries
        WHERE loc IS NOT NULL AND NOT news
            AND document NOT IN (SELECT document FROM documents WHERE kind IN ('rss', 'atom'))
    """)
    # By their hashes first: most locs are in one document, and their texts are never compared. The hashes are a table
    # of their own, because DuckDB cannot estimate how few they are, and would hold all locs to look them up.
    connection.execute(f"CREATE TABLE twice AS {twice_sql('listed')}")
    connection.execute(f"CREATE TABLE places AS {places_sql('listed', 'twice')}")
    connection.execute(f"CREATE TABLE repeated AS {repeated_sql('places')}")
    rows, totals = first_of(connection, "repeated", "written", found.fold)
    hits = (
        Hit(document, line, f"`{loc}` is in {found.documents[there].name}:{line_there} too{_as(loc, other)}")
        for document, line, loc, there, line_there, other in rows
    )
    found.add_counted("IDX008", hits, totals, "keep it in one document")


def _as(loc: str, other: str) -> str:
    return "" if loc == other else f", as `{other}`"
