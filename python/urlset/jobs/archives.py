"""Web archives (WARC): the sitemaps and robots.txt files among the responses that a crawl has stored."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, BinaryIO

from urlset._fetch.coding import known_coding
from urlset._model.errors import FetchError, InputError
from urlset._model.limits import Budget
from urlset._read.entry_points import ROBOTS, documents_among
from urlset._read.single import kind_of
from urlset._read.source import OpenDocument, Source
from urlset._read.stored import Stored

if TYPE_CHECKING:
    from urlset._stores.reading import Object

#: How much of a payload is read to see what it is. Most records are pages, which are refused by their first bytes.
_HEAD = 32 << 10
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r\n")


class _Stored:
    """An object of a store as a file that is read once. The library asks where it is, which is a seek to there."""

    def __init__(self, body: Object) -> None:
        self._body = body
        self._left = memoryview(b"")
        self._at = 0

    def read(self, size: int = -1, /) -> bytes:
        if not self._left:
            self._left = memoryview(self._body.read())
        size = len(self._left) if size < 0 else size
        found, self._left = self._left[:size], self._left[size:]
        self._at += len(found)
        return bytes(found)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        if (offset if whence == os.SEEK_SET else self._at + offset) != self._at or whence == os.SEEK_END:
            raise OSError("an object is read once, from its beginning to its end")
        return self._at

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        self._body.close()


def documents_in(archive: Source, budget: Budget) -> Iterator[OpenDocument]:
    """Yield the documents of an archive: each is one response with status 200, or one resource, at its own URL.

    The bytes decide what a document is, as everywhere. One that is called a sitemap or robots.txt is yielded whatever
    its bytes are, so that a broken one is reported.

    Args:
        archive: A file or an object.
        budget: What reading a document may cost: no more of a payload is held in memory.

    Raises:
        FetchError: The archive cannot be opened, or is broken. What comes before that was yielded.
        InputError: The extra is missing.
    """
    try:
        from fastwarc.warc import ArchiveIterator, WarcRecordType  # noqa: PLC0415  (an extra)
    except ImportError:
        raise InputError(
            f"{archive.location}: reading an archive needs the extra: pip install 'urlset[warc]'"
        ) from None
    kinds = WarcRecordType.response | WarcRecordType.resource
    try:
        with closing(_opened(archive)) as file:
            for record in ArchiveIterator(file, record_types=kinds, parse_http=False):
                if (found := _document(record, budget)) is not None:
                    yield found
    except FetchError:
        raise
    except Exception as error:  # whatever the library raises for what it cannot read
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise FetchError(f"{archive.location}: the archive cannot be read further: {reason}") from None


def _opened(archive: Source) -> BinaryIO | _Stored:
    if isinstance(archive.opened, Stored):
        return _Stored(archive.opened.open())
    assert archive.path is not None
    return archive.path.open("rb")


def _document(record: Any, budget: Budget) -> OpenDocument | None:
    """Return the document of a record; None if the record does not hold a sitemap."""
    url = (record.headers.get("WARC-Target-URI") or "").strip("<>")
    coding, is_chunked = None, False
    if record.headers.get("WARC-Type") == "response":
        record.parse_http(strict_mode=False)
        headers = record.http_headers
        if headers is None or headers.status_code != 200:
            return None
        coding = known_coding(headers.get("Content-Encoding"))
        is_chunked = (headers.get("Transfer-Encoding") or "").lower() == "chunked"
    head = record.reader.read(_HEAD)
    if not _is_document(url, _joined(head) if is_chunked else head, coding):
        return None
    data = head + record.reader.read(budget.wire_bytes + 1 - len(head))  # one more than allowed shows that it is more
    data = _joined(data) if is_chunked else data
    return OpenDocument(Source(url, data), data, coding)


def _joined(body: bytes) -> bytes:
    """Return a body without its chunks, or as it is if it has none: many crawlers undo them and keep the header.

    Source: RFC 9112, 7.1.
    """
    pieces, at = [], 0
    while (found := _CHUNK.match(body, at)) is not None and (size := int(found[1], 16)):
        pieces.append(body[found.end() : found.end() + size])
        at = found.end() + size + 2
    return b"".join(pieces) if pieces else body


def _is_document(url: str, head: bytes, coding: str | None) -> bool:
    """Return whether a payload is a document by its first bytes, or is called one."""
    name = url.partition("?")[0].rpartition("/")[2]
    if name == ROBOTS or documents_among([name], any_document=False):
        return True
    return kind_of(head, location=url, content_encoding=coding) is not None
