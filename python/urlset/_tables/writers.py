"""Rows to a file in bounded memory: as JSON by the core, as a workbook, or in the formats that DuckDB writes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from urlset import _core
from urlset._tables.workbook import write_workbook
from urlset._util.duckdb import connect, identifier, interruptible, literal, moment_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._write.rows import ArrowTable

RowForm = Literal["csv", "json", "jsonl", "parquet", "duckdb", "xlsx"]

#: What the core writes.
JSON: tuple[RowForm, ...] = ("json", "jsonl")
#: How DuckDB writes other formats. A database is attached instead.
_OPTIONS: dict[RowForm, str] = {
    "csv": "FORMAT csv, HEADER",
    "parquet": "FORMAT parquet, COMPRESSION zstd",
}

TABLE = "entries"
"""The table of a database that is written."""

#: How much of a database DuckDB holds while it writes one. It would fill most of the memory with what it has written.
_MEMORY = "1GB"

#: A text that a spreadsheet takes for a formula, unless it is a number. Source: OWASP, CSV injection.
_FORMULA = r"^[=+\-@\t\r]"


def write_query(connection: DuckDBPyConnection, query: str, form: RowForm, target: Path, *, table: str = TABLE) -> None:
    """Write the rows of a query to a file. One for a database must not exist."""
    path = literal(os.fspath(target))
    if form == "xlsx":
        write_workbook(connection, query, target, table)
        return
    if form != "duckdb":
        connection.execute(f"COPY ({query}) TO {path} ({_OPTIONS[form]})")
        return
    connection.execute(f"ATTACH {path} AS written")
    connection.execute(f"CREATE TABLE written.{table} AS {query}")
    # This moves what is still in its log into the file.
    connection.execute("DETACH written")


class JsonWriter:
    """Rows as JSON, which are there as fast as they are read: a small file does not wait until DuckDB is imported."""

    def __init__(self, rows: ArrowTable, form: RowForm, columns: Sequence[str] | None, target: Path) -> None:
        self._rows, self._columns, self._target = rows, columns, target
        self._is_array = form == "json"
        self._is_stopped = False

    def write(self) -> None:
        """Write all rows, or those up to a stop."""
        with self._target.open("wb") as file:
            between = b"[\n\t"
            for lines in _core.JsonLines(self._rows, self._columns):
                if self._is_stopped:
                    return
                if not self._is_array:
                    file.write(lines)
                elif lines:
                    # A line end within a text is escaped.
                    file.write(between + lines[:-1].replace(b"\n", b",\n\t"))
                    between = b",\n\t"
            if self._is_array:
                file.write(b"\n]\n" if between.startswith(b",") else b"[]\n")

    def stop(self) -> None:
        """End early."""
        self._is_stopped = True


class DuckdbWriter:
    """Rows in the formats that DuckDB writes."""

    def __init__(self, rows: ArrowTable, form: RowForm, columns: Sequence[str] | None, target: Path) -> None:
        self._rows, self._form, self._columns, self._target = rows, form, columns, target
        spill = target.with_name(f"{target.name}.spilled")
        settings: dict[str, Any] = {"memory": _MEMORY, "spill": spill} if form == "duckdb" else {}
        with interruptible():
            self._connection = connect(threads=1, **settings)

    def write(self) -> None:
        """Write all rows."""
        with self._connection:
            self._connection.register("scan", self._rows)
            described = self._connection.execute("DESCRIBE scan").fetchall()
            kinds = {str(row[0]): str(row[1]) for row in described}
            chosen = {name: kinds[name] for name in self._columns or kinds}
            write_query(self._connection, f"FROM scan SELECT {selected(chosen, self._form)}", self._form, self._target)

    def stop(self) -> None:
        """Interrupt the statement."""
        with contextlib.suppress(Exception):  # it may have ended and closed the connection already
            self._connection.interrupt()


def selected(columns: Mapping[str, str], form: RowForm) -> str:
    """Return SQL for columns, given with their types, as `form` needs them."""
    return ", ".join(_expression(name, kind, form) for name, kind in columns.items())


def _expression(name: str, kind: str, form: RowForm) -> str:
    """Return a column as `form` needs it: CSV and workbooks have no times with zones and no nesting.

    CSV is what people open in spreadsheets. There an apostrophe before a text keeps it from being a formula; the other
    formats have every text as it is.
    """
    column = identifier(name)
    is_flat = form in ("csv", "xlsx")
    if is_flat and kind.startswith("TIMESTAMP"):
        return f"{moment_text(column)} AS {column}"
    if is_flat and (kind.endswith("[]") or kind.startswith("STRUCT")):
        return f"CAST(to_json({column}) AS VARCHAR) AS {column}"
    if form == "csv" and kind.startswith(("VARCHAR", "ENUM")):
        text, mark = f"CAST({column} AS VARCHAR)", literal("'")
        is_formula = f"regexp_matches({text}, {literal(_FORMULA)}) AND TRY_CAST({text} AS DOUBLE) IS NULL"
        return f"CASE WHEN {is_formula} THEN {mark} || {text} ELSE {text} END AS {column}"
    return column
