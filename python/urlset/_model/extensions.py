"""Extensions of an entry: images, alternates, videos and news. Every value is text, as it was written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from urlset._model.errors import InputError

#: The blanks that XML strips and folds (XML 1.0, production 3); narrower than `str.strip()`.
_BLANKS = " \t\n\r"


def text_of(value: str | None) -> str | None:
    """Return a text as reading would return it: without outer blanks, and None if nothing is left."""
    return (value.strip(_BLANKS) or None) if value is not None else None


def fill(target: object, **values: object) -> None:
    """Set fields of a frozen object under construction."""
    for name, value in values.items():
        object.__setattr__(target, name, value)


def fill_texts(target: object, **values: str | None) -> None:
    """Set fields to texts, normalised. Raises InputError for anything but text."""
    for name, value in values.items():
        if value is not None and not isinstance(value, str):
            raise InputError(f"{name} must be a str, got {type(value).__name__}")
        fill(target, **{name: text_of(value)})


_T = TypeVar("_T")


def each(of: type[_T], values: Iterable[Any] | None, name: str, *, plain: bool = False) -> tuple[_T, ...]:
    """Return the values as objects of one class. With `plain`, a text stands for an object's first field.

    Raises InputError for a single text or mapping, which would be split into letters or keys.
    """
    if values is None:  # as in a row of a table
        return ()
    if isinstance(values, str | Mapping):
        raise InputError(f"{name} must be a list, got one {type(values).__name__}")
    make: Callable[..., _T] = of
    return tuple(make(value) if plain and isinstance(value, str) else _made(of, value) for value in values)


def one(of: type[_T], value: _T | Mapping[str, str | None] | None, name: str) -> _T | None:
    """Return the value as an object of a class. Raises InputError for anything but that or a mapping."""
    if value is None or isinstance(value, of | Mapping):
        return None if value is None else _made(of, value)
    raise InputError(f"{name} must be {of.__name__} or a mapping, got {type(value).__name__}")


def _made(of: type[_T], value: Any) -> _T:
    return value if isinstance(value, of) else of(**value)


class _Texts:
    """Values with nothing but texts, which are normalised when they are made."""

    __slots__: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        fill_texts(self, **{name: getattr(self, name) for name in self.__slots__})


@dataclass(frozen=True, slots=True, init=False)
class Image:
    """One `image:image`. Only `loc` has an effect at Google; the others are kept as they were written.

    Source:
        Google Search Central, image sitemaps.
    """

    loc: str | None
    title: str | None = None
    caption: str | None = None
    geo_location: str | None = None
    license: str | None = None

    def __init__(
        self,
        loc: str | None,
        title: str | None = None,
        caption: str | None = None,
        geo_location: str | None = None,
        license: str | None = None,  # noqa: A002  (the element's own name)
    ) -> None:
        fill_texts(self, loc=loc, title=title, caption=caption, geo_location=geo_location, license=license)


@dataclass(frozen=True, slots=True, init=False)
class Alternate:
    """One `xhtml:link`: the same page in another language, or for another medium.

    Attributes:
        hreflang: Language and region of that page, such as `"de-AT"`, or `"x-default"`.
        href: Its URL.
        media: The medium that it is for.
        rel: `"alternate"` unless given; for a link that was read, what was written, or None.

    Source:
        Google Search Central, localized versions of a page.
    """

    hreflang: str | None
    href: str | None
    media: str | None = None
    rel: str | None = "alternate"

    def __init__(
        self, hreflang: str | None, href: str | None, media: str | None = None, rel: str | None = "alternate"
    ) -> None:
        fill_texts(self, hreflang=hreflang, href=href, media=media, rel=text_of(rel) or "alternate")


@dataclass(frozen=True, slots=True)
class ContentSegment(_Texts):
    """One `video:content_segment_loc`: a part of the video in a file of its own.

    Source:
        Google's schema sitemap-video 1.1.
    """

    loc: str | None = None
    duration: str | None = None


@dataclass(frozen=True, slots=True)
class Price(_Texts):
    """One `video:price`. Without effect since 2022.

    Source:
        Google Search Central, video sitemaps.
    """

    price: str | None = None
    currency: str | None = None
    type: str | None = None
    resolution: str | None = None


@dataclass(frozen=True, slots=True)
class VideoId(_Texts):
    """One `video:id`: the identifier of the video in a catalogue, which `type` names.

    Source:
        Google's schema sitemap-video 1.1.
    """

    id: str | None = None
    type: str | None = None


@dataclass(frozen=True, slots=True)
class TvShow(_Texts):
    """A `video:tvshow`: the series that the video belongs to. Without effect since 2022.

    Source:
        Google's schema sitemap-video 1.1.
    """

    show_title: str | None = None
    video_type: str | None = None
    episode_title: str | None = None
    season_number: str | None = None
    episode_number: str | None = None
    premier_date: str | None = None


@dataclass(frozen=True, slots=True, init=False)
class Video:
    """One `video:video`. Google needs a thumbnail, a title, a description, and a file or a player.

    Its fields have the names of the elements; those of attributes begin with the name of the element.

    Source:
        Google Search Central, video sitemaps; for elements that it no longer lists, Google's schema sitemap-video 1.1.
    """

    thumbnail_loc: str | None = None
    title: str | None = None
    description: str | None = None
    content_loc: str | None = None
    player_loc: str | None = None
    player_loc_allow_embed: str | None = None
    player_loc_autoplay: str | None = None
    duration: str | None = None
    expiration_date: str | None = None
    rating: str | None = None
    content_segments: tuple[ContentSegment, ...] = ()
    view_count: str | None = None
    publication_date: str | None = None
    tags: tuple[str, ...] = ()
    category: str | None = None
    family_friendly: str | None = None
    restriction: str | None = None
    restriction_relationship: str | None = None
    gallery_loc: str | None = None
    gallery_loc_title: str | None = None
    prices: tuple[Price, ...] = ()
    requires_subscription: str | None = None
    uploader: str | None = None
    uploader_info: str | None = None
    tvshow: TvShow | None = None
    platform: str | None = None
    platform_relationship: str | None = None
    live: str | None = None
    ids: tuple[VideoId, ...] = ()

    def __init__(
        self,
        thumbnail_loc: str | None = None,
        title: str | None = None,
        description: str | None = None,
        content_loc: str | None = None,
        player_loc: str | None = None,
        *,
        player_loc_allow_embed: str | None = None,
        player_loc_autoplay: str | None = None,
        duration: str | None = None,
        expiration_date: str | None = None,
        rating: str | None = None,
        content_segments: Iterable[ContentSegment | Mapping[str, str | None] | str] = (),
        view_count: str | None = None,
        publication_date: str | None = None,
        tags: Iterable[str] = (),
        category: str | None = None,
        family_friendly: str | None = None,
        restriction: str | None = None,
        restriction_relationship: str | None = None,
        gallery_loc: str | None = None,
        gallery_loc_title: str | None = None,
        prices: Iterable[Price | Mapping[str, str | None] | str] = (),
        requires_subscription: str | None = None,
        uploader: str | None = None,
        uploader_info: str | None = None,
        tvshow: TvShow | Mapping[str, str | None] | None = None,
        platform: str | None = None,
        platform_relationship: str | None = None,
        live: str | None = None,
        ids: Iterable[VideoId | Mapping[str, str | None] | str] = (),
    ) -> None:
        fill_texts(self, thumbnail_loc=thumbnail_loc, title=title, description=description, content_loc=content_loc)
        fill_texts(self, player_loc=player_loc, player_loc_allow_embed=player_loc_allow_embed)
        fill_texts(self, player_loc_autoplay=player_loc_autoplay, duration=duration, expiration_date=expiration_date)
        fill_texts(self, rating=rating, view_count=view_count, publication_date=publication_date, category=category)
        fill_texts(self, family_friendly=family_friendly, restriction=restriction)
        fill_texts(self, restriction_relationship=restriction_relationship, gallery_loc=gallery_loc)
        fill_texts(self, gallery_loc_title=gallery_loc_title, requires_subscription=requires_subscription)
        fill_texts(self, uploader=uploader, uploader_info=uploader_info, platform=platform)
        fill_texts(self, platform_relationship=platform_relationship, live=live)
        fill(self, content_segments=each(ContentSegment, content_segments, "content_segments", plain=True))
        fill(self, tags=_tags(tags), prices=each(Price, prices, "prices", plain=True))
        fill(self, tvshow=one(TvShow, tvshow, "tvshow"), ids=each(VideoId, ids, "ids", plain=True))


def _tags(values: Iterable[str | None] | None) -> tuple[str, ...]:
    if isinstance(values, str):
        raise InputError("tags must be a list, got one str")
    return tuple(tag for tag in map(text_of, values or ()) if tag is not None)


@dataclass(frozen=True, slots=True)
class News(_Texts):
    """The `news:news` of an entry. Google needs a publication, a date and a title; the rest has no effect any more.

    Source:
        Google Search Central, news sitemaps, and Google's schema sitemap-news 0.9.
    """

    publication_name: str | None = None
    publication_language: str | None = None
    access: str | None = None
    genres: str | None = None
    publication_date: str | None = None
    title: str | None = None
    keywords: str | None = None
    stock_tickers: str | None = None
