"""Pages in other languages: whether links between them are returned, are complete, and lead to pages that are listed.

Locs and hrefs are compared in their normal form: Google asks for return links between URLs, not between texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from urlset._lint.set.findings import FindingCollector, Hit
from urlset._lint.set.sql import one_way_sql, unanswered_sql, unlisted_sql
from urlset._lint.set.tables import first_of
from urlset._util.duckdb import scalar
from urlset._util.identity import host_sql

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: ALT011: the most links of a page for others to be compared with it. Without a limit, one page that links to all pages
#: of a document would be compared with each of them. Ours: no page is known to be in more than about 200 languages.
_MAX_LINKS = 500
#: ALT011: how many missing links a message names.
_NAMED = 3


def check(connection: DuckDBPyConnection, found: FindingCollector) -> None:
    """ALT005, ALT009 and ALT011.

    The first two begin with the links that are not returned. Each is reported once for an entry and a target, however
    many languages the target is for.
    """
    if found.is_enabled("ALT011"):
        _incomplete(connection, found)
    if not found.is_enabled("ALT005", "ALT009"):
        return
    # A link can seem to be returned only if two hashes collide: one in 2**128 for each two links.
    connection.execute(f"CREATE TABLE unanswered AS {unanswered_sql('links')}")
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
    place = "{'document': entries.document, 'line': entries.line}"
    connection.execute(f"CREATE TABLE one_way AS {one_way_sql('unanswered', 'entries', place)}")
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
    connection.execute(f"CREATE TABLE unlisted AS {unlisted_sql('unanswered', 'entries')}")
    if connection.execute("SELECT count(*) FROM unlisted").fetchone() != (0,):
        _find_hosts(connection)
        connection.execute(f"""
            DELETE FROM unlisted WHERE {host_sql("href")} NOT IN (SELECT host FROM hosts)
        """)  # noqa: S608
    rows, totals = first_of(connection, "unlisted", "href", found.fold)
    hits = (Hit(document, line, f"`{href}` is not a loc of this set") for document, line, href in rows)
    found.add_counted("ALT009", hits, totals, "list it with a `<url>` of its own, or take the link out")


def _find_hosts(connection: DuckDBPyConnection) -> None:
    """Make the table of the hosts of which the set lists pages."""
    connection.execute(f"""
        CREATE TABLE IF NOT EXISTS hosts AS
        SELECT DISTINCT {host_sql("loc")} AS host FROM entries WHERE loc LIKE '%://%'
    """)  # noqa: S608


def _incomplete(connection: DuckDBPyConnection, found: FindingCollector) -> None:
    """ALT011. Reported once for a page, at its first entry with links.

    Two pages that link to each other are compared only if they do not link to the same pages, which a hash shows. What
    ALT005 or ALT009 reports is left out: a link to the page itself or to its alternate that is not returned, and a
    target that the set does not list although it lists others of its host.

    Source:
        Google Search Central, Localized versions: each language version lists itself and all others.
    """
    # Different links can seem to be the same only if hashes collide, and then nothing is reported.
    connection.execute("""
        CREATE TABLE linked AS
        SELECT hash AS page, href_hash AS target, min({'document': document, 'line': line}) AS entry
        FROM links GROUP BY hash, href_hash
    """)
    connection.execute(f"""
        CREATE TABLE unlike AS
        WITH members AS (
            SELECT page, xor(bit_xor(target), page) AS hash, count(*) AS links FROM linked GROUP BY page
        )
        SELECT here.page, here.target AS other
        FROM linked AS here
        JOIN linked AS back ON back.page = here.target AND back.target = here.page
        JOIN members AS mine ON mine.page = here.page
        JOIN members AS others ON others.page = here.target
        WHERE mine.hash <> others.hash AND others.links <= {_MAX_LINKS}
    """)  # noqa: S608
    if scalar(connection, "SELECT count(*) FROM unlike") == 0:
        return
    _find_missing(connection)
    rows, totals = first_of(connection, "incomplete", "loc", found.fold)
    hits = (
        Hit(document, line, _missing_text(hrefs, count, example, found))
        for document, line, _, hrefs, count, example in rows
    )
    found.add_counted("ALT011", hits, totals, "list all languages of a page at each of them, itself included")


def _find_missing(connection: DuckDBPyConnection) -> None:
    """Make the table of pages with the links that they lack."""
    _find_hosts(connection)
    connection.execute(f"""
        CREATE TABLE elsewhere AS
        SELECT DISTINCT href_hash AS target
        FROM links ANTI JOIN entries ON entries.hash = links.href_hash
        WHERE {host_sql("href")} <> '' AND {host_sql("href")} NOT IN (SELECT host FROM hosts)
    """)  # noqa: S608
    connection.execute("""
        CREATE TABLE missing AS
        WITH candidates AS (
            SELECT unlike.page, unlike.other, theirs.target, theirs.entry
            FROM unlike JOIN linked AS theirs ON theirs.page = unlike.other
            ANTI JOIN linked AS own ON own.page = unlike.page AND own.target = theirs.target
            WHERE theirs.target <> unlike.page
        ), returned AS (
            FROM candidates SEMI JOIN linked ON linked.page = candidates.target AND linked.target = candidates.other
        )
        SELECT page, other, target, entry
        FROM (FROM returned UNION ALL FROM candidates SEMI JOIN elsewhere ON elsewhere.target = candidates.target)
            AS lacked
        ANTI JOIN linked AS back ON back.page = lacked.target AND back.target = lacked.page
    """)
    connection.execute(f"""
        CREATE TABLE incomplete AS
        WITH texts AS (
            SELECT href_hash AS hash, min(coalesce(written, href)) AS text
            FROM links SEMI JOIN (
                SELECT page AS hash FROM missing UNION SELECT other FROM missing UNION SELECT target FROM missing
            ) AS needed ON needed.hash = links.href_hash
            GROUP BY href_hash
        ), targets AS (
            SELECT page, texts.text AS href, min({{'entry': entry, 'text': others.text}}) AS example
            FROM missing JOIN texts ON texts.hash = missing.target JOIN texts AS others ON others.hash = missing.other
            GROUP BY page, href
        ), pages AS (
            SELECT page, list(href ORDER BY href)[:{_NAMED}] AS hrefs, count(*) AS missing, min(example) AS example
            FROM targets GROUP BY page
        ), places AS (
            SELECT page, min(entry) AS entry FROM linked GROUP BY page
        )
        SELECT places.entry.document AS document, places.entry.line AS line, texts.text AS loc, hrefs, missing, example
        FROM pages JOIN places USING (page) JOIN texts ON texts.hash = pages.page
    """)  # noqa: S608


def _missing_text(hrefs: list[str], count: int, example: dict[str, Any], found: FindingCollector) -> str:
    named = ", ".join(f"`{href}`" for href in hrefs)
    more = f" and {count - len(hrefs):,} more" if count > len(hrefs) else ""
    entry = example["entry"]
    where = f"{found.documents[entry['document']].name}:{entry['line']}"
    return f"does not link to {named}{more}, which pages of its group link to, such as `{example['text']}` ({where})"
