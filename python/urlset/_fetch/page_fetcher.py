"""Pages over HTTP, many at once: one queue, and the same politeness and the same checks as for documents."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlsplit

import httpcore2

from urlset._fetch.addresses import AddressError
from urlset._fetch.answers import REDIRECTS, redirected, retry_after, sent_url
from urlset._fetch.client import RETRIED
from urlset._fetch.named import NamedSites
from urlset._fetch.queues import Queues
from urlset._fetch.robots import Robots, RobotsText
from urlset._fetch.robots_text import agent_of, fetch_robots
from urlset._fetch.tls import tls_problem
from urlset._fetch.transport import DeadlineError, HostError, Resolve, Transport, addresses_of, is_passing, problem_of
from urlset._fetch.unpack import CODINGS, CodingError, unpacked
from urlset._model.errors import FetchError
from urlset._model.fetched_pages import FetchedPage, Refused, Request
from urlset._options.http import Http
from urlset._page.challenges import CHALLENGE_STATUSES, challenge

#: The longest pause that a Retry-After can ask for, in seconds. A page whose server wants more is not requested again.
_LONGEST_PAUSE = 60.0
#: Bytes of bodies that wait for somebody to take them: then nothing more is fetched.
_MAX_HELD = 64 << 20
#: Bytes of one page.
MAX_BYTES = 10 << 20


@dataclass(slots=True)
class _Job:
    """How far the fetching of one page is."""

    request: Request
    now: str
    hops: list[tuple[str, int]] = field(default_factory=list)
    attempts: int = 0
    begin: float = 0.0


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer of a server, received to its end."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    is_cut: bool
    seconds: float

    def header(self, name: str) -> str | None:
        return next((text for key, text in self.headers if key == name), None)


class PageFetcher:
    """Fetches pages, many at once. One thread submits requests and takes results.

    Redirects are followed, each checked as the first URL was: by the robots.txt of its host, and by the address that is
    dialled. It raises nothing: why no answer came, or why one proves nothing, is in `FetchedPage.refused`.

    Args:
        options: How pages are fetched.
        named: The URLs that the caller named.
        most_bytes: How many bytes of a page are received.
        resolve: Returns the addresses of a host.

    Example:
        >>> from urlset import Http
        >>> fetcher = PageFetcher(Http(timeout=2), ["http://shop.invalid/"])
        >>> fetcher.submit(Request("http://shop.invalid/"))
        >>> [page] = fetcher.results()
        >>> page.status, page.refused
        (None, 'robots')
        >>> fetcher.close()
    """

    def __init__(
        self, options: Http, named: Iterable[str], *, most_bytes: int = MAX_BYTES, resolve: Resolve = addresses_of
    ) -> None:
        self.options = options
        self._agent = agent_of(options)
        self._named = NamedSites(named)
        self._most_bytes = most_bytes
        self._transport = Transport(options, self._named, resolve)
        self._robots = Robots(self._agent, self._robots_text)
        self._lock = threading.Lock()
        self._work = threading.Condition(self._lock)
        self._ended = threading.Condition(self._lock)
        self._queues: Queues[_Job] = Queues(options.per_host)
        self._results: list[FetchedPage] = []
        self._held = 0
        self._bytes = 0
        self._begin = time.monotonic()
        self._failure: BaseException | None = None
        self._is_closed = False
        #: How many requests have no result yet that was taken.
        self.pending = 0
        self._threads: list[threading.Thread] = []

    def submit(self, request: Request) -> None:
        """Request a page, as soon as it is its turn."""
        try:
            job = _Job(request, sent_url(request.url))
        except FetchError as error:
            with self._lock:
                self.pending += 1
                self._finish(_Job(request, request.url), None, str(error), None)
            return
        with self._lock:
            self.pending += 1
            self._queues.put(_host(job.now), job)
            if len(self._threads) < min(self.options.concurrency, self.pending):
                thread = threading.Thread(target=self._run, daemon=True, name="urlset page fetcher")
                self._threads.append(thread)
                thread.start()
            self._work.notify()

    def results(self) -> list[FetchedPage]:
        """Return the pages whose fetching has ended since the last call.

        It waits for one while there are requests pending.
        """
        with self._lock:
            while self.pending and not self._results and self._failure is None:
                self._ended.wait()
            if self._failure is not None:
                raise self._failure
            found, self._results = self._results, []
            self._held = 0
            self.pending -= len(found)
            self._work.notify_all()
        return found

    def robots_text(self, url: str) -> bytes | None:
        """Return the robots.txt of a URL's host, empty if the host has none; None if it cannot be read."""
        return self._robots.text(url)

    def close(self) -> None:
        """Close all connections, and end what is on its way."""
        with self._lock:
            self._is_closed = True
            self._work.notify_all()
        self._transport.close()
        for thread in self._threads:
            thread.join()

    # --- in the threads ------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while (taken := self._take()) is not None:
            host, job = taken
            try:
                self._step(job)
            except BaseException as error:  # an error of our own: whoever waits for results gets it
                with self._lock:
                    self._failure = self._failure or error
                    self._ended.notify_all()
            finally:
                with self._lock:
                    self._queues.done(host)
                    self._work.notify()

    def _take(self) -> tuple[str, _Job] | None:
        """Wait for the next request; None at the end."""
        with self._lock:
            while not self._is_closed:
                found = 1.0 if self._held > _MAX_HELD else self._queues.take()
                if isinstance(found, tuple):
                    return found
                self._work.wait(min(found, 60.0))
        return None

    def _step(self, job: _Job) -> None:
        """Send one request for a page, and end the job or let it wait for its next request."""
        problem, refused = self._obstacle(job)
        if problem is not None:
            self._end(job, None, problem, refused)
            return
        job.begin = job.begin or time.monotonic()
        job.attempts += 1
        try:
            answer = self._exchange(job)
        except CodingError as error:
            self._end(job, None, str(error), None)
            return
        except Exception as error:
            problem = problem_of(error)
            if problem is None:
                raise
            if not (is_passing(error) and self._again(job, 2.0 ** (job.attempts - 1))):
                self._end(job, None, problem, _refused(error))
            return
        if answer.status in RETRIED and self._retry(job, answer):
            return
        if answer.status in REDIRECTS and self._redirect(job, answer):
            return
        self._end(job, answer, None, None)

    def _obstacle(self, job: _Job) -> tuple[str | None, Refused | None]:
        """Return why a page must not be requested now, and what kind of reason that is."""
        if (spent := self.spent()) is not None:
            return spent, "bound"
        delay = 0.0
        if self.options.obey_robots:
            if (problem := self._robots.problem(job.now)) is not None:
                return f"not fetched, because {problem}", "robots"
            delay = self._robots.delay(job.now)
        with self._lock:
            self._queues.open(_host(job.now), delay)
            self._work.notify()
        return None, None

    def spent(self) -> str | None:
        """Return which bound of the whole run is reached; None if none is."""
        if self._bytes >= self.options.max_bytes:
            return f"the run has received {self.options.max_bytes:,} bytes (max_bytes)"
        if time.monotonic() - self._begin >= self.options.max_seconds:
            return f"the run has taken {self.options.max_seconds:,.0f} seconds (max_seconds)"
        return None

    def _exchange(self, job: _Job) -> _Answer:
        request, sent = job.request, time.monotonic()
        headers = self._headers(job.now)
        if not job.hops:
            headers |= dict(request.headers)
        with self._transport.deadline(job.begin + self.options.seconds):
            response = self._transport.request(job.now, headers, request.method)
            try:
                found = tuple(
                    (name.decode("latin-1").lower(), text.decode("latin-1")) for name, text in response.headers
                )
                coding = next((text for name, text in found if name == "content-encoding"), None)
                # Without a body there is no compression either, whatever the headers say.
                has_body = request.method != "HEAD" and response.status not in (204, 304)
                most = self._most_bytes if has_body else 0
                body, is_cut = unpacked(response.iter_stream(), coding if has_body else None, most)
            finally:
                response.close()
        return _Answer(response.status, found, body, is_cut and has_body, time.monotonic() - sent)

    def _headers(self, url: str) -> dict[str, str]:
        parts = urlsplit(url)
        headers = {
            "Host": parts.netloc.rpartition("@")[2],
            "User-Agent": self._agent,
            "Accept": "text/html, application/xhtml+xml;q=0.9, */*;q=0.8",
            "Accept-Encoding": CODINGS,
        }
        # A secret is for the sites that the caller named, and not for those that they redirect to.
        return headers | dict(self.options.headers) if self._named.includes(url) else headers

    def _robots_text(self, url: str) -> RobotsText:
        def headers(now: str) -> dict[str, str]:
            return self._headers(now) | {"Accept": "text/plain, */*;q=0.8", "Accept-Encoding": "identity"}

        return fetch_robots(self._transport, self.options, url, headers)

    # --- what an answer leads to ---------------------------------------------------------------------------------

    def _retry(self, job: _Job, answer: _Answer) -> bool:
        """Ask again later, if the status may pass. A server that says when is left alone until then."""
        asked = retry_after(answer.header("retry-after"))
        if asked is not None and asked > _LONGEST_PAUSE:
            return False
        pause = 2.0 ** (job.attempts - 1) if asked is None else asked
        if asked is not None and answer.status in (429, 503):
            with self._lock:
                self._queues.hold(_host(job.now), time.monotonic() + asked)
        return self._again(job, pause)

    def _again(self, job: _Job, pause: float) -> bool:
        """Let a job ask again after a pause; return False if it has asked often enough."""
        at = time.monotonic() + min(pause, _LONGEST_PAUSE)
        if job.attempts > self.options.retries or at - job.begin > self.options.seconds:
            return False
        with self._lock:
            self._queues.put_later(_host(job.now), job, at)
            self._work.notify()
        return True

    def _redirect(self, job: _Job, answer: _Answer) -> bool:
        """Let a job request what a redirect leads to; return False if it leads nowhere."""
        target = answer.header("location")
        if target is None:
            return False
        if len(job.hops) >= self.options.redirects:
            self._end(job, answer, f"more than {self.options.redirects} redirects", None)
            return True
        try:
            after = redirected(job.now, target)
        except FetchError as error:
            self._end(job, answer, str(error), None)
            return True
        job.hops.append((job.now, answer.status))
        job.now, job.attempts = after, 0
        with self._lock:
            self._queues.put(_host(after), job, is_first=True)
            self._work.notify()
        return True

    def _end(self, job: _Job, answer: _Answer | None, problem: str | None, refused: Refused | None) -> None:
        if answer is not None and refused is None:
            whose = challenge(answer.headers, answer.body)
            if whose is not None:
                problem, refused = f"a challenge page of {whose} blocks it", "bot challenge"
            elif answer.status in CHALLENGE_STATUSES:
                refused = "bot challenge"
        with self._lock:
            self._finish(job, answer, problem, refused)

    def _finish(self, job: _Job, answer: _Answer | None, problem: str | None, refused: Refused | None) -> None:
        """Make the result of a job. The caller holds the lock."""
        page = FetchedPage(
            url=job.request.url,
            hops=tuple(job.hops),
            final_url=job.now,
            status=None if answer is None else answer.status,
            headers=() if answer is None else answer.headers,
            body=b"" if answer is None else answer.body,
            is_cut=answer is not None and answer.is_cut,
            method=job.request.method,
            seconds=0.0 if answer is None else answer.seconds,
            fetched=datetime.now(UTC),
            problem=problem,
            refused=refused,
            tag=job.request.tag,
        )
        self._held += len(page.body)
        self._bytes += len(page.body)
        self._results.append(page)
        self._ended.notify()


def _host(url: str) -> str:
    return urlsplit(url).netloc.lower()


def _refused(error: BaseException) -> Refused:
    """Return what kind of reason kept a server from answering."""
    if isinstance(error, AddressError):
        return "private address"
    if isinstance(error, DeadlineError | httpcore2.TimeoutException):
        return "timeout"
    if tls_problem(error) is not None:
        return "tls"
    return "dns" if isinstance(error, HostError) else "connection"
