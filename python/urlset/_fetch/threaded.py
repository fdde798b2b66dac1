"""A transport over connections that block: each request that is on its way has a thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from queue import SimpleQueue
from urllib.parse import urlsplit

import httpcore2

from urlset import _core
from urlset._fetch.addresses import AddressError
from urlset._fetch.connections import (
    Connections,
    DeadlineError,
    HostError,
    Resolve,
    Response,
    addresses_of,
    is_passing,
    problem_of,
)
from urlset._fetch.exchange import Exchange, Fault, TransportEvent
from urlset._fetch.named import NamedSites
from urlset._fetch.tls import tls_problem
from urlset._fetch.unpack import CodingError, unpacked
from urlset._model.fetched_pages import Refused
from urlset._options.http import Http

__all__ = ["Resolve", "ThreadedTransport", "addresses_of"]

#: The longest that `close` waits for threads, some of which may be in the resolver of the system.
_PATIENCE = 5.0


@dataclass(slots=True)
class _Request:
    """A request that is on its way."""

    number: int
    method: str
    url: str
    headers: Mapping[str, str]
    most: int | None
    #: The seconds that are left for it, and those that it took.
    left: float
    took: float = 0.0
    received: int = 0
    #: What its body goes into, or None if nobody wants it: known once the headers were looked at.
    into: SimpleQueue[_core.Pipe | None] = field(default_factory=SimpleQueue)
    is_cancelled: bool = False


class ThreadedTransport:
    """Sends requests over connections that block, each on a thread.

    Args:
        options: How documents are fetched.
        named: The sites that the caller named.
        resolve: Returns the addresses of a host.
    """

    def __init__(self, options: Http, named: NamedSites, resolve: Resolve = addresses_of) -> None:
        self._connections = Connections(options, named, resolve)
        self._changed = threading.Condition()
        self._events: list[TransportEvent] = []
        self._is_woken = False
        self._requests: dict[int, _Request] = {}
        self._queue: SimpleQueue[_Request | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def start(self, exchange: Exchange, headers: Mapping[str, str], seconds: float) -> None:
        """Send the request that an exchange has come to. It may take so many seconds."""
        host = urlsplit(exchange.now).netloc
        request = _Request(
            exchange.number, exchange.method, exchange.now, {"Host": host} | dict(headers), exchange.most, seconds
        )
        self._requests[request.number] = request
        if len(self._threads) < len(self._requests):
            thread = threading.Thread(target=self._run, daemon=True, name="urlset transport")
            self._threads.append(thread)
            thread.start()
        self._queue.put(request)

    def take(self, seconds: float) -> list[TransportEvent]:
        """Return what has happened. It waits for that, at most so many seconds and until `wake` is called."""
        with self._changed:
            if not self._events and not self._is_woken:
                self._changed.wait(seconds)
            self._is_woken = False
            found, self._events = self._events, []
        for event in found:
            if event.kind != "head":
                self._requests.pop(event.number, None)
        return found

    def pour(self, number: int, pipe: _core.Pipe) -> None:
        """Pass on the body of an answer whose headers are there. Nothing is received while the pipe is full."""
        self._requests[number].into.put(pipe)

    def cancel(self, number: int) -> None:
        """Receive no more of an answer."""
        request = self._requests.get(number)
        if request is not None:
            request.is_cancelled = True
            request.into.put(None)

    def wake(self) -> None:
        """Let `take` return. Any thread may call it."""
        with self._changed:
            self._is_woken = True
            self._changed.notify()

    def close(self) -> None:
        """End all requests and connections."""
        self._connections.close()
        for number in list(self._requests):
            self.cancel(number)
        threads, self._threads = self._threads, []
        for _ in threads:
            self._queue.put(None)
        self.wake()
        end = time.monotonic() + _PATIENCE
        for thread in threads:
            thread.join(max(end - time.monotonic(), 0.0))

    # --- in the threads ------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while (request := self._queue.get()) is not None:
            self._tell(self._end_of(request))

    def _tell(self, event: TransportEvent) -> None:
        with self._changed:
            self._events.append(event)
            self._changed.notify()

    def _end_of(self, request: _Request) -> TransportEvent:
        """Send a request, and return how it has ended."""
        begin = time.monotonic()
        try:
            with self._connections.deadline(begin + request.left):
                response = self._connections.request(request.url, request.headers, request.method)
            try:
                request.took = time.monotonic() - begin
                if request.most is None:
                    return self._poured(request, response)
                with self._connections.deadline(begin + request.left):
                    return _collected(request, response, begin, request.most)
            finally:
                response.close()
        except CodingError as error:
            fault = Fault(str(error))
        except Exception as error:
            fault = _fault(error)
        return TransportEvent(request.number, "failed", received=request.received, seconds=request.took, fault=fault)

    def _poured(self, request: _Request, response: Response) -> TransportEvent:
        """Pass on the body of an answer as somebody takes it."""
        head = TransportEvent(request.number, "head", response.status, tuple(response.headers), seconds=request.took)
        self._tell(head)
        pipe = request.into.get()
        chunks = iter(response.iter_stream() if pipe is not None else ())
        while pipe is not None and not request.is_cancelled:
            begin = time.monotonic()
            try:
                with self._connections.deadline(begin + request.left - request.took):
                    chunk = next(chunks, b"")
            finally:
                request.took += time.monotonic() - begin
            request.received += len(chunk)
            if not chunk:
                is_whole = _has_end(response)
                return head._replace(kind="done", received=request.received, seconds=request.took, is_whole=is_whole)
            if not pipe.write(chunk):
                break
        return head._replace(kind="done", received=request.received, seconds=request.took, is_whole=False)


def _collected(request: _Request, response: Response, begin: float, most: int) -> TransportEvent:
    """Collect the first bytes of a body."""
    coding = next(
        (text.decode("latin-1") for name, text in response.headers if name.lower() == b"content-encoding"), ""
    )
    # Without a body there is no compression either, whatever the headers say.
    has_body = request.method != "HEAD" and response.status not in (204, 304)
    body, is_cut = unpacked(response.iter_stream(), coding if has_body else None, most if has_body else 0)
    return TransportEvent(
        request.number,
        "done",
        response.status,
        tuple(response.headers),
        body,
        is_cut=is_cut and has_body,
        is_whole=_has_end(response),
        received=len(body),
        seconds=time.monotonic() - begin,
    )


def _has_end(response: Response) -> bool:
    """Return whether the end of a body is certain, because its length is stated or it comes in chunks.

    Source: RFC 9112, 6.3: any other body ends with the connection, whoever ends that.
    """
    names = {name.lower() for name, _ in response.headers}
    return bool(names & {b"content-length", b"transfer-encoding"})


def _fault(error: Exception) -> Fault:
    problem = problem_of(error)
    if problem is None:
        return Fault(f"an error of urlset: {error!r}", error=error)
    return Fault(problem, _refused(error), is_passing=is_passing(error))


def _refused(error: BaseException) -> Refused:
    """Return what kind of reason kept a server from answering."""
    if isinstance(error, AddressError):
        return "private address"
    if isinstance(error, DeadlineError | httpcore2.TimeoutException):
        return "timeout"
    if tls_problem(error) is not None:
        return "tls"
    return "dns" if isinstance(error, HostError) else "connection"
