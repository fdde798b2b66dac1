"""Rows on their way out: whatever has entries becomes documents, and refused rows are reported."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Protocol

from urlset import _core
from urlset._model.core_types import ValuePolicy
from urlset._model.documents import Document
from urlset._model.entries import SitemapEntry, UrlEntry
from urlset._model.errors import EntryError, InputError
from urlset._model.instants import micros_of
from urlset._options.publish import OnBadValue, OnError
from urlset._read.entries import Entries
from urlset._read.scan import Scan
from urlset._util.arguments import moment_of
from urlset._util.cores import cores

#: How many refusals are kept; all are counted.
KEPT = 10_000
#: A text that is more likely the path of a file of rows than a page.
_FILE = re.compile(r"\A(?!https?://).*\.(?:csv|tsv|jsonl?|ndjson|parquet|txt|xml|db|sqlite3?)(?:\.gz)?\Z", re.I | re.S)

RowLike = str | Mapping[str, object] | UrlEntry | SitemapEntry


class ArrowTable(Protocol):
    """Anything that hands out an Arrow stream: a data frame, a relation, a scan."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


RowsLike = Iterable[RowLike] | ArrowTable


def source_of(
    entries: RowsLike,
    extras: list[str] | None = None,
    *,
    optional: Collection[str] = (),
    names: Mapping[str, str] | None = None,
    is_local: bool = False,
    is_given: bool = False,
) -> _core.Rows:
    """Return the rows, with the texts of further columns or keys.

    Args:
        entries: The rows.
        extras: The names of the further columns.
        optional: Those of them that a table need not have.
        names: The names of their other columns, such as `{"loc": "url"}`, where they differ.
        is_local: Whether a table may hold times without a zone.
        is_given: Whether somebody asks for the fingerprint of the rows of a table as they are given.

    Raises:
        InputError: It is a single row, a path, a table without a loc or with an unknown column, or something without
            rows.
    """
    extras, columns = extras or [], dict(names or {})
    if isinstance(entries, os.PathLike) or (isinstance(entries, str) and _FILE.search(entries)):
        raise InputError(
            f"entries must be rows, got the path {os.fspath(entries)!r}: open a file of rows with"
            " urlset.sources.files.rows(path), and an existing sitemap with urlset.scan(path, strict=True)"
        )
    if isinstance(entries, str | bytes | Mapping | UrlEntry | SitemapEntry):
        raise InputError(f"entries must be a list or a table, got one {type(entries).__name__}: put it into a list")
    if isinstance(entries, Entries) and entries.failures:
        raise entries.failures[0]
    if hasattr(entries, "__arrow_c_stream__") and not _may_hold_sitemaps(entries):
        required = [name for name in extras if name not in optional]
        return _core.Rows.of_table(entries, columns, extras, required, is_local, is_given)
    if isinstance(entries, Iterable):
        return _core.Rows.of_objects(_whole(entries) if isinstance(entries, Scan) else entries, columns, extras)
    raise InputError(f"entries must be an iterable or a table, got {type(entries).__name__}")


def _may_hold_sitemaps(entries: object) -> bool:
    """Return whether rows may be sitemaps. A table has no column for that, so such are taken object by object."""
    return isinstance(entries, Scan) or (isinstance(entries, Entries | Document) and entries._rows.has_sitemaps)


def _whole(scan: Scan) -> Iterator[UrlEntry | SitemapEntry]:
    """Yield the entries of a scan. Raises its first failure at the end: a part of a set must not replace the set."""
    yield from scan
    if scan.failures:
        raise scan.failures[0]


class Packing:
    """Rows packed into documents within both limits of the protocol, one after the other."""

    def __init__(self, entries: RowsLike, *, on_error: OnError, on_bad_value: OnBadValue) -> None:
        self._rows = source_of(entries)
        values = ValuePolicy(on_bad_value, None, micros_of(moment_of(None)))
        self._packer = _core.Packer(self._rows, values, threads=cores())
        self._on_error = on_error
        self.refused_by_code: Counter[str] = Counter()
        self.refusals: list[EntryError] = []
        self.corrected_by_code: Counter[str] = Counter()
        self.corrections: list[EntryError] = []

    @property
    def kind(self) -> str:
        """What is written: `urlset` or `sitemapindex`."""
        return self._packer.kind

    @property
    def refused(self) -> int:
        """How many rows were left out."""
        return self.refused_by_code.total()

    def documents(self) -> Iterator[_core.Finished]:
        """Yield each document. Raises EntryError unless refusals are collected."""
        status = _core.FillStatus.MORE
        while status != _core.FillStatus.END:
            filled = self._packer.fill(self._rows)
            status = filled.status
            for value in filled.corrected:
                _report(_error(value), self.corrected_by_code, self.corrections)
            for row in filled.refused:
                if self._on_error == "raise":
                    raise _error(row)
                _report(_error(row), self.refused_by_code, self.refusals)
            if status != _core.FillStatus.MORE and (finished := self._packer.finish()) is not None:
                yield finished


def _error(refusal: _core.Refusal) -> EntryError:
    return EntryError(refusal.index, refusal.loc, refusal.code, refusal.message)


def _report(error: EntryError, by_code: Counter[str], first: list[EntryError]) -> None:
    by_code[error.code] += 1
    if len(first) < KEPT:
        first.append(error)
