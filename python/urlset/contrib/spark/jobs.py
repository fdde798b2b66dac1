"""Jobs whose tasks do all of the work: they plan on the driver and run through `mapInArrow`, as of Spark 3.5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql.pandas.types import from_arrow_schema

from urlset._lint.options import FOLD, LintOptions, resolve_options
from urlset._options.filters import Filter
from urlset._options.rules import Rules
from urlset._util.arguments import check_choice
from urlset.contrib.spark.options import ReadOptions, absolute
from urlset.contrib.spark.parquet import FACTS, ParquetJob, write_parts
from urlset.contrib.spark.tables import DIAGNOSTICS, TABLES, Table, findings_batch, table_schema
from urlset.contrib.spark.tasks import plan, read_part
from urlset.jobs import ReadPart
from urlset.jobs.linting import lint_partition
from urlset.jobs.parts import listed
from urlset.jobs.planning import TARGET_BYTES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Paths = str | Sequence[str]


@dataclass(frozen=True, slots=True)
class ParquetFiles:
    """What `scan_to_parquet` wrote.

    Attributes:
        dest: The folder or prefix.
        files: The names of the files, in the order of the documents.
        rows: How many entries they have.
        bytes: How many bytes they have.
        documents: How many documents were read.
        broken: How many of them could not be opened, or not be read to their end.
        errors: Why, the first 20 of each task.
    """

    dest: str
    files: tuple[str, ...]
    rows: int
    bytes: int
    documents: int
    broken: int
    errors: tuple[str, ...]


def read(
    spark: SparkSession,
    paths: Paths,
    *,
    table: Table = "entries",
    columns: Sequence[str] | None = None,
    strict: bool = False,
    follow: bool = True,
    location: str | None = None,
    filter: Filter | None = None,  # noqa: A002  (the usual word)
    target_bytes: int = TARGET_BYTES,
    min_partitions: int = 1,
    location_column: str = "location",
    store: Mapping[str, str] | None = None,
) -> DataFrame:
    """Read sitemaps as a frame, also on Spark 3.5, which has no data sources in Python.

    The documents are found and grouped when this is called, and read when the frame is used.

    Args:
        spark: The session.
        paths: Files, folders, globs, objects or prefixes of object stores, or Parquet tables of documents.
        table: `"entries"`, `"documents"` or `"diagnostics"`.
        columns: Columns to read, for less work; all if None.
        strict: Whether a broken document fails the job.
        follow: Whether to read the sitemaps that an index or a robots.txt names.
        location: Public URL of the document, or of the folder of several.
        filter: Which sitemaps are read, and which entries are rows.
        target_bytes: How many bytes of text one task reads at most.
        min_partitions: About how many tasks to make, however small the documents are.
        location_column: The column of a table of documents with their paths.
        store: Options of object stores.

    Returns:
        The frame: the same rows as `spark.read.format("sitemap")`.

    Raises:
        InputError: An argument is invalid, or nothing is found.

    Example:
        >>> from urlset.contrib.spark import read
        >>> read(spark, "s3://bucket/sitemaps/", columns=["loc"]).count()  # doctest: +SKIP
    """
    check_choice("table", table, TABLES)
    schema = table_schema(table, columns)
    options = ReadOptions(
        paths=_whole(paths),
        table=table,
        strict=strict,
        follow=follow,
        location=location,
        filter=filter,
        target_bytes=target_bytes,
        min_partitions=min_partitions,
        location_column=location_column,
        store=store or {},
    )
    parts = plan(options)
    return _numbers(spark, parts).mapInArrow(
        partial(_read_parts, parts=parts, options=options, schema=schema), from_arrow_schema(schema)
    )


def read_locations(
    frame: DataFrame,
    column: str = "location",
    *,
    table: Table = "entries",
    columns: Sequence[str] | None = None,
    strict: bool = False,
    filter: Filter | None = None,  # noqa: A002  (the usual word)
    store: Mapping[str, str] | None = None,
) -> DataFrame:
    """Read the documents that a frame lists, however many there are. Each is read in the task that has its row.

    Nothing is planned on the driver: `repartition` the frame so that a partition has as many documents as a task should
    read. Indexes are not followed: their entries are rows.

    Args:
        frame: The frame.
        column: Its column with the paths of documents.
        table: As for `read`.
        columns: As for `read`.
        strict: As for `read`.
        filter: Which entries are rows.
        store: As for `read`.

    Returns:
        The frame.

    Raises:
        InputError: An argument is invalid.

    Example:
        >>> from urlset.contrib.spark import read_locations
        >>> listed = spark.read.parquet("s3://bucket/crawl.parquet").repartition(1000)  # doctest: +SKIP
        >>> read_locations(listed, "path", table="documents").show()  # doctest: +SKIP
    """
    check_choice("table", table, TABLES)
    schema = table_schema(table, columns)
    options = ReadOptions((), table, strict, follow=False, filter=filter, store=store or {})
    return frame.select(column).mapInArrow(
        partial(_read_listed, options=options, schema=schema), from_arrow_schema(schema)
    )


def scan_to_parquet(
    spark: SparkSession,
    paths: Paths,
    dest: str,
    *,
    columns: Sequence[str] | None = None,
    strict: bool = False,
    follow: bool = True,
    location: str | None = None,
    filter: Filter | None = None,  # noqa: A002  (the usual word)
    target_bytes: int = TARGET_BYTES,
    min_partitions: int = 1,
    location_column: str = "location",
    compression: str = "zstd",
    store: Mapping[str, str] | None = None,
) -> ParquetFiles:
    """Write the entries of sitemaps as Parquet, each task a file. Only names and counts pass through Spark.

    The files appear when all tasks are done, and `_SUCCESS` after them.

    Args:
        spark: The session.
        paths: As for `read`.
        dest: A folder that all machines share, or a prefix of an object store, without Parquet files.
        columns: As for `read`.
        strict: As for `read`.
        follow: As for `read`.
        location: As for `read`.
        filter: As for `read`.
        target_bytes: As for `read`.
        min_partitions: As for `read`.
        location_column: As for `read`.
        compression: Codec of Parquet: zstd, snappy, gzip, lz4, brotli or none.
        store: As for `read`; the same for the destination.

    Returns:
        What was written.

    Raises:
        InputError: An argument is invalid, nothing is found, or the destination has Parquet files.

    Example:
        >>> from urlset.contrib.spark import scan_to_parquet
        >>> scan_to_parquet(spark, "s3://bucket/crawl/*.xml.gz", "s3://bucket/entries").rows  # doctest: +SKIP
    """
    job = ParquetJob.begin(dest, columns, compression, store)
    options = ReadOptions(
        paths=_whole(paths),
        strict=strict,
        follow=follow,
        location=location,
        filter=filter,
        target_bytes=target_bytes,
        min_partitions=min_partitions,
        location_column=location_column,
        store=store or {},
    )
    parts = plan(options)
    frame = _numbers(spark, parts).mapInArrow(
        partial(write_parts, parts=parts, options=options, job=job), from_arrow_schema(FACTS)
    )
    try:
        facts = [row.asDict() for row in frame.collect()]
        files = job.commit(facts)
    except BaseException:
        job.abort()
        raise
    total = {name: sum(fact[name] for fact in facts) for name in ("rows", "bytes", "documents", "broken")}
    errors = tuple(error for fact in sorted(facts, key=lambda fact: int(fact["part"])) for error in fact["errors"])
    return ParquetFiles(job.dest, tuple(files), **total, errors=errors)


def lint(
    spark: SparkSession,
    paths: Paths,
    *,
    rules: Rules | None = None,
    now: datetime | None = None,
    fold: int = FOLD,
    follow: bool = True,
    location: str | None = None,
    target_bytes: int = TARGET_BYTES,
    min_partitions: int = 1,
    location_column: str = "location",
    store: Mapping[str, str] | None = None,
) -> DataFrame:
    """Check each document by itself. Rules that only a whole set can break, such as ALT009, are for `urlset.lint`.

    Args:
        spark: The session.
        paths: As for `read`.
        rules: As for `urlset.lint`.
        now: As for `urlset.lint`; the time of the driver if None, so that all tasks have the same.
        fold: As for `urlset.lint`.
        follow: As for `read`.
        location: As for `read`.
        target_bytes: As for `read`.
        min_partitions: As for `read`.
        location_column: As for `read`.
        store: As for `read`.

    Returns:
        The findings that are kept, one row each, in the columns of the table `diagnostics`. `more` says how many of a
        rule in a document are not kept. A document that cannot be opened has one row, without a code.

    Raises:
        InputError: An argument is invalid, or nothing is found.

    Example:
        >>> from urlset.contrib.spark import lint
        >>> lint(spark, "s3://bucket/sitemaps/").groupBy("code").count().show()  # doctest: +SKIP
    """
    options = ReadOptions(
        paths=_whole(paths),
        follow=follow,
        location=location,
        target_bytes=target_bytes,
        min_partitions=min_partitions,
        location_column=location_column,
        store=store or {},
    )
    judged = resolve_options(rules, now=now)
    parts = plan(options)
    return _numbers(spark, parts).mapInArrow(
        partial(_lint_parts, parts=parts, rules=judged, fold=fold, store=options.store), from_arrow_schema(DIAGNOSTICS)
    )


def _whole(paths: Paths) -> tuple[str, ...]:
    return tuple(absolute(path) for path in ([paths] if isinstance(paths, str) else paths))


def _numbers(spark: SparkSession, parts: Sequence[ReadPart]) -> DataFrame:
    """Return a frame with the number of one part in each partition."""
    return spark.range(0, len(parts), 1, len(parts))


def _read_parts(
    batches: Iterator[pa.RecordBatch], *, parts: Sequence[ReadPart], options: ReadOptions, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from read_part(options, parts[number], schema, options.filter)


def _read_listed(
    batches: Iterator[pa.RecordBatch], *, options: ReadOptions, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        paths = [path for path in batch.column(0).to_pylist() if path is not None]
        if paths:
            yield from read_part(options, ReadPart(0, listed(paths)), schema, options.filter)


def _lint_parts(
    batches: Iterator[pa.RecordBatch],
    *,
    parts: Sequence[ReadPart],
    rules: LintOptions,
    fold: int,
    store: Mapping[str, str],
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            for report in lint_partition(parts[number], rules, fold=fold, store=store):
                yield findings_batch(report)
