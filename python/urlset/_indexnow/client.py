"""The HTTP side of IndexNow: check the key file, post batches, and interpret the responses.

At most 1 kB of a response is read, a request ends after its timeout whatever the server does, and the number and length
of pauses are limited. The key is shortened in all messages.

Source of the requests and of what the responses mean: the IndexNow protocol.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import urlsplit

from urlset import _core
from urlset._fetch.answers import REDIRECTS, retry_after
from urlset._fetch.coding import PLAIN
from urlset._fetch.exchange import Exchange, Fault, Into, ServerAnswer
from urlset._fetch.pool import Pool
from urlset._indexnow.address import Target, escape_loc, mask_key, without_query
from urlset._model.errors import FetchError
from urlset._options.http import Http
from urlset._util.text import escape_controls, plural

RECEIVED: Final = 200
KEY_CHECK_PENDING: Final = 202
ACKNOWLEDGED: Final = (RECEIVED, KEY_CHECK_PENDING)
TOO_MANY: Final = 429
FAULT_OF_SERVER: Final = 500
#: The most redirects of a key file that are followed.
MAX_REDIRECTS: Final = 5
#: The most bytes of a response that are read: a key has at most 128, and the first sentence of a refusal is enough.
MAX_BYTES: Final = 1024
#: The most seconds to wait when a server asks for it. If it asks for more, the user can submit again later.
LONGEST_WAIT: Final = 600.0
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


class _Reply(NamedTuple):
    """A response: its status and headers, and the first bytes of its body, up to one more than a key file may have."""

    answer: ServerAnswer
    body: bytes = b""

    @property
    def status(self) -> int:
        return self.answer.status


class IndexNowClient:
    """A client of one endpoint with one key.

    Args:
        key: The key.
        target: The endpoint, and where the key is.
        timeout: Seconds that one request may take.
        retries: How often it is repeated.
        allow_http: Whether the key file may be without TLS.
    """

    def __init__(self, key: str, target: Target, timeout: float, retries: int, *, allow_http: bool) -> None:
        self._key = key
        self._target = target
        self._timeout = timeout
        self._allow_http = allow_http
        longest = (retries + 1) * (timeout + LONGEST_WAIT)
        options = Http(timeout=timeout, seconds=longest, retries=retries, redirects=MAX_REDIRECTS, obey_robots=False)
        self._pool = Pool(options, [target.endpoint, target.key_file], longest_pause=LONGEST_WAIT)

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    def check_key_file(self) -> None:
        """Check that the key file contains the key, as the engines will.

        Raises:
            FetchError: It does not, or cannot be fetched; the message says what to put where.
        """
        reply = self._reply("the key file", "GET", self._target.key_file)
        if reply.status != RECEIVED:
            raise self._no_key_file(f"returns status {reply.status}")
        if len(reply.body) > MAX_BYTES:
            raise self._no_key_file("is larger than 1 kB")
        text = reply.body.decode("utf-8-sig", errors="replace").strip()
        if text != self._key:
            # Its content is not shown: it may be the correct key, and the argument a typo.
            found = "is an HTML page" if text.startswith("<") else "does not contain the key"
            raise self._no_key_file(found if text else "is empty")

    def post(self, locs: Sequence[str]) -> bool:
        """Post a batch, and return whether it is only accepted for now, because the key is still being checked.

        Raises:
            FetchError: It was not acknowledged.
        """
        target = self._target
        body: dict[str, Any] = {"host": target.host, "key": self._key}
        if target.key_location is not None:
            body["keyLocation"] = target.key_location
        body["urlList"] = [escape_loc(loc) for loc in locs]
        reply = self._reply("the endpoint", "POST", target.endpoint, json.dumps(body).encode())
        if reply.status in ACKNOWLEDGED:
            return reply.status == KEY_CHECK_PENDING
        raise FetchError(self._mask(self._refusal(reply, locs)))

    def _refusal(self, reply: _Reply, locs: Sequence[str]) -> str:
        target = self._target
        start = f"the endpoint {without_query(target.endpoint)} returns status {reply.status}"
        if reply.status in REDIRECTS:
            location = self._quoted(reply.answer.header("location") or "nowhere")
            return f"{start} and redirects to {location}: posts are not redirected, so pass the correct endpoint"
        reason = _REFUSALS.get(reply.status)
        if reason is None:
            return f"{start}, which IndexNow does not define: is it an IndexNow endpoint?{self._body_quote(reply)}"
        sentence = f"{start}: it {reason.format(host=target.host, key_file=target.key_file)}"
        if reply.status in (400, 422):
            more = f" and {len(locs) - NAMED:,} more" if len(locs) > NAMED else ""
            sentence += f": {', '.join(escape_controls(loc) for loc in locs[:NAMED])}{more}"
        return sentence + self._body_quote(reply)

    def _astray(self, before: str, after: str) -> str | None:
        """Return why the key file must not redirect from one URL to another."""
        one, other = urlsplit(before), urlsplit(after)
        if one.netloc != other.netloc:
            return f"redirects to another host, {self._quoted(other.hostname or '')}"
        if other.scheme != "https" and not self._allow_http:
            return "redirects to a URL that is not https"
        return None

    def _no_key_file(self, trouble: str) -> FetchError:
        return FetchError(
            self._mask(
                f"the key file {self._target.key_file} {trouble}: put a text file there that contains only the key, or "
                "pass its URL as key_location; nothing was sent"
            )
        )

    def _reply(self, what: str, method: Literal["GET", "POST"], url: str, content: bytes | None = None) -> _Reply:
        """Return the final response.

        Raises:
            FetchError: There is none, or it says that the server has no time.
        """
        pipe = _core.Pipe()
        heads: list[ServerAnswer] = []

        def begin(exchange: Exchange, answer: ServerAnswer) -> Into:
            heads.append(answer)
            pipe.begin(exchange.now, None)
            if method == "POST" and answer.status in ACKNOWLEDGED:
                pipe.end()  # the status is the acknowledgement, whatever becomes of the body
                return "ended"
            return pipe

        def prepare(exchange: Exchange) -> dict[str, str] | None:
            problem = self._astray(exchange.hops[-1][0], exchange.now) if exchange.hops else None
            if problem is not None:
                pipe.end(self._no_key_file(problem))
            return None if problem is not None else {}

        def end(exchange: Exchange, answer: ServerAnswer | None, fault: Fault | None) -> None:
            pipe.end(None if fault is None else self._unanswered(what, exchange, answer, fault))

        exchange = Exchange(
            url,
            end,
            "*/*",
            PLAIN,
            most=None,
            begin=begin,
            prepare=prepare,
            method=method,
            content=content,
            each=self._timeout,
            headers=() if content is None else (("Content-Type", "application/json; charset=utf-8"),),
        )
        self._pool.submit(exchange)
        try:
            pipe.wait()
            reply = _Reply(heads[-1], _first(pipe, is_whole=method == "GET"))
        finally:
            pipe.close()
            self._pool.cancel(exchange)
        if reply.status == TOO_MANY or reply.status >= FAULT_OF_SERVER:
            raise self._busy(what, url, reply, exchange.attempts)
        return reply

    def _busy(self, what: str, url: str, reply: _Reply, attempts: int) -> FetchError:
        """Return what is said of a server that has no time."""
        trouble = f"returns status {reply.status}{self._body_quote(reply)}"
        if (retry_after(reply.answer) or 0.0) > LONGEST_WAIT:
            asked = self._quoted(reply.answer.header("retry-after") or "")
            trouble += f", and asks to wait for more than 10 minutes (Retry-After: {asked}): submit again then"
        else:
            trouble += f", {plural(attempts, 'time')}: submit again later, or to another endpoint"
        return FetchError(self._mask(f"{what} {without_query(url)} {trouble}"))

    def _unanswered(self, what: str, exchange: Exchange, answer: ServerAnswer | None, fault: Fault) -> BaseException:
        """Return what is said of a server that did not answer."""
        if fault.error is not None:
            return fault.error
        if fault.is_redirect:
            return self._no_key_file(f"redirects more than {MAX_REDIRECTS} times")
        if answer is not None and answer.status in REDIRECTS:
            return self._no_key_file("redirects to an invalid URL")
        trouble = f"cannot be reached: {self._quoted(fault.problem)}"
        if fault.refused == "timeout":
            trouble = f"did not send a complete response within {self._timeout:g} s"
        times = plural(exchange.attempts, "time")
        return FetchError(
            self._mask(
                f"{what} {without_query(exchange.url)} {trouble}, {times}: submit again later, or to another endpoint"
            )
        )

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


def _first(pipe: _core.Pipe, *, is_whole: bool) -> bytes:
    """Return the first bytes of a body: one more than the limit, to detect a longer one.

    Args:
        pipe: The body.
        is_whole: Whether it must be there to its end, or to the limit. Of a refusal, what came is enough.

    Raises:
        FetchError: It must, and is not.
    """
    body = b""
    try:
        while len(body) <= MAX_BYTES and (piece := pipe.read()):
            body += piece
    except FetchError:
        if is_whole:
            raise
    return body[: MAX_BYTES + 1]
