"""One document that is fetched: what the cache has of it, what the server answers, and what came of it."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from urlset import _core
from urlset._fetch.answers import REDIRECTS, may_be_kept, shown, validators
from urlset._fetch.cache import Cache, Cached, IndexClaim, Received
from urlset._fetch.coding import CODINGS, known_coding
from urlset._fetch.exchange import Exchange, Fault, Into, ServerAnswer
from urlset._fetch.hosts import may_lead
from urlset._fetch.trust import CacheTrust
from urlset._model.errors import FetchError
from urlset._model.fetches import Fetch
from urlset._options.http import Hosts

_OK = 200
_UNCHANGED = 304
#: What to do about a status by which a server refuses whoever asks.
_REFUSALS = {
    401: ": it asks for credentials; give them as a header (headers, --headers)",
    403: ": it refuses this client; try another name (user_agent, --user-agent) or headers (headers, --headers)",
}


class DocumentPipe:
    """The body of a document as it arrives."""

    def __init__(self, pipe: _core.Pipe, cancel: Callable[[], object]) -> None:
        self._pipe = pipe
        self._cancel = cancel

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes, as many as are there; none at the end.

        Raises:
            FetchError: The connection broke, or the document took too long.
        """
        return self._pipe.read(size)

    def close(self) -> None:
        """Take no more of it."""
        self._pipe.close()
        self._cancel()


class CacheUse(NamedTuple):
    """The cache of a run.

    Attributes:
        cache: The documents that were received before.
        trust: Says which of them need not be requested, if any.
        audience: Tells what was received with these headers from what others received with theirs.
        is_private: Whether a URL is fetched in a way of which the cache knows nothing.
    """

    cache: Cache
    trust: CacheTrust | None
    audience: str
    is_private: Callable[[str], bool]


class DocumentFetch:
    """One document that is fetched.

    Args:
        url: The URL, as the caller wrote it.
        via: How it was found.
        codings: How the answer may be compressed.
        pipe: What it passes through.
        listed: What the index that led to it says of it.
        hosts: Which hosts an index may lead to.
        use: The cache, if there is one.
        opened: Called before the pipe begins.
        record: Called with what came of it.
    """

    def __init__(
        self,
        url: str,
        via: str,
        codings: str,
        pipe: _core.Pipe,
        listed: IndexClaim | None,
        hosts: Hosts,
        use: CacheUse | None,
        opened: Callable[[Fetch, str | None], object],
        record: Callable[[Fetch], object],
    ) -> None:
        self.url = url
        self._via = via
        self._codings = codings
        self._pipe = pipe
        self._listed = listed
        self._hosts = hosts
        self._use = use
        self._opened = opened
        self._record = record
        self._answer: ServerAnswer | None = None
        #: Seconds of the last request until its headers were there, and to its end.
        self._wait: float | None = None
        self._seconds = 0.0
        #: What the cache has of the URL that is requested now, and what became of that.
        self._cached: Cached | None = None
        self._cache: Literal["unchanged", "trusted", "same", "stored"] | None = None
        #: Whether what the index says is being checked, and whether the cache cannot be used.
        self._is_checked = False
        self._is_unconditional = False
        self._sha256: str | None = None

    def exchange(self, accept: str) -> Exchange:
        """Return what the pool fetches."""
        return Exchange(
            self.url, self._end, accept, self._codings, most=None, begin=self._take_head, prepare=self._prepare
        )

    # --- what the pool calls -------------------------------------------------------------------------------------

    def _prepare(self, exchange: Exchange) -> Mapping[str, str] | None:
        """Return the headers that ask whether what is in the cache still holds; None if nobody is asked."""
        if exchange.hops and (problem := self._astray(exchange.now)) is not None:
            self._fail(exchange, FetchError(f"{self.url}: {problem}"))
            return None
        if self._use is None or self._use.is_private(exchange.now):
            self._cached = None
            return {}
        try:
            self._cached = self._use.cache.find(self._key(exchange))
            body = self._trusted(exchange)
        except Exception as error:  # the file is damaged, or another run holds it
            self._fail(exchange, error)
            return None
        if body is not None:
            self._serve(exchange, body)
            return None
        return {} if self._cached is None or self._is_unconditional else self._cached.validators

    def _take_head(self, exchange: Exchange, answer: ServerAnswer) -> Into:
        """Take the headers of the last answer."""
        self._answer, self._wait, self._seconds = answer, answer.seconds, answer.seconds
        try:
            if answer.status == _UNCHANGED and self._cached is not None:
                if (body := self._confirmed(exchange)) is not None:
                    self._serve(exchange, body)
                    return "ended"
                if not self._is_unconditional:
                    self._is_unconditional = True  # another run has removed it, or the file is damaged
                    return "again"
            if answer.status != _OK:
                what = (
                    ", a redirect without a location"
                    if answer.status in REDIRECTS
                    else _REFUSALS.get(answer.status, "")
                )
                self._fail(exchange, FetchError(f"{self.url}: status {answer.status}{what}", status=answer.status))
                return "ended"
            self._begin_pipe(exchange)
        except Exception as error:  # of the cache
            self._fail(exchange, error)
            return "ended"
        return self._pipe

    def _end(self, exchange: Exchange, answer: ServerAnswer | None, fault: Fault | None) -> None:
        """Take the end of the body, or what kept it from coming."""
        error: BaseException | None = None
        if fault is not None:
            error = self._error(exchange, fault, received=0 if answer is None else answer.received)
        elif answer is not None and self._use is not None:
            try:
                self._keep(exchange, answer)
            except Exception as problem:  # of the cache
                error = problem
        received, self._seconds = (0, 0.0) if answer is None else (answer.received, answer.seconds)
        problem_text = None if error is None else fault.problem if exchange.is_poured and fault else str(error)
        self._record(self._fetch(exchange, received, problem_text))
        self._pipe.end(error)
        if fault is not None:
            self._pipe.close()  # whoever still writes there ends

    def _astray(self, url: str) -> str | None:
        """Return why a redirect must not be followed: an index may lead no further by one than by a child."""
        if self._listed is None or may_lead(self._listed.index, url, self._hosts, is_robots=self._via == "robots"):
            return None
        return (
            f"it redirects to {shown(url)}, on a host that the index may not lead to"
            f" (hosts={self._hosts!r}, --hosts {self._hosts})"
        )

    def _error(self, exchange: Exchange, fault: Fault, received: int) -> BaseException:
        if fault.error is not None:
            return fault.error
        text = fault.problem if fault.names_url else f"{self.url}: {fault.problem}"
        return FetchError(f"{text}, after {received:,} bytes of the document" if exchange.is_poured else text)

    def _fail(self, exchange: Exchange, error: Exception) -> None:
        """End without a body."""
        self._record(self._fetch(exchange, 0, str(error)))
        self._pipe.end(error)

    def _begin_pipe(self, exchange: Exchange) -> None:
        fetch = self._fetch(exchange, 0, None)
        self._opened(fetch, self._sha256)
        self._pipe.begin(exchange.now, known_coding(fetch.content_encoding))

    # --- the cache -----------------------------------------------------------------------------------------------

    def _key(self, exchange: Exchange) -> str:
        """Return what the cache calls the document: one that was requested in another way is another.

        So every header that an answer can vary by is part of it. Source: RFC 9111, 4.1.
        """
        assert self._use is not None
        codings = "" if self._codings == CODINGS else f"{self._codings} "
        return f"{self._use.audience}{codings}{exchange.now}"

    def _trusted(self, exchange: Exchange) -> bytes | None:
        """Return the document from the cache, if its index says that it has not changed, and need not be checked."""
        if self._use is None or self._use.trust is None or self._cached is None or exchange.hops:
            return None
        verdict = self._use.trust.verdict(self._cached, self._listed)
        self._is_checked = verdict == "check"
        body = self._use.cache.body(self._cached) if verdict == "trust" else None
        if body is not None:
            self._cache, self._sha256 = "trusted", self._cached.sha256
        return body

    def _confirmed(self, exchange: Exchange) -> bytes | None:
        """Return the document from the cache, of which the server says that it has not changed."""
        assert self._use is not None
        assert self._cached is not None
        body = self._use.cache.body(self._cached)
        if body is not None:
            self._use.cache.confirm(self._cached, None if exchange.hops else self._listed)
            self._cache, self._sha256 = "unchanged", self._cached.sha256
        return body

    def _serve(self, exchange: Exchange, body: bytes) -> None:
        """Pass on what is in the cache. The pool must not wait for whoever reads it, so a thread does."""
        self._begin_pipe(exchange)
        self._record(self._fetch(exchange, 0, None))

        def pass_on() -> None:
            self._pipe.write(body)
            self._pipe.end()

        threading.Thread(target=pass_on, daemon=True, name="urlset cached document").start()

    def _keep(self, exchange: Exchange, answer: ServerAnswer) -> None:
        """Put the document into the cache, if it was received to its end."""
        body = self._pipe.kept()
        if body is None or not answer.is_whole or self._use is None or self._use.is_private(exchange.now):
            return
        if not may_be_kept(answer):
            return
        self._sha256 = hashlib.sha256(body).hexdigest()
        etag, last_modified = validators(answer)
        # Without a validator, its body is of use only if it may be taken without asking.
        keeps_body = bool(etag or last_modified or self._use.trust)
        packed = answer.header("content-type"), answer.header("content-encoding")
        listed = None if exchange.hops else self._listed
        received = Received(self._key(exchange), etag, last_modified, *packed, listed)
        self._use.cache.store(received, body, sha256=self._sha256, keeps_body=keeps_body)
        is_same = self._cached is not None and not self._is_unconditional and self._cached.sha256 == self._sha256
        self._cache = "same" if is_same else "stored" if keeps_body else None

    # --- what came of it -----------------------------------------------------------------------------------------

    @property
    def _unchanged(self) -> Cached | None:
        """What the cache has, if it still holds: a server that says so need not repeat the headers."""
        return self._cached if self._cache in ("unchanged", "trusted") else None

    def _header(self, name: str) -> str | None:
        return None if self._answer is None else self._answer.header(name)

    def _validator(self, name: str, condition: str) -> str | None:
        """Return a validator of the document: that of the last answer, or else the one that it was asked with."""
        unchanged = None if self._unchanged is None else self._unchanged.validators.get(condition)
        return self._header(name) or unchanged

    def _fetch(self, exchange: Exchange, received: int, error: str | None) -> Fetch:
        """Return what is known of the fetch."""
        unchanged = self._unchanged
        checked: Literal["right", "wrong"] | None = None
        if self._is_checked and self._cached is not None and self._sha256 is not None:
            checked = "right" if self._sha256 == self._cached.sha256 else "wrong"
        return Fetch(
            url=self.url,
            final_url=exchange.now or self.url,
            via=self._via,
            status=None if self._answer is None else self._answer.status,
            redirects=len(exchange.hops),
            attempts=exchange.requests,
            content_type=self._header("content-type") if unchanged is None else unchanged.content_type,
            content_encoding=self._header("content-encoding") if unchanged is None else unchanged.content_encoding,
            etag=self._validator("etag", "If-None-Match"),
            last_modified=self._validator("last-modified", "If-Modified-Since"),
            bytes=received,
            wait=self._wait,
            seconds=round(exchange.seconds + self._seconds, 6),
            cache=self._cache,
            saved=0 if unchanged is None else unchanged.size,
            checked=checked,
            sha256=self._sha256,
            error=error,
        )
