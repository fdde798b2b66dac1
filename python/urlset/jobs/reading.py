"""Reading one part of a job: a scan over its documents that no broken one of them ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from urlset import _core
from urlset._model.errors import FetchError, InputError, UrlsetError
from urlset._model.limits import PROTOCOL, Budget, Limits
from urlset._options.filters import Filter
from urlset._read.columns import BATCH_ROWS
from urlset._read.frontier import INDEXES, Chosen, Frontier
from urlset._read.opening import Opener
from urlset._read.scan import Scan, ScanOptions
from urlset._read.scan_pass import ScanPass
from urlset._read.source import OpenDocument, Source
from urlset._read.walk import not_followed
from urlset.jobs.archives import documents_in
from urlset.jobs.parts import Outcome, ReadPart, is_archive, listed, sources_of


def scan_partition(
    part: ReadPart | Sequence[str],
    *,
    columns: Sequence[str] | None = None,
    strict: bool = False,
    store: Mapping[str, Any] | None = None,
    budget: Budget | None = None,
    limits: Limits | None = PROTOCOL,
    filter: Filter | None = None,  # noqa: A002  (the usual word)
    threads: int = 1,
) -> PartScan:
    """Read the documents of one part, in bounded memory, and go on whatever is wrong with one of them.

    Args:
        part: A part that was planned, or the paths of documents: files, or objects such as `s3://bucket/a.xml.gz`.
            None of these is a folder or a pattern, and none is followed.
        columns: Columns of the table to read, for less work; all if None.
        strict: Whether to raise the error of the first document that is broken or missing; else such documents are
            among the `outcomes`, and what could be read of them is kept.
        store: Options of object stores, as in `scan`.
        budget: What reading a document may cost; the default `Budget()` if None.
        limits: Limits of the protocol. A document that exceeds them is read, and reported. None turns that off.
        filter: Which entries are rows; all if None. Which sitemaps are read is for `plan_partitions`.
        threads: How many documents are read at once. An engine gives each task one core.

    Returns:
        The scan. Nothing is read yet.

    Raises:
        InputError: An argument is invalid.

    Example:
        >>> import pathlib
        >>> from urlset.jobs import scan_partition
        >>> _ = pathlib.Path("a.txt").write_text("https://shop.example/")
        >>> scan = scan_partition(["a.txt", "missing.xml"])
        >>> [entry.loc for entry in scan]
        ['https://shop.example/']
        >>> [(outcome.location, outcome.errors == ()) for outcome in scan.outcomes]
        [('a.txt', True), ('missing.xml', False)]
    """
    check_entry_filter(filter)
    if not isinstance(part, ReadPart):
        part = ReadPart(0, listed(part))
    options = ScanOptions(
        follow=part.follow, columns=columns, strict=strict, budget=budget, limits=limits, filter=filter
    )
    return PartScan(part, options, store, threads)


def check_entry_filter(wanted: Filter | None) -> None:
    """Raise InputError for a filter that no part can obey by itself."""
    if wanted is not None and any(
        each is not None for each in (wanted.sample_sitemaps, wanted.sample_entries, wanted.max_entries)
    ):
        raise InputError(
            "the filter of a job cannot have sample, sample_entries or max_entries: its parts do not know of each other"
        )


class PartScan(Scan):
    """The scan of one part, which can be opened again. See `Scan` for its tables and properties.

    Example:
        >>> import pathlib
        >>> from urlset.jobs import scan_partition
        >>> _ = pathlib.Path("a.txt").write_text("https://shop.example/")
        >>> scan = scan_partition(["a.txt"], columns=["loc"])
        >>> len(scan.collect()), len(scan.collect())
        (1, 1)
    """

    def __init__(self, part: ReadPart, options: ScanOptions, store: Mapping[str, Any] | None, threads: int) -> None:
        self.part = part
        self._threads = threads
        super().__init__(sources_of(part.documents, store), options)

    def _new_pass(self) -> ScanPass:
        options = self._options
        followed = {document.path for document in self.part.documents if document.is_followed}
        return _PartPass(
            self._sources,
            follow=options.follow,
            strict=options.strict,
            opener=Opener(self._sources, options.http),
            frontier=_Roots(options.filter),
            followed=followed,
            threads=self._threads,
        )

    @property
    def outcomes(self) -> list[Outcome]:
        """What came of each document that is done, in the order in which they ended."""
        return cast(_PartPass, self._pass).outcomes


class _Roots(Frontier):
    """The documents of a part. What they lead to is in this part already, or in another."""

    def add(self, source: Source, chosen: Chosen, index: Source) -> None:
        """Leave a child to the part that has it."""


class _PartPass(ScanPass):
    """One pass over a part.

    Args:
        sources: The documents.
        follow: Whether sitemaps that an index names are not rows.
        strict: Whether the first failure is raised.
        opener: Opens the documents.
        frontier: The documents that wait.
        followed: The paths of the indexes whose sitemaps are in the parts.
        threads: How many documents are read at once.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        *,
        follow: bool,
        strict: bool,
        opener: Opener,
        frontier: Frontier,
        followed: set[str],
        threads: int,
    ) -> None:
        super().__init__(sources, follow=follow, strict=strict, opener=opener, frontier=frontier, is_part=True)
        self.outcomes: list[Outcome] = []
        self._followed = followed
        self._threads = threads
        self._budget = Budget()
        #: The archive that is read, and the documents in it that are left.
        self._archive = ""
        self._records: Iterator[OpenDocument] | None = None
        #: Why documents that were opened could not be received to their end.
        self._broken: dict[int, tuple[UrlsetError, ...]] = {}

    def stream(
        self,
        columns: list[str] | None,
        budget: Budget | None,
        limits: Limits | None,
        batch_rows: int = BATCH_ROWS,
    ) -> _core.Stream:
        """Return the rows of all documents, as they are read."""
        threads, ahead = self._threads, self.opener.ahead
        wanted = self.frontier.of_entries
        self._budget = budget = budget or Budget()
        return _core.Stream(
            self,
            columns,
            self.follow,
            budget,
            limits,
            batch_rows=batch_rows,
            threads=threads,
            ahead=ahead,
            filter=wanted,
        )

    def next_document(self) -> OpenDocument | None:
        """Return the next document: of the archive that is open, or of those that wait."""
        while (archive := self._next_archive()) is not None:
            try:
                if (found := next(archive, None)) is not None:
                    self._open += 1
                    return found
            except FetchError as error:
                before = len(self.failures)
                self._fail(error)
                self.outcomes.append(Outcome(self._archive, None, tuple(self.failures[before:])))
            self._records = None
        return super().next_document()

    def _next_archive(self) -> Iterator[OpenDocument] | None:
        """Return the documents of an archive that is not read to its end, or is the next to be read."""
        if self._records is None:
            waiting = self.frontier.peek(1)
            if waiting and is_archive(waiting[0].key or ""):
                archive = waiting[0]
                self.frontier.next()
                self.frontier.failed(archive)  # it is no document itself
                self._archive, self._records = archive.location or "", documents_in(archive, self._budget)
        return self._records

    def finished(self, opened: OpenDocument, report: _core.DocumentReport) -> None:
        """Take the report, and note what came of the document."""
        before = len(self.failures)
        super().finished(opened, report)
        document = self.documents[-1]
        key = opened.origin.key or ""
        if self._is_asked_to_follow and document.kind in INDEXES and document.rows and key not in self._followed:
            # It began as something else, so that nobody knows of its sitemaps.
            self._fail(not_followed(document.location, document.rows, is_optional=True))
        errors = (*self._broken.pop(id(opened), ()), *self.failures[before:])
        self.outcomes.append(Outcome(document.location or key, document, errors))

    def failed(self, opened: OpenDocument, error: BaseException, is_open: bool) -> None:
        """Take the error, and note what came of the document."""
        before = len(self.failures)
        super().failed(opened, error, is_open)
        errors = tuple(self.failures[before:])
        if is_open:  # the core goes on to report what could be read of it
            self._broken[id(opened)] = errors
        else:
            self.outcomes.append(Outcome(opened.location or opened.origin.key or "", None, errors))
