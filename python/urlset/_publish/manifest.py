"""The manifest: what the last publish knew of each loc and of each shard.

    .urlset/manifest.parquet   of the set in force; docs/manifest.md describes its contents
    .urlset/previous.parquet   of the set before it
    .urlset/next.parquet       of a set that is about to be committed, or was just committed

It is a Parquet file with one row per loc; its metadata describes the set. A lost manifest can be recovered from the set
itself, except for when a loc was first seen and what its lastmod rests on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from urlset._util.duckdb import literal, path_pattern, scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MANIFEST = ".urlset/manifest.parquet"
PREVIOUS = ".urlset/previous.parquet"
NEXT = ".urlset/next.parquet"

#: Version of the file's form. A manifest of another version counts as lost.
VERSION = "1"

#: The columns of the table `known` and of what is written, and those of the file.
_COLUMNS = "loc, section, shard, content_hash, lastmod, evidence, content, first_seen, last_seen, gone"
_IN_FILE = _COLUMNS.replace("content_hash", "key")


@dataclass(frozen=True, slots=True)
class ShardRecord:
    """A document as it was published.

    Attributes:
        shard: Its name without the hash of its content, such as `products_2026-11-0001`.
        section: The name of its section.
        group: The value that its series is sharded by.
        part: Its number in its series.
        name: The name of its file.
        url: Its URL.
        entries: How many entries it has.
        bytes: The bytes of its XML; 0 if another program has made it and it cannot stay as it is.
        size: The bytes that are stored.
        sha256: The hash of the bytes that are stored.
        lastmod: When these bytes were made, if that is known.
        fingerprint: A hash of its rows, where their order counts or they are made anew each time.
        is_ours: Whether `publish` has made it. A document of another program is never removed.
    """

    shard: str
    section: str
    group: str
    part: int
    name: str
    url: str
    entries: int
    bytes: int
    size: int
    sha256: str
    lastmod: str | None
    fingerprint: str | None = None
    is_ours: bool = True

    @property
    def series(self) -> str:
        """The name of its series: the shard's name without its part."""
        return self.shard.rpartition("-")[0]


@dataclass(frozen=True, slots=True)
class Header:
    """The metadata of a manifest, which describes its set.

    Attributes:
        base_url: Where the set is served.
        published: When it was published.
        entry_point: The SHA-256 of `sitemap.xml`.
        layout: How all documents are laid out; empty in a manifest that was recovered from the set.
        shards: The documents.
        indexes: The names of the indexes after the first.
        rows: The fingerprint of options and rows, by which a rerun is recognised; empty if more than these decided.
        evidence: How many lastmods rest on what.
    """

    base_url: str
    published: str
    entry_point: str
    layout: str
    shards: tuple[ShardRecord, ...]
    indexes: tuple[str, ...] = ()
    rows: str = ""
    evidence: Mapping[str, int] = field(default_factory=dict)

    def is_same_set(self, other: Header) -> bool:
        """Whether both describe the same documents."""
        return (self.entry_point, self.shards, self.indexes) == (other.entry_point, other.shards, other.indexes)


def header_of(connection: DuckDBPyConnection, path: Path) -> Header | None:
    """Return the metadata of a manifest, or None if the file is not a manifest or is of another version."""
    import duckdb  # noqa: PLC0415

    try:
        rows = connection.execute(
            "SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [path_pattern(path)]
        ).fetchall()
        said = dict(rows)
        if said.get("urlset.manifest") != VERSION:
            return None
        shards = tuple(ShardRecord(**record) for record in json.loads(said["urlset.shards"]))
        texts = {name: said[f"urlset.{name}"] for name in ("base_url", "published", "entry_point", "layout", "rows")}
        indexes, evidence = (json.loads(said[f"urlset.{name}"]) for name in ("indexes", "evidence"))
        return Header(**texts, shards=shards, indexes=tuple(indexes), evidence=evidence)
    except (duckdb.Error, KeyError, TypeError, ValueError):
        return None


def count_rows(connection: DuckDBPyConnection, path: Path) -> int:
    """Return the number of rows of a manifest."""
    return int(scalar(connection, "SELECT num_rows FROM parquet_file_metadata(?)", [path_pattern(path)]))


def load(connection: DuckDBPyConnection, path: Path) -> bool:
    """Insert the rows of a manifest into `known`; return False, and insert nothing, if the file is damaged."""
    import duckdb  # noqa: PLC0415

    try:
        connection.execute(f"INSERT INTO known SELECT {_IN_FILE} FROM read_parquet(?)", [path_pattern(path)])
    except (duckdb.OutOfMemoryException, duckdb.InterruptException):
        raise
    except duckdb.Error:
        return False
    return True


def write(connection: DuckDBPyConnection, rows: str, header: Header, path: Path) -> None:
    """Write a manifest with the rows of a query that has the columns of `known`."""
    said = {
        "manifest": VERSION,
        "base_url": header.base_url,
        "published": header.published,
        "entry_point": header.entry_point,
        "layout": header.layout,
        "shards": json.dumps([asdict(record) for record in header.shards], ensure_ascii=False),
        "indexes": json.dumps(list(header.indexes)),
        "rows": header.rows,
        "evidence": json.dumps(dict(header.evidence)),
    }
    metadata = ", ".join(f"'urlset.{name}': {literal(text)}" for name, text in said.items())
    columns = _COLUMNS.replace("content_hash", "content_hash AS key")
    connection.execute(
        f"COPY (SELECT {columns} FROM ({rows}) ORDER BY section, shard, loc)"
        f" TO {literal(str(path))} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{metadata}}})"
    )


def moment(text: str | None) -> datetime | None:
    """Return the lastmod of a shard record as a datetime."""
    return None if text is None else datetime.fromisoformat(text)
