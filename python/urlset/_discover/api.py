"""`discover`: the sitemaps of a site, and how each was found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, cast
from urllib.parse import urljoin

from urlset import _core
from urlset._model.documents import Completeness, Document
from urlset._model.errors import DocumentError, FetchError, InputError, UrlsetError
from urlset._model.fetches import Fetch
from urlset._model.instants import instant_of, rfc3339
from urlset._model.kind import Kind
from urlset._model.limits import PROTOCOL, Budget
from urlset._model.notebook import SHOWN, as_html, bars, shown_in_notebook
from urlset._options.http import Http
from urlset._options.option import Option
from urlset._options.shared import Strict
from urlset._page.facts import page_facts
from urlset._read.api import parse
from urlset._read.entry_points import NAMES, ROBOTS
from urlset._read.failures import Failures
from urlset._read.opening import Opener
from urlset._read.scan_pass import Ended, Hooks, ScanPass
from urlset._read.source import Remote, Source, is_url, resolve_all
from urlset._util.duckdb import insert_batches
from urlset._util.instances import in_memory
from urlset._util.text import and_failed, plural

#: How a sitemap was found: a robots.txt names it, it answers at a usual name, the home page links to it as a sitemap or
#: as a feed, or an index lists it.
Via = Literal["robots", "name", "link", "feed", "index"]

#: Names of sitemaps beside the one where a site begins, or in a folder of their own, which only discovery asks for:
#: news (Yoast, Jetpack), what next-sitemap makes on the server, gatsby-plugin-sitemap before version 6, and XenForo.
_MORE_NAMES = (
    "news-sitemap.xml",
    "sitemap-news.xml",
    "sitemap_news.xml",
    "server-sitemap.xml",
    "server-sitemap-index.xml",
    "sitemap/sitemap-index.xml",
    "sitemap/sitemap.xml",
    "sitemap.php",
)
#: Bytes of a robots.txt and of a home page that are looked at.
_MAX_BYTES = _core.Robots.MAX_BYTES
_HTML = (("content-type", "text/html"),)
#: Links that count; a page with more is not a page of one site.
_MAX_LINKS = 50
#: Answers that mean that there is nothing at a usual name.
_NOTHING = (401, 403, 404, 410)
_COLUMNS = ["lastmod", "document"]


@dataclass(frozen=True, slots=True)
class Found:
    """A sitemap that was found, or one that is named but cannot be read.

    Attributes:
        url: Its URL, after redirects.
        via: How it was found.
        kind: What it is; None if it could not be read.
        entries: How many entries it has.
        bytes: How many bytes its text has, decompressed.
        completeness: How much of it was read; None if nothing.
        newest: The latest lastmod of its entries, or None.
        problem: Why it cannot be read, or not to its end; None if it can.
        children: With `tree`, the sitemaps that it lists.
    """

    url: str
    via: Via
    kind: Kind | None = None
    entries: int = 0
    bytes: int = 0
    completeness: Completeness | None = None
    newest: datetime | None = None
    problem: str | None = None
    children: tuple[Found, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return it as values of JSON; moments are RFC 3339 text."""
        children = [child.as_dict() for child in self.children]
        return asdict(self) | {"newest": self.newest and rfc3339(self.newest), "children": children}


@dataclass(frozen=True, slots=True)
class Discovery:
    """The sitemaps of a site. It can be iterated, and has a length.

    Attributes:
        site: The URL of the site.
        sitemaps: What was found, in the order in which it was looked for.
        failures: What went wrong on the way.
    """

    site: str
    sitemaps: tuple[Found, ...]
    failures: tuple[UrlsetError, ...] = ()

    def __iter__(self) -> Iterator[Found]:
        """Iterate what was found."""
        return iter(self.sitemaps)

    def __len__(self) -> int:
        """Return how many were found, without the children of an index."""
        return len(self.sitemaps)

    def _repr_html_(self) -> str:
        """Return what was found as a picture and a table, for a notebook."""
        rows = [(each.url, each.via, each.kind, each.entries, each.newest, each.problem) for each in self.sitemaps]
        return shown_in_notebook(
            f"{self.site}: {plural(len(self), 'sitemap')}{and_failed(self.failures)}",
            bars("entries", {each.url: each.entries for each in self.sitemaps if each.problem is None}),
            as_html("sitemaps", ("url", "via", "kind", "entries", "newest lastmod", "problem"), rows[:SHOWN]),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return it as values of JSON; moments are RFC 3339 text."""
        return {
            "site": self.site,
            "sitemaps": [each.as_dict() for each in self.sitemaps],
            "failures": [str(failure) for failure in self.failures],
        }


def discover(
    site: str,
    *,
    tree: Annotated[bool, Option("Read the children of each index too, down to the pages.")] = False,
    strict: Strict = False,
    http: Http | None = None,
    budget: Budget | None = None,
) -> Discovery:
    """Find the sitemaps of a site: in its robots.txt, at the usual names, and in the links of its home page.

    Each is read to see what it is. Usual names at which there is nothing are left out; whatever a robots.txt or a link
    names is listed, also if it cannot be read.

    Args:
        site: The http or https URL of the site. Its path does not count.
        tree: Read the children of each index too, down to the pages.
        strict: Stop at the first document that fails, instead of going on with the others.
        http: How documents are fetched; `Http()` if None.
        budget: What reading one document may cost; the default `Budget()` if None.

    Returns:
        What was found.

    Raises:
        InputError: The site is not a URL.
        FetchError: The site cannot be reached.

    Example:
        >>> import urlset
        >>> for found in urlset.discover("https://www.example.com"):  # doctest: +SKIP
        ...     print(found.via, found.url, found.kind, found.entries)
        robots https://www.example.com/sitemap.xml sitemapindex 12

    Source:
        sitemaps.org protocol: specifying the sitemap location in the robots.txt.
    """
    root = _root(site)
    with closing(Opener([Source(root, Remote(root, "given"))], http)) as opener:
        candidates = _candidates(opener, root)
        links, failures = _Links(candidates), Failures()
        reading = ScanPass(candidates, failures, opener, follow=tree, is_part=True, hooks=Hooks(on_end=links.add))
        newest = _read(reading, budget)
        absent = _absent(reading, opener.fetches)
        kept = [fetch for fetch in _in_order(links, opener.fetches) if fetch.url not in absent]
        quiet = tuple(f"{url}:" for url in absent)
        reported = Failures(strict=strict)
        for failure in failures.kept:
            if not str(failure).startswith(quiet):
                reported.add(failure)
        return Discovery(root, _tree(reading, links, kept, newest), tuple(reported.kept))


def _root(site: str) -> str:
    if not isinstance(site, str) or not is_url(site):
        raise InputError(f"site must be an absolute http(s) URL, got {site!r}")
    [source] = resolve_all(site)
    return urljoin(str(source.location), "/")


class _Links:
    """How the documents of a site lead to each other.

    Attributes:
        asked: The URLs that were requested, in their order.
        parents: The location of the document that led to a URL.
    """

    def __init__(self, roots: Sequence[Source]) -> None:
        self.asked = [str(root.location) for root in roots]
        self.parents: dict[str, str | None] = {}

    def add(self, ended: Ended) -> None:
        """Note where the children of a document come from."""
        for child in ended.children:
            self.asked.append(child.loc)
            self.parents.setdefault(child.loc, ended.location)


def _candidates(opener: Opener, root: str) -> list[Source]:
    """Return what may be a sitemap, each URL once, in the order in which it is looked for.

    Raises:
        FetchError: The site cannot be reached.
    """
    found: dict[str, str] = {}
    robots_url = urljoin(root, ROBOTS)
    for loc in _named_by(opener.text(robots_url, "robots", _MAX_BYTES), robots_url):
        found.setdefault(loc, "robots")
    for name in (*NAMES, *_MORE_NAMES):
        found.setdefault(urljoin(root, name), "name")
    try:
        page = opener.text(root, "home", _MAX_BYTES)
    except FetchError:  # a robots.txt may forbid it
        page = None
    for url, via in page_facts(page or b"", root, _HTML, most_items=_MAX_LINKS).documents:
        found.setdefault(url, via)
    return [Source(url, Remote(url, via)) for url, via in found.items() if is_url(url)]


def _named_by(robots: bytes | None, url: str) -> list[str]:
    """Return the sitemaps that a robots.txt names."""
    try:
        return [] if robots is None else [entry.loc or "" for entry in parse(robots, location=url)]
    except DocumentError:  # a page in its place
        return []


def _read(reading: ScanPass, budget: Budget | None) -> dict[str, datetime]:
    """Read all documents; return the latest lastmod of each, by its location."""
    stream = reading.stream(_COLUMNS, budget, PROTOCOL)
    with in_memory(threads=1) as connection:
        connection.execute("CREATE TABLE newest (document VARCHAR, micros BIGINT)")
        for batch in iter(stream.next_batch, None):
            query = "SELECT document, max(epoch_us(lastmod)) FROM rows GROUP BY document"
            insert_batches(connection, [batch], _COLUMNS, f"INSERT INTO newest {query}")
        found = connection.execute("SELECT document, max(micros) FROM newest GROUP BY document").fetchall()
    return {document: instant_of(micros) for document, micros in found if micros is not None}


def _absent(reading: ScanPass, fetches: Sequence[Fetch]) -> set[str]:
    """Return the URLs of usual names at which there is nothing, or a page that says so."""
    refused = {document.location for document in reading.documents if document.completeness == "refused"}
    names = (fetch for fetch in fetches if fetch.via == "name")
    return {fetch.url for fetch in names if fetch.status in _NOTHING or fetch.final_url in refused}


def _tree(
    reading: ScanPass, links: _Links, fetches: Sequence[Fetch], newest: Mapping[str, datetime]
) -> tuple[Found, ...]:
    """Return what was found, with the children of each."""
    documents = {document.location: document for document in reading.documents}
    children: defaultdict[str | None, list[Found]] = defaultdict(list)
    # Children come after their parents, so that those of each are complete when it is their turn from the end.
    for fetch in reversed(fetches):
        document = documents.get(fetch.final_url)
        listed = tuple(reversed(children[fetch.final_url]))
        above = links.parents.get(fetch.url) if fetch.via == "index" else None
        children[above].append(_found(fetch, document, newest, listed))
    return tuple(reversed(children[None]))


def _in_order(links: _Links, fetches: Sequence[Fetch]) -> list[Fetch]:
    """Return the fetches of documents in the order in which these were found, and not in which their fetching ended."""
    numbers = {url: number for number, url in reversed(list(enumerate(links.asked)))}
    return sorted((each for each in fetches if each.url in numbers), key=lambda each: numbers[each.url])


def _found(
    fetch: Fetch, document: Document | None, newest: Mapping[str, datetime], children: tuple[Found, ...]
) -> Found:
    via, problem = cast("Via", fetch.via), fetch.error and fetch.error.removeprefix(f"{fetch.url}: ")
    if document is None:
        return Found(fetch.final_url, via, problem=problem)
    if document.completeness in ("refused", "truncated") and document.diagnostics:
        problem = problem or document.diagnostics[-1].message
    return Found(
        fetch.final_url,
        via,
        document.kind,
        document.rows,
        document.bytes,
        document.completeness,
        newest.get(fetch.final_url),
        problem,
        children,
    )
