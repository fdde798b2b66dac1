"""What one page says about itself, from its bytes and its headers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
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
)
from urlset._util.urls import join

#: Characters of JSON-LD that are examined in a page.
_MAX_JSON: Final = 1_000_000
_MAX_ITEMS: Final = 1_000
_HTML: Final = ("text/html", "application/xhtml+xml")
#: A delay and a URL, with or without quotes. Source: HTML Standard, shared declarative refresh steps.
_REFRESH: Final = re.compile(
    r"""\s{0,99}(?:\d{1,9}|\.)[\d.]{0,99}(?:\s{0,99}[;,]\s{0,99}|\s{1,99})(?:url\s{0,99}=\s{0,99})?(?:"([^"]*)|'([^']*)|([^"'].*))""",
    re.IGNORECASE | re.DOTALL,
)


class Link(NamedTuple):
    """A link of a page: where it leads, without its fragment, and whether each mention of it says `nofollow`."""

    url: str
    is_nofollow: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """What one page says about itself. All URLs are absolute, spelled as the URL standard does, without a fragment.

    Attributes:
        is_html: Whether it is an HTML page. Of anything else, only what headers say is known.
        title: Its title without blanks around it; None without one.
        language: The language that it states.
        base: The URL that its links are relative to.
        links: Where its links lead, each target once.
        canonicals: The URLs that its metadata calls canonical, in their order.
        header_canonicals: Those of its Link headers.
        robots: The instructions for robots as `bot: instruction`, from metas and X-Robots-Tag. `robots` are all bots.
        is_noindex: Whether it must not be indexed, by all bots or Google's.
        is_nofollow: Whether its links must not be followed, by all bots or Google's.
        hreflang: Its versions in other languages: language and URL.
        images: Its images.
        refresh: Where a refresh leads; None without one.
        last_modified: The header of that name.
        modified: When it was changed, by its metas or microdata.
        published: When it was published, by its metas or microdata.
        json_modified: When it was changed, by its JSON-LD.
        content_hash: Hash of its visible content, without what each page or each rendering has anew.
        skeleton_hash: Hash of its words outside of links, without numbers.
        body_hash: Hash of its bytes.
        words: Words of visible text.
        needs_browser: Why its content is only there in a browser; None if it is here.
    """

    is_html: bool
    title: str | None
    language: str | None
    base: str
    links: tuple[Link, ...]
    canonicals: tuple[str, ...]
    header_canonicals: tuple[str, ...]
    robots: tuple[str, ...]
    is_noindex: bool
    is_nofollow: bool
    hreflang: tuple[tuple[str, str], ...]
    images: tuple[str, ...]
    refresh: str | None
    last_modified: datetime | None
    modified: datetime | None
    published: datetime | None
    json_modified: datetime | None
    content_hash: int | None
    skeleton_hash: int | None
    body_hash: int | None
    words: int | None
    needs_browser: str | None


def page_facts(body: bytes, url: str, headers: Headers = (), *, masks: Sequence[str] = ()) -> PageFacts:
    """Return what a page says.

    Args:
        body: Its bytes, without compression.
        url: Its URL, after redirects.
        headers: The headers of the answer, with their names in small letters.
        masks: Texts that are no content, such as a counter: a pattern in which `*` stands for anything.

    Example:
        >>> facts = page_facts(b"<title>Tea</title><a href='/green#top'>green</a>", "https://shop.example/tea")
        >>> facts.title, [link.url for link in facts.links]
        ('Tea', ['https://shop.example/green'])
    """
    content_type = (header(headers, "content-type") or "").partition(";")[0].strip().lower()
    is_html = content_type in _HTML or (not content_type and body.lstrip()[:1] == b"<")
    found = _core.page_extract(body if is_html else b"", url, header(headers, "content-type"), list(masks))
    instructions = [
        *((bot, each) for bot, content in found.robots for each in directives(content)),
        *robots_tags(headers),
    ]
    sent = links(headers)
    dates = PageDates(_MAX_JSON, lambda written: _spelled(found.base, written) == url)
    dates.metas, dates.items, dates.scripts = _by_name(found.dates), _by_name(found.items), found.json_ld
    return PageFacts(
        is_html=is_html,
        title=found.title,
        language=found.language,
        base=found.base,
        links=tuple(map(Link._make, found.links)),
        canonicals=tuple(found.canonicals),
        header_canonicals=_urls(url, [to for to, how in sent if "canonical" in how.get("rel", "").lower().split()]),
        robots=tuple(dict.fromkeys(f"{bot}: {each}" for bot, each in instructions)),
        is_noindex=holds(instructions, NOINDEX),
        is_nofollow=holds(instructions, NOFOLLOW),
        hreflang=tuple(dict.fromkeys([*found.hreflang, *_alternates(url, sent)])),
        images=tuple(found.images),
        refresh=_refresh(found.base, found.refreshes),
        last_modified=moment_of_header(header(headers, "last-modified")),
        modified=_moment(dates.modified()),
        published=_moment(dates.published()),
        json_modified=_moment(dates.json_modified()),
        content_hash=found.content_hash if is_html else None,
        skeleton_hash=found.skeleton_hash if is_html else None,
        body_hash=_core.body_hash(body),
        words=found.words if is_html else None,
        needs_browser=found.needs_browser,
    )


def _by_name(pairs: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


def _alternates(url: str, sent: Sequence[tuple[str, dict[str, str]]]) -> list[tuple[str, str]]:
    """Return the versions in other languages that Link headers name."""
    named = (
        (how["hreflang"], _spelled(url, to))
        for to, how in sent
        if "alternate" in how.get("rel", "").lower().split() and how.get("hreflang")
    )
    return [(language, target) for language, target in named if target is not None]


def _urls(base: str, written: Sequence[str]) -> tuple[str, ...]:
    urls = (url for each in written if (url := _spelled(base, each)) is not None)
    return tuple(dict.fromkeys(urls))[:_MAX_ITEMS]


def _refresh(base: str, refreshes: Sequence[str]) -> str | None:
    for text in refreshes:
        if (found := _REFRESH.match(text)) is not None:
            return _spelled(base, (found[1] or found[2] or found[3] or "").strip())
    return None


def _spelled(base: str, written: str | None) -> str | None:
    """Return an absolute http(s) URL without its fragment; None for anything else."""
    if written is None:
        return None
    try:
        joined = join(base, written.strip())
    except ValueError:
        return None
    spelled = _core.standard_url(joined)
    return None if spelled is None else spelled.partition("#")[0]


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else instant_of(micros)
