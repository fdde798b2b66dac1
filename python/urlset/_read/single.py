"""One document that is in memory, read at once.

A scan of it comes to the same. But a scan also knows what to read next, and hands out batches: that takes several times
as long as reading a few entries, and a crawler meets millions of documents that have no more.
"""

from __future__ import annotations

from collections.abc import Sequence

from urlset import _core
from urlset._model.errors import NotASitemapError
from urlset._model.kind import Kind
from urlset._model.limits import Budget, Limits
from urlset._model.rows import _HeldRows
from urlset._read.columns import ALL_COLUMNS, HELD_BATCH_ROWS, chosen_columns
from urlset._read.entries import Entries
from urlset._read.failures import Failures
from urlset._read.frontier import INDEXES
from urlset._read.results import document_error, document_of
from urlset._read.walk import not_followed
from urlset._util.cores import cores


def read_single(
    data: bytes,
    *,
    location: str | None,
    follow: bool,
    columns: Sequence[str] | None,
    strict: bool,
    content_encoding: str | None,
    budget: Budget | None,
    limits: Limits | None,
) -> Entries:
    """Return what `Scan.collect` returns for one source that is these bytes, or raise what it raises."""
    names = chosen_columns(columns)
    location = location or None
    batches, report = _core.read_document(
        data, names, location, content_encoding, budget, limits, batch_rows=HELD_BATCH_ROWS, threads=cores()
    )
    rows = _HeldRows(batches, names or ALL_COLUMNS)
    failures = Failures(strict=strict)
    if report.fault is not None:
        error = document_error(location, report.fault)
        failures.add(error, always=isinstance(error, NotASitemapError))
    document = document_of(location, report, rows)
    if follow and document.kind in INDEXES and document.rows:
        failures.note(not_followed(location, document.rows, is_optional=True))
    return Entries(rows, (document,), failures.kept)


def kind_of(head: bytes, *, location: str | None, content_encoding: str | None = None) -> Kind | None:
    """Return what a document is by its beginning; None if that does not tell, or it is something else."""
    _, report = _core.read_document(head, ["line"], location, content_encoding, None, None, batch_rows=1, threads=1)
    return report.kind
