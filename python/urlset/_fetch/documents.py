"""Documents over HTTP: each passes through a pipe to whoever reads it, and a cache can take its place."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from urlset import _core
from urlset._fetch.answers import BodyStream
from urlset._fetch.cache import MAX_EACH, Cache, IndexClaim
from urlset._fetch.coding import CODINGS
from urlset._fetch.document import CacheUse, DocumentFetch, DocumentPipe
from urlset._fetch.pool import Pool
from urlset._fetch.trust import CacheTrust
from urlset._model.fetches import Fetch
from urlset._options.http import Http

_ACCEPT = "application/xml, text/xml, text/plain;q=0.9, */*;q=0.8"


@dataclass(frozen=True, slots=True)
class Opened:
    """A document whose body is still to be read.

    It has its URL after redirects, the header that says how the body is packed, and what is known of the fetch by then.
    `sha256` is the hash of its body, if that comes from the cache.
    """

    url: str
    content_encoding: str | None
    body: BodyStream
    fetch: Fetch
    sha256: str | None = None


class DocumentFetcher:
    """Fetches documents; several threads may use it.

    Args:
        options: How documents are fetched.
        named: The URLs that the caller named.
    """

    def __init__(self, options: Http, named: Iterable[str]) -> None:
        self.options = options
        #: What came of each document, in the order in which they ended.
        self.fetches: list[Fetch] = []
        cache = None if options.cache is None else Cache(options.cache)
        trust = None if cache is None or not options.trust_index else CacheTrust(cache)
        self._pool = Pool(options, named)
        self._cache = None if cache is None else CacheUse(cache, trust, _audience(options), self._pool.uses_client)
        self._lock = threading.Lock()
        self._documents = 0

    def pipe(self) -> _core.Pipe:
        """Return a pipe for a document."""
        return _core.Pipe(0 if self._cache is None else MAX_EACH)

    def begin(
        self,
        url: str,
        via: str,
        pipe: _core.Pipe,
        *,
        codings: str = CODINGS,
        listed: tuple[str, str | None] | None = None,
        opened: Callable[[Fetch, str | None], object] = lambda *_: None,
    ) -> DocumentPipe:
        """Send for a document, without waiting for it.

        Args:
            url: An http or https URL.
            via: How it was found.
            pipe: What it passes through: one of `pipe`. If it cannot be fetched, whoever reads there gets the reason.
            codings: How the answer may be compressed.
            listed: The index that led to it, and the lastmod that it states for it, as written.
            opened: Called before the pipe begins, with what is known of the fetch by then and the hash of a body that
                comes from the cache.

        Returns:
            The document as it is read from the pipe.
        """
        with self._lock:
            self._documents += 1
        claim = None if listed is None else IndexClaim(*listed)
        document = DocumentFetch(url, via, codings, pipe, claim, self.options.hosts, self._cache, opened, self._record)
        exchange = document.exchange(_ACCEPT)
        self._pool.submit(exchange)
        return DocumentPipe(pipe, lambda: self._pool.cancel(exchange))

    def open(self, url: str, via: str, *, codings: str = CODINGS) -> Opened:
        """Send for a document, and return the answer once its headers are there.

        Raises:
            FetchError: There is no answer with status 200, or the document must not be fetched.
        """
        known: list[tuple[Fetch, str | None]] = []
        pipe = self.pipe()
        body = self.begin(url, via, pipe, codings=codings, opened=lambda fetch, sha: known.append((fetch, sha)))
        pipe.wait()
        [(fetch, sha256)] = known
        return Opened(fetch.final_url, pipe.content_encoding, body, fetch, sha256)

    def robots_text(self, url: str) -> bytes | None:
        """Return the robots.txt of a URL's host, empty if the host has none; None if it cannot be read."""
        return self._pool.robots_text(url)

    def spent(self) -> str | None:
        """Return which bound of the whole run is reached, as the beginning of a sentence; None if none is."""
        if self._documents >= self.options.max_documents:
            return f"the run has fetched {self.options.max_documents:,} documents (max_documents)"
        return self._pool.spent()

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()
        if self._cache is not None:
            self._cache.cache.close()

    def _record(self, fetch: Fetch) -> None:
        self.fetches.append(fetch)


def _audience(options: Http) -> str:
    """Return what tells the answers to one set of headers from those to another; nothing for the usual headers.

    The headers may have a secret, so they are not written down.
    """
    sent = sorted((name.lower(), text) for name, text in options.headers.items())
    if not sent and options.user_agent is None:
        return ""
    return hashlib.sha256(repr((sent, options.user_agent)).encode()).hexdigest()[:16] + " "
