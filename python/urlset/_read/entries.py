"""Entries that were read and are held in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from urlset._model.diagnostics import Diagnostic
from urlset._model.documents import Completeness, Document
from urlset._model.errors import UrlsetError
from urlset._model.rows import _HeldRows, rows_as_html
from urlset._model.tables import _ArrowExport
from urlset._read.results import total_counts, worst_completeness
from urlset._util.text import plural

if TYPE_CHECKING:
    from urlset._model.entries import Entry


class Entries(_ArrowExport):
    """Entries that were read and are held, as a sequence and as a table.

    Index it, iterate it, take a column by its name, or hand it to anything that takes Arrow: it has
    `__arrow_c_stream__`, and `to_pandas`, `to_polars`, `to_arrow` and `to_duckdb`. It can be pickled. It is not a
    `collections.abc.Sequence`, because libraries of tables would take such a one row by row.

    Example:
        >>> import urlset
        >>> entries = urlset.read(b"https://shop.example/\\nhttps://shop.example/tea\\n")
        >>> len(entries), entries[-1].loc, entries.completeness
        (2, 'https://shop.example/tea', 'complete')
        >>> entries["line"]
        [1, 2]
    """

    def __init__(self, rows: _HeldRows, documents: Sequence[Document], failures: Sequence[UrlsetError]) -> None:
        self._rows = rows
        self._documents = tuple(documents)
        self._failures = tuple(failures)

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents, in the order of reading; each is a table of its own rows."""
        return self._documents

    @property
    def completeness(self) -> Completeness:
        """How much was read: the worst of the documents."""
        return worst_completeness(self._documents, self._failures)

    @property
    def counts(self) -> dict[str, int]:
        """How often each code was found, however many diagnostics are kept."""
        return total_counts(self._documents)

    @property
    def failures(self) -> tuple[UrlsetError, ...]:
        """What went wrong and was collected instead of raised."""
        return self._failures

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was found in the documents, in the order of reading."""
        return tuple(found for document in self._documents for found in document.diagnostics)

    def __len__(self) -> int:
        """Return how many entries there are."""
        return len(self._rows)

    def __iter__(self) -> Iterator[Entry]:
        """Iterate the entries, in the order of reading."""
        return iter(self._rows)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...
    @overload
    def __getitem__(self, index: str) -> list[Any]: ...
    def __getitem__(self, index: int | slice | str) -> Entry | list[Entry] | list[Any]:
        """Return one entry, the list of those in a slice, or the values of a column.

        Raises:
            IndexError: There is no entry of this index.
            InputError: There is no column of this name.
        """
        if isinstance(index, str):
            return self._rows.column(index)
        if isinstance(index, slice):
            return self._rows.entries()[index]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(f"there are {len(self)} entries, got index {index}")
        return self._rows.slice(at, at + 1).entries()[0]

    def __repr__(self) -> str:
        """Return how much was read."""
        failed = f", {plural(len(self._failures), 'failure')}" if self._failures else ""
        documents = plural(len(self._documents), "document")
        return f"<Entries: {plural(len(self), 'entry', 'entries')} of {documents}{failed}>"

    def _repr_html_(self) -> str:
        """Return the first entries as a table, for a notebook."""
        return rows_as_html(self._rows, repr(self)[1:-1])

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the entries as an Arrow stream."""
        return self._rows.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """Hand out the schema of the table."""
        return self._rows.__arrow_c_schema__()
