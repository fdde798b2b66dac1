"""The batch writer of `format("sitemap")`: each partition becomes the documents of one part of the set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from urlset._model.errors import InputError, PublishError
from urlset.contrib.spark.write_options import write_job
from urlset.contrib.spark.write_tasks import as_table, empty_table, this_attempt
from urlset.jobs import PartFacts, WriteJob


@dataclass
class PartMessage(WriterCommitMessage):
    """What one task tells the driver."""

    facts: PartFacts


class SitemapWriter(DataSourceArrowWriter):
    """Writes the partitions of a frame as they are: each task writes one part of a job, and the driver commits.

    Args:
        options: The options of the write.
        schema: The columns of the frame.
        overwrite: Whether the current set is to be replaced.

    Raises:
        InputError: An option is invalid, the frame has no locs, or rows were to be appended.
    """

    def __init__(self, options: Mapping[str, str], schema: StructType, overwrite: bool) -> None:
        if not overwrite:
            raise InputError(
                "format('sitemap') writes a whole set: use mode('overwrite'), or urlset.contrib.spark.publish, which"
                " keeps the documents whose rows stay"
            )
        self._job: WriteJob = write_job(options)
        self._job.check_columns(empty_table(schema))
        self._job.make_folder()  # Spark ends a job without waiting for the tasks that it gives up

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Write the rows of one partition, in a task."""
        return PartMessage(self._job.write_part(as_table(iterator), *this_attempt()))

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Make the set the current one, on the driver."""
        facts = [message.facts for message in messages if isinstance(message, PartMessage)]
        if len(facts) != len(messages):  # a part without facts would be missing from the set
            raise PublishError(f"{len(messages) - len(facts)} of {len(messages)} tasks did not report what they wrote")
        self._job.commit(facts)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Remove what the tasks have written, on the driver."""
        self._job.abort()
