"""One URL that is fetched: how far it is, what a transport reports about it, and what came back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from urlset import _core
from urlset._model.fetched_pages import Refused


class ServerAnswer(NamedTuple):
    """An answer of a server.

    Attributes:
        status: Its status; 0 if there is none.
        headers: Its headers, with their names in small letters.
        body: The first bytes of a body that was to be collected, without their compression.
        is_cut: Whether that body has more bytes.
        is_whole: Whether the end of the body is certain: that of some is only that of the connection.
        received: Bytes of the body that were received.
        seconds: Seconds since the request was started, without those in which nobody took what was there.
    """

    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    is_cut: bool = False
    is_whole: bool = True
    received: int = 0
    seconds: float = 0.0

    def header(self, name: str) -> str | None:
        """Return a header by its name in small letters, or None. Several of one name are joined, as HTTP allows."""
        return ", ".join([value.strip() for key, value in self.headers if key == name]) or None


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no answer, or not all of it.

    Attributes:
        problem: The rest of a sentence about the URL, for the user.
        refused: What kind of reason it is; None if the answer itself is at fault.
        is_passing: Whether the same request may succeed.
        names_url: Whether the problem is a whole sentence, which names the URL itself.
        is_redirect: Whether there were too many redirects.
        error: What was raised, if it is an error of urlset.
    """

    problem: str
    refused: Refused | None = None
    is_passing: bool = False
    names_url: bool = False
    is_redirect: bool = False
    error: BaseException | None = None


class TransportEvent(NamedTuple):
    """What a transport reports about a request.

    Attributes:
        number: The number of the request.
        kind: `head` if the headers are there and the body is not asked for yet, `done` at the end, or `failed`.
        answer: The answer, as far as it is there.
        fault: Why it failed.
    """

    number: int
    kind: Literal["head", "done", "failed"]
    answer: ServerAnswer
    fault: Fault | None = None


#: What an exchange does about its body once the headers of the last answer are there: passes it into a pipe, requests
#: the same URL again, or ends, because it has all that it needs.
Into = _core.Pipe | Literal["again", "ended"]


@dataclass(slots=True, eq=False)
class Exchange:
    """One URL that is fetched. The pool calls its functions on its own thread, so they must not wait for anything.

    Attributes:
        url: The URL, as the caller wrote it.
        end: Called once, with the last answer, if there was one, and what went wrong.
        accept: The types of answers that are wanted.
        codings: How an answer may be compressed.
        most: How many bytes of the body are collected; None if the body is passed on.
        begin: Of a body that is passed on: called with the headers of the last answer.
        prepare: Returns the headers that a request needs beside the usual ones; None if it has ended without one.
        method: The method of its requests.
        content: What they send.
        each: Seconds that one of its requests may take; None if only all of them together are bounded.
        headers: Further headers. They are about this URL, so no redirect gets them.
        now: The URL that is requested now.
        host: Its host and port, where the exchange waits for its turn or has it. A robots.txt goes before all turns,
            and has none.
        hops: The redirects: each URL that redirected, with its status.
        attempts: How often the URL of now was requested.
        requests: How many requests were sent in all.
        began: When the first one was sent, by the monotonic clock.
        seconds: How long it took until the last one was sent.
        number: That of the last request.
        is_poured: Whether its body is on its way.
        is_dropped: Whether nobody wants it any more.
    """

    url: str
    end: Callable[[Exchange, ServerAnswer | None, Fault | None], object]
    accept: str
    codings: str
    most: int | None
    begin: Callable[[Exchange, ServerAnswer], Into] | None = None
    prepare: Callable[[Exchange], Mapping[str, str] | None] = lambda _: {}
    method: Literal["GET", "HEAD", "POST"] = "GET"
    content: bytes | None = None
    each: float | None = None
    headers: tuple[tuple[str, str], ...] = ()
    now: str = ""
    host: str | None = None
    hops: list[tuple[str, int]] = field(default_factory=list)
    attempts: int = 0
    requests: int = 0
    began: float | None = None
    seconds: float = 0.0
    number: int = 0
    is_poured: bool = False
    is_dropped: bool = False
