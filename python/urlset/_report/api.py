"""`report`: what an audit, a crawl or a lint found, as one page to look at or as a table."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from urlset._audit.result import Audit, file_of
from urlset._lint.report import Report
from urlset._model.errors import InputError
from urlset._report import from_lint, from_run, page
from urlset._report.model import View
from urlset._runs.file import RunFile
from urlset._util.arguments import check_choice
from urlset._util.duckdb import connect, literal
from urlset._util.files import remove_on_error, rename_file, replace_file

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: A table of a run.
RunTable = Literal["findings", "page_findings", "pages", "listed", "links", "probes", "runs"]

_PAGES, _TABLES = (".html", ".htm"), (".parquet",)


def report(
    source: str | os.PathLike[str] | Report | Audit,
    path: str | os.PathLike[str],
    *,
    run: int | None = None,
    table: RunTable = "findings",
) -> Path:
    """Write what was found as a page of HTML, or as a table of Parquet.

    The page is one file that loads nothing and sends nothing: it can be mailed, printed, and read without JavaScript.

    Args:
        source: The file of the runs of `audit` and `crawl` (`state=`), an audit that is not closed yet, or the result
            of `lint`.
        path: The file to write, which replaces what is there. Its name ends in `.html` or in `.parquet`.
        run: Number of the run; the last one if None.
        table: Which table of the run to write as Parquet; a page shows all of them.

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
    if isinstance(source, Report):
        if run is not None or table != "findings":
            raise InputError("run and table must be left out for the result of a lint: it has one table")
        if is_page:
            _write_page(from_lint.view_of(source), target)
        else:
            _write_findings(source, target)
        return target
    if isinstance(source, Audit):
        opened: AbstractContextManager[RunFile] = nullcontext(file_of(source))
        run = source.run if run is None else run
    else:
        opened = RunFile(source, read_only=True)
    with opened as file:
        chosen = from_run.chosen_run(file, run)
        if is_page:
            _write_page(from_run.view_of(file, chosen), target)
        else:
            _copy(file.connection, f"FROM {table} WHERE run = {chosen.run} ORDER BY ALL", target)
    return target


def check_path(path: str | os.PathLike[str]) -> bool:
    """Return whether a page is to be written at the path, and not a table. A long run checks that before it begins.

    Raises:
        InputError: It is neither.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in (*_PAGES, *_TABLES):
        raise InputError(f"path must end in .html or .parquet, got {os.fspath(path)!r}")
    return suffix in _PAGES


def _write_page(view: View, target: Path) -> None:
    replace_file(target, "".join(page.lines(view)).encode())


def _write_findings(found: Report, target: Path) -> None:
    with connect() as connection:
        _copy(connection, "FROM found", target, found)


def _copy(connection: DuckDBPyConnection, query: str, target: Path, found: Report | None = None) -> None:
    """Write the rows of a query. DuckDB finds `found` among the local variables."""
    aside = target.with_name(f".{target.name}.partial")
    target.parent.stat()
    with remove_on_error(aside):
        connection.execute(f"COPY ({query}) TO {literal(str(aside))} (FORMAT parquet, COMPRESSION zstd)")
        rename_file(aside, target)
