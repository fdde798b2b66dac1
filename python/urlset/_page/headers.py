"""What the headers of a page say beside the page itself: instructions for robots, links, and the last change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

Headers = Sequence[tuple[str, str]]

#: Instructions with a value behind a colon, which is therefore not that behind the name of a bot.
#: Source: Google Search Central, robots meta tag specifications.
_WITH_VALUE: Final = frozenset(("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"))
#: What keeps a page out of the index, alone between commas: `max-image-preview:none` does not.
NOINDEX: Final = frozenset(("noindex", "none"))
NOFOLLOW: Final = frozenset(("nofollow", "none"))
_BOT: Final = re.compile(r"\s*([A-Za-z][\w-]{0,60})\s*:(.*)", re.DOTALL)
#: One link: its URL, and its parameters up to the next comma outside of quotes. Source: RFC 8288, 3.
_LINK: Final = re.compile(r'<([^<>]{0,4096})>((?:\s*;\s*[\w!#$&+^`|~*-]+(?:\s*=\s*(?:"[^"]*"|[^\s",;]*))?){0,20})')
_PARAMETER: Final = re.compile(r';\s*([\w!#$&+^`|~*-]+)\s*=\s*(?:"([^"]*)"|([^\s",;]*))')
#: Characters of one header that are looked at.
_MAX_CHARS: Final = 16_384


def directives(text: str) -> list[str]:
    """Return the instructions of a robots meta: in small letters, those with a comma in their value apart."""
    return [word for each in text[:_MAX_CHARS].split(",") if (word := each.strip().lower())]


def robots_tags(headers: Headers) -> list[tuple[str, str]]:
    """Return the instructions of X-Robots-Tag, each with the bot that it is for: `robots` are all.

    Source: Google Search Central, using the X-Robots-Tag HTTP header.

    Example:
        >>> robots_tags([("x-robots-tag", "googlebot: noindex, nofollow"), ("x-robots-tag", "max-snippet: 3")])
        [('googlebot', 'noindex'), ('googlebot', 'nofollow'), ('robots', 'max-snippet: 3')]
    """
    found = []
    for name, value in headers:
        if name != "x-robots-tag":
            continue
        bot = "robots"
        for each in directives(value):
            named = _BOT.match(each)
            if named is not None and named[1] not in _WITH_VALUE:
                bot, instruction = named[1], named[2].strip()
            else:
                instruction = each
            if instruction:
                found.append((bot, instruction))
    return found


def links(headers: Headers) -> list[tuple[str, dict[str, str]]]:
    """Return the links of the headers: the target as written, and the parameters with names in small letters."""
    return [
        (
            target,
            {key.lower(): quoted or plain for key, quoted, plain in _PARAMETER.findall(parameters)},
        )
        for name, value in headers
        if name == "link"
        for target, parameters in _LINK.findall(value[:_MAX_CHARS])
    ]


def unavailable_after(instructions: Sequence[tuple[str, str]]) -> datetime | None:
    """Return when a page leaves the index of all bots, or of Google's; None if no instruction has a date that is known.

    A date without a zone counts as one of UTC.

    Source: Google Search Central, robots meta tag specifications: a date by RFC 822, RFC 850 or ISO 8601.

    Example:
        >>> unavailable_after([("robots", "unavailable_after: wed"), ("robots", "25 jun 2025 15:00:00 gmt")])
        datetime.datetime(2025, 6, 25, 15, 0, tzinfo=datetime.timezone.utc)
    """
    for at, (bot, instruction) in enumerate(instructions):
        name, _, text = instruction.partition(":")
        if name.strip() != "unavailable_after" or bot not in ("robots", "googlebot"):
            continue
        if text.strip().isalpha() and at + 1 < len(instructions):  # a day of the week; the comma ended the instruction
            text += ", " + instructions[at + 1][1]
        if (moment := _iso_moment(text.strip()) or moment_of_header(text.strip())) is not None:
            return moment
    return None


def _iso_moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text.upper())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


@lru_cache(maxsize=1024)
def moment_of_header(text: str | None) -> datetime | None:
    """Return the date of a header such as Last-Modified; None if it is not one."""
    if text is None:
        return None
    # It brings sockets and the calendar of the locale, and only an answer has headers.
    from email.utils import parsedate_to_datetime  # noqa: PLC0415

    try:
        moment = parsedate_to_datetime(text[:100])
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def header(headers: Headers, name: str) -> str | None:
    """Return the first header of a name in small letters; None if there is none."""
    return next((value for key, value in headers if key == name), None)


def holds(instructions: Iterable[tuple[str, str]], words: frozenset[str]) -> bool:
    """Return whether one of the words is an instruction for all bots, or for Google's."""
    return any(bot in ("robots", "googlebot") and instruction in words for bot, instruction in instructions)
