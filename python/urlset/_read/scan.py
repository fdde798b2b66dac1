"""Reading: sources to entries, lazily as a Scan, eagerly as Entries."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

from urlset import _core
from urlset._model.core_types import DocumentReport, Fault, Finding
from urlset._model.diagnostics import Diagnostic, Edit, Fix
from urlset._model.documents import COMPLETENESS, Completeness, Document
from urlset._model.entries import Entry
from urlset._model.errors import (
    DocumentError,
    FetchError,
    InputError,
    LimitError,
    MalformedError,
    NotASitemapError,
    UrlsetError,
)
from urlset._model.limits import PROTOCOL, Budget, Limits, bounds_for_core
from urlset._read.source import Source, beside
from urlset._util.arguments import OnError, check_on_error

_ERRORS: dict[str, type[DocumentError]] = {
    "not_a_sitemap": NotASitemapError,
    "malformed": MalformedError,
    "truncated": MalformedError,
    "limit": LimitError,
}


def diagnostic(location: str | None, finding: Finding) -> Diagnostic:
    """A finding of the core, with the document it stands in."""
    code, severity, message, line, column, end_column, source, source_column, help_, edits, more = finding
    fix = None if edits is None else Fix(edits[0], tuple(Edit(*edit) for edit in edits[1]))
    place = (line, column, end_column)
    return Diagnostic(code, severity, message, location, *place, source, source_column, help_, fix, more)


def with_fault(findings: list[Finding], fault: Fault) -> list[Finding]:
    """The findings of a document and what ended its reading, in the order of their places."""
    return sorted([*findings, fault[1]], key=lambda finding: finding[3:5])


def document_error(location: str | None, fault: Fault) -> DocumentError:
    """The error of a document whose reading ended early."""
    kind, (_, _, message, line, column, *_) = fault
    if kind == "not_a_sitemap":
        message = f"not a sitemap: {message}"
    return _ERRORS[kind](message, location=location, line=line, column=column)


def _check_columns(columns: Sequence[str] | None) -> None:
    """Raises InputError before anything is read."""
    if columns is None:
        return
    if isinstance(columns, str):
        raise InputError(f"columns is one str, {columns!r}: put it into a list")
    if len(set(columns)) != len(columns):
        raise InputError(f"a column is asked for twice: {', '.join(columns)}")
    _core.schema(list(columns))


class Walk:
    """The documents of one opening of a scan: which come next, and how each went.

    A sitemapindex or robots.txt on disk leads to the children that lie beside it, each once; a child that is not
    there, or cannot be read, is a failure among `failures`, never an emptiness.
    """

    def __init__(self, root: Source, *, follow: bool, on_error: OnError) -> None:
        self.follow = follow and root.path is not None
        self.on_error = on_error
        self.documents: list[Document] = []
        self.failures: list[UrlsetError] = []
        self.diagnostics: list[Diagnostic] = []
        #: Rows of the table that came from each document: its entries without the children that are followed.
        self.rows: list[int] = []
        self._waiting: deque[Source] = deque([root])
        self._seen = {root.opened} if isinstance(root.opened, str) else set()
        self._current = root

    def next_document(self) -> tuple[str | None, Any] | None:
        """Called by the core for the next document to read."""
        if not self._waiting:
            return None
        self._current = self._waiting.popleft()
        return self._current.location, self._current.opened

    def finished(self, report: DocumentReport) -> None:
        """Called by the core when a document is done. Raises what the caller wants raised."""
        location, fault = self._current.location, report["fault"]
        findings = report["findings"] if fault is None else with_fault(report["findings"], fault)
        found = tuple(diagnostic(location, finding) for finding in findings)
        counts = Counter(report["counts"])
        if fault is not None:
            counts[fault[1][0]] += 1
        self.documents.append(
            Document(
                location,
                report["kind"],
                report["rows"],
                report["bytes"],
                _completeness(report),
                found,
                dict(sorted(counts.items())),
                report["extensions"],
            )
        )
        self.rows.append(report["rows"] - len(report["children"]))
        self.diagnostics.extend(found)
        if fault is not None:
            error = document_error(location, fault)
            # A root that is no sitemap has nothing to collect.
            self._fail(error, always=len(self.documents) == 1 and isinstance(error, NotASitemapError))
        for loc, line in report["children"]:
            self._child(loc, line)

    def failed(self, error: BaseException) -> None:
        """Called by the core when a document could not be opened, or not be read to its end.

        A file that the system does not hand out is a failure like any other, unless it is the root; what a source's
        own code raises goes on as it is.
        """
        if not isinstance(error, OSError) or not self.documents:
            raise error
        self._fail(FetchError(f"{self._current.location}: {error.strerror or error}"))

    def _child(self, loc: str, line: int) -> None:
        index = self._current.path
        path = beside(index, loc) if index is not None else None
        if path is None or not is_file(path):
            self._fail(FetchError(f"{self._current.location}:{line}: the child {loc} does not lie beside it"))
        elif str(path) not in self._seen:
            self._seen.add(str(path))
            self._waiting.append(Source(str(path), str(path)))

    def _fail(self, error: UrlsetError, *, always: bool = False) -> None:
        if always or self.on_error == "raise":
            raise error
        self.failures.append(error)


def _completeness(report: DocumentReport) -> Completeness:
    """How much of a document was read."""
    if report["fault"] is not None:
        return "refused" if report["fault"][0] == "not_a_sitemap" else "truncated"
    return "recovered" if report["mended"] else "complete"


def worst(documents: Iterable[Document], failures: Sequence[UrlsetError]) -> Completeness:
    """The worst of the documents; one that could not be had at all leaves the whole cut short."""
    found = [document.completeness for document in documents]
    if failures:
        found.append("truncated")
    return max(found, key=COMPLETENESS.index, default="complete")


def total(documents: Iterable[Document]) -> dict[str, int]:
    """How often each code was found in all of them."""
    counts: Counter[str] = Counter()
    for document in documents:
        counts.update(document.counts)
    return dict(sorted(counts.items()))


def is_file(path: Path) -> bool:
    """Whether a file is there, whatever the path."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name too long for the system, or with a NUL
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a scan reads; the verbs say what each means."""

    follow: bool = True
    columns: Sequence[str] | None = None
    on_error: OnError = "raise"
    content_encoding: str | None = None
    budget: Budget | None = None
    limits: Limits | None = PROTOCOL


class Scan:
    """Entries read as they are needed: iterate it, take it as a table, or `collect()` it.

    It opens its source anew each time, where that is possible. `documents`, `failures` and `diagnostics` tell of the
    latest opening and fill as it goes.
    """

    def __init__(self, source: Source, options: Options) -> None:
        check_on_error(options.on_error)
        _check_columns(options.columns)
        _core.check_content_encoding(options.content_encoding)
        self._source = source
        self._options = options
        self._columns = None if options.columns is None else list(options.columns)
        self._opened = False
        self._walk = self._new_walk()

    def _new_walk(self) -> Walk:
        return Walk(self._source, follow=self._options.follow, on_error=self._options.on_error)

    @property
    def location(self) -> str | None:
        """Where the root lives, if that is known."""
        return self._source.location

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents done so far, in the order of reading."""
        return tuple(self._walk.documents)

    @property
    def completeness(self) -> Completeness:
        """How much of the documents done so far was read: the worst of them."""
        return worst(self._walk.documents, self._walk.failures)

    @property
    def counts(self) -> dict[str, int]:
        """How often each code was found in the documents done so far, however many diagnostics are kept."""
        return total(self._walk.documents)

    @property
    def failures(self) -> tuple[UrlsetError, ...]:
        """What went wrong and was collected instead of raised."""
        return tuple(self._walk.failures)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was odd in the documents done so far."""
        return tuple(self._walk.diagnostics)

    def __repr__(self) -> str:
        state = f"{len(self._walk.documents)} documents, {len(self._walk.failures)} failures so far"
        return f"<Scan of {self.location or 'bytes'}: {state if self._opened else 'not opened yet'}>"

    def _open(self) -> _core.Stream:
        if self._opened and not self._source.reopens:
            raise InputError("this source can be read only once: use read(), or pass a path or bytes")
        self._opened = True
        self._walk = self._new_walk()
        bounds = bounds_for_core(self._options.budget or Budget(), self._options.limits)
        header = self._options.content_encoding
        return _core.Stream(self._walk, self._columns, self._walk.follow, header, bounds)

    def batches(self) -> Iterator[_core.Batches]:
        """The rows in batches, each with `__arrow_c_stream__`."""
        stream = self._open()
        while (batch := stream.next_batch()) is not None:
            yield batch

    def __iter__(self) -> Iterator[Entry]:
        for batch in self.batches():
            yield from batch.entries()

    def collect(self) -> Entries:
        """Reads everything and holds it."""
        rows = _core.Batches.concat(list(self.batches()), self._columns)
        return Entries(rows, self._walk)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._open().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return _core.schema(self._columns)


class Entries:
    """Entries that were read and are held, as a sequence and as a table.

    It is no `collections.abc.Sequence`: tables take those row by row before they look for anything better.
    """

    def __init__(self, rows: _core.Batches, walk: Walk) -> None:
        self._batches = rows
        self._failures = tuple(walk.failures)
        self._diagnostics = tuple(walk.diagnostics)
        self._documents = tuple(_held(walk, rows))

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents, in the order of reading; each is a table of its own rows."""
        return self._documents

    @property
    def completeness(self) -> Completeness:
        """How much was read: the worst of the documents."""
        return worst(self._documents, self._failures)

    @property
    def counts(self) -> dict[str, int]:
        """How often each code was found, however many diagnostics are kept."""
        return total(self._documents)

    @property
    def failures(self) -> tuple[UrlsetError, ...]:
        """What went wrong and was collected instead of raised."""
        return self._failures

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was odd."""
        return self._diagnostics

    def __len__(self) -> int:
        return len(self._batches)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._batches.entries())

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        if isinstance(index, slice):
            return self._batches.entries()[index]
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"entry {index} of {len(self)}")
        return self._batches.slice(position, position + 1).entries()[0]

    def __repr__(self) -> str:
        documents, failures = len(self._documents), len(self._failures)
        failed = f", {failures} failures" if failures else ""
        return f"<Entries: {len(self)} entries of {documents} documents{failed}>"

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._batches.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._batches.__arrow_c_schema__()


def _held(walk: Walk, rows: _core.Batches) -> Iterator[Document]:
    """Each document with its own rows; a followed index has none, for its children have them."""
    start = 0
    for document, count in zip(walk.documents, walk.rows, strict=True):
        yield replace(document, _held=rows.slice(start, start + count))
        start += count
