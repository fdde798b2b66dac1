"""Rows that are held: their names, how a notebook shows them, and what is left of them in a pickle."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from urlset import _core
from urlset._model.errors import InputError
from urlset._model.instants import rfc3339
from urlset._model.notebook import SHOWN, as_html

if TYPE_CHECKING:
    from urlset._model.entries import Entry

#: Entries that are made at once. The memory of those that their consumer drops serves for the next ones.
_AT_ONCE = 1024


def entry_lists(batch: _core.Batches) -> Iterator[list[Entry]]:
    """Yield the rows of a batch as entries, in lists of a few."""
    for start in range(0, len(batch), _AT_ONCE):
        yield batch.slice(start, start + _AT_ONCE).entries()


class _HeldRows:
    """Rows that are held: in the core or, when they come out of a pickle, as objects.

    Of objects, DuckDB makes the table when it is needed. It has the same columns and values as before; columns that
    were dictionaries are plain text.
    """

    def __init__(self, source: _core.Batches | Sequence[Entry], columns: Sequence[str]) -> None:
        self._source = source
        self.columns = tuple(columns)

    def __reduce__(self) -> tuple[type[_HeldRows], tuple[Sequence[Entry], tuple[str, ...]]]:
        return _HeldRows, (self.entries(), self.columns)

    def __len__(self) -> int:
        return len(self._source)

    @property
    def has_sitemaps(self) -> bool:
        if isinstance(self._source, _core.Batches):
            return self._source.has_sitemaps
        from urlset._model.entries import SitemapEntry  # noqa: PLC0415  (rows of the core need no objects)

        return any(isinstance(entry, SitemapEntry) for entry in self._source)

    def slice(self, start: int, stop: int) -> _HeldRows:
        if (start, stop) == (0, len(self)):
            return self
        source = self._source
        part = source.slice(start, stop) if isinstance(source, _core.Batches) else source[start:stop]
        return _HeldRows(part, self.columns)

    def entries(self) -> list[Entry]:
        return self._source.entries() if isinstance(self._source, _core.Batches) else list(self._source)

    def __iter__(self) -> Iterator[Entry]:
        held = self._source
        return chain.from_iterable(entry_lists(held)) if isinstance(held, _core.Batches) else iter(held)

    def column(self, name: str) -> list[Any]:
        if name not in self.columns:
            raise InputError(f"there is no column {name!r}; the columns are {', '.join(self.columns)}")
        return [getattr(entry, name) for entry in self]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        table = self._source if isinstance(self._source, _core.Batches) else self._relation()
        return table.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        if isinstance(self._source, _core.Batches):
            return self._source.__arrow_c_schema__()
        return self._relation().__arrow_c_schema__()

    def _relation(self) -> Any:
        from tempfile import TemporaryDirectory  # noqa: PLC0415  (few rows come out of a pickle)

        import duckdb  # noqa: PLC0415  (it takes longer to load than everything else)

        connection = duckdb.connect(config={"threads": 1})
        connection.execute("SET TimeZone = 'UTC'")
        connection.register("kinds", _core.Batches.concat([], list(self.columns)))
        kinds = {str(row[0]): str(row[1]) for row in connection.execute("DESCRIBE kinds").fetchall()}
        columns = ", ".join(f"{name}: '{kind}'" for name, kind in kinds.items())
        with TemporaryDirectory(prefix="urlset-") as folder:
            path = Path(folder) / "rows.jsonl"
            with path.open("w", encoding="utf-8") as file:
                for entry in self:
                    row = {name: _plain(getattr(entry, name)) for name in self.columns}
                    file.write(json.dumps(row) + "\n")
            read = f"read_json(?, format = 'newline_delimited', columns = {{{columns}}}, maximum_object_size = 1 << 30)"
            connection.execute(f"CREATE TABLE entries AS FROM {read}", [str(path)])
        return connection.table("entries")


def _plain(value: Any) -> Any:
    """Return a value as JSON has it. What is empty is absent, as in the table."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value] or None
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    return value


def rows_as_html(rows: _HeldRows, caption: str) -> str:
    """Return the first rows as an HTML table."""
    entries = rows.slice(0, min(SHOWN, len(rows))).entries()
    columns = ("loc", "lastmod", "changefreq", "priority", "images", "videos", "alternates", "news")
    more = f", the first {SHOWN} shown" if len(rows) > SHOWN else ""
    return as_html(caption + more, columns, [[_cell(getattr(entry, name)) for name in columns] for entry in entries])


def _cell(value: Any) -> Any:
    if isinstance(value, datetime):
        return rfc3339(value)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return len(list(value)) or None
    return getattr(value, "title", value) if hasattr(value, "publication_name") else value
