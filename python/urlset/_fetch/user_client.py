"""The caller's own client, with its authentication, cookies and proxies, for the sites that the caller named."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING

from urlset import _core
from urlset._fetch.addresses import AddressPolicy
from urlset._fetch.exchange import Exchange, Fault, ServerAnswer, TransportEvent
from urlset._fetch.robots import site_of

if TYPE_CHECKING:
    import httpx2

#: The longest that `close` waits for threads, some of which may be in the resolver of the system.
_PATIENCE = 5.0
_NO_ANSWER = ServerAnswer(is_whole=False)


@dataclass(slots=True)
class _Request:
    """A request that is on its way."""

    exchange: Exchange
    number: int
    url: str
    headers: Mapping[str, str]
    #: The seconds that are left for it, and those that it took.
    left: float
    #: Whether the address may be private; None if the policy says that.
    private: bool | None
    took: float = 0.0
    received: int = 0
    #: What its body goes into, or None if nobody wants it: known once the headers were looked at.
    into: SimpleQueue[_core.Pipe | None] = field(default_factory=SimpleQueue)
    is_cancelled: bool = False

    def rest(self) -> float:
        """Return the seconds that are left. Raises _DeadlineError if there are none."""
        if self.left <= self.took:
            raise _DeadlineError
        return self.left - self.took


class _DeadlineError(Exception):
    """An exchange took longer than it may."""


class _AddressError(Exception):
    """The client has reached an address that it must not reach."""


class ClientRequests:
    """Sends requests by a client that blocks: each request that is on its way has a thread.

    Args:
        client: The client.
        timeout: Seconds that each of its waits may take.
        policy: Which addresses may be reached.
        wake: Called when something has happened.
    """

    def __init__(
        self, client: httpx2.Client, timeout: float, policy: AddressPolicy, wake: Callable[[], object]
    ) -> None:
        self._client = client
        self._timeout = timeout
        self._policy = policy
        self._wake = wake
        self._events: deque[TransportEvent] = deque()
        self._requests: dict[int, _Request] = {}
        self._queue: SimpleQueue[_Request | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def start(
        self, exchange: Exchange, url: str, headers: Mapping[str, str], seconds: float, *, private: bool | None
    ) -> None:
        """Send the request that an exchange has come to, to a URL. It may take so many seconds.

        The policy says whether the address may be private, unless `private` does.
        """
        request = _Request(exchange, exchange.number, url, headers, seconds, private)
        self._requests[request.number] = request
        if len(self._threads) < len(self._requests):
            thread = threading.Thread(target=self._run, daemon=True, name="urlset client")
            self._threads.append(thread)
            thread.start()
        self._queue.put(request)

    def take(self) -> list[TransportEvent]:
        """Return what has happened."""
        found = [self._events.popleft() for _ in range(len(self._events))]
        for event in found:
            if event.kind != "head":
                self._requests.pop(event.number, None)
        return found

    def pour(self, number: int, pipe: _core.Pipe) -> bool:
        """Pass on the body of an answer whose headers are there; return False if it is not one of these."""
        request = self._requests.get(number)
        if request is not None:
            request.into.put(pipe)
        return request is not None

    def cancel(self, number: int) -> None:
        """Receive no more of an answer."""
        request = self._requests.get(number)
        if request is not None:
            request.is_cancelled = True
            request.into.put(None)

    def close(self) -> None:
        """End all requests. The client stays open: it is the caller's."""
        for number in list(self._requests):
            self.cancel(number)
        threads, self._threads = self._threads, []
        for _ in threads:
            self._queue.put(None)
        end = time.monotonic() + _PATIENCE
        for thread in threads:
            thread.join(max(end - time.monotonic(), 0.0))

    # --- in the threads ------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while (request := self._queue.get()) is not None:
            self._tell(self._end_of(request))

    def _tell(self, event: TransportEvent) -> None:
        self._events.append(event)
        self._wake()

    def _end_of(self, request: _Request) -> TransportEvent:
        """Send a request, and return how it has ended."""
        try:
            begin = time.monotonic()
            response = self._send(request)
            request.took = time.monotonic() - begin
            try:
                answer = _answer(request, response)
                most = request.exchange.most
                if most is None:
                    return self._poured(request, response, answer)
                return _collected(request, response, answer, most)
            finally:
                response.close()
        except Exception as error:
            answer = _NO_ANSWER._replace(received=request.received, seconds=round(request.took, 6))
            return TransportEvent(request.number, "failed", answer, _fault(error))

    def _send(self, request: _Request) -> httpx2.Response:
        """Send a request, follow no redirect, and return the response once its headers are there."""
        wait = min(self._timeout, request.rest())
        built = self._client.build_request(
            request.exchange.method,
            request.url,
            headers=dict(request.headers),
            content=request.exchange.content,
            timeout=wait,
        )
        response = self._client.send(built, stream=True, follow_redirects=False)
        # The client dials by itself, so what it has reached is judged before anything of it is read.
        stream = response.extensions.get("network_stream")
        server = None if stream is None else stream.get_extra_info("server_addr")
        address = None if server is None else str(server[0])
        is_public = address is not None and _core.is_public_address(address)
        site = site_of(request.url)
        private = self._policy.allows_private(site) if request.private is None else request.private
        if not is_public and not private:
            response.close()
            raise _AddressError(f"{built.url.host} is {address or 'unknown'}")
        if request.private is None:
            self._policy.see(site, address)
        return response

    def _poured(self, request: _Request, response: httpx2.Response, answer: ServerAnswer) -> TransportEvent:
        """Pass on the body of an answer as somebody takes it."""
        self._tell(TransportEvent(request.number, "head", answer))
        pipe = request.into.get()
        is_whole = pipe is not None and all(map(pipe.write, _chunks(request, response)))
        return TransportEvent(request.number, "done", _ended(request, answer, is_whole=is_whole))


def _collected(request: _Request, response: httpx2.Response, answer: ServerAnswer, most: int) -> TransportEvent:
    """Collect the first bytes of a body."""
    # Without a body there is no compression either, whatever the headers say.
    has_body = request.exchange.method != "HEAD" and answer.status not in (204, 304)
    content = _core.Content(answer.header("content-encoding") or "" if has_body else "", most if has_body else 0)
    is_over = False
    for chunk in _chunks(request, response):
        if is_over := content.feed(chunk):
            break
    body, is_cut = content.finish()
    answer = _ended(request, answer, is_whole=not is_over)
    return TransportEvent(request.number, "done", answer._replace(body=body, is_cut=is_cut and has_body))


def _chunks(request: _Request, response: httpx2.Response) -> Iterator[bytes]:
    """Yield a body as it comes, as long as the time lasts: the time in which nobody takes it does not count."""
    chunks = response.iter_raw()
    while not request.is_cancelled:
        request.rest()
        begin = time.monotonic()
        try:
            chunk = next(chunks, None)
        finally:
            request.took += time.monotonic() - begin
        if chunk is None:
            return
        request.received += len(chunk)
        yield chunk


def _answer(request: _Request, response: httpx2.Response) -> ServerAnswer:
    headers = tuple((name.decode("latin-1").lower(), text.decode("latin-1")) for name, text in response.headers.raw)
    return ServerAnswer(response.status_code, headers, seconds=round(request.took, 6))


def _ended(request: _Request, answer: ServerAnswer, *, is_whole: bool) -> ServerAnswer:
    """Return an answer whose body has ended.

    Its end is certain if its length is stated or it comes in chunks: any other body ends with the connection, whoever
    ends that. Source: RFC 9112, 6.3.
    """
    is_marked = answer.header("content-length") is not None or answer.header("transfer-encoding") is not None
    is_whole = is_whole and is_marked and not request.is_cancelled
    return answer._replace(is_whole=is_whole, received=request.received, seconds=round(request.took, 6))


def _fault(error: Exception) -> Fault:
    """Return what kept the client from an answer."""
    import httpx2  # noqa: PLC0415  (whoever has a client has it)

    if isinstance(error, _AddressError):
        return Fault(f"a private address, which this run may not reach: {error}", "private address")
    if isinstance(error, _DeadlineError):
        return Fault("the server took too long", "timeout", is_passing=True)
    if isinstance(error, ValueError):  # of the core
        return Fault(str(error))
    if isinstance(error, httpx2.TimeoutException):
        return Fault("the server did not answer in time", "timeout", is_passing=True)
    for kind, problem in (
        (httpx2.ConnectError, "no connection"),
        (httpx2.ProtocolError, "the answer is not valid HTTP"),
        (httpx2.TransportError, "the connection broke"),
    ):
        if isinstance(error, kind):
            return Fault(f"{problem}: {error}", "connection", is_passing=True)
    return Fault(f"an error of the client: {error!r}", error=error)
