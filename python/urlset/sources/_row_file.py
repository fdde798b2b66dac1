"""Files of rows: their format, their text, and what lines or lists of JSON begin with."""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Literal, cast

from urlset._util.duckdb import path_pattern
from urlset.sources._encoding import check_utf8

Form = Literal["csv", "jsonl", "parquet", "txt", "xml"]

#: The most characters of a row of JSON: DuckDB takes 16 MiB of one.
_LONGEST_ROW = 1 << 24


@dataclass(frozen=True, slots=True)
class RowFile:
    """One file of rows: the name that the user gave it, its path and its format."""

    name: str
    path: Path
    form: Form

    @property
    def pattern(self) -> str:
        """The path with the wildcards of DuckDB escaped."""
        return path_pattern(self.path)

    def check_utf8(self) -> None:
        """Raise InputError, with the line of the first invalid byte, if the content is not UTF-8."""
        with open_unpacked(self.path) as file:
            check_utf8(file, self.name)

    def text(self) -> IO[str]:
        """Open the content as UTF-8 text without a byte order mark, with line ends kept."""
        return io.TextIOWrapper(open_unpacked(self.path), encoding="utf-8-sig", newline="")


def open_unpacked(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressed if its name ends in .gz, as DuckDB does."""
    return cast(IO[bytes], gzip.open(path)) if path.suffix.lower() == ".gz" else path.open("rb")


def is_list(file: RowFile) -> bool:
    """Return whether a file of JSON is a list of objects, as `urlset read -f json` writes it, and not one a line."""
    with file.text() as text:
        return _head(text).startswith("[")


def _head(text: IO[str]) -> str:
    """Return the beginning of a text, without the blanks before it: at least as much as a row may have."""
    head = text.read(4096)
    while head and not head.strip():
        head = text.read(4096)
    return head.lstrip() + text.read(_LONGEST_ROW) if head.lstrip().startswith("[") else head.lstrip()


def first_keys(file: RowFile) -> list[str] | None:
    """Return the keys of the first row that is not blank; None if it is not an object, which is reported later."""
    with file.text() as lines:
        try:
            if (head := _head(lines)).startswith("["):
                first, _ = json.JSONDecoder().raw_decode(head[1:].lstrip())
            else:
                lines.seek(0)
                bounded = iter(partial(lines.readline, _LONGEST_ROW), "")
                first = json.loads(next((line for line in bounded if line.strip()), "null"))
        except (ValueError, RecursionError):
            return None
    return list(first) if isinstance(first, dict) else None


def bad_json(file: RowFile) -> str | None:
    """Return the position and fault of the first line that is not a JSON object; DuckDB's line number is off by one.

    None for a list of objects, which need not be one a line.
    """
    if is_list(file):
        return None
    with file.text() as lines:
        for number, line in enumerate(iter(partial(lines.readline, _LONGEST_ROW), ""), start=1):
            try:
                if line.strip() and not isinstance(json.loads(line), dict):
                    return f"{number}: not a JSON object: {line.strip()[:120]}"
            except json.JSONDecodeError as error:
                return f"{number}:{error.colno}: not JSON: {error.msg}"
    return None
