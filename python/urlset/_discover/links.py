"""The sitemaps and feeds that a page links to in its head."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urljoin

#: Types of a `<link rel="alternate">` that are feeds. Source: RSS Advisory Board and RFC 4287, autodiscovery of feeds.
FEEDS = ("application/rss+xml", "application/atom+xml")
#: Links that count; a page with more is not a page of one site.
_MAX_LINKS = 50


def links_of(page: str, url: str) -> list[tuple[str, str]]:
    """Return the URLs of sitemaps and feeds that a page links to, each with `link` or `feed`, in their order.

    Source: `<link rel="sitemap">` is a habit of the web that no standard has; the relation is not registered by IANA.

    Example:
        >>> links_of('<link rel="sitemap" href="/map.xml">', "https://shop.example/")
        [('https://shop.example/map.xml', 'link')]
    """
    parser = _Links(url)
    parser.feed(page)
    return list(dict.fromkeys(parser.found))[:_MAX_LINKS]


class _Links(HTMLParser):
    def __init__(self, url: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self._base = url

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a link, or the base that links are relative to."""
        attributes = {name: value or "" for name, value in attrs}
        if tag == "base" and "href" in attributes:
            self._base = _joined(self._base, attributes["href"]) or self._base
        if tag != "link" or not attributes.get("href"):
            return
        url = _joined(self._base, attributes["href"].strip())
        relations = attributes.get("rel", "").lower().split()
        is_feed = "alternate" in relations and attributes.get("type", "").partition(";")[0].strip().lower() in FEEDS
        if url is not None and ("sitemap" in relations or is_feed):
            self.found.append((url, "link" if "sitemap" in relations else "feed"))


def _joined(base: str, href: str) -> str | None:
    try:
        url = urljoin(base, href)
    except ValueError:  # an invalid host
        return None
    return url if url.lower().startswith(("http://", "https://")) else None
