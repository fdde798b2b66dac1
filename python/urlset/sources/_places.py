"""Where the rows of files stand, for messages: the file, and the line on which a row begins."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat

from urlset._util.instances import in_memory
from urlset._util.row_files import Place
from urlset.sources._row_file import RowFile, is_list

#: The most characters of a line: DuckDB takes 16 MiB of a row.
_LONGEST_LINE = 1 << 24


class RowPlaces:
    """Finds places by the index of a row, from 0 up. Indexes that rise are found in one pass over the files.

    Args:
        files: The files in their order.
        delimiters: Those of the CSV files, by their names.
    """

    def __init__(self, files: Sequence[RowFile], delimiters: Mapping[str, str]) -> None:
        self._files, self._delimiters = files, delimiters
        self._next, self._places = 0, self._all()

    def __reduce__(self) -> tuple[type[RowPlaces], tuple[Sequence[RowFile], Mapping[str, str]]]:
        return type(self), (self._files, self._delimiters)

    def __call__(self, index: int) -> Place | None:
        """Return the place of a row; None if it cannot be told."""
        if index < self._next:
            self._next, self._places = 0, self._all()
        place = None
        while self._next <= index:
            self._next += 1
            place = next(self._places, None)
        return place

    def _all(self) -> Iterator[Place]:
        import duckdb  # noqa: PLC0415  (the signature of `rows` is declared without it)

        for file in self._files:
            try:
                if file.form == "jsonl" and is_list(file):
                    return  # its rows need not begin a line, and how many there are is not known
                yield from self._of(file)
            # A file that has changed since its rows were read: whoever reads it again says what is wrong.
            except (csv.Error, UnicodeDecodeError, OSError, EOFError, zlib.error, duckdb.Error):
                return

    def _of(self, file: RowFile) -> Iterator[Place]:
        if file.form == "parquet":
            return repeat(Place(file.name, None), _count(file))
        return _of_csv(file, self._delimiters[file.name]) if file.form == "csv" else _of_lines(file)


def _of_csv(file: RowFile, delimiter: str) -> Iterator[Place]:
    """Yield the places of the records behind the header. DuckDB skips blank lines, and so does this."""
    with file.text() as lines:
        reader = csv.reader(iter(partial(lines.readline, _LONGEST_LINE), ""), delimiter=delimiter)
        has_header, line = False, 1
        for record in reader:
            if record and has_header:
                yield Place(file.name, line)
            has_header |= any(cell.strip() for cell in record)
            line = reader.line_num + 1


def _of_lines(file: RowFile) -> Iterator[Place]:
    with file.text() as lines:
        for number, line in enumerate(iter(partial(lines.readline, _LONGEST_LINE), ""), 1):
            if line.strip():
                yield Place(file.name, number)


def _count(file: RowFile) -> int:
    with in_memory(threads=1) as connection:
        ((count,),) = connection.read_parquet(file.pattern).aggregate("count(*)").fetchall()
    return int(count)
