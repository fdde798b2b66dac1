"""The verbs that read: parse, scan and read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

from urlset._model.errors import InputError
from urlset._model.limits import PROTOCOL, Budget, Limits
from urlset._options.filters import Filter
from urlset._options.http import Http
from urlset._options.option import Option
from urlset._options.shared import Columns, Follow, StoreOptions, Strict

if TYPE_CHECKING:
    from urlset._model.documents import Document
    from urlset._read.entries import Entries
    from urlset._read.scan import Scan
    from urlset._read.source import SourceLike, SourcesLike


def parse(
    data: bytes | bytearray | memoryview,
    *,
    location: str | None = None,
    strict: Strict = False,
    content_encoding: str | None = None,
    budget: Budget | None = None,
    limits: Limits | None = PROTOCOL,
) -> Document:
    """Read one document from memory. Nothing else is opened or followed.

    A document that is not well-formed is repaired, and every repair is among its `diagnostics`.

    Args:
        data: The document, in any charset and compression. A str is refused: its charset is lost, and it could be a
            path, which `read` takes.
        location: Its name in messages and in the `document` column. If it is an http or https URL, relative locs are
            resolved against it.
        strict: Stop at the first document that fails, instead of going on with the others. Otherwise one that is cut
            off or exceeds the budget is returned with the entries before that, and its `completeness`.
        content_encoding: As in `scan`.
        budget: As in `scan`.
        limits: As in `scan`.

    Returns:
        The document. It is a table of its entries, one row each, and says what it is and how much of it was read.

    Raises:
        NotASitemapError: It is something else.
        MalformedError: It ends too early.
        LimitError: It exceeds the budget.
        InputError: An argument is invalid.

    Example:
        >>> import urlset
        >>> document = urlset.parse(b"https://shop.example/\\nhttps://shop.example/tea\\n")
        >>> document.kind, document.completeness, [entry.loc for entry in document]
        ('text', 'complete', ['https://shop.example/', 'https://shop.example/tea'])
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        # A str is taken for neither: whether it is a path or a document would be a guess.
        hint = (
            "encode() a document, or give a path to read()" if isinstance(data, str) else "read() takes paths and files"
        )
        raise InputError(f"data must be bytes, got {type(data).__name__}: {hint}")
    found = read(
        data,
        location=location,
        follow=False,
        strict=strict,
        content_encoding=content_encoding,
        budget=budget,
        limits=limits,
    )
    return found.documents[0]


def scan(
    source: SourceLike | SourcesLike,
    *,
    location: str | None = None,
    follow: Follow = True,
    columns: Columns = None,
    strict: Strict = False,
    content_encoding: str | None = None,
    http: Http | None = None,
    store: StoreOptions = None,
    budget: Budget | None = None,
    limits: Limits | None = PROTOCOL,
    filter: Filter | None = None,  # noqa: A002  (the usual word)
    resume: Annotated[
        str | os.PathLike[str] | None,
        Option("File that remembers what was read, so that the next run with it reads the rest.", metavar="FILE"),
    ] = None,
) -> Scan:
    """Read a document entry by entry in bounded memory, and an index or robots.txt on disk with its children.

    What is not well-formed is repaired, and every repair is among the `diagnostics`. Nothing is read yet: iterate the
    scan, take it as a table, or `collect()` it.

    Args:
        source: A path, a folder, a glob, an http or https URL, the URL of an object store such as
            `s3://bucket/sitemaps/sitemap.xml` (`gs://`, `az://`), bytes, a binary file, an iterable of bytes, or a list
            of paths, URLs and files. A folder, or a prefix of a store that ends with a slash, stands for its
            `sitemap.xml`, another usual name of an entry point, a robots.txt that names sitemaps, or all files with
            `sitemap` in their name; a URL without a path for the robots.txt of that site if it names sitemaps, or else
            its first usual name that answers. The content decides what a document is: a sitemap, a sitemap index, an
            RSS or Atom feed, a text list or a robots.txt, in any charset and compressed by gzip, zstd or zlib, also
            inside each other.
        location: Where the root is, if that is not its path; of several, their folder, with a slash at its end. If it
            is an http or https URL, relative locs are resolved against it.
        follow: Read the children of an index or a robots.txt too, or only what it lists itself. On disk and in a store
            they come from the same folder; over HTTP, from their URLs. One from bytes or a stream has no folder: its
            entries are read, and a failure says that its children were not.
        columns: Columns to read, in order, such as loc,lastmod. All if None.
        strict: Stop at the first document that fails, instead of going on with the others. Otherwise documents that
            are cut off, exceed the budget or are missing are among the `failures`, and what could be read of them is
            kept. If not one could be read, the first failure is raised.
        content_encoding: Value of that header, if the bytes came over HTTP. Brotli and raw deflate cannot be
            recognised without it. It does no harm if the encoding is undone already.
        http: How documents are fetched, if the source is a URL; `Http()` if None.
        store: Options of the object store, such as endpoint and region; secrets stay in the environment.
        budget: What reading a document may cost; the default `Budget()` if None.
        limits: Limits of the protocol. A document that exceeds them is read, and reported. None turns that off.
        filter: Which sitemaps of an index are read, and which of their entries are rows; all if None. What it leaves
            out is counted in `skipped`.
        resume: File that remembers what was read, so that the next run with it reads the rest. It is created if it
            does not exist. `Scan.checkpoint` says what counts as done.

    Returns:
        The scan: one row per entry, with the columns `loc`, `lastmod` (a timestamp in UTC), `lastmod_raw`,
        `changefreq`, `priority`, `images`, `videos`, `alternates`, `news`, `document`, `kind` and `line`. The `kind`
        is that of the document: rows of a `sitemapindex` or of `robots` name sitemaps, all others name pages.

    Raises:
        InputError: The source, a column or the encoding is invalid, or a folder has no sitemap.
        FileNotFoundError: There is nothing at the path.
        NotASitemapError: While it runs: the root is something else.
        MalformedError: While it runs: a document ends too early.
        LimitError: While it runs: a document exceeds the budget.
        FetchError: While it runs: a child is missing.

    Example:
        >>> import urlset
        >>> scan = urlset.scan(b"https://shop.example/\\nhttps://shop.example/tea\\n")
        >>> for entry in scan:
        ...     print(entry.line, entry.loc, entry.priority)
        1 https://shop.example/ None
        2 https://shop.example/tea None
    """
    # A help asks for the signature alone.
    from urlset._read.scan import Scan, ScanOptions  # noqa: PLC0415
    from urlset._read.source import locate, resolve_all  # noqa: PLC0415

    options = ScanOptions(
        follow=follow,
        columns=columns,
        strict=strict,
        content_encoding=content_encoding,
        http=http,
        budget=budget,
        limits=limits,
        filter=filter,
        resume=resume,
    )
    return Scan(locate(resolve_all(source, store=store), location), options)


def read(
    source: SourceLike | SourcesLike,
    *,
    location: str | None = None,
    follow: Follow = True,
    columns: Columns = None,
    strict: Strict = False,
    content_encoding: str | None = None,
    http: Http | None = None,
    store: StoreOptions = None,
    budget: Budget | None = None,
    limits: Limits | None = PROTOCOL,
    filter: Filter | None = None,  # noqa: A002  (the usual word)
) -> Entries:
    """Read everything at once and hold it in memory: the same as `scan(...).collect()`.

    Args:
        source: A path, a folder, a glob, an http or https URL, the URL of an object store such as
            `s3://bucket/sitemaps/sitemap.xml` (`gs://`, `az://`), bytes, a binary file, an iterable of bytes, or a list
            of paths, URLs and files. A folder, or a prefix of a store that ends with a slash, stands for its
            `sitemap.xml`, another usual name of an entry point, a robots.txt that names sitemaps, or all files with
            `sitemap` in their name; a URL without a path for the robots.txt of that site if it names sitemaps, or else
            its first usual name that answers. The content decides what a document is: a sitemap, a sitemap index, an
            RSS or Atom feed, a text list or a robots.txt, in any charset and compressed by gzip, zstd or zlib, also
            inside each other.
        location: Where the root is, if that is not its path; of several, their folder, with a slash at its end. If it
            is an http or https URL, relative locs are resolved against it.
        follow: Read the children of an index or a robots.txt too, or only what it lists itself. On disk and in a store
            they come from the same folder; over HTTP, from their URLs. One from bytes or a stream has no folder: its
            entries are read, and a failure says that its children were not.
        columns: Columns to read, in order, such as loc,lastmod. All if None.
        strict: Stop at the first document that fails, instead of going on with the others. Otherwise documents that
            are cut off, exceed the budget or are missing are among the `failures`, and what could be read of them is
            kept. If not one could be read, the first failure is raised.
        content_encoding: Value of that header, if the bytes came over HTTP. Brotli and raw deflate cannot be
            recognised without it. It does no harm if the encoding is undone already.
        http: How documents are fetched, if the source is a URL; `Http()` if None.
        store: Options of the object store, such as endpoint and region; secrets stay in the environment.
        budget: What reading a document may cost; the default `Budget()` if None.
        limits: Limits of the protocol. A document that exceeds them is read, and reported. None turns that off.
        filter: Which sitemaps of an index are read, and which of their entries are rows; all if None. What it leaves
            out is counted in `skipped`.

    Returns:
        The entries, as a sequence and as a table of one row each; see `scan` for the columns.

    Raises:
        InputError: The source, a column or the encoding is invalid.
        FileNotFoundError: There is nothing at the path.
        NotASitemapError: The root is something else.
        MalformedError: A document ends too early.
        LimitError: A document exceeds the budget.
        FetchError: A child is missing, or a URL cannot be fetched.

    Example:
        >>> import urlset
        >>> entries = urlset.read(b"https://shop.example/\\nhttps://shop.example/tea\\n")
        >>> len(entries), entries[0].loc, entries.counts
        (2, 'https://shop.example/', {})
    """
    if filter is None and isinstance(source, bytes | bytearray | memoryview):
        from urlset._read.single import read_single  # noqa: PLC0415  (as in `scan`)

        return read_single(
            bytes(source),
            location=location,
            follow=follow,
            columns=columns,
            strict=strict,
            content_encoding=content_encoding,
            budget=budget,
            limits=limits,
        )
    return scan(
        source,
        location=location,
        follow=follow,
        columns=columns,
        strict=strict,
        content_encoding=content_encoding,
        http=http,
        store=store,
        budget=budget,
        limits=limits,
        filter=filter,
    ).collect()
