"""Reading a source entry by entry, in bounded memory."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from urlset import _core
from urlset._model.diagnostics import Diagnostic
from urlset._model.documents import Completeness, Document
from urlset._model.errors import InputError, UrlsetError
from urlset._model.fetches import Fetch, Savings
from urlset._model.limits import PROTOCOL, Budget, Limits
from urlset._model.progress import OnProgress, Progress
from urlset._model.rows import _HeldRows, entry_lists
from urlset._model.skipped import Sample, Skipped
from urlset._model.tables import _ArrowExport
from urlset._options.filters import Filter
from urlset._options.http import Http
from urlset._read.columns import ALL_COLUMNS, BATCH_ROWS, HELD_BATCH_ROWS, chosen_columns
from urlset._read.entries import Entries
from urlset._read.failures import Failures
from urlset._read.frontier import Frontier, Step
from urlset._read.opening import Opener
from urlset._read.results import total_counts, worst_completeness
from urlset._read.scan_pass import ScanPass
from urlset._read.source import Source
from urlset._util.text import plural

if TYPE_CHECKING:
    from urlset._model.entries import Entry
    from urlset._read.resume import ResumeFile


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanOptions:
    """How a scan reads; `scan` says what each option means."""

    follow: bool = True
    columns: Sequence[str] | None = None
    strict: bool = False
    content_encoding: str | None = None
    http: Http | None = None
    budget: Budget | None = None
    limits: Limits | None = PROTOCOL
    filter: Filter | None = None
    resume: str | os.PathLike[str] | None = None


class Scan(_ArrowExport):
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
        self._columns = chosen_columns(options.columns)
        _core.schema(self._columns)  # raises InputError for a name that is unknown
        _core.check_content_encoding(options.content_encoding)
        if options.resume is not None and options.filter is not None and options.filter.sample_entries is not None:
            raise InputError("sample_entries must not come with resume: what is drawn is known once all is read")
        self._sources = sources
        self._options = options
        self._is_opened = False
        self._file: ResumeFile | None = None
        if options.resume is not None:
            from urlset._read.resume import ResumeFile  # noqa: PLC0415  (few runs are resumed)

            self._file = ResumeFile(options.resume, self._run())
        #: How many rows the consumer has, of a run that can be resumed; an Arrow stream does not tell.
        self._handed = 0
        self._is_exported = False
        self._on_progress: OnProgress | None = None
        self._pass = self._new_pass()

    def _new_pass(self) -> ScanPass:
        options = self._options
        opener = Opener(self._sources, options.http, options.content_encoding)
        frontier = Frontier(options.filter, remembers=self._file is not None)
        if self._file is not None:
            self._file.restore(frontier, self._sources)
        reading = ScanPass(
            self._sources, Failures(strict=options.strict), opener, follow=options.follow, frontier=frontier
        )
        reading.on_progress = self._on_progress
        return reading

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
        return worst_completeness(self._pass.documents, self._pass.failures.kept)

    @property
    def counts(self) -> dict[str, int]:
        """How often each code was found in the documents that are done, however many diagnostics are kept."""
        return total_counts(self._pass.documents)

    @property
    def progress(self) -> Progress:
        """How many documents are done, of those that were found so far, and how many rows they have."""
        return self._pass.progress

    def _tell(self, on_progress: OnProgress | None) -> None:
        """Have a function called after each document, of this pass and of those to come."""
        self._on_progress = self._pass.on_progress = on_progress

    @property
    def failures(self) -> tuple[UrlsetError, ...]:
        """What went wrong and was collected instead of raised."""
        return tuple(self._pass.failures.kept)

    @property
    def fetches(self) -> tuple[Fetch, ...]:
        """What came of the documents that were fetched over HTTP so far, or could not be."""
        return self._pass.opener.fetches

    @property
    def savings(self) -> Savings:
        """What the cache saved so far, and how far indexes could be trusted."""
        return Savings.of(self.fetches)

    @property
    def skipped(self) -> Skipped:
        """What the filter has left out so far."""
        return self._pass.frontier.skipped

    @property
    def sample(self) -> Sample | None:
        """What was drawn of what was read so far, and what it stands for; None without a sample."""
        return self._pass.frontier.sample

    @property
    def mark(self) -> str | None:
        """What was kept with the last checkpoint of the file to resume from; None before the first one."""
        return None if self._file is None else self._file.mark

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was found in the documents that are done."""
        return tuple(found for document in self._pass.documents for found in document.diagnostics)

    def __repr__(self) -> str:
        """Return how far the scan is."""
        documents, failures = len(self._pass.documents), len(self._pass.failures.kept)
        state = f"{plural(documents, 'document')}, {plural(failures, 'failure')} so far"
        what = self.location or ("bytes" if len(self._sources) == 1 else f"{len(self._sources):,} sources")
        return f"<Scan of {what}: {state if self._is_opened else 'not opened yet'}>"

    def _open(self, batch_rows: int = BATCH_ROWS) -> _core.Stream:
        if self._is_opened and not all(source.reopens for source in self._sources):
            raise InputError("this source can be read only once: use read(), or pass a path or bytes")
        if self._is_opened or self._file is not None:  # whose state may be newer by now
            self._pass = self._new_pass()
        self._is_opened = True
        self._handed, self._is_exported = 0, False
        return self._pass.stream(self._columns, self._options.budget, self._options.limits, batch_rows)

    def batches(self) -> Iterator[_core.Batches]:
        """Yield the rows in batches, each with `__arrow_c_stream__`. With `resume`, each ends with a whole document.

        Entries that are drawn (`Filter.sample_entries`) come in one batch, once everything was read.
        """
        return self._batches(BATCH_ROWS)

    def _batches(self, batch_rows: int) -> Iterator[_core.Batches]:
        stream = self._open(batch_rows)
        held: list[_core.Batches] = []
        while (batch := stream.next_batch()) is not None:
            if (whole := self._whole(batch, held)) is not None:
                yield whole

    def _whole(self, batch: _core.Batches, held: list[_core.Batches]) -> _core.Batches | None:
        """Return what to hand out with a new batch; of a run that can be resumed, whole documents. Hold the rest."""
        if self._file is None:
            return batch if len(batch) else None  # while a sample is drawn, there are no rows
        held.append(batch)
        done = self._pass.done.whole_rows(self._handed + sum(map(len, held))) - self._handed
        if not done:
            return None
        rows = _core.Batches.concat(held, self._columns)
        held[:] = [rows.slice(done, len(rows))]
        self._handed += done
        return rows.slice(0, done)

    def __iter__(self) -> Iterator[Entry]:
        """Read the entries one by one."""
        # By lists, without a generator that would have its turn for each entry.
        return chain.from_iterable(entries for batch in self.batches() for entries in self._lists(batch))

    def _lists(self, batch: _core.Batches) -> Iterator[Iterable[Entry]]:
        """Yield the entries of a batch, a few at a time, and keep count of a run that can be resumed."""
        if self._file is None:
            return entry_lists(batch)
        self._handed -= len(batch)
        return map(self._counted, entry_lists(batch))

    def _counted(self, entries: list[Entry]) -> Iterator[Entry]:
        for entry in entries:
            self._handed += 1
            yield entry

    def stop(self) -> None:
        """Begin no further document. Those that are being read are read to their end, and a failure says what is left.

        It can be called at any time, from any thread and from a signal handler.
        """
        self._pass.stop()

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` ended the latest pass before everything was read."""
        return self._pass.is_stopped

    def checkpoint(self, mark: str | None = None) -> None:
        """Remember in the file to resume from that all rows that were handed out so far are safe.

        A later scan with this file reads the other documents only. So write the rows of each of `batches()` to where
        they belong, then call this. If the process may die between the two, let `mark` say how much was
        written, such as the length of a file, and cut what goes beyond the `mark` of the next run.

        Args:
            mark: A text that is kept together with the checkpoint.

        Raises:
            InputError: The scan has no file to resume from, or the file cannot be written.
            UrlsetError: The last row was not the last of its document, or an Arrow stream is not read to its end.
        """
        if self._file is None:
            raise InputError("a checkpoint needs a file: scan(…, resume='FILE')")
        self._file.save(self._steps(), mark)

    def _steps(self) -> list[Step]:
        if self._is_exported and not self._pass.is_ended:
            raise UrlsetError("an Arrow stream cannot have a checkpoint before its end: use batches()")
        return self._pass.take_steps(None if self._is_exported else self._handed)

    def _place(self, output: Path, target: Path) -> None:
        """Put an output with all rows in its place, and remember in the file to resume from that they are safe."""
        if self._file is None:
            output.replace(target)
        else:
            self._file.save_with(output, target, self._steps())

    def _run(self) -> list[object]:
        """Return what makes this run the same as a later one."""
        if any(source.key is None for source in self._sources):
            raise InputError("resume needs sources at paths or URLs: bytes and streams cannot be read on")
        wanted = replace(self._options.filter or Filter(), max_entries=None)
        return [[source.key for source in self._sources], self._options.follow, repr(wanted)]

    def collect(self) -> Entries:
        """Read everything and hold it."""
        return self._held(list(self._batches(HELD_BATCH_ROWS)))

    def abatches(self) -> AsyncGenerator[_core.Batches]:
        """Yield the rows in batches, and leave the event loop to others meanwhile.

        Whoever does not read to the end should close it, as with `contextlib.aclosing`: that ends all connections.
        """
        return self._abatches(BATCH_ROWS)

    async def _abatches(self, batch_rows: int) -> AsyncGenerator[_core.Batches]:
        import asyncio  # noqa: PLC0415  (whoever awaits has it; for others it is a third of importing `scan`)

        stream = self._open(batch_rows)
        try:
            held: list[_core.Batches] = []
            while (batch := await asyncio.to_thread(stream.next_batch)) is not None:
                if (whole := self._whole(batch, held)) is not None:
                    yield whole
        finally:
            self._pass.opener.close()  # a thread may still be waiting for a server

    async def __aiter__(self) -> AsyncGenerator[Entry]:
        """Read the entries one by one, and leave the event loop to others meanwhile."""
        async with aclosing(self.abatches()) as batches:
            async for batch in batches:
                for entries in self._lists(batch):
                    for entry in entries:
                        yield entry

    async def acollect(self) -> Entries:
        """Read everything and hold it, and leave the event loop to others meanwhile."""
        return self._held([batch async for batch in self._abatches(HELD_BATCH_ROWS)])

    def _held(self, parts: list[_core.Batches]) -> Entries:
        batches = _core.Batches.concat(parts, self._columns)
        rows = _HeldRows(batches, self._columns or ALL_COLUMNS)
        return Entries(rows, list(self._pass.held_documents(rows)), self._pass.failures.kept)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the entries as an Arrow stream, which reads as it is consumed."""
        stream = self._open()
        self._is_exported = True
        return stream.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """Hand out the schema of the table, without reading anything."""
        return _core.schema(self._columns)
