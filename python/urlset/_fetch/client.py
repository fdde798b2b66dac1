"""The client: one document from its URL, with redirects, retries and the robots.txt of its host."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from typing import Protocol
from urllib.parse import urljoin, urlsplit

import httpcore2

from urlset import _core
from urlset._fetch.options import Http
from urlset._fetch.response import Body
from urlset._fetch.robots import MOST_BYTES, Robots, RobotsText
from urlset._fetch.transport import Resolve, Transport, addresses_of, problem_of
from urlset._model.errors import FetchError
from urlset._model.fetches import Fetch

#: What the core decompresses, and what asks for no compression.
_CODINGS = "gzip, deflate, br, zstd"
PLAIN = "identity"
_OK = 200
_REDIRECTS = (301, 302, 303, 307, 308)
#: Statuses after which the same request may succeed: too many requests, and errors of the server that pass.
_RETRIED = (408, 425, 429, 500, 502, 503, 504)
#: The longest pause that a Retry-After can ask for, in seconds. A server that wants more has the document failed.
_LONGEST_PAUSE = 60.0


class Readable(Protocol):
    """A body, as far as reading needs it."""

    def read(self, size: int = ..., /) -> bytes: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Opened:
    """A response whose body is still to be read: its URL after redirects, and the header that says how it is packed."""

    url: str
    content_encoding: str | None
    body: Readable


@dataclass(slots=True)
class _Course:
    """How far the fetching of one document is."""

    url: str
    via: str
    codings: str
    now: str
    begin: float
    redirects: int = 0
    attempts: int = 0
    response: httpcore2.Response | None = None
    #: The place among the documents that are fetched from one host at once, while it is taken.
    place: threading.Semaphore | None = None

    def leave(self) -> None:
        """Give the place to another document."""
        place, self.place = self.place, None
        if place is not None:
            place.release()

    def header(self, name: bytes) -> str | None:
        """Return a header of the last answer."""
        return None if self.response is None else header(self.response, name)

    def fetch(self, received: int, seconds: float, error: str | None) -> Fetch:
        """Return what came of it."""
        return Fetch(
            url=self.url,
            final_url=self.now,
            via=self.via,
            status=None if self.response is None else self.response.status,
            redirects=self.redirects,
            attempts=self.attempts,
            content_type=self.header(b"content-type"),
            content_encoding=self.header(b"content-encoding"),
            bytes=received,
            seconds=round(seconds, 6),
            error=error,
        )


class Client:
    """Fetches documents; several threads may use it.

    Args:
        options: How documents are fetched.
        named: The hosts that the caller named.
        resolve: Returns the addresses of a host.
        wait: Waits for some seconds.
    """

    def __init__(
        self,
        options: Http,
        named: Iterable[str],
        *,
        resolve: Resolve = addresses_of,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        self.options = options
        self._agent = options.user_agent or f"urlset/{version('urlset')} (+https://pypi.org/project/urlset/)"
        #: What came of each document, in the order in which they ended.
        self.fetches: list[Fetch] = []
        self._named = frozenset(named)
        self._transport = Transport(options, self._named, resolve)
        self._wait = wait
        self._robots = Robots(self._agent, self._robots_text) if options.obey_robots else None
        self._lock = threading.Lock()
        self._hosts: defaultdict[str, threading.Semaphore] = defaultdict(lambda: threading.Semaphore(options.per_host))
        self._next: dict[str, float] = {}

    def open(self, url: str, via: str, *, codings: str = _CODINGS) -> Opened:
        """Send the requests for a document, and return the answer once its headers are there.

        Args:
            url: An http or https URL.
            via: How it was found.
            codings: How the answer may be compressed.

        Raises:
            FetchError: There is no answer with status 200, or the document must not be fetched.
        """
        course = _Course(url, via, codings, _ascii(url), time.monotonic())
        try:
            self._follow(course)
        except BaseException as error:
            course.leave()
            self._record(course.fetch(0, time.monotonic() - course.begin, str(error)))
            raise
        assert course.response is not None
        took = time.monotonic() - course.begin

        def done(received: int, seconds: float, error: str | None) -> None:
            course.leave()
            self._record(course.fetch(received, took + seconds, error))

        seconds = max(self.options.seconds - took, 0.001)
        body = Body(course.now, course.response, self._transport, seconds, done)
        return Opened(course.now, course.header(b"content-encoding"), body)

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    def _record(self, fetch: Fetch) -> None:
        with self._lock:
            self.fetches.append(fetch)

    def _follow(self, course: _Course) -> None:
        """Send requests until one is answered with status 200."""
        while True:
            parts = urlsplit(course.now)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise FetchError(f"{course.url}: it leads to {_shown(course.now)}, which is not an http or https URL")
            if parts.username is not None:
                raise FetchError(f"{course.url}: it leads to a URL with a user name, which is not sent")
            problem = None if self._robots is None else self._robots.problem(course.now)
            if problem is not None:
                raise FetchError(f"{course.url}: not fetched, because {problem}")
            response = self._answered(course)
            if response.status not in _REDIRECTS:
                break
            target = course.header(b"location")
            response.close()
            if target is None:
                raise FetchError(f"{course.url}: status {response.status}, a redirect without a location")
            course.redirects += 1
            if course.redirects > self.options.redirects:
                raise FetchError(f"{course.url}: more than {self.options.redirects} redirects")
            course.now = _ascii(_joined(course.now, target))
        if response.status != _OK:
            response.close()
            raise FetchError(f"{course.url}: status {response.status}", status=response.status)

    def _answered(self, course: _Course) -> httpcore2.Response:
        """Send a request, again if that may help, and return the answer.

        Raises:
            FetchError: There is none.
        """
        attempt = 0
        while True:
            attempt += 1
            problem, pause = None, min(2.0 ** (attempt - 1), _LONGEST_PAUSE)
            try:
                response = self._request(course)
            except Exception as error:
                problem = problem_of(error)
                if problem is None:
                    raise
                is_passing = isinstance(error, httpcore2.NetworkError | httpcore2.ProtocolError)
                if attempt > self.options.retries or not is_passing:
                    raise FetchError(f"{course.url}: {problem}") from error
            else:
                if response.status not in _RETRIED or attempt > self.options.retries:
                    return response
                asked = _retry_after(course.header(b"retry-after"))
                if asked is not None and asked > _LONGEST_PAUSE:
                    return response
                pause = pause if asked is None else asked
                response.close()
            if time.monotonic() - course.begin + pause > self.options.seconds:
                raise FetchError(
                    f"{course.url}: {problem or f'status {response.status}'}, and no time is left to try again"
                )
            self._wait(pause)

    def _request(self, course: _Course) -> httpcore2.Response:
        host = urlsplit(course.now).netloc
        course.leave()
        self._pace(course.now, host)
        with self._lock:
            place = self._hosts[host]
        place.acquire()
        course.place = place
        course.attempts += 1
        with self._transport.deadline(course.begin + self.options.seconds):
            course.response = self._transport.request(course.now, self._headers(course.now, course.codings))
        return course.response

    def _pace(self, url: str, host: str) -> None:
        """Wait until the robots.txt of a host allows the next request."""
        delay = 0.0 if self._robots is None else self._robots.delay(url)
        if not delay:
            return
        with self._lock:
            now = time.monotonic()
            at = max(now, self._next.get(host, now))
            self._next[host] = at + delay
        self._wait(at - now)

    def _headers(self, url: str, codings: str) -> dict[str, str]:
        parts = urlsplit(url)
        headers = {
            "Host": parts.netloc.rpartition("@")[2],
            "User-Agent": self._agent,
            "Accept": "application/xml, text/xml, text/plain;q=0.9, */*;q=0.8",
            "Accept-Encoding": codings,
        }
        # A secret for one host is none of another's business, whatever that one redirects to.
        return headers | dict(self.options.headers) if parts.hostname in self._named else headers

    def _robots_text(self, url: str) -> RobotsText:
        """Fetch a robots.txt: at most its first 500 KiB, and no retries."""
        now = url
        try:
            with self._transport.deadline(time.monotonic() + self.options.timeout):
                for _ in range(self.options.redirects + 1):
                    response = self._transport.request(now, self._headers(now, PLAIN))
                    try:
                        target = header(response, b"location")
                        if response.status not in _REDIRECTS or target is None:
                            return RobotsText(response.status, _first(response))
                    finally:
                        response.close()
                    now = _joined(now, target)
                    if urlsplit(now).scheme not in ("http", "https"):
                        break
        except FetchError as error:
            return RobotsText(None, problem=str(error))
        except Exception as error:
            if problem_of(error) is None:
                raise
            return RobotsText(None, problem=problem_of(error))
        # Source: RFC 9309, 2.3.1.2: after five redirects a robots.txt may count as not there.
        return RobotsText(404)


def header(response: httpcore2.Response, name: bytes) -> str | None:
    """Return a header of a response, in small letters, or None."""
    values = [value.decode("latin-1").strip() for key, value in response.headers if key.lower() == name]
    return ", ".join(values) or None


def first_bytes(body: Readable, most: int) -> bytes:
    """Return the first bytes of a body, which is closed then."""
    found = bytearray()
    while len(found) < most and (chunk := body.read()):
        found += chunk
    body.close()
    return bytes(found[:most])


def _ascii(url: str) -> str:
    """Return a URL as it is sent: the host by IDNA, everything else percent-encoded, without a fragment.

    Raises:
        FetchError: It is not a valid URL.
    """
    spelled = _core.spelled_url(url)
    if spelled is None:
        raise FetchError(f"{_shown(url)}: not a valid URL")
    return spelled.partition("#")[0]


def _joined(url: str, target: str) -> str:
    """Return the URL that a redirect leads to.

    Raises:
        FetchError: It is not a URL.
    """
    try:
        return urljoin(url, target)
    except ValueError:  # an invalid host
        raise FetchError(f"{url}: it leads to {_shown(target)}, which is not a valid URL") from None


def _first(response: httpcore2.Response) -> bytes:
    body = bytearray()
    for chunk in response.iter_stream():
        body += chunk
        if len(body) > MOST_BYTES:
            break
    return bytes(body)


def _retry_after(header: str | None) -> float | None:
    """Return the seconds that a server asks to wait. Source: RFC 9110, 10.2.3: seconds, or a date."""
    if header is None:
        return None
    if header.isascii() and header.isdigit():
        return float(header[:9])
    try:
        moment = parsedate_to_datetime(header)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)


def _shown(url: str) -> str:
    return url[:200] if url.isprintable() else ascii(url)[:200]
