"""Opening the sources of one pass: files and bytes as they are, URLs over HTTP and ahead of time."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from urlset import _core
from urlset._fetch.options import Http
from urlset._model.errors import FetchError, InputError
from urlset._model.fetches import Fetch
from urlset._read.source import OpenDocument, Remote, Source
from urlset._read.stored import Stored

if TYPE_CHECKING:
    from urlset._fetch.client import Client, Opened

#: Bytes of a body that are received before somebody reads them.
_MOST_AHEAD = 4 << 20


class Opener:
    """Opens the sources of one pass, each once.

    Args:
        roots: The sources that the caller named. Their hosts get the caller's headers.
        http: How documents are fetched; `Http()` if None.
        content_encoding: The header that came with the roots, if they are bytes.
    """

    def __init__(self, roots: Sequence[Source], http: Http | None, content_encoding: str | None = None) -> None:
        self.http = http or Http()
        self._roots = roots
        self._content_encoding = content_encoding
        #: Documents on their way by their sources, and those of them that somebody reads.
        self._ahead: dict[int, _Ahead] = {}
        self._begun: weakref.WeakSet[_Ahead] = weakref.WeakSet()
        self._put_back: dict[int, OpenDocument] = {}
        self._client: Client | None = None
        if any(isinstance(root.opened, Remote) for root in roots):
            self._client = _client(self.http, roots)
            # Nobody has to close a scan that is not read to its end.
            self._finalizer = weakref.finalize(self, _close, self._client, self._ahead, self._begun)

    @property
    def fetches(self) -> tuple[Fetch, ...]:
        """What came of the documents that were fetched, or could not be, in the order in which they ended."""
        return () if self._client is None else tuple(self._client.fetches)

    def spent(self, source: Source) -> str | None:
        """Return which bound of the whole run keeps a source from being fetched, as the beginning of a sentence."""
        if self._client is None or not isinstance(source.opened, Remote) or self._is_begun(source):
            return None
        return self._client.spent()

    def prepare(self, sources: Iterable[Source]) -> None:
        """Begin to fetch those of the next sources that have a URL, as many at once as the options allow."""
        if self._client is None:
            return
        for source in sources:
            if len(self._ahead) >= self.http.concurrency or self._client.spent() is not None:
                return
            if isinstance(source.opened, Remote) and not self._is_begun(source):
                self._ahead[id(source)] = _Ahead(self._client, source.opened)

    def _is_begun(self, source: Source) -> bool:
        return id(source) in self._ahead or id(source) in self._put_back

    def open(self, source: Source) -> OpenDocument:
        """Return what the core reads: for a URL, once the headers of its answer are there.

        Raises:
            FetchError: It cannot be fetched.
        """
        if (opened := self._put_back.pop(id(source), None)) is not None:
            return opened
        if isinstance(source.opened, Stored):
            body = source.opened.open()
            return OpenDocument(source.location, body, _known_coding(body.content_encoding), close=body.close)
        if not isinstance(source.opened, Remote):
            is_root = any(source is root for root in self._roots)
            return OpenDocument(source.location, source.opened, self._content_encoding if is_root else None)
        self.prepare([source])
        ahead = self._ahead.pop(id(source), None)
        if ahead is None:
            assert self._client is not None
            ahead = _Ahead(self._client, source.opened)
        self._begun.add(ahead)
        found = ahead.opened()
        return OpenDocument(
            found.url, ahead, _known_coding(found.content_encoding), found.fetch, ahead.close, found.sha256
        )

    def robots_text(self, url: str) -> bytes | None:
        """Return the robots.txt of the host of a URL that was fetched; None if it cannot be read."""
        return None if self._client is None else self._client.robots_text(url)

    def put_back(self, source: Source, opened: OpenDocument) -> None:
        """Let the next `open` return a document that is open already, for who had to see what it is."""
        self._put_back[id(source)] = opened

    def text(self, url: str, via: str, most: int) -> bytes | None:
        """Return the first bytes of what is at a URL, without compression; None if there is nothing.

        Raises:
            FetchError: The server cannot be reached, or it must not be fetched.
        """
        from urlset._fetch.answers import first_of  # noqa: PLC0415  (an extra)
        from urlset._fetch.client import PLAIN  # noqa: PLC0415

        assert self._client is not None
        try:
            return first_of(self._client.open(url, via, codings=PLAIN).body, most)
        except FetchError as error:
            if error.status is None:
                raise
            return None

    def close(self) -> None:
        """End all connections."""
        if self._client is not None:
            self._finalizer()


def _client(http: Http, roots: Sequence[Source]) -> Client:
    try:
        from urlset._fetch.client import Client  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise InputError(
            f"reading a URL needs the extra: pip install 'urlset[http]' ({error.name} is missing)"
        ) from None
    # A location that a document names is not one that the caller names.
    urls = [root.opened.url for root in roots if isinstance(root.opened, Remote) and root.opened.via == "given"]
    return Client(http, [host for url in urls if (host := urlsplit(_core.spelled_url(url) or url).hostname)])


def _close(client: Client, ahead: dict[int, _Ahead], begun: Iterable[_Ahead]) -> None:
    for each in [*ahead.values(), *begun]:
        each.close()
    ahead.clear()
    client.close()


def _known_coding(header: str | None) -> str | None:
    """Return a Content-Encoding, or None if it names something else, such as a charset: then the bytes decide."""
    try:
        _core.check_content_encoding(header)
    except InputError:
        return None
    return header


class _Ahead:
    """A document that a thread of its own receives, up to a bounded part of its body before anybody reads it."""

    def __init__(self, client: Client, remote: Remote) -> None:
        self._changed = threading.Condition()
        self._found: Opened | None = None
        self._error: BaseException | None = None
        self._chunks: deque[bytes] = deque()
        self._held = 0
        self._is_done = False
        self._is_closed = False
        # A daemon: it may be waiting for a server when the process ends.
        threading.Thread(target=self._receive, args=(client, remote), daemon=True).start()

    def opened(self) -> Opened:
        """Wait for the headers.

        Raises:
            FetchError: The document cannot be fetched.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._found is not None or self._error is not None)
            if self._found is None:
                assert self._error is not None
                raise self._error
            return self._found

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes, as many as are there; none at the end.

        Raises:
            FetchError: The connection broke, or the document took too long.
        """
        del size
        with self._changed:
            self._changed.wait_for(lambda: self._chunks or self._is_done)
            if self._chunks:
                data = b"".join(self._chunks) if len(self._chunks) > 1 else self._chunks[0]
                self._chunks.clear()
                self._held = 0
                self._changed.notify_all()
                return data
            if self._error is not None:
                raise self._error
            return b""

    def close(self) -> None:
        """Receive no more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _receive(self, client: Client, remote: Remote) -> None:
        """Run on the thread: open, then receive as long as there is room."""
        found = None
        try:
            from urlset._fetch.cache import Listed  # noqa: PLC0415  (SQLite, which not every run needs)
            from urlset._read.site import is_site, open_site  # noqa: PLC0415  (it needs the extra)

            is_entry = remote.via == "given" and is_site(remote.url)
            listed = None if remote.index is None else Listed(remote.index, remote.lastmod)
            found = open_site(client, remote.url) if is_entry else client.open(remote.url, remote.via, listed=listed)
            with self._changed:
                self._found = found
                self._changed.notify_all()
            while chunk := found.body.read():
                with self._changed:
                    self._chunks.append(chunk)
                    self._held += len(chunk)
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: self._held < _MOST_AHEAD or self._is_closed)
                    if self._is_closed:
                        return
        except BaseException as error:
            self._error = error
        finally:
            if found is not None:
                found.body.close()
            with self._changed:
                self._is_done = True
                self._changed.notify_all()
