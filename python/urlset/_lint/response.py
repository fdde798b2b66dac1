"""The rules about the answer of a server: what it says of a document, and what it does to it on the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from urlset import _core
from urlset._model.diagnostics import Diagnostic, Severity
from urlset._model.errors import InputError
from urlset._model.fetches import Fetch

#: Seconds to the first byte beyond which an answer is slow. Source: web.dev, Time to First Byte: more than 1.8 is poor.
SLOW = 1.8
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
#: How bodies in a coding begin, if that can be told.
_BEGINNINGS = {"gzip": _GZIP, "x-gzip": _GZIP, "zstd": _ZSTD}
#: Types that say nothing of what the bytes are.
_NEUTRAL = ("application/octet-stream", "binary/octet-stream")
_GZIP_TYPES: tuple[str, ...] = ("application/gzip", "application/x-gzip", *_NEUTRAL)
_XML_TYPES: tuple[str, ...] = ("application/xml", "text/xml", *_NEUTRAL)
_TEXT_TYPES: tuple[str, ...] = ("text/plain", *_NEUTRAL)
#: Charsets of a document in UTF-8, as a header may name them; the second if it has no other characters.
_UTF8 = ("utf-8", "utf8", "us-ascii")
_CHARSET = re.compile(r""";\s*charset\s*=\s*["']?([^\s;"']+)""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: what came of the fetch, what the document is, and the first bytes of its body as received."""

    fetch: Fetch
    kind: str
    head: bytes

    @property
    def is_packed(self) -> bool:
        """Whether the document is a gzip file, and not compressed only on the way."""
        return self.head.startswith(_GZIP) and "gzip" not in (self.fetch.content_encoding or "").lower()


def check_answer(answer: Answer, location: str | None, rules: Mapping[str, Severity]) -> list[Diagnostic]:
    """Return what the enabled rules find in the answer to the request for a document."""
    found = []
    for code, rule in _RULES.items():
        if code in rules and (hit := rule(answer)) is not None:
            message, help_text = hit
            found.append(
                Diagnostic(
                    code=code,
                    severity=rules[code],
                    message=message,
                    location=location,
                    line=1,
                    column=1,
                    end_column=2,
                    source="",
                    source_column=1,
                    help=help_text,
                )
            )
    return found


def _redirected(answer: Answer) -> tuple[str, str] | None:
    """HTTP001. A robots.txt may be behind redirects. Source: RFC 9309, 2.3.1.2."""
    fetch = answer.fetch
    if not fetch.redirects or answer.kind == "robots":
        return None
    times = "a redirect leads" if fetch.redirects == 1 else f"{fetch.redirects} redirects lead"
    return f"{times} here from {_shown(fetch.url)}", "list and submit this URL itself"


def _mistyped(answer: Answer) -> tuple[str, str] | None:
    """HTTP002. Source: RFC 7303 for XML, RFC 6713 for gzip, RFC 9309 for robots.txt."""
    given = _media_type(answer.fetch)
    if given is None:
        return None
    types = _XML_TYPES
    if answer.is_packed:
        what, types, right = "a gzip file", _GZIP_TYPES, "application/gzip"
    elif answer.kind in ("text", "robots"):
        what, types, right = "plain text", _TEXT_TYPES, "text/plain"
    else:
        what, right = "XML", "application/xml"
    if given in types or (what == "XML" and given.endswith("+xml")):
        return None
    return f"the Content-Type is {given}, but the document is {what}", f"serve it as {right}"


def _mischarset(answer: Answer) -> tuple[str, str] | None:
    """HTTP003. Source: RFC 7303, 3: the charset of the header goes before the declaration of the document."""
    found = _CHARSET.search(answer.fetch.content_type or "")
    if found is None or found[1].lower() in _UTF8 or answer.is_packed:
        return None
    return (
        f"the Content-Type names the charset {_shown(found[1])}, but sitemaps are in UTF-8",
        "name utf-8, or no charset",
    )


def _misencoded(answer: Answer) -> tuple[str, str] | None:
    """HTTP004. Source: RFC 9110, 8.4: the codings of the header, in the order in which they were applied."""
    given = answer.fetch.content_encoding
    if given is None:
        return None
    try:
        _core.check_content_encoding(given)
    except InputError:
        help_text = "name gzip, deflate, br or zstd, or leave the header out"
        return f"the Content-Encoding is {_shown(given)}, which is not a compression", help_text
    beginning = _BEGINNINGS.get(given.rpartition(",")[2].strip().lower())
    if beginning is None or not answer.head or answer.head.startswith(beginning):
        return None
    return f"the Content-Encoding is {_shown(given)}, but the body is not", "compress the body, or leave the header out"


def _unvalidated(answer: Answer) -> tuple[str, str] | None:
    """HTTP005. Source: RFC 9110, 8.8: with a validator, a client can ask whether a document has changed."""
    if answer.fetch.etag or answer.fetch.last_modified:
        return None
    return "neither ETag nor Last-Modified", "send one of them, and answer 304 while the document is the same"


def _slow(answer: Answer) -> tuple[str, str] | None:
    """HTTP006."""
    wait = answer.fetch.wait
    if wait is None or wait <= SLOW:
        return None
    return f"the answer began after {wait:.1f} seconds", "write the sitemap to a file when it changes, and serve that"


_RULES: Mapping[str, Callable[[Answer], tuple[str, str] | None]] = {
    "HTTP001": _redirected,
    "HTTP002": _mistyped,
    "HTTP003": _mischarset,
    "HTTP004": _misencoded,
    "HTTP005": _unvalidated,
    "HTTP006": _slow,
}
#: The rules of this module.
CODES = tuple(_RULES)


def _shown(text: str) -> str:
    """Return what a server or an index says for a message: not too long, and without control characters."""
    return (text if text.isprintable() else ascii(text))[:200]


def _media_type(fetch: Fetch) -> str | None:
    """Return the media type in small letters, without parameters; None without a header."""
    return (fetch.content_type or "").partition(";")[0].strip().lower() or None
