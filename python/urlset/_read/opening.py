"""Opening the sources of one pass: files and bytes as they are, what has to be received ahead of time."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from urlset import _core
from urlset._fetch.coding import known_coding
from urlset._model.errors import FetchError
from urlset._model.fetches import Fetch
from urlset._options.http import Http
from urlset._read.entry_points import is_site
from urlset._read.source import OpenDocument, Remote, Source
from urlset._read.stored import Stored
from urlset._util.cores import cores

if TYPE_CHECKING:
    from urlset._fetch.documents import DocumentFetcher

#: How documents are fetched unless the caller says otherwise.
_USUAL = Http()
#: Threads that read documents at most: each holds a few batches.
_MAX_THREADS = 16


class Opener:
    """Opens the sources of one pass, each once.

    Args:
        roots: The sources that the caller named. Their hosts get the caller's headers.
        http: How documents are fetched; `Http()` if None.
        content_encoding: The header that came with the roots, if they are bytes.
    """

    def __init__(self, roots: Sequence[Source], http: Http | None, content_encoding: str | None = None) -> None:
        self.http = http or _USUAL
        self._roots = {id(root): root for root in roots}
        self._content_encoding = content_encoding
        #: Documents on their way that nobody has asked for yet, by their sources, and all that are.
        self._ahead: dict[int, OpenDocument] = {}
        self._begun: weakref.WeakSet[_core.Pipe] | None = None
        self._documents: DocumentFetcher | None = None
        self._finalizer: weakref.finalize[..., Opener] | None = None
        self._receives = any(map(_is_received, roots))
        if self._receives:
            self._begun = weakref.WeakSet()
            if any(isinstance(root.opened, Remote) for root in roots):
                self._documents = _fetcher(self.http, roots)
            # Nobody has to close a scan that is not read to its end. One that receives nothing has nothing to close.
            self._finalizer = weakref.finalize(self, _close, self._documents, self._begun)

    @property
    def threads(self) -> int:
        """How many documents are read at once."""
        threads = min(cores(), _MAX_THREADS)
        return min(threads, self.http.concurrency) if self._receives else threads

    @property
    def ahead(self) -> int:
        """How many documents are received at once."""
        return self.http.concurrency if self._receives else 1

    @property
    def fetches(self) -> tuple[Fetch, ...]:
        """What came of the documents that were fetched, or could not be, in the order in which they ended."""
        return () if self._documents is None else tuple(self._documents.fetches)

    def spent(self, source: Source) -> str | None:
        """Return which bound of the whole run keeps a source from being fetched, as the beginning of a sentence."""
        if self._documents is None or not isinstance(source.opened, Remote) or id(source) in self._ahead:
            return None
        return self._documents.spent()

    def prepare(self, sources: Iterable[Source]) -> None:
        """Begin to receive the next sources, as many at once as the options allow."""
        for source in sources:
            if len(self._ahead) >= self.http.concurrency or self.spent(source) is not None:
                return
            if _is_received(source) and id(source) not in self._ahead:
                self._ahead[id(source)] = self._begin(source)

    def open(self, source: Source) -> OpenDocument:
        """Return what the core reads. What has to be received is on its way then."""
        if (opened := self._ahead.pop(id(source), None)) is not None:
            return opened
        if _is_received(source):
            return self._begin(source)
        assert not isinstance(source.opened, Remote | Stored)
        return OpenDocument(source, source.opened, self._content_encoding if id(source) in self._roots else None)

    def _begin(self, source: Source) -> OpenDocument:
        """Have a document received while others are read."""
        assert self._begun is not None
        documents, opened = self._documents, source.opened
        is_fetched = isinstance(opened, Remote) and not (opened.via == "given" and is_site(opened.url))
        pipe = documents.pipe() if documents is not None and is_fetched else _core.Pipe()
        self._begun.add(pipe)
        document = OpenDocument(source, pipe)
        if isinstance(opened, Stored):
            open_body = partial(_open_stored, opened, source.location)
        else:
            assert isinstance(opened, Remote)
            assert documents is not None
            if is_fetched:
                listed = None if opened.index is None else (opened.index, opened.lastmod)
                documents.begin(opened.url, opened.via, pipe, listed=listed, opened=document.take_fetch)
                return document
            open_body = partial(_open_site, documents, document, opened.url)
        # A daemon: it may be waiting for a server when the process ends.
        threading.Thread(target=_receive, args=(open_body, pipe), daemon=True).start()
        return document

    def put_back(self, source: Source, opened: OpenDocument) -> None:
        """Let the next `open` return a document that is open already, for who had to see what it is."""
        self._ahead[id(source)] = opened

    def robots_text(self, url: str) -> bytes | None:
        """Return the robots.txt of the host of a URL that was fetched; None if it cannot be read."""
        return None if self._documents is None else self._documents.robots_text(url)

    def text(self, url: str, via: str, most: int) -> bytes | None:
        """Return the first bytes of what is at a URL, without compression; None if there is nothing.

        Raises:
            FetchError: The server cannot be reached, or it must not be fetched.
        """
        from urlset._fetch.answers import first_of  # noqa: PLC0415  (files need none)
        from urlset._fetch.coding import PLAIN  # noqa: PLC0415

        assert self._documents is not None
        try:
            return first_of(self._documents.open(url, via, codings=PLAIN).body, most)
        except FetchError as error:
            if error.status is None:
                raise
            return None

    def close(self) -> None:
        """End all connections."""
        if self._finalizer is not None:
            self._finalizer()


def _is_received(source: Source) -> bool:
    """Return whether a source is not on this machine."""
    return isinstance(source.opened, Remote | Stored)


def _fetcher(http: Http, roots: Sequence[Source]) -> DocumentFetcher:
    from urlset._fetch.documents import DocumentFetcher  # noqa: PLC0415  (files need none)

    # A location that a document names is not one that the caller names.
    urls = [root.opened.url for root in roots if isinstance(root.opened, Remote) and root.opened.via == "given"]
    return DocumentFetcher(http, urls)


def _close(documents: DocumentFetcher | None, begun: Iterable[_core.Pipe]) -> None:
    for pipe in list(begun):
        pipe.close()
    if documents is not None:
        documents.close()


def _receive(open_body: Callable[[], tuple[str, str | None, _Body]], pipe: _core.Pipe) -> None:
    """Receive a document for whoever reads the pipe. `open_body` returns its location and its Content-Encoding too."""
    body, problem = None, None
    try:
        location, coding, body = open_body()
        pipe.begin(location, known_coding(coding))
        while chunk := body.read():
            if not pipe.write(chunk):
                break
    except BaseException as error:
        problem = error
    finally:
        if body is not None:
            body.close()
        pipe.end(problem)


def _open_stored(stored: Stored, location: str | None) -> tuple[str, str | None, _Body]:
    """Open a document of an object store."""
    body = stored.open()
    return location or stored.url, body.content_encoding, body


def _open_site(documents: DocumentFetcher, document: OpenDocument, url: str) -> tuple[str, str | None, _Body]:
    """Open the entry point of a site, which takes several requests."""
    from urlset._read.site import open_site  # noqa: PLC0415  (files need none)

    found = open_site(documents, url)
    document.take_fetch(found.fetch, found.sha256)
    return found.url, found.content_encoding, found.body


class _Body(Protocol):
    """A body that is on its way."""

    def read(self) -> bytes: ...
    def close(self) -> None: ...
