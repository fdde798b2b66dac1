"""Rules about the robots.txt of a host. Protego, the parser of Scrapy, decides what it allows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from protego import Protego

from urlset import _core
from urlset._lint.set.findings import FindingCollector, Hit, SetDocument
from urlset._lint.set.indexes import Listing
from urlset._model.errors import NotASitemapError
from urlset._read.api import parse
from urlset._util.duckdb import literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Bytes of a robots.txt that count. Source: RFC 9309, 2.5, and Google, which ignores the rest.
BYTES = 500 << 10
#: How many locs are judged at a time.
BATCH = 10_000
#: How many patterns share one regular expression, and how many characters of each are used, to bound its cost.
PATTERNS, LENGTH = 100, 200

_PORTS = {"http": ":80", "https": ":443"}
#: Every spelling of `Disallow` that Protego accepts begins like this; other matches have no effect when it judges.
_DISALLOW = re.compile(r"\s*(di\w*(?:\s*:|\s)\s*)([^#]*)", re.IGNORECASE)
_ALLOW = re.compile(r"\s*allow\b", re.IGNORECASE)
#: Characters that can be written in one way only, in a rule and in a URL.
_PLAIN = re.compile(r"[A-Za-z0-9_.~/=-]+")
_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_DIGITS = re.compile("^[0-9A-F]{1,2}")


@dataclass(frozen=True, slots=True)
class Site:
    """One host and its robots.txt.

    `scheme` is None if only the host was given. `sitemaps` has the normal form of each URL.
    """

    scheme: str | None
    host: str
    text: str
    rules: Protego
    sitemaps: frozenset[str]

    def disallows(self, url: str, agents: Iterable[str]) -> list[str]:
        """Return the agents that may not fetch `url`."""
        try:
            return [agent for agent in agents if not self.rules.can_fetch(url, agent)]
        except ValueError:  # an invalid URL, which is LOC004
            return []


class Sites:
    """The sites with a known robots.txt. Each applies to its own scheme, host and port (RFC 9309, 2.3)."""

    def __init__(self, robots: Mapping[str, bytes]) -> None:
        self._sites: dict[tuple[str | None, str], Site] = {}
        #: The sites whose robots.txt was asked for.
        self._asked: set[tuple[str | None, str]] = set()
        for key, data in robots.items():
            scheme, host = _origin(key) if "://" in key else (None, key.strip("/").lower())
            self._add(scheme, host, data)

    def _add(self, scheme: str | None, host: str, data: bytes) -> None:
        text = data[:BYTES].decode("utf-8-sig", "replace")
        location = f"{scheme or 'https'}://{host}/robots.txt"
        site = Site(scheme, host, text, Protego.parse(text), frozenset(_sitemaps(data, location)))
        self._sites[scheme, host] = site

    def learn(self, url: str | None, fetch: Callable[[str], bytes | None]) -> None:
        """Get the robots.txt of the site that a URL belongs to, unless it is known or was asked for.

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

    def __iter__(self) -> Iterator[Site]:
        return iter(self._sites.values())

    def of(self, url: str | None) -> Site | None:
        """Return the site that a URL belongs to, if it is known."""
        scheme, host = _origin(url or "")
        return self._sites.get((scheme, host)) or self._sites.get((None, host))


def _origin(url: str) -> tuple[str | None, str]:
    try:
        parts = urlsplit(url)
    except ValueError:  # an invalid host
        return None, ""
    host = parts.netloc.rpartition("@")[2].lower()
    return parts.scheme.lower(), host.removesuffix(_PORTS.get(parts.scheme.lower(), "\0"))


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
    listed: Sequence[Listing],
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
    """Return whether a robots.txt has a rule that can keep one of the agents from a page."""
    return any(_candidates(site, agents) is not None for site in sites)


def check_pages(connection: DuckDBPyConnection, sites: Sites, agents: Sequence[str], found: FindingCollector) -> None:
    """ROB004.

    DuckDB selects the locs that a rule can match, by the parts of the rule that can be written in one way only, and
    Protego judges those. So millions of locs cost one regular expression each, and there is only one judge.

    Source:
        Google Search Console Help, Sitemaps report: URLs that robots.txt blocks are reported.
    """
    for site in sites:
        condition = _candidates(site, agents)
        if condition is None:
            continue
        listed = "SELECT document, line, coalesce(written, loc) FROM entries"
        connection.execute(f"{listed} WHERE loc IS NOT NULL AND {condition}")
        while rows := connection.fetchmany(BATCH):
            found.add("ROB004", _judged(site, sites, rows, agents), "take it out of the sitemap, or allow it")


def _judged(site: Site, sites: Sites, rows: list[tuple[int, int, str]], agents: Sequence[str]) -> Iterator[Hit]:
    for document, line, loc in rows:
        if (refused := site.disallows(loc, agents)) and sites.of(loc) is site:
            yield Hit(document, line, f"the robots.txt of {site.host} disallows `{loc}` to {_list(agents, refused)}")


def _candidates(site: Site, agents: Sequence[str]) -> str | None:
    """Return SQL that is true for every loc of the site that an agent may not fetch, and for few others."""
    patterns = sorted(set(_applying(site.text, agents)))
    if not patterns:
        return None
    scheme = re.escape(site.scheme) if site.scheme else "https?"
    # A loc without a path means `/`, and is always judged.
    host = rf"(?s)^(?i:{scheme}://(?:[^/?#]*@)?{re.escape(site.host)}(?::80|:443)?)(?:$|[?#]|"
    # Escapes in a loc, which can be invalid UTF-8, can mean any character.
    text = "CASE WHEN contains(loc, '%') THEN TRY(url_decode(loc)) ELSE loc END"
    tests = []
    for first in range(0, len(patterns), PATTERNS):
        expression = f"{host}{'|'.join(map(_regex, patterns[first : first + PATTERNS]))})"
        tests.append(f"regexp_matches({text}, {literal(expression)})")
    return f"coalesce({' OR '.join(tests)}, true)"


def _applying(text: str, agents: Sequence[str]) -> Iterator[str]:
    """Yield the patterns of the Disallow lines that apply to one of the agents.

    Protego decides which those are: it judges the same file with each pattern replaced by a path that names its line.
    """
    patterns: list[str] = []
    lines: list[str] = []
    for line in text.splitlines():
        if disallow := _DISALLOW.match(line):
            lines.append(f"{disallow[1]}/{len(patterns)}/" if disallow[2].strip() else line)
            patterns.append(disallow[2].strip())
        else:
            lines.append("Allow:" if _ALLOW.match(line) else line)
    numbered = Protego.parse("\n".join(lines))
    for number, pattern in enumerate(patterns):
        if any(not numbered.can_fetch(f"https://host.invalid/{number}/", agent) for agent in agents):
            yield pattern


def _regex(pattern: str) -> str:
    """Return a regular expression for what follows the host, true for every path that the pattern matches."""
    path = f"/{pattern}" if pattern.startswith(("http://", "https://")) else pattern
    path = _ESCAPE.sub("%", path)[:LENGTH]
    found = _PLAIN.findall(path)
    first, runs = (found[0], found[1:]) if _PLAIN.match(path) else ("", found)
    # After a `*` it can begin with digits of an escape: `/*A` matches `é`, which is %C3%A9.
    runs = [_DIGITS.sub("", run, count=1) for run in runs]
    return ".*".join(map(re.escape, [first, *runs]))
