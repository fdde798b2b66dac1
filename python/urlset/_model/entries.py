"""The values that go in and come out: frozen, slotted, normalised when they are made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from urlset import _core
from urlset._model.errors import InputError
from urlset._model.extensions import Alternate, Image, News, Video, each, fill, one, text_of

if TYPE_CHECKING:
    pass

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def _instant(text: str | None) -> datetime | None:
    micros = None if text is None else _core.lastmod_micros(text)
    return None if micros is None else _EPOCH + micros * _MICROSECOND


def _lastmod(value: datetime | date | str | None, raw: str | None) -> tuple[datetime | None, str | None]:
    """The typed lastmod and the text it is written as, from either or both; the typed one wins where they differ."""
    raw = text_of(raw)
    if isinstance(value, str):
        value, raw = None, text_of(value)
    if value is None:
        return _instant(raw), raw
    if not isinstance(value, date):
        raise InputError(f"lastmod is {type(value).__name__}, not a str, date or datetime")
    if not isinstance(value, datetime):
        text = value.isoformat()
        instant = _instant(text)
        return instant, raw if _instant(raw) == instant else text
    if value.tzinfo is None:
        raise InputError(f"lastmod {value.isoformat()} has no time zone: use one, such as datetime.UTC")
    try:
        moment = value.astimezone(UTC)
    except OverflowError:
        raise InputError(f"lastmod {value.isoformat()} lies outside the years 1 to 9999 in UTC") from None
    if _instant(raw) != moment:
        # An offset with seconds is none of the W3C profile; the same instant in UTC always is.
        raw = next(text for text in (_zulu(value), _zulu(moment)) if _instant(text) is not None)
    return moment, raw


def _zulu(value: datetime) -> str:
    text = value.isoformat()
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


@dataclass(frozen=True, slots=True, init=False)
class UrlEntry:
    """One `<url>`.

    `lastmod` is an aware datetime in UTC and `lastmod_raw` the text as it is or was written; given as a str, a date
    or a datetime with a zone, the other follows. Absent values are None (or an empty tuple), never a default.
    `document` and `line` say where the entry was read and do not count when entries are compared.

    Raises InputError for a datetime without a zone. Source: sitemaps.org protocol.
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
        line: int | None = None,
    ) -> None:
        instant, raw = _lastmod(lastmod, lastmod_raw)
        fill(self, loc=loc, lastmod=instant, lastmod_raw=raw, changefreq=text_of(changefreq))
        fill(self, priority=None if priority is None else float(priority))
        fill(self, images=each(Image, images, "images", plain=True))
        fill(self, alternates=each(Alternate, alternates, "alternates"))
        fill(self, videos=each(Video, videos, "videos"), news=one(News, news, "news"))
        fill(self, document=document, line=line)


@dataclass(frozen=True, slots=True, init=False)
class SitemapEntry:
    """One `<sitemap>` of an index: a document of the set, and when its bytes last changed.

    Source: sitemaps.org protocol, sitemap index files.
    """

    loc: str | None
    lastmod: datetime | None = None
    lastmod_raw: str | None = None
    document: str | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)

    def __init__(
        self,
        loc: str | None,
        lastmod: datetime | date | str | None = None,
        lastmod_raw: str | None = None,
        *,
        document: str | None = None,
        line: int | None = None,
    ) -> None:
        instant, raw = _lastmod(lastmod, lastmod_raw)
        fill(self, loc=loc, lastmod=instant, lastmod_raw=raw, document=document, line=line)


Entry = UrlEntry | SitemapEntry
