"""What one page says of itself: whether it wants to be found, when it changed, and what is in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeVar

from urlset._model.errors import InputError
from urlset.sources._charset import utf8_of
from urlset.sources._content import Content, content_of
from urlset.sources._dates import ITEMS, NAMES, Dates
from urlset.sources._locs import Locs, resolved

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

#: What a page says outside its content, and where that is.
_SAYING = 'meta,title,base,link,script[type^="application/ld+json" i],[itemprop],main,[role="main"],article'
#: Crawlers whose instructions count; what is kept from one of them is not for a sitemap.
_ROBOTS = ("robots", "googlebot")
#: A delay and a URL, with or without quotes. Source: HTML Standard, shared declarative refresh steps.
_REFRESH = re.compile(
    r"""\s*(?:\d+|\.)[\d.]*(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|([^"'].*))""",
    re.IGNORECASE | re.DOTALL,
)
#: With one of these, a link to a canonical URL is about another version of the page, and counts for nothing.
#: Source: Google Search Central, how to specify a canonical URL.
_OF_VERSIONS = ("hreflang", "lang", "media", "type")

#: Elements that hold others, and whose start the parser checks against all that are open: quadratic in their depth.
_BLOCK = re.compile(
    rb"<(/?)(?:address|article|aside|blockquote|center|details|dialog|div|dl|fieldset|figure|footer|form|header|main|menu"
    rb"|nav|ol|section|summary|ul)[\s/>]",
    re.IGNORECASE,
)
#: The depth that is refused; browsers flatten what is deeper than 512.
_TOO_DEEP = 2_000
#: A tag with so many attributes that the parser, which compares each with all before it, takes long.
_MANY_ATTRIBUTES = re.compile(
    rb"""[a-z][^\s/>]*+(?:[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+){2000}""",
    re.IGNORECASE,
)
#: Bytes of a page, and of a tag, from which on both are looked at: a shorter page costs half a second at worst.
_LONG_PAGE, _LONG_TAG = 1 << 16, 1 << 14
#: Characters of what is told of a page that is left out.
_MOST_DETAIL = 200

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBudget:
    """What one page may cost.

    A page over `bytes` or `tags` is left out as unreadable. Of JSON-LD so many characters are looked at; of images and
    of alternates so many `items` of each are taken, and the others counted. `depth` bounds the folders inside each
    other. Raises InputError for a bound that is no whole number from 1 on.
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
                raise InputError(f"PageBudget.{field.name} is {value!r}; it is a whole number from 1 on")


class LeftOut(Exception):  # noqa: N818  (it is no error)
    """A page is not for the sitemap: why, in a word, and what is to say of it."""

    def __init__(self, reason: str, detail: str) -> None:
        detail = detail if len(detail) <= _MOST_DETAIL else f"{detail[:_MOST_DETAIL]}…"
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


class Page:
    """One page, read at its loc. Raises LeftOut for what is no page that can be read.

    `fits_charset` says whether all its bytes are text in its charset, `dropped` counts images and alternates that
    were asked for and are beyond the bound.
    """

    def __init__(self, data: bytes, loc: str, locs: Locs, budget: PageBudget) -> None:
        from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415  (the extra "html")

        html, self.fits_charset = utf8_of(data)
        _check(html, budget)
        # As in a browser that runs scripts: what stands in <noscript> is not read, and cannot end the head.
        self._tree = LexborHTMLParser(html, scripting=True)
        self._loc = loc
        self._locs = locs
        self._budget = budget
        self._base: str | None = None
        self._title: LexborNode | None = None
        #: The dates it states.
        self.dates = Dates(budget.json, self._is_own)
        self.dropped = 0
        self._robots: list[str] = []
        self._refreshes: list[str] = []
        self._links: list[dict[str, str | None]] = []
        self._parts: dict[str, list[LexborNode]] = {"main": [], "role": [], "article": []}
        for node in self._tree.css(_SAYING):
            self._take(node)

    def _take(self, node: LexborNode) -> None:
        tag, attributes = node.tag, node.attributes
        if tag == "meta":
            self._take_meta(attributes)
        elif tag == "link":
            # Links in the body count for nothing. Source: Google Search Central, how to specify a canonical URL.
            if _is_in(node, "head"):
                self._links.append(attributes)
        elif tag == "title":
            # Drawings have titles, too.
            if self._title is None and _is_in(node, "head", "body") and node.text().strip():
                self._title = node
        elif tag == "base":
            if self._base is None:
                self._base = resolved(self._loc, attributes.get("href") or "")
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
        """A date as microdata has it. Source: HTML Standard, microdata, values."""
        for name in ITEMS.intersection(itemprop.split()):
            value = attributes.get("datetime") or attributes.get("content") or (node.text() if node else "")
            self.dates.items.setdefault(name, []).append(value)

    @property
    def title(self) -> str:
        """The first title that is not blank; else an empty text."""
        return "" if self._title is None else self._title.text().strip()

    def check(self) -> None:
        """Raises LeftOut for a page that leads elsewhere, or does not want to be found, or has no title."""
        for refresh in self._refreshes:
            target = self._resolved(_target(refresh))
            # One that leads to the page itself but loads it anew.
            if target is not None and not self._locs.is_own(self._loc, target):
                raise LeftOut("redirect", target)
        for robots in self._robots:
            # Source: Google Search Central, robots meta tag specifications.
            if {"noindex", "none"} & {word.strip().lower() for word in robots.split(",")}:
                raise LeftOut("noindex", robots)
        if (canonical := self._canonical()) is not None:
            raise LeftOut("canonical", canonical)
        if not self.title:
            raise LeftOut("untitled", "it has no title, or a blank one")

    def _canonical(self) -> str | None:
        """The other URL that the page calls canonical. Where it names several, none counts.

        Sources: RFC 6596; Google Search Central, 5 common mistakes with rel=canonical.
        """
        named = {
            url
            for link in self._links
            if "canonical" in _words(link.get("rel")) and not any(key in link for key in _OF_VERSIONS)
            if (href := link.get("href")) and (url := self._resolved(href)) is not None
        }
        if len(named) != 1 or self._locs.is_own(self._loc, url := named.pop()):
            return None
        return url

    def alternates(self) -> list[dict[str, str]]:
        """The versions in other languages that the page links to, each pair of language and URL once.

        Source: Google Search Central, localized versions of a page, HTML tags.
        """
        pairs = (
            (language.strip(), url)
            for link in self._links
            if "alternate" in _words(link.get("rel")) and (language := link.get("hreflang"))
            if (url := self._resolved(link.get("href"))) is not None
        )
        return [{"hreflang": language, "href": url} for language, url in self._bounded(pairs)]

    def content(self, masks: Iterable[str] = ()) -> Content:
        """What the page says, in its main part, if it has just one. The page is used up by it: ask it last."""
        sole = (nodes[0] for nodes in self._parts.values() if len(nodes) == 1)
        root = next(sole, None) or self._tree.body or self._tree.root
        assert root is not None  # an empty page was left out
        return content_of(root, self._title, masks)

    def images(self, content: Content) -> list[dict[str, str]]:
        """The images of the content by URL, each once."""
        urls = (url for source in content.images if (url := self._resolved(source)) is not None)
        return [{"loc": url} for url in self._bounded(urls)]

    def _bounded(self, values: Iterable[_T]) -> list[_T]:
        different = list(dict.fromkeys(values))
        kept = different[: self._budget.items]
        self.dropped += len(different) - len(kept)
        return kept

    def _resolved(self, written: str | None) -> str | None:
        if written == self._loc:  # as most pages name themselves
            return written
        return resolved(self._base or self._loc, written) if written else None

    def _is_own(self, written: str) -> bool:
        url = self._resolved(written)
        return url is not None and self._locs.is_own(self._loc, url)


def _is_in(node: LexborNode, *tags: str) -> bool:
    return node.parent is not None and node.parent.tag in tags


def _words(text: str | None) -> list[str]:
    return (text or "").lower().split()


def _target(refresh: str) -> str | None:
    """Where a refresh leads to, as written; None where it names no other place."""
    found = _REFRESH.match(refresh)
    return None if found is None else (found[1] or found[2] or found[3] or "").strip()


def _check(html: bytes, budget: PageBudget) -> None:
    """Raises LeftOut for what is no text, and for what the parser would need too long for."""
    if not html.strip():
        raise LeftOut("unreadable", "it is empty")
    if b"\0" in html:
        raise LeftOut("unreadable", "it has NUL bytes in it: it is no text")
    if len(html) > budget.tags and html.count(b"<") > budget.tags:
        raise LeftOut("unreadable", f"it has more than {budget.tags} tags")
    if len(html) > _LONG_PAGE:
        if _is_too_deep(html):
            raise LeftOut("unreadable", f"its tags are more than {_TOO_DEEP} deep in each other")
        if any(len(tag) > _LONG_TAG and _MANY_ATTRIBUTES.match(tag) for tag in html.split(b"<")):
            raise LeftOut("unreadable", "a tag has 2000 attributes or more")


def _is_too_deep(html: bytes) -> bool:
    depth = 0
    for end in _BLOCK.findall(html):
        depth = max(depth - 1, 0) if end else depth + 1
        if depth > _TOO_DEEP:
            return True
    return False
