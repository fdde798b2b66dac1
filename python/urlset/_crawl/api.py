"""The verb `crawl`: a site to its pages, by its links."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import fields
from datetime import datetime
from typing import Annotated, Any, Final

import urlset
from urlset._crawl.bounds import Bounds
from urlset._crawl.rows import ROWS, page_of, pages_query
from urlset._model.errors import FetchError, InputError
from urlset._model.pages import Page
from urlset._model.progress import OnProgress
from urlset._model.tables import _ArrowExport
from urlset._options.http import Http
from urlset._options.option import Option
from urlset._options.shared import Boilerplate, ByPlan, Mask, Render, State, Strict
from urlset._page.ignored import Ignored
from urlset._runs.file import Run, RunFile, RunState
from urlset._util.arguments import moment_of, standard_url
from urlset._util.duckdb import scalar
from urlset._util.plans import PlannedPage, planned_pages
from urlset._util.text import plural

#: Pages that are read from the file at once.
_FETCHED: Final = 1_000


class CrawledRows(_ArrowExport):
    """The pages of a crawl that belong in a sitemap, as rows for `publish`: an iterable, and a table."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Iterate the rows: `loc` and `lastmod`, which is a text."""
        cursor = self._crawl._cursor().execute(ROWS, [self._crawl.run])
        while rows := cursor.fetchmany(_FETCHED):
            yield from ({"loc": loc, "lastmod": lastmod} for loc, lastmod in rows)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the rows as an Arrow stream."""
        found = self._crawl._cursor().sql(ROWS.replace("?", str(self._crawl.run)))
        return found.__arrow_c_stream__(requested_schema)


class Crawl(_ArrowExport):
    """The pages of a site: iterate them, or take them as a table. They are ordered by depth.

    Attributes:
        site: The first URL.
        run: Number of the run in its file.
        state: `"complete"`, `"planned"` if a plan has kept pages back, or `"bounded"` if a bound has ended it.
        reason: Which bound.
        is_complete: Whether all that links lead to was requested, and nothing kept an answer back but robots.txt.
        pages: How many pages were requested.
        statuses: How many answered with each status; None is the number without an answer.
        refused: Of how many the answer proves nothing, by the reason.
        traps: How many URLs were not requested because they are endlessly many, by the kind.
        needs_browser: How many pages have their content only in a browser: what they link to is not known.
        rendered: How many pages a browser was asked to show, whether it could or not.
        due: How many pages of its plan were due, or taken; None without a plan.
        not_due: How many pages of its plan were not, and were not requested.
        elsewhere: How many pages of its plan are not of the site, or have URLs of more than 2,048 characters.
    """

    def __init__(self, file: RunFile, run: Run) -> None:
        self._file = file
        self.site = run.site
        self.run = run.run
        self.state = run.state
        self.reason = run.reason
        self.statuses: Mapping[int | None, int] = self._counts("status", "trap IS NULL")
        self.pages = sum(self.statuses.values())
        self.refused: Mapping[str, int] = self._counts("refused", "refused IS NOT NULL")
        self.traps: Mapping[str, int] = self._counts("trap", "trap IS NOT NULL")
        is_shell = "needs_browser IS NOT NULL AND coalesce(len(hops), 0) = 0"
        self.needs_browser = sum(self._counts("needs_browser", is_shell).values())
        self.rendered = sum(self._counts("rendered", "rendered IS NOT NULL").values())
        self.due: int | None = run.settings.get("due")
        self.not_due: int = run.settings.get("not_due", 0)
        self.elsewhere: int = run.settings.get("elsewhere", 0)
        self.is_complete = self.state == "complete" and not self.refused.keys() - {"robots"}
        self._finalizer = weakref.finalize(self, file.close)

    def __len__(self) -> int:
        """Return how many rows there are: pages, and URLs of traps."""
        return self.pages + sum(self.traps.values())

    def __repr__(self) -> str:
        """Return what was seen."""
        return f"<Crawl {self.site}: {plural(self.pages, 'page')}, {self.state}>"

    def __iter__(self) -> Iterator[Page]:
        """Iterate the pages, and the URLs of traps."""
        cursor = self._cursor().execute(pages_query([field.name for field in fields(Page)], times=False), [self.run])
        while rows := cursor.fetchmany(_FETCHED):
            yield from map(page_of, rows)

    def rows(self) -> CrawledRows:
        """Return the pages that belong in a sitemap, as rows for `publish`.

        These are HTML pages that answer with status 200 without a redirect, may be indexed, lead nowhere else by a
        script, and name no other page as canonical. Their lastmod is what the page says about its last change, or else
        its Last-Modified, unless that is the time at which it was fetched. Without such evidence there is none.
        """
        return CrawledRows(self)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the pages as an Arrow stream, with a column for each attribute of `Page`."""
        query = pages_query([field.name for field in fields(Page)], times=True).replace("?", str(self.run))
        return self._cursor().sql(query).__arrow_c_stream__(requested_schema)

    def close(self) -> None:
        """Close the file. The pages cannot be read any more; the counts stay."""
        self._finalizer()

    def __enter__(self) -> Crawl:
        """Return the crawl, which is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def _cursor(self) -> Any:
        if not self._finalizer.alive:
            raise InputError("the crawl is closed: read its pages before that")
        return self._file.connection.cursor()

    def _counts(self, column: str, condition: str) -> dict[Any, int]:
        rows = self._file.connection.execute(
            f"SELECT {column}, count(*) FROM pages WHERE run = ? AND {condition} GROUP BY 1 ORDER BY 2 DESC, 1",
            [self.run],
        )
        return dict(rows.fetchall())


def crawl(
    site: str,
    *,
    state: State = None,
    plan: ByPlan = None,
    take: Annotated[
        int | None,
        Option(
            "Request so many pages of the plan: those that are due first, whether their time has come or not.",
            default="those that are due",
            metavar="N",
            least=1,
        ),
    ] = None,
    strict: Strict = False,
    http: Http | None = None,
    max_pages: Annotated[int, Option("Request no further page after this many.", metavar="N")] = 1_000_000,
    max_clicks: Annotated[int, Option("Follow links up to this many clicks from the first page.", metavar="N")] = 500,
    follow_traps: Annotated[bool, Option("Also request URLs that a site has endlessly many of.")] = False,
    render: Render = False,
    mask: Mask = (),
    boilerplate: Boilerplate = (),
    now: datetime | None = None,
    progress: OnProgress | None = None,
) -> Crawl:
    """Follow the links of a site, and return its pages.

    The pages of one depth are requested before those of the next, so the depth of each is the fewest clicks. The
    robots.txt, a crawl-delay and `nofollow` are obeyed, unless `http` says otherwise. URLs of which a site has
    endlessly many, such as those of calendars and session ids, are named and not requested. A page whose content is
    only there in a browser is reported as such, or shown in one if you ask for that.

    What was found is written to `state` in batches. A crawl that was killed or interrupted goes on there when it is
    started again with the same state; at most the last batch is requested again.

    Args:
        site: The URL to begin with. Other hosts are not crawled, unless `Http.hosts` is `"domain"`.
        state: File that keeps the results for the next run over the site. A temporary one if None.
        plan: Plan of schedule: request only what is due. It is a `Schedule`, or any table with the columns `loc` and
            `next`. The pages of the site whose `next` is not after `now` are requested, the most overdue first, and
            then what links lead to that the plan does not have. `depth` counts clicks from any of them, and an audit
            goes on with the last crawl without a plan.
        take: Request so many pages of the plan: those that are due first, whether their time has come or not. A crawl
            that runs once a night then spends its budget of the night, and no more. Those that are due if None.
        strict: Stop at the first document that fails, instead of going on with the others. That is a page whose answer
            proves nothing, for another reason than its robots.txt. A state keeps what was found before.
        http: How pages are fetched; `Http()` if None.
        max_pages: Request no further page after this many.
        max_clicks: Follow links up to this many clicks from the first page.
        follow_traps: Also request URLs that a site has endlessly many of.
        render: Show pages that are empty without scripts in a Chromium, and go by what that shows. At most 200 are, and
            the links that they have then are followed. It needs the extra `browser`, and a Chromium or Chrome.
        mask: Text in pages to leave out of their content; * stands for anything. An example is a counter of visits.
        boilerplate: CSS selector of elements in pages to leave out of their content. An example is `.latest-posts`.
        now: Aware datetime of the crawl; the present if None.
        progress: Called with how many pages were requested so far, of those that are known.

    Returns:
        The pages, as objects and as a table. Close it, or use a `with` block, if you have named a state.

    Raises:
        InputError: An argument is invalid, the state is about another site or in use, or there is no browser, though a
            page needs one.
        FetchError: The first page cannot be fetched, or any page with `strict`.
        UrlsetError: The state failed.

    Example:
        >>> import urlset
        >>> try:
        ...     urlset.crawl("https://shop.invalid/", http=urlset.Http(obey_robots=False))
        ... except urlset.FetchError as error:
        ...     print(error)
        https://shop.invalid/: no connection: the host shop.invalid was not found
    """
    if take is not None and plan is None:
        raise InputError("take needs a plan, of which it takes pages")
    for name, value in (("max_pages", max_pages), ("max_clicks", max_clicks), ("take", 1 if take is None else take)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise InputError(f"{name} must be a whole number from 1 up, got {value!r}")
    ignored = Ignored(mask, boilerplate)
    first = standard_url("site", site).partition("#")[0]
    began = moment_of(now)
    file = RunFile(state)
    try:
        settings: dict[str, Any] = {"max_pages": max_pages, "max_clicks": max_clicks, "follow_traps": follow_traps}
        settings |= {"render": render, **ignored.as_settings()} | ({} if plan is None else {"plan": True})
        run = _interrupted(file, first, by_plan=plan is not None)
        is_resumed = run is not None
        if run is None:
            run = file.begin("crawl", first, settings=settings, now=began, version=urlset.__version__)
        bounds = Bounds(pages=max_pages, clicks=max_clicks, follows_traps=follow_traps, is_strict=strict)
        planned = None if plan is None else planned_pages(plan, began, take=take)
        how = {"renders": render, "is_resumed": is_resumed}
        _crawl(file, run, first, bounds, ignored, planned, **how, http=http, now=now, progress=progress)
        return Crawl(file, file.runs()[run - 1])
    except BaseException:
        file.close()
        raise


def _crawl(
    file: RunFile,
    run: int,
    site: str,
    bounds: Bounds,
    ignored: Ignored,
    planned: Iterator[PlannedPage] | None,
    *,
    renders: bool,
    is_resumed: bool,
    http: Http | None,
    now: datetime | None,
    progress: OnProgress | None,
) -> None:
    """Crawl, and write down how it has ended."""
    from urlset._crawl.crawler import Crawler  # noqa: PLC0415  (a run file is read without)
    from urlset._fetch.page_fetcher import PageFetcher  # noqa: PLC0415
    from urlset._render.pages import PageRenderer  # noqa: PLC0415

    with ExitStack() as stack:
        fetcher = stack.enter_context(closing(PageFetcher(http or Http(), [site])))
        renderer = stack.enter_context(closing(PageRenderer(file, run, fetcher, ignored))) if renders else None
        crawler = Crawler(
            file, run, site, fetcher, bounds, ignored, renderer=renderer, now=moment_of(now), progress=progress
        )
        if is_resumed:
            crawler.resume()
        elif planned is None:
            crawler.begin()
        else:
            file.note(run, **crawler.begin_by_plan(planned)._asdict())
        try:
            crawler.run()
        except (KeyboardInterrupt, FetchError, InputError) as error:
            crawler.flush()
            reason = "Ctrl-C" if isinstance(error, KeyboardInterrupt) else str(error)
            file.end(run, "interrupted", now=moment_of(now), reason=reason)
            raise
    state: RunState = "planned" if file.runs()[run - 1].settings.get("not_due") else "complete"
    state = state if crawler.bound is None else "bounded"
    file.end(run, state, now=moment_of(now), reason=crawler.bound)
    with file.transaction():
        file.connection.execute("DELETE FROM frontier")
        file.connection.execute("DELETE FROM candidates")


def _interrupted(file: RunFile, site: str, *, by_plan: bool) -> int | None:
    """Return the number of the last crawl of a site, if it has not come to its end, and had a plan if this one has."""
    last = next((run for run in reversed(file.runs()) if run.verb == "crawl"), None)
    if last is None or last.site != site or last.state not in ("running", "interrupted"):
        return None
    return (
        last.run
        if last.is_by_plan == by_plan and scalar(file.connection, "SELECT count(*) FROM frontier") > 0
        else None
    )
