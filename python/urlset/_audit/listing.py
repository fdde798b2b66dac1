"""The first step of an audit: what the sitemaps list, into the table `listed`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from urlset import _core
from urlset._model.entries import Kind
from urlset._model.errors import UrlsetError
from urlset._model.filters import Filter
from urlset._read.scan import Scan
from urlset._runs.schema import MOST_ITEMS, MOST_URL
from urlset._util.duckdb import insert_batches, interruptible, scalar

if TYPE_CHECKING:
    from urlset._runs.file import RunFile

#: Kinds of documents that list pages.
PAGES: Final[tuple[Kind, ...]] = ("urlset", "rss", "atom", "text")
#: The filter for them.
ONLY_PAGES: Final = Filter(kinds=PAGES)
COLUMNS: Final = ["loc", "lastmod", "lastmod_raw", "images", "alternates", "document", "line"]
#: What reaches a crawler: another scheme is LOC007.
_FETCHABLE: Final = "regexp_matches(loc, '^https?://[^/?#]', 'i')"
#: A loc that the URL standard spells in the same way: no escapes, no dots that mean folders, no host of numbers, and no
#: port that need not be there.
NORMALIZED: Final = (
    "(regexp_full_match(loc, 'https?://([a-z0-9]+[.])*[a-z][a-z0-9]*(:[1-9][0-9]{3})?/[A-Za-z0-9_~./-]*"
    "([?][A-Za-z0-9_~./=&-]*)?') AND loc NOT LIKE '%/.%')"
)
#: A longer loc is LOC009, and is not asked for.
_ROW: Final = f"""
    INSERT INTO listed (run, location, section, loc, lastmod, lastmod_raw, images, hreflang, line)
    SELECT {{run}}, document, section_of(loc), loc, lastmod, left(lastmod_raw, 100),
        list_transform(images, lambda image: left(image.loc, {MOST_URL}))[1:{MOST_ITEMS}],
        list_transform(
            list_filter(alternates, lambda link: link.hreflang IS NOT NULL AND link.href IS NOT NULL),
            lambda link: {{{{'hreflang': left(link.hreflang, 100), 'href': left(link.href, {MOST_URL})}}}}
        )[1:{MOST_ITEMS}],
        line
    FROM rows WHERE length(loc) <= {MOST_URL} AND {_FETCHABLE}
"""


@dataclass(frozen=True, slots=True)
class Listing:
    """What was read.

    Attributes:
        documents: The sitemaps.
        entries: How many entries they have.
        pages: How many different pages these are.
        failures: Sitemaps that could not be read, or not to their end.
    """

    documents: tuple[str, ...]
    entries: int
    pages: int
    failures: tuple[UrlsetError, ...]


def read_listing(file: RunFile, run: int, rows: Scan, batches: Iterable[_core.Batches]) -> Listing:
    """Read the sitemaps of a site, in place of what an interrupted run has read of them.

    Raises:
        UrlsetError: Nothing could be read.
    """
    entries = 0
    with file.transaction():
        file.connection.execute("DELETE FROM listed WHERE run = ?", [run])
        with interruptible():
            for batch in batches:
                insert_batches(file.connection, [batch], COLUMNS, _ROW.format(run=int(run)))
                entries += len(batch)
    pages = int(scalar(file.connection, "SELECT count(DISTINCT loc) FROM listed WHERE run = ?", [run]))
    documents = tuple(each.location for each in rows.documents if each.location is not None)
    return Listing(documents, entries, pages, rows.failures)


def normalize_listed(file: RunFile, run: int) -> None:
    """Make the table `normalized`: each listed loc as the URL standard spells it, which is how links are kept."""
    connection = file.connection
    # What is written that way already, as most locs are, need not pass through Python.
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE normalized AS SELECT DISTINCT loc, loc AS url FROM listed WHERE run = ?"
        f" AND {NORMALIZED}",
        [run],
    )
    found = connection.cursor().execute(f"SELECT DISTINCT loc FROM listed WHERE run = ? AND NOT {NORMALIZED}", [run])
    while rows := found.fetchmany(50_000):
        locs = [loc for (loc,) in rows]
        urls = [(_core.standard_url(loc) or loc).partition("#")[0] for loc in locs]
        connection.execute("INSERT INTO normalized SELECT unnest(?), unnest(?)", [locs, urls])
