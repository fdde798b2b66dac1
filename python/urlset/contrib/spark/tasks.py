"""What the driver plans and what a task reads, for every way in which Spark can run them."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]

from urlset._model.errors import InputError
from urlset._options.filters import Filter
from urlset._read.entry_points import SUFFIXES
from urlset._stores.store import is_object_url
from urlset.contrib.spark.options import ReadOptions
from urlset.contrib.spark.tables import table_batches
from urlset.jobs import ReadPart, plan_partitions, scan_partition
from urlset.jobs.listing import list_versions
from urlset.jobs.located import documents_of, is_table
from urlset.jobs.planning import group


def plan(options: ReadOptions) -> list[ReadPart]:
    """Return the parts of a read: of tables of documents, or of what the paths lead to.

    Raises:
        InputError: A path is invalid, or some are tables and others are not.
    """
    tables = [is_table(path) for path in options.paths]
    if any(tables):
        if not all(tables):
            raise InputError("the paths must be Parquet tables of documents, or documents: read the two one by one")
        found = (
            document
            for path in options.paths
            for document in documents_of(path, options.location_column, options.store)
        )
        return group(found, options.target_bytes, options.min_partitions, follow=False)
    return plan_partitions(
        [each for path in options.paths for each in _named(path, options)],
        target_bytes=options.target_bytes,
        min_partitions=options.min_partitions,
        follow=options.follow,
        location=options.location,
        store=options.store,
        filter=options.filter,
    )


def _named(path: str, options: ReadOptions) -> list[str]:
    """Return what a path names. Spark's own options for files ask for the files of a folder, whatever its index names.

    Raises:
        InputError: There is no document below the folder.
    """
    if options.name_glob is None and not options.is_recursive:
        return [path]
    is_prefix = is_object_url(path)
    if not (path.endswith("/") if is_prefix else Path(path).is_dir()):
        return [path]
    if options.name_glob is None:
        found = sorted(list_versions(path, options.store))
        if not found:
            raise InputError(f"{path}: no document below it: documents end with {', '.join(SUFFIXES)}")
        return found
    below = "**/" if options.is_recursive else ""
    return [f"{glob.escape(path).rstrip('/')}/{below}{options.name_glob}"]


def read_part(
    options: ReadOptions, part: ReadPart, schema: pa.Schema, wanted: Filter | None
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of one part in the columns of a schema."""
    scan = scan_partition(
        part,
        columns=schema.names if options.table == "entries" else [],
        strict=options.strict,
        store=options.store,
        filter=wanted,
    )
    yield from table_batches(scan, options.table, schema)
