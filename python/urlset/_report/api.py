"""`report`: what a run or a lint found, as one page to look at or as a table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

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
RunTable = Literal["findings", "hits", "pages", "listed", "links", "probes", "runs"]

_PAGES, _TABLES = (".html", ".htm"), (".parquet",)


def report(
    source: str | os.PathLike[str] | Report,
    path: str | os.PathLike[str],
    *,
    run: int | None = None,
    table: RunTable = "findings",
) -> Path:
    """Write what was found as a page of HTML, or as a table of Parquet.

    The page is one file that loads nothing and sends nothing: it can be mailed, printed, and read without JavaScript.

    Args:
        source: The file of the runs of `audit` and `crawl` (`state=`), or the result of `lint`.
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
    suffix = target.suffix.lower()
    if suffix not in (*_PAGES, *_TABLES):
        raise InputError(f"path must end in .html or .parquet, got {os.fspath(path)!r}")
    check_choice("table", table, get_args(RunTable))
    if suffix in _PAGES and table != "findings":
        raise InputError(f"table must be left out for a page, which shows all tables, got {table!r}")
    if isinstance(source, Report):
        if run is not None or table != "findings":
            raise InputError("run and table must be left out for the result of a lint: it has one table")
        if suffix in _PAGES:
            _write_page(from_lint.view_of(source), target)
        else:
            _write_findings(source, target)
        return target
    with RunFile(source, read_only=True) as file:
        chosen = from_run.chosen_run(file, run)
        if suffix in _PAGES:
            _write_page(from_run.view_of(file, chosen), target)
        else:
            _copy(file.connection, f"FROM {table} WHERE run = {chosen.run} ORDER BY ALL", target)
    return target


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
