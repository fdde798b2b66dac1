"""The manifest: what the last publish knew of each loc and of each shard.

    .urlset/manifest.parquet   of the current set; docs/manifest.md describes its contents
    .urlset/previous.parquet   of the set before it
    .urlset/next.parquet       of a set that is about to be committed, or was just committed
    .urlset/parts/             the rows of manifests that were written by the tasks of a job

It is a Parquet file with one row per loc; its metadata describes the set. Of a set that a job has written, the rows are
in the parts that the metadata names, so that no process ever has to hold all of them. Each file contains its own
checksum (seal), so whatever can be read is what was written. A lost manifest can be recovered from the set itself,
except for when a loc was first seen and where its lastmod comes from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from urlset._model.errors import PublishError
from urlset._publish.rows.schema import columns_of
from urlset._publish.values.header import Header, header_from
from urlset._stores.seal import BLANK, KEY, seal, sealed_metadata
from urlset._util.duckdb import first_line, literal, parsed, path_pattern, scalar
from urlset._util.manifest_parts import parts_as_metadata, parts_in

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

    from urlset import _core

MANIFEST = ".urlset/manifest.parquet"
PREVIOUS = ".urlset/previous.parquet"
NEXT = ".urlset/next.parquet"

#: How long the manifest remembers a loc that is gone.
REMEMBERED = timedelta(days=90)
#: The columns of the table `known`, of what is written and of the file.
_COLUMNS = "loc, section, shard, entry_hash, lastmod, lastmod_source, content, first_seen, last_seen, gone"
#: How the file is written. With zstd's usual level and DuckDB's usual groups of rows, it would be 1 % smaller, and take
#: more time and twice the memory.
_FORM = "COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 40960"
#: A lastmod as it is published. What the manifest says of a lastmod can go into a document as it is.
_LASTMOD = r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?)?)?"
#: The columns of the file for `known`. A row that no publish has written stops the reading.
_CHECKED = _COLUMNS.replace(
    "loc,",
    "CASE WHEN loc IS NULL OR section IS NULL OR entry_hash IS NULL OR NOT (loc LIKE 'http://%' OR loc LIKE 'https://%')"
    f" OR NOT coalesce(regexp_full_match(lastmod, {literal(_LASTMOD)}), true)"
    " THEN error('this is not a row of a manifest') ELSE loc END,",
    1,
)
#: What the next manifest says of locs that are gone: the locs in `lost`, of which `$files` say the rest.
GONE_SQL = """
    SELECT loc, section, NULL AS shard, entry_hash, lastmod, lastmod_source, content, first_seen, last_seen,
        coalesce(gone, $now::TIMESTAMPTZ) AS gone
    FROM read_parquet($files) SEMI JOIN lost USING (loc)
    WHERE coalesce(gone, $now::TIMESTAMPTZ) > $since::TIMESTAMPTZ AND starts_with(loc, $prefix)
    ORDER BY loc
"""


def header_of(path: Path) -> Header | None:
    """Return the metadata of a manifest; None if the file is not one, is of another version, or is damaged.

    Raises:
        PublishError: The file cannot be read.
    """
    said = sealed_metadata(path)
    try:
        return header_from(said) if said is not None and parts_in(said) is not None else None
    except (KeyError, TypeError, ValueError, RecursionError):
        return None


def count_rows(connection: DuckDBPyConnection, paths: Sequence[Path]) -> int:
    """Return the number of rows of a manifest; 0 if it cannot be read, which `load` finds out.

    Args:
        connection: The planning database.
        paths: The files with its rows: its own, or those of its parts.
    """
    import duckdb  # noqa: PLC0415

    try:
        return int(scalar(connection, "SELECT sum(num_rows) FROM parquet_file_metadata(?)", [_patterns(paths)]) or 0)
    except (duckdb.OutOfMemoryException, duckdb.InterruptException):
        raise
    except duckdb.Error:
        return 0


def load(connection: DuckDBPyConnection, paths: Sequence[Path]) -> bool:
    """Insert the rows of a manifest into `known`; return False, and insert nothing, if no publish wrote them."""
    import duckdb  # noqa: PLC0415

    try:
        connection.execute(parsed(f"INSERT INTO known SELECT {_CHECKED} FROM read_parquet(?)"), [_patterns(paths)])
    except (duckdb.OutOfMemoryException, duckdb.InterruptException):
        raise
    except duckdb.Error:
        return False
    return True


def known_rows(connection: DuckDBPyConnection, paths: Sequence[Path], section: str) -> DuckDBPyRelation:
    """Return what a manifest says of each loc, in any order.

    Reading it fails at a row that is not of this section, not of a shard in `old_shards`, or such as no publish writes.

    Raises:
        duckdb.Error: The files are not those of a manifest.
    """
    files = ", ".join(literal(pattern) for pattern in _patterns(paths))
    query = f"""
        SELECT
            CASE WHEN loc IS NULL OR section IS DISTINCT FROM {literal(section)} OR entry_hash IS NULL
                OR NOT (loc LIKE 'http://%' OR loc LIKE 'https://%') OR (gone IS NULL AND number IS NULL)
                OR first_seen NOT BETWEEN TIMESTAMPTZ '1971-01-01' AND TIMESTAMPTZ '9999-01-01'
                THEN error('this is not a row of a manifest') ELSE loc END AS loc,
            CASE WHEN gone IS NULL THEN number END AS number,
            entry_hash::UBIGINT AS entry_hash,
            lastmod::VARCHAR AS lastmod,
            CASE WHEN content IS NOT NULL THEN 2 WHEN lastmod_source IS NULL THEN 0
                WHEN lastmod_source = 'column' THEN 1 ELSE 2 END::UTINYINT AS lastmod_source,
            coalesce(epoch_us(first_seen), 0)::UBIGINT AS first_seen
        FROM read_parquet([{files}]) LEFT JOIN old_shards USING (shard)
    """
    return connection.sql(query)


def write(
    connection: DuckDBPyConnection,
    rows: str,
    header: Header,
    path: Path,
    values: Mapping[str, object] = MappingProxyType({}),
    stored: _core.StoredRows | None = None,
    lost: _core.StoredRows | None = None,
    *,
    is_sorted: bool = False,
) -> None:
    """Write a manifest.

    Args:
        connection: The planning database.
        rows: A query with the columns of `known`.
        header: What it says of its set.
        path: Where it is written.
        values: The parameters of the query, by their names.
        stored: Rows outside the planning database, which the query reads by the name `stored`.
        lost: Locs outside of it that are gone, which the query reads by the name `lost`.
        is_sorted: The rows come in the order of a manifest.

    Raises:
        PublishError: The disk is full, or fails.
    """
    said = {
        **parts_as_metadata(header.parts),
        "base_url": header.base_url,
        "published": header.published,
        "entry_point": header.entry_point,
        "layout": header.layout,
        "shards": json.dumps([asdict(record) for record in header.shards], ensure_ascii=False),
        "indexes": json.dumps(list(header.indexes)),
        "rows": header.rows,
        "lastmod_sources": json.dumps(dict(header.lastmod_sources), sort_keys=True),
    }
    metadata = "".join(f"'urlset.{name}': $said_{name}, " for name in said)
    texts = {f"said_{name}": text for name, text in said.items()}
    statement = _copy_statement(rows, metadata, is_sorted=is_sorted)
    _copy(connection, statement, path, {**values, **texts}, stored, lost)


def write_header(connection: DuckDBPyConnection, header: Header, path: Path) -> None:
    """Write a manifest whose rows are in the parts that the header names.

    Raises:
        PublishError: The disk is full, or fails.
    """
    types = columns_of("known")
    nothing = ", ".join(f"NULL::{types[name]} AS {name}" for name in _COLUMNS.split(", "))
    write(connection, f"SELECT {nothing} WHERE false", header, path)


def write_part(
    connection: DuckDBPyConnection, rows: str, path: Path, values: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Write a part of a manifest, as `write` does; it says nothing of its set.

    Raises:
        PublishError: The disk is full, or fails.
    """
    _copy(connection, _copy_statement(rows), path, values)


def _copy_statement(rows: str, metadata: str = "", *, is_sorted: bool = False) -> str:
    order = "" if is_sorted else " ORDER BY section, shard, loc"
    metadata += f"'{KEY}': '{BLANK}'"  # the last one, where `seal` looks for it
    query = f"SELECT {_COLUMNS} FROM ({rows}){order}"
    return f"COPY ({query}) TO $path (FORMAT parquet, {_FORM}, KV_METADATA {{{metadata}}})"


def _copy(
    connection: DuckDBPyConnection,
    statement: str,
    path: Path,
    values: Mapping[str, object],
    stored: _core.StoredRows | None = None,  # DuckDB finds them among the local variables by their names
    lost: _core.StoredRows | None = None,
) -> None:
    import duckdb  # noqa: PLC0415

    try:
        # What differs from one publish to the next is a parameter, so that the statement is parsed once.
        connection.execute(parsed(statement), {**values, "path": str(path)})
    except duckdb.IOException as error:
        if str(path) not in str(error):
            raise
        raise PublishError(f"{path}: {_write_problem(error)}") from error
    seal(path)


def _patterns(paths: Sequence[Path]) -> list[str]:
    return [path_pattern(path) for path in paths]


def _write_problem(error: Exception) -> str:
    """Return what kept DuckDB from writing a file."""
    found = re.search(r"No space left on device|File too large|Disk quota exceeded|Input/output error", str(error))
    reason = found[0] if found else first_line(error)
    return f"{reason}; free some space and publish again" if found else reason
