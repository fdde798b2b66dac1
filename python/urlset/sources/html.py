"""A folder of built pages as rows for `publish`: what Hugo, Jekyll, Astro, Eleventy, MkDocs or Sphinx leave behind."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from urlset._model.errors import InputError
from urlset._rules.selection import glob_pattern
from urlset.sources._locs import IndexPages, Locs, TrailingSlash
from urlset.sources._page import LeftOut, Page, PageBudget
from urlset.sources._walk import Found, walk

if TYPE_CHECKING:
    from protego import Protego

__all__ = ["PageBudget", "Pages", "pages"]

#: Pages that servers answer errors with: such a file in any folder; as a folder, for a numbered page may well be the
#: 404th, only at the top, or in one that is a language. Source: what GitHub Pages, Netlify and Cloudflare Pages serve.
_ERROR = re.compile(
    r"(?:.*/)?(?:404|500)\.html?|(?:[a-z]{2}(?:[-_][A-Za-z]{2,4})?/)?(?:404|500)/index\.html?", re.DOTALL
)
#: Crawlers whose rules of robots.txt count.
_AGENTS = ("*", "googlebot")
#: Characters of a robots.txt whose rules count. Source: RFC 9309, 2.5.
_ROBOTS = 500 << 10


def pages(
    folder: str | os.PathLike[str],
    *,
    base_url: str,
    index_pages: IndexPages = "slash",
    trailing_slash: TrailingSlash = "keep",
    alternates: bool = False,
    images: bool = False,
    robots: str | None = None,
    include: Sequence[str] = ("**/*.html", "**/*.htm"),
    exclude: Sequence[str] = (),
    mask: Sequence[str] = (),
    on_skip: Callable[[str, str, str], object] | None = None,
    budget: PageBudget | None = None,
) -> Pages:
    """The pages in a folder that belong into a sitemap, as rows for `publish`.

    `base_url` is where the folder is served. What a file's URL is, with "slash" for `index_pages`:

        file          "keep"      "always"    "never"     (trailing_slash)
        index.html    (base)      (base)      (base)
        a/index.html  a/          a/          a
        a.html        a.html      a/          a

    With "keep" for `index_pages` an index.html has its own name in its URL, whatever the slashes.

    `include` and `exclude` are globs of paths in the folder; `*` and `?` stop at a slash, `**` does not. `robots` is
    the text of the site's robots.txt. `mask` takes CSS selectors of what is no content of a page, such as a list of
    the latest posts, or "title" where that names a version. `alternates` and `images` ask for the versions in other
    languages that a page links to, and for the images in its content. `on_skip` is called with file, reason and detail
    for every page that is left out.

    Raises InputError for an argument without a meaning, and without the extra: pip install 'urlset[html]';
    FileNotFoundError or NotADirectoryError for a folder that is none.
    """
    for name, given in (("include", include), ("exclude", exclude), ("mask", mask)):
        if isinstance(given, str):
            raise InputError(f"{name} is one str, {given!r}: put it into a list")
    _check_selectors(mask)
    with os.scandir(folder):  # says at once, and with the path, that there is no folder
        pass
    return Pages(
        os.fspath(folder),
        Locs(base_url, index_pages, trailing_slash),
        include=[glob_pattern(glob) for glob in include],
        exclude=[glob_pattern(glob) for glob in exclude],
        avoid=[glob_pattern(glob) for glob in exclude if glob.endswith(("/", "**"))],
        mask=tuple(mask),
        alternates=alternates,
        images=images,
        robots=_rules(robots),
        on_skip=on_skip,
        budget=budget or PageBudget(),
    )


class Pages:
    """Rows of the pages in a folder, sorted by path. Each iteration reads the folder anew, one page at a time.

    A row has `loc`; `file`, its path in the folder with slashes (bytes of a name that are no UTF-8 as `\\xff`);
    `content`, a hash of what the page says; where it states a date, `lastmod` as it is written there and `evidence`,
    which is "page"; on request `alternates` (`hreflang`, `href`) and `images` (`loc`).

    The content is the title, and text, links and images of the sole `main`, `role=main` or `article`, or else of the
    body, without navigation, site header, footers, asides, scripts and what is hidden, the dates and years that a build
    writes in English ("Last updated on", "©"), and the hashes in names of assets.

    The date is the first that is one by the W3C's note: of the meta elements article:modified_time, og:updated_time,
    last-modified, dcterms.modified and dc.date.modified, of an element with itemprop=dateModified, of JSON-LD: there
    of the entity that is the page, or else of an article or a page, or else the latest. Where there is none, the
    same of the publication.

    After an iteration, and during it so far: `pages` counts files seen, `taken` rows. `skipped` counts by reason:

        outside     a link that leads out of the folder
        link, deep  a folder that is linked into itself or out of a linked one, or lies too deep; it is no page
        404         the page for errors (404.html, 404/index.html, and the same of 500)
        robots      robots.txt disallows it for * or googlebot
        unreadable  it cannot be read, is empty, too large or no text; or a folder that cannot be listed
        redirect    meta refresh to another page
        noindex     meta robots or googlebot with noindex or none
        canonical   rel=canonical names another URL
        untitled    no title

    `bad_dates` counts dates on the way to the one taken that are none, `bad_json` scripts of JSON-LD that speak of
    dates and cannot be read, `misfits` pages with bytes that are no text in their charset (they are taken),
    `dropped` images and alternates beyond the bound.
    """

    def __init__(
        self,
        folder: str,
        locs: Locs,
        *,
        include: Sequence[re.Pattern[str]],
        exclude: Sequence[re.Pattern[str]],
        avoid: Sequence[re.Pattern[str]],
        mask: Sequence[str],
        alternates: bool,
        images: bool,
        robots: Protego | None,
        on_skip: Callable[[str, str, str], object] | None,
        budget: PageBudget,
    ) -> None:
        self._folder = folder
        self._locs = locs
        self._include = include
        self._exclude = exclude
        self._avoid = avoid
        self._mask = mask
        self._alternates = alternates
        self._images = images
        self._robots = robots
        self._on_skip = on_skip
        self._budget = budget
        self._reset()

    def _reset(self) -> None:
        self.pages = 0
        self.taken = 0
        self.skipped: Counter[str] = Counter()
        self.bad_dates = 0
        self.bad_json = 0
        self.misfits = 0
        self.dropped = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        self._reset()
        for found in walk(self._folder, self._is_wanted, self._is_avoided, self._budget.depth):
            self.pages += not found.file.endswith("/")
            file = os.fsencode(found.file).decode("utf-8", "backslashreplace")
            try:
                row = self._row(found, file)
            except LeftOut as left_out:
                self.skipped[left_out.reason] += 1
                if self._on_skip is not None:
                    self._on_skip(file, left_out.reason, left_out.detail)
            else:
                self.taken += 1
                yield row

    def _is_wanted(self, file: str) -> bool:
        return _fits(self._include, file) and not _fits(self._exclude, file)

    def _is_avoided(self, folder: str) -> bool:
        return _fits(self._avoid, folder)

    def _row(self, found: Found, file: str) -> dict[str, Any]:
        """Raises LeftOut where there is none."""
        if found.reason is not None:
            raise LeftOut(found.reason, found.detail)
        if _ERROR.fullmatch(found.file):
            raise LeftOut("404", "servers answer errors with it")
        loc = self._locs.of(found.file)
        if self._robots is not None:
            for agent in _AGENTS:
                if not self._robots.can_fetch(loc, agent):
                    raise LeftOut("robots", f"robots.txt disallows {loc} for {agent}")
        page = Page(_read(found.path, self._budget.bytes), loc, self._locs, self._budget)
        page.check()
        return self._row_of(page, loc, file)

    def _row_of(self, page: Page, loc: str, file: str) -> dict[str, Any]:
        row: dict[str, Any] = {"loc": loc, "file": file}
        if (lastmod := page.dates.stated()) is not None:
            row |= {"lastmod": lastmod, "evidence": "page"}
        content = page.content(self._mask)
        row["content"] = content.digest
        if self._alternates:
            row["alternates"] = page.alternates()
        if self._images:
            row["images"] = page.images(content)
        self.misfits += not page.fits_charset
        self.bad_dates += page.dates.bad
        self.bad_json += page.dates.bad_json
        self.dropped += page.dropped
        return row


def _fits(patterns: Sequence[re.Pattern[str]], path: str) -> bool:
    return any(pattern.fullmatch(path) for pattern in patterns)


def _read(path: str, most: int) -> bytes:
    """The bytes of a file. Raises LeftOut for what cannot be read, is too much, or is none, such as a pipe."""
    # Not through a link that has come since it was looked at, and without waiting for anybody.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(path, flags), "rb", buffering=0) as file:  # noqa: PTH123  (it is a descriptor)
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise LeftOut("unreadable", "it is no file")
            data = file.read(found.st_size) if found.st_size <= most else None
    except OSError as error:
        raise LeftOut("unreadable", f"it cannot be read: {error.strerror}") from error
    if data is None:
        raise LeftOut("unreadable", f"it has more than {most} bytes")
    return data


def _rules(robots: str | None) -> Protego | None:
    if robots is None:
        return None
    from protego import Protego  # noqa: PLC0415  (only where it is asked for)

    return Protego.parse(robots[:_ROBOTS])


def _check_selectors(selectors: Sequence[str]) -> None:
    """Raises InputError for what is no CSS selector, and where the parser is not installed."""
    try:
        from selectolax.lexbor import LexborHTMLParser, SelectolaxError  # noqa: PLC0415  (the extra "html")
    except ImportError:
        raise InputError("reading HTML needs the extra: pip install 'urlset[html]'") from None
    empty = LexborHTMLParser("<p>")
    for selector in selectors:
        try:
            empty.css(selector)
        except SelectolaxError:
            raise InputError(f"mask has {selector!r}, which is no CSS selector") from None
