"""urlset inside the tasks of Apache Spark: a data source, and jobs of which only counts leave a task. Extra: `spark`.

With Spark 4, `spark.read.format("sitemap")` is found by its name wherever this package is installed. See docs/spark.md.
"""

from urlset.contrib.spark.histories import rates
from urlset.contrib.spark.jobs import ParquetFiles, lint, read, read_locations, scan_to_parquet
from urlset.contrib.spark.publish import publish
from urlset.contrib.spark.scheduling import schedule
from urlset.contrib.spark.session import register
from urlset.contrib.spark.set_queries import check_set, diff, within_budgets

__all__ = [
    "ParquetFiles",
    "check_set",
    "diff",
    "lint",
    "publish",
    "rates",
    "read",
    "read_locations",
    "register",
    "scan_to_parquet",
    "schedule",
    "within_budgets",
]
