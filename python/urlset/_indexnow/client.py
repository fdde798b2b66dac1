"""The HTTP side of IndexNow: check the key file, post batches, and interpret the responses.

At most 1 kB of a response is read, a request ends after its timeout whatever the server does, and the number and length
of pauses are limited. Cookies are not kept, and every request has its own connection. Proxies and certificates are
those that the environment names (HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE), because many networks have no other way out.
The key is shortened in all messages, including the logs of httpx2.

Source of the requests and of what the responses mean: the IndexNow protocol.
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
from typing import TYPE_CHECKING, Any, Final

import urlset
from urlset._indexnow.address import Target, escape_loc, mask_key, without_query
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
#: The most redirects of a key file that are followed.
MAX_REDIRECTS: Final = 5
#: The most bytes of a response that are read: a key has at most 128, and the first sentence of a refusal is enough.
MAX_BYTES: Final = 1024
#: The most seconds to wait when a server asks for it. If it asks for more, the user can submit again later.
LONGEST_WAIT: Final = 600.0
#: The most seconds between attempts when the server does not ask for a time.
LONGEST_BACKOFF: Final = 60.0
#: The most characters of a server's text that an error quotes.
MAX_QUOTED: Final = 200
#: The most pages that an error names.
NAMED: Final = 3

#: Why an endpoint refused, whose fault it is, and what to do.
_REFUSALS: Final = {
    400: "reports a malformed request, which is caused by urlset or by one of these pages",
    403: "does not accept the key. It must be able to read {key_file}: check whether a firewall, a login or a "
    "robots.txt blocks it, then submit again",
    413: "reports that the request is too large: submit again with a smaller batch",
    422: "reports that a page is not on {host}, or does not match the key: check the published set and the location "
    "of the key file",
}
_LOGGERS: Final = ("httpx2", "httpcore2.http11")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to wait: `timeout` seconds for a request, and `retries` after its first attempt.

    `wait` sleeps for some seconds. `jitter` returns a number from 0 to 1. `now` is used if a response has no Date.
    """

    timeout: float
    retries: int
    wait: Callable[[float], object]
    jitter: Callable[[], float]
    now: datetime

    def pause(self, attempt: int, headers: Mapping[str, str]) -> float:
        """Return the seconds before the next attempt: as the response asks, else 1, 2, 4 …, less up to half of that."""
        requested = retry_after(headers, self.now)
        return min(2.0**attempt, LONGEST_BACKOFF) * (1 - self.jitter() / 2) if requested is None else requested


@dataclass(frozen=True, slots=True)
class _Reply:
    """A response. `body` has its first bytes, up to one more than a key file may have."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _UnreachableError(Exception):
    """There was no complete response. The message continues a sentence that begins with "the endpoint ..."."""


class IndexNowClient:
    """A client of one endpoint with one key."""

    def __init__(self, key: str, target: Target, retry_policy: RetryPolicy, *, allow_http: bool) -> None:
        self._key = key
        self._target = target
        self._retry_policy = retry_policy
        self._allow_http = allow_http

    def check_key_file(self) -> None:
        """Check that the key file contains the key, as the engines will.

        Raises:
            FetchError: It does not, or cannot be fetched; the message says what to put where.
        """
        url = self._target.key_file
        for _ in range(MAX_REDIRECTS + 1):
            reply = self._answer("the key file", "GET", url)
            if reply.status not in REDIRECTS:
                break
            url = self._redirected(url, reply)
        else:
            raise self._no_key_file(f"redirects more than {MAX_REDIRECTS} times")
        if reply.status != RECEIVED:
            raise self._no_key_file(f"returns status {reply.status}")
        if len(reply.body) > MAX_BYTES:
            raise self._no_key_file("is larger than 1 kB")
        text = reply.body.decode("utf-8-sig", errors="replace").strip()
        if text != self._key:
            # Its content is not shown: it may be the correct key, and the argument a typo.
            found = "is an HTML page" if text.startswith("<") else "does not contain the key"
            raise self._no_key_file(found if text else "is empty")

    def post(self, locs: Sequence[str]) -> int:
        """Post a batch, and return the status that acknowledges it: 200 or 202.

        Raises:
            FetchError: It was not acknowledged.
        """
        target = self._target
        body: dict[str, Any] = {"host": target.host, "key": self._key}
        if target.key_location is not None:
            body["keyLocation"] = target.key_location
        body["urlList"] = [escape_loc(loc) for loc in locs]
        reply = self._answer("the endpoint", "POST", target.endpoint, json.dumps(body).encode())
        if reply.status in ACKNOWLEDGED:
            return reply.status
        raise FetchError(self._mask(self._refusal(reply, locs)))

    def _refusal(self, reply: _Reply, locs: Sequence[str]) -> str:
        target = self._target
        start = f"the endpoint {without_query(target.endpoint)} returns status {reply.status}"
        if reply.status in REDIRECTS:
            location = self._quoted(reply.headers.get("location", "nowhere"))
            return f"{start} and redirects to {location}: posts are not redirected, so pass the correct endpoint"
        reason = _REFUSALS.get(reply.status)
        if reason is None:
            return f"{start}, which IndexNow does not define: is it an IndexNow endpoint?{self._body_quote(reply)}"
        sentence = f"{start}: it {reason.format(host=target.host, key_file=target.key_file)}"
        if reply.status in (400, 422):
            more = f" and {len(locs) - NAMED:,} more" if len(locs) > NAMED else ""
            sentence += f": {', '.join(escape_controls(loc) for loc in locs[:NAMED])}{more}"
        return sentence + self._body_quote(reply)

    def _redirected(self, url: str, reply: _Reply) -> str:
        """Return the URL, on the same host, to which the key file redirects."""
        import httpx2  # noqa: PLC0415  (of the extra)

        try:
            location = httpx2.URL(url).join(reply.headers.get("location", ""))
        except httpx2.InvalidURL:
            raise self._no_key_file("redirects to an invalid URL") from None
        if location.netloc != httpx2.URL(url).netloc:
            raise self._no_key_file(f"redirects to another host, {self._quoted(location.host)}")
        if location.scheme != "https" and not self._allow_http:
            raise self._no_key_file("redirects to a URL that is not https")
        return str(location)

    def _no_key_file(self, trouble: str) -> FetchError:
        return FetchError(
            self._mask(
                f"the key file {self._target.key_file} {trouble}: put a text file there that contains only the key, or "
                "pass its URL as key_location; nothing was sent"
            )
        )

    def _answer(self, what: str, method: str, url: str, content: bytes | None = None) -> _Reply:
        """Return the final response. A request is repeated after status 429, a server error or a connection error."""
        for attempt in range(self._retry_policy.retries + 1):
            headers: Mapping[str, str] = {}
            try:
                reply = self._request(method, url, content)
                if reply.status != TOO_MANY and reply.status < FAULT_OF_SERVER:
                    return reply
                headers, trouble = reply.headers, f"returns status {reply.status}{self._body_quote(reply)}"
            except _UnreachableError as error:
                trouble = str(error)
            pause = self._retry_policy.pause(attempt, headers)
            if pause > LONGEST_WAIT:
                requested = self._quoted(headers["retry-after"])
                trouble += f", and asks to wait for more than 10 minutes (Retry-After: {requested}): submit again then"
                break
            if attempt < self._retry_policy.retries:
                self._retry_policy.wait(pause)
        else:
            trouble += f", {plural(attempt + 1, 'time')}: submit again later, or to another endpoint"
        raise FetchError(self._mask(f"{what} {without_query(url)} {trouble}"))

    def _request(self, method: str, url: str, content: bytes | None) -> _Reply:
        """Send one request, and return the beginning of its response."""
        import httpx2  # noqa: PLC0415  (of the extra)

        headers = {"User-Agent": f"urlset/{urlset.__version__}", "Accept": "*/*", "Accept-Encoding": "identity"}
        if content is not None:
            headers["Content-Type"] = "application/json; charset=utf-8"
        deadline = _Deadline(self._retry_policy.timeout)
        extensions = {"trace": deadline.trace}
        try:
            with (
                _masked_logs(self._mask),
                _opened(self._retry_policy.timeout) as client,
                deadline,
                client.stream(method, url, content=content, headers=headers, extensions=extensions) as response,
            ):
                # The status is the acknowledgement, even if the body after it is incomplete.
                acknowledged = method == "POST" and response.status_code in ACKNOWLEDGED
                body = b"" if acknowledged else _head(response)
                if deadline.passed and not acknowledged:
                    raise _UnreachableError(self._late())
                return _Reply(response.status_code, response.headers, body)
        # The last two come from invalid host names and ports.
        except (httpx2.TransportError, UnicodeError, OverflowError) as error:
            if deadline.passed or isinstance(error, httpx2.TimeoutException):
                raise _UnreachableError(self._late()) from None
            reason = self._quoted(str(error)) or type(error).__name__
            raise _UnreachableError(f"cannot be reached: {reason}") from None

    def _late(self) -> str:
        return f"did not send a complete response within {self._retry_policy.timeout:g} s"

    def _body_quote(self, reply: _Reply) -> str:
        """Return the text of a response in brackets, if it has one."""
        text = self._quoted(reply.body.decode("utf-8", errors="replace"))
        return f" (it says: {text})" if text else ""

    def _quoted(self, text: str) -> str:
        """Return a server's text as one short line. The key is masked first, so that no part of it can remain."""
        text = escape_controls(" ".join(self._mask(text).split()))
        return text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED] + "…"

    def _mask(self, text: str) -> str:
        return text.replace(self._key, mask_key(self._key))


class _Deadline:
    """Closes the connection of a request when its time is over.

    The timeouts of httpx2 apply to single reads and writes, so a server that sends a byte now and then could keep a
    request open for hours.
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
        """Take the connection from the trace events of httpcore2: first plain, then wrapped in TLS."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._socket = info["return_value"].get_extra_info("socket")
            if self.passed:
                self._cut()

    def _pass(self) -> None:
        self.passed = True
        self._cut()

    def _cut(self) -> None:
        # Not the method of a TLS socket, which would remove its state while another thread reads from it.
        if self._socket is not None:
            with suppress(OSError):
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


class _Masking(logging.Filter):
    """Masks the key in log records."""

    def __init__(self, mask: Callable[[str], str]) -> None:
        super().__init__()
        self._mask = mask

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if self._mask(message) != message:
            record.msg, record.args = self._mask(message), ()
        return True


@contextmanager
def _masked_logs(mask: Callable[[str], str]) -> Iterator[None]:
    """Mask the key in the logs of httpx2, which have the URL of the key file, and so the key."""
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
        # Their own messages would show the password of the proxy.
        raise InputError("the proxy in the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY) cannot be used") from None


def _head(response: httpx2.Response) -> bytes:
    """Return the first bytes of a response as received: one more than the limit, to detect a longer one."""
    body = b""
    for piece in response.iter_raw():
        body += piece
        if len(body) > MAX_BYTES:
            break
    return body[: MAX_BYTES + 1]


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that Retry-After asks for, as a number or a date; None if it is missing or invalid.

    A date is compared with the server's own clock, its Date header. Source: RFC 9110, Retry-After.
    """
    value = headers.get("retry-after", "").strip()
    if re.fullmatch("[0-9]+", value):
        return float(value)
    moment = _http_date(value)
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
