"""Pages in other languages: whether links between them are returned, and whether their targets are listed.

Locs and hrefs are compared exactly as text. Google asks for return links between URLs, and a page that is linked in
another spelling than its own is not listed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlset._lint.set.findings import FindingCollector, Hit
from urlset._lint.set.tables import first_of
from urlset._util.duckdb import scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def check(connection: DuckDBPyConnection, found: FindingCollector) -> None:
    """ALT005 and ALT009. Both begin with the links that are not returned.

    Each is reported once for an entry and a target, however many languages the target is for.
    """
    # A link can seem to be returned only if two hashes collide: one in 2**128 for each two links.
    connection.execute("""
        CREATE TABLE unanswered AS
        SELECT DISTINCT links.document, links.line, links.hash AS page, links.href, links.href_hash
        FROM links ANTI JOIN links AS back ON back.hash = links.href_hash AND back.href_hash = links.hash
    """)
    if found.is_enabled("ALT005"):
        _no_return_link(connection, found)
    if found.is_enabled("ALT009") and _shows_what_is_listed(connection, found):
        _not_listed(connection, found)


def _shows_what_is_listed(connection: DuckDBPyConnection, found: FindingCollector) -> bool:
    """Return whether other languages would be listed here: one document may be that of its own language only."""
    several = sum(document.has_pages for document in found.documents) > 1
    return several or scalar(connection, "SELECT count(DISTINCT language) FROM languages") > 1


def _no_return_link(connection: DuckDBPyConnection, found: FindingCollector) -> None:
    """ALT005. Reported at the entry whose link is ignored.

    If the target is listed more than once, one entry that links back is enough, and the first is named.

    Source:
        Google Search Central, Localized versions: if two pages do not both point to each other, the tags are ignored.
    """
    connection.execute("""
        CREATE TABLE one_way AS
        SELECT document, line, href, first_entry.document AS there, first_entry.line AS line_there
        FROM unanswered JOIN (
            SELECT loc, min({'document': entries.document, 'line': entries.line}) AS first_entry
            FROM entries SEMI JOIN unanswered ON hash = href_hash AND loc = href
            GROUP BY loc
        ) ON loc = href
    """)
    rows, totals = first_of(connection, "one_way", "href", found.fold)
    hits = (
        Hit(document, line, f"`{href}` ({found.documents[there].name}:{line_there}) does not link back")
        for document, line, href, there, line_there in rows
    )
    found.add_counted("ALT005", hits, totals, "list all languages of a page at each of them, itself included")


def _not_listed(connection: DuckDBPyConnection, found: FindingCollector) -> None:
    """ALT009. Only for hosts of which the set lists pages: it cannot know what is listed of any other host.

    Source:
        Google Search Central, Localized versions: each language has a `<url>` of its own.
    """
    host = "lower(split_part({}, '/', 3))"
    connection.execute(f"""
        CREATE TABLE unlisted AS
        SELECT unanswered.document, unanswered.line, href
        FROM unanswered ANTI JOIN entries ON hash = href_hash AND loc = href
        WHERE {host.format("href")} <> ''
    """)  # noqa: S608
    if connection.execute("SELECT count(*) FROM unlisted").fetchone() != (0,):
        connection.execute(f"""
            CREATE TABLE hosts AS SELECT DISTINCT {host.format("loc")} AS host FROM entries WHERE loc LIKE '%://%'
        """)  # noqa: S608
        connection.execute(f"""
            DELETE FROM unlisted WHERE {host.format("href")} NOT IN (SELECT host FROM hosts)
        """)  # noqa: S608
    rows, totals = first_of(connection, "unlisted", "href", found.fold)
    hits = (Hit(document, line, f"`{href}` is not a loc of this set") for document, line, href in rows)
    found.add_counted("ALT009", hits, totals, "list it with a `<url>` of its own, or take the link out")
