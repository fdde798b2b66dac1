"""A folder of built pages as rows for `publish`: the output of Hugo, Jekyll, Astro, Eleventy, MkDocs or Sphinx."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, get_args

from urlset import _core
from urlset._model.errors import InputError
from urlset._options.kinds import LANGUAGES
from urlset._options.option import Option
from urlset._options.publish import PAGES
from urlset._options.shared import BOILERPLATE, MASK
from urlset._page.ignored import Ignored
from urlset._rules.selection import glob_pattern
from urlset._util.arguments import check_choice
from urlset.sources._canonicals import Canonicals
from urlset.sources._kinds import PageKind, kind_of
from urlset.sources._languages import LanguageFolders
from urlset.sources._locs import IndexPages, Locs, TrailingSlash
from urlset.sources._page import PageBudget, SkippedPage, listed_loc, read_page
from urlset.sources._twins import twin_of
from urlset.sources._walk import FoundFile, walk

if TYPE_CHECKING:
    from urlset._page.facts import PageFacts

__all__ = ["PageBudget", "Pages", "pages"]

#: Pages that servers send with an error: a file of that name in any folder; a folder of that name only at the top or in
#: that of a language, since a numbered page may be the 404th. Source: GitHub Pages, Netlify and Cloudflare Pages.
_ERROR_PAGE = re.compile(
    r"(?:.*/)?(?:404|500)\.html?|(?:[a-z]{2}(?:[-_][A-Za-z]{2,4})?/)?(?:404|500)/index\.html?", re.DOTALL
)
#: What hosts send for a URL without a page, so that scripts show one. Source: `nuxt generate`, Surge.
_FALLBACK_PAGE = "200.html"
#: Crawlers whose rules in robots.txt count.
_AGENTS = ("*", "googlebot")


def pages(
    folder: str | os.PathLike[str],
    *,
    base_url: str,
    index_pages: Annotated[
        IndexPages,
        Option("Publish a/index.html as a/ (slash), or under its own name (keep).", example='"slash"', panel=PAGES),
    ] = "slash",
    trailing_slash: Annotated[
        TrailingSlash,
        Option(
            "Keep the trailing slash of URLs as it is (keep), add it (always), or remove it (never).",
            example='"keep"',
            panel=PAGES,
        ),
    ] = "keep",
    omit: Annotated[
        Collection[PageKind],
        Option(
            "Kinds of pages to leave out: further pages of lists (pagination); lists of a tag, a category, an author or"
            " a time (archives); old and coming versions of documentation (versions); drafts (drafts).",
            example='["pagination", "archives"]',
            metavar="|".join(get_args(PageKind)),
            panel=PAGES,
        ),
    ] = (),
    languages: Annotated[
        Mapping[str, str] | None,
        Option(
            "Folder of each language, whose pages of the same path are translations; . is that of all other pages.",
            kind=LANGUAGES,
            example='{ en = ".", de = "de" }',
            metavar="LANG=FOLDER",
            panel=PAGES,
        ),
    ] = None,
    alternates: Annotated[
        bool, Option("Publish the hreflang links of the pages.", example="true", panel=PAGES)
    ] = False,
    images: Annotated[bool, Option("Publish the images of the pages.", example="true", panel=PAGES)] = False,
    metadata: bool = False,
    robots: str | None = None,
    include_pages: Annotated[
        Sequence[str],
        Option(
            "Pages to include.", example='["**/*.html"]', default="**/*.html, **/*.htm", metavar="GLOB", panel=PAGES
        ),
    ] = ("**/*.html", "**/*.htm"),
    exclude_pages: Annotated[
        Sequence[str], Option("Pages to leave out.", example='["drafts/**"]', metavar="GLOB", panel=PAGES)
    ] = (),
    mask: Annotated[Sequence[str], replace(MASK, panel=PAGES)] = (),
    boilerplate: Annotated[Sequence[str], replace(BOILERPLATE, panel=PAGES)] = (),
    on_skip: Callable[[str, str, str], object] | None = None,
    budget: PageBudget | None = None,
) -> Pages:
    """Return the pages in a folder that belong in a sitemap, as rows for `publish`.

    This is the URL of a file, below `base_url`, if `index_pages` is "slash":

        file          "keep"      "always"    "never"     (trailing_slash)
        index.html    (base)      (base)      (base)
        a/index.html  a/          a/          a
        a.html        a.html      a/          a

    If `index_pages` is "keep", the URL of an index.html ends with that name, whatever `trailing_slash` is.

    Args:
        folder: The folder of built pages.
        base_url: The absolute http(s) URL at which the folder is served.
        index_pages: Publish a/index.html as a/ (slash), or under its own name (keep).
        trailing_slash: Keep the trailing slash of URLs as it is (keep), add it (always), or remove it (never). See the
            table.
        omit: Kinds of pages to leave out: further pages of lists (pagination); lists of a tag, a category, an author or
            a time (archives); old and coming versions of documentation (versions); drafts (drafts). The path of a page
            tells its kind, and its source whether it is a draft, so only `configured` and the command line know that.
        languages: Folder of each language, whose pages of the same path are translations; . is that of all other pages.
            Languages are hreflang codes.
        alternates: Publish the hreflang links of the pages.
        images: Publish the images of the pages. These are the ones in their content.
        metadata: Give rows the titles, the descriptions and the Markdown twins of the pages, for `feed` and `llms`.
        robots: The text of the site's robots.txt. Pages that it disallows for `*` or googlebot are skipped.
        include_pages: Pages to include. Globs of paths in the folder: `*` and `?` stop at a slash, `**` does not.
        exclude_pages: Pages to leave out.
        mask: Text in pages to leave out of their content; * stands for anything. An example is a counter of visits.
        boilerplate: CSS selector of elements in pages to leave out of their content. It selects a list of the latest
            posts, or "title" if titles contain a version. Read are `tag`, `#id`, `.class`, `[attribute]`,
            `[attribute=value]`, several of them together, and lists of these.
        on_skip: Called with the file, the reason and a detail for every page that is skipped.
        budget: Limits on what one page may cost.

    Returns:
        The rows. Iterating over them reads the folder.

    Raises:
        InputError: An argument is invalid.
        FileNotFoundError: The folder does not exist.
        NotADirectoryError: The path is not a folder.

    Example:
        >>> from pathlib import Path
        >>> from urlset.sources import html
        >>> Path("public").mkdir()
        >>> _ = Path("public/tea.html").write_text("<title>Tea</title><p>Green tea</p>")
        >>> rows = html.pages("public", base_url="https://shop.example/", trailing_slash="always")
        >>> [row["loc"] for row in rows]
        ['https://shop.example/tea/']
    """
    for name, given in (("include_pages", include_pages), ("exclude_pages", exclude_pages)):
        if isinstance(given, str):
            raise InputError(f"{name} must be a list of strings, got the string {given!r}")
    ignored = Ignored(mask, boilerplate)
    with os.scandir(folder):  # raises at once, and with the path, if it is not a folder
        pass
    for kind in omit:
        check_choice("omit", kind, get_args(PageKind))
    return Pages(
        os.fspath(folder),
        Locs(base_url, index_pages, trailing_slash),
        omit=frozenset(omit),
        languages=LanguageFolders(languages or {}),
        include=[glob_pattern(glob) for glob in include_pages],
        exclude=[glob_pattern(glob) for glob in exclude_pages],
        avoid=[glob_pattern(glob) for glob in exclude_pages if glob.endswith(("/", "**"))],
        ignored=ignored,
        alternates=alternates,
        images=images,
        metadata=metadata,
        robots=_crawlers(robots),
        on_skip=on_skip,
        budget=budget or PageBudget(),
    )


class Pages:
    """The rows of the pages in a folder, sorted by path. Each iteration reads the folder anew, one page at a time.

    A row has:

        loc         the URL of the page
        file        its path in the folder, with slashes; bytes of a name that are not UTF-8 are written as `\\xff`
        content     a hash of its content, which `crawl` and `audit` compute alike
        lastmod     the date that it states, as written; only if it states one
        lastmod_source    "page", or "publication" for a date of publication; only with a lastmod
        alternates  versions in other languages, as dicts with `hreflang` and `href`; on request
        images      images in the content, as dicts with `loc`; on request
        group, lang the path in the folder of its language, and that language; on request
        title, description    what its title and its meta description say; on request, and if they say something
        markdown    the URL of the same page as Markdown; on request, and if there is one

    The page as Markdown is the target of the first `link` in its head with rel=alternate and type=text/markdown, else a
    file beside it: for `a/index.html` one of a/index.md, a/index.html.md and a.md, for `a.html` one of a.md and
    a.html.md.

    The content is the title, and the text, links and images of the only `main`, `role=main` or `article`, else of the
    body. It excludes navigation, the site header, footers, asides, scripts and hidden elements, the dates, times and
    years that a rendering writes in English ("Last updated on", "3 days ago", "©"), and hashes in the names of files.

    The lastmod is the first valid W3C date among: the meta elements article:modified_time, og:updated_time,
    last-modified, dcterms.modified and dc.date.modified; elements with itemprop=dateModified; and JSON-LD, where the
    entity of this page comes before articles and pages, and those before the latest of all others. If there is no
    modification date, publication dates are used in the same order.

    The reasons for which a page is skipped:

        outside     it is a link that leads out of the folder
        link, deep  it is a folder linked into itself or from a linked folder, or too deep
        pagination, archive, version    it is of a kind that `omit` names
        404         it is an error page (404.html, 404/index.html, and the same with 500), or 200.html at the top
        robots      robots.txt disallows it for * or googlebot
        unreadable  it cannot be read, is empty, too large or not text; or is a folder that cannot be listed
        redirect    its meta refresh leads to another page
        noindex     its meta robots or googlebot has noindex or none
        canonical   its rel=canonical names another URL
        untitled    it has no title

    The attributes have counts of the current iteration, or of the last one.

    Attributes:
        pages: Files that were seen.
        taken: Rows that were returned.
        skipped: Pages that were skipped, by reason.
        bad_dates: Invalid dates found before a valid one.
        bad_json: JSON-LD scripts that mention dates and cannot be parsed.
        misfits: Returned pages with bytes that are invalid in their charset.
        dropped: Images and alternates beyond the budget.
    """

    def __init__(
        self,
        folder: str,
        locs: Locs,
        *,
        omit: Collection[str],
        languages: LanguageFolders,
        include: Sequence[re.Pattern[str]],
        exclude: Sequence[re.Pattern[str]],
        avoid: Sequence[re.Pattern[str]],
        ignored: Ignored,
        alternates: bool,
        images: bool,
        metadata: bool,
        robots: Mapping[str, _core.RobotsCrawler],
        on_skip: Callable[[str, str, str], object] | None,
        budget: PageBudget,
    ) -> None:
        self._folder = folder
        self._locs = locs
        self._omit = omit
        self._languages = languages
        self._include = include
        self._exclude = exclude
        self._avoid = avoid
        self._ignored = ignored
        self._alternates = alternates
        self._images = images
        self._metadata = metadata
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
        self._canonicals = Canonicals(self._locs.base)

    @property
    def canonical_base(self) -> str | None:
        """The base URL that nearly all pages name in their canonical URLs, if it is another one."""
        return self._canonicals.common_base(self.taken + self.skipped["canonical"])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Read the folder, and iterate the rows of its pages."""
        self._reset()
        kind = self._kinds()
        for found in self._walk():
            self.pages += not found.file.endswith("/")
            file = os.fsencode(found.file).decode("utf-8", "backslashreplace")
            try:
                row = self._row(found, file, kind(found.file))
            except SkippedPage as skipped:
                self.skipped[skipped.reason] += 1
                if self._on_skip is not None:
                    self._on_skip(file, skipped.reason, skipped.detail)
            else:
                self.taken += 1
                yield row

    def _walk(self) -> Iterator[FoundFile]:
        return walk(self._folder, self._is_wanted, self._is_avoided, self._budget.depth)

    def _kinds(self) -> Callable[[str], tuple[str, str] | None]:
        """Return what tells whether a page is of a kind to leave out, for which all pages have to be listed first."""
        if not self._omit:
            return lambda _: None
        return kind_of((found.file for found in self._walk() if found.reason is None), self._omit)

    def _is_wanted(self, file: str) -> bool:
        return _fits(self._include, file) and not _fits(self._exclude, file)

    def _is_avoided(self, folder: str) -> bool:
        return _fits(self._avoid, folder)

    def _row(self, found: FoundFile, file: str, omitted: tuple[str, str] | None) -> dict[str, Any]:
        """Return the row of a page. Raises SkippedPage for a page that does not belong in the sitemap."""
        if found.reason is not None:
            raise SkippedPage(found.reason, found.detail)
        if omitted is not None:
            raise SkippedPage(*omitted)
        if _ERROR_PAGE.fullmatch(found.file) or found.file == _FALLBACK_PAGE:
            raise SkippedPage("404", "it is an error page")
        loc = self._locs.loc_for(found.file)
        for agent, crawler in self._robots.items():
            if crawler.disallowing(loc) is not None:
                raise SkippedPage("robots", f"robots.txt disallows {loc} for {agent}")
        data = _read(found.path, self._budget.bytes)
        facts = read_page(data, loc, self._locs, self._budget, ignored=self._ignored)
        if facts.canonical is not None:
            self._canonicals.add(loc, facts.canonical)
        row = self._make_row(facts, listed_loc(facts, loc, self._locs), file)
        return row | self._texts(facts, found) if self._metadata else row

    def _texts(self, facts: PageFacts, found: FoundFile) -> dict[str, Any]:
        """Return what a list for people shows of a page."""
        markdown = facts.found.markdown or twin_of(self._folder, found.file, self._locs)
        texts = {"title": facts.title, "description": facts.found.description, "markdown": markdown}
        return {name: text for name, text in texts.items() if text is not None}

    def _make_row(self, facts: PageFacts, loc: str, file: str) -> dict[str, Any]:
        row: dict[str, Any] = {"loc": loc, "file": file, **self._languages.columns(file)}
        if facts.lastmod is not None:
            row |= {"lastmod": facts.lastmod, "lastmod_source": "publication" if facts.is_publication else "page"}
        row["content"] = f"{facts.content_hash:016x}"
        if self._alternates:
            self.dropped += facts.dropped_hreflang
            row["alternates"] = [{"hreflang": language, "href": href} for language, href in facts.hreflang]
        if self._images:
            self.dropped += facts.dropped_images
            row["images"] = [{"loc": url} for url in facts.images]
        self.misfits += not facts.fits_charset
        self.bad_dates += facts.bad_dates
        self.bad_json += facts.bad_json
        return row


def _fits(patterns: Sequence[re.Pattern[str]], path: str) -> bool:
    return any(pattern.fullmatch(path) for pattern in patterns)


def _read(path: str, most: int) -> bytes:
    """Return the bytes of a file. Raises SkippedPage if it is unreadable, too large, or not a file, such as a pipe."""
    # Do not follow a link that was put there since the folder was listed, and do not wait for a pipe.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(path, flags), "rb", buffering=0) as file:  # noqa: PTH123  (it is a descriptor)
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise SkippedPage("unreadable", "it is not a regular file")
            data = file.read(found.st_size) if found.st_size <= most else None
    except OSError as error:
        raise SkippedPage("unreadable", f"it cannot be read: {error.strerror}") from error
    if data is None:
        raise SkippedPage("unreadable", f"it has more than {most} bytes")
    return data


def _crawlers(robots: str | None) -> Mapping[str, _core.RobotsCrawler]:
    if robots is None:
        return {}
    parsed = _core.Robots(robots.encode("utf-8", "replace"))
    return {agent: parsed.crawler(agent) for agent in _AGENTS}
