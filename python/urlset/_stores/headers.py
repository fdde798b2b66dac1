"""The HTTP headers that an object store keeps with a file and serves it with."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path

from urlset._model.errors import InputError
from urlset._stores.store import Headers

#: Content types by suffix. Sources: RFC 7303 (text/xml is only an alias of application/xml, and old clients assume
#: ASCII), RFC 6713 (gzip), RFC 9309 section 2.3 (robots.txt is UTF-8 text/plain), W3C XSL Transformations 2.0 appendix
#: F, IANA media types. A .xml.gz has no Content-Encoding: with one, clients decompress it in transit, and then have
#: plain XML under a name that ends in .gz, which some fetchers cannot read.
_TYPES = {
    ".xml": "application/xml; charset=utf-8",
    ".gz": "application/gzip",
    ".txt": "text/plain; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".xsl": "application/xslt+xml; charset=utf-8",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
}
#: A shard is named by the hash of its content, so the file of that name never changes. Source: RFC 8246.
_CONTENT_NAMED = re.compile(r"(?:.*/)?sitemap[^/]*-[0-9a-f]{16}\.xml(?:\.gz)?")
FOREVER = "public, max-age=31536000, immutable"
#: The entry point leads to the new set, so everybody sees that set five minutes after it is published, at the latest.
_FIVE_MINUTES = "public, max-age=300"
_NEVER = "private, no-store"
#: A document that a task of a job has written. It keeps its headers when the commit gives it its final name.
_OF_JOB = re.compile(r"\.urlset/jobs/[^/]+/[^/]+/(sitemap[^/]*)")
#: The headers that all three stores can keep with an object.
_SUPPORTED = ("Content-Type", "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language")


def check_headers(headers: Headers) -> Headers:
    """Return the headers with their names in canonical case. Raises InputError for one that cannot be kept."""
    known = {name.lower(): name for name in _SUPPORTED}
    for glob, given in headers.items():
        for name, value in given.items():
            if name.lower() not in known or not isinstance(value, str) or not value.isprintable():
                raise InputError(
                    f"headers for {glob!r} must be text and among {', '.join(_SUPPORTED)}, got {name!r}: {value!r}"
                )
    return {glob: {known[name.lower()]: value for name, value in given.items()} for glob, given in headers.items()}


def is_content_named(name: str) -> bool:
    """Return whether the name of a file contains a hash of its content, so that the file never changes."""
    return _CONTENT_NAMED.fullmatch(name) is not None


def headers_for(name: str, overrides: Headers) -> dict[str, str]:
    """Return the headers that a file is served with. If several globs match, the last one counts.

    A glob matches the files in `.urlset/` only if it begins with ".urlset/".
    """
    if of_job := _OF_JOB.fullmatch(name):
        name = of_job[1]
    is_state = name.startswith(".urlset/")
    found = {
        "Content-Type": _TYPES.get(Path(name).suffix, "application/octet-stream"),
        "Cache-Control": _NEVER if is_state else FOREVER if is_content_named(name) else _FIVE_MINUTES,
    }
    for glob, headers in overrides.items():
        if fnmatchcase(name, glob) and is_state == glob.startswith(".urlset/"):
            found |= headers
    return found
