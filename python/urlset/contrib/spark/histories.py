"""How often the pages of a frame change: `urlset.rates` in the tasks of Spark, each with all looks at some hosts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]

from urlset._model.errors import InputError
from urlset._rates.api import rates_of
from urlset._rates.looks import COLUMNS, EVIDENCE, NO_EVIDENCE
from urlset._util.duckdb import connect
from urlset._util.tempdirs import temporary_folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: What `urlset.PageRate` has, in the types of Spark.
_RATES = (
    "loc string, change_rate double, low double, high double, section string, looks bigint, changes bigint,"
    " basis string, precision double, recall double, signals bigint, fetched timestamp, bytes double, priority double,"
    " inlinks bigint"
)
#: The host of a loc, as `urlset.rates` tells hosts apart.
_HOST = "lower(regexp_extract(loc, '^[^:/?#]+://([^/?#]*)', 1))"


def rates(looks: DataFrame, *, memory: str = "512MB") -> DataFrame:
    """Estimate how often each page of a frame changes, as `urlset.rates` does, for frames of any size.

    What is known of one page says something about others of its host, and nothing about other hosts. So each host goes
    to one task, which works within its memory and spills to its disk.

    Args:
        looks: A frame with the columns of a table of looks: see `urlset.rates`.
        memory: Memory limit of a task; what does not fit goes to temporary files.

    Returns:
        A frame with a column for each attribute of `urlset.PageRate`, which `schedule` takes.

    Raises:
        InputError: A column is missing, or a look has no loc or no time.

    Example:
        >>> from urlset.contrib.spark import rates, schedule
        >>> pages = rates(spark.read.parquet("looks/")).where("change_rate IS NOT NULL").cache()  # doctest: +SKIP
        >>> schedule(pages, budget="5000/second").write.parquet("plan/")  # doctest: +SKIP
    """
    known = [name for name in COLUMNS if name in looks.columns]
    for name, column in COLUMNS.items():
        if column.why is not None and name not in known:
            raise InputError(f"the looks have no column {name}{column.why}")
    if not set(EVIDENCE) & set(known):
        raise InputError(NO_EVIDENCE)
    if looks.where("loc IS NULL OR time IS NULL").limit(1).count():
        raise InputError("a row of the looks has no loc or no time")
    frame = looks.selectExpr(*known, f"{_HOST} AS host_of_loc")
    several = frame.select("host_of_loc").distinct().limit(2).count() > 1
    # A task cannot know whether there are other hosts, and the names of sections have to be the same in all.
    rated = partial(_rated, memory=memory, names_hosts=several)
    return frame.repartition("host_of_loc").select(*known).mapInArrow(rated, _RATES)


def _rated(batches: Iterable[pa.RecordBatch], *, memory: str, names_hosts: bool) -> Iterator[pa.RecordBatch]:
    """Yield the rates of all pages of a task."""
    rest = iter(batches)
    first = next(rest, None)
    if first is None:
        return
    with temporary_folder() as folder, connect(folder / "looks.duckdb", memory=memory, spill=folder / "spill") as own:
        looks = pa.RecordBatchReader.from_batches(first.schema, chain([first], rest))  # noqa: F841  (DuckDB finds it)
        own.execute("CREATE TABLE given AS FROM looks")
        with rates_of([own.sql("FROM given")], memory=memory, names_hosts=names_hosts) as found:
            for batch in pa.RecordBatchReader.from_stream(found):
                # Spark takes times in UTC alone, and texts of the plain kind.
                yield batch.cast(_arrow_schema())


def _arrow_schema() -> pa.Schema:
    """Return the schema of the rates as Spark takes it."""
    kinds = {
        "string": pa.string(),
        "double": pa.float64(),
        "bigint": pa.int64(),
        "timestamp": pa.timestamp("us", tz="UTC"),
    }
    return pa.schema([(name, kinds[kind]) for name, kind in (each.split() for each in _RATES.split(", "))])
