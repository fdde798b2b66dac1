"""The verbs `feed` and `llms`: the pages of a published set as an Atom feed, and as an llms.txt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Final

from urlset._model.errors import InputError
from urlset._options.option import Option
from urlset._options.publish import Dest, Memory, RowColumns, Scope
from urlset._options.shared import StoreOptions
from urlset._publish.api import Section, sections_of
from urlset._util.text import plural

if TYPE_CHECKING:
    from urlset._feeds.pages import ListedPages
    from urlset._feeds.texts import Texts
    from urlset._stores.store import Store
    from urlset._write.rows import RowsLike

#: The names of the files.
FEED: Final = "feed.xml"
LLMS: Final = "llms.txt"
#: The most entries of a feed, and the most links of an llms.txt.
MAX_ENTRIES: Final = 1_000
MAX_LINKS: Final = 10_000
#: The most characters of a text about the whole.
_MAX_TEXT: Final = 2_000
_MAX_SHOWN: Final = 80

_LIMIT = Option("List no more pages than this.", metavar="N")
TITLE = Option("Title of the site.", example='"Tea shop"', metavar="TEXT")
Description = Annotated[
    str | None, Option("What the site is, in a sentence.", example='"A shop for tea and cups"', metavar="TEXT")
]
Replace = Annotated[
    bool, Option("Replace a file of that name even if another program has written it.", flags="--replace")
]


@dataclass(frozen=True, slots=True)
class PageList:
    """A feed or an llms.txt that was written. All numbers but `entries`, `rows` and `shortened` count pages.

    Attributes:
        url: Its URL.
        entries: How many pages it lists.
        rows: How many rows there were.
        unpublished: Left out, because the published set does not have them.
        undated: Left out of a feed, because the set has no lastmod of them; 0 for an llms.txt.
        beyond: Left out, because the limit is reached.
        untitled: Listed with their URL, because their rows have no title.
        bad_markdown: Listed without their Markdown twin, because that is not an http(s) URL.
        shortened: Titles and descriptions that were cut.
        is_written: Whether the file was written. It is not if it has these bytes already.
    """

    url: str
    entries: int
    rows: int
    unpublished: int
    undated: int
    beyond: int
    untitled: int
    bad_markdown: int
    shortened: int
    is_written: bool

    def as_dict(self) -> dict[str, Any]:
        """Return it as values of JSON."""
        return asdict(self)


def feed(
    entries: RowsLike | Mapping[str, Section],
    dest: Dest,
    *,
    title: Annotated[str, TITLE],
    description: Description = None,
    author: Annotated[
        str | None,
        Option("Whose pages they are.", example='"Tea Ltd."', default="the title", metavar="NAME"),
    ] = None,
    limit: Annotated[int, _LIMIT] = 50,
    columns: RowColumns = None,
    scope: Scope = None,
    replace: Replace = False,
    memory: Memory = "512MB",
    store: StoreOptions = None,
) -> PageList:
    """Write a feed of the pages that changed last, as `feed.xml`, beside the set that is published in `dest`.

    It is an Atom feed. Its rows are those that were published, with further columns: `title`, `description`, and
    `markdown`, the URL of the same page as Markdown. Which pages there are and when they changed is what the published
    set says, so the feed is as truthful as the sitemap: a page without a lastmod is left out. The same rows, set and
    arguments give the same bytes.

    Args:
        entries: Rows as in `publish`, or sections by name.
        dest: Destination: a folder, or an object store as s3://, gs:// or az://BUCKET/PREFIX.
        title: Title of the site.
        description: What the site is, in a sentence.
        author: Whose pages they are. By default it is the title.
        limit: List no more pages than this. They are the latest ones, at most 1,000.
        columns: Columns of the rows that have other names, for loc, lastmod, changefreq, priority, images, videos,
            news, alternates, group, lang, lastmod_source, content, title, description, markdown or file.
        scope: URL prefix that every loc must have. By default it is the origin of the set.
        replace: Replace a file of that name even if another program has written it.
        memory: Memory limit; what does not fit goes to temporary files.
        store: Options of the object store, such as endpoint and region; secrets stay in the environment.

    Returns:
        How many pages were listed, and how many were left out.

    Raises:
        InputError: An argument or the rows cannot be used, nothing was published there, or no page has a lastmod.
        DocumentError: The manifest of the set is damaged.
        PublishError: Another program has written the file, or the store fails.

    Example:
        >>> import urlset
        >>> rows = [{"loc": "/tea", "lastmod": "2026-11-20", "title": "Tea"}]
        >>> _ = urlset.publish(rows, "public", base_url="https://shop.example/")
        >>> written = urlset.feed(rows, "public", title="Tea shop")
        >>> written.url, written.entries
        ('https://shop.example/feed.xml', 1)
        >>> [entry.loc for entry in urlset.read("public/feed.xml")]
        ['https://shop.example/tea']

    Source: RFC 4287.
    """
    from urlset._feeds import atom  # noqa: PLC0415  (a help asks for the signature alone)

    _check_limit(limit, MAX_ENTRIES)
    title = _text("title", title)
    author = title if author is None else _text("author", author)
    description = None if description is None else _text("description", description)
    with _opened(entries, dest, columns, scope, memory, store) as (pages, texts, destination):
        base = pages.header.base_url
        if pages.undated == pages.listed:
            raise InputError(
                f"none of {plural(pages.listed, 'page')} has a lastmod in the set, and a feed says when pages changed:"
                " publish rows with lastmods first"
            )
        latest = pages.latest(limit)
        home = base if pages.has(base) else None
        url = base + FEED
        data = atom.document(latest, texts, url=url, home=home, title=title, subtitle=description, author=author)
        left_out = {"undated": pages.undated, "beyond": pages.listed - pages.undated - len(latest)}
        return _put(destination, FEED, data, pages, texts, len(latest), left_out, replace=replace)


def llms(
    entries: RowsLike | Mapping[str, Section],
    dest: Dest,
    *,
    title: Annotated[str, TITLE],
    description: Description = None,
    limit: Annotated[int, _LIMIT] = 500,
    columns: RowColumns = None,
    scope: Scope = None,
    replace: Replace = False,
    memory: Memory = "512MB",
    store: StoreOptions = None,
) -> PageList:
    """Write an overview of the pages for language models, as `llms.txt`, beside the set that is published in `dest`.

    It is a Markdown file with a heading for each section, and a link to each page with its title and its description,
    in the order of the rows. The link leads to the Markdown twin of a page that has one. Pages that are not in the
    published set are left out. The same rows, set and arguments give the same bytes.

    Args:
        entries: Rows as in `publish`, or sections by name, with the further columns `title`, `description`, and
            `markdown`, the URL of the same page as Markdown.
        dest: Destination: a folder, or an object store as s3://, gs:// or az://BUCKET/PREFIX.
        title: Title of the site.
        description: What the site is, in a sentence.
        limit: List no more pages than this. They are the first ones, at most 10,000.
        columns: Columns of the rows that have other names, for loc, lastmod, changefreq, priority, images, videos,
            news, alternates, group, lang, lastmod_source, content, title, description, markdown or file.
        scope: URL prefix that every loc must have. By default it is the origin of the set.
        replace: Replace a file of that name even if another program has written it.
        memory: Memory limit; what does not fit goes to temporary files.
        store: Options of the object store, such as endpoint and region; secrets stay in the environment.

    Returns:
        How many pages were listed, and how many were left out.

    Raises:
        InputError: An argument or the rows cannot be used, or nothing was published there.
        DocumentError: The manifest of the set is damaged.
        PublishError: Another program has written the file, or the store fails.

    Example:
        >>> import pathlib, urlset
        >>> rows = [{"loc": "/tea", "title": "Tea", "description": "All our teas", "markdown": "/tea.md"}]
        >>> _ = urlset.publish(rows, "public", base_url="https://shop.example/")
        >>> urlset.llms(rows, "public", title="Tea shop", description="A shop for tea").entries
        1
        >>> print(pathlib.Path("public", "llms.txt").read_text().rstrip())
        # Tea shop
        <BLANKLINE>
        > A shop for tea
        <BLANKLINE>
        ## Pages
        <BLANKLINE>
        - [Tea](https://shop.example/tea.md): All our teas

    Source: llmstxt.org.
    """
    from urlset._feeds import markdown  # noqa: PLC0415  (a help asks for the signature alone)

    _check_limit(limit, MAX_LINKS)
    title = _text("title", title)
    description = None if description is None else _text("description", description)
    with _opened(entries, dest, columns, scope, memory, store) as (pages, texts, destination):
        first = pages.in_order(limit)
        data = markdown.document(first, texts, title=title, summary=description)
        left_out = {"undated": 0, "beyond": pages.listed - len(first)}
        return _put(destination, LLMS, data, pages, texts, len(first), left_out, replace=replace)


@contextmanager
def _opened(
    entries: RowsLike | Mapping[str, Section],
    dest: Dest,
    columns: Mapping[str, str] | None,
    scope: str | None,
    memory: str,
    store: Mapping[str, Any] | None,
) -> Iterator[tuple[ListedPages, Texts, Store]]:
    """Open the destination, and what the rows and the set in it have in common."""
    from urlset._feeds.pages import checked_columns, listed_pages  # noqa: PLC0415
    from urlset._feeds.texts import Texts  # noqa: PLC0415
    from urlset._stores.open import open_store  # noqa: PLC0415
    from urlset._util.arguments import standard_url  # noqa: PLC0415

    scope = None if scope is None else standard_url("scope", scope)
    sections = {
        name: replace(section, columns=checked_columns(columns if section.columns is None else section.columns))
        for name, section in sections_of(entries).items()
    }
    destination = open_store(dest, **(store or {}))
    with listed_pages(sections, destination, scope=scope, memory=memory) as pages:
        yield pages, Texts(pages.header.base_url), destination


def _put(
    store: Store,
    name: str,
    data: bytes,
    pages: ListedPages,
    texts: Texts,
    entries: int,
    left_out: Mapping[str, int],
    *,
    replace: bool,
) -> PageList:
    """Store a list, and return what it has."""
    from urlset._feeds.stored import put_list  # noqa: PLC0415

    is_written = put_list(store, name, data, replace=replace)
    return PageList(
        url=pages.header.base_url + name,
        entries=entries,
        rows=pages.rows,
        unpublished=pages.unpublished,
        **left_out,
        untitled=texts.untitled,
        bad_markdown=texts.bad_markdown,
        shortened=texts.shortened,
        is_written=is_written,
    )


def _check_limit(limit: object, most: int) -> None:
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= most:
        raise InputError(f"limit must be a whole number from 1 to {most:,}, got {limit!r}")


def _text(name: str, text: object) -> str:
    """Return a text about the whole as one line. Raises InputError if it is not a text, blank or too long."""
    from urlset._feeds.texts import one_line  # noqa: PLC0415

    line = one_line(text) if isinstance(text, str) else ""
    if not line or len(line) > _MAX_TEXT:
        raise InputError(f"{name} must be a text of 1 to {_MAX_TEXT:,} characters, got {repr(text)[:_MAX_SHOWN]}")
    return line
