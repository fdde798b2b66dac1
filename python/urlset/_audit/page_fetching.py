"""The second step of an audit: each page that is listed, or those of a sample, into the table `pages`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from urlset._model.fetched_pages import FetchedPage, Request
from urlset._page.facts import page_facts
from urlset._page.row import page_row

if TYPE_CHECKING:
    from urlset._fetch.page_fetcher import PageFetcher
    from urlset._runs.file import RunFile

#: Pages that are on their way at once, for each request that runs at the same time.
_AHEAD: Final = 4
#: Rows of one transaction: a kill loses as many pages at most.
_BATCH: Final = 500
#: Locs that are taken from the file at once.
_TAKEN: Final = 20_000
#: What is no HTML by its name: its headers say all that rules ask for.
_NO_HTML: Final = re.compile(r"\.(pdf|jpe?g|png|gif|webp|avif|svg|zip|gz|mp[34]|mov|webm|docx?|xlsx?|pptx?|csv)$", re.I)
_OK: Final = 200


def fetched_pages(fetcher: PageFetcher, take: Callable[[], Request | None]) -> Iterator[FetchedPage]:
    """Ask for pages, some at a time, and yield what came of them in the order in which they end.

    `take` returns the next request, and None while there is none; a fetched page can lead to another request.
    """
    most = fetcher.options.concurrency * _AHEAD
    while True:
        while fetcher.pending < most and (request := take()) is not None:
            fetcher.submit(request)
        if not fetcher.pending:
            return
        yield from fetcher.results()


def fetch_pages(
    file: RunFile,
    run: int,
    fetcher: PageFetcher,
    *,
    sample: int | None,
    masks: tuple[str, ...],
    progress: Callable[[int], object] | None,
) -> int:
    """Ask for the listed pages that this run has not asked for yet, and return how many it has asked for in all.

    What is drawn for a sample has the smallest hashes, so two runs draw nearly the same pages.
    """
    connection = file.connection
    limit = "" if sample is None else f"ORDER BY md5_number_lower(loc), loc LIMIT {int(sample)}"
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE wanted AS SELECT row_number() OVER () AS number, loc FROM ("
        f" SELECT DISTINCT loc FROM listed WHERE run = {int(run)} {limit})"
        f" WHERE loc NOT IN (SELECT loc FROM pages WHERE run = {int(run)})"
    )
    done = int(connection.execute("SELECT count(*) FROM pages WHERE run = ?", [run]).fetchall()[0][0])
    rows: list[dict[str, Any]] = []

    def keep() -> None:
        with file.transaction():
            file.insert("pages", rows)
        rows.clear()

    first, again = _requests(connection), list[Request]()

    def take() -> Request | None:
        return again.pop() if again else next(first, None)

    for page in fetched_pages(fetcher, take):
        if page.method == "HEAD" and page.status != _OK and page.refused is None:
            # Not every server answers HEAD as it answers GET, so only an answer that needs no more proof counts.
            again.append(Request(page.url))
            continue
        rows.append(_row(run, page, masks))
        done += 1
        if progress is not None:
            progress(done)
        if len(rows) >= _BATCH:
            keep()
    keep()
    return done


def _requests(connection: Any) -> Iterator[Request]:
    """Yield a request for each loc that is wanted."""
    at = 0
    query = "SELECT loc FROM wanted WHERE number > ? AND number <= ? ORDER BY number"
    while rows := connection.execute(query, [at, at + _TAKEN]).fetchall():
        at += _TAKEN
        for (loc,) in rows:
            yield Request(loc, method="HEAD" if _NO_HTML.search(loc.partition("?")[0]) else "GET")


def _row(run: int, page: FetchedPage, masks: tuple[str, ...]) -> dict[str, Any]:
    """Return a fetched page as a row of `pages`. What was not received as a whole has no hashes to compare."""
    if page.status is None:
        return page_row(run, page, None)
    row = page_row(run, page, page_facts(page.body, page.final_url, page.headers, masks=masks))
    is_whole = page.status == _OK and page.method == "GET" and not page.is_cut
    return row if is_whole else row | dict.fromkeys(("content_hash", "body_hash", "words", "needs_browser"))
