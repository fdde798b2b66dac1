"""What reading gave, as plain values that can be compared: with a vector, with another reading, with the oracle."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import urlset
from urlset import Diagnostic, NotASitemapError, SitemapEntry, UrlEntry

pa: Any = import_module("pyarrow")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One document as it was read. Rows are those of the table, without nulls and without what its document says."""

    kind: str | None
    completeness: str
    rows: list[Row]
    diagnostics: tuple[Diagnostic, ...]
    extensions: dict[str, int]
    error: str | None
    bytes: int

    @property
    def findings(self) -> list[Row]:
        """Codes and places, as the vectors have them."""
        return [{"code": d.code, "line": d.line, "column": d.column} for d in self.diagnostics]

    @property
    def telling(self) -> tuple[Any, ...]:
        """All that must not depend on how the bytes were cut."""
        said = [(d.code, d.line, d.column, d.end_column, d.message, d.help) for d in self.diagnostics]
        return self.kind, self.completeness, self.rows, said, self.extensions, self.error, self.bytes


def outcome(source: Any, location: str | None = None, *, content_encoding: str | None = None) -> Outcome:
    """Reads one document, whatever becomes of it."""
    scan = urlset.scan(source, location=location, follow=False, content_encoding=content_encoding)
    rows: list[Row] = []
    error: BaseException | None = None
    try:
        for batch in scan.batches():
            rows += _plain_rows(_as_stream(pa.table(batch)))
    except NotASitemapError as raised:
        error = raised
    [document] = scan.documents
    assert document.rows == len(rows)
    assert document.diagnostics == scan.diagnostics
    error = next(iter(scan.failures), error)
    return Outcome(
        document.kind,
        document.completeness,
        rows,
        document.diagnostics,
        dict(document.extensions),
        None if error is None else type(error).__name__,
        document.bytes,
    )


def _as_stream(table: Any) -> bytes:
    """The bytes of a table: the same for the same content."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


@lru_cache(maxsize=32)
def _plain_rows(stream: bytes) -> tuple[Row, ...]:
    """The rows of a table. A document that is cut at every place has the same ones each time, and they take long."""
    return tuple(plain(row) for row in pa.ipc.open_stream(stream).read_all().to_pylist())


#: The columns that have one value for all rows of a document.
OF_DOCUMENT = ("document", "kind")


def plain(row: Row) -> Row:
    """A row of the table as a vector writes it: no nulls, instants as RFC 3339, nothing of its document."""
    return {name: _value(value) for name, value in row.items() if value is not None and name not in OF_DOCUMENT}


def _value(value: Any) -> Any:
    if isinstance(value, datetime):
        return rfc3339(value)
    if isinstance(value, list):
        return [_value(item) for item in value]
    return plain(value) if isinstance(value, dict) else value


def rfc3339(instant: datetime) -> str:
    """In UTC, with six digits of a second where there is a fraction."""
    assert instant.utcoffset() == UTC.utcoffset(None)
    # strftime leaves the zeros of early years away on some systems.
    return instant.replace(tzinfo=None).isoformat() + "Z"


def of_entry(entry: UrlEntry | SitemapEntry) -> Row:
    """An entry object as the same kind of row."""
    row: Row = {name: getattr(entry, name) for name in ("loc", "lastmod", "lastmod_raw", "line")}
    if isinstance(entry, UrlEntry):
        row |= {"changefreq": entry.changefreq, "priority": entry.priority}
        row |= {name: _as_rows(getattr(entry, name)) for name in ("images", "videos", "alternates", "news")}
    return plain(without_empty_lists(row))


def _as_rows(value: Any) -> Any:
    """Objects as dicts, and tuples as lists."""
    if isinstance(value, tuple):
        return [_as_rows(item) for item in value]
    if is_dataclass(value):
        return {field.name: _as_rows(getattr(value, field.name)) for field in fields(value)}
    return value


def without_empty_lists(value: Any) -> Any:
    """What has lists, be they empty, as the table has it: null where there is nothing in them."""
    if isinstance(value, list):
        return [without_empty_lists(item) for item in value] or None
    return {name: without_empty_lists(item) for name, item in value.items()} if isinstance(value, dict) else value


def cut(data: bytes, places: Sequence[int]) -> list[bytes]:
    """The data in pieces, cut at the places, which may be any number of times the same one."""
    edges = [0, *sorted(places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


def random_cuts(data: bytes, seed: str, times: int) -> Iterator[list[bytes]]:
    """The data in pieces of random sizes, empty ones among them; the same every time for one seed."""
    rng = random.Random(seed)
    for _ in range(times):
        count = rng.choice((2, 3, 5, 10, 30))
        yield cut(data, [rng.randint(0, len(data)) for _ in range(count)])


# --- documents to read --------------------------------------------------------------------------------------

CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def urlset_of(*locs: str) -> bytes:
    """A urlset with these locs, an entry on a line from the second on."""
    entries = "".join(f"\n<url><loc>{loc}</loc></url>" for loc in locs)
    return f'<urlset xmlns="{CORE}">{entries}\n</urlset>'.encode()


def many(rows: int) -> bytes:
    """A urlset of so many entries."""
    return urlset_of(*(f"http://a.example/{at}" for at in range(rows)))


def index_of(*locs: str) -> bytes:
    """The same for an index."""
    entries = "".join(f"\n<sitemap><loc>{loc}</loc></sitemap>" for loc in locs)
    return f'<sitemapindex xmlns="{CORE}">{entries}\n</sitemapindex>'.encode()


def lay(folder: Path, **documents: bytes) -> Path:
    """Documents in a folder; `sitemap` becomes sitemap.xml and so on. Hands back the folder."""
    for name, data in documents.items():
        (folder / f"{name}.xml").write_bytes(data)
    return folder


def locs(entries: Any) -> list[str | None]:
    """The locs of whatever gives entries."""
    return [entry.loc for entry in entries]
