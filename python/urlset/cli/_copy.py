"""Rows out: from scans through DuckDB to CSV, JSON lines or Parquet, in bounded memory."""

import contextlib
import os
import shutil
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from urlset import Scan, UrlsetError
from urlset.cli._sql import moment_text

RowFormat = Literal["csv", "jsonl", "parquet"]

OPTIONS: dict[RowFormat, str] = {
    "csv": "FORMAT csv, HEADER",
    "jsonl": "FORMAT json",
    "parquet": "FORMAT parquet, COMPRESSION zstd",
}


def copy_rows(
    scans: Sequence[Scan], format: RowFormat, output: Path | None, columns: Sequence[str] | None
) -> None:
    """Write the rows of all scans, one after the other, to `output` or to standard output.

    Args:
        scans: at least one, all with the same columns.
        format: the form of the rows.
        output: a file, replaced once the new one is whole; None for standard output.
        columns: their order; None for that of the table.

    Raises:
        UrlsetError: a source failed, or the output could not be written.
        BrokenPipeError: whoever read standard output has left.
    """
    import duckdb  # 0.15 s that the verbs without rows need not wait for

    try:
        if output is None:
            _to_stdout(scans, format, columns)
        else:
            _to_file(scans, format, columns, output)
    except duckdb.IOException as error:
        raise UrlsetError(_first_line(error)) from None
    except duckdb.Error as error:
        # DuckDB hands on only the text of what a stream raised; the scan still has the error.
        for scan in scans:
            if scan.failures:
                raise scan.failures[-1] from None
        raise UrlsetError(_first_line(error)) from None


def _to_file(scans: Sequence[Scan], format: RowFormat, columns: Sequence[str] | None, output: Path) -> None:
    """Copy to a file beside `output` that takes its place once it is whole."""
    target = output.resolve()
    if target.exists() and not target.is_file():  # /dev/null, a named pipe
        _Copy(scans, format, columns, os.fspath(target)).finish()
        return
    partial = target.with_name(f".{target.name}.partial")
    try:
        _Copy(scans, format, columns, os.fspath(partial)).finish()
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _to_stdout(scans: Sequence[Scan], format: RowFormat, columns: Sequence[str] | None) -> None:
    """Copy through a pipe of our own.

    Given /dev/stdout, DuckDB would cut a file that the shell opened for appending, and place its
    bytes by offset.
    """
    if not os.path.isdir("/dev/fd"):
        raise UrlsetError("rows cannot go to standard output on this system: name a file with --output")
    reading, writing = os.pipe()
    with open(reading, "rb", buffering=0) as pipe:
        copy = _Copy(scans, format, columns, f"/dev/fd/{writing}", done=lambda: os.close(writing))
        try:
            shutil.copyfileobj(pipe, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        except BaseException:
            # Closed, so that a copy that waits to write ends too.
            pipe.close()
            copy.stop()
            raise
    copy.finish()


class _Copy(threading.Thread):
    """One COPY on a thread of its own, so that the main thread stays open to Ctrl-C. Starts at once."""

    def __init__(
        self,
        scans: Sequence[Scan],
        format: RowFormat,
        columns: Sequence[str] | None,
        target: str,
        *,
        done: Callable[[], None] = lambda: None,
    ) -> None:
        import duckdb

        # A daemon: it may be waiting for standard input when the process ends.
        super().__init__(daemon=True)
        self._scans, self._format, self._columns = scans, format, columns
        self._target, self._done = target, done
        self._error: Exception | None = None
        # One thread keeps memory flat: with more, finished pieces wait until the rows before them
        # are out. The source reads on threads of its own.
        self._connection = duckdb.connect(config={"threads": 1})
        self.start()

    def run(self) -> None:
        """Copy, and keep the error for `finish`."""
        try:
            with self._connection:
                self._copy()
        except Exception as error:
            self._error = error
        finally:
            self._done()

    def finish(self) -> None:
        """Wait for the end, and raise what the copy raised."""
        try:
            self.join()
        except KeyboardInterrupt:
            self.stop()
            raise
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Ask the copy to end, and give it a moment to remove what it has begun."""
        with contextlib.suppress(Exception):  # it may have ended, and closed the connection, by itself
            self._connection.interrupt()
        self.join(timeout=1)

    def _copy(self) -> None:
        for number, scan in enumerate(self._scans):
            self._connection.register(f"scan_{number}", scan)
        described = self._connection.execute("DESCRIBE scan_0").fetchall()
        types = {str(row[0]): str(row[1]) for row in described}
        selected = ", ".join(_expression(name, types[name], self._format) for name in self._columns or types)
        each = (f"SELECT {selected} FROM scan_{number}" for number in range(len(self._scans)))
        rows = " UNION ALL ".join(each)
        target = self._target.replace("'", "''")
        self._connection.execute(f"COPY ({rows}) TO '{target}' ({OPTIONS[self._format]})")


def _expression(name: str, type: str, format: RowFormat) -> str:
    """The column as `format` wants it: Parquet has every type, the others only text, and CSV no nesting."""
    if format != "parquet" and type.startswith("TIMESTAMP"):
        return f"{moment_text(name)} AS {name}"
    if format == "csv" and (type.endswith("[]") or type.startswith("STRUCT")):
        return f"CAST(to_json({name}) AS VARCHAR) AS {name}"
    return name


def _first_line(error: Exception) -> str:
    """What went wrong, without DuckDB's kind of error before it and its advice after it."""
    return str(error).partition("\n")[0].partition("Error: ")[2] or str(error)
