"""A small internet on loopback: sites by their real names over TLS, which programs reach through a proxy.

The commands of the documentation name hosts such as `https://shop.example`. With the environment of `Internet`, urlset
and curl take them to a server of this process, and nothing leaves the machine.
"""

from __future__ import annotations

import mimetypes
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from support.fetch.proxy import proxy, running
from support.fetch.tls import Authority


class Moved(str):
    """The URL to which a path redirects."""

    __slots__ = ()


#: What a site has at each path.
Site = Mapping[str, str | bytes]


class Internet(ThreadingHTTPServer):
    """The server of all sites. What a POST sends is accepted, and forgotten."""

    daemon_threads = True

    def __init__(self, authority: Authority, hosts: list[str], proxy_url: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        context = authority.context(*hosts)
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.sites: dict[str, Site] = {}
        trusted = dict.fromkeys(("SSL_CERT_FILE", "CURL_CA_BUNDLE"), str(authority.file))
        self.env = {"https_proxy": proxy_url, "no_proxy": "127.0.0.1", **trusted}

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of connections that a program gave up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Internet

    def do_GET(self) -> None:
        """Answer with what the site has at the path."""
        site = self.server.sites.get(self.headers.get("Host", ""), {})
        path = self.path.partition("?")[0]
        found = site.get(self.path, site.get(path))
        if isinstance(found, Moved):
            self._answer(301, b"", "text/html", Location=found)
            return
        body = (found.encode() if isinstance(found, str) else found) or b""
        etag = f'"{zlib.crc32(body)}"'
        if found is not None and self.headers.get("If-None-Match") == etag:
            self._answer(304, b"", "text/html", ETag=etag)
            return
        kind = "application/gzip" if path.endswith(".gz") else mimetypes.guess_type(path)[0] or "text/html"
        self._answer(404 if found is None else 200, body, kind, ETag=etag)

    def do_HEAD(self) -> None:
        """Answer as to GET, without the content."""
        self.do_GET()

    def do_POST(self) -> None:
        """Accept what is sent."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(200, b"", "text/plain")

    def _answer(self, status: int, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@contextmanager
def internet(folder: Path, *hosts: str) -> Iterator[Internet]:
    """Run the server and the proxy that leads to it, for these hosts, until the block ends."""
    with proxy() as way:
        server = Internet(Authority.make(folder), list(hosts), way.url)
        way.routes = {f"{host}:443": ("127.0.0.1", server.server_port) for host in hosts}
        with running(server):
            yield server
