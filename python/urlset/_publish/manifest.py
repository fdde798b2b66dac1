"""The manifest: what the last publish knew of each loc and of each shard.

    .urlset/manifest.parquet   of the set in force; docs/manifest.md says what is in it
    .urlset/previous.parquet   of the set before it
    .urlset/next.parquet       of a set that is about to be switched to, or just was

It is a Parquet file with a row for each loc and what there is to say of the set itself in its metadata. It can be lost:
the set says most of it, and what it does not say is when a loc was first seen and what its lastmod rests on.
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

#: Of the file's form; another one is read as if there were none, and the set is asked instead.
VERSION = "1"

_COLUMNS = "loc, section, shard, key, lastmod, evidence, content, first_seen, last_seen, gone"
_KNOWN = """
    CREATE TABLE known (
        loc VARCHAR, section VARCHAR, shard VARCHAR, key UBIGINT, lastmod VARCHAR, evidence VARCHAR, content VARCHAR,
        first_seen TIMESTAMPTZ, last_seen TIMESTAMPTZ, gone TIMESTAMPTZ
    )
"""


@dataclass(frozen=True, slots=True)
class ShardRecord:
    """A document as it was published: which series it is of, and exactly which bytes it had.

    `bytes` are those of its XML, `size` those that are stored, and `sha256` is of these. `lastmod` is when they came to
    be, if that is known. `fingerprint` is of its rows, where their order counts or they are made anew each time. One
    that another program has made is not `is_ours`, and never removed; its `bytes` are 0 where it cannot stay as it is.
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
        """What the shards of its series are called, but for their number."""
        return self.shard.rpartition("-")[0]


@dataclass(frozen=True, slots=True)
class Header:
    """What a manifest says of its set: `entry_point` is the SHA-256 of that document, `layout` how all of them look.

    `rows` says what was asked and what the rows were, so that the same again need not be looked at: empty where more
    than that decided. `evidence` counts what the lastmods rest on.
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
        """Whether both are of the same documents."""
        return (self.entry_point, self.shards, self.indexes) == (other.entry_point, other.shards, other.indexes)


def create_known(connection: DuckDBPyConnection) -> None:
    """The table of what is known, without a row."""
    connection.execute(_KNOWN)


def header_of(connection: DuckDBPyConnection, path: Path) -> Header | None:
    """What a manifest says of its set; None where it is of no form that we know, or no manifest at all."""
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


def rows(connection: DuckDBPyConnection, path: Path) -> int:
    """Return the number of rows of a manifest."""
    return int(scalar(connection, "SELECT num_rows FROM parquet_file_metadata(?)", [path_pattern(path)]))


def load(connection: DuckDBPyConnection, path: Path) -> bool:
    """Puts the rows of a manifest into `known`, all of them or, where it is broken, none."""
    import duckdb  # noqa: PLC0415

    try:
        connection.execute(f"INSERT INTO known SELECT {_COLUMNS} FROM read_parquet(?)", [path_pattern(path)])
    except (duckdb.OutOfMemoryException, duckdb.InterruptException):
        raise
    except duckdb.Error:
        return False
    return True


def write(connection: DuckDBPyConnection, rows: str, header: Header, path: Path) -> None:
    """Writes a manifest of the rows of a query, which has its columns."""
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
    connection.execute(
        f"COPY (SELECT {_COLUMNS} FROM ({rows}) ORDER BY section, shard, loc)"
        f" TO {literal(str(path))} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{metadata}}})"
    )


def moment(text: str | None) -> datetime | None:
    """A lastmod of a shard."""
    return None if text is None else datetime.fromisoformat(text)
