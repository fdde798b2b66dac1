"""Rows to a workbook of Excel, in bounded memory."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from urlset._model.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Rows of a sheet with its header, and UTF-16 units of a cell. Source: Microsoft, Excel specifications and limits.
MAX_ROWS: Final = 1_048_576
MAX_TEXT: Final = 32_767
#: Rows that are Python objects at once.
_AT_ONCE: Final = 2_000
#: Characters that XML has no way to write, and half characters.
_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
#: How wide a column is at most, in characters.
_WIDEST: Final = 60


def write_workbook(connection: DuckDBPyConnection, query: str, target: Path, name: str) -> None:
    """Write the rows of a query as the only sheet of a workbook.

    Every text is a text: none is taken for a formula, a link or a number. Characters that a workbook cannot hold are
    replaced, and a text that is too long for a cell ends with the number of characters that are missing.

    Raises:
        InputError: The extra is not installed, or there are more rows than a sheet can have.
    """
    try:
        import xlsxwriter  # type: ignore[import-untyped]  # noqa: PLC0415  (an extra)
    except ImportError:
        raise InputError("a workbook needs the extra xlsx: pip install 'urlset[xlsx]'") from None
    connection.execute(query)  # no cursor of its own: what is registered is known to this connection alone
    columns = [column[0] for column in connection.description or ()]
    # Each row goes to the file as it comes, and nothing is guessed from the texts.
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    book = xlsxwriter.Workbook(str(target), options | {"strings_to_numbers": False, "in_memory": False})
    try:
        sheet = book.add_worksheet(name[:31])
        sheet.freeze_panes(1, 0)
        bold = book.add_format({"bold": True})
        first = connection.fetchmany(_AT_ONCE)
        for at, column in enumerate(columns):
            longest = max((len(str(row[at])) for row in first if row[at] is not None), default=0)
            sheet.set_column(at, at, min(max(longest, len(column)) + 2, _WIDEST))
            sheet.write_string(0, at, column, bold)
        line, rows = 0, first
        while rows:
            for row in rows:
                line += 1
                if line >= MAX_ROWS:
                    raise InputError(f"a sheet has at most {MAX_ROWS:,} rows: write .csv or .parquet instead")
                for at, value in enumerate(row):
                    _write(sheet, line, at, value)
            rows = connection.fetchmany(_AT_ONCE)
        sheet.autofilter(0, 0, line, max(len(columns) - 1, 0))
    finally:
        book.close()


def _write(sheet: Any, line: int, at: int, value: Any) -> None:
    if value is None:
        return
    if isinstance(value, bool):
        sheet.write_boolean(line, at, value)
    elif isinstance(value, int | float) and abs(value) < 1 << 53:
        sheet.write_number(line, at, value)
    else:
        sheet.write_string(line, at, _cell(str(value)))


def _cell(text: str) -> str:
    """Return a text as a cell can hold it."""
    shown = _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)
    if len(shown.encode("utf-16-le")) <= 2 * MAX_TEXT:
        return shown
    kept = shown[: MAX_TEXT // 2 - 50]
    return f"{kept}… ({len(shown) - len(kept):,} more characters)"
