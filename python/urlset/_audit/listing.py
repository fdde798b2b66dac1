"""The first step of an audit: what the sitemaps list, into the table `listed`."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from urlset import _core
from urlset._model.errors import UrlsetError
from urlset._model.kind import Kind
from urlset._options.filters import Filter
from urlset._runs.schema import MAX_ITEMS, MAX_URL
from urlset._util.duckdb import insert_batches, interruptible, scalar
from urlset._util.identity import make_normal_forms

if TYPE_CHECKING:
    from urlset._read.scan import Scan
    from urlset._runs.file import RunFile

#: Kinds of documents that list pages.
PAGES: Final[tuple[Kind, ...]] = ("urlset", "rss", "atom", "text")
#: The filter for them.
ONLY_PAGES: Final = Filter(kinds=PAGES)
COLUMNS: Final = [
    *("loc", "lastmod", "lastmod_raw", "changefreq", "priority", "images", "videos", "alternates"),
    *("document", "line"),
]
#: What reaches a crawler: another scheme is LOC007.
_FETCHABLE: Final = "regexp_matches(loc, '^https?://[^/?#]', 'i')"
#: A longer loc is LOC009, and is not requested.
_ROW: Final = f"""
    INSERT INTO listed (run, location, section, loc, lastmod, lastmod_raw, changefreq, priority, media, hreflang, line)
    SELECT {{run}}, document, section_of(loc), loc, lastmod, left(lastmod_raw, 100), left(changefreq, 100), priority,
        list_filter(list_concat(
            list_transform(images, lambda image: {{{{'kind': 'image', 'url': left(image.loc, {MAX_URL})}}}}),
            flatten(list_transform(videos, lambda video: [
                {{{{'kind': 'thumbnail', 'url': left(video.thumbnail_loc, {MAX_URL})}}}},
                {{{{'kind': 'video', 'url': left(video.content_loc, {MAX_URL})}}}},
                {{{{'kind': 'player', 'url': left(video.player_loc, {MAX_URL})}}}}
            ]))
        ), lambda each: each.url IS NOT NULL)[1:{MAX_ITEMS}],
        list_transform(
            list_filter(alternates, lambda link: link.hreflang IS NOT NULL AND link.href IS NOT NULL),
            lambda link: {{{{'hreflang': left(link.hreflang, 100), 'href': left(link.href, {MAX_URL})}}}}
        )[1:{MAX_ITEMS}],
        line
    FROM rows WHERE length(loc) <= {MAX_URL} AND {_FETCHABLE}
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
    """Make the table `normalized`: each listed loc, and as `url` its normal form without a fragment, as links are kept.

    `href_forms` has the normal form of each href of the listed alternates that is not in it.
    """
    connection = file.connection
    with closing(connection.cursor()) as cursor:
        listed = f"FROM listed WHERE run = {int(run)}"
        make_normal_forms(connection, cursor, "forms", (f"({listed})", "loc"))
        make_normal_forms(
            connection, cursor, "href_forms", (f"(SELECT unnest(hreflang).href AS href {listed})", "href")
        )
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE normalized AS"
        " SELECT DISTINCT loc, split_part(coalesce(normal, loc), '#', 1) AS url"
        " FROM listed LEFT JOIN forms ON written = loc WHERE run = ?",
        [run],
    )
