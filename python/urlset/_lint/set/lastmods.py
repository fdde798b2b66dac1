"""Rules that compare lastmods: of an index and its children, of a whole set, of a file and its entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from urlset._lint.set.findings import FindingCollector, Hit
from urlset._lint.set.indexes import Listing

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY = timedelta(days=1)
#: How early a day begins, somewhere, before it begins at Greenwich, and how late it ends. Source: the zones in use are
#: from -12:00 to +14:00.
_EARLY, _LATE = timedelta(hours=14), timedelta(hours=12)
#: MOD009: the least entries that it is reported for, and the part of them with one lastmod. Our numbers, after Bing.
_HABIT, _PART = 20, 0.9


def _instant(micros: int) -> datetime:
    return _EPOCH + micros * _MICROSECOND


def _text(moment: datetime) -> str:
    """Return a lastmod as the W3C profile writes it. Midnight counts as a date, which it nearly always is."""
    text = moment.isoformat().removesuffix("+00:00") + "Z"
    return text.removesuffix("T00:00:00Z")


def stale(
    connection: DuckDBPyConnection, found: FindingCollector, listings: Iterable[Listing], latest: datetime | None
) -> None:
    """IDX007.

    A date covers its whole day in every time zone, a month and a year all their days; an entry at midnight UTC counts
    as a date. A lastmod after `latest` is MOD007, and does not make an index stale.

    Source:
        sitemaps.org: lastmod in an index is when the sitemap changed. Google Search Central, Large sitemaps: crawlers
        use it to fetch what changed.
    """
    date_early = f"CASE WHEN lastmod % {_DAY // _MICROSECOND} = 0 THEN {_EARLY // _MICROSECOND} ELSE 0 END"
    newest = dict(
        connection.execute(
            f"SELECT document, max_by((lastmod, lastmod - {date_early}), lastmod - {date_early}) FROM entries"  # noqa: S608
            " WHERE lastmod <= ? GROUP BY document",
            [((latest or datetime.max.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND],
        ).fetchall()
    )
    found.add("IDX007", _stale(listings, newest), "write into the index when the child last changed")


def _stale(listings: Iterable[Listing], newest: dict[int, tuple[int, int]]) -> Iterator[Hit]:
    for listing in listings:
        if listing.target not in newest or listing.lastmod is None:
            continue
        entry, earliest = newest[listing.target]
        end = _end(listing.lastmod, listing.lastmod_raw)
        if end is not None and end < _instant(earliest):
            message = f"{listing.lastmod_raw} is older than {_text(_instant(entry))}, the newest lastmod in the child"
            yield Hit(listing.document, listing.line, message)


def _end(moment: datetime, raw: str | None) -> datetime | None:
    """Return the last instant that a lastmod can mean, or None after the year 9999."""
    text = raw or ""
    if "T" in text:
        return moment
    try:
        match text.count("-"):
            case 0:
                return moment.replace(year=moment.year + 1) + _LATE
            case 1:
                return (moment.replace(day=28) + 4 * _DAY).replace(day=1) + _LATE
            case _:
                return moment + _DAY + _LATE
    except (OverflowError, ValueError):  # in the year 9999
        return None


def identical(connection: DuckDBPyConnection, found: FindingCollector) -> None:
    """MOD009 for a set.

    Documents with news are left out, because their articles are of the last two days anyway. Lastmods are compared as
    instants. If it is reported for the set, it is not reported for each document.

    Source:
        Bing Webmaster Blog, February 2023: lastmods that are all the same are those of a build.
    """
    row = connection.execute("""
        WITH asked AS (
            FROM entries WHERE document NOT IN (SELECT document FROM entries WHERE news)
        )
        SELECT
            (SELECT count(*) FROM asked),
            (SELECT count(DISTINCT document) FROM asked),
            (SELECT max(same) FROM (SELECT count(*) AS same FROM asked WHERE lastmod IS NOT NULL GROUP BY lastmod))
    """).fetchone()
    entries, documents, same = row or (0, 0, None)
    if documents < 2 or entries < _HABIT or (same or 0) < entries * _PART:
        return
    message = f"{same} of {entries} entries in {documents} documents have one and the same lastmod"
    found.muted.add("MOD009")
    found.add("MOD009", [Hit(0, 1, message)], "give each page the time of its own last change, or leave lastmod out")


def of_build(connection: DuckDBPyConnection, found: FindingCollector) -> None:
    """MOD010. For documents of at least two entries that all have one lastmod, and not for news.

    Source:
        Bing Webmaster Blog, February 2023: lastmod must not be the time of generation. Google Search Central Blog, June
        2023: lastmod is used if it proves accurate.
    """
    rows = connection.execute(f"""
        SELECT document, count(*), min(lastmod)
        FROM entries JOIN documents USING (document)
        WHERE modified IS NOT NULL
        GROUP BY document, modified
        HAVING count(*) >= 2 AND count(lastmod) = count(*) AND min(lastmod) = max(lastmod) AND NOT bool_or(news)
            AND abs(min(lastmod) - modified) <= {timedelta(minutes=1) // _MICROSECOND}
    """).fetchall()  # noqa: S608
    hits = (
        Hit(
            document,
            1,
            f"the lastmod of all {entries} entries, {_text(_instant(micros))}, is when the file was written",
        )
        for document, entries, micros in rows
    )
    found.add("MOD010", hits, "give each page the time of its own last change, or leave lastmod out")
