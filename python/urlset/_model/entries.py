"""Entries: frozen, slotted values that are normalised when they are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from urlset import _core
from urlset._model.errors import InputError
from urlset._model.extensions import Alternate, Image, News, Video, each, fill, one, text_of
from urlset._model.instants import instant_of
from urlset._model.kind import Kind


def _instant(text: str | None) -> datetime | None:
    micros = None if text is None else _core.lastmod_micros(text)
    return None if micros is None else instant_of(micros)


def _lastmod(value: datetime | date | str | None, raw: str | None) -> tuple[datetime | None, str | None]:
    """Return the typed lastmod and its text, from either or both. The typed one wins if they differ."""
    raw = text_of(raw)
    if isinstance(value, str):
        value, raw = None, text_of(value)
    if value is None:
        return _instant(raw), raw
    if not isinstance(value, date):
        raise InputError(f"lastmod must be a str, a date or a datetime, got {type(value).__name__}")
    if not isinstance(value, datetime):
        text = value.isoformat()
        instant = _instant(text)
        return instant, raw if _instant(raw) == instant else text
    if value.tzinfo is None:
        raise InputError(f"lastmod must have a time zone, such as datetime.UTC, got {value.isoformat()!r}")
    try:
        moment = value.astimezone(UTC)
    except OverflowError:
        raise InputError(f"lastmod must be within the years 1 to 9999 in UTC, got {value.isoformat()!r}") from None
    if _instant(raw) != moment:
        # The W3C profile has no offsets with seconds; the same instant in UTC can always be written.
        raw = next(text for text in (_zulu(value), _zulu(moment)) if _instant(text) is not None)
    return moment, raw


def _zulu(value: datetime) -> str:
    text = value.isoformat()
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


@dataclass(frozen=True, slots=True, init=False)
class UrlEntry:
    """One page: a `<url>` of a sitemap, an item of a feed, or a line of a text list.

    Absent values are None, or an empty tuple, and never a default.

    Attributes:
        loc: The URL of the page.
        lastmod: When the page last changed: an aware datetime in UTC. A str, a date or a datetime with a zone can be
            given.
        lastmod_raw: The same as text, as it was or will be written; each of the two follows from the other.
        changefreq: How often the page changes, as text.
        priority: From 0.0 to 1.0.
        images: Its images. A str stands for the loc of one.
        alternates: Its translations.
        videos: Its videos.
        news: The article that it is.
        document: Location of the document in which the entry was read. It does not count in comparisons.
        kind: What that document is: `"urlset"`, `"text"`, `"rss"` or `"atom"` list pages, `"sitemapindex"` and
            `"robots"` name sitemaps. It does not count in comparisons.
        line: The line on which the entry begins, from 1 up. It does not count in comparisons.

    Raises:
        InputError: A value has the wrong type, or a datetime has no zone.

    Example:
        >>> import urlset
        >>> entry = urlset.UrlEntry("https://shop.example/tea", lastmod="2026-11-20", images=["https://shop.example/a.jpg"])
        >>> entry.lastmod.isoformat(), entry.lastmod_raw, entry.images[0].loc
        ('2026-11-20T00:00:00+00:00', '2026-11-20', 'https://shop.example/a.jpg')

    Source:
        sitemaps.org protocol.
    """

    loc: str | None
    lastmod: datetime | None = None
    lastmod_raw: str | None = None
    changefreq: str | None = None
    priority: float | None = None
    images: tuple[Image, ...] = ()
    alternates: tuple[Alternate, ...] = ()
    videos: tuple[Video, ...] = ()
    news: News | None = None
    document: str | None = field(default=None, compare=False)
    kind: Kind | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)

    def __init__(
        self,
        loc: str | None,
        lastmod: datetime | date | str | None = None,
        lastmod_raw: str | None = None,
        changefreq: str | None = None,
        priority: float | None = None,
        images: Iterable[Image | Mapping[str, str | None] | str] = (),
        alternates: Iterable[Alternate | Mapping[str, str | None]] = (),
        videos: Iterable[Video | Mapping[str, Any]] = (),
        news: News | Mapping[str, str | None] | None = None,
        *,
        document: str | None = None,
        kind: Kind | None = None,
        line: int | None = None,
    ) -> None:
        instant, raw = _lastmod(lastmod, lastmod_raw)
        fill(self, loc=loc, lastmod=instant, lastmod_raw=raw, changefreq=text_of(changefreq))
        fill(self, priority=None if priority is None else float(priority))
        fill(self, images=each(Image, images, "images", plain=True))
        fill(self, alternates=each(Alternate, alternates, "alternates"))
        fill(self, videos=each(Video, videos, "videos"), news=one(News, news, "news"))
        fill(self, document=document, kind=kind, line=line)


@dataclass(frozen=True, slots=True, init=False)
class SitemapEntry:
    """One document of a set: a `<sitemap>` of an index, or a Sitemap line of a robots.txt.

    It has the other attributes of `UrlEntry` too, always None or empty, as the table has them: entries of a `Scan` can
    be used without looking at their class.

    Attributes:
        loc: The URL of the document.
        lastmod: When its bytes last changed; see `UrlEntry`.
        lastmod_raw: The same as text.
        document: Location of the document in which the entry was read. It does not count in comparisons.
        kind: What that document is: `"urlset"`, `"text"`, `"rss"` or `"atom"` list pages, `"sitemapindex"` and
            `"robots"` name sitemaps. It does not count in comparisons.
        line: The line on which the entry begins, from 1 up. It does not count in comparisons.

    Raises:
        InputError: A value has the wrong type, or a datetime has no zone.

    Source:
        sitemaps.org protocol, sitemap index files.
    """

    loc: str | None
    lastmod: datetime | None = None
    lastmod_raw: str | None = None
    document: str | None = field(default=None, compare=False)
    kind: Kind | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)

    def __init__(
        self,
        loc: str | None,
        lastmod: datetime | date | str | None = None,
        lastmod_raw: str | None = None,
        *,
        document: str | None = None,
        kind: Kind | None = None,
        line: int | None = None,
    ) -> None:
        instant, raw = _lastmod(lastmod, lastmod_raw)
        fill(self, loc=loc, lastmod=instant, lastmod_raw=raw, document=document, kind=kind, line=line)

    @property
    def changefreq(self) -> None:
        """None: only a page has it."""

    @property
    def priority(self) -> None:
        """None: only a page has it."""

    @property
    def images(self) -> tuple[()]:
        """Empty: only a page has images."""
        return ()

    @property
    def alternates(self) -> tuple[()]:
        """Empty: only a page has translations."""
        return ()

    @property
    def videos(self) -> tuple[()]:
        """Empty: only a page has videos."""
        return ()

    @property
    def news(self) -> None:
        """None: only a page is an article."""


#: What a document lists.
Entry = UrlEntry | SitemapEntry
