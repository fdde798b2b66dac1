"""Export of rows in bounded memory: as JSON by the core; as CSV, Parquet or a DuckDB database by DuckDB."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import click

from urlset import UrlsetError, _core
from urlset._cli.arguments import STDIN
from urlset._cli.console import is_terminal
from urlset._cli.errors import explain
from urlset._options.http import OVER_HTTP
from urlset._options.option import Option
from urlset._util.duckdb import connect, identifier, insert_rows, interruptible, literal, moment_text
from urlset._util.instances import in_memory

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset import Fetch, Scan
    from urlset._write.rows import ArrowTable

RowForm = Literal["csv", "json", "jsonl", "parquet", "duckdb"]
Form = Literal["table", "csv", "json", "jsonl", "parquet", "duckdb", "summary"]

HEAD = 20
"""Rows that a table shows."""

DEFAULT_FORM = "by the file name of --output; otherwise table on a terminal, jsonl in a pipe"

Output = Annotated[
    Path | None,
    Option("File to write to.", metavar="FILE", default="standard output", flags="--output,-o"),
]

Fetches = Annotated[
    Path | None,
    Option(
        "File for the result of each URL: status, redirects, bytes, seconds, error; .csv, .jsonl or .parquet.",
        metavar="FILE",
        panel=OVER_HTTP,
    ),
]

_SUFFIXES: dict[str, RowForm] = {
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".duckdb": "duckdb",
}

#: What the core writes.
_JSON: tuple[RowForm, ...] = ("json", "jsonl")
#: How DuckDB writes other formats. A database is attached instead.
_OPTIONS: dict[RowForm, str] = {
    "csv": "FORMAT csv, HEADER",
    "parquet": "FORMAT parquet, COMPRESSION zstd",
}

TABLE = "entries"
"""The table of a database that is written."""

#: How much of a database DuckDB holds while it writes one. It would fill most of the memory with what it has written.
_MEMORY = "1GB"

_AT_ONCE = 1 << 16
"""Bytes that a pipe hands over at once."""

_LOOK = 0.2
"""Seconds after which whoever waits looks for Ctrl-C."""

DESCRIPTORS = Path("/dev/fd")

#: The columns of a table of fetches, in the order of the fields of `Fetch`.
_FETCH = {
    **dict.fromkeys(("url", "final_url", "via"), "VARCHAR"),
    "status": "USMALLINT",
    **dict.fromkeys(("redirects", "attempts"), "UINTEGER"),
    **dict.fromkeys(("content_type", "content_encoding", "etag", "last_modified"), "VARCHAR"),
    "bytes": "UBIGINT",
    **dict.fromkeys(("wait", "seconds"), "DOUBLE"),
    "cache": "VARCHAR",
    "saved": "UBIGINT",
    **dict.fromkeys(("checked", "sha256", "error"), "VARCHAR"),
}


def destination(form: Form | None, output: Path | None) -> tuple[Form, Path | None]:
    """Return the format and the file that `--format` and `--output` mean; None for standard output.

    Raises:
        click.BadParameter: The format cannot be written there.
    """
    if output is not None and str(output) == STDIN:
        output = None
    if form is None:
        form = _default_form(output)
    if form in ("table", "summary") and output is not None:
        raise click.BadParameter(
            f"{form} is for reading on screen: write csv, json, jsonl, parquet or duckdb to a file",
            param_hint="--format",
        )
    if form == "duckdb" and (output is None or (output.exists() and not output.is_file() and not output.is_dir())):
        raise click.BadParameter("duckdb is a database and needs a file of its own: name one", param_hint="--output")
    if form == "parquet" and output is None and is_terminal(sys.stdout):
        raise click.BadParameter("parquet is binary and cannot go to a terminal: name a file", param_hint="--output")
    return form, output


def shows_progress(output: Path | None) -> bool:
    """Return whether progress can be shown: a bar and rows on one terminal would overwrite each other."""
    return output is not None or not is_terminal(sys.stdout)


def _default_form(output: Path | None) -> Form:
    if output is not None:
        form = _SUFFIXES.get(output.suffix.lower())
        if form is None and output.suffix:
            known = ", ".join(_SUFFIXES)
            raise click.BadParameter(
                f"no format ends with {output.suffix}: name a file with {known}, or pass --format",
                param_hint="--output",
            )
        return form or "jsonl"
    return "table" if is_terminal(sys.stdout) else "jsonl"


def copy_rows(
    rows: Scan,
    form: RowForm,
    output: Path | None,
    columns: Sequence[str] | None,
    *,
    on_interrupt: Callable[[], bool] = lambda: False,
    place: Callable[[Path, Path], object] = Path.replace,
) -> None:
    """Write rows to `output` or to standard output.

    Args:
        rows: A scan, or anything else that DuckDB can register.
        form: The format to write.
        output: A file, which is replaced once the new one is complete; None for standard output.
        columns: The columns to write, in order; None for all.
        on_interrupt: Called when Ctrl-C is pressed while a file is written. It returns whether the rows will end early:
            then the file is finished with them. Otherwise, and if Ctrl-C is pressed again, it stays as it was.
        place: Puts the new file in the place of the output.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed, and the output is as it was.
        UrlsetError: A source failed, or the output could not be written.
        OSError: The folder of the output does not exist, or the output is a folder.
        BrokenPipeError: The reader of standard output has closed the pipe.
    """
    if output is None:
        _to_stdout(rows, form, columns)
        return
    target = output.resolve()
    target.parent.stat()
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(output))
    if target.exists() and not target.is_file():  # /dev/null, a named pipe
        _Copy(rows, form, columns, target).finish(on_interrupt)
        return
    partial = target.with_name(f".{target.name}.partial")
    _remove(partial)
    try:
        _Copy(rows, form, columns, partial).finish(on_interrupt)
        place(partial, target)
    finally:
        _remove(partial)


def _remove(partial: Path) -> None:
    """Remove an unfinished file, and what DuckDB writes next to one."""
    for path in (partial, partial.with_name(f"{partial.name}.wal")):
        path.unlink(missing_ok=True)
    spilled = partial.with_name(f"{partial.name}.spilled")
    if spilled.exists():
        from shutil import rmtree  # noqa: PLC0415  (it imports every kind of compression)

        rmtree(spilled, ignore_errors=True)


def write_fetches(fetches: Sequence[Fetch], file: Path) -> None:
    """Write what came of each fetch, as a table in the format of the file's name.

    Raises:
        OSError: The folder of the file does not exist.
    """
    form = _default_form(file)
    file.resolve().parent.stat()
    columns = ", ".join(f"{name} {kind}" for name, kind in _FETCH.items())
    with in_memory(threads=1) as connection:
        connection.execute(f"CREATE TABLE fetches ({columns})")
        insert_rows(connection, "fetches", [astuple(fetch) for fetch in fetches])
        file.unlink(missing_ok=True)
        if form in _JSON:
            _JsonWriter(connection.table("fetches"), form, None, file).write()
        else:
            _write(connection, "FROM fetches", cast("RowForm", form), file, table="fetches")


def _write(connection: DuckDBPyConnection, query: str, form: RowForm, target: Path, *, table: str = TABLE) -> None:
    """Write the rows of a query to a file. One for a database must not exist."""
    path = literal(os.fspath(target))
    if form != "duckdb":
        connection.execute(f"COPY ({query}) TO {path} ({_OPTIONS[form]})")
        return
    connection.execute(f"ATTACH {path} AS written")
    connection.execute(f"CREATE TABLE written.{table} AS {query}")
    # This moves what is still in its log into the file.
    connection.execute("DETACH written")


def _to_stdout(rows: Scan, form: RowForm, columns: Sequence[str] | None) -> None:
    """Copy through a new pipe.

    If DuckDB wrote to /dev/stdout itself, it would truncate a file that the shell opened for appending, and write
    at offsets of its own.
    """
    if not DESCRIPTORS.is_dir():
        raise UrlsetError("rows cannot be written to standard output on this system: name a file with --output")
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        target = DESCRIPTORS / str(writing)
        copy = _Copy(rows, form, columns, target, done=lambda: os.close(writing))
        try:
            while piece := pipe.read(_AT_ONCE):
                sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
        except BaseException:
            # Closed first, so that a copy that waits to write ends too.
            pipe.close()
            copy.stop()
            raise
    copy.finish()


class _Copy(threading.Thread):
    """Rows on their way to a file, on a thread of its own, so that Ctrl-C reaches the main thread."""

    def __init__(
        self,
        rows: Scan,
        form: RowForm,
        columns: Sequence[str] | None,
        target: Path,
        *,
        done: Callable[[], None] = lambda: None,
    ) -> None:
        # A daemon: it may be waiting for standard input when the process ends.
        super().__init__(daemon=True)
        self._done = done
        # Not `join`: once it is interrupted, a second one returns at once (CPython before 3.13).
        self._ended = threading.Event()
        self._failure: str | None = None
        self._writer = (_JsonWriter if form in _JSON else _DuckdbWriter)(rows, form, columns, target)
        self.start()

    def run(self) -> None:
        """Copy, and keep the error for `finish`."""
        try:
            self._writer.write()
        except Exception as error:
            # Only its text: the frames of the error would keep DuckDB alive beyond its own shutdown.
            self._failure = _sentence(explain(error))
        finally:
            self._done()
            self._ended.set()

    def finish(self, on_interrupt: Callable[[], bool] = lambda: False) -> None:
        """Wait for the end. `on_interrupt` is that of `copy_rows`.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed, and the copy was stopped.
            UrlsetError: The copy failed.
        """
        try:
            try:
                self._wait()
            except KeyboardInterrupt:
                if not on_interrupt():
                    raise
                self._wait()
        except KeyboardInterrupt:
            self.stop()
            raise
        if self._failure is not None:
            raise UrlsetError(self._failure)

    def _wait(self) -> None:
        # Again and again: Ctrl-C just before a wait would be seen only after it.
        while not self._ended.wait(_LOOK):
            pass

    def stop(self) -> None:
        """Interrupt the copy, and give it a moment to end."""
        self._writer.stop()
        self._ended.wait(timeout=1)


class _JsonWriter:
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


class _DuckdbWriter:
    """Rows in the formats that DuckDB writes."""

    def __init__(self, rows: Scan, form: RowForm, columns: Sequence[str] | None, target: Path) -> None:
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
            selected = ", ".join(_expression(name, kinds[name], self._form) for name in self._columns or kinds)
            _write(self._connection, f"FROM scan SELECT {selected}", self._form, self._target)

    def stop(self) -> None:
        """Interrupt the statement."""
        with contextlib.suppress(Exception):  # it may have ended and closed the connection already
            self._connection.interrupt()


def _expression(name: str, kind: str, form: RowForm) -> str:
    """Return the column as `form` needs it: CSV has no times and no nesting, the others have every type."""
    column = identifier(name)
    if form == "csv" and kind.startswith("TIMESTAMP"):
        return f"{moment_text(column)} AS {column}"
    if form == "csv" and (kind.endswith("[]") or kind.startswith("STRUCT")):
        return f"CAST(to_json({column}) AS VARCHAR) AS {column}"
    return column


def _sentence(message: str) -> str:
    """Return the error message without what DuckDB and Arrow put around it.

    The text of an error that a scan raised comes after the name of its class.
    """
    if raised := re.search(r"External error: \w+: (.*)", message, re.DOTALL):
        return raised[1].strip()
    return message.partition("Error: ")[2].partition("\n")[0] or message
