"""A page in more than one document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlset._lint.set.findings import FindingCollector, Hit
from urlset._lint.set.tables import first_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def check(connection: DuckDBPyConnection, found: FindingCollector) -> None:
    """IDX008.

    Locs are compared exactly as text, as crawlers do first: a loc in two spellings is two URLs until both are fetched.
    A loc that is repeated within one document is LOC014. Feeds and news articles do not count: Google recommends a feed
    of new pages, and a news sitemap, in addition to the sitemap of all pages.

    Source:
        Screaming Frog and Sitebulb report URLs in several sitemaps; no consumer states which entry counts.
    """
    connection.execute("""
        CREATE VIEW listed AS
        SELECT document, line, loc, hash FROM entries
        WHERE loc IS NOT NULL AND NOT news
            AND document NOT IN (SELECT document FROM documents WHERE kind IN ('rss', 'atom'))
    """)
    # By their hashes first: most locs are in one document, and their texts are never compared. The hashes are a table
    # of their own, because DuckDB cannot estimate how few they are, and would hold all locs to look them up.
    connection.execute("""
        CREATE TABLE twice AS
        SELECT hash FROM listed GROUP BY hash HAVING min(document) <> max(document)
    """)
    connection.execute("""
        CREATE TABLE places AS
        SELECT document, min(line) AS line, loc FROM listed SEMI JOIN twice USING (hash) GROUP BY document, loc
    """)
    connection.execute("""
        CREATE TABLE repeated AS
        SELECT document, line, loc, there, line_there
        FROM places JOIN (
            SELECT loc, min(document) AS there, min_by(line, document) AS line_there FROM places GROUP BY loc
        ) USING (loc)
        WHERE document <> there
    """)
    rows, totals = first_of(connection, "repeated", "loc", found.fold)
    hits = (
        Hit(document, line, f"`{loc}` is in {found.documents[there].name}:{line_there} too")
        for document, line, loc, there, line_there in rows
    )
    found.add_counted("IDX008", hits, totals, "keep it in one document")
