"""The batch reader of `format("sitemap")`: planned on the driver, read by tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql.datasource import DataSourceReader, Filter, InputPartition
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from urlset._model.errors import InputError
from urlset.contrib.spark.options import ReadOptions
from urlset.contrib.spark.pushdown import with_filters
from urlset.contrib.spark.tables import table_schema
from urlset.contrib.spark.tasks import plan, read_part
from urlset.jobs import ReadPart


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
        self._wanted = options.filter
        if options.pushdown and options.table == "entries":
            self.pushFilters = _PushedFilters(self)

    def narrow(self, filters: list[Filter]) -> None:
        """Have tasks leave out what the filters of the query would."""
        self._wanted = with_filters(self._wanted, filters)

    def partitions(self) -> list[InputPartition]:
        """Find the documents and group them, on the driver."""
        return [SitemapPartition(part) for part in plan(self._options)]

    def read(self, partition: InputPartition | None) -> Iterator[pa.RecordBatch]:
        """Read the documents of one part, in a task."""
        assert isinstance(partition, SitemapPartition)
        return read_part(self._options, partition.part, self._schema, self._wanted)


class _PushedFilters:
    """`pushFilters` as Spark calls it where the session allows that.

    Where `spark.sql.python.filterPushdown.enabled` is off, Spark refuses every reader whose `pushFilters` is not the
    inherited one, by its `__func__`. This one has that of the inherited one, so that it is not called there, and
    nothing fails.
    """

    __func__ = staticmethod(DataSourceReader.pushFilters)

    def __init__(self, reader: SitemapReader) -> None:
        self._reader = reader

    def __call__(self, filters: list[Filter]) -> Iterable[Filter]:
        """Take the filters, and return all of them: Spark checks the rows again."""
        self._reader.narrow(filters)
        return filters


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
