"""Reading one part of a job: a scan over its documents that no broken one of them ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from urlset._model.errors import InputError
from urlset._model.limits import PROTOCOL, Budget, Limits
from urlset._options.filters import Filter
from urlset._read.failures import Failures
from urlset._read.frontier import INDEXES, Frontier
from urlset._read.opening import Opener
from urlset._read.scan import Scan, ScanOptions
from urlset._read.scan_pass import Ended, Hooks, ScanPass
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
        budget = options.budget or Budget()
        failures = Failures(strict=options.strict)
        self._outcomes = outcomes = _Outcomes(self.part, failures)

        def documents_of(source: Source) -> Iterator[OpenDocument] | None:
            return documents_in(source, budget) if is_archive(source.key or "") else None

        return ScanPass(
            self._sources,
            failures,
            Opener(self._sources, options.http),
            follow=options.follow,
            frontier=Frontier(options.filter),
            is_part=True,
            threads=self._threads,
            # What the documents lead to is in this part already, or in another.
            hooks=Hooks(on_end=outcomes.add, takes_child=lambda _source, _chosen: False, unpack=documents_of),
        )

    @property
    def outcomes(self) -> list[Outcome]:
        """What came of each document that is done, in the order in which they ended."""
        return self._outcomes.found


class _Outcomes:
    """What came of the documents of a part.

    Args:
        part: The part.
        failures: Keeps what goes wrong, or raises it.
    """

    def __init__(self, part: ReadPart, failures: Failures) -> None:
        self.found: list[Outcome] = []
        self._failures = failures
        self._is_followed = part.follow
        self._followed = {document.path for document in part.documents if document.is_followed}

    def add(self, ended: Ended) -> None:
        """Add what came of a document."""
        document, key, errors = ended.document, ended.source.key or "", ended.errors
        is_unknown = self._is_followed and key not in self._followed
        if is_unknown and document is not None and document.kind in INDEXES and document.rows:
            # It began as something else, so that nobody knows of its sitemaps.
            error = not_followed(document.location, document.rows, is_optional=True)
            self._failures.add(error)
            errors = (*errors, error)
        self.found.append(Outcome(ended.location or key, document, errors))
