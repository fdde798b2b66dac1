"""Rows out: from scans through DuckDB to CSV, JSON lines or Parquet, in bounded memory."""

import contextlib
import errno
import os
import re
import shutil
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from urlset import Scan, UrlsetError
from urlset._util.duckdb import connect, literal, moment_text

RowForm = Literal["csv", "jsonl", "parquet"]

OPTIONS: dict[RowForm, str] = {
    "csv": "FORMAT csv, HEADER",
    "jsonl": "FORMAT json",
    "parquet": "FORMAT parquet, COMPRESSION zstd",
}

DESCRIPTORS = Path("/dev/fd")


def copy_rows(scans: Sequence[Scan], form: RowForm, output: Path | None, columns: Sequence[str] | None) -> None:
    """Write the rows of all scans, one after the other, to `output` or to standard output.

    Args:
        scans: at least one, all with the same columns.
        form: what the rows become.
        output: a file, replaced once the new one is whole; None for standard output.
        columns: their order; None for that of the table.

    Raises:
        UrlsetError: a source failed, or the output could not be written.
        OSError: the output has no folder, or is one.
        BrokenPipeError: whoever read standard output has left.
    """
    if output is None:
        _to_stdout(scans, form, columns)
        return
    target = output.resolve()
    target.parent.stat()
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(output))
    if target.exists() and not target.is_file():  # /dev/null, a named pipe
        _Copy(scans, form, columns, target).finish()
        return
    partial = target.with_name(f".{target.name}.partial")
    try:
        _Copy(scans, form, columns, partial).finish()
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _to_stdout(scans: Sequence[Scan], form: RowForm, columns: Sequence[str] | None) -> None:
    """Copy through a pipe of our own.

    Given /dev/stdout, DuckDB would cut a file that the shell opened for appending, and place its
    bytes by offset.
    """
    if not DESCRIPTORS.is_dir():
        raise UrlsetError("rows cannot go to standard output on this system: name a file with --output")
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        target = DESCRIPTORS / str(writing)
        copy = _Copy(scans, form, columns, target, done=lambda: os.close(writing))
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
        form: RowForm,
        columns: Sequence[str] | None,
        target: Path,
        *,
        done: Callable[[], None] = lambda: None,
    ) -> None:
        # A daemon: it may be waiting for standard input when the process ends.
        super().__init__(daemon=True)
        self._scans, self._form, self._columns = scans, form, columns
        self._target, self._done = target, done
        self._failure: str | None = None
        self._connection = connect(threads=1)
        self.start()

    def run(self) -> None:
        """Copy, and keep what went wrong for `finish`."""
        try:
            with self._connection:
                self._copy()
        except Exception as error:
            # Its text alone: the error's frames would keep DuckDB alive beyond its own shutdown.
            self._failure = _sentence(str(error))
        finally:
            self._done()

    def finish(self) -> None:
        """Wait for the end. Raises UrlsetError where the copy failed."""
        try:
            self.join()
        except KeyboardInterrupt:
            self.stop()
            raise
        if self._failure is not None:
            raise UrlsetError(self._failure)

    def stop(self) -> None:
        """Ask the copy to end, and give it a moment to do so."""
        with contextlib.suppress(Exception):  # it may have ended, and closed the connection, by itself
            self._connection.interrupt()
        self.join(timeout=1)

    def _copy(self) -> None:
        for number, scan in enumerate(self._scans):
            self._connection.register(f"scan_{number}", scan)
        described = self._connection.execute("DESCRIBE scan_0").fetchall()
        kinds = {str(row[0]): str(row[1]) for row in described}
        selected = ", ".join(_expression(name, kinds[name], self._form) for name in self._columns or kinds)
        rows = " UNION ALL ".join(f"FROM scan_{number} SELECT {selected}" for number in range(len(self._scans)))
        target = literal(os.fspath(self._target))
        self._connection.execute(f"COPY ({rows}) TO {target} ({OPTIONS[self._form]})")


def _expression(name: str, kind: str, form: RowForm) -> str:
    """The column as `form` wants it: Parquet has every type, the others only text, and CSV no nesting."""
    if form != "parquet" and kind.startswith("TIMESTAMP"):
        return f"{moment_text(name)} AS {name}"
    if form == "csv" and (kind.endswith("[]") or kind.startswith("STRUCT")):
        return f"CAST(to_json({name}) AS VARCHAR) AS {name}"
    return name


def _sentence(message: str) -> str:
    """What went wrong, without what DuckDB and Arrow say around it.

    DuckDB hands on the text of what a scan raised, with the name of the error before it.
    """
    if raised := re.search(r"External error: \w+: (.*)", message, re.DOTALL):
        return raised[1].strip()
    return message.partition("Error: ")[2].partition("\n")[0] or message
