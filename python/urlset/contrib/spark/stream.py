"""The stream reader of `format("sitemap")`: what is new or has changed below a prefix, in micro-batches.

An offset has the version of each document that was read by then, so that it needs no state but Spark's own checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from urlset._model.errors import InputError
from urlset.contrib.spark.options import ReadOptions
from urlset.contrib.spark.reader import SitemapPartition, wanted_schema
from urlset.contrib.spark.tasks import read_part
from urlset.jobs.listing import Version, list_versions
from urlset.jobs.parts import Listed
from urlset.jobs.planning import group

try:
    from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow
except ImportError:  # before Spark 4.2
    SupportsTriggerAvailableNow = object


class SitemapStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads the documents below a prefix that are new or have changed since the last micro-batch.

    Args:
        options: What is read.
        schema: The columns that Spark wants.

    Raises:
        InputError: There is no such column, it has another type, or there is more than one path.
    """

    def __init__(self, options: ReadOptions, schema: StructType) -> None:
        if len(options.paths) != 1:
            raise InputError(f"a stream has one path, a folder, a prefix or a glob, got {len(options.paths)}")
        self._options = options
        self._schema = wanted_schema(options, schema)
        #: What was there when a stream began that ends once it has read that.
        self._all: dict[str, Version] | None = None

    def initialOffset(self) -> dict[str, str]:  # noqa: N802  (Spark's name)
        """Return where a new stream begins: nothing was read."""
        return {}

    def getDefaultReadLimit(self) -> Any:  # noqa: N802
        """Return how much a micro-batch reads at most."""
        from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxFiles  # noqa: PLC0415  (since 4.2)

        most = self._options.max_files
        return ReadAllAvailable() if most is None else ReadMaxFiles(most)

    def latestOffset(self, start: Mapping[str, str] | None = None, limit: Any = None) -> dict[str, str]:  # noqa: N802
        """Return where the next micro-batch ends. Before 4.2, Spark does not say where it begins, and sets no limit."""
        known = dict(start or {})
        found = self._list() if self._all is None else self._all
        changed = [path for path in found if known.get(path) != found[path].stamp]
        if not changed:
            return known
        changed.sort(key=lambda path: (found[path].modified, path))
        return next_offset(known, found, changed[: getattr(limit, "max_files", None)])

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Take note of what is there: a stream with this trigger reads that, and ends."""
        self._all = self._list()

    def _list(self) -> dict[str, Version]:
        return list_versions(self._options.paths[0], self._options.store)

    def partitions(self, start: Mapping[str, str], end: Mapping[str, str]) -> Sequence[InputPartition]:
        """Group the documents of a micro-batch."""
        options = self._options
        changed = (path for path, stamp in end.items() if start.get(path) != stamp)
        documents = [Listed(path, path, int(end[path].partition(":")[0])) for path in changed]
        parts = group(documents, options.target_bytes, options.min_partitions, follow=False)
        return [SitemapPartition(part) for part in parts]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read the documents of one part, in a task."""
        assert isinstance(partition, SitemapPartition)
        return read_part(self._options, partition.part, self._schema, self._options.filter)

    def commit(self, end: Mapping[str, str]) -> None:
        """Keep nothing: the offset says everything."""

    def stop(self) -> None:
        """Hold nothing open."""


def next_offset(known: Mapping[str, str], found: Mapping[str, Version], read: Sequence[str]) -> dict[str, str]:
    """Return the offset after reading some documents. What is gone is forgotten, so that it is new if it comes back."""
    kept = {path: stamp for path, stamp in known.items() if path in found}
    return dict(sorted((kept | {path: found[path].stamp for path in read}).items()))
