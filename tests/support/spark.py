"""A Spark for the long tests: one process per session of tests, which finds urlset as a cluster would."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import urlset

PACKAGE = Path(urlset.__file__).parent.parent
#: What keeps a JVM small, and its answers quick.
SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.executor.memory": "512m",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
}


@contextmanager
def session(master: str = "local[2]", **settings: str) -> Iterator[Any]:
    """Start Spark, and stop it at the end of the block. Its workers run this Python."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join([str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])])
    with TemporaryDirectory(prefix="urlset-spark-") as folder:
        found = {**SETTINGS, "spark.local.dir": folder, "spark.sql.warehouse.dir": f"{folder}/tables", **settings}
        builder = SparkSession.builder.master(master).appName("urlset tests")
        for name, value in found.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        try:
            yield spark
        finally:
            spark.stop()
