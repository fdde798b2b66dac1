"""What is known of a set whose manifest is lost, or that another program has made: what its documents say."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from urlset import _core
from urlset._model.documents import Document
from urlset._model.entries import SitemapEntry
from urlset._model.errors import DocumentError, FetchError, LimitError, PublishError
from urlset._publish.database import PlanningDatabase, key_sql
from urlset._publish.index_documents import indexes_of
from urlset._publish.ingest import batches
from urlset._publish.manifest import ShardRecord
from urlset._publish.shards import EXPIRING, stem
from urlset._publish.transaction import Place
from urlset._read.entries import Entries
from urlset._read.scan import Scan, ScanOptions
from urlset._read.source import ENTRY_POINT, Source
from urlset._stores.store import check_name
from urlset._write.rows import source_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Bytes of a document as it is stored; what is larger is not taken over, and is published anew.
_MOST = 200_000_000
#: Our own documents: what they are called, and the beginning of their XML's hash.
_OURS = re.compile(r"sitemap-((?:.*-)?)(\d{4,})-([0-9a-f]{16})\.xml(?:\.gz)?")


class _Child(NamedTuple):
    """A document that lies in the place. Its `shard` is what its name says, if it can be one of ours."""

    name: str
    url: str
    lastmod: datetime | None
    shard: tuple[str, int] | None


def rebuild(
    database: PlanningDatabase,
    place: Place,
    base: str,
    preparer: Callable[[], _core.Preparer],
    now: datetime,
) -> list[ShardRecord]:
    """Fills `known` from the set in force, and gives its shards; none where there is no set, or none that can be read.

    Each document that lies in the place is a shard: ours under the name that it has, another's under the next number.
    Whatever is wrong with an entry is none of its doing: that entry is not known, and is published as if it were new.
    """
    children = list(_children(place, base))
    numbers = count(1 + max((child.shard[1] for child in children if child.shard and not child.shard[0]), default=0))
    records: dict[str, ShardRecord] = {}
    for child in children:
        data = _read(place, child.name)
        entries = None if data is None else _entries(data)
        if data is None or not entries:
            continue
        document = entries.documents[0] if entries.documents else None
        series, part = child.shard or ("", 0)
        is_ours = child.shard is not None and document is not None and _is_ours(data, child.name, document)
        if not is_ours or stem(series, part) in records:
            series, part, is_ours = "", next(numbers), False
        record = _record(child, stem(series, part), part, data, entries, document, is_ours=is_ours)
        records[record.shard] = record
        if record.section not in EXPIRING[:2]:
            database.expect(len(entries))
            _take(database.connection, record, entries, preparer(), now)
    _fold(database.connection)
    return list(records.values())


def _children(place: Place, base: str) -> Iterator[_Child]:
    """The documents of the set in force that lie in the place: what its indexes name, or the one that there is."""
    entry_point = place.entry_point()
    if entry_point is None:
        return
    listed = _listed(entry_point)
    if listed is None:
        yield _Child(ENTRY_POINT, base + ENTRY_POINT, None, None)
        return
    for index in indexes_of(entry_point):
        listed += _listed(_read(place, index) or b"") or []
    seen = {ENTRY_POINT}
    for loc, lastmod in listed:
        name = unquote(loc.removeprefix(base))
        # A document of another place stays where it is.
        if not loc.startswith(base) or name in seen or not _is_name(name):
            continue
        seen.add(name)
        said = _OURS.fullmatch(name)
        yield _Child(name, loc, lastmod, (said[1].removesuffix("-"), int(said[2])) if said else None)


def _is_name(name: str) -> bool:
    try:
        return "/" not in check_name(name)
    except PublishError:
        return False


def _listed(index: bytes) -> list[tuple[str, datetime | None]] | None:
    """What an index lists; None for a document of its own, and for what cannot be read."""
    scan = Scan(Source(None, index), ScanOptions(follow=False, columns=["loc", "lastmod"], on_error="collect"))
    try:
        entries = list(scan)
    except DocumentError:
        return []
    if not any(isinstance(entry, SitemapEntry) for entry in entries):
        return None
    return [(entry.loc, entry.lastmod) for entry in entries if entry.loc]


def _read(place: Place, name: str) -> bytes | None:
    try:
        return place.store.read(name, _MOST)
    except LimitError:
        return None


def _entries(data: bytes) -> Entries | None:
    try:
        return Scan(Source(None, data), ScanOptions(follow=False, on_error="collect", limits=None)).collect()
    except (DocumentError, FetchError):
        return None


def _is_ours(data: bytes, name: str, document: Document) -> bool:
    """Whether a document has the content that its name says."""
    xml = data
    if name.endswith(".gz"):
        try:
            xml = zlib.decompressobj(wbits=31).decompress(data, document.bytes + 1)
        except zlib.error:
            return False
    said = _OURS.fullmatch(name)
    return said is not None and hashlib.sha256(xml).hexdigest().startswith(said[3])


def _record(
    child: _Child,
    shard: str,
    part: int,
    data: bytes,
    entries: Entries,
    document: Document | None,
    *,
    is_ours: bool,
) -> ShardRecord:
    series = shard.rpartition("-")[0]
    is_whole = document is not None and document.completeness == "complete"
    return ShardRecord(
        shard=shard,
        section=series if series in EXPIRING else "",
        group="",
        part=part,
        name=child.name,
        url=child.url,
        entries=len(entries),
        bytes=document.bytes if document is not None and is_whole else 0,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        lastmod=child.lastmod.astimezone(UTC).isoformat(timespec="seconds") if child.lastmod else None,
        is_ours=is_ours,
    )


def _take(
    connection: DuckDBPyConnection, record: ShardRecord, entries: Entries, ready: _core.Preparer, now: datetime
) -> None:
    """Puts the entries of a document into `known`; those of the list of what is gone as gone."""
    rows = source_of(entries)
    seen = record.lastmod or now.isoformat(timespec="seconds")
    key = f"CASE WHEN (uses & 4) <> 0 THEN {key_sql('tail', 'NULL', 'news')} ELSE key END"
    said = f"$shard, {key}, lastmod, CASE WHEN lastmod IS NOT NULL THEN 'published' END, NULL, $seen, $seen, NULL"
    values = {"shard": record.shard, "seen": seen}
    if record.section in EXPIRING:
        said = "NULL, key, NULL, NULL, NULL, $seen, $seen, coalesce(make_timestamptz(instant), $seen)"
        values = {"seen": seen}
    # DuckDB finds `batch` by its name among the local variables.
    for batch in batches(ready, rows, lambda refused: None):  # noqa: B007
        connection.execute(f"INSERT INTO known SELECT loc, '', {said} FROM batch", values)


def _fold(connection: DuckDBPyConnection) -> None:
    """Leaves one place of each loc: where it was listed first."""
    connection.execute("""
        DELETE FROM known WHERE rowid IN (
            SELECT rowid FROM known
            WHERE loc IN (SELECT loc FROM known GROUP BY loc HAVING count(*) > 1)
            QUALIFY row_number() OVER (PARTITION BY loc ORDER BY gone IS NOT NULL, rowid) > 1
        )
    """)
