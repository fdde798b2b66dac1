"""Recover what is known of a set whose manifest is lost, or that another program has made, from its documents."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from urlset import _core
from urlset._lint.api import lint
from urlset._model.documents import Document
from urlset._model.entries import SitemapEntry
from urlset._model.errors import DocumentError, FetchError, LimitError, PublishError
from urlset._options.rules import Rules
from urlset._publish.documents import names
from urlset._publish.documents.index_documents import indexes_of
from urlset._publish.documents.names import ShardName
from urlset._publish.rows.database import PlanningDatabase
from urlset._publish.rows.ingest import fill
from urlset._publish.rows.resolve_sql import entry_hash_sql
from urlset._publish.stored.transaction import Transaction
from urlset._publish.values.header import ShardRecord
from urlset._publish.values.options import PublishOptions, origin_of
from urlset._publish.values.shards import DERIVED
from urlset._read.entries import Entries
from urlset._read.entry_points import ENTRY_POINT
from urlset._read.scan import Scan, ScanOptions
from urlset._read.source import Source
from urlset._stores.store import Store, check_name
from urlset._write.rows import source_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Stored bytes of a document. A larger one is not taken over, and is published anew.
_MAX_BYTES = 200_000_000


class _Child(NamedTuple):
    """A document of the set that is in the store, and what its name says if it is one of `publish`."""

    name: str
    url: str
    lastmod: datetime | None
    said: ShardName | None


class Recovered(NamedTuple):
    """The documents of a set, and whether all that its entry point names are there and well-formed."""

    records: list[ShardRecord]
    is_whole: bool


def recover(database: PlanningDatabase, transaction: Transaction, options: PublishOptions) -> Recovered:
    """Fill `known` from the documents of the current set, and return them.

    Each document in the store becomes a shard: one of `publish` under its own name, another program's under the next
    number. Documents that cannot be read are left out. An entry that is invalid is not known, and is published as if
    it were new.
    """
    store, live = transaction.store, transaction.entry_point()
    children = list(_children(store, live, options.base))
    is_marked, is_mark_right = names.is_marked(live), _is_mark_right(store, live, children)
    numbers = count(1 + max((child.said.part for child in children if child.said and not child.said.series), default=0))
    records: dict[str, ShardRecord] = {}
    is_whole = live is not None and is_sound(live)
    for child in children:
        data = _read(store, child.name)
        entries = None if data is None else _entries(data)
        if data is None or not entries:
            is_whole = False
            continue
        document = entries.documents[0] if entries.documents else None
        said = child.said
        is_ours = said is not None and document is not None and _is_ours(data, said, child.name, document, is_marked)
        if said is None or not is_ours or said.shard in records:
            said, is_ours = ShardName("", next(numbers), None), False
        is_proven = is_ours and (said.content is not None or is_mark_right)
        record = _record(child, said, data, entries, document, is_ours=is_ours)
        is_whole = is_whole and record.bytes > 0 and (is_proven or not (child.said and is_marked))
        records[record.shard] = record
        if record.section not in DERIVED[:2]:
            database.expect(len(entries))
            _insert(database, record, entries, options, is_proven=is_proven)
    if records:
        _drop_repeated(database.connection)
    return Recovered(list(records.values()), is_whole)


def _children(store: Store, entry_point: bytes | None, base: str) -> Iterator[_Child]:
    """Yield the documents of the set that are in the store: those that its indexes name, or the only one."""
    if entry_point is None:
        return
    listed = _listed(entry_point)
    if listed is None:
        yield _Child(ENTRY_POINT, base + ENTRY_POINT, None, None)
        return
    for index in indexes_of(entry_point):
        listed += _listed(_read(store, index) or b"") or []
    seen = {ENTRY_POINT}
    for loc, lastmod in listed:
        name = unquote(loc.removeprefix(base))
        # A document that is served from elsewhere is not ours to change.
        if not loc.startswith(base) or name in seen or not _is_name(name):
            continue
        seen.add(name)
        yield _Child(name, loc, lastmod, names.parsed(name))


def stable_names(store: Store, entry_point: bytes | None, base: str) -> set[str]:
    """Return the stable names of documents that an entry point lists, if it says that they are those of a publish."""
    if not names.is_marked(entry_point):
        return set()
    return {child.name for child in _children(store, entry_point, base) if names.is_stable(child.name)}


def unnamed_others(entry_point: bytes | None, records: Sequence[ShardRecord]) -> list[ShardRecord]:
    """Return the documents of other programs that a manifest lists and the index does not.

    A manifest does not put any file of the folder into the set.
    """
    others = [record for record in records if not record.is_ours and record.name != ENTRY_POINT]
    if not others:
        return []
    named = {loc for loc, _ in _listed(entry_point or b"") or []}
    return [record for record in others if record.url not in named]


def other_site(entry_point: bytes | None, options: PublishOptions) -> str | None:
    """Return the site of the current set if nothing that its entry point lists is of the site of this publish."""
    first, origin = None, origin_of(options.prefix)
    try:
        reading = ScanOptions(follow=False, columns=["loc"], strict=True)
        for entry in Scan([Source(None, entry_point or b"")], reading):
            site = origin_of(_core.standard_url(entry.loc or "") or origin)
            if site == origin:
                return None
            first = first or site
    except DocumentError:  # what cannot be read is of no site
        return None
    return first


def _is_name(name: str) -> bool:
    try:
        return "/" not in check_name(name)
    except PublishError:
        return False


def _listed(index: bytes) -> list[tuple[str, datetime | None]] | None:
    """Return what an index lists, which is nothing if it cannot be read; None for a document that is not an index."""
    scan = Scan([Source(None, index)], ScanOptions(follow=False, columns=["loc", "lastmod"]))
    try:
        entries = list(scan)
    except DocumentError:
        return []
    if not any(isinstance(entry, SitemapEntry) for entry in entries):
        return None
    return [(entry.loc, entry.lastmod) for entry in entries if entry.loc]


def _read(store: Store, name: str) -> bytes | None:
    try:
        return store.read(name, _MAX_BYTES)
    except LimitError:
        return None


def _entries(data: bytes) -> Entries | None:
    try:
        return Scan([Source(None, data)], ScanOptions(follow=False, limits=None)).collect()
    except (DocumentError, FetchError):
        return None


def _is_ours(data: bytes, said: ShardName, name: str, document: Document, is_marked: bool) -> bool:
    """Return whether a document has the content that its name promises; a stable name promises nothing."""
    if said.content is None:
        return is_marked
    xml = data
    if name.endswith(".gz"):
        try:
            xml = zlib.decompressobj(wbits=31).decompress(data, document.bytes + 1)
        except zlib.error:
            return False
    return hashlib.sha256(xml).hexdigest().startswith(said.content)


def _is_mark_right(store: Store, entry_point: bytes | None, children: Sequence[_Child]) -> bool:
    """Return whether the documents that urlset has named are those over which the entry point has a hash."""
    if not names.is_marked(entry_point):
        return False
    hashes = [(child.name, store.sha256(child.name) or "") for child in children if child.said is not None]
    return names.hash_of(hashes) in (entry_point or b"")


def is_sound(data: bytes) -> bool:
    """Return whether a document that another program has made, or that may be damaged, is well-formed."""
    rules = Rules(select=["XML", "NS"])  # an invalid entry is not known anyway
    return not lint(data, follow=False, rules=rules).errors


def _record(
    child: _Child,
    said: ShardName,
    data: bytes,
    entries: Entries,
    document: Document | None,
    *,
    is_ours: bool,
) -> ShardRecord:
    series = said.series
    is_whole = document is not None and document.completeness == "complete" and is_sound(data)
    return ShardRecord(
        shard=said.shard,
        section=series if series in DERIVED else "",
        group="",
        part=said.part,
        name=child.name,
        url=child.url,
        entries=len(entries),
        bytes=document.bytes if document is not None and is_whole else 0,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        lastmod=child.lastmod.astimezone(UTC).isoformat(timespec="seconds") if child.lastmod else None,
        is_ours=is_ours,
    )


def _insert(
    database: PlanningDatabase, record: ShardRecord, entries: Entries, options: PublishOptions, *, is_proven: bool
) -> None:
    """Insert the entries of a document into `known`; those of the list of removed pages as gone.

    Unless it is proven that a publish has written them, lastmods have no source, so no row gets them: many generators
    write the time of their build.
    """
    rows = _core.RowStore([])
    seen = record.lastmod or options.now.isoformat(timespec="seconds")
    linked = entry_hash_sql("xml_after_lastmod", "NULL", "news")
    entry_hash = f"CASE WHEN (namespace_bits & 4) <> 0 THEN {linked} ELSE entry_hash END"
    source = "CASE WHEN lastmod IS NOT NULL THEN 'published' END" if is_proven else "NULL"
    said = f"$shard, {entry_hash}, lastmod, {source}, NULL, $seen, $seen, NULL"
    values = {"shard": record.shard, "seen": seen}
    if record.section in DERIVED:
        said = "NULL, entry_hash, NULL, NULL, NULL, $seen, $seen, coalesce(make_timestamptz(instant), $seen)"
        values = {"seen": seen}
    # Of a document that is cut off, what can be read is known all the same.
    whole = list(entries) if entries.failures else entries
    fill(options.renderer(), source_of(whole), rows, lambda refused: None, database)
    # DuckDB finds `rendered` among the local variables by its name.
    rendered = rows.rendered()  # noqa: F841
    database.connection.execute(f"INSERT INTO known SELECT loc, '', {said} FROM rendered", values)


def _drop_repeated(connection: DuckDBPyConnection) -> None:
    """Leave one row per loc in `known`: where it was listed first."""
    connection.execute("""
        DELETE FROM known WHERE rowid IN (
            SELECT rowid FROM known
            WHERE loc IN (SELECT loc FROM known GROUP BY loc HAVING count(*) > 1)
            QUALIFY row_number() OVER (PARTITION BY loc ORDER BY gone IS NOT NULL, rowid) > 1
        )
    """)
