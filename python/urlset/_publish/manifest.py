"""The manifest: what the last publish knew of each loc and of each shard.

    .urlset/manifest.parquet   of the set in force; docs/manifest.md describes its contents
    .urlset/previous.parquet   of the set before it
    .urlset/next.parquet       of a set that is about to be committed, or was just committed

It is a Parquet file with one row per loc; its metadata describes the set. A lost manifest can be recovered from the set
itself, except for when a loc was first seen and what its lastmod rests on.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from urlset._model.errors import PublishError
from urlset._publish.header import Header, header_from
from urlset._util.duckdb import first_line, literal, parsed, path_pattern, scalar

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
#: A lastmod as it is published. What the manifest says of a lastmod can go into a document as it is.
_LASTMOD = r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?)?)?"
#: The columns of the file for `known`. A row that no publish has written stops the reading.
_CHECKED = _IN_FILE.replace(
    "loc,",
    "CASE WHEN loc IS NULL OR section IS NULL OR key IS NULL OR NOT (loc LIKE 'http://%' OR loc LIKE 'https://%')"
    f" OR NOT coalesce(regexp_full_match(lastmod, {literal(_LASTMOD)}), true)"
    " THEN error('this is not a row of a manifest') ELSE loc END,",
    1,
)


def header_of(connection: DuckDBPyConnection, path: Path) -> Header | None:
    """Return the metadata of a manifest; None if the file is not one, is of another version, or was tampered with."""
    import duckdb  # noqa: PLC0415

    try:
        rows = connection.execute(
            "SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [path_pattern(path)]
        ).fetchall()
        said = dict(rows)
        return header_from(said) if said.get("urlset.manifest") == VERSION else None
    except (duckdb.OutOfMemoryException, duckdb.InterruptException):
        raise
    except (duckdb.Error, KeyError, TypeError, ValueError, RecursionError):
        return None


def count_rows(connection: DuckDBPyConnection, path: Path) -> int:
    """Return the number of rows of a manifest."""
    return int(scalar(connection, "SELECT num_rows FROM parquet_file_metadata(?)", [path_pattern(path)]))


def load(connection: DuckDBPyConnection, path: Path) -> bool:
    """Insert the rows of a manifest into `known`; return False, and insert nothing, if no publish wrote them."""
    import duckdb  # noqa: PLC0415

    try:
        connection.execute(parsed(f"INSERT INTO known SELECT {_CHECKED} FROM read_parquet(?)"), [path_pattern(path)])
    except (duckdb.OutOfMemoryException, duckdb.InterruptException):
        raise
    except duckdb.Error:
        return False
    return True


def write(connection: DuckDBPyConnection, rows: str, header: Header, path: Path) -> None:
    """Write a manifest with the rows of a query that has the columns of `known`.

    Raises:
        PublishError: The disk is full, or fails.
    """
    import duckdb  # noqa: PLC0415

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
    statement = (
        f"COPY (SELECT {columns} FROM ({rows}) ORDER BY section, shard, loc)"
        f" TO {literal(str(path))} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{metadata}}})"
    )
    try:
        connection.execute(statement)
    except duckdb.IOException as error:
        if str(path) not in str(error):
            raise
        raise PublishError(f"{path}: {_write_problem(error)}") from error


def _write_problem(error: Exception) -> str:
    """Return what kept DuckDB from writing a file."""
    found = re.search(r"No space left on device|File too large|Disk quota exceeded|Input/output error", str(error))
    reason = found[0] if found else first_line(error)
    return f"{reason}; free some space and publish again" if found else reason
