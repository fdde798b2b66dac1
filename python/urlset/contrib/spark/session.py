"""The data source in a session of Spark, and what to do if the Python of its tasks is another one."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from urlset._model.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: How long a Python may take to say whether it has urlset.
_SECONDS = 60


def register(spark: SparkSession) -> None:
    """Make `format("sitemap")` known to a session, quicker than Spark finds it by its name.

    That the Python of the tasks has urlset is checked on this machine first, because what Spark says otherwise names
    neither the Python nor the remedy.

    Args:
        spark: The session, of Spark 4.

    Raises:
        InputError: The Python that Spark starts has no urlset, or this is Spark 3.

    Example:
        >>> from urlset.contrib.spark import register
        >>> register(spark)  # doctest: +SKIP
        >>> spark.read.format("sitemap").load("s3://bucket/sitemaps/").show()  # doctest: +SKIP
    """
    if int(spark.version.partition(".")[0]) < 4:
        raise InputError(
            f"Spark {spark.version} has no data sources in Python: use urlset.contrib.spark.read(spark, …) instead of "
            "spark.read.format('sitemap')"
        )
    check_python(python_of(spark))
    from urlset.contrib.spark.source import SitemapSource  # noqa: PLC0415  (as of Spark 4)

    spark.dataSource.register(SitemapSource)


def python_of(spark: SparkSession) -> str:
    """Return the Python that Spark starts for tasks on this machine."""
    context = getattr(spark, "sparkContext", None)  # a session of Spark Connect has none
    found = getattr(context, "pythonExec", None) or os.environ.get("PYSPARK_PYTHON") or "python3"
    return str(found)


def check_python(python: str) -> None:
    """Raise InputError unless a Python can import urlset, in this version."""
    command = [python, "-c", "import urlset; print(urlset.__version__)"]
    from urlset import __version__  # noqa: PLC0415  (it takes time to load)

    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        said = str(error)
    else:
        if found.returncode == 0 and found.stdout.strip() == __version__:
            return
        said = found.stderr.strip().rpartition("\n")[2] or f"it has urlset {found.stdout.strip()}"
    raise InputError(
        f"the Python that Spark starts for its tasks, {python}, does not have urlset {__version__}: {said}. Install it "
        f"there too, or name this one before Spark starts: export PYSPARK_PYTHON={sys.executable}"
    )
