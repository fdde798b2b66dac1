"""The tables that Spark reads, as Arrow batches in exactly the types that Spark takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, get_args

import pyarrow as pa  # type: ignore[import-untyped]

from urlset import _core
from urlset._lint.report import Report
from urlset._model.diagnostics import Diagnostic
from urlset._model.documents import Document
from urlset._model.errors import InputError
from urlset._util.text import did_you_mean
from urlset.jobs import Outcome, PartScan

#: What a part is read for: the entries of its documents, the documents themselves, or what was found in them.
Table = Literal["entries", "documents", "diagnostics"]
TABLES: tuple[Table, ...] = get_args(Table)

_COUNTS = pa.map_(pa.string(), pa.int64())
_DOCUMENTS = pa.schema(
    {
        "document": pa.string(),
        "kind": pa.string(),
        "rows": pa.int64(),
        "bytes": pa.int64(),
        "completeness": pa.string(),
        "findings": pa.int64(),
        "counts": _COUNTS,
        "extensions": _COUNTS,
        "errors": pa.list_(pa.string()),
    }
)
DIAGNOSTICS = pa.schema(
    {
        "code": pa.string(),
        "severity": pa.string(),
        "message": pa.string(),
        "document": pa.string(),
        "line": pa.int64(),
        "column": pa.int64(),
        "end_column": pa.int64(),
        "source": pa.string(),
        "source_column": pa.int64(),
        "help": pa.string(),
        "more": pa.int64(),
    }
)


class _Schema:
    """What pyarrow takes a schema from."""

    def __init__(self, columns: Sequence[str] | None) -> None:
        self._columns = None if columns is None else list(columns)

    def __arrow_c_schema__(self) -> object:
        return _core.schema(self._columns)


def table_schema(table: Table, columns: Sequence[str] | None = None) -> pa.Schema:
    """Return the schema of a table: all of its columns, or some in the given order.

    Raises:
        InputError: There is no such column.
    """
    if table == "entries":
        full = pa.schema([field.with_type(_plain(field.type)) for field in pa.schema(_Schema(None))])
    else:
        full = _DOCUMENTS if table == "documents" else DIAGNOSTICS
    if columns is None:
        return full
    for name in columns:
        if name not in full.names:
            hint = did_you_mean(name, full.names, or_all=True)
            raise InputError(f"the table {table} has no column {name!r}{hint}")
    return pa.schema([full.field(name) for name in columns])


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return the type that Spark has instead: it knows no dictionaries and no unsigned numbers."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    return pa.int64() if pa.types.is_unsigned_integer(kind) else kind


def table_batches(scan: PartScan, table: Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a table of one part, as they are read.

    Args:
        scan: The scan of the part, with the columns of the schema if it is for entries, or else with none.
        table: Which table.
        schema: Its columns, in the order that Spark expects.
    """
    if table == "entries":
        for batch in pa.RecordBatchReader.from_stream(scan):
            yield as_schema(batch, schema)
        return
    done = 0
    for _ in scan.batches():
        if len(scan.outcomes) > done:
            yield _rows(table, scan.outcomes[done:], schema)
            done = len(scan.outcomes)
    if len(scan.outcomes) > done:
        yield _rows(table, scan.outcomes[done:], schema)


def as_schema(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch of the core in the types of a schema with the same columns."""
    columns = [
        column if column.type.equals(field.type) else column.cast(field.type)
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _rows(table: Table, outcomes: Sequence[Outcome], schema: pa.Schema) -> pa.RecordBatch:
    found = [_document(each) for each in outcomes] if table == "documents" else list(_diagnostics(outcomes))
    return pa.RecordBatch.from_pylist([{name: row[name] for name in schema.names} for row in found], schema=schema)


def _document(outcome: Outcome) -> dict[str, Any]:
    read = outcome.document or Document(outcome.location, None, 0, 0, "refused")
    return {
        "document": outcome.location,
        "kind": read.kind,
        "rows": read.rows,
        "bytes": read.bytes,
        "completeness": None if outcome.document is None else read.completeness,
        "findings": sum(read.counts.values()),
        "counts": list(read.counts.items()),
        "extensions": list(read.extensions.items()),
        "errors": [str(error) for error in outcome.errors],
    }


def _diagnostics(outcomes: Sequence[Outcome]) -> Iterator[dict[str, Any]]:
    for outcome in outcomes:
        for found in () if outcome.document is None else outcome.document.diagnostics:
            yield _finding(found)


def _finding(found: Diagnostic) -> dict[str, Any]:
    return {name: getattr(found, "location" if name == "document" else name) for name in DIAGNOSTICS.names}


def findings_batch(report: Report) -> pa.RecordBatch:
    """Return the findings of a document as rows of the table `diagnostics`. A failure is a row without a code."""
    rows = [_finding(found) for found in report]
    for failure in report.failures:
        [location] = report.documents
        rows.append(
            dict.fromkeys(DIAGNOSTICS.names) | {"severity": "error", "message": str(failure), "document": location}
        )
    return pa.RecordBatch.from_pylist(rows, schema=DIAGNOSTICS)
