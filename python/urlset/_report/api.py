"""`report`: what an audit, a crawl or a lint found, as one page to look at or as a table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from urlset._audit.result import Audit, file_of
from urlset._lint.report import Report
from urlset._model.errors import InputError
from urlset._options.shared import Logo, Note, Title
from urlset._report import from_lint, from_run, page
from urlset._report.logo import data_url
from urlset._report.model import Notes, View
from urlset._runs.file import RunFile
from urlset._tables.writers import RowForm, selected, write_query
from urlset._util.arguments import check_choice
from urlset._util.duckdb import connect
from urlset._util.files import remove_on_error, rename_file, replace_file

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: A table of a run.
RunTable = Literal[
    "findings", "page_findings", "lint_findings", "pages", "listed", "links", "probes", "failures", "runs"
]

_PAGES = (".html", ".htm")
_TABLES: Mapping[str, RowForm] = {".parquet": "parquet", ".csv": "csv", ".xlsx": "xlsx"}


def report(
    source: str | os.PathLike[str] | Report | Audit,
    path: str | os.PathLike[str],
    *,
    run: int | str | date | None = None,
    table: RunTable = "findings",
    title: Title = None,
    logo: Logo = None,
    note: Note = None,
) -> Path:
    """Write what was found as a page of HTML, or as a table of Parquet, CSV or Excel.

    The page is one file that loads nothing and sends nothing: it can be mailed, printed, and read without JavaScript.

    Args:
        source: The file of the runs of `audit` and `crawl` (`state=`), an audit that is not closed yet, or the result
            of `lint`.
        path: The file to write, which replaces what is there. Its name ends in `.html`, `.parquet`, `.csv` or `.xlsx`.
        run: Number of the audit, or of the crawl if there are no audits; also `"crawl 2"`, or a day, which means the
            last one up to it. The last run if None.
        table: Which table of the run to write; a page shows all of them.
        title: Title of the report. The site if None.
        logo: Picture for the top of the report, of at most 256 kB: PNG, JPEG, GIF, WebP or SVG. It becomes part of
            the page.
        note: Text for the reader of the report; an empty line begins a new paragraph.

    Returns:
        The path.

    Raises:
        InputError: An argument is invalid, or the source is not a file of runs.
        FileNotFoundError: There is no folder for the path.

    Example:
        >>> import tempfile, urlset
        >>> from pathlib import Path
        >>> found = urlset.lint(b"https://shop.example/\\n/tea\\n", location="https://shop.example/sitemap.txt")
        >>> written = urlset.report(found, Path(tempfile.mkdtemp()) / "report.html")
        >>> "TXT001" in written.read_text("utf-8")
        True
    """
    target = Path(path)
    is_page = check_path(target)
    check_choice("table", table, get_args(RunTable))
    if is_page and table != "findings":
        raise InputError(f"table must be left out for a page, which shows all tables, got {table!r}")
    if not is_page and (title, logo, note) != (None, None, None):
        raise InputError("title, logo and note are for a page, and not for a table")
    notes = Notes(title, None if logo is None else data_url(logo), note)
    if isinstance(source, Report):
        if run is not None or table != "findings":
            raise InputError("run and table must be left out for the result of a lint: it has one table")
        if is_page:
            _write_page(from_lint.view_of(source), notes, target)
        else:
            with connect() as connection:
                connection.register("found", source)
                _copy(connection, "found", "TRUE", target)
        return target
    if isinstance(source, Audit):
        opened: AbstractContextManager[RunFile] = nullcontext(file_of(source))
        run = f"audit {source.number}" if run is None else run
    else:
        opened = RunFile(source, read_only=True)
    with opened as file:
        chosen = from_run.run_to_show(file, run)
        if is_page:
            _write_page(from_run.view_of(file, chosen), notes, target)
        else:
            _copy(file.connection, table, f"run = {chosen.run}", target)
    return target


def check_path(path: str | os.PathLike[str]) -> bool:
    """Return whether a page is to be written at the path, and not a table. A long run checks that before it begins.

    Raises:
        InputError: It is neither.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in (*_PAGES, *_TABLES):
        raise InputError(f"path must end in .html, {', '.join(list(_TABLES)[:-1])} or .xlsx, got {os.fspath(path)!r}")
    return suffix in _PAGES


def _write_page(view: View, notes: Notes, target: Path) -> None:
    replace_file(target, "".join(page.lines(view, notes)).encode())


def _copy(connection: DuckDBPyConnection, table: str, condition: str, target: Path) -> None:
    """Write the rows of a table in the format of the file's name, a row for each, in an order of its own."""
    form = _TABLES[target.suffix.lower()]
    aside = target.with_name(f".{target.name}.partial")
    target.parent.stat()
    kinds = {str(row[0]): str(row[1]) for row in connection.execute(f"DESCRIBE {table}").fetchall()}
    rows = f"SELECT * FROM {table} WHERE {condition} ORDER BY ALL"
    with remove_on_error(aside):
        write_query(connection, f"SELECT {selected(kinds, form)} FROM ({rows})", form, aside, table=table)
        rename_file(aside, target)
