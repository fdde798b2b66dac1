"""A real browser that shows pages, and that reaches nothing but through the host pool.

A page of a stranger runs scripts here, and a browser would fetch whatever they ask for: a private address, a file, a
device on the network. So the browser has no network of its own. It resolves no name, and each of its requests is
answered by `PageFetcher`, which obeys robots.txt, judges each address before it is dialled, and keeps to the bounds of
the run. Only what makes the content is fetched: the page, its scripts, and the data that these ask for.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from urlset._fetch.page_fetcher import PageFetcher
from urlset._model.errors import InputError
from urlset._model.fetched_pages import FetchedPage, Request

if TYPE_CHECKING:
    from playwright.async_api import Browser as Chromium
    from playwright.async_api import BrowserContext, Page, Playwright, Route

T = TypeVar("T")

#: Requests, and bytes of answers, that one page may cause.
_MAX_REQUESTS: Final = 200
_MAX_BYTES: Final = 32 << 20
#: Seconds for one page, and seconds without a request after which it is done.
_SECONDS: Final = 20.0
_QUIET: Final = 5.0
#: Bytes of scripts that are kept for the next pages: a site has the same on each.
_MAX_KEPT: Final = 32 << 20
_FETCHED: Final = frozenset(("document", "script", "xhr", "fetch"))
#: Headers about the bytes of an answer, which has no compression any more.
_OF_BYTES: Final = frozenset(("content-encoding", "content-length", "transfer-encoding", "connection"))
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS: Final = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--js-flags=--max-old-space-size=512",
    "--no-first-run",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """What a browser made of a page.

    Attributes:
        page: The page as its server sent it; None if it was not sent.
        html: The page after its scripts, in UTF-8; None if that did not come about.
        problem: Why not.
        left: Where a script led instead; None if it stayed.
    """

    page: FetchedPage | None = None
    html: bytes | None = None
    problem: str | None = None
    left: str | None = None


class Browser:
    """Shows pages, one after the other. Close it at the end.

    Args:
        fetcher: Fetches pages and scripts. It stays open.

    Raises:
        InputError: The extra `browser` is not installed, or there is no Chromium and no Chrome.
    """

    def __init__(self, fetcher: PageFetcher) -> None:
        # What a page has asked for may arrive after its time, and the caller must not get it.
        self._fetcher = fetcher.beside()
        self._turn = asyncio.Lock()
        self._kept: dict[str, FetchedPage] = {}
        self._kept_bytes = 0
        # A thread of its own: that of the caller may have an event loop, such as that of a notebook.
        self._loop = asyncio.new_event_loop()
        self._thread = ThreadPoolExecutor(1, "urlset-browser")
        self._playwright: Playwright | None = None
        self._chromium: Chromium | None = None
        try:
            self._run(self._start())
        except BaseException:
            self.close()
            raise

    def show(self, url: str) -> Rendered:
        """Return what scripts make of a page. What goes wrong with the page is in the result."""
        return self._run(self._show(url))

    def close(self) -> None:
        """End the browser."""
        with suppress(Exception):  # a browser that is gone cannot be ended
            self._run(self._end())
        self._run(self._loop.shutdown_default_executor())
        self._thread.shutdown()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._thread.submit(self._loop.run_until_complete, work).result()

    async def _start(self) -> None:
        try:
            from playwright.async_api import Error, async_playwright  # noqa: PLC0415  (an extra)
        except ImportError:
            raise InputError("rendering needs the extra browser: pip install 'urlset[browser]'") from None
        path = next((found for name in _NAMES if (found := shutil.which(name)) is not None), None)
        where: dict[str, Any] = {"channel": "chrome"} if path is None else {"executable_path": path}
        # Chromium has no sandbox for root, whom no container keeps away.
        sandbox = not hasattr(os, "geteuid") or os.geteuid() != 0
        self._playwright = self._playwright or await async_playwright().start()
        try:
            self._chromium = await self._playwright.chromium.launch(
                args=list(_ARGUMENTS), chromium_sandbox=sandbox, **where
            )
        except Error as error:
            why = str(error).strip().partition("\n")[0]
            raise InputError(f"rendering needs a Chromium or Chrome on this machine: {why}") from None

    async def _end(self) -> None:
        if self._chromium is not None:
            await asyncio.wait_for(self._chromium.close(), _QUIET)
        if self._playwright is not None:
            await asyncio.wait_for(self._playwright.stop(), _QUIET)

    async def _show(self, url: str) -> Rendered:
        from playwright.async_api import Error  # noqa: PLC0415

        if self._chromium is None:
            await self._start()
        assert self._chromium is not None
        visit = _Visit(self, url)
        context: BrowserContext | None = None
        try:
            async with asyncio.timeout(_SECONDS):
                context = await self._chromium.new_context(service_workers="block", accept_downloads=False)
                html = await visit.shown_in(context)
        except TimeoutError:
            return Rendered(page=visit.page, problem=f"it was not done after {_SECONDS:g} seconds", left=visit.left)
        except Error as error:
            problem = visit.problem or str(error).partition("\n")[0]
            return Rendered(page=visit.page, problem=problem, left=visit.left)
        finally:
            visit.is_over = True
            await self._leave(context)
        return Rendered(page=visit.page, html=html.encode("utf-8", "replace"), left=visit.left)

    async def _leave(self, context: BrowserContext | None) -> None:
        """Close a page. One whose scripts never end does not let go: then another browser is begun."""
        from playwright.async_api import Error  # noqa: PLC0415

        try:
            if context is not None:
                await asyncio.wait_for(context.close(), _QUIET)
        except (TimeoutError, Error):
            with suppress(TimeoutError, Error):
                await self._end()
            self._chromium = self._playwright = None

    async def fetched(self, url: str, may: Callable[[], bool], *, is_script: bool) -> FetchedPage | None:
        """Return what came of a request of the browser; None if it may not be made any more when it is its turn."""
        if is_script and (known := self._kept.get(url)) is not None:
            return known
        async with self._turn:
            if not may():
                return None
            found = await asyncio.to_thread(self._fetch, url)
        if is_script and found.status == 200 and self._kept_bytes + len(found.body) <= _MAX_KEPT:
            self._kept[url] = found
            self._kept_bytes += len(found.body)
        return found

    def _fetch(self, url: str) -> FetchedPage:
        asked = object()
        self._fetcher.submit(Request(url, tag=asked))
        while True:
            for each in self._fetcher.results():
                if each.tag is asked:  # and not what a page had asked for that is given up
                    return each


class _Visit:
    """One page in the browser, and what it asks for."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser = browser
        self._url = url
        self._shown: Page | None = None
        self._requests = self._bytes = 0
        self.is_over = False
        self.page: FetchedPage | None = None
        self.left: str | None = None
        self.problem: str | None = None

    async def shown_in(self, context: BrowserContext) -> str:
        """Return the HTML of the page after its scripts."""
        from playwright.async_api import TimeoutError as NotQuiet  # noqa: PLC0415

        await context.route("**/*", self._answer)
        await context.route_web_socket("**/*", lambda socket: socket.close())
        self._shown = await context.new_page()
        # Not until it is loaded: a script that leads elsewhere meanwhile would keep it from that.
        await self._shown.goto(self._url, wait_until="commit", timeout=_SECONDS * 1000)
        with suppress(NotQuiet):
            await self._shown.wait_for_load_state("networkidle", timeout=_QUIET * 1000)
        return await self._shown.content()

    async def _answer(self, route: Route) -> None:
        """Answer a request of the browser, or refuse it."""
        from playwright.async_api import Error  # noqa: PLC0415

        found = await self._found(route)
        with suppress(Error):  # the page was left meanwhile
            if found is None:
                # After 204, the browser stays where it is. After an error, it would show a page about that.
                await (route.fulfill(status=204) if self.left == route.request.url else route.abort("blockedbyclient"))
                return
            headers = {name: value for name, value in found.headers if name not in _OF_BYTES}
            try:
                await route.fulfill(status=found.status, headers=headers, body=found.body)
            except Error:  # a header that the browser does not take
                await route.fulfill(status=found.status, body=found.body)

    def _may(self) -> bool:
        """Return whether the page may still fetch something: requests wait for their turn, and may outlive it."""
        return not self.is_over and self._bytes <= _MAX_BYTES

    async def _found(self, route: Route) -> FetchedPage | None:
        request = route.request
        if request.method != "GET" or request.resource_type not in _FETCHED:
            return None
        if not request.url.startswith(("http://", "https://")):
            return None
        is_page = request.resource_type == "document"
        if is_page and (self.page is not None or self._shown is None or request.frame != self._shown.main_frame):
            if self._shown is not None and request.frame == self._shown.main_frame:
                self.left = request.url
            return None
        self._requests += 1
        if self._requests > _MAX_REQUESTS:
            return None
        found = await self._browser.fetched(request.url, self._may, is_script=request.resource_type == "script")
        if found is None:
            return None
        self._bytes += len(found.body)
        if is_page:
            self.page, self.problem = found, found.problem
        return None if found.status is None or found.refused is not None or found.is_cut else found
