"""The rows of a sitemap of Django: what its own view would list, read in a way that suits a large table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.query import ModelIterable
from django.utils import translation

from urlset._model.limits import PROTOCOL

#: How many objects a query fetches.
_AT_ONCE = 5_000
#: The methods by which a class says what Django has no attribute for, which are the columns of the rows.
_FURTHER = ("images", "videos", "news")
#: The key of a row that has the page on which it is listed, where a page has fewer entries than a shard.
PAGE = "page"


def rows_of(sitemap: Any, origin: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a sitemap, each with its number of the page if `limit` is below that of the protocol.

    Args:
        sitemap: An instance of Django's `Sitemap`.
        origin: What stands before each location, such as `https://shop.example`.
    """
    limit = page_limit(sitemap)
    further = [(name, getattr(sitemap, name)) for name in _FURTHER if callable(getattr(sitemap, name, None))]
    # The language of a management command is that of whoever runs it, and the one of a request is the visitor's.
    with translation.override(settings.LANGUAGE_CODE):
        for number, row in enumerate(_rows(sitemap, origin, further)):
            if limit is not None:
                row[PAGE] = str(number // limit + 1)
            yield row


def page_limit(sitemap: Any) -> int | None:
    """Return how many entries a page has; None if it may have as many as the protocol allows."""
    limit = int(sitemap.limit)
    return limit if 0 < limit < PROTOCOL.entries else None


def _rows(sitemap: Any, origin: str, further: list[tuple[str, Any]]) -> Iterator[dict[str, Any]]:
    for item, languages in _items(sitemap):
        shared = {name: method(item) for name, method in further}
        if not sitemap.i18n:
            yield {"loc": f"{origin}{sitemap._location(item)}", **_values(sitemap, item), **shared}
            continue
        # Django asks for each location once for each pair of languages.
        locs = {lang: f"{origin}{sitemap._location((item, lang))}" for lang in languages}
        links = _links(sitemap, item, locs) if sitemap.alternates else []
        for lang, loc in locs.items():
            yield {"loc": loc, **_values(sitemap, (item, lang)), "alternates": links, **shared}


def _values(sitemap: Any, item: Any) -> dict[str, Any]:
    """Return what Django's template prints beside the location, if it is true as the template sees it."""
    priority = sitemap._get("priority", item)
    return {
        "lastmod": sitemap._get("lastmod", item) or None,
        "changefreq": sitemap._get("changefreq", item) or None,
        "priority": None if priority is None or priority == "" else str(priority),
    }


def _links(sitemap: Any, item: Any, locs: dict[str, str]) -> list[dict[str, str]]:
    """Return the alternates of a page in all of its languages."""
    links = [{"hreflang": lang, "href": loc} for lang, loc in locs.items()]
    default = settings.LANGUAGE_CODE
    if sitemap.x_default and default in locs:
        links.append({"hreflang": "x-default", "href": locs[default].replace(f"/{default}/", "/", 1)})
    return links


def _items(sitemap: Any) -> Iterator[tuple[Any, list[str]]]:
    """Yield the items, each with its languages if there are any."""
    found = sitemap.items()
    for item in _by_key(found) if isinstance(found, QuerySet) else found:
        yield item, list(sitemap.get_languages_for_item(item)) if sitemap.i18n else []


def _by_key(queryset: Any) -> Iterator[Any]:
    """Yield the objects of a query, each once, in the order of their keys.

    A page of an offset costs the database all rows before it, so a large table took time that grows with its square.
    Each query here begins behind the last key. The order of the query does not matter: a shard has its own.
    """
    if not _has_keys(queryset):
        yield from queryset.iterator(chunk_size=_AT_ONCE)
        return
    ordered, last = queryset.order_by("pk"), None
    while True:
        chunk = list((ordered if last is None else ordered.filter(pk__gt=last))[:_AT_ONCE])
        yield from chunk
        if len(chunk) < _AT_ONCE:
            return
        last = chunk[-1].pk


def _has_keys(queryset: Any) -> bool:
    """Return whether a query can be cut by keys: not if it is cut already, combined, or returns no objects."""
    query = queryset.query
    return not (
        query.is_sliced
        or query.combinator
        or query.distinct_fields
        or queryset._iterable_class is not ModelIterable
        or len(getattr(queryset.model._meta, "pk_fields", ())) > 1
    )
