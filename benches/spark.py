"""Read sitemaps on Spark, on all cores and on one, beside one process of urlset and Spark's own XML source.

    python benches/spark.py
    python benches/spark.py --documents 80 --only source,jobs
    python benches/spark.py --memory

Run it with a Python that has urlset[spark] in a release build, duckdb, and a Java. Each document has 50,000 entries; by
default there are 400, which are made in `data/` (4 GB). Measured are seconds, and processor time of the driver, the JVM
and all workers. DuckDB reads the Parquet, counts the rows and adds up the hashes of their locs: the exit code is 1 if
they are not those that were made. `--memory` measures the driver instead, for 1, 20 and 100 million rows. Prints a
line of JSON for each.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Any

import duckdb

HERE = Path(__file__).parent
DATA = HERE / "data" / "spark"
ENTRIES = 50_000
CORES = os.sched_getaffinity(0)
COLUMNS = ["loc", "lastmod", "changefreq", "priority"]
SCHEMA = "loc string, lastmod timestamp, changefreq string, priority double"
#: What is in a document, by its number, as XML.
ROWS = f"""
    SELECT 'https://shop.example/pages/' || md5(n::VARCHAR) || '/' || n AS loc,
        strftime(TIMESTAMP '2020-01-01' + to_minutes(n % 3000000), '%Y-%m-%dT%H:%M:%SZ') AS lastmod
    FROM range({{number}} * {ENTRIES}, ({{number}} + 1) * {ENTRIES}) AS numbers(n)
"""
ENTRY = """string_agg('<url><loc>' || loc || '</loc><lastmod>' || lastmod
    || '</lastmod><changefreq>weekly</changefreq><priority>0.5</priority></url>', chr(10))"""
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
SUM = "SELECT count(*), coalesce(sum(hash(loc)), 0)::VARCHAR FROM "


def make(number: int) -> tuple[int, int]:
    """Make a document unless it is there; return how many locs it has, and the sum of their hashes."""
    path = DATA / f"{number:05}.xml"
    with duckdb.connect(config={"threads": 1}) as connection:
        rows = ROWS.format(number=number)
        if not path.exists():
            [(text,)] = connection.execute(f"SELECT {ENTRY} FROM ({rows})").fetchall()
            path.with_suffix(".new").write_text(f"{HEAD}{text}\n</urlset>\n")
            path.with_suffix(".new").rename(path)
        [(count, total)] = connection.execute(f"{SUM} ({rows})").fetchall()
    return count, int(total)


def in_parquet(folder: Path) -> tuple[int, int]:
    """Return how many locs a folder of Parquet has, and the sum of their hashes."""
    with duckdb.connect() as connection:
        [(count, total)] = connection.execute(f"{SUM} read_parquet('{folder}/*.parquet')").fetchall()
    return count, int(total)


def processor_seconds() -> float:
    """Return the processor time of this process and all of its descendants, those that have ended included."""
    ticks, parents, spent = os.sysconf("SC_CLK_TCK"), {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        number = int(path.parent.name)
        parents[number], spent[number] = int(fields[1]), sum(map(int, fields[11:15])) / ticks

    def is_ours(number: int) -> bool:
        while number not in (0, os.getpid()):
            number = parents.get(number, 0)
        return number != 0

    return sum(seconds for number, seconds in spent.items() if is_ours(number))


@contextmanager
def session(cores: int, master: str | None = None, memory: str = "2g") -> Iterator[Any]:
    """Start a Spark that has some cores of this machine and whose workers are warm, and stop it."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    # What is started from here on has so many cores, or the JVM would use a second one beside a single task.
    os.sched_setaffinity(0, sorted(CORES)[:cores])
    master = f"local[{cores}]" if master is None else master
    builder = SparkSession.builder.master(master).config("spark.driver.memory", memory)
    for name, value in {
        "spark.executor.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    try:
        spark.range(0, 8, 1, 8).mapInArrow(lambda batches: batches, "id bigint").count()
        yield spark
    finally:
        spark.stop()
        SparkSession.builder._options.clear()
        from pyspark import SparkContext

        # The JVM goes too, or the next session would not obey its settings.
        if SparkContext._gateway is not None:
            SparkContext._gateway.shutdown()
            SparkContext._gateway.proc.stdin.close()
            SparkContext._gateway = SparkContext._jvm = None


def to_nowhere(frame: Any) -> None:
    """Have Spark compute all rows, and drop them."""
    frame.write.format("noop").mode("overwrite").save()


def scan_alone(paths: list[str]) -> None:
    """Read everything with one thread of this process."""
    from urlset.jobs import scan_partition

    for _ in scan_partition(paths, columns=COLUMNS).batches():
        pass


def jobs(paths: list[str], out: Path) -> dict[str, tuple[Callable[[Any], None], bool]]:
    """Return the jobs by their names, and whether each writes Parquet."""

    def source(spark: Any, schema: str = SCHEMA) -> Any:
        return spark.read.format("sitemap").schema(schema).option("follow", "false").load(paths)

    def own_xml(spark: Any) -> None:
        to_nowhere(spark.read.format("xml").option("rowTag", "url").schema(SCHEMA).load(paths))

    def to_parquet(spark: Any) -> None:
        from urlset.contrib.spark import scan_to_parquet

        scan_to_parquet(spark, paths, str(out), columns=COLUMNS, follow=False, compression="snappy")

    return {
        "alone": (lambda _: scan_alone(paths), False),
        "source": (lambda spark: to_nowhere(source(spark)), False),
        "source of locs": (lambda spark: to_nowhere(source(spark, "loc string")), False),
        "xml": (own_xml, False),
        "source to Parquet": (lambda spark: source(spark).write.parquet(str(out)), True),
        "jobs": (to_parquet, True),
    }


def measure(name: str, cores: int, documents: int, spark: Any, job: Callable[[Any], None]) -> dict[str, Any]:
    """Run a job; return its figures."""
    spent, begin = processor_seconds(), time.perf_counter()
    job(spark)
    seconds, processor = time.perf_counter() - begin, processor_seconds() - spent
    entries = documents * ENTRIES
    return {
        "job": name,
        "cores": cores,
        "entries": entries,
        "seconds": round(seconds, 2),
        "cpu_seconds": round(processor, 2),
        "cpu_microseconds_per_row": round(processor / entries * 1e6, 3),
        "rows_per_second": round(entries / seconds),
    }


def measure_memory(documents: int) -> None:
    """Print the memory of a driver whose executors are processes of their own, for more and more rows."""
    for number in (20, 400, 2000):
        folder = DATA.parent / f"spark-{number}"
        folder.mkdir(exist_ok=True)
        for each in range(number):
            if not (link := folder / f"{each:05}.xml").exists():
                link.hardlink_to(DATA / f"{each % documents:05}.xml")
        with session(2, "local-cluster[2,1,1024]", memory="512m") as spark:
            rows = (
                spark.read.format("sitemap")
                .schema("loc string")
                .option("follow", "false")
                .load(f"{folder}/*.xml")
                .count()
            )
            java = spark.sparkContext._gateway.proc.pid
            peaks = {name: peak_mb(process) for name, process in (("jvm_mb", java), ("python_mb", os.getpid()))}
            spark.sparkContext._jvm.System.gc()
            runtime = spark.sparkContext._jvm.Runtime.getRuntime()
            heap = (runtime.totalMemory() - runtime.freeMemory()) / 1e6
        print(json.dumps({"job": "memory", "rows": rows, **peaks, "heap_after_gc_mb": round(heap)}), flush=True)
        rmtree(folder)


def peak_mb(process: int) -> int:
    """Return the peak of resident memory of a process in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    return round(int(status.partition("VmHWM:")[2].split()[0]) / 1000)


def main() -> int:
    """Make the documents, run the jobs, check what they wrote, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, default=400, help=f"documents of {ENTRIES:,} entries each")
    parser.add_argument("--only", default="", help="names of jobs, with commas")
    parser.add_argument("--cores", default="2,1", help="numbers of cores, with commas")
    parser.add_argument("--memory", action="store_true", help="measure the memory of the driver")
    arguments = parser.parse_args()
    DATA.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor() as pool:
        made = list(pool.map(make, range(arguments.documents)))
    expected = sum(count for count, _ in made), sum(total for _, total in made)
    for path in DATA.glob("*.xml"):
        if int(path.stem) >= arguments.documents:
            path.unlink()
    if arguments.memory:
        measure_memory(arguments.documents)
        return 0
    is_right, out = True, DATA.parent / "spark-out"
    paths = sorted(str(path) for path in DATA.glob("*.xml"))
    for cores in map(int, arguments.cores.split(",")):
        with session(cores) as spark:
            begun = jobs(paths[:cores], out)
            for name, (job, writes) in jobs(paths, out).items():
                if arguments.only and name not in arguments.only.split(","):
                    continue
                rmtree(out, ignore_errors=True)
                begun[name][0](spark)  # what is compiled and imported once does not count
                rmtree(out, ignore_errors=True)
                figures = measure(name, cores, arguments.documents, spark, job)
                if writes:
                    figures["is_right"] = in_parquet(out) == expected
                    is_right = is_right and figures["is_right"]
                print(json.dumps(figures), flush=True)
    rmtree(out, ignore_errors=True)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
