"""The verbs of reading. Each is a few lines over what is below."""

from __future__ import annotations

from collections.abc import Sequence

from urlset._model.documents import Document
from urlset._model.errors import InputError
from urlset._model.limits import PROTOCOL, Budget, Limits
from urlset._read.scan import Entries, Options, Scan
from urlset._read.source import SourceLike, resolve
from urlset._util.arguments import OnError


def parse(
    data: bytes | bytearray | memoryview,
    *,
    location: str | None = None,
    on_error: OnError = "raise",
    content_encoding: str | None = None,
    budget: Budget | None = None,
    limits: Limits | None = PROTOCOL,
) -> Document:
    """Reads one document from memory; touches nothing else.

    The result is a table of its entries and says what the document was, and how much of it was read. `location` names
    it in messages and in the `document` column; where it is an http or https URL, relative locs are resolved against
    it. `content_encoding`, `budget` and `limits` are as in `scan`.

    A document that is not well-formed is mended, and what was wrong is among its `diagnostics`. Raises
    NotASitemapError, MalformedError for one that is cut off and LimitError for one beyond our bounds; with
    `on_error="collect"` the last two leave a document that is `truncated`, with the entries before the place.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise InputError(f"parse takes bytes, not {type(data).__name__}; read() takes paths and files")
    source = resolve(data, location)
    options = Options(follow=False, on_error=on_error, content_encoding=content_encoding, budget=budget, limits=limits)
    return Scan(source, options).collect().documents[0]


def scan(
    source: SourceLike,
    *,
    location: str | None = None,
    follow: bool = True,
    columns: Sequence[str] | None = None,
    on_error: OnError = "raise",
    content_encoding: str | None = None,
    budget: Budget | None = None,
    limits: Limits | None = PROTOCOL,
) -> Scan:
    """Reads a document, and an index or robots.txt on disk with its children, entry by entry in bounded memory.

    `source` is a path, a folder with a `sitemap.xml`, bytes, a binary file or an iterable of bytes. What it is (a
    sitemap, an RSS or Atom feed, a text list, a robots.txt), its compression (gzip, zstd, zlib, also inside each other)
    and its charset are told by the bytes. `location` is where the root lives, if that is not its path; as an http or
    https URL it is what relative locs are resolved against. `columns` picks columns of the table and makes less work.
    `content_encoding` is the value of that header where the bytes came over HTTP: brotli and raw deflate cannot be told
    without it, and it does no harm if the encoding was undone already.

    What is not well-formed is mended and told of in the `diagnostics`. With `on_error="collect"` a document that is cut
    off, beyond a bound or missing is listed among the `failures`, and what could be read counts.

    `budget` bounds what reading a document may cost; there always is one. `limits` are those of the protocol, which a
    document may be over: that is told of, unless they are None.

    Raises InputError for a source, column or encoding that is none, FileNotFoundError for a path with nothing there;
    while it runs NotASitemapError, MalformedError, LimitError, FetchError.
    """
    options = Options(
        follow=follow,
        columns=columns,
        on_error=on_error,
        content_encoding=content_encoding,
        budget=budget,
        limits=limits,
    )
    return Scan(resolve(source, location), options)


def read(
    source: SourceLike,
    *,
    location: str | None = None,
    follow: bool = True,
    columns: Sequence[str] | None = None,
    on_error: OnError = "raise",
    content_encoding: str | None = None,
    budget: Budget | None = None,
    limits: Limits | None = PROTOCOL,
) -> Entries:
    """Reads everything at once and holds it: exactly `scan(...).collect()`."""
    return scan(
        source,
        location=location,
        follow=follow,
        columns=columns,
        on_error=on_error,
        content_encoding=content_encoding,
        budget=budget,
        limits=limits,
    ).collect()
