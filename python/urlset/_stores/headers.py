"""The HTTP headers that an object store keeps with a file, and gives to whoever fetches it."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path

from urlset._model.errors import InputError
from urlset._stores.store import Headers

#: Types by the end of the name. Sources: RFC 7303 (text/xml is only another name for application/xml, and old clients
#: take it for ASCII), RFC 6713 (gzip), RFC 9309 section 2.3 (robots.txt is UTF-8 text/plain), W3C XSL Transformations
#: 2.0 appendix F, IANA media types. A .xml.gz has no Content-Encoding: with one a client unpacks it on the way, and
#: what it then has under a name that ends in .gz is plain XML, which some fetchers cannot read.
_TYPES = {
    ".xml": "application/xml; charset=utf-8",
    ".gz": "application/gzip",
    ".txt": "text/plain; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".xsl": "application/xslt+xml; charset=utf-8",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
}
#: A shard whose name says its content never changes. Source: RFC 8246.
_CONTENT_NAMED = re.compile(r"(?:.*/)?sitemap[^/]*-[0-9a-f]{16}\.xml(?:\.gz)?")
_FOR_GOOD = "public, max-age=31536000, immutable"
#: The entry point leads to a new set, and so the world sees that set five minutes after the switch, at the latest.
_FOR_NOW = "public, max-age=300"
_NEVER = "private, no-store"
#: Headers that all three stores keep with an object.
_KEPT = ("Content-Type", "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language")


def check_headers(headers: Headers) -> Headers:
    """Headers in their own spelling."""
    known = {name.lower(): name for name in _KEPT}
    for glob, asked in headers.items():
        for name, value in asked.items():
            if name.lower() not in known or not isinstance(value, str) or not value.isprintable():
                raise InputError(f"headers for {glob!r}: {name!r} cannot be kept; these can: {', '.join(_KEPT)}")
    return {glob: {known[name.lower()]: value for name, value in asked.items()} for glob, asked in headers.items()}


def headers_of(name: str, asked: Headers) -> dict[str, str]:
    """The headers that a file is served with. Of the globs that match the last counts.

    A glob matches files of our own state only where it begins with ".urlset/".
    """
    is_state = name.startswith(".urlset/")
    found = {
        "Content-Type": _TYPES.get(Path(name).suffix, "application/octet-stream"),
        "Cache-Control": _NEVER if is_state else _FOR_GOOD if _CONTENT_NAMED.fullmatch(name) else _FOR_NOW,
    }
    for glob, headers in asked.items():
        if fnmatchcase(name, glob) and is_state == glob.startswith(".urlset/"):
            found |= headers
    return found
