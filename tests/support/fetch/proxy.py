"""A real forward proxy on loopback: it passes on requests for http URLs, and opens tunnels for https."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class Proxy(ThreadingHTTPServer):
    """Remembers what it was asked: each URL or tunnel, with the proxy's own authorization."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.asked: list[tuple[str, str | None]] = []
        #: Where tunnels lead instead of to the host and port that they name.
        self.routes: dict[str, tuple[str, int]] = {}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def do_GET(self) -> None:
        """Pass the request on."""
        self.server.asked.append((self.path, self.headers.get("Proxy-Authorization")))
        parts = urlsplit(self.path)
        upstream = HTTPConnection(parts.netloc, timeout=10)
        kept = {name: value for name, value in self.headers.items() if not name.lower().startswith("proxy-")}
        upstream.request("GET", parts.path or "/", headers=kept)
        answer = upstream.getresponse()
        body = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("server", "date"):
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        upstream.close()

    def do_CONNECT(self) -> None:
        """Open a tunnel."""
        self.server.asked.append((f"tunnel to {self.path}", self.headers.get("Proxy-Authorization")))
        host, _, port = self.path.rpartition(":")
        upstream_address = self.server.routes.get(self.path, (host, int(port)))
        with socket.create_connection(upstream_address, timeout=10) as upstream:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            back = threading.Thread(target=_copy, args=(upstream, self.connection), daemon=True)
            back.start()
            _copy(self.connection, upstream)
            back.join(10)
        self.close_connection = True

    def log_message(self, *args: object) -> None:
        """Say nothing."""


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[None]:
    """Run a server until the block ends."""
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def proxy() -> Iterator[Proxy]:
    """Run a proxy until the block ends."""
    server = Proxy()
    with running(server):
        yield server
