"""Checks of arguments that several verbs take under the same name, and what those arguments mean.

Each check raises an InputError that names the keyword, says what it must be, and shows what was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from urlset import _core
from urlset._model.errors import InputError

#: One less than zlib's own default: 1 % more bytes for a fifth less time (benches/compression.py).
GZIP_LEVEL = 5

#: The end of a URL that is a document, not a folder.
_DOCUMENT = re.compile(r"\.(?:xml|txt|html?)(?:\.gz)?\Z", re.IGNORECASE)


def check_choice(name: str, value: object, known: Iterable[str]) -> None:
    """Raise InputError for a value that is not one of the known words."""
    words = [repr(word) for word in known]
    if repr(value) not in words:
        raise InputError(f"{name} must be {', '.join(words[:-1])} or {words[-1]}, got {value!r}")


def moment_of(now: datetime | None, name: str = "now") -> datetime:
    """Return the given moment, or the present: of all rooms this alone reads a clock for the verbs.

    Raises:
        InputError: The moment has no time zone.
    """
    if now is None:
        return datetime.now(UTC)
    if now.tzinfo is None:
        raise InputError(f"{name} must have a time zone, such as datetime.now(UTC), got {now.isoformat()!r}")
    return now


def folder_url(base_url: str) -> str:
    """Return the URL of a folder with a slash at its end, spelled as locs are.

    `https://Shop.example:443` and `https://shop.example/` are the same folder, and have the same text here.

    Raises:
        InputError: It is not an absolute http or https URL, has a user name, a query or a fragment, or is the URL of a
            document.
    """
    spelled = standard_url("base_url", base_url)
    if "?" in spelled or "#" in spelled:
        raise InputError(f"base_url must be the URL of a folder, without a query or fragment, got {base_url!r}")
    if _DOCUMENT.search(spelled.rstrip("/")):
        raise InputError(f"base_url must be the URL of the folder of the sitemaps, not of a document, got {base_url!r}")
    return spelled if spelled.endswith("/") else spelled + "/"


def standard_url(name: str, url: str) -> str:
    """Return an absolute http(s) URL as the URL standard spells it: the host in ASCII, no default port, no dots.

    Raises:
        InputError: It is not such a URL, or has a user name. The message does not repeat a password.
    """
    if isinstance(url, str) and "@" in re.split(r"[?#]", url, maxsplit=1)[0]:
        authority = re.split(
            r"[/\\?#]", re.sub(r"\A\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]*", "", url, flags=re.I), maxsplit=1
        )[0]
        if "@" in authority:
            raise InputError(f"{name} must not have a user name or a password: everybody can read a sitemap")
    spelled = _core.standard_url(url) if isinstance(url, str) and url.isprintable() else None
    if spelled is None:
        raise InputError(f"{name} must be an absolute http(s) URL, got {url!r}")
    return spelled
