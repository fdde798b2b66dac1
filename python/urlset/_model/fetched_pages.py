"""One page that was requested over HTTP, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

#: Why an answer proves nothing about a page: its robots.txt disallows it for us, or cannot be read; a bot challenge
#: stands before it (403, 429, 503, or a challenge page); the server took too long; its name has no address; its TLS
#: is not valid; its address is private; there is no connection, or it broke; or a bound of the run is reached.
Refused = Literal["robots", "bot challenge", "timeout", "dns", "tls", "private address", "connection", "bound"]
Method = Literal["GET", "HEAD"]


@dataclass(frozen=True, slots=True)
class Request:
    """A page to request.

    Attributes:
        url: An http or https URL.
        method: `"GET"` or `"HEAD"`.
        headers: Further headers, such as If-Modified-Since. They are about this URL, so no redirect gets them.
        tag: Whatever tells the caller which request it was.
    """

    url: str
    method: Method = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    tag: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    """What came of a request.

    Attributes:
        url: The URL that was requested.
        hops: The redirects: each URL that redirected, with its status.
        final_url: The URL that answered at last, or should have.
        status: Status of the last answer; None without one.
        headers: Headers of the last answer, with their names in small letters.
        body: Body of the last answer, without its compression, as far as it was received. Empty for `"HEAD"`.
        is_cut: Whether the body has more bytes than are received of one page.
        method: The method of the request.
        seconds: Seconds from the last request to the end of its answer.
        fetched: When it ended.
        problem: What went wrong, in words; None if there is an answer of the server.
        refused: Why this proves nothing about the page; None if it does.
        tag: That of the request.
    """

    url: str
    hops: tuple[tuple[str, int], ...]
    final_url: str
    status: int | None
    headers: tuple[tuple[str, str], ...]
    body: bytes
    is_cut: bool
    method: Method
    seconds: float
    fetched: datetime
    problem: str | None
    refused: Refused | None
    tag: object

    def header(self, name: str) -> str | None:
        """Return a header by its name in small letters, or None. Several of one name are joined, as HTTP allows."""
        return ", ".join(value for key, value in self.headers if key == name) or None
