"""Real servers on loopback, in threads of this process, and a client that sends what it is told to send."""

from __future__ import annotations

import http.client
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

SECONDS = 30


@dataclass(frozen=True, slots=True)
class Got:
    """An answer, with the names of its headers in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Client:
    """Asks the server on a port, each time by a connection of its own."""

    port: int

    def ask(self, target: str, method: str = "GET", **headers: str) -> Got:
        """Send a request. `if_none_match` becomes If-None-Match."""
        lines = [f"{method} {target} HTTP/1.1", "Host: shop.example", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return self.send("\r\n".join([*lines, "", ""]).encode("latin-1"), method)

    def send(self, request: bytes, method: str = "GET") -> Got:
        """Send the bytes of a request."""
        with closing(socket.create_connection(("127.0.0.1", self.port), SECONDS)) as connection:
            connection.sendall(request)
            answer = http.client.HTTPResponse(connection, method=method)
            answer.begin()
            body = answer.read()
            names = [name.lower() for name, _ in answer.getheaders()]
            assert len(names) == len(set(names)), names
            return Got(answer.status, {name.lower(): value for name, value in answer.getheaders()}, body)


@contextmanager
def uvicorn(app: Any, root_path: str = "") -> Iterator[Client]:
    """Serve an ASGI app, which may be told that a proxy has taken a path off."""
    import uvicorn as library

    server = library.Server(library.Config(app, port=0, log_level="error", root_path=root_path))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + SECONDS
    while not server.started:
        assert thread.is_alive(), "uvicorn did not start"
        assert time.monotonic() < end
        time.sleep(0.01)
    try:
        yield Client(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(SECONDS)


@contextmanager
def hypercorn_on_trio(app: Any) -> Iterator[Client]:
    """Serve an ASGI app on the event loop of trio."""
    import trio
    from hypercorn.config import Config
    from hypercorn.trio import serve

    config = Config()
    config.bind = ["127.0.0.1:0"]
    config.errorlog = None
    is_started = threading.Event()
    known: dict[str, Any] = {}

    async def run() -> None:
        known.update({"token": trio.lowlevel.current_trio_token(), "end": trio.Event()})
        async with trio.open_nursery() as nursery:
            begin = partial(serve, app, config, shutdown_trigger=known["end"].wait)
            known["binds"] = await nursery.start(begin)
            is_started.set()

    thread = threading.Thread(target=trio.run, args=(run,), daemon=True)
    thread.start()
    assert is_started.wait(SECONDS), "hypercorn did not start"
    try:
        yield Client(int(known["binds"][0].rpartition(":")[2]))
    finally:
        trio.from_thread.run_sync(known["end"].set, trio_token=known["token"])
        thread.join(SECONDS)


@contextmanager
def waitress(app: Any) -> Iterator[Client]:
    """Serve a WSGI app."""
    from waitress.server import create_server

    sockets: dict[int, Any] = {}
    server: Any = create_server(app, map=sockets, host="127.0.0.1", port=0, threads=4)
    is_over = threading.Event()

    def run() -> None:  # as its own `run`, which nothing but a signal ends
        while not is_over.is_set():
            server.asyncore.loop(timeout=0.1, map=sockets, count=1)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield Client(server.effective_port)
    finally:
        is_over.set()
        thread.join(SECONDS)
        server.task_dispatcher.shutdown()
        server.asyncore.close_all(sockets)


SERVERS: dict[str, Callable[[Any], AbstractContextManager[Client]]] = {"asgi": uvicorn, "wsgi": waitress}


class OpenedFiles:
    """The paths of files that this process opens, as Python's own audit events tell them."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self._is_on = False
        sys.addaudithook(self._hear)  # it stays until the process ends

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._is_on and event in ("open", "os.listdir", "os.scandir"):
            self.paths.append(str(arguments[0]))

    @contextmanager
    def watched(self) -> Iterator[list[str]]:
        """Collect the paths inside the block."""
        self.paths = []
        self._is_on = True
        try:
            yield self.paths
        finally:
            self._is_on = False
