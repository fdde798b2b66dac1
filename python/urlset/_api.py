"""The verbs of reading. Each is a few lines over what is below."""

from __future__ import annotations

from collections.abc import Sequence

from urlset._errors import InputError
from urlset._models import Document
from urlset._scan import Entries, OnError, Scan
from urlset._source import SourceLike, resolve


def parse(
    data: bytes | bytearray | memoryview,
    *,
    location: str | None = None,
    on_error: OnError = "raise",
    content_encoding: str | None = None,
) -> Document:
    """Reads one document from memory; touches nothing else.

    The result is a table of its entries and says what the document was. `location` names it in messages and in the
    `document` column. `content_encoding` is as in `scan`.

    Raises NotASitemapError, MalformedError or LimitError; with `on_error="collect"` the last two leave a document
    with `complete` false and the entries before the fault.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise InputError(f"parse takes bytes, not {type(data).__name__}; read() takes paths and files")
    source = resolve(data, location)
    scan = Scan(source, follow=False, columns=None, on_error=on_error, content_encoding=content_encoding)
    return scan.collect().documents[0]


def scan(
    source: SourceLike,
    *,
    follow: bool = True,
    columns: Sequence[str] | None = None,
    on_error: OnError = "raise",
    content_encoding: str | None = None,
) -> Scan:
    """Reads a document, and an index on disk with its children, entry by entry in bounded memory.

    `source` is a path, a folder with a `sitemap.xml`, bytes, a binary file or an iterable of bytes. Compression (gzip,
    zstd, zlib, also inside each other) and charset are told by the bytes. `content_encoding` is the value of that
    header where the bytes came over HTTP: brotli and raw deflate cannot be told without it. It does no harm if the
    encoding was undone already. `columns` picks columns of the table and makes less work. With `on_error="collect"` a
    document that is broken, cut off or missing is listed among the `failures` and what could be read counts.

    Raises InputError for a source, column or encoding that is none, FileNotFoundError for a path with nothing there;
    while it runs NotASitemapError, MalformedError, LimitError, FetchError.
    """
    return Scan(resolve(source), follow=follow, columns=columns, on_error=on_error, content_encoding=content_encoding)


def read(
    source: SourceLike,
    *,
    follow: bool = True,
    columns: Sequence[str] | None = None,
    on_error: OnError = "raise",
    content_encoding: str | None = None,
) -> Entries:
    """Reads everything at once and holds it: exactly `scan(...).collect()`."""
    return scan(source, follow=follow, columns=columns, on_error=on_error, content_encoding=content_encoding).collect()
