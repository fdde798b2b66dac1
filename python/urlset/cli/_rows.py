"""Rows in: CSV, JSON lines, Parquet and text lists to what `publish` takes, as one stream."""

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from urlset import EntryError, InputError
from urlset.cli._arguments import STDIN, existing, once
from urlset.cli._duckdb import connect
from urlset.cli._tables import Form, RowFile, binary, table, told

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

FORMS: dict[str, Form] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".txt": "txt",
}


@contextmanager
def opened(arguments: Sequence[str], form: Form | None) -> "Iterator[Iterator[str] | DuckDBPyRelation]":
    """The rows of all files, one after the other, for as long as the block lasts.

    Args:
        arguments: paths, and `-` for standard input.
        form: of all of them; None to tell it by name, else by content.

    Raises:
        InputError: a file is not what it is taken for, or has no column `loc`. Also from inside
            the block, for what only shows while rows are drawn.
        OSError: a file cannot be read.
    """
    once(arguments)
    with ExitStack() as stack:
        files = [
            RowFile("standard input" if argument == STDIN else argument, path, form or _form(path))
            for argument in arguments
            for path in [_spooled(stack) if argument == STDIN else existing(argument)]
        ]
        forms = {file.form for file in files}
        if forms == {"txt"}:
            yield _lines(files)
            return
        if "txt" in forms:
            raise InputError("text lists and tables cannot be published together: make them one form")

        connection = stack.enter_context(connect())
        try:
            tables = [table(connection, file) for file in files]
            yield reduce(lambda above, below: above.union(below), tables)
        except EntryError:
            raise
        except Exception as error:
            # DuckDB's own, or the writer's with DuckDB's text inside.
            sentence = told(str(error), files)
            if sentence is None:
                raise
            raise InputError(sentence) from None


def _spooled(stack: ExitStack) -> Path:
    """Standard input in a temporary file: its form shows in its content, and Parquet is read from its end."""
    path = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="urlset-")), "rows")
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return path


def _form(path: Path) -> Form:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    if suffixes and suffixes[-1] in FORMS:
        return FORMS[suffixes[-1]]
    with binary(path) as file:
        head = file.read(4096)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"{"):
        return "jsonl"
    return "txt" if start.lower().startswith((b"http://", b"https://")) else "csv"


def _lines(files: Sequence[RowFile]) -> Iterator[str]:
    """Each line that is not blank is a loc."""
    for file in files:
        with file.text() as lines:
            try:
                for line in lines:
                    if loc := line.strip():
                        yield loc
            except UnicodeDecodeError as error:
                raise InputError(f"{file.name}: not UTF-8: {error.reason}") from None
