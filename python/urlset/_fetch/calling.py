"""Requests whose status is what counts: a small body is posted or a small file fetched, and the answer waited for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from urlset import _core
from urlset._fetch.coding import PLAIN
from urlset._fetch.exchange import Exchange, Fault, Into, ServerAnswer
from urlset._fetch.pool import Pool
from urlset._fetch.troubles import MAX_PAUSE
from urlset._model.errors import FetchError
from urlset._options.http import Http

#: Bytes of an answer that are read, and one more, which tells that there are more.
MAX_BYTES: Final = 1024


class Reply(NamedTuple):
    """What came of a request.

    Attributes:
        exchange: How often it was requested, and where it led.
        answer: The last answer; None without one.
        body: The first bytes of its body; empty if a post was acknowledged.
        fault: What kept the answer, or the rest of its body, from coming.
    """

    exchange: Exchange
    answer: ServerAnswer | None
    body: bytes
    fault: Fault | None


class Caller:
    """Posts to servers, by the host pool: with its retries, and at private addresses only as the options allow.

    Args:
        options: How they are reached. The headers are sent with every request.
        named: The URLs that the caller named.
        longest_pause: The longest pause that a host gets, in seconds.
    """

    def __init__(self, options: Http, named: Iterable[str], *, longest_pause: float = MAX_PAUSE) -> None:
        self._pool = Pool(options, named, longest_pause=longest_pause)

    def post(
        self,
        url: str,
        content: bytes,
        *,
        kind: str = "application/json",
        acknowledged: Iterable[int] = range(200, 300),
        each: float | None = None,
    ) -> Reply:
        """Post a body of a type, and return what came of it.

        Args:
            url: Where to. A post is never redirected.
            content: The body.
            kind: Its type.
            acknowledged: Statuses that say that it was taken, whatever becomes of the body of the answer.
            each: Seconds that one request may take.
        """
        enough = frozenset(acknowledged)
        exchange = Exchange(
            url,
            _nothing,
            "*/*",
            PLAIN,
            None,
            method="POST",
            content=content,
            each=each,
            headers=(("Content-Type", kind),),
        )
        return self._call(exchange, lambda status: status in enough, _anywhere)

    def get(self, url: str, *, astray: Callable[[str, str], FetchError | None], each: float | None = None) -> Reply:
        """Fetch a small file, and return what came of it.

        Args:
            url: Where it is.
            astray: Returns why a redirect must not be followed from one URL to another.
            each: Seconds that one request may take.

        Raises:
            FetchError: A redirect must not be followed.
        """
        return self._call(Exchange(url, _nothing, "*/*", PLAIN, None, each=each), lambda _: False, astray)

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

    def _call(
        self, exchange: Exchange, is_enough: Callable[[int], bool], astray: Callable[[str, str], FetchError | None]
    ) -> Reply:
        pipe = _core.Pipe()
        heads: list[ServerAnswer] = []
        faults: list[Fault] = []

        def prepare(exchange: Exchange) -> dict[str, str] | None:
            error = astray(exchange.hops[-1][0], exchange.now) if exchange.hops else None
            if error is None:
                return {}
            pipe.end(error)
            return None

        def begin(exchange: Exchange, answer: ServerAnswer) -> Into:
            heads.append(answer)
            pipe.begin(exchange.now, None)
            if not is_enough(answer.status):
                return pipe
            pipe.end()
            return "ended"

        def end(_: Exchange, answer: ServerAnswer | None, fault: Fault | None) -> None:
            if answer is not None and not heads:
                heads.append(answer)
            if fault is not None:
                faults.append(fault)
            pipe.end(None if fault is None else fault.error or FetchError(fault.problem))

        exchange.prepare, exchange.begin, exchange.end = prepare, begin, end
        body = b""
        self._pool.submit(exchange)
        try:
            pipe.wait()
            while len(body) <= MAX_BYTES and (piece := pipe.read()):
                body += piece
        except FetchError:
            if not faults:  # it led astray
                raise
        finally:
            pipe.close()
            self._pool.cancel(exchange)
        return Reply(exchange, heads[-1] if heads else None, body[: MAX_BYTES + 1], faults[-1] if faults else None)


def _nothing(*_: object) -> None:
    """End an exchange that was not begun."""


def _anywhere(before: str, after: str) -> FetchError | None:
    """Follow each redirect."""
    return None
