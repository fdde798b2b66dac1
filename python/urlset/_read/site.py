"""The entry point of a site: what its robots.txt names, or else the first usual name at which a sitemap answers."""

from __future__ import annotations

import re
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from urlset import _core
from urlset._fetch.answers import BodyStream, first_of
from urlset._fetch.coding import PLAIN
from urlset._fetch.documents import Opened
from urlset._fetch.pool import RETRIED
from urlset._model.errors import FetchError
from urlset._read.entry_points import NAMES, ROBOTS, names_sitemaps

if TYPE_CHECKING:
    from urlset._fetch.documents import DocumentFetcher

#: Bytes that show whether an answer is a page.
_BEGINNING = 1024
_PAGE = re.compile(rb"\A[\s\xef\xbb\xbf]*(<!--.*?-->\s*)*<(!doctype\s+html|html|head|body)\b", re.I | re.DOTALL)


def open_site(documents: DocumentFetcher, url: str) -> Opened:
    """Open the entry point of a site.

    An error of the server that passes ends it: what is found at another name then is not what the site usually has.

    Raises:
        FetchError: The site cannot be reached, or has no sitemap at any usual name.
    """
    robots = _robots(documents, urljoin(url, f"/{ROBOTS}"))
    if robots is not None:
        return robots
    refused = []
    for name in NAMES:
        candidate = urljoin(url, f"/{name}")
        try:
            opened = documents.open(candidate, "path", codings=PLAIN)
        except FetchError as error:
            if error.status is None or error.status in RETRIED:
                raise
            refused.append(f"/{name} ({error.status})")
            continue
        begun = _begun(opened)
        if begun is not None:
            return begun
        refused.append(f"/{name} (a page)")
    raise FetchError(
        f"{url}: no sitemap was found: its {ROBOTS} does not name one, and nothing was found at {', '.join(refused)}; "
        "name the URL of the sitemap"
    )


def _robots(documents: DocumentFetcher, url: str) -> Opened | None:
    """Return the robots.txt of a site, if it names sitemaps other than itself."""
    try:
        opened = documents.open(url, "given", codings=PLAIN)
    except FetchError as error:
        if error.status is None or error.status in RETRIED:
            raise
        return None
    text = first_of(opened.body, _core.Robots.MAX_BYTES)
    return replace(opened, body=BytesIO(text), content_encoding=None) if names_sitemaps(text, url) else None


def _begun(opened: Opened) -> Opened | None:
    """Return an answer with all of its body, or None if it is a page, such as one that says that there is nothing."""
    first = bytearray()
    while len(first) < _BEGINNING and (chunk := opened.body.read()):
        first += chunk
    if _PAGE.match(first):
        opened.body.close()
        return None
    return replace(opened, body=_Joined(bytes(first), opened.body))


class _Joined:
    """A body whose first bytes were read before."""

    def __init__(self, first: bytes, rest: BodyStream) -> None:
        self._first = first
        self._rest = rest

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes."""
        first, self._first = self._first, b""
        return first or self._rest.read(size)

    def close(self) -> None:
        """Receive no more."""
        self._rest.close()
