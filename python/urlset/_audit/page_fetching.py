"""The second step of an audit: each page that is listed, or those of a sample, into the table `pages`."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from urlset import _core
from urlset._model.fetched_pages import FetchedPage, Method, Request
from urlset._model.progress import OnProgress, Progress
from urlset._page.facts import PageFacts, page_facts
from urlset._page.ignored import Ignored
from urlset._runs.pages import page_row
from urlset._util.duckdb import scalar

if TYPE_CHECKING:
    from urlset._fetch.page_fetcher import PageFetcher
    from urlset._runs.file import RunFile

#: Pages that are on their way at once, for each request that runs at the same time.
_AHEAD: Final = 4
#: Rows of one transaction, and seconds after which they are written: a kill loses no more. A transaction takes as long
#: as a hundred rows.
_BATCH: Final = 2_000
_SECONDS: Final = 2.0
#: Locs that are taken from the file at once.
_TAKEN: Final = 20_000
#: Bytes of links after which they are written.
_MAX_LINKS: Final = 32 << 20
#: The tag of a page whose links the crawl knows.
_CRAWLED: Final = "crawled"
#: What is no HTML by its name: its headers say all that rules ask for.
_NO_HTML: Final = re.compile(r"\.(pdf|jpe?g|png|gif|webp|avif|svg|zip|gz|mp[34]|mov|webm|docx?|xlsx?|pptx?|csv)$", re.I)
_OK: Final = 200


def fetched_pages(
    fetcher: PageFetcher, take: Callable[[], Request | None], ignored: Ignored
) -> Iterator[tuple[FetchedPage, PageFacts | None]]:
    """Request pages, some at a time, and yield what came of them and what they say, in the order in which they end.

    A refresh to another page is followed as a redirect is. `take` returns the next request, and None while there is
    none; a fetched page can lead to another request.
    """
    most = fetcher.options.concurrency * _AHEAD
    refreshes: list[Request] = []
    while True:
        while fetcher.pending < most and (request := refreshes.pop() if refreshes else take()) is not None:
            fetcher.submit(request)
        if not fetcher.pending:
            return
        for each in fetcher.results():
            page = _with_refreshes(each)
            facts = _facts(page, ignored)
            if facts is None or facts.refresh is None or page.status != _OK:
                yield page, facts
                continue
            page = replace(page, hops=(*page.hops, (page.final_url, _OK)), final_url=facts.refresh, body=b"")
            if len(page.hops) <= fetcher.options.redirects:
                refreshes.append(Request(page.final_url, tag=page))
            else:
                yield replace(page, status=None, problem=f"more than {fetcher.options.redirects} redirects"), None


def _with_refreshes(page: FetchedPage) -> FetchedPage:
    """Return what came of a refresh as what came of the page that it began with."""
    before = page.tag
    if not isinstance(before, FetchedPage):
        return page
    return replace(page, url=before.url, hops=before.hops + page.hops, method=before.method, tag=before.tag)


def _facts(page: FetchedPage, ignored: Ignored) -> PageFacts | None:
    """Return what an answer says; None without one."""
    return (
        None
        if page.status is None
        else page_facts(page.body, page.final_url, page.headers, ignored=ignored, with_parts=True)
    )


def fetch_pages(
    file: RunFile,
    run: int,
    fetcher: PageFetcher,
    *,
    sample: int | None,
    ignored: Ignored,
    progress: OnProgress | None,
) -> int:
    """Request the listed pages that this run has not requested yet, and return how many it has requested in all.

    What is drawn for a sample has the smallest hashes, so two runs draw nearly the same pages. Beside a crawl, the
    links of each page that it did not reach are kept, too. The table `crawl_run` must be there.
    """
    connection = file.connection
    limit = "" if sample is None else f"ORDER BY md5_number_lower(loc), loc LIMIT {int(sample)}"
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE wanted AS SELECT row_number() OVER () AS number, loc,"
        " loc IN (SELECT loc FROM pages WHERE run = (SELECT run FROM crawl_run)) AS is_crawled FROM ("
        f" SELECT DISTINCT loc FROM listed WHERE run = {int(run)} {limit})"
        f" WHERE loc NOT IN (SELECT loc FROM pages WHERE run = {int(run)})"
    )
    done = int(connection.execute("SELECT count(*) FROM pages WHERE run = ?", [run]).fetchall()[0][0])
    total = done + int(connection.execute("SELECT count(*) FROM wanted").fetchall()[0][0])
    has_crawl = bool(scalar(connection, "SELECT run IS NOT NULL FROM crawl_run"))
    connection.execute("DELETE FROM links WHERE run <> ? AND run IS DISTINCT FROM (SELECT run FROM crawl_run)", [run])
    rows: list[dict[str, Any]] = []
    links = _core.LinkRows()
    written = time.monotonic()

    def keep() -> None:
        nonlocal written
        written = time.monotonic()
        with file.transaction():
            file.insert("pages", rows)
            file.insert_batch(f"INSERT INTO links SELECT {int(run)}, * FROM batch", links.take())
        rows.clear()

    first, again = _requests(connection), list[Request]()

    def take() -> Request | None:
        return again.pop() if again else next(first, None)

    for page, facts in fetched_pages(fetcher, take, ignored):
        if page.method == "HEAD" and page.status not in (None, _OK):
            # Not every server answers HEAD as it answers GET, so only an answer that needs no more proof counts.
            again.append(Request(page.url, tag=page.tag))
            continue
        rows.append(_row(run, page, facts))
        if has_crawl and facts is not None and page.status == _OK and page.tag is not _CRAWLED:
            links.add_found(page.final_url, facts.found)
        done += 1
        if progress is not None:
            progress(Progress("pages", done, total))
        if len(rows) >= _BATCH or links.bytes > _MAX_LINKS or time.monotonic() - written > _SECONDS:
            keep()
    keep()
    return done


def _requests(connection: Any) -> Iterator[Request]:
    """Yield a request for each loc that is wanted."""
    at = 0
    query = "SELECT loc, is_crawled FROM wanted WHERE number > ? AND number <= ? ORDER BY number"
    while rows := connection.execute(query, [at, at + _TAKEN]).fetchall():
        at += _TAKEN
        for loc, is_crawled in rows:
            method: Method = "HEAD" if _NO_HTML.search(loc.partition("?")[0]) else "GET"
            yield Request(loc, method=method, tag=_CRAWLED if is_crawled else None)


def _row(run: int, page: FetchedPage, facts: PageFacts | None) -> dict[str, Any]:
    """Return a fetched page as a row of `pages`. What was not received as a whole has no hashes to compare."""
    row = page_row(run, page, facts)
    is_whole = page.status == _OK and page.method == "GET" and not page.is_cut
    if facts is None or is_whole:
        return row
    return row | dict.fromkeys(("content_hash", "parts", "body_hash", "words", "needs_browser"))
