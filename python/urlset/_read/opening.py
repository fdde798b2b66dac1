"""Opening the sources of one pass: files and bytes as they are, what has to be received ahead of time."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from urlset import _core
from urlset._model.errors import FetchError, InputError
from urlset._model.fetches import Fetch
from urlset._options.http import Http
from urlset._read.entry_points import is_site
from urlset._read.source import OpenDocument, Remote, Source
from urlset._read.stored import Stored
from urlset._util.cores import cores

if TYPE_CHECKING:
    from urlset._fetch.client import Client

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
        self._client: Client | None = None
        self._finalizer: weakref.finalize[..., Opener] | None = None
        self._receives = any(map(_is_received, roots))
        if self._receives:
            self._begun = weakref.WeakSet()
            if any(isinstance(root.opened, Remote) for root in roots):
                self._client = _client(self.http, roots)
            # Nobody has to close a scan that is not read to its end. One that receives nothing has nothing to close.
            self._finalizer = weakref.finalize(self, _close, self._client, self._begun)

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
        return () if self._client is None else tuple(self._client.fetches)

    def spent(self, source: Source) -> str | None:
        """Return which bound of the whole run keeps a source from being fetched, as the beginning of a sentence."""
        if self._client is None or not isinstance(source.opened, Remote) or id(source) in self._ahead:
            return None
        return self._client.spent()

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
        """Have a document received by a thread of its own."""
        assert self._begun is not None
        pipe = _core.Pipe()
        self._begun.add(pipe)
        document = OpenDocument(source, pipe)
        # A daemon: it may be waiting for a server when the process ends.
        threading.Thread(target=_receive, args=(self._client, document, pipe), daemon=True).start()
        return document

    def put_back(self, source: Source, opened: OpenDocument) -> None:
        """Let the next `open` return a document that is open already, for who had to see what it is."""
        self._ahead[id(source)] = opened

    def robots_text(self, url: str) -> bytes | None:
        """Return the robots.txt of the host of a URL that was fetched; None if it cannot be read."""
        return None if self._client is None else self._client.robots_text(url)

    def text(self, url: str, via: str, most: int) -> bytes | None:
        """Return the first bytes of what is at a URL, without compression; None if there is nothing.

        Raises:
            FetchError: The server cannot be reached, or it must not be fetched.
        """
        from urlset._fetch.answers import first_of  # noqa: PLC0415  (an extra)
        from urlset._fetch.attempt import PLAIN  # noqa: PLC0415

        assert self._client is not None
        try:
            return first_of(self._client.open(url, via, codings=PLAIN).body, most)
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


def _client(http: Http, roots: Sequence[Source]) -> Client:
    try:
        from urlset._fetch.client import Client  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise InputError(
            f"reading a URL needs the extra: pip install 'urlset[http]' ({error.name} is missing)"
        ) from None
    # A location that a document names is not one that the caller names.
    urls = [root.opened.url for root in roots if isinstance(root.opened, Remote) and root.opened.via == "given"]
    return Client(http, urls)


def _close(client: Client | None, begun: Iterable[_core.Pipe]) -> None:
    for pipe in list(begun):
        pipe.close()
    if client is not None:
        client.close()


def known_coding(header: str | None) -> str | None:
    """Return a Content-Encoding, or None if it names something else, such as a charset: then the bytes decide."""
    try:
        _core.check_content_encoding(header)
    except InputError:
        return None
    return header


class _Answer(NamedTuple):
    """A document whose body is still to be read."""

    location: str
    content_encoding: str | None
    body: _Body
    fetch: Fetch | None = None
    sha256: str | None = None


class _Body(Protocol):
    """A body that is on its way."""

    def read(self) -> bytes: ...
    def close(self) -> None: ...


def _receive(client: Client | None, document: OpenDocument, pipe: _core.Pipe) -> None:
    """Receive a document, on a thread of its own, for whoever reads the pipe."""
    answer, problem = None, None
    try:
        answer = _answer(client, document.origin)
        document.fetch, document.sha256 = answer.fetch, answer.sha256
        pipe.begin(answer.location, known_coding(answer.content_encoding))
        while chunk := answer.body.read():
            if not pipe.write(chunk):
                break
    except BaseException as error:
        problem = error
    finally:
        if answer is not None:
            answer.body.close()
        pipe.end(problem)


def _answer(client: Client | None, source: Source) -> _Answer:
    """Send for a document.

    Raises:
        FetchError: It cannot be fetched.
    """
    opened = source.opened
    if isinstance(opened, Stored):
        body = opened.open()
        return _Answer(source.location or opened.url, body.content_encoding, body)
    from urlset._fetch.cache import IndexClaim  # noqa: PLC0415  (SQLite, which not every run needs)
    from urlset._read.site import open_site  # noqa: PLC0415  (it needs the extra)

    assert isinstance(opened, Remote)
    assert client is not None
    if opened.via == "given" and is_site(opened.url):
        found = open_site(client, opened.url)
    else:
        listed = None if opened.index is None else IndexClaim(opened.index, opened.lastmod)
        found = client.open(opened.url, opened.via, listed=listed)
    return _Answer(found.url, found.content_encoding, found.body, found.fetch, found.sha256)
