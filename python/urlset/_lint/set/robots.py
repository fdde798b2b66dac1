"""Rules about the robots.txt of a host, and what it disallows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from urlset import _core
from urlset._lint.set.findings import FindingCollector, Hit, SetDocument
from urlset._lint.set.indexes import IndexEntry
from urlset._model.errors import NotASitemapError
from urlset._read.api import parse

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ENTRIES = "SELECT document::UINTEGER, line::UINTEGER, coalesce(written, loc) FROM entries WHERE loc IS NOT NULL"


@dataclass(frozen=True, slots=True)
class HostRobots:
    """One host and its robots.txt.

    `scheme` is None if only the host was given. `sitemaps` has the normal form of each URL.
    """

    scheme: str | None
    host: str
    robots: _core.Robots
    sitemaps: frozenset[str]

    def crawlers(self, agents: Iterable[str]) -> list[_core.RobotsCrawler]:
        """Return what it says to each of the agents."""
        return [self.robots.crawler(agent) for agent in agents]

    def disallows(self, url: str, agents: Sequence[str]) -> list[str]:
        """Return the agents that may not fetch `url`."""
        pairs = zip(agents, self.crawlers(agents), strict=True)
        return [agent for agent, crawler in pairs if crawler.disallowing(url) is not None]


class Sites:
    """The sites with a known robots.txt. Each applies to its own scheme, host and port (RFC 9309, 2.3)."""

    def __init__(self, robots: Mapping[str, bytes]) -> None:
        self._sites: dict[tuple[str | None, str], HostRobots] = {}
        #: The sites whose robots.txt was requested.
        self._asked: set[tuple[str | None, str]] = set()
        for key, data in robots.items():
            named, host = _origin(key if "://" in key else f"https://{key.strip('/')}")
            self._add(named if "://" in key else None, host, data)

    def _add(self, scheme: str | None, host: str, data: bytes) -> None:
        location = f"{scheme or 'https'}://{host}/robots.txt"
        site = HostRobots(scheme, host, _core.Robots(data), frozenset(_sitemaps(data, location)))
        self._sites[scheme, host] = site

    def learn(self, url: str | None, fetch: Callable[[str], bytes | None]) -> None:
        """Get the robots.txt of the site that a URL belongs to, unless it is known or was requested.

        Args:
            url: The URL of a document that was fetched.
            fetch: Returns the robots.txt of the host of a URL; None if it cannot be read.
        """
        scheme, host = _origin(url or "")
        if url is None or (scheme, host) in self._asked or self.of(url) is not None:
            return
        self._asked.add((scheme, host))
        if (data := fetch(url)) is not None:
            self._add(scheme, host, data)

    def __bool__(self) -> bool:
        """Return whether any is known."""
        return bool(self._sites)

    def __iter__(self) -> Iterator[HostRobots]:
        return iter(self._sites.values())

    def of(self, url: str | None) -> HostRobots | None:
        """Return the site that a URL belongs to, if it is known."""
        scheme, host = _origin(url or "")
        return self._sites.get((scheme, host)) or self._sites.get((None, host))


def _origin(url: str) -> tuple[str | None, str]:
    found = _core.url_origin(url)
    return (None, "") if found is None else found[:2]


def _sitemaps(data: bytes, location: str) -> Iterator[str]:
    """Yield the URLs of its Sitemap lines, in their normal form."""
    try:
        yield from (_core.normalized_url(entry.loc) for entry in parse(data, location=location) if entry.loc)
    except NotASitemapError:  # an empty file, or an error page
        return


def proven_hosts(document_url: str | None, index_url: str | None, robots: Mapping[str, bytes] | Sites) -> set[str]:
    """Return the hosts, without ports, whose robots.txt has a Sitemap line for a document: it may list their pages.

    A line for the index covers its children too: the protocol mentions only the sitemap itself, but whoever reads an
    index reads its children, and hosts name the index.

    Source:
        sitemaps.org, Sitemaps & Cross Submits.
    """
    named = {_core.normalized_url(url) for url in (document_url, index_url) if url}
    sites = robots if isinstance(robots, Sites) else Sites(robots)
    hosts = (_core.host_name(f"https://{site.host}/") for site in sites if not named.isdisjoint(site.sitemaps))
    return {host for host in hosts if host}


def check_documents(
    documents: Sequence[SetDocument],
    listed: Sequence[IndexEntry],
    sites: Sites,
    agents: Sequence[str],
    found: FindingCollector,
) -> None:
    """ROB001 and ROB003.

    ROB001 is not reported for a document that an index or a robots.txt of the set lists: crawlers find it there.

    Source:
        ROB001: sitemaps.org, Informing search engine crawlers: by a Sitemap line all of them find it. ROB003: Google
        Search Console Help, Sitemaps report: a sitemap that robots.txt blocks is not read.
    """
    if found.is_enabled("ROB001"):
        children = {listing.target for listing in listed if listing.target != listing.document}
        hits = [
            Hit(number, 1, f"no Sitemap line in the robots.txt of {site.host} names {document.url}")
            for number, document in enumerate(documents)
            if document.kind not in (None, "robots") and document.parent is None and number not in children
            if document.url and (site := sites.of(document.url))
            if _core.normalized_url(document.url) not in site.sitemaps
        ]
        found.add("ROB001", hits, "add the line, with the complete URL of the sitemap")
    if found.is_enabled("ROB003"):
        hits = [
            Hit(number, 1, f"the robots.txt of {site.host} disallows it to {_list(agents, refused)}")
            for number, document in enumerate(documents)
            if document.kind not in (None, "robots") and document.url
            if (site := sites.of(document.url)) and (refused := site.disallows(document.url, agents))
        ]
        found.add("ROB003", hits, "allow its path in robots.txt")


def _list(agents: Sequence[str], refused: Sequence[str]) -> str:
    """Return the agents as a message names them."""
    return "every crawler" if refused and set(refused) == set(agents) == {"*"} else ", ".join(refused)


def may_disallow(sites: Sites, agents: Sequence[str]) -> bool:
    """Return whether a robots.txt has a rule for one of the agents."""
    return any(not crawler.is_free for site in sites for crawler in site.crawlers(agents))


def check_pages(connection: DuckDBPyConnection, sites: Sites, agents: Sequence[str], found: FindingCollector) -> None:
    """ROB004.

    Source:
        Google Search Console Help, Sitemaps report: URLs that robots.txt blocks are reported.
    """
    hosts = _core.RobotsSites([(site.scheme, site.host, site.crawlers(agents)) for site in sites])
    for refusals in hosts.refused(connection.sql(_ENTRIES)):
        hits = (
            Hit(document, line, f"the robots.txt of {_host(sites, loc)} disallows `{loc}` to {_list(agents, refused)}")
            for document, line, loc, numbers in refusals
            for refused in ([agents[number] for number in numbers],)
        )
        found.add("ROB004", hits, "take it out of the sitemap, or allow it")


def _host(sites: Sites, loc: str) -> str:
    return site.host if (site := sites.of(loc)) else ""
