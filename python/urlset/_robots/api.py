"""The verb `robots`: a robots.txt as a table."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, astuple, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urljoin

from urlset import _core
from urlset._model.errors import FetchError, InputError, UrlsetError
from urlset._model.kind import Kind
from urlset._model.limits import Budget
from urlset._model.tables import _ArrowExport
from urlset._options import kinds
from urlset._options.filters import Filter
from urlset._options.http import Http
from urlset._options.option import Option
from urlset._read.api import scan
from urlset._read.opening import Opener
from urlset._read.source import Remote, Source, SourceLike, SourcesLike, is_url
from urlset._robots.lines import RobotsLine, lines_of
from urlset._util.duckdb import connect, insert_rows

#: The columns of the table, with their types in DuckDB.
_COLUMNS = {
    "line": "UINTEGER",
    "group": "UINTEGER",
    "agents": "VARCHAR[]",
    **dict.fromkeys(("field", "value", "problem"), "VARCHAR"),
    "listed": "UBIGINT",
    "example": "VARCHAR",
}
#: Kinds of documents that list pages.
_PAGES: tuple[Kind, ...] = ("urlset", "rss", "atom", "text")
#: Pages that are checked at once.
_BATCH = 10_000


@dataclass(frozen=True, slots=True)
class Disallowed:
    """What a robots.txt says to one crawler about the pages that sitemaps list.

    Attributes:
        agent: The crawler, as it is first written in the robots.txt; `"*"` is every one that is not named.
        pages: How many of the pages it must not fetch.
        example: One of them; None if there are none.
    """

    agent: str
    pages: int
    example: str | None


@dataclass(frozen=True, slots=True)
class RobotsTable(_ArrowExport):
    """A robots.txt as a table, with a row for each line: iterate it, or take it by `__arrow_c_stream__`.

    Attributes:
        location: Its URL or path, if that is known.
        lines: The lines.
        checked: How many listed pages its rules were applied to; None if no sitemaps were read.
        disallowed: What it says about them, for each crawler that it names.
        failures: Sitemaps that could not be read.
    """

    location: str | None
    lines: tuple[RobotsLine, ...]
    checked: int | None = None
    disallowed: tuple[Disallowed, ...] = ()
    failures: tuple[UrlsetError, ...] = field(default=(), compare=False)

    def __iter__(self) -> Iterator[RobotsLine]:
        """Iterate the lines."""
        return iter(self.lines)

    def __len__(self) -> int:
        """Return how many lines there are."""
        return len(self.lines)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The URLs of its Sitemap lines."""
        return tuple(line.value for line in self.lines if line.field == "Sitemap" and line.problem is None)

    @property
    def problems(self) -> tuple[RobotsLine, ...]:
        """The lines with which something is wrong."""
        return tuple(line for line in self.lines if line.problem is not None)

    def as_dict(self) -> dict[str, Any]:
        """Return it as values of JSON."""
        return {
            "location": self.location,
            "lines": [asdict(line) for line in self.lines],
            "checked": self.checked,
            "disallowed": [asdict(each) for each in self.disallowed],
            "failures": [str(failure) for failure in self.failures],
        }

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the lines as an Arrow stream, with a column for each attribute of `RobotsLine`."""
        columns = ", ".join(f'"{name}" {kind}' for name, kind in _COLUMNS.items())
        connection = connect(threads=1)
        connection.execute(f"CREATE TABLE lines ({columns})")
        rows = [tuple(list(each) if isinstance(each, tuple) else each for each in astuple(row)) for row in self.lines]
        insert_rows(connection, "lines", rows)
        return connection.sql("FROM lines").__arrow_c_stream__(requested_schema)


def robots(
    source: str | os.PathLike[str] | bytes,
    *,
    check: Annotated[
        bool, Option("Read the sitemaps that it names, and count the pages that each rule disallows.")
    ] = False,
    sitemaps: Annotated[
        SourceLike | SourcesLike | None,
        Option("Sitemaps to check against instead.", kind=kinds.STRINGS, metavar="SOURCE"),
    ] = None,
    http: Http | None = None,
    budget: Budget | None = None,
) -> RobotsTable:
    """Read a robots.txt as a table: a row for each line, with its group, and with what is wrong with it.

    Known fields are those of RFC 9309, Sitemap, Crawl-delay, Request-rate, Visit-time, Host, Clean-param, and the
    preferences about AI: Content-Signal (Cloudflare), Content-Usage (IETF) and License (RSL).

    Args:
        source: URL of a site or of a robots.txt, a path, or bytes.
        check: Read the sitemaps that it names, and count the pages that each rule disallows. Such a page is listed for
            crawlers that must not fetch it.
        sitemaps: Sitemaps to check against instead. They are sources as in `scan`.
        http: How documents are fetched; `Http()` if None.
        budget: What reading one sitemap may cost; the default `Budget()` if None.

    Returns:
        The table. It has no lines if the site has no robots.txt.

    Raises:
        InputError: The source is not a URL, a path or bytes.
        FetchError: The robots.txt cannot be fetched.
        FileNotFoundError: There is nothing at the path.

    Example:
        >>> import urlset
        >>> text = b"User-agent: *\\nDisallow: /basket\\nContent-Signal: search=yes, ai-train=no\\n"
        >>> table = urlset.robots(text, sitemaps=b"https://shop.example/\\nhttps://shop.example/basket\\n")
        >>> for line in table:
        ...     print(line.line, line.field, line.value, line.listed)
        1 User-agent * None
        2 Disallow /basket 1
        3 Content-Signal search=yes, ai-train=no None

    Source:
        RFC 9309, Robots Exclusion Protocol.
    """
    location, data = _received(source, http)
    parsed = _core.Robots(data)
    table = RobotsTable(location, tuple(lines_of(parsed)))
    if sitemaps is None and not check:
        return table
    named: SourceLike | SourcesLike = list(table.sitemaps) if sitemaps is None else sitemaps
    if isinstance(named, list) and not named:
        return replace(table, checked=0)
    return _checked(table, parsed, named, http, budget)


def _received(source: str | os.PathLike[str] | bytes, http: Http | None) -> tuple[str | None, bytes]:
    """Return where a robots.txt is, and its bytes: one more than count, if there are as many."""
    if isinstance(source, bytes):
        return None, source
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"source must be a URL, a path or bytes, got {type(source).__name__}")
    if not is_url(text := os.fspath(source)):
        with Path(text).open("rb") as file:
            return text, file.read(_core.Robots.MAX_BYTES + 1)
    url = urljoin(_core.standard_url(text) or text, "/robots.txt")
    with closing(Opener([Source(url, Remote(url, "given"))], http)) as opener:
        found = opener.text(url, "given", _core.Robots.MAX_BYTES + 1)
        status = opener.fetches[-1].status or 0
    if found is None and not 400 <= status < 500:
        # Source: RFC 9309, 2.3.1.4: nothing may be fetched then, which an empty table would not say.
        raise FetchError(f"{url}: status {status}, so crawlers must take everything for disallowed", status=status)
    return url, found or b""


def _checked(
    table: RobotsTable,
    parsed: _core.Robots,
    sitemaps: SourceLike | SourcesLike,
    http: Http | None,
    budget: Budget | None,
) -> RobotsTable:
    """Return the table with the numbers of the pages that its rules disallow."""
    census, pages = parsed.census(), 0
    reading = scan(
        sitemaps,
        columns=["loc", "kind"],
        http=http,
        budget=budget,
        filter=Filter(kinds=_PAGES),
    )
    locs = (entry.loc for entry in reading if entry.loc is not None)
    try:
        while batch := list(islice(locs, _BATCH)):
            census.take(batch)
            pages += len(batch)
    except FetchError as error:
        return replace(table, failures=(error,))
    found = dict(census.lines())
    return replace(
        table,
        lines=tuple(_counted(line, *found.get(line.line, (0, None))) for line in table.lines),
        checked=pages,
        disallowed=tuple(
            Disallowed(agent, *count) for agent, count in zip(parsed.agents, census.crawlers(), strict=True)
        ),
        failures=reading.failures,
    )


def _counted(line: RobotsLine, listed: int, example: str | None) -> RobotsLine:
    is_rule = line.field == "Disallow" and line.value and line.group is not None
    return replace(line, listed=listed, example=example) if is_rule else line
