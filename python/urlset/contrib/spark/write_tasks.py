"""What runs in the tasks of a job that writes, on any Spark from 3.5 on: of the rows of a task only facts come back."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark import TaskContext
from pyspark.sql.types import ArrayType, DataType, StructType, TimestampNTZType

from urlset.jobs import PartFacts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_COLUMN = "facts"


def this_attempt() -> tuple[int, int]:
    """Return the number of the part of this task, and a number that no other attempt at it has."""
    context = TaskContext.get()
    assert context is not None  # this is a task
    # Attempts of a task are counted anew if its stage runs again.
    return context.partitionId(), context.taskAttemptId()


def as_table(batches: Iterable[pa.RecordBatch]) -> Any:
    """Return batches as rows that can be read once; no rows if there is no batch."""
    waiting = iter(batches)
    first = next(waiting, None)
    return [] if first is None else pa.RecordBatchReader.from_batches(first.schema, chain([first], waiting))


def empty_table(schema: StructType) -> pa.Table:
    """Return a table without rows that has the columns of a frame, in types by which columns can be checked.

    Spark's own conversion takes other arguments in every version.
    """
    return pa.schema([(field.name, _checked_type(field.dataType)) for field in schema]).empty_table()


def _checked_type(kind: DataType) -> pa.DataType:
    if isinstance(kind, ArrayType):
        return pa.list_(_checked_type(kind.elementType))
    if isinstance(kind, StructType):
        return pa.struct([(field.name, _checked_type(field.dataType)) for field in kind])
    return pa.timestamp("us") if isinstance(kind, TimestampNTZType) else pa.null()


def facts_of_tasks(
    frame: DataFrame, task: Callable[[Iterator[pa.RecordBatch], int, int], PartFacts]
) -> list[PartFacts]:
    """Run a task over each partition of a frame, and return what the tasks report.

    Args:
        frame: The rows.
        task: Takes the batches of a partition, the number of the part, and that of the attempt.
    """

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        facts = task(batches, *this_attempt())
        yield pa.RecordBatch.from_pydict({_COLUMN: [pickle.dumps(facts)]})

    rows = frame.mapInArrow(run, f"{_COLUMN} binary").collect()
    return [pickle.loads(row[_COLUMN]) for row in rows]  # noqa: S301  (from our own tasks, as all that Spark moves)
