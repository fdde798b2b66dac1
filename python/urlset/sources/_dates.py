"""The dates that a page states of itself, those of a modification before those of the publication."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from urlset import _core

#: What says when a page was modified, best first. Sources: Open Graph protocol, article; Facebook's og:updated_time;
#: DCMI Metadata Terms, modified, and its older spelling; the last-modified that some generators write.
_MODIFIED = ("article:modified_time", "og:updated_time", "last-modified", "dcterms.modified", "dc.date.modified")
_PUBLISHED = ("article:published_time",)
NAMES = frozenset((*_MODIFIED, *_PUBLISHED))
#: The same by itemprop, and in JSON-LD. Source: schema.org, CreativeWork.
ITEMS = frozenset(("dateModified", "datePublished"))
#: The kinds that are a page or what it is about, beside those that end with Article or Page. Source: schema.org.
_KINDS = ("BlogPosting", "DiscussionForumPosting", "LiveBlogPosting", "SocialMediaPosting", "Report", "APIReference")
#: Properties that say which page an entity is. Source: schema.org, Thing and CreativeWork.
_WHERE = ("url", "@id", "mainEntityOfPage")


class Dates:
    """What one page says of its dates, gathered by whoever reads it. `bad` counts dates that are none, and
    `bad_json` scripts of JSON-LD that cannot be read, of those that were looked at."""

    def __init__(self, most_json: int, is_own: Callable[[str], bool]) -> None:
        #: Contents of meta elements by name or property.
        self.metas: dict[str, list[str]] = {}
        #: Values of elements by itemprop.
        self.items: dict[str, list[str]] = {}
        self.scripts: list[str] = []
        self.bad = 0
        self.bad_json = 0
        self._most_json = most_json
        self._is_own = is_own
        self._entities: list[dict[str, Any]] | None = None

    def stated(self) -> str | None:
        """The best date that the page states, as it stands there; a publication's where there is no other."""
        for text in self._texts():
            if not (text := text.strip()):
                continue
            # Dates of 1970 or before are the zero of a clock, or of Go, which a generator writes for want of a date.
            if (_core.lastmod_micros(text) or 0) > 0:
                return text
            self.bad += 1
        return None

    def _texts(self) -> Iterator[str]:
        for names, item in ((_MODIFIED, "dateModified"), (_PUBLISHED, "datePublished")):
            for name in names:
                yield from self.metas.get(name, ())
            yield from self.items.get(item, ())
            yield from self._of_entities(item)

    def _of_entities(self, key: str) -> list[str]:
        """What JSON-LD says: first of the page, then of articles and pages, then of all else, latest first."""
        if self._entities is None:
            self._entities = list(self._read())
        own, kinds, others = [], [], []
        for entity in self._entities:
            if (text := _text(entity.get(key))) is None:
                continue
            if any(self._is_own(url) for name in _WHERE for url in _urls(entity.get(name))):
                own.append(text)
            elif any(map(_is_page, _list(entity.get("@type")))):
                kinds.append(text)
            else:
                others.append(text)
        others.sort(key=lambda text: _core.lastmod_micros(text.strip()) or 0, reverse=True)
        return own + kinds + others

    def _read(self) -> Iterator[dict[str, Any]]:
        """The entities of all scripts that speak of dates, as far as the bound goes, in the order they stand there."""
        left = self._most_json
        for script in self.scripts:
            if not any(item in script for item in ITEMS):
                continue
            if len(script) > left:
                self.bad_json += 1
                continue
            left -= len(script)
            try:
                yield from _entities(json.loads(script))
            except (ValueError, RecursionError):
                self.bad_json += 1


def _entities(value: object) -> Iterator[dict[str, Any]]:
    """Every object in a value of JSON, from the outside in."""
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
    """The text of a date, also where its type is written with it."""
    for each in _list(value):
        text = each.get("@value") if isinstance(each, dict) else each
        if isinstance(text, str):
            return text
    return None


def _urls(value: object) -> Iterator[str]:
    """The URLs that a property names, also those of an entity in its place."""
    for each in _list(value):
        named = (each.get("@id"), each.get("url")) if isinstance(each, dict) else (each,)
        yield from (url for url in named if isinstance(url, str))


def _is_page(kind: object) -> bool:
    """Whether a kind, with or without schema.org before it, is one of a page."""
    name = kind.replace("#", "/").replace(":", "/").rpartition("/")[2] if isinstance(kind, str) else ""
    return name.endswith(("Article", "Page")) or name in _KINDS
