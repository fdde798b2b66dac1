"""One built page: whether it belongs in a sitemap, when it changed, and what its content is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeVar

from urlset._model.errors import InputError
from urlset._page.dates import ITEMS, NAMES, PageDates
from urlset.sources._charset import to_utf8
from urlset.sources._locs import Locs, resolve_url
from urlset.sources._page_content import PageContent, page_content

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

#: The elements that hold metadata, and those that may be the main content.
_ELEMENTS = 'meta,title,base,link,script[type^="application/ld+json" i],[itemprop],main,[role="main"],article'
#: Names of meta elements whose instructions count; a page that one of these crawlers must not index is skipped.
_ROBOTS = ("robots", "googlebot")
#: A delay and a URL, with or without quotes. Source: HTML Standard, shared declarative refresh steps.
_REFRESH = re.compile(
    r"""\s*(?:\d+|\.)[\d.]*(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|([^"'].*))""",
    re.IGNORECASE | re.DOTALL,
)
#: A canonical link with one of these attributes is about another version of the page, and is ignored.
#: Source: Google Search Central, how to specify a canonical URL.
_VERSION_ATTRIBUTES = ("hreflang", "lang", "media", "type")

#: Elements whose start tag the parser checks against all open elements, which is quadratic in their depth.
_BLOCK = re.compile(
    rb"<(/?)(?:address|article|aside|blockquote|center|details|dialog|div|dl|fieldset|figure|footer|form|header|main|menu"
    rb"|nav|ol|section|summary|ul)[\s/>]",
    re.IGNORECASE,
)
#: The depth at which a page is refused; browsers flatten anything deeper than 512.
_TOO_DEEP = 2_000
#: A tag with so many attributes that the parser, which compares each with all before it, is slow.
_MANY_ATTRIBUTES = re.compile(
    rb"""[a-z][^\s/>]*+(?:[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+){2000}""",
    re.IGNORECASE,
)
#: Bytes of a page, and of a tag, from which on both are checked: a shorter page costs half a second at worst.
_LONG_PAGE, _LONG_TAG = 1 << 16, 1 << 14
#: The most characters of the detail about a skipped page.
_MAX_DETAIL = 200

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBudget:
    """The limits on what one page may cost.

    Args:
        bytes: Size of a page, in bytes. A larger one is skipped as unreadable.
        tags: Tags in a page. One with more is skipped as unreadable.
        json: Characters of JSON-LD that are examined in a page.
        items: Images, and alternates, that are taken from a page. The others are counted in `dropped`.
        depth: Folders inside each other.

    Raises:
        InputError: A limit is not a whole number of at least 1.

    Example:
        >>> from urlset.sources import html
        >>> html.PageBudget(bytes=1_000_000).tags
        200000
    """

    bytes: int = 10_000_000
    tags: int = 200_000
    json: int = 1_000_000
    items: int = 1_000
    depth: int = 64

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise InputError(f"PageBudget.{field.name} must be a whole number of at least 1, got {value!r}")


class SkippedPage(Exception):  # noqa: N818  (it is not an error)
    """A page does not belong in the sitemap: the reason in one word, and a detail."""

    def __init__(self, reason: str, detail: str) -> None:
        detail = detail if len(detail) <= _MAX_DETAIL else f"{detail[:_MAX_DETAIL]}…"
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


class Page:
    """One page at its loc. Raises SkippedPage if the page cannot be read.

    `fits_charset` says whether all its bytes are valid in its charset. `dropped` counts the requested images and
    alternates beyond the budget.
    """

    def __init__(self, data: bytes, loc: str, locs: Locs, budget: PageBudget) -> None:
        from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415  (the extra "html")

        html, self.fits_charset = to_utf8(data)
        _check(html, budget)
        # As in a browser that runs scripts: the content of <noscript> is not parsed, and cannot end the head.
        self._tree = LexborHTMLParser(html, scripting=True)
        self._loc = loc
        self._locs = locs
        self._budget = budget
        self._base: str | None = None
        self._title: LexborNode | None = None
        #: The dates that the page states.
        self.dates = PageDates(budget.json, self._is_own)
        self.dropped = 0
        self._robots: list[str] = []
        self._refreshes: list[str] = []
        self._links: list[dict[str, str | None]] = []
        self._parts: dict[str, list[LexborNode]] = {"main": [], "role": [], "article": []}
        for node in self._tree.css(_ELEMENTS):
            self._take(node)

    def _take(self, node: LexborNode) -> None:
        tag, attributes = node.tag, node.attributes
        if tag == "meta":
            self._take_meta(attributes)
        elif tag == "link":
            # Links in the body are ignored. Source: Google Search Central, how to specify a canonical URL.
            if _is_in(node, "head"):
                self._links.append(attributes)
        elif tag == "title":
            # SVG drawings have titles, too.
            if self._title is None and _is_in(node, "head", "body") and node.text().strip():
                self._title = node
        elif tag == "base":
            if self._base is None:
                self._base = resolve_url(self._loc, attributes.get("href") or "")
        elif tag == "script":
            self.dates.scripts.append(node.text())
        else:
            if tag == "main" or attributes.get("role") == "main":
                self._parts["main" if tag == "main" else "role"].append(node)
            elif tag == "article":
                self._parts["article"].append(node)
            if itemprop := attributes.get("itemprop"):
                self._take_item(itemprop, attributes, node)

    def _take_meta(self, attributes: dict[str, str | None]) -> None:
        content = attributes.get("content")
        if not content:
            return
        for attribute in ("name", "property"):
            name = (attributes.get(attribute) or "").strip().lower()
            if name in _ROBOTS:
                self._robots.append(content)
            elif name in NAMES:
                self.dates.metas.setdefault(name, []).append(content)
        if itemprop := attributes.get("itemprop"):
            self._take_item(itemprop, attributes)
        if (attributes.get("http-equiv") or "").strip().lower() == "refresh":
            self._refreshes.append(content)

    def _take_item(self, itemprop: str, attributes: dict[str, str | None], node: LexborNode | None = None) -> None:
        """Add a date in microdata. Source: HTML Standard, microdata, values."""
        for name in ITEMS.intersection(itemprop.split()):
            value = attributes.get("datetime") or attributes.get("content") or (node.text() if node else "")
            self.dates.items.setdefault(name, []).append(value)

    @property
    def title(self) -> str:
        """The first title that is not blank, else an empty string."""
        return "" if self._title is None else self._title.text().strip()

    def check(self) -> None:
        """Raise SkippedPage for a page that redirects, must not be indexed, names another canonical or has no title."""
        for refresh in self._refreshes:
            target = self._resolve(_refresh_target(refresh))
            # A refresh that leads to the page itself only reloads it.
            if target is not None and not self._locs.is_own(self._loc, target):
                raise SkippedPage("redirect", target)
        for robots in self._robots:
            # Source: Google Search Central, robots meta tag specifications.
            if {"noindex", "none"} & {word.strip().lower() for word in robots.split(",")}:
                raise SkippedPage("noindex", robots)
        if (canonical := self._canonical()) is not None:
            raise SkippedPage("canonical", canonical)
        if not self.title:
            raise SkippedPage("untitled", "its title is missing or blank")

    def _canonical(self) -> str | None:
        """Return the other URL that the page calls canonical; None if it names its own, or several.

        Sources: RFC 6596; Google Search Central, 5 common mistakes with rel=canonical.
        """
        named = {
            url
            for link in self._links
            if "canonical" in _words(link.get("rel")) and not any(key in link for key in _VERSION_ATTRIBUTES)
            if (href := link.get("href")) and (url := self._resolve(href)) is not None
        }
        if len(named) != 1 or self._locs.is_own(self._loc, url := named.pop()):
            return None
        return url

    def alternates(self) -> list[dict[str, str]]:
        """Return the versions in other languages that the page links to, each pair of language and URL once.

        Source: Google Search Central, localized versions of a page, HTML tags.
        """
        pairs = (
            (language.strip(), url)
            for link in self._links
            if "alternate" in _words(link.get("rel")) and (language := link.get("hreflang"))
            if (url := self._resolve(link.get("href"))) is not None
        )
        return [{"hreflang": language, "href": url} for language, url in self._bounded(pairs)]

    def content(self, masks: Iterable[str] = ()) -> PageContent:
        """Return the content of the main part, if there is exactly one, else of the body. This must be called last."""
        sole = (nodes[0] for nodes in self._parts.values() if len(nodes) == 1)
        root = next(sole, None) or self._tree.body or self._tree.root
        assert root is not None  # an empty page was skipped
        return page_content(root, self._title, masks)

    def images(self, content: PageContent) -> list[dict[str, str]]:
        """Return the images in the content by URL, each once."""
        urls = (url for source in content.images if (url := self._resolve(source)) is not None)
        return [{"loc": url} for url in self._bounded(urls)]

    def _bounded(self, values: Iterable[_T]) -> list[_T]:
        different = list(dict.fromkeys(values))
        kept = different[: self._budget.items]
        self.dropped += len(different) - len(kept)
        return kept

    def _resolve(self, written: str | None) -> str | None:
        if written == self._loc:  # the most frequent case
            return written
        return resolve_url(self._base or self._loc, written) if written else None

    def _is_own(self, written: str) -> bool:
        url = self._resolve(written)
        return url is not None and self._locs.is_own(self._loc, url)


def _is_in(node: LexborNode, *tags: str) -> bool:
    return node.parent is not None and node.parent.tag in tags


def _words(text: str | None) -> list[str]:
    return (text or "").lower().split()


def _refresh_target(refresh: str) -> str | None:
    """Return the target of a refresh as written; None if it has no target."""
    found = _REFRESH.match(refresh)
    return None if found is None else (found[1] or found[2] or found[3] or "").strip()


def _check(html: bytes, budget: PageBudget) -> None:
    """Raise SkippedPage for a page that is not text, or that would take the parser too long."""
    if not html.strip():
        raise SkippedPage("unreadable", "it is empty")
    if b"\0" in html:
        raise SkippedPage("unreadable", "it contains NUL bytes, so it is not text")
    if len(html) > budget.tags and html.count(b"<") > budget.tags:
        raise SkippedPage("unreadable", f"it has more than {budget.tags} tags")
    if len(html) > _LONG_PAGE:
        if _is_too_deep(html):
            raise SkippedPage("unreadable", f"its tags are nested more than {_TOO_DEEP} deep")
        if any(len(tag) > _LONG_TAG and _MANY_ATTRIBUTES.match(tag) for tag in html.split(b"<")):
            raise SkippedPage("unreadable", "a tag has 2000 attributes or more")


def _is_too_deep(html: bytes) -> bool:
    depth = 0
    for end in _BLOCK.findall(html):
        depth = max(depth - 1, 0) if end else depth + 1
        if depth > _TOO_DEEP:
            return True
    return False
