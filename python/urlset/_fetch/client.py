"""The client: one document from its URL, with redirects, retries and the robots.txt of its host."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from io import BytesIO
from urllib.parse import urlsplit

from urlset._fetch.answers import REDIRECTS, Readable, joined, retry_after, sent_url, shown, validators
from urlset._fetch.cache import Cache, Listed, Received
from urlset._fetch.course import CODINGS, PLAIN, Course
from urlset._fetch.response import Body
from urlset._fetch.robots import Robots, RobotsText
from urlset._fetch.robots_text import agent_of, fetch_robots
from urlset._fetch.transport import Resolve, Response, Transport, addresses_of, is_passing, problem_of
from urlset._fetch.trust import Trust
from urlset._model.errors import FetchError
from urlset._model.fetches import Fetch
from urlset._options.http import Http

_OK = 200
_UNCHANGED = 304
#: Statuses after which the same request may succeed: too many requests, and errors of the server that pass.
RETRIED = (408, 425, 429, 500, 502, 503, 504)
#: The longest pause that a Retry-After can ask for, in seconds. A server that wants more has the document failed.
_LONGEST_PAUSE = 60.0


@dataclass(frozen=True, slots=True)
class Opened:
    """A response whose body is still to be read.

    It has its URL after redirects, the header that says how the body is packed, and what is known of the fetch by then.
    `sha256` is the hash of its body, if that comes from the cache.
    """

    url: str
    content_encoding: str | None
    body: Readable
    fetch: Fetch
    sha256: str | None = None


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
        self._agent = agent_of(options)
        #: What came of each document, in the order in which they ended.
        self.fetches: list[Fetch] = []
        self._named = frozenset(named)
        self._transport = Transport(options, self._named, resolve)
        self._wait = wait
        self._robots = Robots(self._agent, self._robots_text)
        self._cache = None if options.cache is None else Cache(options.cache)
        self._trust = None if self._cache is None or not options.trust_index else Trust(self._cache)
        self._lock = threading.Lock()
        self._hosts: defaultdict[str, threading.Semaphore] = defaultdict(lambda: threading.Semaphore(options.per_host))
        self._next: dict[str, float] = {}
        self._begin = time.monotonic()
        self._documents = 0
        self._bytes = 0

    def open(self, url: str, via: str, *, codings: str = CODINGS, listed: Listed | None = None) -> Opened:
        """Send the requests for a document, and return the answer once its headers are there.

        Args:
            url: An http or https URL.
            via: How it was found.
            codings: How the answer may be compressed.
            listed: What the index that led to it says of it.

        Raises:
            FetchError: There is no answer with status 200, or the document must not be fetched.
        """
        with self._lock:
            self._documents += 1
        course = Course(url, via, codings, sent_url(url), time.monotonic(), listed=listed)
        try:
            unchanged = self._follow(course)
        except BaseException as error:
            course.leave()
            self._record(course.fetch(0, time.monotonic() - course.begin, str(error)))
            raise
        took = time.monotonic() - course.begin
        if unchanged is not None:
            course.leave()
            fetch = course.fetch(0, took, None)
            self._record(fetch)
            return Opened(course.now, course.content_encoding, BytesIO(unchanged), fetch, course.sha256)
        assert course.response is not None

        def done(received: int, seconds: float, error: str | None) -> None:
            course.leave()
            self._record(course.fetch(received, took + seconds, error))

        seconds = max(self.options.seconds - took, 0.001)
        keep = self._keeper(course)
        body = Body(course.now, course.response, self._transport, seconds, keep, done)
        return Opened(course.now, course.content_encoding, body, course.fetch(0, took, None))

    def robots_text(self, url: str) -> bytes | None:
        """Return the robots.txt of a URL's host, empty if the host has none; None if it cannot be read."""
        return self._robots.text(url)

    def spent(self) -> str | None:
        """Return which bound of the whole run is reached, as the beginning of a sentence; None if none is."""
        options = self.options
        if self._documents >= options.max_documents:
            return f"the run has fetched {options.max_documents:,} documents (max_documents)"
        if self._bytes >= options.max_bytes:
            return f"the run has received {options.max_bytes:,} bytes (max_bytes)"
        if time.monotonic() - self._begin >= options.max_seconds:
            return f"the run has taken {options.max_seconds:,.0f} seconds (max_seconds)"
        return None

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()
        if self._cache is not None:
            self._cache.close()

    def _keeper(self, course: Course) -> Callable[[bytes], None] | None:
        """Return what puts the document into the cache; None without a cache."""
        cache = self._cache
        if cache is None:
            return None

        def keep(body: bytes) -> None:
            course.sha256 = hashlib.sha256(body).hexdigest()
            etag, last_modified = (None, None) if course.response is None else validators(course.response)
            packed = course.content_type, course.content_encoding
            # Without a validator, its body is of use only if it may be taken without asking.
            keeps_body = bool(etag or last_modified or self._trust)
            listed = course.listed if course.redirects == 0 else None
            received = Received(course.key, etag, last_modified, *packed, listed)
            cache.store(received, body, sha256=course.sha256, keeps_body=keeps_body)
            is_known = course.cached is not None and not course.is_unconditional
            is_same = is_known and course.cached is not None and course.cached.sha256 == course.sha256
            course.cache = "same" if is_same else "stored" if keeps_body else None

        return keep

    def _record(self, fetch: Fetch) -> None:
        with self._lock:
            self.fetches.append(fetch)
            self._bytes += fetch.bytes

    def _follow(self, course: Course) -> bytes | None:
        """Send requests until one is answered with status 200, or 304 for what is in the cache, which is returned."""
        while True:
            parts = urlsplit(course.now)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise FetchError(f"{course.url}: it leads to {shown(course.now)}, which is not an http or https URL")
            if parts.username is not None:
                raise FetchError(f"{shown(course.url)}: it leads to a URL with a user name, which is not sent")
            problem = self._robots.problem(course.now) if self.options.obey_robots else None
            if problem is not None:
                raise FetchError(f"{course.url}: not fetched, because {problem}")
            course.cached = None if self._cache is None else self._cache.find(course.key)
            if (body := self._trusted(course)) is not None:
                return body
            response = self._answered(course)
            if response.status == _UNCHANGED and (body := self._confirmed(course, response)) is not None:
                return body
            if response.status == _UNCHANGED and course.cached is not None and not course.is_unconditional:
                course.is_unconditional = True  # another run has removed it, or the file is damaged
                continue
            if response.status not in REDIRECTS:
                break
            target = course.header(b"location")
            response.close()
            if target is None:
                raise FetchError(f"{course.url}: status {response.status}, a redirect without a location")
            course.redirects += 1
            if course.redirects > self.options.redirects:
                raise FetchError(f"{course.url}: more than {self.options.redirects} redirects")
            course.now = sent_url(joined(course.now, target))
        if response.status != _OK:
            response.close()
            raise FetchError(f"{course.url}: status {response.status}", status=response.status)
        return None

    def _trusted(self, course: Course) -> bytes | None:
        """Return the document from the cache, if its index says that it has not changed, and need not be checked."""
        if self._cache is None or self._trust is None or course.cached is None or course.redirects:
            return None
        verdict = self._trust.verdict(course.cached, course.listed)
        course.is_checked = verdict == "check"
        body = self._cache.body(course.cached) if verdict == "trust" else None
        if body is not None:
            course.cache, course.sha256 = "trusted", course.cached.sha256
        return body

    def _confirmed(self, course: Course, response: Response) -> bytes | None:
        """Return the document from the cache, of which the server says that it has not changed."""
        if self._cache is None or course.cached is None:
            return None
        response.close()
        body = self._cache.body(course.cached)
        if body is not None:
            self._cache.confirm(course.cached, course.listed if course.redirects == 0 else None)
            course.cache, course.sha256 = "unchanged", course.cached.sha256
        return body

    def _answered(self, course: Course) -> Response:
        """Send a request, again if that may help, and return the answer.

        Raises:
            FetchError: The server did not answer.
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
                if attempt > self.options.retries or not is_passing(error):
                    raise FetchError(f"{course.url}: {problem}") from error
            else:
                if response.status not in RETRIED or attempt > self.options.retries:
                    return response
                asked = retry_after(course.header(b"retry-after"))
                if asked is not None and asked > _LONGEST_PAUSE:
                    return response
                pause = pause if asked is None else asked
                response.close()
            if time.monotonic() - course.begin + pause > self.options.seconds:
                raise FetchError(
                    f"{course.url}: {problem or f'status {response.status}'}, and no time is left to try again"
                )
            self._wait(pause)

    def _request(self, course: Course) -> Response:
        host = urlsplit(course.now).netloc
        course.leave()
        self._pace(course.now, host)
        with self._lock:
            place = self._hosts[host]
        place.acquire()
        course.place = place
        course.attempts += 1
        with self._transport.deadline(course.begin + self.options.seconds):
            headers = self._headers(course.now, course.codings)
            validators = {} if course.cached is None or course.is_unconditional else course.cached.validators
            sent = time.monotonic()
            course.response = self._transport.request(course.now, headers | validators)
            course.wait = time.monotonic() - sent
        return course.response

    def _pace(self, url: str, host: str) -> None:
        """Wait until the robots.txt of a host allows the next request."""
        delay = self._robots.delay(url) if self.options.obey_robots else 0.0
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
        # A secret is for the hosts that the caller named, and not for those that they redirect to.
        return headers | dict(self.options.headers) if parts.hostname in self._named else headers

    def _robots_text(self, url: str) -> RobotsText:
        return fetch_robots(self._transport, self.options, url, lambda now: self._headers(now, PLAIN))
