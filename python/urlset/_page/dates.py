"""The dates that a page states about itself. Modification dates count before publication dates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from urlset import _core

#: Names of meta elements with a modification date, best first. Sources: Open Graph protocol, article; Facebook's
#: og:updated_time; DCMI Metadata Terms, modified, and its older spelling; the last-modified of some generators.
_MODIFIED = ("article:modified_time", "og:updated_time", "last-modified", "dcterms.modified", "dc.date.modified")
_PUBLISHED = ("article:published_time",)
#: Types of a page or its subject, in addition to all that end with Article or Page. Source: schema.org.
_PAGE_TYPES = (
    *("BlogPosting", "DiscussionForumPosting", "LiveBlogPosting", "SocialMediaPosting", "Report", "APIReference"),
)
#: Properties that say which page an entity describes. Source: schema.org, Thing and CreativeWork.
_PAGE_URLS = ("url", "@id", "mainEntityOfPage")


class PageDates:
    """The dates that one page states.

    Args:
        found: What the core has found in the page.
        is_own: Returns whether a URL, as the page writes it, is its own.

    Attributes:
        bad: How many invalid dates `best` has passed over.
        is_publication: Whether what `best` has returned is the date of publication, and not of a change.
        bad_json: How many scripts of JSON-LD cannot be read, or are beyond the bound.
    """

    def __init__(self, found: _core.PageExtract, is_own: Callable[[str], bool]) -> None:
        self._named = _by_name(found.dates)
        self._items = _by_name(found.items)
        self._is_own = is_own
        self.bad = 0
        self.is_publication = False
        self.bad_json = found.long_json
        self._entities = list(self._read_json_ld(found.json_ld))
        self._is_empty = not (self._named or self._items or self._entities)  # true of most files that are not pages

    def best(self) -> str | None:
        """Return the best date that the page states, as written; a publication date only if there is no other.

        Metas come before microdata, and that before JSON-LD.
        """
        for is_publication in () if self._is_empty else (False, True):
            for written in self._candidates(is_publication=is_publication):
                if not (text := written.strip()):
                    continue
                # A date in 1970 or before is the zero value of a clock or of Go, which generators write without a date.
                if (_core.lastmod_micros(text) or 0) > 0:
                    self.is_publication = is_publication
                    return text
                self.bad += 1
        return None

    def modified(self) -> int | None:
        """Return the date of the last change in metas and microdata, in microseconds since the epoch."""
        return None if self._is_empty else self._first((*self._metas(_MODIFIED), *self._items.get("dateModified", ())))

    def published(self) -> int | None:
        """Return the date of publication in metas and microdata, in microseconds since the epoch."""
        return (
            None if self._is_empty else self._first((*self._metas(_PUBLISHED), *self._items.get("datePublished", ())))
        )

    def json_modified(self) -> int | None:
        """Return the date of the last change in JSON-LD, in microseconds since the epoch."""
        return None if self._is_empty else self._first(self._json_ld_dates("dateModified"))

    def _first(self, texts: Iterable[str]) -> int | None:
        """Return the first valid date of these, as `best` does."""
        return next((micros for text in texts if (micros := _core.lastmod_micros(text.strip()) or 0) > 0), None)

    def _metas(self, names: Iterable[str]) -> Iterator[str]:
        for name in names:
            yield from self._named.get(name, ())

    def _candidates(self, *, is_publication: bool) -> Iterator[str]:
        names, item = (_PUBLISHED, "datePublished") if is_publication else (_MODIFIED, "dateModified")
        yield from self._metas(names)
        yield from self._items.get(item, ())
        yield from self._json_ld_dates(item)

    def _json_ld_dates(self, key: str) -> list[str]:
        """Return the dates in JSON-LD: of this page, then of articles and pages, then all others, latest first."""
        own, pages, others = [], [], []
        for entity in self._entities:
            if (text := _text(entity.get(key))) is None:
                continue
            if any(self._is_own(url) for name in _PAGE_URLS for url in _urls(entity.get(name))):
                own.append(text)
            elif any(map(_is_page_type, _list(entity.get("@type")))):
                pages.append(text)
            else:
                others.append(text)
        others.sort(key=lambda text: _core.lastmod_micros(text.strip()) or 0, reverse=True)
        return own + pages + others

    def _read_json_ld(self, scripts: Iterable[str]) -> Iterator[dict[str, Any]]:
        """Yield the entities of all scripts, in document order."""
        for script in scripts:
            try:
                yield from _entities(json.loads(script))
            except (ValueError, RecursionError):
                self.bad_json += 1


def _by_name(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


def _entities(value: object) -> Iterator[dict[str, Any]]:
    """Yield every object in a JSON value, outermost first."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting.extend(reversed(value.values()))
        elif isinstance(value, list):
            waiting.extend(reversed(value))


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else [value]


def _text(value: object) -> str | None:
    """Return the text of a date, also where it is written with its type."""
    for each in _list(value):
        text = each.get("@value") if isinstance(each, dict) else each
        if isinstance(text, str):
            return text
    return None


def _urls(value: object) -> Iterator[str]:
    """Yield the URLs that a property names, also those of an entity given as its value."""
    for each in _list(value):
        named = (each.get("@id"), each.get("url")) if isinstance(each, dict) else (each,)
        yield from (url for url in named if isinstance(url, str))


def _is_page_type(schema_type: object) -> bool:
    """Whether a type, with or without the prefix of schema.org, is that of a page."""
    full = schema_type if isinstance(schema_type, str) else ""
    name = full.replace("#", "/").replace(":", "/").rpartition("/")[2]
    return name.endswith(("Article", "Page")) or name in _PAGE_TYPES
