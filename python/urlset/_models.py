"""The values that go in and come out: frozen, slotted, normalised when they are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, get_args

from urlset import _core
from urlset._errors import InputError, UrlsetError
from urlset._extensions import Alternate, Image, News, Video, each, fill, one, text_of

if TYPE_CHECKING:
    from urlset._core import Batches

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


#: What a document is called that has no location.
BYTES = "<bytes>"


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement: what stands from `start` to `end` becomes `text`.

    Both count bytes of the document decoded to UTF-8, without a byte order mark. Equal ones insert; an empty `text`
    removes.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """What would mend one finding: edits in the order of their places, all of them or none.

    `safety` is `safe` (nothing but the defect changes), `unsafe` (it may change what is meant) or `display` (shown and
    never applied, because only a person knows whether it is right).
    """

    safety: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `line` and `column` count from 1, columns in code points; `end_column` is exclusive.

    `source` is the line it stands on, cut to a window around the place, and `source_column` the place's column in it;
    it is empty where no line is to be shown. `fix` is None where nothing can be offered. `more` counts the further
    findings of this rule in this document that are not kept.
    """

    code: str
    severity: str
    message: str
    location: str | None
    line: int
    column: int
    end_column: int
    source: str
    source_column: int
    help: str | None = None
    fix: Fix | None = None
    more: int = 0

    def __str__(self) -> str:
        return f"{self.location or BYTES}:{self.line}:{self.column}: {self.code} {self.message}"


#: How much of a document was read, from the best to the worst. `complete`: it is well-formed and was read to its end.
#: `recovered`: it is not, and was mended and read to its end. `truncated`: reading ended before the document did,
#: because it is cut off or beyond a bound of ours. `refused`: it is no sitemap.
Completeness = Literal["complete", "recovered", "truncated", "refused"]
COMPLETENESS: tuple[Completeness, ...] = get_args(Completeness)


@dataclass(frozen=True, slots=True)
class Document:
    """One document that was read: what it is, how much was in it, whether it was whole.

    `kind` is urlset, sitemapindex, text, rss, atom or robots; `rows` counts its entries, `bytes` its decoded bytes.
    `completeness` is `complete`, `recovered` (it was not well-formed, and was mended), `truncated` (reading ended
    early) or `refused` (it is no sitemap). `diagnostics` tells what was odd, the first 1,000 of it, and `counts` how
    often each code was. `extensions` counts, by namespace, the elements inside entries that were passed over.

    It is a table of its own entries where those are held: after `parse` and `read`, not while a `scan` hands them out.
    """

    location: str | None
    kind: str | None
    rows: int
    bytes: int
    completeness: Completeness
    diagnostics: tuple[Diagnostic, ...] = ()
    # A dict has no hash; what is equal hashes the same without them.
    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    extensions: Mapping[str, int] = field(default_factory=dict, hash=False)
    _held: Batches | None = field(default=None, repr=False, compare=False)

    @property
    def _batches(self) -> Batches:
        if self._held is None:
            raise UrlsetError("the rows of this document were handed out by the scan; read() keeps them")
        return self._held

    def __len__(self) -> int:
        return len(self._batches)

    def __bool__(self) -> bool:
        return True  # a document without entries is still a document

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._batches.entries())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._batches.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._batches.__arrow_c_schema__()
