"""One document that was fetched over HTTP, or that could not be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    """What came of fetching one document.

    Attributes:
        url: The URL that was asked for.
        final_url: The URL that answered, after all redirects.
        via: How the URL was found: `"given"`, or in an `"index"` or a `"robots"`.txt; by `discover` also at a usual
            `"name"`, in a `"link"` or as a `"feed"`.
        status: Status of the last answer; None without one.
        redirects: How many redirects were followed.
        attempts: How many requests were sent.
        content_type: The header of that name; None if it is absent.
        content_encoding: The header of that name; None if it is absent.
        bytes: How many bytes of the body were received, before any compression is undone: none if it is unchanged.
        seconds: Seconds from the first request to the end of the body, without those in which nobody read it.
        cache: `"unchanged"` if the server said that what is in the cache is still right, `"stored"` if the document was
            put into it; else None.
        error: Why the document could not be fetched; None if it was.
    """

    url: str
    final_url: str
    via: str
    status: int | None
    redirects: int
    attempts: int
    content_type: str | None
    content_encoding: str | None
    bytes: int
    seconds: float
    cache: Literal["unchanged", "stored"] | None
    error: str | None
