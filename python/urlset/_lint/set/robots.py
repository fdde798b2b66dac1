"""What the robots.txt of a host says of sitemaps and of the pages in them. Protego judges; it is Scrapy's reader."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from protego import Protego

from urlset import _core
from urlset._lint.set.findings import Gathered, Hit, SetDocument
from urlset._lint.set.indexes import Listing
from urlset._model.errors import NotASitemapError
from urlset._read.api import parse
from urlset._util.duckdb import literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Bytes of a robots.txt whose rules count. Source: RFC 9309, 2.5, and Google, which ignores what is beyond.
BYTES = 500 << 10
#: Locs that are judged at a time.
BATCH = 10_000
#: Patterns that share one regular expression, and how much of each is looked for: a bound for what it may cost.
PATTERNS, LENGTH = 100, 200

_PORTS = {"http": ":80", "https": ":443"}
#: Every spelling of `Disallow` that Protego takes begins so; what else does comes to nothing when it judges.
_DISALLOW = re.compile(r"\s*(di\w*(?:\s*:|\s)\s*)([^#]*)", re.IGNORECASE)
_ALLOW = re.compile(r"\s*allow\b", re.IGNORECASE)
#: Characters that stand for themselves in a rule and in a URL; any other may be written in several ways.
_PLAIN = re.compile(r"[A-Za-z0-9_.~/=-]+")
_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_DIGITS = re.compile("^[0-9A-F]{1,2}")


@dataclass(frozen=True, slots=True)
class Site:
    """One host and what its robots.txt says. `scheme` is None where only the host was given."""

    scheme: str | None
    host: str
    text: str
    rules: Protego
    sitemaps: frozenset[str]

    def disallows(self, url: str, agents: Iterable[str]) -> list[str]:
        """Those of the agents that may not fetch `url`."""
        try:
            return [agent for agent in agents if not self.rules.can_fetch(url, agent)]
        except ValueError:  # it is no URL, which is LOC004
            return []


class Sites:
    """The sites whose robots.txt is known. It is asked about its own scheme, host and port (RFC 9309, 2.3)."""

    def __init__(self, robots: Mapping[str, bytes]) -> None:
        self._sites = {}
        for key, data in robots.items():
            scheme, host = _origin(key) if "://" in key else (None, key.strip("/").lower())
            text = data[:BYTES].decode("utf-8-sig", "replace")
            location = f"{scheme or 'https'}://{host}/robots.txt"
            site = Site(scheme, host, text, Protego.parse(text), frozenset(_sitemaps(data, location)))
            self._sites[scheme, host] = site

    def __iter__(self) -> Iterator[Site]:
        return iter(self._sites.values())

    def of(self, url: str | None) -> Site | None:
        """The site that a URL belongs to, if it is known."""
        scheme, host = _origin(url or "")
        return self._sites.get((scheme, host)) or self._sites.get((None, host))


def _origin(url: str) -> tuple[str | None, str]:
    try:
        parts = urlsplit(url)
    except ValueError:  # a host that is none
        return None, ""
    host = parts.netloc.rpartition("@")[2].lower()
    return parts.scheme.lower(), host.removesuffix(_PORTS.get(parts.scheme.lower(), "\0"))


def _sitemaps(data: bytes, location: str) -> Iterator[str]:
    """The URLs of its Sitemap lines, by the reader that reads every robots.txt here."""
    try:
        yield from (entry.loc for entry in parse(data, location=location, on_error="collect") if entry.loc)
    except NotASitemapError:  # nothing in it, or a page that says that there is none
        return


def proven_hosts(document_url: str | None, index_url: str | None, robots: Mapping[str, bytes] | Sites) -> set[str]:
    """The hosts, without ports, that agree to be listed by a document: their robots.txt names it with a Sitemap line.

    Source: sitemaps.org, Sitemaps & Cross Submits. A line that names the index proves its children as well: the
    protocol speaks of the sitemap alone, but whoever reads an index reads its children, and hosts name the index.
    """
    named = {document_url, index_url} - {None}
    sites = robots if isinstance(robots, Sites) else Sites(robots)
    hosts = (_core.host_name(f"https://{site.host}/") for site in sites if not named.isdisjoint(site.sitemaps))
    return {host for host in hosts if host}


def check_documents(
    documents: Sequence[SetDocument], listed: Sequence[Listing], sites: Sites, agents: Sequence[str], found: Gathered
) -> None:
    """ROB001. Source: sitemaps.org, Informing search engine crawlers: a Sitemap line is how all of them find it.

    Not said of what an index or a robots.txt of the set lists, for it is found by that.

    ROB003. Source: Google Search Console Help, Sitemaps report: a sitemap that robots.txt blocks is not read.
    """
    if found.asks("ROB001"):
        children = {listing.target for listing in listed if listing.target != listing.document}
        hits = [
            Hit(place, 1, f"no Sitemap line in the robots.txt of {site.host} names {document.url}")
            for place, document in enumerate(documents)
            if document.kind not in (None, "robots") and document.parent is None and place not in children
            if (site := sites.of(document.url)) and document.url not in site.sitemaps
        ]
        found.add("ROB001", hits, "add the line, with the complete URL of the sitemap")
    if found.asks("ROB003"):
        hits = [
            Hit(place, 1, f"the robots.txt of {site.host} disallows it to {_list(agents, refused)}")
            for place, document in enumerate(documents)
            if document.kind not in (None, "robots") and document.url
            if (site := sites.of(document.url)) and (refused := site.disallows(document.url, agents))
        ]
        found.add("ROB003", hits, "allow its path in robots.txt")


def _list(agents: Sequence[str], refused: Sequence[str]) -> str:
    """The agents as a message names them."""
    return "every crawler" if refused and set(refused) == set(agents) == {"*"} else ", ".join(refused)


def check_pages(connection: DuckDBPyConnection, sites: Sites, agents: Sequence[str], found: Gathered) -> None:
    """ROB004. Source: Google Search Console Help, Sitemaps report: URLs that robots.txt blocks are warned of.

    DuckDB picks locs that a rule may match, by what of it can be written in one way only, and Protego judges them. So
    millions of locs cost one look at each, and there is one judge.
    """
    for site in sites:
        condition = _candidates(site, agents)
        if condition is None:
            continue
        connection.execute(f"SELECT document, line, loc FROM entries WHERE loc IS NOT NULL AND {condition}")  # noqa: S608
        while rows := connection.fetchmany(BATCH):
            found.add("ROB004", _judged(site, sites, rows, agents), "take it out of the sitemap, or allow it")


def _judged(site: Site, sites: Sites, rows: list[tuple[int, int, str]], agents: Sequence[str]) -> Iterator[Hit]:
    for document, line, loc in rows:
        if (refused := site.disallows(loc, agents)) and sites.of(loc) is site:
            yield Hit(document, line, f"the robots.txt of {site.host} disallows `{loc}` to {_list(agents, refused)}")


def _candidates(site: Site, agents: Sequence[str]) -> str | None:
    """SQL that is true of every loc of the site that one of the agents may not fetch, and of few others."""
    patterns = sorted(set(_applying(site.text, agents)))
    if not patterns:
        return None
    scheme = re.escape(site.scheme) if site.scheme else "https?"
    # A loc without a path means `/`, and is judged in any case.
    host = rf"(?s)^(?i:{scheme}://(?:[^/?#]*@)?{re.escape(site.host)}(?::80|:443)?)(?:$|[?#]|"
    # What is escaped in a loc, or no UTF-8 when it is not, may be anything.
    text = "CASE WHEN contains(loc, '%') THEN TRY(url_decode(loc)) ELSE loc END"
    tests = []
    for first in range(0, len(patterns), PATTERNS):
        expression = f"{host}{'|'.join(map(_regex, patterns[first : first + PATTERNS]))})"
        tests.append(f"regexp_matches({text}, {literal(expression)})")
    return f"coalesce({' OR '.join(tests)}, true)"


def _applying(text: str, agents: Sequence[str]) -> Iterator[str]:
    """The patterns of the Disallow lines that are for one of the agents.

    Which those are, the judge says: in the same file every pattern is replaced by a path that tells its line.
    """
    patterns: list[str] = []
    lines: list[str] = []
    for line in text.splitlines():
        if disallow := _DISALLOW.match(line):
            lines.append(f"{disallow[1]}/{len(patterns)}/" if disallow[2].strip() else line)
            patterns.append(disallow[2].strip())
        else:
            lines.append("Allow:" if _ALLOW.match(line) else line)
    told = Protego.parse("\n".join(lines))
    for place, pattern in enumerate(patterns):
        if any(not told.can_fetch(f"https://host.invalid/{place}/", agent) for agent in agents):
            yield pattern


def _regex(pattern: str) -> str:
    """A regular expression for what follows the host, true of every path that the pattern matches."""
    path = f"/{pattern}" if pattern.startswith(("http://", "https://")) else pattern
    path = _ESCAPE.sub("%", path)[:LENGTH]
    found = _PLAIN.findall(path)
    first, runs = (found[0], found[1:]) if _PLAIN.match(path) else ("", found)
    # Behind a `*` it may begin with digits of an escape: `/*A` matches `é`, which is %C3%A9.
    runs = [_DIGITS.sub("", run, count=1) for run in runs]
    return ".*".join(map(re.escape, [first, *runs]))
