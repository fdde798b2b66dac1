"""Spark, for tests with the marker `long`. It is not installed where the short ones run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.contrib.spark import session
from support.s3 import s3_server

__all__ = ["s3_server"]


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A Spark on two threads, which tries a task three times."""
    with session("local[2,3]") as found:
        yield found


@pytest.fixture
def small_batches(spark: Any) -> Iterator[None]:
    """Batches of few rows, so that a task has several."""
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "200")
    yield
    spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
