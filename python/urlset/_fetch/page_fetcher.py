"""Pages over HTTP, many at once: what came of each is taken in batches."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from urlset._fetch.coding import CODINGS
from urlset._fetch.exchange import Exchange, Fault, ServerAnswer
from urlset._fetch.pool import Pool
from urlset._model.fetched_pages import FetchedPage, Refused, Request
from urlset._options.http import Http
from urlset._page.challenges import CHALLENGE_STATUSES, challenge

#: Bytes of bodies that wait for somebody to take them: then nothing more is fetched.
_MAX_HELD = 64 << 20
#: Bytes of one page.
MAX_BYTES = 10 << 20
_ACCEPT = "text/html, application/xhtml+xml;q=0.9, */*;q=0.8"


@dataclass(frozen=True, slots=True)
class _Result:
    """What came of a request."""

    request: Request
    exchange: Exchange
    answer: ServerAnswer | None
    fault: Fault | None
    fetched: datetime


class PageFetcher:
    """Fetches pages, many at once. One thread submits requests and takes results.

    Redirects are followed, each checked as the first URL was: by the robots.txt of its host, and by the address that is
    dialled. It raises nothing: why no answer came, or why one proves nothing, is in `FetchedPage.refused`.

    Args:
        options: How pages are fetched.
        named: The URLs that the caller named.
        most_bytes: How many bytes of a page are received.
        pool: The pool of another fetcher, see `beside`.

    Example:
        >>> from urlset import Http
        >>> fetcher = PageFetcher(Http(timeout=2), ["http://shop.invalid/"])
        >>> fetcher.submit(Request("http://shop.invalid/"))
        >>> [page] = fetcher.results()
        >>> page.status, page.refused
        (None, 'robots')
        >>> fetcher.close()
    """

    def __init__(
        self, options: Http, named: Iterable[str], *, most_bytes: int = MAX_BYTES, pool: Pool | None = None
    ) -> None:
        self.options = options
        self._most_bytes = most_bytes
        self._ended = threading.Condition()
        self._results: list[_Result] = []
        self._held = 0
        self._owns_pool = pool is None
        self._pool = pool or Pool(options, named, is_full=lambda: self._held > _MAX_HELD)
        #: How many requests have no result yet that was taken.
        self.pending = 0

    def beside(self) -> PageFetcher:
        """Return a fetcher with results of its own, which shares the pool, and so its bounds, with this one."""
        return PageFetcher(self.options, (), most_bytes=self._most_bytes, pool=self._pool)

    def submit(self, request: Request) -> None:
        """Request a page, as soon as it is its turn."""

        def end(exchange: Exchange, answer: ServerAnswer | None, fault: Fault | None) -> None:
            result = _Result(request, exchange, answer, fault, datetime.now(UTC))
            with self._ended:
                self._held += 0 if answer is None else len(answer.body)
                self._results.append(result)
                self._ended.notify()

        def prepare(exchange: Exchange) -> dict[str, str] | None:
            spent = self._pool.spent()
            if spent is None:
                return {}
            end(exchange, None, Fault(spent, "bound"))
            return None

        self.pending += 1
        self._pool.submit(
            Exchange(
                request.url,
                end,
                _ACCEPT,
                CODINGS,
                self._most_bytes,
                prepare=prepare,
                method=request.method,
                headers=request.headers,
            )
        )

    def results(self) -> list[FetchedPage]:
        """Return the pages whose fetching has ended since the last call.

        It waits for one while there are requests pending.
        """
        with self._ended:
            while self.pending and not self._results:
                self._ended.wait()
            found, self._results = self._results, []
            was_full, self._held = self._held > _MAX_HELD, 0
        self.pending -= len(found)
        if was_full:
            self._pool.wake()
        return [_page(each) for each in found]

    def robots_text(self, url: str) -> bytes | None:
        """Return the robots.txt of a URL's host, empty if the host has none; None if it cannot be read."""
        return self._pool.robots_text(url)

    def spent(self) -> str | None:
        """Return which bound of the whole run is reached; None if none is."""
        return self._pool.spent()

    def close(self) -> None:
        """Close all connections, and end what is on its way, unless the pool is that of another fetcher."""
        if self._owns_pool:
            self._pool.close()


def _page(result: _Result) -> FetchedPage:
    """Return what came of a request as its caller sees it."""
    exchange, answer, fault = result.exchange, result.answer, result.fault
    if fault is not None and fault.error is not None:
        raise fault.error
    problem, refused = (None, None) if fault is None else (fault.problem, fault.refused)
    if answer is not None and refused is None:
        problem, refused = _challenged(answer, problem)
    return FetchedPage(
        url=result.request.url,
        hops=tuple(exchange.hops),
        final_url=exchange.now or result.request.url,
        status=None if answer is None else answer.status,
        headers=() if answer is None else answer.headers,
        body=b"" if answer is None else answer.body,
        is_cut=answer is not None and answer.is_cut,
        method=result.request.method,
        seconds=0.0 if answer is None else answer.seconds,
        fetched=result.fetched,
        problem=problem,
        refused=refused,
        tag=result.request.tag,
    )


def _challenged(answer: ServerAnswer, problem: str | None) -> tuple[str | None, Refused | None]:
    """Return the problem with an answer, and whether it is one to a client that is not trusted."""
    whose = challenge(answer.headers, answer.body)
    if whose is not None:
        return f"a challenge page of {whose} blocks it", "bot challenge"
    return problem, "bot challenge" if answer.status in CHALLENGE_STATUSES else None
