"""A published set as an ASGI app, for Starlette, FastAPI, Litestar, Django or any server of ASGI. It needs no extra."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from functools import cached_property
from typing import Any

from urlset._options.publish import Dest
from urlset._options.shared import StoreOptions
from urlset._serve.answers import DECIDING, Asked, Piece, ServerReply
from urlset._serve.server import MEMORY, SetServer
from urlset.contrib._loops import AsyncioLoop, Loop, TrioLoop, is_trio

__all__ = ["SitemapApp"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
#: An ASGI app. Each framework has types of its own for what it takes.
App = Callable[[Any, Any, Any], Awaitable[None]]

_DECIDING = {name.encode(): name for name in DECIDING}
#: Threads that read files, beside those of the app around it, which slow files must not use up.
_THREADS = 4
#: Bytes of a large file that are read and sent at once.
_AT_ONCE = 256 << 10


class SitemapApp:
    """An ASGI app that serves a published set: its entry point, its documents, its stylesheet and its robots.txt.

    Everything else is not found, or is left to another app. A set that is published while the app runs is served within
    `check_every` seconds; names that appear with it, at once. What cannot be served is logged by the logger
    `urlset.serve`, and answered with 503. Files are read by threads of its own, so that the event loop goes on. It runs
    on asyncio and on trio.

    Args:
        dest: Where the set is published: a folder, or an object store as s3://, gs:// or az://BUCKET/PREFIX.
        fallback: The app that answers requests for anything else, websockets and the lifespan.
        store: Options of the object store, such as endpoint and region; secrets stay in the environment.
        robots: Serve a robots.txt with the `Sitemap` lines of the set if `dest` has none.
        check_every: Seconds between two looks for a new set: 1 for a folder and 30 for an object store, if not given.
        memory: Bytes of documents that are kept in memory.

    Raises:
        InputError: The folder does not exist, or an argument is invalid.

    Example:
        >>> import asyncio, urlset
        >>> from urlset.contrib.asgi import SitemapApp
        >>> published = urlset.publish(["/tea"], "public", base_url="https://shop.example/")
        >>> app = SitemapApp("public")
        >>> async def send(message):
        ...     print(message["type"], message.get("status"))
        >>> asyncio.run(app({"type": "http", "method": "GET", "path": "/sitemap.xml", "headers": []}, None, send))
        http.response.start 200
        http.response.body None
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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            asked = _asked(scope)
            reply = self._server.at_once(asked)
            if reply is None:
                reply = await self._loop().run(self._server.reply, asked)
            if reply.status != 404 or self._fallback is None:
                await self._answer(reply, receive, send)
                return
        if self._fallback is not None:
            await self._fallback(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "websocket":
            # Source: ASGI, "Close - send event": before the handshake is accepted, it is answered with 403.
            await send({"type": "websocket.close", "code": 1000})

    async def _live(self, receive: Receive, send: Send) -> None:
        """Have the set ready before the first request. A set that is not there yet does not keep the server from it."""
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self._loop().run(self._server.check)
                await send({"type": "lifespan.startup.complete"})
            else:
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _answer(self, reply: ServerReply, receive: Receive, send: Send) -> None:
        fields = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in reply.fields]
        try:
            await send({"type": "http.response.start", "status": reply.status, "headers": fields})
            if isinstance(reply.body, bytes):
                await send({"type": "http.response.body", "body": reply.body})
            else:
                await self._send_file(reply.body, receive, send)
        except OSError:
            return  # source: ASGI 2.4: what a server may raise once the client is gone
        finally:
            reply.close()

    async def _send_file(self, piece: Piece, receive: Receive, send: Send) -> None:
        """Send a file piece by piece, until the client is gone."""
        loop = self._loop()
        at, end = piece.start, piece.start + piece.length
        async with loop.waiting(lambda: _disconnected(receive)) as is_gone:
            while at < end and not is_gone():
                data = await loop.run(_read, piece, at, min(_AT_ONCE, end - at))
                if not data:
                    raise RuntimeError("a file became shorter while it was sent")
                at += len(data)
                await send({"type": "http.response.body", "body": data, "more_body": at < end})

    def _loop(self) -> Loop:
        return self._on_trio if is_trio() else self._on_asyncio

    @cached_property
    def _on_asyncio(self) -> Loop:
        return AsyncioLoop(_THREADS)

    @cached_property
    def _on_trio(self) -> Loop:
        return TrioLoop(_THREADS)


def _asked(scope: Scope) -> Asked:
    """Return what is asked for, below the place where the app is mounted."""
    path, root = scope["path"], scope.get("root_path", "").rstrip("/")
    if root and path.startswith(root + "/"):
        path = path[len(root) :]
    if path.endswith("/") and not (scope.get("raw_path") or b"/").endswith(b"/"):
        path = path[:-1]  # Litestar's own mounts add the slash
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        if (known := _DECIDING.get(name.lower())) is not None:
            text = value.decode("latin-1")
            headers[known] = f"{headers[known]}, {text}" if known in headers else text
    return Asked(scope["method"], path, headers)


async def _disconnected(receive: Receive) -> None:
    """Wait until the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _read(piece: Piece, at: int, length: int) -> bytes:
    piece.file.seek(at)
    return piece.file.read(length)
