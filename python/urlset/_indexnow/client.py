"""The HTTP side of IndexNow: the key file is looked at, batches are posted, and answers are understood.

Of an answer at most 1 kB is read, a request ends after its seconds whatever the other side does, and how often and
how long is waited has a bound. No cookie is kept, and every request has a connection of its own. Proxies and
certificates are those that the environment names (HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE), because that is the one way
out of many networks. The key is shortened in whatever is told of it, logs of httpx2 included.

Source of what is sent and what answers mean: the IndexNow protocol.
"""

from __future__ import annotations

import json
import logging
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from urlset._indexnow.address import Target, escaped, masked, shown
from urlset._model.errors import FetchError, InputError
from urlset._util.text import escape_controls, plural

if TYPE_CHECKING:
    import httpx2

RECEIVED: Final = 200
KEY_CHECK_PENDING: Final = 202
ACKNOWLEDGED: Final = (RECEIVED, KEY_CHECK_PENDING)
TOO_MANY: Final = 429
FAULT_OF_SERVER: Final = 500
REDIRECTS: Final = (301, 302, 303, 307, 308)
#: Redirects of a key file that are followed.
MOST_REDIRECTS: Final = 5
#: Bytes of an answer that are read: a key has 128 at most, and of a refusal the first sentence is enough.
MOST_BYTES: Final = 1024
#: Seconds that are waited on request. Who is asked for more submits again later.
LONGEST_WAIT: Final = 600.0
#: Seconds between attempts where nothing was requested.
LONGEST_BACKOFF: Final = 60.0
#: Characters of foreign text that an error quotes.
MOST_QUOTED: Final = 200
#: Pages that an error names.
NAMED: Final = 3

#: Why an endpoint refused, whose fault it is, and what to do.
_REFUSALS: Final = {
    400: "takes the request for malformed, which is a fault of ours or of one of these pages",
    403: "does not accept the key. It has to be able to read {key_file} itself: look for a firewall, a login or a "
    "robots.txt in its way, then submit again",
    413: "finds the request too large: submit again with a smaller batch",
    422: "says that a page is not of {host}, or does not go with the key, which is a fault of the published set or of "
    "the key's place",
}
_LOGGERS: Final = ("httpx2", "httpcore2.http11")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is waited for what: `timeout` seconds for a request, `retries` after its first attempt.

    `wait` sleeps; `jitter` draws from 0 to 1; `now` stands in for the clock where an answer has no Date.
    """

    timeout: float
    retries: int
    wait: Callable[[float], object]
    jitter: Callable[[], float]
    now: datetime

    def pause(self, attempt: int, headers: Mapping[str, str]) -> float:
        """Seconds before the next attempt: as the answer asks, else 1, 2, 4 and so on, less up to a half by chance."""
        asked = retry_after(headers, self.now)
        return min(2.0**attempt, LONGEST_BACKOFF) * (1 - self.jitter() / 2) if asked is None else asked


@dataclass(frozen=True, slots=True)
class _Reply:
    """An answer; of `body` the first bytes, one more than a key file may have."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _UnreachableError(Exception):
    """There was no whole answer; the text goes on where "the endpoint ..." begins."""


class Client:
    """Speaks to one endpoint with one key."""

    def __init__(self, key: str, target: Target, patience: Patience, *, allow_http: bool) -> None:
        self._key = key
        self._target = target
        self._patience = patience
        self._allow_http = allow_http

    def check_key_file(self) -> None:
        """Looks whether the key file says the key, as the engines will.

        Raises:
            FetchError: it does not, or cannot be had; the text says what to put where.
        """
        url = self._target.key_file
        for _ in range(MOST_REDIRECTS + 1):
            reply = self._answer("the key file", "GET", url)
            if reply.status not in REDIRECTS:
                break
            url = self._redirected(url, reply)
        else:
            raise self._no_key_file(f"redirects more than {MOST_REDIRECTS} times")
        if reply.status != RECEIVED:
            raise self._no_key_file(f"answers {reply.status}")
        if len(reply.body) > MOST_BYTES:
            raise self._no_key_file("is larger than 1 kB")
        text = reply.body.decode("utf-8-sig", errors="replace").strip()
        if text != self._key:
            # What it holds is not told: it may be the right key, and the one given a slip.
            found = "is an HTML page" if text.startswith("<") else "holds something else than the key"
            raise self._no_key_file(found if text else "is empty")

    def post(self, locs: Sequence[str]) -> int:
        """Announces a batch, and gives the status by which it was acknowledged, 200 or 202.

        Raises:
            FetchError: it was not.
        """
        target = self._target
        body: dict[str, Any] = {"host": target.host, "key": self._key}
        if target.key_location is not None:
            body["keyLocation"] = target.key_location
        body["urlList"] = [escaped(loc) for loc in locs]
        reply = self._answer("the endpoint", "POST", target.endpoint, json.dumps(body).encode())
        if reply.status in ACKNOWLEDGED:
            return reply.status
        raise FetchError(self._shown(self._refusal(reply, locs)))

    def _refusal(self, reply: _Reply, locs: Sequence[str]) -> str:
        target = self._target
        who = f"the endpoint {shown(target.endpoint)} answers {reply.status}"
        if reply.status in REDIRECTS:
            place = self._quoted(reply.headers.get("location", "nowhere"))
            return f"{who} and leads to {place}: what is posted is not sent on, give the right endpoint"
        reason = _REFUSALS.get(reply.status)
        if reason is None:
            return f"{who}, which IndexNow does not know: is it an endpoint of IndexNow?{self._said(reply)}"
        sentence = f"{who}: it {reason.format(host=target.host, key_file=target.key_file)}"
        if reply.status in (400, 422):
            more = f" and {len(locs) - NAMED:,} more" if len(locs) > NAMED else ""
            sentence += f": {', '.join(escape_controls(loc) for loc in locs[:NAMED])}{more}"
        return sentence + self._said(reply)

    def _redirected(self, url: str, reply: _Reply) -> str:
        """Where a key file is instead, on the same host."""
        import httpx2  # noqa: PLC0415  (of the extra)

        try:
            place = httpx2.URL(url).join(reply.headers.get("location", ""))
        except httpx2.InvalidURL:
            raise self._no_key_file("redirects to something that is no URL") from None
        if place.netloc != httpx2.URL(url).netloc:
            raise self._no_key_file(f"redirects to another host, {self._quoted(place.host)}")
        if place.scheme != "https" and not self._allow_http:
            raise self._no_key_file("redirects to a place that is not https")
        return str(place)

    def _no_key_file(self, trouble: str) -> FetchError:
        return FetchError(
            self._shown(
                f"the key file {self._target.key_file} {trouble}: put a text file there that holds the key and "
                "nothing else, or give its place as key_location; nothing was sent"
            )
        )

    def _answer(self, what: str, method: str, url: str, content: bytes | None = None) -> _Reply:
        """The answer that settles it; too many requests, faults of the server and of the way there are tried again."""
        for attempt in range(self._patience.retries + 1):
            headers: Mapping[str, str] = {}
            try:
                reply = self._request(method, url, content)
                if reply.status != TOO_MANY and reply.status < FAULT_OF_SERVER:
                    return reply
                headers, trouble = reply.headers, f"answers {reply.status}{self._said(reply)}"
            except _UnreachableError as error:
                trouble = str(error)
            pause = self._patience.pause(attempt, headers)
            if pause > LONGEST_WAIT:
                asked = self._quoted(headers["retry-after"])
                trouble += f", and asks for more than 10 minutes of patience (Retry-After: {asked}): submit again then"
                break
            if attempt < self._patience.retries:
                self._patience.wait(pause)
        else:
            trouble += f", {plural(attempt + 1, 'time')}: submit again later, or to another endpoint"
        raise FetchError(self._shown(f"{what} {shown(url)} {trouble}"))

    def _request(self, method: str, url: str, content: bytes | None) -> _Reply:
        """One request and the beginning of its answer."""
        import httpx2  # noqa: PLC0415  (of the extra)

        headers = {"User-Agent": f"urlset/{version('urlset')}", "Accept": "*/*", "Accept-Encoding": "identity"}
        if content is not None:
            headers["Content-Type"] = "application/json; charset=utf-8"
        deadline = _Deadline(self._patience.timeout)
        extensions = {"trace": deadline.trace}
        try:
            with (
                _quiet(self._shown),
                _opened(self._patience.timeout) as client,
                deadline,
                client.stream(method, url, content=content, headers=headers, extensions=extensions) as response,
            ):
                # The status acknowledges, and a body that breaks off after it takes nothing back.
                acknowledged = method == "POST" and response.status_code in ACKNOWLEDGED
                body = b"" if acknowledged else _head(response)
                if deadline.passed and not acknowledged:
                    raise _UnreachableError(f"has given no whole answer within {self._patience.timeout:g} s")
                return _Reply(response.status_code, response.headers, body)
        # The last two come from names and ports that no socket can have.
        except (httpx2.TransportError, UnicodeError, OverflowError) as error:
            if deadline.passed or isinstance(error, httpx2.TimeoutException):
                raise _UnreachableError(f"has given no whole answer within {self._patience.timeout:g} s") from None
            reason = self._quoted(str(error)) or type(error).__name__
            raise _UnreachableError(f"cannot be reached: {reason}") from None

    def _said(self, reply: _Reply) -> str:
        """What an endpoint adds to its status."""
        text = self._quoted(reply.body.decode("utf-8", errors="replace"))
        return f" (it says: {text})" if text else ""

    def _quoted(self, text: str) -> str:
        """Foreign text in one line, fit for a terminal and not long. The key goes first: half of one is too much."""
        text = escape_controls(" ".join(self._shown(text).split()))
        return text if len(text) <= MOST_QUOTED else text[:MOST_QUOTED] + "…"

    def _shown(self, text: str) -> str:
        return text.replace(self._key, masked(self._key))


class _Deadline:
    """Cuts a request's connection once its time is over.

    The timeouts of httpx2 are of one read or write each, and a server that says a byte now and then would hold us
    for hours.
    """

    def __init__(self, seconds: float) -> None:
        self.passed = False
        self._socket: socket.socket | None = None
        self._timer = threading.Timer(seconds, self._pass)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._timer.join()

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """What httpcore2 tells of a request: here its connection, plain, then wrapped."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._socket = info["return_value"].get_extra_info("socket")
            if self.passed:
                self._cut()

    def _pass(self) -> None:
        self.passed = True
        self._cut()

    def _cut(self) -> None:
        # Not the method of a TLS socket, which would take its own state away under the thread that reads.
        if self._socket is not None:
            with suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


class _Masking(logging.Filter):
    """Shortens the key in lines of a log."""

    def __init__(self, mask: Callable[[str], str]) -> None:
        super().__init__()
        self._mask = mask

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        if self._mask(said) != said:
            record.msg, record.args = self._mask(said), ()
        return True


@contextmanager
def _quiet(mask: Callable[[str], str]) -> Iterator[None]:
    """httpx2 logs the URLs that it asks for, and that of a key file has the key for its name."""
    masking = _Masking(mask)
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(masking)
    try:
        yield
    finally:
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(masking)


def _opened(timeout: float) -> httpx2.Client:
    import httpx2  # noqa: PLC0415  (of the extra)

    try:
        return httpx2.Client(timeout=timeout, follow_redirects=False)
    except (ValueError, ImportError, httpx2.InvalidURL):
        # Their own text would have the proxy's password.
        raise InputError(
            "the proxy that the environment names (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY) cannot be used"
        ) from None


def _head(response: httpx2.Response) -> bytes:
    """The first bytes of an answer as they come, packed or not: one more than are wanted, to know of more."""
    body = b""
    for piece in response.iter_raw():
        body += piece
        if len(body) > MOST_BYTES:
            break
    return body[: MOST_BYTES + 1]


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that Retry-After asks for, by number or by date; None where it is absent or says nothing.

    A date is measured by the server's own clock, its Date. Source: RFC 9110, Retry-After.
    """
    asked = headers.get("retry-after", "").strip()
    if re.fullmatch("[0-9]+", asked):
        return float(asked)
    moment = _http_date(asked)
    if moment is None:
        return None
    since = _http_date(headers.get("date", "")) or now
    return max((moment - since).total_seconds(), 0.0)


def _http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
