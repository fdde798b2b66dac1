"""SQL of rules over a set that DuckDB and Spark both run.

Each function returns a query over tables that the caller names. Texts are compared by their hashes first, which are
shorter, and as text before anything is reported.
"""

from __future__ import annotations

from datetime import timedelta

from urlset._util.identity import host_sql

#: MOD009: the least entries that it is reported for, and the part of them with one lastmod. Our numbers, after Bing.
_HABIT, _PART = 20, 0.9
#: MOD012: the least lastmods that it is reported for, because a person or a small import can change some tens of pages
#: in one minute, and the time between the first of them and the last. Our numbers.
MANY, _RUN = 100, timedelta(minutes=1)
_MICROSECOND, _DAY = timedelta(microseconds=1), timedelta(days=1)
#: SQL for whether a lastmod, in microseconds since the epoch, is midnight UTC, which counts as a date.
IS_DATE = f"lastmod % {_DAY // _MICROSECOND} = 0"


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
    """ALT005 and ALT009: the links between translations that are not returned, once for an entry and a target.

    `written` may be NULL for a link that is written in its normal form.
    """
    return f"""
        SELECT DISTINCT links.document, links.line, links.hash AS page, links.href, links.href_hash, links.written
        FROM {links} AS links
        ANTI JOIN {links} AS back ON back.hash = links.href_hash AND back.href_hash = links.hash
    """  # noqa: S608


def one_way_sql(unanswered: str, entries: str, place: str) -> str:
    """ALT005: those of them whose target is listed, with the first place where it is.

    `place` makes a struct of the columns `document` and `line`, which the engines write differently.
    """
    return f"""
        SELECT document, line, coalesce(unanswered.written, unanswered.href) AS href,
            first_entry.document AS there, first_entry.line AS line_there
        FROM {unanswered} AS unanswered JOIN (
            SELECT loc, min({place}) AS first_entry
            FROM {entries} AS entries SEMI JOIN {unanswered} AS wanted
                ON entries.hash = wanted.href_hash AND entries.loc = wanted.href
            GROUP BY loc
        ) AS listed ON listed.loc = unanswered.href
    """  # noqa: S608


def unlisted_sql(unanswered: str, entries: str) -> str:
    """ALT009: those of them whose target is not listed, and has a host."""
    return f"""
        SELECT unanswered.document, unanswered.line, coalesce(unanswered.written, unanswered.href) AS href
        FROM {unanswered} AS unanswered ANTI JOIN {entries} AS entries
            ON entries.hash = unanswered.href_hash AND entries.loc = unanswered.href
        WHERE {host_sql("unanswered.href")} <> ''
    """  # noqa: S608


def _without_news(entries: str) -> str:
    """MOD009 and MOD012: `asked`, the entries of documents without news, whose articles are of two days anyway."""
    return f"""asked AS (
            SELECT document, lastmod FROM {entries} AS entries
            ANTI JOIN (SELECT DISTINCT document FROM {entries} AS entries WHERE news) AS articles USING (document)
        )"""  # noqa: S608


def identical_sql(entries: str) -> str:
    """MOD009 for a set: how many entries in how many documents there are, and how many have one lastmod; or no row.

    `entries` has the columns `document`, `lastmod` in microseconds, and `news`.
    """
    return f"""
        WITH {_without_news(entries)}
        SELECT * FROM (
            SELECT
                (SELECT count(*) FROM asked) AS entries,
                (SELECT count(DISTINCT document) FROM asked) AS documents,
                (SELECT max(same) FROM (
                    SELECT count(*) AS same FROM asked WHERE lastmod IS NOT NULL GROUP BY lastmod
                ) AS moments) AS same
        ) AS counted
        WHERE documents > 1 AND entries >= {_HABIT} AND same >= entries * {_PART}
    """  # noqa: S608


def clustered_sql(entries: str) -> str:
    """MOD012: in how many documents how many lastmods with a time lie between which two; or no row.

    It has no row where MOD009 reports the set, or each of its documents. `entries` is that of `identical_sql`.
    """
    return f"""
        WITH {_without_news(entries)}, times AS (
            SELECT lastmod FROM asked WHERE NOT {IS_DATE}
        ), moments AS (
            SELECT document, lastmod, count(*) AS same FROM asked WHERE lastmod IS NOT NULL GROUP BY document, lastmod
        ), identical AS (
            SELECT document, entries, max(same) AS same
            FROM moments
            JOIN (SELECT document, count(*) AS entries FROM asked GROUP BY document) AS sizes USING (document)
            GROUP BY document, entries
            HAVING entries >= {_HABIT} AND max(same) >= entries * {_PART}
        )
        SELECT * FROM (
            SELECT
                (SELECT count(*) FROM asked) AS entries,
                (SELECT count(DISTINCT document) FROM asked) AS documents,
                (SELECT count(*) FROM identical) AS reported,
                (SELECT max(same) FROM (SELECT sum(same) AS same FROM moments GROUP BY lastmod) AS sums) AS same,
                (SELECT count(*) FROM times) AS times,
                (SELECT min(lastmod) FROM times) AS first_time,
                (SELECT max(lastmod) FROM times) AS last_time
        ) AS counted
        WHERE times >= {MANY} AND times >= entries * {_PART} AND last_time - first_time <= {_RUN // _MICROSECOND}
            AND reported < documents AND same < entries * {_PART}
    """  # noqa: S608
