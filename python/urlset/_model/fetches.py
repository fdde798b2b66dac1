"""One document that was fetched over HTTP, or that could not be, and what a cache saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    """What came of fetching one document.

    Attributes:
        url: The URL that was requested.
        final_url: The URL that answered, after all redirects.
        via: How the URL was found: `"given"`, or in an `"index"` or a `"robots"`.txt; by `discover` also at a usual
            `"name"`, in a `"link"` or as a `"feed"`.
        status: Status of the last answer; None without one.
        redirects: How many redirects were followed.
        attempts: How many requests were sent.
        content_type: The header of that name; None if it is absent.
        content_encoding: The header of that name; None if it is absent.
        etag: The header of that name; None if it is absent.
        last_modified: The header of that name; None if it is absent.
        bytes: How many bytes of the body were received, before any compression is undone: none if it is unchanged.
        wait: Seconds from the last request to the headers of its answer, with the time for a connection; None without
            an answer.
        seconds: Seconds from the first request to the end of the body, without those in which nobody read it.
        cache: `"unchanged"` if the server said that what is in the cache is still right, `"trusted"` if it was not
            asked because the lastmod in the index has not moved, `"same"` if it sent again what the cache knows,
            `"stored"` if the document was put into the cache; else None.
        saved: How many bytes of the body did not have to be received.
        checked: Of a document that could have been trusted and was requested to see whether that holds: `"right"` or
            `"wrong"`; else None.
        sha256: Hash of the body as it was received, if a cache is used and the body was received to its end.
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
    etag: str | None
    last_modified: str | None
    bytes: int
    wait: float | None
    seconds: float
    cache: Literal["unchanged", "trusted", "same", "stored"] | None
    saved: int
    checked: Literal["right", "wrong"] | None
    sha256: str | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Savings:
    """What a cache saved in one run, and how far indexes could be trusted.

    Attributes:
        documents: How many documents the run was to fetch.
        unchanged: How many of them a server did not send again, because they had not changed.
        trusted: How many were not requested, because their lastmod in the index had not moved.
        checked: How many were requested although they could have been trusted.
        wrong: How many of these had changed. Once there is one, its index is not trusted any more with this cache.
        bytes: How many bytes did not have to be received.
    """

    documents: int
    unchanged: int
    trusted: int
    checked: int
    wrong: int
    bytes: int

    @classmethod
    def of(cls, fetches: Sequence[Fetch]) -> Savings:
        """Return the sum over the documents of a run."""
        return cls(
            documents=len(fetches),
            unchanged=sum(fetch.cache == "unchanged" for fetch in fetches),
            trusted=sum(fetch.cache == "trusted" for fetch in fetches),
            checked=sum(fetch.checked is not None for fetch in fetches),
            wrong=sum(fetch.checked == "wrong" for fetch in fetches),
            bytes=sum(fetch.saved for fetch in fetches),
        )
