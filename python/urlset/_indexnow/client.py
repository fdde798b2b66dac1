"""The HTTP side of IndexNow: check the key file, post batches, and interpret the responses.

At most 1 kB of a response is read, a request ends after its timeout whatever the server does, and the number and length
of pauses are limited. The key is shortened in all messages.

Source of the requests and of what the responses mean: the IndexNow protocol.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from urlset._fetch.answers import REDIRECTS, retry_after
from urlset._fetch.calling import MAX_BYTES, Caller, Reply
from urlset._fetch.exchange import Fault, ServerAnswer
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
        self._caller = Caller(options, [target.endpoint, target.key_file], longest_pause=LONGEST_WAIT)

    def close(self) -> None:
        """Close all connections."""
        self._caller.close()

    def check_key_file(self) -> None:
        """Check that the key file contains the key, as the engines will.

        Raises:
            FetchError: It does not, or cannot be fetched; the message says what to put where.
        """
        reply = self._caller.get(self._target.key_file, astray=self._astray, each=self._timeout)
        answer = self._checked("the key file", reply, is_whole=True)
        if answer.status != RECEIVED:
            raise self._no_key_file(f"returns status {answer.status}")
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
        reply = self._caller.post(
            target.endpoint,
            json.dumps(body).encode(),
            kind="application/json; charset=utf-8",
            acknowledged=ACKNOWLEDGED,
            each=self._timeout,
        )
        answer = self._checked("the endpoint", reply, is_whole=False)
        if answer.status in ACKNOWLEDGED:
            return answer.status == KEY_CHECK_PENDING
        raise FetchError(self._mask(self._refusal(answer, reply.body, locs)))

    def _refusal(self, answer: ServerAnswer, body: bytes, locs: Sequence[str]) -> str:
        target = self._target
        start = f"the endpoint {without_query(target.endpoint)} returns status {answer.status}"
        if answer.status in REDIRECTS:
            location = self._quoted(answer.header("location") or "nowhere")
            return f"{start} and redirects to {location}: posts are not redirected, so pass the correct endpoint"
        reason = _REFUSALS.get(answer.status)
        if reason is None:
            return f"{start}, which IndexNow does not define: is it an IndexNow endpoint?{self._body_quote(body)}"
        sentence = f"{start}: it {reason.format(host=target.host, key_file=target.key_file)}"
        if answer.status in (400, 422):
            more = f" and {len(locs) - NAMED:,} more" if len(locs) > NAMED else ""
            sentence += f": {', '.join(escape_controls(loc) for loc in locs[:NAMED])}{more}"
        return sentence + self._body_quote(body)

    def _astray(self, before: str, after: str) -> FetchError | None:
        """Return why the key file must not redirect from one URL to another."""
        one, other = urlsplit(before), urlsplit(after)
        if one.netloc != other.netloc:
            return self._no_key_file(f"redirects to another host, {self._quoted(other.hostname or '')}")
        if other.scheme != "https" and not self._allow_http:
            return self._no_key_file("redirects to a URL that is not https")
        return None

    def _no_key_file(self, trouble: str) -> FetchError:
        return FetchError(
            self._mask(
                f"the key file {self._target.key_file} {trouble}: put a text file there that contains only the key, or "
                "pass its URL as key_location; nothing was sent"
            )
        )

    def _checked(self, what: str, reply: Reply, *, is_whole: bool) -> ServerAnswer:
        """Return the answer of a reply; its body must be there to its end, or to the limit, if that is wanted.

        Raises:
            FetchError: There is none, or it says that the server has no time.
        """
        fault, answer = reply.fault, reply.answer
        if fault is not None and (answer is None or answer.status in REDIRECTS or is_whole):
            raise self._unanswered(what, reply, fault)
        assert answer is not None
        if answer.status == TOO_MANY or answer.status >= FAULT_OF_SERVER:
            raise self._busy(what, answer, reply)
        return answer

    def _busy(self, what: str, answer: ServerAnswer, reply: Reply) -> FetchError:
        """Return what is said of a server that has no time."""
        trouble = f"returns status {answer.status}{self._body_quote(reply.body)}"
        if (retry_after(answer) or 0.0) > LONGEST_WAIT:
            asked = self._quoted(answer.header("retry-after") or "")
            trouble += f", and asks to wait for more than 10 minutes (Retry-After: {asked}): submit again then"
        else:
            trouble += f", {plural(reply.exchange.attempts, 'time')}: submit again later, or to another endpoint"
        return FetchError(self._mask(f"{what} {without_query(reply.exchange.url)} {trouble}"))

    def _unanswered(self, what: str, reply: Reply, fault: Fault) -> FetchError:
        """Return what is said of a server that did not answer."""
        exchange = reply.exchange
        if fault.is_redirect:
            return self._no_key_file(f"redirects more than {MAX_REDIRECTS} times")
        if reply.answer is not None and reply.answer.status in REDIRECTS:
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

    def _body_quote(self, body: bytes) -> str:
        """Return the text of a response in brackets, if it has one."""
        text = self._quoted(body.decode("utf-8", errors="replace"))
        return f" (it says: {text})" if text else ""

    def _quoted(self, text: str) -> str:
        """Return a server's text as one short line. The key is masked first, so that no part of it can remain."""
        text = escape_controls(" ".join(self._mask(text).split()))
        return text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED] + "…"

    def _mask(self, text: str) -> str:
        return text.replace(self._key, mask_key(self._key))
