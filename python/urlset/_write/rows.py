"""Rows on their way out: whatever has entries, into documents, with what was refused told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from urlset import _core
from urlset._model.documents import Document
from urlset._model.entries import SitemapEntry, UrlEntry
from urlset._model.errors import EntryError, InputError
from urlset._read.scan import Entries, Scan
from urlset._util.arguments import OnError, check_on_error

#: Refusals that are kept; all are counted.
KEPT = 10_000

RowLike = str | Mapping[str, object] | UrlEntry | SitemapEntry


class Table(Protocol):
    """Anything that hands out an Arrow stream: a frame, a relation, a scan."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


RowsLike = Iterable[RowLike] | Table


def source_of(entries: RowsLike, extras: list[str] | None = None) -> _core.Rows:
    """The rows, with the texts of further columns or keys of theirs.

    Raises InputError for a single row, a table without a loc, or something that has no rows.
    """
    extras = extras or []
    if isinstance(entries, str | bytes | Mapping | UrlEntry | SitemapEntry):
        raise InputError(f"the entries are one {type(entries).__name__}: put it into a list")
    if hasattr(entries, "__arrow_c_stream__") and not _may_hold_sitemaps(entries):
        return _core.Rows.of_table(entries, extras)
    if isinstance(entries, Iterable):
        return _core.Rows.of_objects(entries, extras)
    raise InputError(f"the entries are {type(entries).__name__}, neither an iterable nor a table")


def _may_hold_sitemaps(entries: object) -> bool:
    """A table has no place for an entry's class; our own, where it may hold sitemaps, is taken object by object."""
    return isinstance(entries, Scan) or (isinstance(entries, Entries | Document) and entries._batches.has_sitemaps)


class Packing:
    """Rows into documents, each within both limits, one after the other, as they are asked for."""

    def __init__(
        self,
        entries: RowsLike,
        *,
        kind: str | None,
        host: str | None = None,
        on_error: OnError,
        progress: Callable[[int], None] | None = None,
        on_refusal: Callable[[EntryError], None] | None = None,
    ) -> None:
        check_on_error(on_error)
        self._rows = source_of(entries)
        self._packer = _core.Packer(self._rows, kind, host)
        self._on_error = on_error
        self._progress = progress
        self._on_refusal = on_refusal
        self.refused_by_code: Counter[str] = Counter()
        self.refusals: list[EntryError] = []

    @property
    def kind(self) -> str:
        """urlset or sitemapindex."""
        return self._packer.kind

    @property
    def refused(self) -> int:
        """Rows that were left out."""
        return self.refused_by_code.total()

    @property
    def passed(self) -> tuple[str, ...]:
        """Columns of the table that nothing was made of."""
        return tuple(self._rows.passed)

    def documents(self) -> Iterator[tuple[bytes, int]]:
        """The XML of each document and how many entries it has. Raises EntryError where that was asked for."""
        state = "more"
        while state != "end":
            state, refusal = self._packer.fill(self._rows)
            if refusal is not None:
                self._refuse(EntryError(*refusal))
            if state in ("full", "end") and (finished := self._packer.finish()) is not None:
                yield finished
            if self._progress is not None:
                self._progress(self._rows.index)

    def _refuse(self, error: EntryError) -> None:
        if self._on_error == "raise":
            raise error
        self.refused_by_code[error.code] += 1
        if self._on_refusal is not None:
            self._on_refusal(error)
        if len(self.refusals) < KEPT:
            self.refusals.append(error)
