"""A published set as a WSGI app, for Flask, Django, Bottle or any server of WSGI. It needs no extra."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from urlset._options.publish import Dest
from urlset._options.shared import StoreOptions
from urlset._serve.answers import DECIDING, Asked, Piece
from urlset._serve.server import MEMORY, SetServer

__all__ = ["SitemapApp"]

#: A WSGI app. Each framework has types of its own for what it takes.
App = Callable[[Any, Any], Iterable[bytes]]

#: The deciding headers as WSGI names them.
_KEYS = [(f"HTTP_{name.upper().replace('-', '_')}", name) for name in DECIDING]
#: Bytes of a large file that are read at once.
_AT_ONCE = 256 << 10


class SitemapApp:
    """A WSGI app that serves a published set: its entry point, its documents, its stylesheet and its robots.txt.

    Everything else is not found, or is left to another app. A set that is published while the app runs is served within
    `check_every` seconds; names that appear with it, at once. What cannot be served is logged by the logger
    `urlset.serve`, and answered with 503.

    Args:
        dest: Where the set is published: a folder, or an object store as s3://, gs:// or az://BUCKET/PREFIX.
        fallback: The app that answers requests for anything else.
        store: Options of the object store, such as endpoint and region; secrets stay in the environment.
        robots: Serve a robots.txt with the `Sitemap` lines of the set if `dest` has none.
        check_every: Seconds between two looks for a new set: 1 for a folder and 30 for an object store, if not given.
        memory: Bytes of documents that are kept in memory.

    Raises:
        InputError: The folder does not exist, or an argument is invalid.

    Example:
        >>> import urlset
        >>> from urlset.contrib.wsgi import SitemapApp
        >>> published = urlset.publish(["/tea"], "public", base_url="https://shop.example/")
        >>> app = SitemapApp("public")
        >>> environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/sitemap.xml"}
        >>> b"".join(app(environ, lambda status, headers: print(status)))[:38]
        200 OK
        b'<?xml version="1.0" encoding="UTF-8"?>'
    """

    def __init__(
        self,
        dest: Dest,
        *,
        fallback: App | None = None,
        store: StoreOptions = None,
        robots: bool = False,
        check_every: float | None = None,
        memory: int = MEMORY,
    ) -> None:
        alone = fallback is None
        self._server = SetServer(
            dest, store=store, robots=robots, check_every=check_every, memory=memory, is_alone=alone
        )
        self._fallback = fallback

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        reply = self._server.reply(_asked(environ))
        if reply.status == 404 and self._fallback is not None:
            return self._fallback(environ, start_response)
        try:
            start_response(reply.line, reply.fields)
        except BaseException:
            reply.close()
            raise
        if isinstance(reply.body, bytes):
            return [reply.body] if reply.body else []
        return _Pieces(reply.body)


def _asked(environ: dict[str, Any]) -> Asked:
    # Source: PEP 3333: the bytes of a path are the code points of this text.
    path = environ.get("PATH_INFO", "").encode("latin-1", "replace").decode("utf-8", "replace")
    headers = {name: environ[key] for key, name in _KEYS if key in environ}
    return Asked(environ.get("REQUEST_METHOD", "GET"), path, headers)


class _Pieces:
    """The bytes of a file, piece by piece. The server closes it, also when the client is gone."""

    def __init__(self, piece: Piece) -> None:
        self._file = piece.file
        self._left = piece.length
        self._file.seek(piece.start)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        data = self._file.read(min(self._left, _AT_ONCE))
        if not data:
            raise StopIteration
        self._left -= len(data)
        return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()
