"""A spider for Scrapy that begins with the sitemaps of a site, read by urlset. Extra: `scrapy`.

Scrapy fetches every document, so that its middlewares, its throttle and its obedience to robots.txt hold. urlset reads
them: broken markup is recovered, the bytes decide what a document is, and every entry comes with all of its facts.
"""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, cast
from urllib.parse import urljoin

from scrapy import Request, Spider
from scrapy.http import Response

from urlset import _core
from urlset._model.entries import Entry, SitemapEntry, UrlEntry
from urlset._model.errors import InputError, NotASitemapError, UrlsetError
from urlset._model.extensions import Alternate
from urlset._options.filters import Filter
from urlset._read.api import scan
from urlset._read.entry_points import NAMES, ROBOTS, is_site, names_sitemaps
from urlset._read.frontier import Frontier
from urlset._read.scan import Scan
from urlset._util.arguments import moment_of
from urlset._util.plans import Plan, planned_pages
from urlset.sources import files

__all__ = ["SitemapSpider"]

Callback = Callable[..., Any]


#: Steps of the priority of a page for each day that it is overdue: the pages of a minute have the same one.
_PER_DAY = 24 * 60
#: The priority of a page that the plan does not have: below all that are due.
_NEW = -1


class _Child(NamedTuple):
    """A sitemap that an index names, as the frontier takes it."""

    loc: str
    line: int
    lastmod_raw: str | None
    lastmod: int | None


class SitemapSpider(Spider):
    """A spider that requests what the sitemaps of a site list.

    It has the attributes of Scrapy's own `SitemapSpider`, so that a spider changes its base class and little else.
    The `meta` of each request, and so of each response, has what the sitemap says:

    - `sitemap_entry`: the `urlset.UrlEntry`, with `loc`, `lastmod`, `priority`, `alternates`, `images` and the others;
    - `sitemap_url`: the URL of the sitemap that lists it;
    - `sitemap_via`: how that was found: `given`, `robots`, `name` (a usual name) or `index`.

    What could not be read is logged as a warning. The statistics of the crawl count under `urlset/` the documents,
    entries, findings and failures, and what a filter left out.

    Attributes:
        sitemap_urls: URLs of sitemaps, indexes, feeds, text lists or robots.txt. The URL of a site, without a path,
            stands for the sitemaps that its robots.txt names, or the first usual name that answers.
        sitemap_rules: Pairs of a regular expression and a callback, or its name. The first that is found in a loc
            decides; a loc that no rule matches is not requested.
        sitemap_follow: Regular expressions. A sitemap that an index names is requested if one is found in its URL.
        sitemap_alternate_links: Whether the alternates of an entry are requested too. `sitemap_alternate` in the
            `meta` is then the `urlset.Alternate`.
        sitemap_choice: Which sitemaps are requested, and which of their entries: an `urlset.Filter`, without `sample`,
            `sample_entries` and `max_entries`.
        sitemap_plan: A plan of `urlset.schedule`: the name of a file, a `Schedule`, or any table with the columns `loc`
            and `next`. A page that it has for later is not requested, and the longer another one is overdue, the higher
            is the priority of its request. Pages that the plan does not have come after them.

    Example:
        >>> from urlset.contrib.scrapy import SitemapSpider
        >>> class ShopSpider(SitemapSpider):
        ...     name = "shop"
        ...     sitemap_urls = ["https://shop.example"]
        ...
        ...     def parse(self, response):
        ...         yield {"url": response.url, "lastmod": response.meta["sitemap_entry"].lastmod}
    """

    sitemap_urls: ClassVar[Sequence[str]] = ()
    sitemap_rules: ClassVar[Sequence[tuple[re.Pattern[str] | str, str | Callback]]] = [("", "parse")]
    sitemap_follow: ClassVar[Sequence[re.Pattern[str] | str]] = [""]
    sitemap_alternate_links: ClassVar[bool] = False
    sitemap_choice: ClassVar[Filter | None] = None
    sitemap_plan: ClassVar[str | os.PathLike[str] | Plan | None] = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        wanted = self.sitemap_choice
        if wanted is not None and any(
            each is not None for each in (wanted.sample_sitemaps, wanted.sample_entries, wanted.max_entries)
        ):
            raise InputError(
                "sitemap_choice cannot have sample, sample_entries or max_entries: CLOSESPIDER_PAGECOUNT ends a crawl"
            )
        self._frontier = Frontier(wanted)
        self._rules = [
            (re.compile(rule), getattr(self, callback) if isinstance(callback, str) else callback)
            for rule, callback in self.sitemap_rules
        ]
        self._follow = [re.compile(each) for each in self.sitemap_follow]
        self._overdue = _overdue(self.sitemap_plan)

    async def start(self) -> AsyncIterator[Any]:
        """Yield the first requests."""
        for url in self.sitemap_urls:
            yield self._try_names(url, [ROBOTS, *NAMES]) if is_site(url) else self._sitemap(url, "given")

    def sitemap_filter(self, entries: Iterable[Entry]) -> Iterable[Entry]:
        """Choose among the entries of a document: override it. All are wanted here.

        Args:
            entries: A `UrlEntry` for each page; of an index or a robots.txt, a `SitemapEntry` for each sitemap.
        """
        yield from entries

    def _sitemap(self, url: str, via: str, unwanted: str | None = None) -> Request:
        """Return the request of a sitemap. With `unwanted`, only the sitemaps that it names count."""
        kept = {"sitemap_via": via, "sitemap_unwanted": unwanted}
        return Request(url, self._parse_sitemap, errback=self._failed, cb_kwargs=kept)

    def _try_names(self, site: str, names: Sequence[str]) -> Request:
        """Return the request of the first name at which the sitemaps of a site may begin."""
        kept = {"site": site, "names": list(names)}
        return Request(
            urljoin(site, f"/{names[0]}"),
            self._parse_entry_point,
            meta={"handle_httpstatus_all": True},
            errback=self._failed,
            cb_kwargs=kept,
        )

    def _parse_entry_point(self, response: Response, site: str, names: list[str]) -> Iterator[Request]:
        """Read what is at a usual name, or try the next one if nothing is."""
        is_robots = names[0] == ROBOTS
        if response.status in (408, 425, 429) or response.status >= 500:
            # What is found at another name now may not be what the site usually has.
            self._warn(f"{response.url}: the server answered with status {response.status}")
            return
        if response.status == 200 and (not is_robots or names_sitemaps(response.body)):
            requests = self._read(response, "robots" if is_robots else "name", None)
            try:
                first = next(requests, None)
            except NotASitemapError:
                pass  # a page that says "not found" with status 200
            else:
                yield from () if first is None else (first, *requests)
                return
        if len(names) > 1:
            yield self._try_names(site, names[1:])
            return
        self._warn(f"{site}: its {ROBOTS} does not name a sitemap, and there is none at {', '.join(NAMES)}")

    def _parse_sitemap(self, response: Response, sitemap_via: str, sitemap_unwanted: str | None) -> Iterator[Request]:
        """Yield the requests of what a document lists."""
        try:
            yield from self._read(response, sitemap_via, sitemap_unwanted)
        except UrlsetError as error:
            self._warn(str(error))

    def _read(self, response: Response, via: str, unwanted: str | None) -> Iterator[Request]:
        """Yield the requests of what a document lists.

        Raises:
            NotASitemapError: It is something else. Nothing was yielded then.
        """
        rows, sitemaps, skipped = self._scan(response), list[SitemapEntry](), 0
        for entry in self.sitemap_filter(rows):
            if isinstance(entry, SitemapEntry):
                sitemaps.append(entry)
            elif unwanted is None:
                yield from self._pages(entry, response.url, via)
            else:
                skipped += 1
        self._count(rows, {unwanted: skipped} if unwanted is not None and not sitemaps else {})
        kind = rows.documents[0].kind
        children = [
            _Child(entry.loc, entry.line or 0, entry.lastmod_raw, _core.lastmod_micros(entry.lastmod_raw or ""))
            for entry in sitemaps
            if entry.loc is not None
        ]
        for chosen in self._frontier.choose(children, kind):
            if kind == "robots" or any(each.search(chosen.loc) for each in self._follow):
                yield self._sitemap(chosen.loc, "robots" if kind == "robots" else "index", chosen.unwanted)

    def _pages(self, entry: UrlEntry, sitemap: str, via: str) -> Iterator[Request]:
        """Yield the request of a page, and of its alternates if they are wanted."""
        meta = {"sitemap_entry": entry, "sitemap_url": sitemap, "sitemap_via": via}
        urls: list[tuple[str | None, Alternate | None]] = [(entry.loc, None)]
        if self.sitemap_alternate_links:
            urls += [(alternate.href, alternate) for alternate in entry.alternates]
        for url, alternate in urls:
            callback = next((callback for rule, callback in self._rules if url and rule.search(url)), None)
            if url is None or callback is None:
                continue
            priority = self._priority(url)
            if priority is None:
                continue
            of_alternate = {} if alternate is None else {"sitemap_alternate": alternate}
            yield Request(url, callback, meta={**meta, **of_alternate}, priority=priority)

    def _priority(self, url: str) -> int | None:
        """Return the priority of the request of a page; None if the plan has it for later."""
        if self._overdue is None:
            return 0
        form = _core.page_form(url)
        if form not in self._overdue:
            self._add("plan/new", 1)
            return _NEW
        overdue = self._overdue[form]
        self._add("plan/not_due" if overdue is None else "plan/due", 1)
        return None if overdue is None else int(overdue * _PER_DAY)

    def _scan(self, response: Response) -> Scan:
        # Scrapy has undone the Content-Encoding, unless it was told not to; then the core does.
        coding = response.headers.get("Content-Encoding")
        return scan(
            response.body,
            location=response.url,
            follow=False,
            content_encoding=None if coding is None else coding.decode("latin-1"),
            filter=self.sitemap_choice,
        )

    def _count(self, rows: Scan, skipped: Mapping[str, int]) -> None:
        """Add a document that was read to the statistics, and say what could not be read of it."""
        for name, number in {
            "documents": 1,
            "entries": sum(document.rows for document in rows.documents),
            **{f"findings/{code}": count for code, count in rows.counts.items()},
            **{f"skipped/entries/{reason}": count for reason, count in rows.skipped.entries.items()},
            **{f"skipped/entries/{reason}": count for reason, count in skipped.items()},
        }.items():
            self._add(name, number)
        for failure in rows.failures:
            self._warn(str(failure))

    def _add(self, name: str, number: int) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(f"urlset/{name}", number)

    def _warn(self, message: str) -> None:
        """Say what could not be read."""
        self._add("failures", 1)
        self.logger.warning(message)

    def _failed(self, failure: Any) -> None:
        """Say which document could not be fetched."""
        self._warn(f"{failure.request.url}: the sitemap was not fetched: {failure.value}")

    def closed(self, reason: str) -> None:
        """Add the sitemaps that were left out to the statistics."""
        for field, number in self._frontier.skipped.sitemaps.items():
            self._add(f"skipped/sitemaps/{field}", number)


def _overdue(plan: str | os.PathLike[str] | Plan | None) -> dict[str, float | None] | None:
    """Return for how many days each page of a plan has been due, None for later; None without a plan.

    Raises:
        InputError: It is not a plan.
        OSError: Its file cannot be read.
    """
    if plan is None:
        return None
    if isinstance(plan, str | os.PathLike):
        with files.rows(plan, keep=("next",)) as rows:
            return _overdue(cast("Plan", rows))
    # Those that are due come first: if a page is in the plan twice, the earlier time counts.
    found: dict[str, float | None] = {}
    for page in planned_pages(plan, moment_of(None)):
        found.setdefault(_core.page_form(page.loc), page.overdue)
    return found
