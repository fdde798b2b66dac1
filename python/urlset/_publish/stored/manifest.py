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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from urlset import _core
from urlset._model.errors import PublishError
from urlset._publish.values.header import Header, header_from
from urlset._stores.errors import os_errors_as_publish_errors
from urlset._stores.seal import BLANK, KEY, seal, sealed_metadata
from urlset._util.duckdb import first_line, literal, parsed, path_pattern, scalar
from urlset._util.manifest_parts import parts_as_metadata, parts_in

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

MANIFEST = ".urlset/manifest.parquet"
PREVIOUS = ".urlset/previous.parquet"
NEXT = ".urlset/next.parquet"

#: How long the manifest remembers a loc that is gone.
REMEMBERED = timedelta(days=90)
#: The columns of the table `known`, of what is written and of the file.
_COLUMNS = "loc, section, shard, entry_hash, lastmod, lastmod_source, content, first_seen, last_seen, gone"
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
    SELECT loc, section, NULL::VARCHAR AS shard, entry_hash, lastmod, lastmod_source, content, first_seen, last_seen,
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


def sorted_rows(
    connection: DuckDBPyConnection, rows: str, values: Mapping[str, object] = MappingProxyType({})
) -> DuckDBPyRelation:
    """Return the rows of a query with the columns of `known`, in the order of a manifest.

    Args:
        connection: The planning database.
        rows: The query.
        values: Its parameters by their names.
    """
    query = f"SELECT {_COLUMNS} FROM ({rows}) ORDER BY section, shard, loc"
    return connection.sql(parsed(query), params=dict(values))


class ManifestWriter:
    """A manifest that is being written: first its rows, then what it says of its set.

    Each method raises PublishError if the disk is full, or fails.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._errors():
            self._file = _core.ManifestWriter(path)

    def write(self, *tables: object) -> None:
        """Write rows, one table after the other: relations, or rows that the core holds."""
        with self._errors():
            self._file.write(tables)

    def cancel(self) -> None:
        """Have another thread that is writing rows stop soon, with an error."""
        self._file.cancel()

    def finish(self, header: Header | None) -> None:
        """End the file.

        Args:
            header: What it says of its set; None for a part, which says nothing of it.
        """
        said = [] if header is None else _said(header)
        with self._errors():
            self._file.finish([*said, (KEY, BLANK)])  # the last one, where `seal` looks for it
        seal(self._path)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with os_errors_as_publish_errors(self._path):
            try:
                yield
            except ValueError as error:  # a query fails while its rows are read
                raise PublishError(f"{self._path}: {first_line(error)}") from error


def write(path: Path, header: Header | None, *tables: object) -> None:
    """Write a whole manifest.

    Args:
        path: Where it is written.
        header: What it says of its set; None for a part, which says nothing of it.
        *tables: Its rows, one table after the other: relations, or rows that the core holds.

    Raises:
        PublishError: The disk is full, or fails.
    """
    writer = ManifestWriter(path)
    writer.write(*tables)
    writer.finish(header)


def _said(header: Header) -> list[tuple[str, str]]:
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
    return [(f"urlset.{name}", text) for name, text in said.items()]


def _patterns(paths: Sequence[Path]) -> list[str]:
    return [path_pattern(path) for path in paths]
