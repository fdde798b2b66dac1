"""What the driver plans and what a task reads, for every way in which Spark can run them."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa  # type: ignore[import-untyped]

from urlset._model.errors import InputError
from urlset._options.filters import Filter
from urlset.contrib.spark.options import ReadOptions
from urlset.contrib.spark.tables import table_batches
from urlset.jobs import ReadPart, plan_partitions, scan_partition
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
        options.paths,
        target_bytes=options.target_bytes,
        min_partitions=options.min_partitions,
        follow=options.follow,
        location=options.location,
        store=options.store,
        filter=options.filter,
    )


def read_part(
    options: ReadOptions, part: ReadPart, schema: pa.Schema, wanted: Filter | None
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of one part in the columns of a schema."""
    scan = scan_partition(
        part,
        columns=schema.names if options.table == "entries" else [],
        on_error=options.on_error,
        store=options.store,
        filter=wanted,
    )
    yield from table_batches(scan, options.table, schema)
