"""What the headers of a request ask for. Whatever cannot be understood is ignored, as RFC 9110 wants it."""

from __future__ import annotations

import re
from datetime import UTC
from email.utils import formatdate, parsedate_to_datetime

#: Source: RFC 9110, section 8.8.3: an entity tag is a quoted text, weak if W/ is in front of it.
_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e\x80-\xff]*")')
#: Source: RFC 9110, section 12.4.2.
_QUALITY = re.compile(r"q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)", re.IGNORECASE)
#: Source: RFC 9110, section 14.1.1 and 14.1.2: a single range of bytes.
_RANGE = re.compile(r"bytes=[ \t]*(\d*)-(\d*)[ \t]*", re.IGNORECASE | re.ASCII)
#: More digits than a file has bytes. Python converts longer texts slowly, and not at all past 4,300 digits.
_DIGITS = 18


def accepts_gzip(accept_encoding: str | None) -> bool:
    """Return whether gzip is accepted, and not less welcome than no compression.

    Source: RFC 9110, section 12.5.3: `gzip;q=0` refuses it, and `*` stands for what is not named.
    """
    weights: dict[str, float] = {}
    for part in (accept_encoding or "").split(","):
        coding, *parameters = (piece.strip() for piece in part.split(";"))
        quality = _QUALITY.fullmatch(parameters[0]) if parameters else None
        if coding and (quality or not parameters):
            weights["gzip" if (name := coding.lower()) == "x-gzip" else name] = float(quality[1]) if quality else 1.0
    gzip = weights.get("gzip", weights.get("*", 0.0))
    return gzip > 0 and gzip >= weights.get("identity", 0.0)


def is_matched(tags: str, tag: str, *, is_weak: bool) -> bool:
    """Return whether a list of entity tags, or `*`, contains a tag.

    Args:
        tags: The value of If-None-Match or If-Match.
        tag: The strong tag of what is there.
        is_weak: Whether tags that proxies have made weak count, as they do for If-None-Match.
    """
    if tags.strip() == "*":
        return True
    return any(found[2] == tag and (is_weak or not found[1]) for found in _TAG.finditer(tags))


def http_date(seconds: int) -> str:
    """Return an instant as HTTP writes it."""
    return formatdate(seconds, usegmt=True)


def is_later(seconds: int, date: str) -> bool:
    """Return whether an instant is later than a date of HTTP; False if that is not a date."""
    try:
        found = parsedate_to_datetime(date)
        return seconds > (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (TypeError, ValueError, OverflowError, IndexError):
        return False


def byte_range(value: str, size: int) -> tuple[int, int] | None:
    """Return where the range of bytes that is asked for begins and ends in a file.

    Args:
        value: The value of Range.
        size: The bytes of the file.

    Returns:
        None if all of the file is to be sent: the header is malformed, of another unit, or asks for several ranges,
        each of which RFC 9110 (section 14.2) lets a server ignore. An empty range if no byte of it is in the file.
    """
    found = _RANGE.fullmatch(value)
    if found is None or found[1] == found[2] == "":
        return None
    first, last = (min(int(digits[: _DIGITS + 1]), 10**_DIGITS) if digits else None for digits in found.groups())
    if first is None:
        return max(0, size - (last or 0)), size
    if last is not None and last < first:
        return None  # source: RFC 9110, section 14.1.1: it is invalid
    return min(first, size), size if last is None else min(last + 1, size)
