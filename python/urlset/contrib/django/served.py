"""The published sets of a site, as its views answer from them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from urlset._serve.answers import DECIDING, Asked, Piece
from urlset._serve.pages import NumberedPage, numbered_pages
from urlset._serve.server import SetServer
from urlset.contrib.django.settings import load

#: Bytes of a large file that are read at once.
_AT_ONCE = 256 << 10
#: Bytes of documents that each set keeps in memory.
_MEMORY = 4 << 20
#: The headers of a request that decide anything, by their names in `request.META`.
_META = [(f"HTTP_{name.upper().replace('-', '_')}", name) for name in DECIDING]
#: What a date decides. It counts only for a page that has always been the same shard.
_BY_DATE = ("if-modified-since", "if-unmodified-since", "if-range")
#: What the documents of a set are asked for by, and the pages of a sitemap are not: their URLs stay when they change.
_CACHE_CONTROL = "no-cache"


@dataclass(frozen=True, slots=True)
class ServedSitemaps:
    """A published set.

    Attributes:
        base_url: The URL of the site that it was published for.
        pages: Its pages.
    """

    base_url: str
    pages: tuple[NumberedPage, ...]
    _server: SetServer

    def response(self, request: HttpRequest, page: NumberedPage, content_type: str) -> HttpResponse | None:
        """Return the answer to a request for a page; None if it is damaged, or the store fails."""
        asked = {name: request.META[key] for key, name in _META if key in request.META}
        if not page.has_time:
            asked = {name: value for name, value in asked.items() if name not in _BY_DATE}
        reply = self._server.reply(Asked(str(request.method), f"/{page.name}", asked))
        if reply.status in (404, 503):
            reply.close()
            return None
        response: HttpResponse
        if isinstance(reply.body, Piece):
            pieces = _pieces(reply.body)
            # ASGI would read all pieces before the first one is sent, and warn of it.
            body = _awaited(pieces) if isinstance(request, ASGIRequest) else pieces
            response = StreamingHttpResponse(body, status=reply.status)
        else:
            response = HttpResponse(reply.body, status=reply.status)
        if "Content-Type" in response.headers:
            del response.headers["Content-Type"]  # the answer says whether it has one
        for name, value in reply.fields:
            if name != "Last-Modified" or page.has_time:
                response.headers[name] = value
        response.headers["Cache-Control"] = _CACHE_CONTROL
        if response.headers.get("Content-Type", "").startswith("application/xml"):
            response.headers["Content-Type"] = content_type
        return response


class _Place:
    """Where a set is published, with what was last found there."""

    def __init__(self, server: SetServer) -> None:
        self._server = server
        self._known: tuple[object, ServedSitemaps] | None = None

    def current(self) -> ServedSitemaps | None:
        """Return the current set, if there is one."""
        header, known = self._server.current(), self._known
        if header is None:
            return None
        if known is None or known[0] is not header:
            self._known = known = (header, ServedSitemaps(header.base_url, numbered_pages(header), self._server))
        return known[1]


_places: dict[str, _Place] = {}


def served(name: str) -> ServedSitemaps | None:
    """Return the current set of a name; None if none is published, or it cannot be read.

    Raises:
        ImproperlyConfigured: `URLSET` cannot be used.
        UrlsetError: The store cannot be used.
    """
    options = load()
    where = options.place(name)
    place = _places.get(where)
    if place is None:
        if options.is_folder and not Path(where).is_dir():
            return None
        place = _places.setdefault(where, _Place(SetServer(where, store=options.store or None, memory=_MEMORY)))
    return place.current()


async def _awaited(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Yield pieces, each of which a thread reads."""
    while data := await asyncio.to_thread(next, pieces, b""):
        yield data


def _pieces(piece: Piece) -> Iterator[bytes]:
    with piece.file as file:
        file.seek(piece.start)
        left = piece.length
        while left > 0 and (data := file.read(min(left, _AT_ONCE))):
            left -= len(data)
            yield data
