"""One crawl: pages are requested depth by depth, and what they say is written in batches."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import partial
from typing import Any, Final, NamedTuple

from urlset import _core
from urlset._crawl.bounds import Bounds
from urlset._crawl.frontier import FrontierUrl, UrlFrontier
from urlset._crawl.scope import Scope
from urlset._crawl.traps import Traps, shape_of
from urlset._fetch.page_fetcher import PageFetcher
from urlset._model.errors import FetchError
from urlset._model.fetched_pages import FetchedPage, Request
from urlset._model.progress import OnProgress, Progress
from urlset._page.facts import PageFacts, page_facts
from urlset._page.ignored import Ignored
from urlset._render.pages import PageRenderer, ShownPage
from urlset._runs.file import WHOLE_CRAWL, RunFile
from urlset._runs.pages import CANONICAL, normal_form, page_row
from urlset._runs.schema import MAX_URL, cut
from urlset._util.plans import PlannedPage

#: Pages, bytes of links, candidates, and seconds, after which what was found is written.
_BATCH: Final = 500
_MAX_BYTES: Final = 32 << 20
_MAX_CANDIDATES: Final = 20_000
_SECONDS: Final = 2.0
#: Requests that wait for their turn, for each that is on its way.
_AHEAD: Final = 4
#: Where the links of a page come that a browser has shown: after those that it had before.
_SHOWN: Final = 1 << 24


class PlanCounts(NamedTuple):
    """The pages of a plan: those that are due, those that are not, and those that are not of the site or too long."""

    due: int
    not_due: int
    elsewhere: int


class _Batch:
    """What was found since the last write."""

    def __init__(self) -> None:
        self.pages: list[dict[str, Any]] = []
        self.links = _core.LinkRows()
        self.candidates: list[dict[str, Any]] = []
        self.begin = time.monotonic()

    def is_due(self) -> bool:
        return (
            len(self.pages) >= _BATCH
            or self.links.bytes > _MAX_BYTES
            or len(self.candidates) > _MAX_CANDIDATES
            or (bool(self.pages) and time.monotonic() - self.begin > _SECONDS)
        )


class Crawler:
    """Asks for the pages of a site, and writes what they say.

    Args:
        file: The run file.
        run: The number of the run.
        site: The first URL.
        fetcher: Fetches pages.
        bounds: What it may cost.
        ignored: What of a page is not its content.
        renderer: Shows pages that need a browser in one; None to leave them as they are.
        now: The present, from which dates ahead are counted.
        progress: Called with how many pages were requested so far, of those that are known.
    """

    def __init__(
        self,
        file: RunFile,
        run: int,
        site: str,
        fetcher: PageFetcher,
        bounds: Bounds,
        ignored: Ignored,
        *,
        renderer: PageRenderer | None = None,
        now: datetime,
        progress: OnProgress | None = None,
    ) -> None:
        self._file = file
        self._run = run
        self._site = site
        self._fetcher = fetcher
        self._bounds = bounds
        self._ignored = ignored
        self._renderer = renderer
        self._progress = progress
        self._frontier = UrlFrontier(file, run)
        self._scope = Scope(site, fetcher.options.hosts)
        self._traps = Traps(now.date())
        self._batch = _Batch()
        #: How many pages were requested, and which bound has ended the crawl.
        self.asked = self._done = 0
        self.bound: str | None = None

    def begin(self) -> None:
        """Begin with the first URL. The links of the run before are removed."""
        self._file.connection.execute("DELETE FROM links")
        self._frontier.begin(self._site)

    def begin_by_plan(self, planned: Iterable[PlannedPage]) -> PlanCounts:
        """Begin with the pages of a plan that are due, as far as they are of the site.

        The links of the last crawl without a plan stay, so that an audit goes on knowing them.
        """
        self._file.connection.execute(
            f"DELETE FROM links WHERE run IS DISTINCT FROM (SELECT max(run) FROM runs WHERE {WHOLE_CRAWL})"
        )
        counts = {"due": 0, "not_due": 0, "elsewhere": 0}

        def of_site() -> Iterator[PlannedPage]:
            for page in planned:
                url = _core.standard_url(page.loc)
                # What is cut is another URL: a longer one than a run file keeps cannot be requested from it.
                if url is None or len(url) > MAX_URL or url not in self._scope:
                    counts["elsewhere"] += 1
                    continue
                counts["not_due" if page.overdue is None else "due"] += 1
                yield page._replace(loc=url.partition("#")[0])

        self._frontier.begin(self._site, of_site())
        return PlanCounts(**counts)

    def resume(self) -> None:
        """Go on where this run was killed or interrupted."""
        self._frontier.resume()
        rows = self._file.connection.execute(
            f"SELECT loc, final_url, depth, content_hash, trap IS NOT NULL, nullif({CANONICAL}, normal_loc)"
            " FROM pages WHERE run = ?",
            [self._run],
        )
        while chunk := rows.fetchmany(10_000):
            for loc, final_url, depth, content, is_trap, canonical in chunk:
                if depth == 0 and final_url is not None:
                    self._scope.add(final_url)
                if not is_trap:
                    self.asked += 1
                    self._traps.see(loc, content, canonical)
        self._done = self.asked

    def run(self) -> None:
        """Request everything that is known, and what that leads to.

        Raises:
            FetchError: The first page cannot be fetched, or any page of a strict crawl.
        """
        while True:
            self._fetch_all(self._frontier.waiting())
            self._render()
            if self.bound is not None or not self._frontier.advance():
                return

    def flush(self) -> None:
        """Write what was found, all of it or nothing."""
        with self._file.transaction():
            self._write()

    def _write(self) -> None:
        batch, self._batch = self._batch, _Batch()
        self._file.insert("pages", batch.pages)
        self._file.insert("candidates", batch.candidates)
        self._file.insert_batch(f"INSERT INTO links SELECT {self._run}, * FROM batch", batch.links.take())

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(Progress("pages", self._done, max(self._done, self._frontier.known)))

    def _fetch_all(self, waiting: Iterator[FrontierUrl]) -> None:
        """Request all URLs of one depth."""
        room = _AHEAD * self._fetcher.options.concurrency
        is_more = True
        while is_more or self._fetcher.pending:
            while is_more and self._fetcher.pending < room:
                is_more = self._submit(next(waiting, None))
            for page in self._fetcher.results():
                self._take(page)
                self._done += 1
                self._tell()
                if self._batch.is_due():
                    self.flush()
        self.flush()

    def _submit(self, known: FrontierUrl | None) -> bool:
        """Request one page; return False if nothing more is to be requested."""
        if known is None or self.bound is not None:
            return False
        if known.depth > self._bounds.clicks:
            self.bound = f"links beyond {self._bounds.clicks:,} clicks were not followed (max_clicks, --max-clicks)"
            return False
        if self.asked >= self._bounds.pages:
            self.bound = f"the run has requested {self._bounds.pages:,} pages (max_pages, --max-pages)"
            return False
        trap = None if self._bounds.follows_traps else self._traps.verdict(known.loc, known.chain)
        if trap is not None:
            row = {"run": self._run, "loc": known.loc, "normal_loc": normal_form(known.loc)}
            self._batch.pages.append(row | {"depth": known.depth, "trap": cut(trap)})
            return True
        self.asked += 1
        self._fetcher.submit(Request(known.loc, tag=known))
        return True

    def _take(self, page: FetchedPage) -> None:
        """Take down what came of one page."""
        known = page.tag
        assert isinstance(known, FrontierUrl)
        if page.refused == "bound":  # it was not requested, so this run does not have it
            self.bound, self.asked = page.problem, self.asked - 1
            return
        if known.number == 1:
            self._check_first(page)
        if self._bounds.is_strict and page.refused not in (None, "robots"):
            # It is not taken down, so that it is requested again where the crawl goes on.
            raise FetchError(f"{page.url}: {page.problem or page.refused}", status=page.status)
        facts = None
        if page.status is not None:
            facts = page_facts(page.body, page.final_url, page.headers, ignored=self._ignored)
        if known.number == 1 and facts is not None and facts.refresh is not None:
            self._scope.add(facts.refresh)
        self._batch.pages.append(page_row(self._run, page, facts, depth=known.depth))
        if page.hops:
            self._batch.links.add(known.loc, "redirect", [page.final_url])
            self._know(known, page.final_url, 0)
        elif facts is not None and page.status == 200:
            self._see(known, facts)
            self._follow(known, facts)

    def _see(self, known: FrontierUrl, facts: PageFacts) -> None:
        """Tell the traps what a page held."""
        named = None if facts.canonical is None else normal_form(facts.canonical)
        is_other = named is not None and named != normal_form(known.loc)
        content = None if facts.needs_browser else facts.skeleton_hash
        self._traps.see(known.loc, content, named if is_other else None)

    def _check_first(self, page: FetchedPage) -> None:
        """Raise FetchError if there is nothing to begin with."""
        if page.status != 200:
            what = page.problem or f"status {page.status}"
            raise FetchError(f"{self._site}: {what}", status=page.status)
        self._scope.add(page.final_url)

    def _render(self) -> None:
        """Show the pages of this depth that need a browser in one, in their order, and follow the links they have then.

        Not as soon as they arrive: which are shown, if they are many, must not depend on how fast the site answers.
        """
        if self._renderer is None:
            return
        waiting = self._renderer.waiting(
            columns="number, pages.loc, pages.depth, chain",
            # A redirect is shown at the URL that it leads to.
            tables="pages JOIN frontier ON pages.loc = frontier.loc AND coalesce(len(hops), 0) = 0",
            order="number",
        )
        for known in (FrontierUrl(*row) for row in waiting):
            if self.bound is not None or (spent := self._fetcher.spent()) is not None:
                self.bound = self.bound or spent
                return
            self._renderer.show(known.loc, partial(self._take_shown, known))

    def _take_shown(self, known: FrontierUrl, page: ShownPage) -> None:
        """Take down what a browser has shown. It is called in the transaction that writes the page."""
        self._file.connection.execute("DELETE FROM links WHERE source = ?", [normal_form(known.loc)])
        if page.left is not None:
            self._batch.links.add(known.loc, "redirect", [page.left])
            self._know(known, page.left, _SHOWN)
        self._see(known, page.facts)
        self._follow(known, page.facts, _SHOWN)
        self._write()

    def _follow(self, known: FrontierUrl, facts: PageFacts, begin: int = 0) -> None:
        """Take down the links of a page, and follow those that may be followed. The first one has position `begin`."""
        links = self._batch.links
        links.add_found(known.loc, facts.found)
        links.add(known.loc, "canonical", [*facts.canonicals, *facts.header_canonicals])
        links.add(known.loc, "hreflang", [href for _, href in facts.hreflang])
        if facts.refresh is not None:
            links.add(known.loc, "redirect", [facts.refresh])
        is_polite = self._fetcher.options.obey_robots
        if is_polite and facts.is_nofollow:
            return
        unseen = self._frontier.seen.all_unseen(facts.found, known.number, with_nofollow=not is_polite)
        for position, url, form in unseen:
            self._consider(known, url, form, known.depth + 1, begin + position)
        if facts.refresh is not None:
            self._know(known, facts.refresh, begin + len(facts.found.links))

    def _know(self, known: FrontierUrl, url: str, position: int) -> None:
        """Take down where a redirect leads, which is as many clicks away as the page."""
        form = self._frontier.seen.unseen(url, known.number)
        if form is not None:
            self._consider(known, url, form, known.depth, position)

    def _consider(self, known: FrontierUrl, url: str, form: str, depth: int, position: int) -> None:
        """Take down a URL that no page before this one is known to lead to, if it is of the site."""
        if url not in self._scope:
            return
        loc = url[:MAX_URL]
        chain = known.chain + 1 if shape_of(loc) == shape_of(known.loc) else 0
        self._batch.candidates.append(
            {"loc": loc, "form": form, "depth": depth, "chain": chain, "source": known.number, "position": position}
        )
