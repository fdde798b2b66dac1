"""What one page says about itself, from its bytes and its headers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from urlset import _core
from urlset._model.instants import instant_of
from urlset._page.dates import PageDates
from urlset._page.headers import (
    NOFOLLOW,
    NOINDEX,
    Headers,
    directives,
    header,
    holds,
    links,
    moment_of_header,
    robots_tags,
    unavailable_after,
)
from urlset._page.ignored import NOTHING, Ignored

#: Bytes of JSON-LD that are examined in a page, and elements of a list that are kept.
MAX_JSON: Final = 1_000_000
MAX_ITEMS: Final = 1_000
_HTML: Final = ("text/html", "application/xhtml+xml")
#: A canonical link with one of these is about another version of the page, and does not count.
#: Source: Google Search Central, how to specify a canonical URL.
_OF_VERSIONS: Final = frozenset(("hreflang", "lang", "media", "type"))


class Link(NamedTuple):
    """A link of a page: where it leads, without its fragment, and whether each mention of it says `nofollow`."""

    url: str
    is_nofollow: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """What one page says about itself. All URLs are absolute, spelled as the URL standard does, without a fragment.

    Attributes:
        is_html: Whether it is an HTML page. Of anything else, only what headers say is known.
        fits_charset: Whether its charset is known, and all its bytes are valid in it.
        is_binary: Whether it has a NUL, as no text has.
        title: Its title without blanks around it; None without one.
        language: The language that it states.
        base: The URL that its links are relative to.
        canonicals: The URLs that its metadata calls canonical, in their order.
        header_canonicals: Those of its Link headers.
        body_canonical: The first one outside of its metadata, where it counts for nothing; None without one.
        robots: The instructions for robots as `bot: instruction`, from metas and X-Robots-Tag. `robots` are all bots.
        is_noindex: Whether it must not be indexed, by all bots or Google's.
        is_nofollow: Whether its links must not be followed, by all bots or Google's.
        hreflang: Its versions in other languages: language and URL.
        documents: The sitemaps and feeds that it names: URL, and `link` or `feed`.
        images: The images of its content.
        unavailable: When it leaves the index, by the instruction `unavailable_after` for all bots or Google's.
        refresh: The other page that a refresh leads to, by its Refresh header or a meta; None without one.
        script_target: Where a script leads from a page with hardly any words; None without one.
        dropped_hreflang: How many versions are beyond the bound.
        dropped_images: How many images are beyond the bound.
        last_modified: The header of that name.
        modified: When it was changed, by its metas or microdata.
        published: When it was published, by its metas or microdata.
        json_modified: When it was changed, by its JSON-LD.
        lastmod: The best date that it states, as written. See `PageDates.best`.
        is_publication: Whether that is the date of publication, and not of a change.
        bad_dates: Invalid dates that are better than this one.
        bad_json: Scripts of JSON-LD with dates that cannot be read, or are beyond the bound.
        content_hash: Hash of its visible content, of where its links lead, of its images and of its structured data,
            without what each page or each rendering has anew.
        parts: The parts of this content, by which it can be told which of them changes at each fetch: the place of each
            in the highest 24 bits, its line in that in 16, and the hash of its text in the lowest 24; empty unless
            wanted.
        sketch: By how many of its numbers two pages differ tells how much of their texts they share; 65,535 stands for
            none. Empty unless the parts are wanted, for a short text, and for one that is not of the page alone.
        has_main: Whether an element is marked as its main part.
        skeleton_hash: Hash of its words outside of links, without numbers.
        body_hash: Hash of its bytes.
        words: Words of visible text.
        needs_browser: Why its content is only there in a browser; None if it is here.
        found: What the core has found in it. Who passes its links on to the core need not make objects of them.
    """

    is_html: bool
    fits_charset: bool
    is_binary: bool
    title: str | None
    language: str | None
    base: str
    canonicals: tuple[str, ...]
    header_canonicals: tuple[str, ...]
    body_canonical: str | None
    robots: tuple[str, ...]
    is_noindex: bool
    is_nofollow: bool
    hreflang: tuple[tuple[str, str], ...]
    documents: tuple[tuple[str, str], ...]
    images: tuple[str, ...]
    unavailable: datetime | None
    refresh: str | None
    script_target: str | None
    dropped_hreflang: int
    dropped_images: int
    last_modified: datetime | None
    modified: datetime | None
    published: datetime | None
    json_modified: datetime | None
    lastmod: str | None
    is_publication: bool
    bad_dates: int
    bad_json: int
    content_hash: int | None
    parts: tuple[int, ...]
    sketch: tuple[int, ...]
    has_main: bool
    skeleton_hash: int | None
    body_hash: int | None
    words: int | None
    needs_browser: str | None
    found: _core.PageExtract = field(repr=False)

    @property
    def links(self) -> tuple[Link, ...]:
        """Where its links lead, each target once."""
        return tuple(map(Link._make, self.found.links))

    @property
    def canonical(self) -> str | None:
        """The URL that it calls canonical; None without one, and for several, of which search engines take none.

        Sources: RFC 6596; Google Search Central, 5 common mistakes with rel=canonical.
        """
        named = dict.fromkeys((*self.canonicals, *self.header_canonicals))
        return next(iter(named)) if len(named) == 1 else None


def page_facts(
    body: bytes,
    url: str,
    headers: Headers = (),
    *,
    ignored: Ignored = NOTHING,
    is_own: Callable[[str], bool] | None = None,
    most_json: int = MAX_JSON,
    most_items: int = MAX_ITEMS,
    with_parts: bool = False,
) -> PageFacts:
    """Return what a page says.

    Args:
        body: Its bytes, without compression.
        url: Its URL, after redirects.
        headers: The headers of the answer, with their names in small letters.
        ignored: What to leave out of the content.
        is_own: Returns whether a URL is another one of this page; by default none is.
        most_json: Bytes of JSON-LD that are examined.
        most_items: Elements of each list that are kept.
        with_parts: Whether the parts of the content, and the sketch of its text, are wanted.

    Example:
        >>> facts = page_facts(b"<title>Tea</title><a href='/green#top'>green</a>", "https://shop.example/tea")
        >>> facts.title, [link.url for link in facts.links]
        ('Tea', ['https://shop.example/green'])
    """
    content_type = (header(headers, "content-type") or "").partition(";")[0].strip().lower()
    is_html = content_type in _HTML or (not content_type and body.lstrip()[:1] == b"<")
    found = _core.page_extract(
        body if is_html else b"",
        url,
        header(headers, "content-type"),
        masks=list(ignored.mask),
        boilerplate=list(ignored.boilerplate),
        most_json=most_json,
        most_items=most_items,
        with_parts=with_parts,
    )
    instructions = [
        *((bot, each) for bot, content in found.robots for each in directives(content)),
        *robots_tags(headers),
    ]
    sent = links(headers)

    def leads_here(target: str | None) -> bool:
        return target is not None and (target == url or (is_own is not None and is_own(target)))

    dates = PageDates(found, lambda written: leads_here(_core.joined_url(found.base, written)))
    refresh = _refresh(url, header(headers, "refresh"), found.refresh)
    return PageFacts(
        is_html=is_html,
        fits_charset=found.fits_charset,
        is_binary=found.is_binary,
        title=found.title,
        language=found.language,
        base=found.base,
        canonicals=tuple(found.canonicals),
        header_canonicals=_header_canonicals(url, sent, most_items),
        body_canonical=found.body_canonical,
        robots=tuple(dict.fromkeys(f"{bot}: {each}" for bot, each in instructions)),
        is_noindex=holds(instructions, NOINDEX),
        is_nofollow=holds(instructions, NOFOLLOW),
        hreflang=tuple(dict.fromkeys([*found.hreflang, *_alternates(url, sent)])),
        documents=tuple(found.documents),
        images=tuple(found.images),
        unavailable=unavailable_after(instructions),
        refresh=None if leads_here(refresh) else refresh,
        script_target=found.script_target,
        dropped_hreflang=found.dropped_hreflang,
        dropped_images=found.dropped_images,
        last_modified=moment_of_header(header(headers, "last-modified")),
        modified=_moment(dates.modified()),
        published=_moment(dates.published()),
        json_modified=_moment(dates.json_modified()),
        lastmod=dates.best(),
        is_publication=dates.is_publication,
        bad_dates=dates.bad,
        bad_json=dates.bad_json,
        content_hash=found.content_hash if is_html else None,
        parts=tuple(found.parts),
        sketch=tuple(found.sketch),
        has_main=found.has_main,
        skeleton_hash=found.skeleton_hash if is_html else None,
        body_hash=_core.body_hash(body),
        words=found.words if is_html else None,
        needs_browser=found.needs_browser,
        found=found,
    )


def _refresh(url: str, sent: str | None, in_page: str | None) -> str | None:
    """Return where a refresh leads. The header comes before the page, and browsers follow the first one.

    Source: HTML Standard, shared declarative refresh steps.
    """
    target = None if sent is None else _core.refresh_target(sent)
    return in_page if target is None else _core.joined_url(url, target)


def _header_canonicals(url: str, sent: Sequence[tuple[str, dict[str, str]]], most: int) -> tuple[str, ...]:
    """Return the canonical URLs that Link headers name."""
    named = (
        _core.joined_url(url, target)
        for target, how in sent
        if "canonical" in how.get("rel", "").lower().split() and _OF_VERSIONS.isdisjoint(how)
    )
    return tuple(dict.fromkeys(each for each in named if each is not None))[:most]


def _alternates(url: str, sent: Sequence[tuple[str, dict[str, str]]]) -> list[tuple[str, str]]:
    """Return the versions in other languages that Link headers name."""
    named = (
        (how["hreflang"], _core.joined_url(url, target))
        for target, how in sent
        if "alternate" in how.get("rel", "").lower().split() and how.get("hreflang")
    )
    return [(language, target) for language, target in named if target is not None]


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else instant_of(micros)
