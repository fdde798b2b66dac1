"""Rows without the columns that are not asked for, such as those that shards are split by."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from urlset._model.documents import Document
from urlset._read.entries import Entries
from urlset._read.scan import Scan
from urlset._util.duckdb import identifier
from urlset._util.instances import in_memory
from urlset._write.rows import RowsLike


def narrowed(entries: RowsLike, columns: Sequence[str], stack: ExitStack) -> RowsLike:
    """Return rows with these of their columns, which are texts. What are no rows stays as it is.

    Args:
        entries: The rows.
        columns: The columns to keep; rows need not have all of them.
        stack: Keeps what reads a table open.
    """
    if isinstance(entries, str | bytes | Mapping | os.PathLike | Entries | Scan | Document):
        return entries  # the sitemaps among these have no such columns
    if hasattr(entries, "__arrow_c_stream__"):
        import duckdb  # noqa: PLC0415  (rows are seldom tables)

        relation = (
            entries
            if isinstance(entries, duckdb.DuckDBPyRelation)
            else stack.enter_context(in_memory(threads=1)).from_arrow(entries)
        )
        kept = [identifier(name) for name in relation.columns if name in columns]
        return relation.project(", ".join(f"{name}::VARCHAR AS {name}" for name in kept)) if kept else entries
    return _kept(entries, frozenset(columns)) if isinstance(entries, Iterable) else entries


def _kept(rows: Iterable[Any], columns: Collection[str]) -> Iterator[Any]:
    for row in rows:
        yield {name: value for name, value in row.items() if name in columns} if isinstance(row, dict) else row
