"""SQL of rules over a set that DuckDB and Spark both run.

Each function returns a query over tables that the caller names. Texts are compared by their hashes first, which are
shorter, and as text before anything is reported.
"""

from __future__ import annotations


def twice_sql(listed: str) -> str:
    """IDX008: the hashes of locs in more than one document."""
    return f"SELECT hash FROM {listed} GROUP BY hash HAVING min(document) <> max(document)"  # noqa: S608


def places_sql(listed: str, twice: str) -> str:
    """IDX008: where each of those locs is listed first in each document, and how it is written there."""
    return f"""
        SELECT document, min(line) AS line, loc, min_by(written, line) AS written
        FROM {listed} SEMI JOIN {twice} USING (hash) GROUP BY document, loc
    """  # noqa: S608


def repeated_sql(places: str) -> str:
    """IDX008: the locs that another document has listed before, with the place where that is."""
    return f"""
        SELECT document, line, written, there, line_there, written_there
        FROM {places} JOIN (
            SELECT loc, min(document) AS there, min_by(line, document) AS line_there,
                min_by(written, document) AS written_there
            FROM {places} GROUP BY loc
        ) USING (loc)
        WHERE document <> there
    """  # noqa: S608


def unanswered_sql(links: str) -> str:
    """ALT005 and ALT009: the links between translations that are not returned, once for an entry and a target."""
    return f"""
        SELECT DISTINCT links.document, links.line, links.hash AS page, links.href, links.href_hash
        FROM {links} AS links
        ANTI JOIN {links} AS back ON back.hash = links.href_hash AND back.href_hash = links.hash
    """  # noqa: S608


def one_way_sql(unanswered: str, entries: str, place: str) -> str:
    """ALT005: those of them whose target is listed, with the first place where it is.

    `place` makes a struct of the columns `document` and `line`, which the engines write differently.
    """
    return f"""
        SELECT document, line, href, first_entry.document AS there, first_entry.line AS line_there
        FROM {unanswered} JOIN (
            SELECT loc, min({place}) AS first_entry
            FROM {entries} AS entries SEMI JOIN {unanswered} AS wanted
                ON entries.hash = wanted.href_hash AND entries.loc = wanted.href
            GROUP BY loc
        ) AS listed ON listed.loc = href
    """  # noqa: S608


def unlisted_sql(unanswered: str, entries: str) -> str:
    """ALT009: those of them whose target is not listed, and has a host."""
    return f"""
        SELECT unanswered.document, unanswered.line, unanswered.href
        FROM {unanswered} AS unanswered ANTI JOIN {entries} AS entries
            ON entries.hash = unanswered.href_hash AND entries.loc = unanswered.href
        WHERE {host_sql("unanswered.href")} <> ''
    """  # noqa: S608


def host_sql(url: str) -> str:
    """The host of a URL."""
    return f"lower(split_part({url}, '/', 3))"
