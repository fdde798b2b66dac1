"""A second opinion on a site, without code of urlset: which pages each rule of an audit must find, and none more.

It reads the sitemaps, requests the listed pages and follows links from the home page, and judges by the definitions of
other checkers and of search engines.
"""

from __future__ import annotations

import re
import urllib.robotparser
from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import combinations
from typing import Any, Final
from urllib.parse import urlsplit

from lxml import etree

from support.audit.second_reader import Browser, Page, Visit, same

_NAMES: Final = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "x": "http://www.w3.org/1999/xhtml"}
#: What may be said to this client alone.
_WALLS: Final = (403, 429, 503)
#: A main part with fewer words is too short for two pages to share it.
_FEWEST_WORDS: Final = 10
#: One with fewer is too short for two pages to have nearly the same, and from which share on that is so. An audit
#: estimates the share, so what is close to it may be found or not.
_FEWEST_OF_NEAR: Final = 30
_NEAR: Final = 0.9
_CLOSE: Final = 0.05
#: The number of a page of a list.
_FURTHER: Final = re.compile(r"[?&](page|paged|offset)=\d+|/page/\d+/?$")


@dataclass
class Entry:
    """What a sitemap says of a page."""

    loc: str
    lastmod: datetime | None = None
    hreflang: set[tuple[str, str]] = field(default_factory=set)


class Judge:
    """Everything that is known of a site."""

    def __init__(self, site: str, browser: Browser) -> None:
        self.site = site
        self._now = datetime.now(UTC)
        self._browser = browser
        self._robots = urllib.robotparser.RobotFileParser()
        said = self._browser.request(f"{site}/robots.txt")
        self._robots.parse(said.body.decode().splitlines() if said.status == 200 else [])
        self.entries = {entry.loc: entry for each in self._sitemaps() for entry in self._entries(each)}
        self.visits = {loc: self._browser.visit(loc) for loc in self.entries if self._robots.can_fetch("*", loc)}
        self.crawled = self._crawl()

    # --- what there is ------------------------------------------------------------------------------------------

    def _sitemaps(self) -> list[str]:
        return self._robots.site_maps() or [f"{self.site}/sitemap.xml"]

    def _entries(self, sitemap: str) -> Iterator[Entry]:
        page = self._browser.visit(sitemap).page
        assert page is not None, sitemap
        root: Any = etree.fromstring(page.body)
        for child in root.xpath("s:sitemap/s:loc/text()", namespaces=_NAMES):
            yield from self._entries(child.strip())
        for url in root.xpath("s:url", namespaces=_NAMES):
            lastmod = url.findtext("s:lastmod", namespaces=_NAMES)
            moment = datetime.fromisoformat(lastmod.strip()) if lastmod else None
            links = url.findall("x:link[@hreflang][@href]", _NAMES)
            yield Entry(
                url.findtext("s:loc", namespaces=_NAMES).strip(),
                moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC),
                {(each.get("hreflang").lower(), same(each.get("href"))) for each in links},
            )

    def _crawl(self) -> dict[str, Visit]:
        """Return what the URLs lead to that links from the home page reach."""
        found, waiting = dict[str, Visit](), [same(self.site)]
        for url in waiting:
            if url in found or urlsplit(url).netloc != self._browser.host or not self._robots.can_fetch("*", url):
                continue
            visit = found[url] = self._browser.visit(url)
            if visit.page is not None:
                waiting += [visit.page.url] if visit.hops else visit.page.links if visit.page.is_html else []
        return found

    # --- what is wrong ------------------------------------------------------------------------------------------

    def verdicts(self) -> dict[str, Set[str]]:
        """Return the URLs that each rule must find."""
        found = {
            "LIVE001": {loc for loc, page in self._ends() if page.status // 100 == 4 and page.status not in _WALLS},
            "LIVE002": {loc for loc, page in self._ends() if page.status // 100 == 5 and page.status not in _WALLS},
            "LIVE003": {loc for loc, page in self._ends() if page.status == 200 and self.visits[loc].hops},
            "LIVE004": {loc for loc, page in self._direct() if page.is_html and not page.is_indexable},
            "LIVE006": {loc for loc, page in self._own() if page.url not in self._linked_by},
            "LIVE028": {loc for loc, page in self._own() if self._is_of_an_island(page.url)},
            "LIVE029": {url for url, page in self._crawled() if page.status >= 400 and page.status not in _WALLS},
            "LIVE030": {url for url, page in self._crawled() if page.status == 200 and self.crawled[url].hops},
            "LIVE031": {loc for loc, page in self._ends() if not self.visits[loc].hops and self._is_no_page(page)},
            "LIVE007": set(self._unlisted()),
            "LIVE012": {loc for loc, visit in self.visits.items() if visit.page is None},
            "LIVE021": {loc for loc, page in self._direct() if not {"ETag", "Last-Modified"} & set(page.headers)},
            "LIVE022": set(self._copies()),
            "LIVE023": {loc for loc, page in self._indexable() if len(page.head_canonicals) > 1},
            "LIVE026": {loc for loc, page in self._indexable() if self._has_conflict(page)},
            "LIVE027": set(self.entries) - set(self.visits),
            "LIVE010": {loc for loc, page in self._indexable() if self._differs(self.entries[loc], page)},
        }
        return found | self._canonicals() | self._versions() | self._dates()

    def _ends(self) -> Iterator[tuple[str, Page]]:
        return ((loc, visit.page) for loc, visit in self.visits.items() if visit.page is not None)

    def _direct(self) -> Iterator[tuple[str, Page]]:
        return ((loc, page) for loc, page in self._ends() if page.status == 200 and not self.visits[loc].hops)

    def _indexable(self) -> Iterator[tuple[str, Page]]:
        return ((loc, page) for loc, page in self._direct() if page.is_indexable)

    def _own(self) -> Iterator[tuple[str, Page]]:
        """The listed pages that stand for themselves."""
        return ((loc, page) for loc, page in self._indexable() if page.canonical == page.url)

    @staticmethod
    def _has_conflict(page: Page) -> bool:
        return len(page.head_canonicals) == 1 and bool(page.header_canonicals - page.head_canonicals)

    @staticmethod
    def _differs(entry: Entry, page: Page) -> bool:
        return bool(entry.hreflang and page.hreflang) and entry.hreflang != page.hreflang

    def _crawled(self) -> Iterator[tuple[str, Page]]:
        """What the crawled URLs lead to that a page links to."""
        named = {target for visit in self.crawled.values() if visit.page for target in visit.page.links}
        found = ((url, self.crawled[url].page) for url in self.crawled if url in named)
        return ((url, page) for url, page in found if page is not None)

    @staticmethod
    def _is_no_page(page: Page) -> bool:
        kind = page.headers.get_content_type()
        is_other = kind.startswith(("image/", "audio/", "font/")) or kind.rpartition("+")[2] == "xml"
        is_data = kind in ("application/xml", "text/xml", "application/json", "text/plain", "text/css")
        return 200 < page.status < 300 or (page.status == 200 and (not page.body or is_other or is_data))

    @cached_property
    def _linked_by(self) -> dict[str, set[str]]:
        """The pages that link to each page in the end, without itself; the home page links to the home page."""
        linked = defaultdict[str, set[str]](set, {same(self.site): {same(self.site)}})
        visits = [*self.crawled.values(), *self.visits.values()]
        for page in {visit.page.url: visit.page for visit in visits if visit.page is not None}.values():
            for target in page.links if page.is_html else ():
                visit = self.crawled.get(target) or self.visits.get(target)
                end = visit.page.url if visit is not None and visit.page is not None else target
                linked[end] |= {page.url} - {end}
        return {url: pages for url, pages in linked.items() if pages}

    def _is_of_an_island(self, url: str) -> bool:
        """Whether only pages link to it that the crawl did not reach."""
        reached = {visit.page.url for visit in self.crawled.values() if visit.page is not None}
        return url in self._linked_by and not self._linked_by[url] & reached

    def _unlisted(self) -> Iterator[str]:
        listed = {same(loc) for loc in self.entries}
        for url, visit in self.crawled.items():
            page = visit.page
            is_own = page is not None and not visit.hops and page.is_indexable and page.canonical == url
            if is_own and url not in listed:
                yield url

    def _copies(self) -> Iterator[str]:
        """All but the shortest of the listed pages with one content, and its languages: pages that name each other."""
        alike = defaultdict[tuple[str, ...], list[str]](list)
        for loc, page in self._own():
            if len(page.content[1].split()) >= _FEWEST_WORDS and not self._has_conflict(page):
                alike[page.content].append(loc)
        for locs in alike.values():
            ordered = sorted(locs, key=lambda loc: (len(loc), loc))
            for loc in ordered[1:]:
                languages = [other for other in ordered if self._names(loc, other) and self._names(other, loc)]
                if ordered[0] not in languages:
                    yield loc

    def near(self) -> tuple[set[str], set[str]]:
        """Return the pages that surely have nearly the text of one with a shorter URL, and those that may have it.

        Of one body only the first page counts. The share is that of the sequences of three words of both.
        """
        texts: dict[str, set[tuple[str, ...]]] = {}
        bodies = set[tuple[str, ...]]()
        for loc, page in sorted(self._own(), key=lambda each: (len(each[0]), each[0])):
            words = page.content[1].split()
            if len(words) >= _FEWEST_OF_NEAR and not self._has_conflict(page) and page.content not in bodies:
                bodies.add(page.content)
                texts[loc] = set(zip(words, words[1:], words[2:], strict=False))
        sure, possible = set[str](), set[str]()
        for loc, other in combinations(texts, 2):
            one, two = texts[loc], texts[other]
            share = 2 * len(one & two) / (len(one) + len(two))
            is_version = self._names(loc, other) and self._names(other, loc)
            if not is_version and _FURTHER.sub("", loc) != _FURTHER.sub("", other):
                sure |= {other} if share >= _NEAR + _CLOSE else set()
                possible |= {other} if share >= _NEAR - _CLOSE else set()
        return sure, possible

    def _names(self, loc: str, other: str) -> bool:
        """Whether a page or its entry names another as its translation."""
        page = self.visits[loc].page
        named = self.entries[loc].hreflang | (page.hreflang if page is not None else set())
        return same(other) in {href for _, href in named}

    def _canonicals(self) -> dict[str, Set[str]]:
        """Pages that name another one: LIVE005; LIVE024 if that is not a page, LIVE025 if it names a third."""
        found = defaultdict[str, set[str]](set)
        for loc, page in self._indexable():
            if self._has_conflict(page) or page.canonical == page.url:
                continue
            target = self._browser.visit(page.canonical)
            if urlsplit(page.canonical).netloc != self._browser.host:
                found["LIVE005"].add(loc)
            elif target.hops or target.page is None or target.page.status != 200:
                found["LIVE024"].add(loc)
            elif not target.page.is_indexable:
                found["LIVE035"].add(loc)
            else:
                found["LIVE025" if target.page.canonical not in (page.canonical, page.url) else "LIVE005"].add(loc)
        found["LIVE035"] |= {
            loc for loc, page in self._ends() if self.visits[loc].hops and page.is_html and not page.is_indexable
        }
        return {code: found[code] for code in ("LIVE005", "LIVE024", "LIVE025", "LIVE035")}

    def _versions(self) -> dict[str, Set[str]]:
        """Languages that cannot be indexed (LIVE032), do not link back (LIVE033), or are not listed (LIVE034)."""
        found: dict[str, set[str]] = {"LIVE032": set(), "LIVE033": set(), "LIVE034": set()}
        entries = {same(loc): entry for loc, entry in self.entries.items()}
        for loc, page in self._indexable():
            for code, href in page.hreflang | self.entries[loc].hreflang:
                visit = self._browser.visit(href)
                if urlsplit(href).netloc != self._browser.host or visit.page is None or visit.page.status in _WALLS:
                    continue
                if visit.hops or not visit.page.is_indexable or visit.page.canonical != href:
                    found["LIVE032"].add(loc)
                    continue
                back = visit.page.hreflang | (entries[href].hreflang if href in entries else set())
                is_answered = href == page.url or page.url in {other for _, other in back}
                if (code, href) in page.hreflang and code != "x-default" and not is_answered:
                    found["LIVE033"].add(loc)
                if href not in entries:
                    found["LIVE034"].add(href)
        return dict(found)

    def _dates(self) -> dict[str, Set[str]]:
        """Pages that were changed more than 7 days after their lastmod, or more than 30 days before."""
        behind, ahead = set[str](), set[str]()
        for loc, page in self._indexable():
            lastmod = self.entries[loc].lastmod
            changed = max(page.changed, default=page.last_modified)
            if lastmod is None or changed is None or (not page.changed and self._now - changed < timedelta(hours=1)):
                continue
            if lastmod < changed - timedelta(days=7):
                behind.add(loc)
            if lastmod > changed + timedelta(days=30):
                ahead.add(loc)
        return {"LIVE008": behind, "LIVE015": ahead}
