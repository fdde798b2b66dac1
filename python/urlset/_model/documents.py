"""One document that was read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from urlset._model.diagnostics import BYTES, Diagnostic
from urlset._model.errors import UrlsetError
from urlset._model.kind import Kind
from urlset._model.rows import _HeldRows, rows_as_html
from urlset._model.tables import _ArrowExport

if TYPE_CHECKING:
    from urlset._model.entries import Entry

#: How much of a document was read, from the best to the worst. `complete`: it is well-formed and was read to its end.
#: `recovered`: it is not well-formed, and was repaired and read to its end. `truncated`: reading ended before the
#: document did, because it is cut off or exceeds the budget. `refused`: it is not a sitemap.
Completeness = Literal["complete", "recovered", "truncated", "refused"]
COMPLETENESS: tuple[Completeness, ...] = get_args(Completeness)


@dataclass(frozen=True, slots=True, repr=False)
class Document(_ArrowExport):
    """One document that was read: what it is, what was in it, and how much of it was read.

    After `parse` and `read` it is also a table of its entries: it has a length, can be iterated, and has
    `__arrow_c_stream__`, from which `to_pandas` and the others follow. A `scan` does not keep the entries.

    Attributes:
        location: Its path or URL, or None.
        kind: What it is: `"urlset"`, `"sitemapindex"`, `"text"`, `"rss"`, `"atom"` or `"robots"`; None if unknown.
        rows: How many entries it has.
        bytes: How many bytes its text has, decoded to UTF-8.
        completeness: `"complete"`, `"recovered"` (it was not well-formed, and was repaired), `"truncated"` (reading
            ended early) or `"refused"` (it is not a sitemap).
        diagnostics: What was found, the first 1,000.
        counts: How often each code was found.
        extensions: How many elements inside entries were skipped, by namespace.
    """

    location: str | None
    kind: Kind | None
    rows: int
    bytes: int
    completeness: Completeness
    diagnostics: tuple[Diagnostic, ...] = ()
    # A dict has no hash, and equal documents have equal hashes without it.
    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    extensions: Mapping[str, int] = field(default_factory=dict, hash=False)
    _held: _HeldRows | None = field(default=None, repr=False, compare=False)

    def _with_rows(self, held: _HeldRows) -> Document:
        """Return the document with its rows: what `replace` does, in a third of the time."""
        return Document(
            self.location,
            self.kind,
            self.rows,
            self.bytes,
            self.completeness,
            self.diagnostics,
            self.counts,
            self.extensions,
            held,
        )

    @property
    def _rows(self) -> _HeldRows:
        if self._held is None:
            raise UrlsetError("a scan does not keep the rows of its documents: use read()")
        return self._held

    def __repr__(self) -> str:
        """Return what it is and how much of it was read."""
        name, kind, number = self.location or BYTES, self.kind or "unknown", sum(self.counts.values())
        entries = "1 entry" if self.rows == 1 else f"{self.rows:,} entries"
        found = "1 finding" if number == 1 else f"{number:,} findings"
        return f"<Document {name}: {kind}, {entries}, {self.completeness}, {found}>"

    def _repr_html_(self) -> str | None:
        """Return the first entries as a table, for a notebook."""
        return None if self._held is None else rows_as_html(self._held, repr(self)[1:-1])

    def __len__(self) -> int:
        """Return how many entries are held."""
        return len(self._rows)

    def __bool__(self) -> bool:
        """Return True."""
        return True  # a document without entries is still a document

    def __iter__(self) -> Iterator[Entry]:
        """Iterate the entries."""
        return iter(self._rows)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the entries as an Arrow stream."""
        return self._rows.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        """Hand out the schema of the table."""
        return self._rows.__arrow_c_schema__()
