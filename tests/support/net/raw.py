"""Servers on loopback that write what a test says, byte for byte."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from support.fetch import tls


@contextmanager
def listening(answer: Callable[[socket.socket], object]) -> Iterator[str]:
    """Answer each connection with a function until the block ends, and yield the http URL of the server."""
    with tls.listening(answer) as url:
        yield url.replace("https:", "http:", 1)


def received(connection: socket.socket, until: bytes = b"\r\n\r\n") -> bytes:
    """Return what a client sends, up to certain bytes or its end."""
    got = b""
    while until not in got and (data := connection.recv(65_536)):
        got += data
    return got
