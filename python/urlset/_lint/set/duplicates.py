"""A page in more than one document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlset._lint.set.findings import FindingCollector, Hit, same_spelling
from urlset._lint.set.sql import places_sql, repeated_sql, twice_sql
from urlset._lint.set.tables import first_of
from urlset._util.duckdb import insert_rows, scalar
from urlset._util.instances import cursor_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


#: Locs that may have another spelling in the normal form. Nearly all locs have no other, and are not looked at.
_ODD = (
    "(NOT regexp_full_match(loc, 'https?://[a-z0-9.-]*[a-z]/([!#-&(-;=?-Z_a-z~])*')"
    " OR contains(loc, '/.') OR contains(loc, '//xn--'))"
)
#: How many of them are spelled at a time.
_BATCH = 10_000


def check(connection: DuckDBPyConnection, found: FindingCollector) -> None:
    """IDX008.

    Locs are compared in the spelling of the URL Standard. A loc that is repeated within one document is LOC014. Feeds
    and news articles do not count: Google recommends a feed of new pages, and a news sitemap, in addition to the
    sitemap of all pages.

    Source:
        Screaming Frog and Sitebulb report URLs in several sitemaps; no consumer states which entry counts.
    """
    if _spell(connection):
        normal, spelled = "coalesce(normal, loc)", "LEFT JOIN spelled USING (loc)"
    else:
        normal, spelled = "loc", ""
    connection.execute(f"""
        CREATE VIEW listed AS
        SELECT document, line, loc AS written, {normal} AS loc, hash({normal}) AS hash FROM entries {spelled}
        WHERE loc IS NOT NULL AND NOT news
            AND document NOT IN (SELECT document FROM documents WHERE kind IN ('rss', 'atom'))
    """)  # noqa: S608
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


def _spell(connection: DuckDBPyConnection) -> bool:
    """Make the table `spelled` of the locs that are not in their normal form, and return whether there are any."""
    connection.execute("CREATE TABLE spelled (loc VARCHAR, normal VARCHAR)")
    with cursor_of(connection) as cursor:
        cursor.execute(f"SELECT DISTINCT loc FROM entries WHERE {_ODD}")  # noqa: S608
        while rows := cursor.fetchmany(_BATCH):
            pairs = [(loc, same_spelling(loc)) for (loc,) in rows]
            insert_rows(connection, "spelled", [pair for pair in pairs if pair[0] != pair[1]])
    return bool(scalar(connection, "SELECT count(*) FROM spelled"))


def _as(loc: str, other: str) -> str:
    return "" if loc == other else f", as `{other}`"
