"""What a page says, read a second time: by lxml and http.client, without code of urlset."""

from __future__ import annotations

import http.client
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any, Final
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit, urlunsplit

from lxml import html

_REDIRECTS: Final = (301, 302, 303, 307, 308)
_MAX_HOPS: Final = 10
#: What is not the content of a page: what no reader sees, and what stands on every page.
_IGNORED: Final = ["script", "style", "template", "noscript", "nav", "aside", "form", "button", "select", "svg"]
_REFRESH: Final = re.compile(r"\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?['\"]?([^'\"]+)", re.IGNORECASE)


def same(url: str) -> str:
    """Return the spelling that all spellings of a URL share, without its fragment."""
    parts = urlsplit(urldefrag(url)[0])
    path, query = (quote(unquote(each), "/:@!$&'()*+,;=~?") for each in (parts.path or "/", parts.query))
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), path, query, ""))


@dataclass
class Page:
    """One answer, and what it says."""

    url: str
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def is_html(self) -> bool:
        """Whether it is a page that answers 200."""
        return self.status == 200 and "html" in self.headers.get("Content-Type", "")

    @cached_property
    def tree(self) -> Any:
        """The page as a tree."""
        return html.document_fromstring(self.body or b"<p>", parser=html.HTMLParser(encoding="utf-8"))

    def resolve(self, href: str) -> str:
        """Return the URL that an href of the page means."""
        base = self.tree.xpath("//base/@href")
        return same(urljoin(urljoin(self.url, base[0].strip()) if base else self.url, href.strip()))

    def linked(self, rel: str) -> list[Any]:
        """Return the `link` elements of the head that have a relation and an href."""
        found = self.tree.xpath("/html/head//link[@rel][@href]")
        return [each for each in found if rel in each.get("rel").lower().split()]

    @cached_property
    def head_canonicals(self) -> set[str]:
        """The URLs that the page calls canonical."""
        return {self.resolve(each.get("href")) for each in self.linked("canonical") if not each.get("hreflang")}

    @cached_property
    def header_canonicals(self) -> set[str]:
        """The URLs that its header calls canonical."""
        said = ",".join(self.headers.get_all("Link") or ())
        return {same(urljoin(self.url, url)) for url in re.findall(r'<([^>]*)>\s*;\s*rel="?canonical"?', said)}

    @property
    def canonical(self) -> str:
        """The one URL that the page stands for: its own if it names none, or several."""
        named = self.head_canonicals or self.header_canonicals
        return next(iter(named)) if len(named) == 1 else self.url

    @cached_property
    def hreflang(self) -> set[tuple[str, str]]:
        """The languages that the page names, with their URLs."""
        found = [each for each in self.linked("alternate") if each.get("hreflang")]
        return {(each.get("hreflang").lower(), self.resolve(each.get("href"))) for each in found}

    @cached_property
    def robots(self) -> set[str]:
        """What the page and its header tell the crawler of Google."""
        metas = self.tree.xpath("//meta[@name][@content]")
        said = [each.get("content") for each in metas if each.get("name").lower() in ("robots", "googlebot")]
        said += self.headers.get_all("X-Robots-Tag") or ()
        return {word.strip().lower() for each in said for word in each.split(",")}

    @property
    def is_indexable(self) -> bool:
        """Whether it may be indexed."""
        return self.is_html and not self.robots & {"noindex", "none"}

    @cached_property
    def links(self) -> set[str]:
        """Where its links lead."""
        if "nofollow" in self.robots or "none" in self.robots:
            return set()
        found = self.tree.xpath("//a[@href]|//area[@href]")
        return {self.resolve(each.get("href")) for each in found if "nofollow" not in (each.get("rel") or "").lower()}

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Its title, the words of its main part, and where the links and images of that lead."""
        root: Any = html.document_fromstring(self.body, parser=html.HTMLParser(encoding="utf-8"))
        parts = [found for path in ("//main", "//*[@role='main']", "//article") if len(found := root.xpath(path)) == 1]
        main = parts[0][0] if parts else root.find("body")
        ignored = _IGNORED if parts else [*_IGNORED, "header", "footer"]
        for each in main.xpath(" | ".join(f".//{name}" for name in ignored) + " | .//*[@hidden]"):
            each.drop_tree()
        leads = (self.resolve(each) for each in main.xpath(".//a/@href | .//img/@src"))
        title = root.findtext(".//title") or ""
        return " ".join(title.split()), " ".join(main.text_content().split()), *leads

    @cached_property
    def changed(self) -> list[datetime]:
        """When it was changed or published, by its metadata."""
        names = ("article:modified_time", "article:published_time")
        said = [each for name in names for each in self.tree.xpath(f"//meta[@property='{name}']/@content")]
        scripts = " ".join(self.tree.xpath("//script[@type='application/ld+json']/text()"))
        said += re.findall(r'"date(?:Modified|Published)"\s*:\s*"([^"]+)"', scripts)
        moments = [datetime.fromisoformat(each) for each in said]
        return [each if each.tzinfo else each.replace(tzinfo=UTC) for each in moments]

    @property
    def last_modified(self) -> datetime | None:
        """When it was changed, by its server."""
        said = self.headers.get("Last-Modified")
        return None if said is None else parsedate_to_datetime(said)

    @property
    def leads_to(self) -> str | None:
        """Where it redirects: by its status, or by a refresh, which Google takes for a redirect."""
        if self.status in _REDIRECTS and "Location" in self.headers:
            return same(urljoin(self.url, self.headers["Location"]))
        if not self.is_html:
            return None
        metas = self.tree.xpath("//meta[@http-equiv][@content][not(ancestor::noscript)]")
        said = [each.get("content") for each in metas if each.get("http-equiv").lower() == "refresh"]
        found = _REFRESH.match(said[0]) if said else None
        return self.resolve(found[1]) if found and self.resolve(found[1]) != self.url else None


@dataclass
class Visit:
    """What a URL leads to: the URLs that redirect, and the page at the end, if there is one."""

    hops: list[str] = field(default_factory=list)
    page: Page | None = None


class Browser:
    """Requests each URL of a site once, over one connection."""

    def __init__(self, site: str) -> None:
        self.host = urlsplit(site).netloc
        self._connection = http.client.HTTPConnection(self.host, timeout=30)
        self._pages: dict[str, Page] = {}

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def request(self, url: str, **headers: str) -> Page:
        """Return an answer to a request of its own."""
        parts = urlsplit(url)
        self._connection.request("GET", parts.path + (f"?{parts.query}" if parts.query else ""), headers=headers)
        answer = self._connection.getresponse()
        return Page(url, answer.status, answer.headers, answer.read())

    def visit(self, url: str) -> Visit:
        """Return what a URL of the site leads to."""
        visit, url = Visit(), same(url)
        while urlsplit(url).netloc == self.host and url not in visit.hops and len(visit.hops) <= _MAX_HOPS:
            page = self._pages.get(url) or self._pages.setdefault(url, self.request(url))
            if page.leads_to is None:
                visit.page = page
                return visit
            visit.hops.append(url)
            url = page.leads_to
        return visit
