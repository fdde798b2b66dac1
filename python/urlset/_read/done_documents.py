"""The documents of a pass that are done: their rows, and how many of these are safe with the caller."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from urlset._model.documents import Document
from urlset._model.errors import UrlsetError
from urlset._model.rows import _HeldRows
from urlset._read.frontier import INDEXES, State, Step
from urlset._read.source import Source


class DoneDocuments:
    """Documents in the order in which they ended, which is that of their rows."""

    def __init__(self) -> None:
        self.documents: list[Document] = []
        #: Rows of the table from each document: its entries without the children that are followed.
        self.rows: list[int] = []
        self.total_rows = 0
        self._origins: list[Source] = []
        #: How many of the documents, with how many rows, are safe with the caller.
        self._safe = self._safe_rows = 0

    def add(self, document: Document, rows: int, origin: Source) -> None:
        """Add a document, with how many rows it has and where it was found."""
        self.documents.append(document)
        self.rows.append(rows)
        self.total_rows += rows
        self._origins.append(origin)

    def whole_rows(self, rows: int) -> int:
        """Return how many of the first rows are all rows of the first documents."""
        return self._whole(rows)[1]

    def take_steps(self, handed: int | None) -> Iterator[Step]:
        """Take what has become of documents, of which so many rows are safe with the caller; all if None.

        Raises:
            UrlsetError: These are not all rows of the first documents.
        """
        done, rows = self._whole(handed)
        if handed is not None and rows != handed:
            raise UrlsetError("a checkpoint must follow the last row of a document, as after each of batches()")
        places = range(self._safe, done)
        self._safe, self._safe_rows = done, rows
        return map(self._step, places)

    def _step(self, place: int) -> Step:
        state: State = "followed" if self.documents[place].kind in INDEXES else "done"
        return Step(self._origins[place], state, self.rows[place])

    def _whole(self, most: int | None) -> tuple[int, int]:
        """Return how many documents are done with at most so many rows, and their rows."""
        done, rows = self._safe, self._safe_rows
        while done < len(self.documents) and (most is None or rows + self.rows[done] <= most):
            rows += self.rows[done]
            done += 1
        return done, rows

    def with_rows(self, rows: _HeldRows, counts: Sequence[int] | None) -> Iterator[Document]:
        """Yield each document with its own rows, of which it has so many; all if None."""
        start = 0
        for document, count in zip(self.documents, self.rows if counts is None else counts, strict=True):
            yield document._with_rows(rows.slice(start, start + count))
            start += count
