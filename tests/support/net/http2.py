"""A server of HTTP/2 on loopback whose frames a test chooses. The frames are made by `h2`, which is not our code."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived

from support.fetch.tls import Authority, listening

#: Answers a request: the connection, the number of its stream, how many requests came before it, and its path.
Answer = Callable[[H2Connection, int, int, str], object]

OK = [(":status", "200"), ("content-type", "text/plain")]


@contextmanager
def http2(authority: Authority, answer: Answer) -> Iterator[tuple[str, list[int]]]:
    """Answer each request with a function; yield the URL of the server, and the port of the client of each request."""
    context = authority.context()
    context.set_alpn_protocols(["h2"])
    asked: list[int] = []

    def serve(plain: socket.socket) -> None:
        with context.wrap_socket(plain, server_side=True) as connection:
            _speak(connection, answer, asked)

    with listening(serve) as url:
        yield url, asked


def _speak(connection: ssl.SSLSocket, answer: Answer, asked: list[int]) -> None:
    speaker = H2Connection(H2Configuration(client_side=False, validate_outbound_headers=False))
    speaker.initiate_connection()
    connection.sendall(speaker.data_to_send())
    while data := connection.recv(65_536):
        for event in speaker.receive_data(data):
            if isinstance(event, RequestReceived):
                asked.append(connection.getpeername()[1])
                path = dict(event.headers)[b":path"].decode()
                answer(speaker, event.stream_id, len(asked) - 1, path)
        connection.sendall(speaker.data_to_send())
