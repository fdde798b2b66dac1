"""Write and publish a set with Spark, beside one process of urlset.

    python benches/spark_write.py
    python benches/spark_write.py --rows 2000000 --only alone,publish --cores 2

Run it as `spark.py`. The rows are in Parquet, 20,000,000 by default. Measured are seconds, processor time of the
driver, the JVM and all workers, and the peak of memory of the driver's Python. `again` publishes the same rows once
more, which writes nothing. The exit code is 1 if a set is damaged, does not have all rows, or is not that of one
process: names of documents contain their hashes. Prints a line of JSON for each.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from typing import Any

import duckdb
import urlset
from spark import ENTRIES, HERE, measure, peak_mb, session

BASE = "https://shop.example/"
ROWS = """
    SELECT 'https://shop.example/pages/' || md5(n::VARCHAR) || '/' || n AS loc,
        strftime(TIMESTAMP '2020-01-01' + to_minutes(n % 3000000), '%Y-%m-%dT%H:%M:%SZ') AS lastmod
    FROM range({rows}) AS numbers(n)
"""


def make(rows: int) -> Path:
    """Make a folder of Parquet files with the rows; return it."""
    folder = HERE / "data" / f"pages-{rows}"
    if not folder.exists():
        folder.mkdir(parents=True)
        per_file = max(rows // 16, 1)
        with duckdb.connect() as connection:
            for number in range(16):
                some = f"SELECT * FROM ({ROWS.format(rows=rows)}) LIMIT {per_file} OFFSET {number * per_file}"
                connection.execute(f"COPY ({some}) TO '{folder}/{number:02}.parquet'")
    return folder


def documents(folder: Path) -> set[str]:
    """Return the names of the documents of a set, which contain the hashes of their content."""
    return {path.name for path in folder.glob("sitemap-*")}


def are_right(out: Path, rows: int) -> bool:
    """Return whether the sets are intact, have all rows, and, if they were made by the same hashes, are the same."""
    sets = list(out.iterdir())
    for folder in sets:
        with duckdb.connect() as connection:
            files = [folder / ".urlset" / "manifest.parquet", *folder.glob(".urlset/parts/*.parquet")]
            [(count,)] = connection.execute("SELECT count(*) FROM read_parquet(?)", [list(map(str, files))]).fetchall()
        if count != rows or not urlset.verify(folder).is_intact:
            return False
    same = [documents(folder) for folder in sets if folder.name != "write"]
    return all(each == same[0] for each in same)


def jobs(pages: Path, out: Path, series: int) -> dict[str, Callable[[Any], Any]]:
    """Return the jobs by their names, in their order."""

    def alone(_: Any) -> None:
        with duckdb.connect() as connection:
            rows = connection.sql(f"FROM read_parquet('{pages}/*.parquet')")
            urlset.publish(rows, out / "alone", base_url=BASE, shard_by=f"hash:{series}")

    def write(spark: Any) -> None:
        frame = spark.read.parquet(str(pages))
        frame.write.format("sitemap").option("base_url", BASE).mode("overwrite").save(str(out / "write"))

    def publish(spark: Any) -> None:
        from urlset.contrib.spark import publish

        publish(spark.read.parquet(str(pages)), out / "publish", base_url=BASE, shard_by=f"hash:{series}")

    return {"alone": alone, "write": write, "publish": publish, "again": publish}


def main() -> int:
    """Make the rows, run the jobs, check what they wrote, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--only", default="", help="names of jobs, with commas")
    parser.add_argument("--cores", default="2", help="numbers of cores, with commas")
    arguments = parser.parse_args()
    pages, out, is_right = make(arguments.rows), HERE / "data" / "spark-sets", True
    series = max(2, arguments.rows // 1_000_000)
    for cores in map(int, arguments.cores.split(",")):
        rmtree(out, ignore_errors=True)
        with session(cores) as spark:
            for name, job in jobs(pages, out, series).items():
                if arguments.only and name not in arguments.only.split(","):
                    continue
                figures = measure(name, cores, arguments.rows // ENTRIES, spark, job)
                print(json.dumps({**figures, "driver_mb": peak_mb(os.getpid())}), flush=True)
        is_right = is_right and are_right(out, arguments.rows)
    rmtree(out, ignore_errors=True)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
