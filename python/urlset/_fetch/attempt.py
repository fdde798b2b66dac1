"""An attempt to fetch one document: how far it is, and what is known of it by then."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Literal

from urlset._fetch.answers import header
from urlset._fetch.cache import Cached, IndexClaim
from urlset._fetch.transport import Response
from urlset._model.fetches import Fetch

#: What the core decompresses, and what asks for no compression.
CODINGS = "gzip, deflate, br, zstd"
PLAIN = "identity"


@dataclass(slots=True)
class FetchAttempt:
    """An attempt to fetch one document: how far it is."""

    url: str
    via: str
    codings: str
    now: str
    begin: float
    redirects: int = 0
    requests: int = 0
    response: Response | None = None
    wait: float | None = None
    #: What the cache has of the URL that is requested now, and what became of that.
    cached: Cached | None = None
    cache: Literal["unchanged", "trusted", "same", "stored"] | None = None
    #: What an index says of it, whether that is being checked, and the hash of what was received.
    listed: IndexClaim | None = None
    is_checked: bool = False
    #: Whether what the cache has cannot be used, so that all of the document is wanted.
    is_unconditional: bool = False
    sha256: str | None = None
    #: The place among the documents that are fetched from one host at once, while it is taken.
    place: threading.Semaphore | None = None

    def leave(self) -> None:
        """Give the place to another document."""
        place, self.place = self.place, None
        if place is not None:
            place.release()

    def header(self, name: bytes) -> str | None:
        """Return a header of the last answer."""
        return None if self.response is None else header(self.response, name)

    @property
    def key(self) -> str:
        """What the cache calls the document: one that was requested without compression is another."""
        return self.now if self.codings == CODINGS else f"{self.codings} {self.now}"

    @property
    def content_type(self) -> str | None:
        """The type of the document."""
        return self.header(b"content-type") if self._unchanged is None else self._unchanged.content_type

    @property
    def content_encoding(self) -> str | None:
        """How the document is compressed, as it was received."""
        return self.header(b"content-encoding") if self._unchanged is None else self._unchanged.content_encoding

    @property
    def _unchanged(self) -> Cached | None:
        """What the cache has, if it still holds: a server that says so need not repeat the headers."""
        return self.cached if self.cache in ("unchanged", "trusted") else None

    @property
    def _check(self) -> Literal["right", "wrong"] | None:
        """What came of asking for it although its index says that it has not changed."""
        if not self.is_checked or self.cached is None or self.sha256 is None:
            return None
        return "right" if self.sha256 == self.cached.sha256 else "wrong"

    def _validator(self, name: bytes, condition: str) -> str | None:
        """Return a validator of the document: that of the last answer, or else the one that it was asked with."""
        unchanged = None if self._unchanged is None else self._unchanged.validators.get(condition)
        return self.header(name) or unchanged

    def fetch(self, received: int, seconds: float, error: str | None) -> Fetch:
        """Return what came of it."""
        return Fetch(
            url=self.url,
            final_url=self.now,
            via=self.via,
            status=None if self.response is None else self.response.status,
            redirects=self.redirects,
            attempts=self.requests,
            content_type=self.content_type,
            content_encoding=self.content_encoding,
            etag=self._validator(b"etag", "If-None-Match"),
            last_modified=self._validator(b"last-modified", "If-Modified-Since"),
            bytes=received,
            wait=None if self.wait is None else round(self.wait, 6),
            seconds=round(seconds, 6),
            cache=self.cache,
            saved=0 if self._unchanged is None else self._unchanged.size,
            checked=self._check,
            sha256=self.sha256,
            error=error,
        )
