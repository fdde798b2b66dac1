"""Traps: URLs of which a site has endlessly many, seen by their form and by what the pages before them held."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Final, TypeVar

T = TypeVar("T")

#: Parameters that carry the session of a visitor, in a query or behind a semicolon of a path.
_SESSION: Final = re.compile(
    r"(?i)[?&;](phpsessid|jsessionid|aspsessionid\w{0,8}|asp\.net_sessionid|cfid|cftoken|oscsid|zenid|sessionid|session_id|sid"
    r"|s_id|phpsid)=(?=[\w.!-]{8,})"
)
#: A month, or a day in it, in a path or in a value.
_DATE: Final = re.compile(r"(?<!\d)((?:19|20|21)\d\d)[-/]?(0[1-9]|1[0-2]|[1-9](?!\d))(?!\d{3})(?:[-/]?[0-3]?\d)?(?!\d)")
_YEAR: Final = re.compile(r"(?i)[?&](?:y|year|yr)=(\d{4})(?:&|$)")
_MONTH: Final = re.compile(r"(?i)[?&](?:m|month|mon)=(\d{1,2})(?:&|$)")
#: Segments that come again and again, as a relative link makes them where a slash is missing.
_REPEATED: Final = re.compile(r"(/[^/?#]+(?:/[^/?#]+){0,3}?)\1{2,}(?=/|\?|$)")
_NUMBER: Final = re.compile(r"\d+")
_NUMBERS: Final = re.compile(r"(?:[-_.]?\{n\})*")

#: Characters and segments of a URL from which on it is one.
_MAX_CHARACTERS: Final = 2_000
_MAX_SEGMENTS: Final = 24
#: Days ahead that a calendar may go.
_AHEAD: Final = 366
#: Pages of one shape that lead each to the next, if they have a date, and if not: some lists have only a next page.
_LONGEST_CALENDAR: Final = 60
_LONGEST_CHAIN: Final = 250
#: Combinations of three parameters or more.
_MAX_COMBINATIONS: Final = 500
#: URLs at one path with numbered parameters, such as `query-7-page`: each block of a page makes one of its own.
_MAX_NUMBERED: Final = 100
#: Different sets of parameters at one path.
_MAX_SETS: Final = 50
#: Pages of one shape after which it is asked whether they are the same page, and the share that says so.
_ENOUGH: Final = 30
_SAME: Final = 0.8
#: Pages without parameters are compared once so many of them lead each to the next.
_SUSPECT_CHAIN: Final = 10
#: Shapes, and different contents of one shape, that are remembered.
_MAX_SHAPES: Final = 20_000
_MAX_CONTENTS: Final = 64
#: Shapes of single URLs that are remembered: one is requested several times in a row.
_CACHED: Final = 4_096


@dataclass(slots=True)
class _Shape:
    """What is known of the URLs of one shape: how many there are, and how often each content was there."""

    urls: int = 0
    seen: int = 0
    contents: Counter[int | str] = field(default_factory=Counter)


@dataclass(slots=True)
class _Queries:
    """What is known of the URLs with a query at one path: how many have numbered parameters, and the sets of names."""

    numbered: int = 0
    sets: set[str] = field(default_factory=set)


class Traps:
    """Finds traps among the URLs of one crawl, in the order in which they are requested.

    Args:
        today: The day from which dates ahead are counted.
    """

    def __init__(self, today: date) -> None:
        self._today = today
        self._shapes: OrderedDict[str, _Shape] = OrderedDict()
        self._queries: OrderedDict[str, _Queries] = OrderedDict()

    def verdict(self, url: str, chain: int) -> str | None:
        """Return what kind of trap a URL belongs to, and which; None for any other URL.

        Args:
            url: A URL as the URL standard spells it.
            chain: How many pages of its shape lead each to the next, the last one to this.
        """
        shape = shape_of(url)
        return _malformed(url) or self._dated(url, shape, chain) or self._crowded(shape, chain) or self._mixed(shape)

    def _dated(self, url: str, shape: str, chain: int) -> str | None:
        """Return whether a URL is that of a calendar that never ends."""
        month = _month_of(url)
        if month is not None and (month - self._today).days > _AHEAD:
            return f"calendar: dates more than a year ahead in {shape}"
        if month is not None and chain > _LONGEST_CALENDAR:
            return f"calendar: more than {_LONGEST_CALENDAR} pages in a row of {shape}"
        return None

    def _crowded(self, shape: str, chain: int) -> str | None:
        """Return whether there are too many URLs of a shape."""
        known = self._known(shape)
        known.urls += 1
        if not _varies(shape):
            return None
        if chain > _LONGEST_CHAIN:
            return f"endless: more than {_LONGEST_CHAIN} pages in a row of {shape}"
        if shape.count("&") >= 2 and known.urls > _MAX_COMBINATIONS:
            return f"parameters: more than {_MAX_COMBINATIONS} combinations in {shape}"
        is_suspect = "?" in shape or chain >= _SUSPECT_CHAIN
        if is_suspect and known.seen >= _ENOUGH and known.contents.most_common(1)[0][1] >= _SAME * known.seen:
            return f"same content: {shape}"
        return None

    def _mixed(self, shape: str) -> str | None:
        """Return whether the parameters at one path come in ever new sets."""
        path, _, names = shape.partition("?")
        if not names:
            return None
        known = _remembered(self._queries, path, _Queries)
        known.numbered += "{n}" in names
        if "{n}" in names and known.numbered > _MAX_NUMBERED:
            return f"parameters: more than {_MAX_NUMBERED} URLs with numbered parameters at {path}"
        if names not in known.sets and len(known.sets) >= _MAX_SETS:
            return f"parameters: more than {_MAX_SETS} sets of parameters at {path}"
        known.sets.add(names)
        return None

    def see(self, url: str, content: int | None, canonical: str | None = None) -> None:
        """Take note of what a page held.

        Args:
            url: Its URL.
            content: A hash of what it held; None if that is not known.
            canonical: The other page that it calls canonical. Most pages of a trap name the same.
        """
        if content is None or not _varies(shape := shape_of(url)):
            return
        known = self._known(shape)
        known.seen += 1
        held = content if canonical is None else canonical
        if held in known.contents or len(known.contents) < _MAX_CONTENTS:
            known.contents[held] += 1

    def _known(self, shape: str) -> _Shape:
        return _remembered(self._shapes, shape, _Shape)


def _remembered(known: OrderedDict[str, T], key: str, new: Callable[[], T]) -> T:
    """Return what is known of a key. What was not asked for the longest time is forgotten."""
    found = known[key] if key in known else known.setdefault(key, new())
    known.move_to_end(key)
    if len(known) > _MAX_SHAPES:
        known.popitem(last=False)
    return found


def _malformed(url: str) -> str | None:
    """Return whether the form of a URL alone says that there are endlessly many."""
    if len(url) > _MAX_CHARACTERS:
        return f"a URL of more than {_MAX_CHARACTERS:,} characters"
    if "=" in url and (found := _SESSION.search(url)) is not None:
        return f"session id: {found[1]}"
    path, _ = _parts(url)
    segments = path.count("/")
    if segments > 2 and (again := _REPEATED.search(path)) is not None:
        return f"repeated path: {again[1]}"
    return f"a path of more than {_MAX_SEGMENTS} segments" if segments > _MAX_SEGMENTS else None


def _month_of(url: str) -> date | None:
    """Return the first day of the month that a URL names; None if it names none."""
    found = _DATE.search(url, url.find("/", 8))
    year, month = (found[1], found[2]) if found is not None else (_value(_YEAR, url), _value(_MONTH, url))
    if year is None or month is None or not (1 <= int(month) <= 12 and 1 <= int(year) <= 9999):
        return None
    return date(int(year), int(month), 1)


def _value(pattern: re.Pattern[str], url: str) -> str | None:
    found = pattern.search(url) if "=" in url else None
    return None if found is None else found[1]


@lru_cache(maxsize=_CACHED)
def shape_of(url: str) -> str:
    """Return what URLs of one kind have in common: the path and the names of parameters, with `{n}` for numbers.

    The last segment of a path without parameters is `*`, unless it is a number: it is the name of one page.

    Example:
        >>> shape_of("https://shop.example/tea/2026/03?sort=up&page=2"), shape_of("https://shop.example/tea/green-7")
        ('/tea/{n}/{n}?page&sort', '/tea/*')
    """
    path, query = _parts(url)
    folder, _, last = _NUMBER.sub("{n}", path).rpartition("/")
    names = sorted({_NUMBER.sub("{n}", each.partition("=")[0]) for each in query.split("&") if each}) if query else []
    if not names and not _NUMBERS.fullmatch(last):
        last = "*"
    return f"{folder}/{last}" + (f"?{'&'.join(names)}" if names else "")


def _parts(url: str) -> tuple[str, str]:
    """Return the path and the query of a URL as the URL standard spells it, without a fragment."""
    path, _, query = url[url.find("/", len("https://")) :].partition("?")
    return path, query


def _varies(shape: str) -> bool:
    """Return whether a shape has a part that can be counted up."""
    return "{n}" in shape or "?" in shape
