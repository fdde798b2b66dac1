"""Publish a frame as a set: Spark brings together what belongs together, and each task plans and makes its series."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import pyarrow as pa  # type: ignore[import-untyped]

from urlset._model.errors import InputError
from urlset._options.publish import (
    SHARD_BY,
    BaseUrl,
    Checks,
    Dest,
    DryRun,
    Layout,
    Memory,
    RowColumns,
    Scope,
    Threads,
    UpdateRobots,
)
from urlset._options.shared import StoreOptions
from urlset._publish.parts import KNOWN, joined_sql
from urlset.contrib.spark.options import absolute
from urlset.contrib.spark.travel import PACKED, TALLIED, Relations, arrived, packed, schema_of, unpacked
from urlset.contrib.spark.write_tasks import as_table, empty_table, facts_of_tasks
from urlset.jobs import PartFacts, PublishJob

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from urlset import Publication, ShardBy


def publish(
    frame: DataFrame,
    dest: Dest,
    *,
    base_url: BaseUrl,
    shard_by: Annotated[str | ShardBy, SHARD_BY],
    scope: Scope = None,
    columns: RowColumns = None,
    layout: Layout | None = None,
    checks: Checks | None = None,
    update_robots: UpdateRobots = False,
    partitions: int | None = None,
    dry_run: DryRun = False,
    memory: Memory = "512MB",
    threads: Threads = 1,
    now: datetime | None = None,
    store: StoreOptions = None,
) -> Publication:
    """Publish the rows of a frame as a set of sitemaps, and compare them with the current set.

    This is `urlset.publish` on Spark: the same rows give the same bytes, whatever their order and partitions are, and
    on however many machines. A loc stays in its shard while it lives, and only documents whose rows have changed are
    made again. Rows are rendered where they are, brought together by series, joined there with what the manifest knows
    of them, and made into documents by the task that has them. Only counts come back to the driver, which commits the
    set at once.

    Args:
        frame: The rows, with the columns of `urlset.publish`.
        dest: A folder that the driver and all tasks share, or the URL of an object store.
        base_url: Public URL of the destination.
        shard_by: How to split the rows into shards: `hash:N`, with about a million rows for each of the N series, or
            `key:COLUMN`.
        scope: URL prefix that every loc must have. By default it is the origin of `base_url`.
        columns: Columns of the rows that have other names, as in `urlset.publish`, but no `group` and `lang`.
        layout: How documents are written; `Layout()` if None. Names are not stable.
        checks: What is checked first, and what is let through; `Checks()` if None. Nothing can be verified.
        update_robots: Add the set to robots.txt in the destination.
        partitions: How many tasks plan and write; by default as many as `spark.sql.shuffle.partitions`, but with
            `hash:N` at most N.
        dry_run: Show what would be done, and change nothing.
        memory: Memory limit for planning, of each task and of the commit. It is not the JVM's: see
            `spark.executor.memoryOverhead`.
        threads: How many threads each task may use for planning.
        now: The present moment; the clock's if None.
        store: Options of the object store.

    Returns:
        What was published, with the plan.

    Raises:
        InputError: An argument is invalid.
        GuardError: The set is most likely a mistake.
        PublishError: Another publish came in between, or the store fails.

    Example:
        >>> from urlset.contrib.spark import publish
        >>> rows = spark.table("pages")  # doctest: +SKIP
        >>> base = "https://shop.example/"
        >>> published = publish(rows, "s3://shop-maps", base_url=base, shard_by="hash:1000")  # doctest: +SKIP
        >>> published.plan.added, published.plan.moved  # doctest: +SKIP
        (1000000000, 0)
    """
    job = PublishJob(
        absolute(os.fspath(dest)),
        base_url=base_url,
        shard_by=shard_by,
        scope=scope,
        columns=columns,
        layout=layout,
        checks=checks,
        update_robots=update_robots,
        memory=memory,
        threads=threads,
        now=now,
        store=store,
    )
    job.check_columns(empty_table(frame.schema))
    try:
        if not dry_run:
            job.make_folder()
        facts = facts_of_tasks(_brought_together(frame, job, _partitions(frame, job, partitions)), _Task(job, dry_run))
        return job.commit(facts, dry_run=dry_run)
    finally:
        job.abort()


class _Task:
    """What a task does with the rows that have arrived in it."""

    def __init__(self, job: PublishJob, dry_run: bool) -> None:
        self._job, self._dry_run = job, dry_run

    def __call__(self, batches: Iterator[pa.RecordBatch], part: int, attempt: int) -> PartFacts:
        return self._job.write_arrived(arrived(batches), part, attempt, dry_run=self._dry_run)


def _partitions(frame: DataFrame, job: PublishJob, given: int | None) -> int:
    if given is not None and given < 1:
        raise InputError(f"partitions must be a number from 1 up, got {given!r}")
    usual = given or int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
    return min(usual, int(job.shard_by.argument)) if job.shard_by.kind == "hash" else usual


def _brought_together(frame: DataFrame, job: PublishJob, partitions: int) -> DataFrame:
    """Return all that the tasks need, in as many partitions: what has one route is in one of them."""
    spark = frame.sparkSession
    names = job.begin()
    files = spark.createDataFrame([(name,) for name in names], "name STRING").repartition(max(1, len(names)))
    # Counts, and locs that are gone and belong nowhere, go anywhere.
    if job.shard_by.kind == "hash":
        together = frame.mapInArrow(packed(_rendered(job)), PACKED).unionAll(
            files.mapInArrow(packed(_known(job)), PACKED)
        )
        anywhere = "pmod(xxhash64(rows), 1024)"
        if hasattr(together, "repartitionById"):  # Spark 4.1: as many series for each task
            place = f"CAST(pmod(coalesce(CAST(route AS INT), {anywhere}), {partitions}) AS INT) AS place"
            return together.selectExpr("*", place).repartitionById(partitions, "place").drop("place")
    else:
        rows = frame.mapInArrow(unpacked(_rendered(job), TALLIED), schema_of(TALLIED))
        known = files.mapInArrow(unpacked(_known(job), KNOWN), schema_of(KNOWN))
        together = spark.sql(joined_sql("{rows}", "{known}"), rows=rows, known=known)
        anywhere = "pmod(xxhash64(known_loc), 1024)"
    placed = together.selectExpr("*", f"coalesce(route, concat('anywhere ', CAST({anywhere} AS STRING))) AS place")
    return placed.repartition(partitions, "place").drop("place")


def _rendered(job: PublishJob) -> Relations:
    return lambda batches: job.rendered(as_table(batches))


def _known(job: PublishJob) -> Relations:
    def relations(batches: Iterator[pa.RecordBatch]) -> Iterator[Any]:
        for batch in batches:
            for name in batch.column("name").to_pylist():
                yield from job.known(name)

    return relations
