"""Reading a source entry by entry, in bounded memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from urlset import _core
from urlset._fetch.options import Http
from urlset._model.diagnostics import Diagnostic
from urlset._model.documents import Completeness, Document
from urlset._model.entries import Entry
from urlset._model.errors import FetchError, InputError, NotASitemapError, UrlsetError
from urlset._model.fetches import Fetch, Savings
from urlset._model.limits import PROTOCOL, Budget, Limits
from urlset._model.rows import _HeldRows
from urlset._model.tables import _ArrowTable
from urlset._read.entries import Entries
from urlset._read.opening import Opener
from urlset._read.results import document_error, document_of, total_counts, without_frames, worst_completeness
from urlset._read.source import OpenDocument, Source
from urlset._read.walk import Walk, child_source, not_followed, not_read
from urlset._util.arguments import OnError, check_on_error
from urlset._util.text import plural


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanOptions:
    """How a scan reads; `scan` says what each option means."""

    follow: bool = True
    columns: Sequence[str] | None = None
    on_error: OnError = "raise"
    content_encoding: str | None = None
    http: Http | None = None
    budget: Budget | None = None
    limits: Limits | None = PROTOCOL


class ScanPass:
    """One pass over the documents of a scan: which comes next, and how each went.

    The core calls it. A sitemap index or robots.txt on disk leads to the children in its folder, each once; a child
    that is missing or cannot be read becomes a failure. So do the children of one that was not read from a folder;
    nothing is raised for them, because its own entries are all there.

    Args:
        roots: The documents that the scan was opened on.
        follow: Whether children are found at all.
        on_error: Whether failures are raised or collected.
        opener: Opens the documents.
        reads_children: Whether the pass reads the children too, or leaves them to its caller (`take_children`).
    """

    def __init__(
        self,
        roots: Sequence[Source],
        *,
        follow: bool,
        on_error: OnError,
        opener: Opener,
        reads_children: bool = True,
    ) -> None:
        #: Whether the core hands out children. It has to for all documents or for none.
        self.follow = follow and any(root.has_children for root in roots)
        self.opener = opener
        self._is_asked_to_follow = follow
        self._is_single = len(roots) == 1
        self.on_error = on_error
        self.documents: list[Document] = []
        self.failures: list[UrlsetError] = []
        #: Rows of the table from each document: its entries without the children that are followed.
        self.rows: list[int] = []
        self._reads_children = reads_children
        self._walk: Walk[Source] = Walk()
        for root in roots:
            self._walk.add(root, root)
        #: Documents that the core has and is not done with, and whether reading one of them broke off.
        self._open = 0
        self._is_begun = False
        #: Which bound of the run is reached, and how many documents are not read because of it.
        self._spent: str | None = None
        self._left = 0
        self._is_broken = False

    def take_children(self) -> list[Source]:
        """Take the children that were found and are not read yet."""
        return list(iter(self._walk.next, None))

    def stream(self, columns: list[str] | None, budget: Budget | None, limits: Limits | None) -> _core.Stream:
        """Return the rows of all documents, as they are read."""
        threads, ahead = self.opener.threads, self.opener.ahead
        return _core.Stream(self, columns, self.follow, budget or Budget(), limits, threads=threads, ahead=ahead)

    def next_document(self) -> OpenDocument | None:
        """Return the next document; None if there is none before another one is done."""
        if not self._reads_children and self._is_begun:
            return None
        self._is_begun = True
        waiting = self._walk.peek(1)
        if waiting and self._spent is None:
            self._spent = self.opener.spent(waiting[0])
        if self._spent is not None:
            # Documents that are on their way may still lead to others.
            self._left += self._walk.leave()
            if self._left and (not self._open or self.on_error == "raise"):
                self._fail(not_read(self._spent, self._left))
                self._left = 0
        source = self._walk.next()
        if source is None:
            if self._reads_children and not self._open:
                self.opener.close()  # else it is its caller's
            return None
        self._open += 1
        return self.opener.open(source)

    def finished(self, opened: OpenDocument, report: _core.DocumentReport) -> None:
        """Take the core's report on a document that is done. Raises what the caller wants raised."""
        self._open -= 1
        opened.close()
        current = replace(opened.origin, location=opened.location)
        document = document_of(current.location, report)
        self.documents.append(document)
        self.rows.append(report.entries - len(report.children))
        fault = report.fault
        is_broken, self._is_broken = self._is_broken, False
        if fault is not None and not is_broken:
            wrong = document_error(document.location, fault)
            # There is nothing to collect from a root that is not a sitemap.
            is_root = self._is_single and len(self.documents) == 1
            self._fail(wrong, always=is_root and isinstance(wrong, NotASitemapError))
        if self._is_asked_to_follow and not current.has_children:
            self._leave_children(document, report.children)
            return
        for child in report.children:
            try:
                source = child_source(
                    current, child.loc, child.line, document.kind, self.opener.http, child.lastmod_raw
                )
            except FetchError as missing:
                self._fail(missing)
            else:
                self._walk.add(source, source)

    def _leave_children(self, document: Document, children: Sequence[_core.Child]) -> None:
        """Take note of children that have no folder."""
        if document.kind not in ("sitemapindex", "robots") or not document.rows:
            return
        error = not_followed(document.location, document.rows, is_optional=self._reads_children)
        if self._reads_children and not children:
            self.failures.append(error)
        else:  # they are not among the rows, or the caller wants the pages of a whole set
            self._fail(error)

    def failed(self, opened: OpenDocument, error: BaseException, is_open: bool) -> None:
        """Take the error of a document that could not be opened, or read to its end, as the core met it.

        A file that the system does not open is a failure like any other, unless it is the only root. Errors that a
        source's own code raises are passed on as they are.
        """
        is_only = self._is_single and not self.documents
        self._is_broken = is_open
        self._open -= not is_open
        if isinstance(error, FetchError):
            self._fail(error, always=is_only and not is_open)
            return
        if not isinstance(error, OSError) or is_only or opened.origin.path is None:
            raise error
        self._fail(FetchError(f"{opened.location}: {error.strerror or error}"))

    def _fail(self, error: UrlsetError, *, always: bool = False) -> None:
        if always or self.on_error == "raise":
            raise error
        self.failures.append(without_frames(error))

    def held_documents(self, rows: _HeldRows) -> Iterator[Document]:
        """Yield each document with its own rows. A followed index has none, for its children have them."""
        start = 0
        for document, count in zip(self.documents, self.rows, strict=True):
            yield replace(document, _held=rows.slice(start, start + count))
            start += count


class Scan(_ArrowTable):
    """Entries that are read when they are needed: iterate it, take it as a table, or `collect()` it.

    It opens its source again each time, where that is possible. `documents`, `failures`, `diagnostics` and `counts`
    are those of the latest pass, and grow while it runs. It has `__arrow_c_stream__`, so that whatever takes Arrow
    reads it batch by batch, and `to_pandas`, `to_polars`, `to_arrow` and `to_duckdb`.

    Example:
        >>> import urlset
        >>> scan = urlset.scan(b"https://shop.example/\\nhttps://shop.example/tea\\n")
        >>> [entry.loc for entry in scan]
        ['https://shop.example/', 'https://shop.example/tea']
        >>> scan.documents[0].kind
        'text'
    """

    def __init__(self, sources: Sequence[Source], options: ScanOptions) -> None:
        check_on_error(options.on_error)
        _check_columns(options.columns)
        _core.check_content_encoding(options.content_encoding)
        self._sources = sources
        self._options = options
        self._columns = None if options.columns is None else list(options.columns)
        self._is_opened = False
        self._pass = self._new_pass()

    def _new_pass(self) -> ScanPass:
        options = self._options
        opener = Opener(self._sources, options.http, options.content_encoding)
        return ScanPass(self._sources, follow=options.follow, on_error=options.on_error, opener=opener)

    @property
    def location(self) -> str | None:
        """Where the root is, if that is known and there is only one."""
        return self._sources[0].location if len(self._sources) == 1 else None

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents that are done, in the order of reading."""
        return tuple(self._pass.documents)

    @property
    def completeness(self) -> Completeness:
        """How much of the documents that are done was read: the worst of them."""
        return worst_completeness(self._pass.documents, self._pass.failures)

    @property
    def counts(self) -> dict[str, int]:
        """How often each code was found in the documents that are done, however many diagnostics are kept."""
        return total_counts(self._pass.documents)

    @property
    def failures(self) -> tuple[UrlsetError, ...]:
        """What went wrong and was collected instead of raised."""
        return tuple(self._pass.failures)

    @property
    def fetches(self) -> tuple[Fetch, ...]:
        """What came of the documents that were fetched over HTTP so far, or could not be."""
        return self._pass.opener.fetches

    @property
    def savings(self) -> Savings:
        """What the cache saved so far, and how far indexes could be trusted."""
        return Savings.of(self.fetches)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was found in the documents that are done."""
        return tuple(found for document in self._pass.documents for found in document.diagnostics)

    def __repr__(self) -> str:
        """Return how far the scan is."""
        documents, failures = len(self._pass.documents), len(self._pass.failures)
        state = f"{plural(documents, 'document')}, {plural(failures, 'failure')} so far"
        what = self.location or ("bytes" if len(self._sources) == 1 else f"{len(self._sources):,} sources")
        return f"<Scan of {what}: {state if self._is_opened else 'not opened yet'}>"

    def _open(self) -> _core.Stream:
        if self._is_opened and not all(source.reopens for source in self._sources):
            raise InputError("this source can be read only once: use read(), or pass a path or bytes")
        self._is_opened = True
        self._pass = self._new_pass()
        return self._pass.stream(self._columns, self._options.budget, self._options.limits)

    def batches(self) -> Iterator[_core.Batches]:
        """Yield the rows in batches, each with `__arrow_c_stream__`."""
        stream = self._open()
        while (batch := stream.next_batch()) is not None:
            yield batch

    def __iter__(self) -> Iterator[Entry]:
        """Read the entries one by one."""
        for batch in self.batches():
            yield from batch.entries()

    def collect(self) -> Entries:
        """Read everything and hold it."""
        return self._held(list(self.batches()))

    async def abatches(self) -> AsyncGenerator[_core.Batches]:
        """Yield the rows in batches, and leave the event loop to others meanwhile.

        Whoever does not read to the end should close it, as with `contextlib.aclosing`: that ends all connections.
        """
        stream = self._open()
        try:
            while (batch := await asyncio.to_thread(stream.next_batch)) is not None:
                yield batch
        finally:
            self._pass.opener.close()  # a thread may still be waiting for a server

    async def __aiter__(self) -> AsyncGenerator[Entry]:
        """Read the entries one by one, and leave the event loop to others meanwhile."""
        async with aclosing(self.abatches()) as batches:
            async for batch in batches:
                for entry in batch.entries():
                    yield entry

    async def acollect(self) -> Entries:
        """Read everything and hold it, and leave the event loop to others meanwhile."""
        return self._held([batch async for batch in self.abatches()])

    def _held(self, parts: list[_core.Batches]) -> Entries:
        batches = _core.Batches.concat(parts, self._columns)
        rows = _HeldRows(batches, self._columns or _core.columns())
        return Entries(rows, list(self._pass.held_documents(rows)), self._pass.failures)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the entries as an Arrow stream, which reads as it is consumed."""
        return self._open().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """Hand out the schema of the table, without reading anything."""
        return _core.schema(self._columns)


def _check_columns(columns: Sequence[str] | None) -> None:
    """Raise InputError before anything is read."""
    if columns is None:
        return
    if isinstance(columns, str):
        raise InputError(f"columns must be a list of names, got one str, {columns!r}")
    if len(set(columns)) != len(columns):
        raise InputError(f"columns must name each column once, got {', '.join(columns)}")
    _core.schema(list(columns))
