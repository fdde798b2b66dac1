"""The batch reader of `format("sitemap")`: planned on the driver, read by tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from urlset._model.errors import InputError
from urlset.contrib.spark.options import ReadOptions
from urlset.contrib.spark.tables import table_batches, table_schema
from urlset.jobs import ReadPart, plan_partitions, scan_partition


@dataclass
class SitemapPartition(InputPartition):
    """The documents that one task reads."""

    part: ReadPart


class SitemapReader(DataSourceReader):
    """Reads the documents of a job, one part in each task.

    Args:
        options: What is read.
        schema: The columns that Spark wants.

    Raises:
        InputError: There is no such column, or it has another type.
    """

    def __init__(self, options: ReadOptions, schema: StructType) -> None:
        self._options = options
        self._schema = wanted_schema(options, schema)

    def partitions(self) -> list[InputPartition]:
        """Find the documents and group them, on the driver."""
        options = self._options
        parts = plan_partitions(
            options.paths,
            target_bytes=options.target_bytes,
            min_partitions=options.min_partitions,
            follow=options.follow,
            location=options.location,
            store=options.store,
            filter=options.filter,
        )
        return [SitemapPartition(part) for part in parts]

    def read(self, partition: InputPartition | None) -> Iterator[pa.RecordBatch]:
        """Read the documents of one part, in a task."""
        assert isinstance(partition, SitemapPartition)
        return read_part(self._options, partition.part, self._schema)


def read_part(options: ReadOptions, part: ReadPart, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the rows of one part in the columns of a schema."""
    scan = scan_partition(
        part,
        columns=schema.names if options.table == "entries" else [],
        on_error=options.on_error,
        store=options.store,
        filter=options.filter,
    )
    yield from table_batches(scan, options.table, schema)


def wanted_schema(options: ReadOptions, schema: StructType) -> pa.Schema:
    """Return the Arrow schema of the columns that Spark wants.

    Raises:
        InputError: There is no such column, or it has another type.
    """
    found = table_schema(options.table, schema.names)
    for mine, field, theirs in zip(found, schema.fields, to_arrow_schema(schema, timezone="UTC"), strict=True):
        if not mine.type.equals(theirs.type):
            raise InputError(
                f"the column {mine.name} has the type {mine.type} in Arrow, got {field.dataType.simpleString()}"
            )
        if not field.nullable:
            raise InputError(f"the column {mine.name} can be null, so it cannot be declared NOT NULL")
    return found
