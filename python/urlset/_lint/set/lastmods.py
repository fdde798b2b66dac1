"""Rules that compare lastmods: of an index and its children, of a whole set, of a file and its entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from urlset._lint.set.findings import FindingCollector, Hit
from urlset._lint.set.indexes import IndexEntry
from urlset._lint.set.sql import IS_DATE, clustered_sql, identical_sql
from urlset._model.instants import instant_of, micros_of, rfc3339
from urlset._util.text import plural

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_DAY = timedelta(days=1)
#: How early a day begins, somewhere, before it begins at Greenwich, and how late it ends. Source: the zones in use are
#: from -12:00 to +14:00.
_EARLY, _LATE = timedelta(hours=14), timedelta(hours=12)


def _text(moment: datetime) -> str:
    """Return a lastmod as the W3C profile writes it. Midnight counts as a date, which it nearly always is."""
    return rfc3339(moment).removesuffix("T00:00:00Z")


def stale(
    connection: DuckDBPyConnection, found: FindingCollector, entries: Iterable[IndexEntry], latest: datetime | None
) -> None:
    """IDX007.

    Two dates are compared by their days, since one site writes both. Where only one of the two is a date, that can be
    in any time zone. An entry at midnight UTC counts as a date. A lastmod after `latest` is MOD007, and makes no index
    stale.

    Source:
        sitemaps.org: lastmod in an index is when the sitemap changed. Google Search Central, Large sitemaps: crawlers
        use it to fetch what changed.
    """
    rows = connection.execute(
        f"SELECT document, max(lastmod) FILTER ({IS_DATE}), max(lastmod) FILTER (NOT {IS_DATE}) FROM entries"  # noqa: S608
        " WHERE lastmod <= ? GROUP BY document",
        [micros_of(latest or datetime.max.replace(tzinfo=UTC))],
    ).fetchall()
    newest = {document: (date, time) for document, date, time in rows}
    found.add("IDX007", _stale(entries, newest), "write into the index when the child last changed")


def _stale(entries: Iterable[IndexEntry], newest: dict[int, tuple[int | None, int | None]]) -> Iterator[Hit]:
    for entry in entries:
        if entry.target not in newest or entry.lastmod is None:
            continue
        limits = _latest(instant_of(entry.lastmod), entry.lastmod_raw)
        pairs = zip(newest[entry.target], limits, strict=True)
        newer = [micros for micros, limit in pairs if micros is not None and limit and instant_of(micros) > limit]
        if newer:
            message = (
                f"{entry.lastmod_raw} is older than {_text(instant_of(max(newer)))}, the newest lastmod in the child"
            )
            yield Hit(entry.document, entry.line, message)


def _latest(moment: datetime, raw: str | None) -> tuple[datetime | None, datetime | None]:
    """Return the latest date and the latest time that are not newer than a lastmod, or None after the year 9999."""
    text = raw or ""
    try:
        if "T" in text:
            return moment + _EARLY, moment
        match text.count("-"):
            case 0:
                end = moment.replace(year=moment.year + 1)
            case 1:
                end = (moment.replace(day=28) + 4 * _DAY).replace(day=1)
            case _:
                end = moment + _DAY
    except (OverflowError, ValueError):  # in the year 9999
        return None, moment if "T" in text else None
    return end - _DAY, end + _LATE


def identical(connection: DuckDBPyConnection, found: FindingCollector) -> None:
    """MOD009 for a set.

    Documents with news are left out, because their articles are of the last two days anyway. Lastmods are compared as
    instants. If it is reported for the set, it is not reported for each document.

    Source:
        Bing Webmaster Blog, February 2023: lastmods that are all the same are those of a build.
    """
    row = connection.execute(identical_sql("entries")).fetchone()
    if row is None:
        return
    entries, documents, same = row
    message = f"{same} of {entries} entries in {documents} documents have one and the same lastmod"
    found.muted.add("MOD009")
    found.add("MOD009", [Hit(0, 1, message)], "give each page the time of its own last change, or leave lastmod out")


def clustered(connection: DuckDBPyConnection, found: FindingCollector) -> None:
    """MOD012.

    Documents with news are left out, as in MOD009, and so are dates: an entry at midnight UTC counts as one. It is
    silent where MOD009 reports the set, or each of its documents.

    Source:
        Bing Webmaster Blog, February 2023: lastmod must not be the time of generation.
    """
    row = connection.execute(clustered_sql("entries")).fetchone()
    if row is None:
        return
    documents, times, first, last = (row[place] for place in (1, 4, 5, 6))
    message = (
        f"all {times} lastmods with a time in {plural(documents, 'document')} lie between {_text(instant_of(first))}"
        f" and {_text(instant_of(last))}"
    )
    found.add("MOD012", [Hit(0, 1, message)], "give each page the time of its own last change, or leave lastmod out")


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
            AND abs(min(lastmod) - modified) <= {timedelta(minutes=1) // timedelta(microseconds=1)}
    """).fetchall()  # noqa: S608
    hits = (
        Hit(
            document,
            1,
            f"the lastmod of all {entries} entries, {_text(instant_of(micros))}, is when the file was written",
        )
        for document, entries, micros in rows
    )
    found.add("MOD010", hits, "give each page the time of its own last change, or leave lastmod out")
