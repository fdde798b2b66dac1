"""A site and a search engine in one real HTTP server on loopback.

As an engine it responds as documented: 400 for an invalid request, 403 without the right key file, 422 for pages
of another host, outside of the key file's folder or too many of them, else 200. Told to, it misbehaves. It records
every request.
"""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

KEY = "0123456789abcdef-KEY"
SECONDS = 30
"""Seconds after which a hanging server stops by itself."""
PIECE = 0.02
"""Seconds between two bytes of a slow response."""


@dataclass(frozen=True)
class Answer:
    """A response. `how` is `whole`, or one of the ways to misbehave.

    - `hang`: nothing is sent until the server is stopped
    - `drip`: the headers come, then a byte at a time, without an end
    - `drip-headers`: the headers come a byte at a time, without an end
    - `cut`: the connection is closed after half of the body
    - `drop`: the connection is closed at once
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    how: str = "whole"


@dataclass(frozen=True)
class Post:
    """A POST as received."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def locs(self) -> list[str]:
        """The pages in the post."""
        locs = self.body["urlList"]
        assert isinstance(locs, list)
        return locs


class Server(ThreadingHTTPServer):
    """Serves `files` to GET by path. Each POST gets the next of `answers`, and after those the documented response."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, Answer] = {f"/{KEY}.txt": Answer(body=KEY.encode())}
        self.key_answers: deque[Answer] = deque()
        self.answers: deque[Answer] = deque()
        self.posts: list[Post] = []
        self.gets: list[tuple[str, dict[str, str]]] = []
        self.posted = threading.Semaphore(0)
        self.stopped = threading.Event()

    @property
    def host(self) -> str:
        """The host with its port."""
        return f"127.0.0.1:{self.server_address[1]}"

    @property
    def base_url(self) -> str:
        """The base URL of the site."""
        return f"http://{self.host}/"

    @property
    def endpoint(self) -> str:
        """The endpoint of the engine."""
        return f"http://{self.host}/indexnow"

    @property
    def locs(self) -> list[str]:
        """All submitted pages, in the order of the posts."""
        return [loc for post in self.posts for loc in post.locs]

    def judge(self, post: Post) -> Answer:
        """Return the documented response."""
        body = post.body
        if (
            post.headers.get("content-type") != "application/json; charset=utf-8"
            or not isinstance(body.get("urlList"), list)
            or not isinstance(body.get("host"), str)
            or not re.fullmatch("[a-zA-Z0-9-]{8,128}", body.get("key", ""))
        ):
            return Answer(400, b'{"code":"InvalidRequestParameters"}')
        place = urlsplit(body.get("keyLocation", f"http://{body['host']}/{body['key']}.txt"))
        file = self.files.get(place.path)
        if file is None or file.body.strip(b"\xef\xbb\xbf \t\r\n") != body["key"].encode():
            return Answer(403, b'{"code":"UserForbiddedToAccessSite"}')
        if len(post.locs) > 10_000 or not all(_covered(loc, body, place.path) for loc in post.locs):
            return Answer(422)
        return Answer(200)


def _covered(loc: str, body: dict[str, Any], key_file: str) -> bool:
    parts = urlsplit(loc)
    folder = key_file.rpartition("/")[0] + "/"
    return loc.isascii() and parts.netloc == body["host"] and (parts.path or "/").startswith(folder)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        self.server.gets.append((self.path, self._told()))
        if self.server.key_answers:
            self._say(self.server.key_answers.popleft())
        else:
            self._say(self.server.files.get(self.path, Answer(404, b"<h1>Not found</h1>")))

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"]))
        post = Post(self.path, self._told(), json.loads(text))
        self.server.posts.append(post)
        answer = self.server.answers.popleft() if self.server.answers else self.server.judge(post)
        self.server.posted.release()
        self._say(answer)

    def _told(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _say(self, answer: Answer) -> None:
        # A client that does not wait any longer is not an error of the server.
        with suppress(OSError):
            self._try_to_say(answer)

    def _try_to_say(self, answer: Answer) -> None:
        self.close_connection = True
        if answer.how == "hang":
            self.server.stopped.wait(SECONDS)
            return
        if answer.how == "drop":
            return
        if answer.how == "drip-headers":
            self._drip(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            return
        self.send_response_only(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.how == "whole":
            self.send_header("Content-Length", str(len(answer.body)))
        elif answer.how == "cut":
            self.send_header("Content-Length", str(2 * len(answer.body)))
        self.send_header("Connection", "close")
        self.end_headers()
        if answer.how == "drip":
            self._drip(answer.body)
        else:
            self.wfile.write(answer.body)

    def _drip(self, begin: bytes) -> None:
        self.wfile.write(begin)
        for _ in range(int(SECONDS / PIECE)):
            if self.server.stopped.wait(PIECE):
                return
            self.wfile.write(b"x")

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def serving() -> Iterator[Server]:
    """Run a server during the block."""
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.stopped.set()
            server.shutdown()
            thread.join()
