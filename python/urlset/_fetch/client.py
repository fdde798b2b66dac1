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

from urlset._fetch.answers import REDIRECTS, BodyStream, redirected, retry_after, sent_url, validators
from urlset._fetch.attempt import CODINGS, PLAIN, FetchAttempt
from urlset._fetch.cache import Cache, IndexClaim, Received
from urlset._fetch.named import NamedSites
from urlset._fetch.response import Body
from urlset._fetch.robots import Robots, RobotsText
from urlset._fetch.robots_text import agent_of, fetch_robots
from urlset._fetch.transport import Resolve, Response, Transport, addresses_of, is_passing, problem_of
from urlset._fetch.trust import CacheTrust
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
    body: BodyStream
    fetch: Fetch
    sha256: str | None = None


class Client:
    """Fetches documents; several threads may use it.

    Args:
        options: How documents are fetched.
        named: The URLs that the caller named.
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
        self._named = NamedSites(named)
        self._transport = Transport(options, self._named, resolve)
        self._wait = wait
        self._robots = Robots(self._agent, self._robots_text)
        self._cache = None if options.cache is None else Cache(options.cache)
        self._trust = None if self._cache is None or not options.trust_index else CacheTrust(self._cache)
        self._lock = threading.Lock()
        self._hosts: defaultdict[str, threading.Semaphore] = defaultdict(lambda: threading.Semaphore(options.per_host))
        self._next: dict[str, float] = {}
        self._begin = time.monotonic()
        self._documents = 0
        self._bytes = 0

    def open(self, url: str, via: str, *, codings: str = CODINGS, listed: IndexClaim | None = None) -> Opened:
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
        attempt = FetchAttempt(url, via, codings, url, time.monotonic(), listed=listed)
        try:
            attempt.now = sent_url(url)
            unchanged = self._follow(attempt)
        except BaseException as error:
            attempt.leave()
            self._record(attempt.fetch(0, time.monotonic() - attempt.begin, str(error)))
            raise
        took = time.monotonic() - attempt.begin
        if unchanged is not None:
            attempt.leave()
            fetch = attempt.fetch(0, took, None)
            self._record(fetch)
            return Opened(attempt.now, attempt.content_encoding, BytesIO(unchanged), fetch, attempt.sha256)
        assert attempt.response is not None

        def done(received: int, seconds: float, error: str | None) -> None:
            attempt.leave()
            self._record(attempt.fetch(received, took + seconds, error))

        seconds = max(self.options.seconds - took, 0.001)
        keep = self._keeper(attempt)
        body = Body(attempt.now, attempt.response, self._transport, seconds, keep, done)
        return Opened(attempt.now, attempt.content_encoding, body, attempt.fetch(0, took, None))

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

    def _keeper(self, attempt: FetchAttempt) -> Callable[[bytes], None] | None:
        """Return what puts the document into the cache; None without a cache."""
        cache = self._cache
        if cache is None:
            return None

        def keep(body: bytes) -> None:
            attempt.sha256 = hashlib.sha256(body).hexdigest()
            etag, last_modified = (None, None) if attempt.response is None else validators(attempt.response)
            packed = attempt.content_type, attempt.content_encoding
            # Without a validator, its body is of use only if it may be taken without asking.
            keeps_body = bool(etag or last_modified or self._trust)
            listed = attempt.listed if attempt.redirects == 0 else None
            received = Received(attempt.key, etag, last_modified, *packed, listed)
            cache.store(received, body, sha256=attempt.sha256, keeps_body=keeps_body)
            is_known = attempt.cached is not None and not attempt.is_unconditional
            is_same = is_known and attempt.cached is not None and attempt.cached.sha256 == attempt.sha256
            attempt.cache = "same" if is_same else "stored" if keeps_body else None

        return keep

    def _record(self, fetch: Fetch) -> None:
        with self._lock:
            self.fetches.append(fetch)
            self._bytes += fetch.bytes

    def _follow(self, attempt: FetchAttempt) -> bytes | None:
        """Send requests until one is answered with status 200, or 304 for what is in the cache, which is returned."""
        while True:
            problem = self._robots.problem(attempt.now) if self.options.obey_robots else None
            if problem is not None:
                raise FetchError(f"{attempt.url}: not fetched, because {problem}")
            attempt.cached = None if self._cache is None else self._cache.find(attempt.key)
            if (body := self._trusted(attempt)) is not None:
                return body
            response = self._answered(attempt)
            if response.status == _UNCHANGED and (body := self._confirmed(attempt, response)) is not None:
                return body
            if response.status == _UNCHANGED and attempt.cached is not None and not attempt.is_unconditional:
                attempt.is_unconditional = True  # another run has removed it, or the file is damaged
                continue
            if response.status not in REDIRECTS:
                break
            target = attempt.header(b"location")
            response.close()
            if target is None:
                raise FetchError(f"{attempt.url}: status {response.status}, a redirect without a location")
            attempt.redirects += 1
            if attempt.redirects > self.options.redirects:
                raise FetchError(f"{attempt.url}: more than {self.options.redirects} redirects")
            attempt.now = redirected(attempt.now, target)
        if response.status != _OK:
            response.close()
            raise FetchError(f"{attempt.url}: status {response.status}", status=response.status)
        return None

    def _trusted(self, attempt: FetchAttempt) -> bytes | None:
        """Return the document from the cache, if its index says that it has not changed, and need not be checked."""
        if self._cache is None or self._trust is None or attempt.cached is None or attempt.redirects:
            return None
        verdict = self._trust.verdict(attempt.cached, attempt.listed)
        attempt.is_checked = verdict == "check"
        body = self._cache.body(attempt.cached) if verdict == "trust" else None
        if body is not None:
            attempt.cache, attempt.sha256 = "trusted", attempt.cached.sha256
        return body

    def _confirmed(self, attempt: FetchAttempt, response: Response) -> bytes | None:
        """Return the document from the cache, of which the server says that it has not changed."""
        if self._cache is None or attempt.cached is None:
            return None
        response.close()
        body = self._cache.body(attempt.cached)
        if body is not None:
            self._cache.confirm(attempt.cached, attempt.listed if attempt.redirects == 0 else None)
            attempt.cache, attempt.sha256 = "unchanged", attempt.cached.sha256
        return body

    def _answered(self, attempt: FetchAttempt) -> Response:
        """Send a request, again if that may help, and return the answer.

        Raises:
            FetchError: The server did not answer.
        """
        tries = 0
        while True:
            tries += 1
            problem, pause = None, min(2.0 ** (tries - 1), _LONGEST_PAUSE)
            try:
                response = self._request(attempt)
            except Exception as error:
                problem = problem_of(error)
                if problem is None:
                    raise
                if tries > self.options.retries or not is_passing(error):
                    raise FetchError(f"{attempt.url}: {problem}") from error
            else:
                if response.status not in RETRIED or tries > self.options.retries:
                    return response
                asked = retry_after(attempt.header(b"retry-after"))
                if asked is not None and asked > _LONGEST_PAUSE:
                    return response
                pause = pause if asked is None else asked
                response.close()
            if time.monotonic() - attempt.begin + pause > self.options.seconds:
                raise FetchError(
                    f"{attempt.url}: {problem or f'status {response.status}'}, and no time is left to try again"
                )
            self._wait(pause)

    def _request(self, attempt: FetchAttempt) -> Response:
        host = urlsplit(attempt.now).netloc
        attempt.leave()
        self._pace(attempt.now, host)
        with self._lock:
            place = self._hosts[host]
        place.acquire()
        attempt.place = place
        attempt.requests += 1
        with self._transport.deadline(attempt.begin + self.options.seconds):
            headers = self._headers(attempt.now, attempt.codings)
            validators = {} if attempt.cached is None or attempt.is_unconditional else attempt.cached.validators
            sent = time.monotonic()
            attempt.response = self._transport.request(attempt.now, headers | validators)
            attempt.wait = time.monotonic() - sent
        return attempt.response

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
        # A secret is for the sites that the caller named, and not for those that they redirect to.
        return headers | dict(self.options.headers) if self._named.includes(url) else headers

    def _robots_text(self, url: str) -> RobotsText:
        return fetch_robots(self._transport, self.options, url, lambda now: self._headers(now, PLAIN))
