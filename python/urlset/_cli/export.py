"""Where rows go: the file or the stream that `--output` and `--format` mean."""

from __future__ import annotations

import codecs
import errno
import os
import re
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Literal, cast

import click

from urlset import UrlsetError
from urlset._cli.arguments import STDIN
from urlset._cli.console import is_terminal
from urlset._cli.errors import explain
from urlset._options.http import OVER_HTTP
from urlset._options.option import Option
from urlset._tables.writers import JSON, DuckdbWriter, JsonWriter, RowForm, selected, write_query
from urlset._util.duckdb import insert_rows
from urlset._util.instances import in_memory
from urlset._util.text import escape_controls

if TYPE_CHECKING:
    from urlset import Fetch, Scan

Form = Literal["table", "csv", "json", "jsonl", "parquet", "duckdb", "xlsx", "summary"]

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
    ".xlsx": "xlsx",
}

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
            f"{form} is for reading on screen: write csv, json, jsonl, parquet, xlsx or duckdb to a file",
            param_hint="--format",
        )
    if form == "duckdb" and (output is None or (output.exists() and not output.is_file() and not output.is_dir())):
        raise click.BadParameter("duckdb is a database and needs a file of its own: name one", param_hint="--output")
    if form == "xlsx" and output is None:
        raise click.BadParameter("xlsx is a workbook and needs a file: name one", param_hint="--output")
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
        if form in JSON:
            JsonWriter(connection.table("fetches"), form, None, file).write()
        else:
            row_form = cast("RowForm", form)
            query = f"FROM fetches SELECT {selected(_FETCH, row_form)}"
            write_query(connection, query, row_form, file, table="fetches")


def _to_stdout(rows: Scan, form: RowForm, columns: Sequence[str] | None) -> None:
    """Copy through a new pipe.

    If DuckDB wrote to /dev/stdout itself, it would truncate a file that the shell opened for appending, and write
    at offsets of its own.
    """
    if not DESCRIPTORS.is_dir():
        _by_file(rows, form, columns)
        return
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        target = DESCRIPTORS / str(writing)
        copy = _Copy(rows, form, columns, target, done=lambda: os.close(writing))
        try:
            _pour(pipe, form)
        except BaseException:
            # Closed first, so that a copy that waits to write ends too.
            pipe.close()
            copy.stop()
            raise
    copy.finish()


def _by_file(rows: Scan, form: RowForm, columns: Sequence[str] | None) -> None:
    """Copy through a file: Windows has no names for pipes that DuckDB could write to."""
    from urlset._util.tempdirs import temporary_folder  # noqa: PLC0415  (it imports every kind of compression)

    with temporary_folder() as folder:
        target = folder / "rows"
        _Copy(rows, form, columns, target).finish()
        with target.open("rb") as file:
            _pour(file, form)


def _pour(stream: BinaryIO, form: RowForm) -> None:
    """Copy a stream to standard output. CSV has control characters, which a terminal would obey: JSON escapes them."""
    if form != "csv" or not is_terminal(sys.stdout):
        while piece := stream.read(_AT_ONCE):
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        return
    text = codecs.getincrementaldecoder("utf-8")("replace")
    while piece := stream.read(_AT_ONCE):
        click.echo("\n".join(map(escape_controls, text.decode(piece).split("\n"))), nl=False)


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
        self._writer = (JsonWriter if form in JSON else DuckdbWriter)(rows, form, columns, target)
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


def _sentence(message: str) -> str:
    """Return the error message without what DuckDB and Arrow put around it.

    The text of an error that a scan raised comes after the name of its class.
    """
    if raised := re.search(r"External error: \w+: (.*)", message, re.DOTALL):
        # An error of the system names its file, as in all other messages.
        of_system = re.fullmatch(r"\[Errno \d+\] (?P<problem>.*): '(?P<file>.*)'", raised[1].strip(), re.DOTALL)
        return "{file}: {problem}".format(**of_system.groupdict()) if of_system else raised[1].strip()
    return message.partition("Error: ")[2].partition("\n")[0] or message
