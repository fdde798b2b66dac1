"""A real HTTP server on loopback that answers as a test says, and remembers what it was asked."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server says: a status, a body and headers. `length` is the Content-Length, if it is not the
    true one; a body in chunks has none."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    length: int | None = None


#: An answer, or a function that makes one for each request, or writes to the socket itself and returns None.
Page = Answer | Callable[["Handler"], Answer | None]


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    #: Headers and body are two packets, of which the second would wait 40 ms for the first.
    disable_nagle_algorithm = True
    server: Server

    def do_GET(self) -> None:
        """Answer."""
        site = self.server.site
        with site.lock:
            site.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        page = site.pages.get(self.path, Answer(b"not found", 404))
        answer = page if isinstance(page, Answer) else page(self)
        if answer is None:
            self.close_connection = True
            return
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if "Transfer-Encoding" not in answer.headers:
            self.send_header("Content-Length", str(len(answer.body) if answer.length is None else answer.length))
        self.end_headers()
        self.wfile.write(answer.body)
        if answer.length is not None:
            self.close_connection = True

    def do_POST(self) -> None:
        """Answer as for GET, and remember the body."""
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        with self.server.site.lock:
            self.server.site.posted.append(body)
        self.do_GET()

    def do_HEAD(self) -> None:
        """Answer as for GET, or as a server that does not know the method."""
        if self.server.site.answers_head:
            self.do_GET()
        else:
            self.send_error(501)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """Serves a site."""

    daemon_threads = True
    #: Connections that wait to be accepted. What comes beyond is dropped, and asked for again a second later.
    request_queue_size = 256
    site: Site

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that hang up, as they do in these tests."""


class Site:
    """A site on loopback: pages by their path, and the requests that came."""

    def __init__(self, host: str, port: int, scheme: str = "http") -> None:
        self.url = f"{scheme}://{host}:{port}"
        self.pages: dict[str, Page] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        #: The bodies of POST requests.
        self.posted: list[bytes] = []
        self.lock = threading.Lock()
        #: Whether HEAD is answered; a page is then to write no body.
        self.answers_head = False

    def urlset(self, path: str, entries: int, *, gap: str = "") -> bytes:
        """Return a sitemap with so many entries below a path."""
        locs = "".join(f"<url><loc>{self.url}{path}/{number}</loc></url>{gap}" for number in range(entries))
        return f'<urlset xmlns="{NAMESPACE}">{locs}</urlset>'.encode()

    def index(self, *children: str) -> bytes:
        """Return an index of children, by path or URL."""
        urls = (child if "://" in child else self.url + child for child in children)
        locs = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
        return f'<sitemapindex xmlns="{NAMESPACE}">{locs}</sitemapindex>'.encode()

    def paths(self) -> list[str]:
        """Return what was asked for, without robots.txt."""
        return [path for path, _ in self.requests if path != "/robots.txt"]


@contextmanager
def serve(host: str = "127.0.0.1", context: ssl.SSLContext | None = None) -> Iterator[Site]:
    """Serve a site until the block ends, over TLS if there is a context for that."""
    server = Server((host, 0), Handler)
    server.site = site = Site(host, server.server_address[1], "http" if context is None else "https")
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def closed_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
