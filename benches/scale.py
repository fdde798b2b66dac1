"""Publish and read a very large set with Spark on one machine, from the first publish to the rollback.

    python benches/scale.py
    python benches/scale.py --rows 100000000
    python benches/scale.py --rows 10000000 --by hash --changed spread

Run it as `spark.py`. The rows are made by Spark from a range of numbers, so they need no disk; the set, and what Spark
shuffles, are below `--folder` and take up to 250 bytes a row until the end. `--by write` is `df.write` with partitions
of a million locs each, and `hash` and `key` are `publish`. Measured are seconds and processor time of the driver, the
JVM and all workers, their peaks of memory until then, and of each publish the seconds of the driver after its last
task, the documents that were written and their bytes. `change` publishes again with one row in a hundred changed:
`spread` over the whole set, or `together` in the first hundredth of the rows. `rollback` restores the set before, which
is read back in part. `scan` reads all documents with this process. `source` reads them with Spark, which hashes all
locs and lastmods; `made` makes the rows and hashes them, without a set, and the hashes are compared. The exit code is 1
if anything is wrong. Prints a line of JSON for each.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from typing import Any

import duckdb
import urlset
from spark import ENTRIES, HERE, measure, peak_mb, session

BASE = "https://shop.example/"
#: Rows of a series, or of a section of `key`: 20 documents, as `docs/spark.md` advises.
SERIES = 1_000_000
#: A row of the number `id`. Of the changed rows, the lastmod is a day later.
LOC = "concat('https://shop.example/pages/', lpad(CAST(id AS STRING), 11, '0'), '/', md5(CAST(id AS STRING))) AS loc"
LASTMOD = "timestamp_seconds(1577836800 + id % 3000000 * 60 + IF({changed}, 86400, 0)) AS lastmod"
SECTION = f"CAST(id DIV {SERIES} AS STRING) AS section"
CHANGED = {"nothing": "false", "spread": "id % 100 = 7", "together": "id < {rows} DIV 100"}
#: What is compared of all rows. It does not depend on their order.
SUM = ("count(*)", "bit_xor(xxhash64(loc, lastmod))")
#: Documents that are read back and compared row by row.
SAMPLE = 20


class Scale:
    """A set of so many rows, and what is done with it."""

    def __init__(self, rows: int, by: str, changed: str, folder: Path, cores: int) -> None:
        self.rows, self.changed, self.out = rows, changed, folder / "set"
        self.series = max(2, rows // SERIES)
        self.by = by
        self.tasks = max(cores, rows // SERIES)
        self.is_right = True
        self.facts: dict[str, Any] = {}

    def frame(self, spark: Any, changed: str) -> Any:
        """Return the rows."""
        condition = CHANGED[changed].format(rows=self.rows)
        columns = [LOC, LASTMOD.format(changed=condition), *[SECTION] * (self.by == "key")]
        return spark.range(0, self.rows, 1, self.tasks).selectExpr(*columns)

    def expect(self, is_so: bool, what: str) -> None:
        """Say what is wrong."""
        if not is_so:
            print(f"WRONG: {what}", file=sys.stderr, flush=True)
            self.is_right = False

    def publish(self, spark: Any, changed: str) -> dict[str, int]:
        """Publish the rows, keep what was done, and return what the plan says of them, if there is one to see."""
        from urlset.contrib.spark import publish

        frame, plan = self.frame(spark, changed), dict[str, int]()
        before = set(self.documents())
        if self.by == "write":
            frame.write.format("sitemap").option("base_url", BASE).mode("overwrite").save(str(self.out))
        else:
            shard_by = "key:section" if self.by == "key" else f"hash:{self.series}"
            done = publish(frame, self.out, base_url=BASE, shard_by=shard_by, partitions=self.series)
            plan = {name: getattr(done.plan, name) for name in ("added", "changed", "removed", "moved", "same")}
        seconds = seconds_since_last_task(spark)
        documents = self.documents()
        written = [path for path in documents if path not in before]
        self.facts = {"documents": len(documents), "written": len(written), "written_mb": megabytes(written)}
        self.facts |= {"plan": plan, "driver_seconds": round(seconds, 2)}
        return plan

    def first(self, spark: Any) -> None:
        """Publish all rows."""
        plan = self.publish(spark, "nothing")
        self.expect(plan.get("added", self.rows) == self.rows, "not all rows are new")

    def change(self, spark: Any) -> None:
        """Publish all rows again, of which some have changed."""
        plan = self.publish(spark, self.changed)
        self.expect(plan.get("changed", self.rows // 100) == self.rows // 100, "another number of rows has changed")
        self.expect(plan.get("moved", 0) == 0, "rows have moved")

    def rollback(self, _: Any) -> None:
        """Restore the first set."""
        self.facts = {"documents": len(urlset.rollback(self.out))}
        for path in self.sample():
            self.expect(is_made(path), f"{path.name} has other rows after the rollback")

    def scan(self, _: Any) -> None:
        """Read all rows with this process."""
        rows = sum(len(batch) for batch in urlset.scan(self.out / "sitemap.xml").batches())
        self.facts = {"documents": len(self.documents())}
        self.expect(rows == self.rows, f"{rows:,} rows were scanned")

    def source(self, spark: Any) -> None:
        """Read all rows with Spark, and compare them with those that were made."""
        frame = spark.read.format("sitemap").schema("loc string, lastmod timestamp").load(str(self.out))
        [found] = frame.selectExpr(*SUM).collect()
        self.facts = {"sum": list(found)}

    def made(self, spark: Any) -> None:
        """Make the rows without reading or writing anything."""
        [expected] = self.frame(spark, "nothing").selectExpr(*SUM).collect()
        self.expect(self.facts["sum"] == list(expected), f"Spark read {self.facts['sum']} instead of {list(expected)}")

    def check(self, _: Any) -> None:
        """Compare the set with its manifest, and some documents with their rows."""
        documents, manifest = self.documents(), self.manifest()
        with duckdb.connect() as connection:
            query = "SELECT count(*) FROM read_parquet(?) WHERE gone IS NULL"
            [(rows,)] = connection.execute(query, [list(map(str, manifest))]).fetchall()
        listed = self.metadata("shards")
        self.expect(rows == self.rows, f"the manifest has {rows:,} rows")
        self.expect(sum(each["entries"] for each in listed) == self.rows, "its documents have other entries")
        self.expect([each["name"] for each in listed] == [path.name for path in documents], "the index has others")
        self.expect(urlset.verify(self.out).is_intact, "the set is damaged")
        for path in self.sample():
            self.expect(is_made(path), f"{path.name} has other rows")
        self.facts = {
            "documents": len(documents),
            "documents_mb": megabytes(documents),
            "manifest_files": len(manifest),
            "manifest_mb": megabytes(manifest),
            "index_mb": megabytes([self.out / "sitemap.xml"]),
        }

    def documents(self) -> list[Path]:
        """Return the documents of the current set, if there is one, from its index."""
        if not (self.out / "sitemap.xml").exists():
            return []
        locs = urlset.read(self.out / "sitemap.xml", follow=False, columns=["loc"])
        return [self.out / str(entry.loc).removeprefix(BASE) for entry in locs]

    def sample(self) -> list[Path]:
        """Return some documents, the same ones each time."""
        documents = self.documents()
        return random.Random(42).sample(documents, min(SAMPLE, len(documents)))

    def metadata(self, name: str) -> Any:
        """Return what the current manifest says under a name."""
        with duckdb.connect() as connection:
            query = "SELECT decode(value) FROM parquet_kv_metadata(?) WHERE decode(key) = ?"
            path = str(self.out / ".urlset" / "manifest.parquet")
            [(text,)] = connection.execute(query, [path, f"urlset.{name}"]).fetchall()
        return json.loads(text)

    def manifest(self) -> list[Path]:
        """Return the files of the current manifest."""
        return [self.out / ".urlset" / "manifest.parquet", *(self.out / name for name in self.metadata("parts"))]

    def steps(self) -> dict[str, Callable[[Any], None]]:
        """Return what is done, in its order."""
        reading = {"check": self.check, "scan": self.scan, "source": self.source, "made": self.made}
        return {"publish": self.first, **reading, "change": self.change, "both": self.both, "rollback": self.rollback}

    def both(self, _: Any) -> None:
        """Count what is on the disk after the second publish: both sets."""
        files = [path for path in self.out.rglob("*") if path.is_file()]
        self.facts = {"files": len(files), "mb": megabytes(files), "manifest_mb": megabytes(self.manifest())}


def is_made(path: Path) -> bool:
    """Return whether each entry of a document is that of a row before the change."""
    with duckdb.connect() as connection:
        entries = urlset.read(path, columns=["loc", "lastmod"])  # noqa: F841  (DuckDB finds it by its name)
        query = """
            WITH each AS (SELECT loc, lastmod, regexp_extract(loc, '/([0-9]{11})/', 1)::BIGINT AS n FROM entries)
            SELECT count(*), count(*) FILTER (
                loc = 'https://shop.example/pages/' || lpad(n::VARCHAR, 11, '0') || '/' || md5(n::VARCHAR)
                AND epoch(lastmod) = 1577836800 + n % 3000000 * 60
            ) FROM each
        """
        [(count, right)] = connection.execute(query).fetchall()
    return bool(count and count == right)


def megabytes(files: list[Path]) -> float:
    """Return the size of files."""
    return round(sum(path.stat().st_size for path in files) / 1e6, 1)


def seconds_since_last_task(spark: Any) -> float:
    """Return how long ago the last job of Spark ended."""
    jobs = spark.sparkContext._jsc.sc().statusStore().jobsList(None)
    ended = max(jobs.apply(number).completionTime().get().getTime() for number in range(jobs.size()))
    return float(spark.sparkContext._jvm.System.currentTimeMillis() - ended) / 1000


def peaks(spark: Any) -> dict[str, int]:
    """Return the peaks of memory so far: of this process, of the JVM, and of the largest Python of a task."""
    java = spark.sparkContext._gateway.proc.pid
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    workers = [0]
    for process in parents:
        above = process
        while above not in (0, java):
            above = parents.get(above, 0)
        if above == java and process != java:
            try:
                workers.append(peak_mb(process))
            except (OSError, IndexError):  # it has ended
                continue
    return {"driver_mb": peak_mb(os.getpid()), "jvm_mb": peak_mb(java), "worker_mb": max(workers)}


def main() -> int:
    """Run all steps, and print their figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--by", choices=["write", "hash", "key"], default="write")
    parser.add_argument("--changed", choices=["together", "spread"], default="together")
    parser.add_argument("--folder", type=Path, default=HERE / "data" / "scale", help="it is removed at the end")
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    rmtree(options.folder, ignore_errors=True)
    (options.folder / "spark").mkdir(parents=True)
    os.environ["SPARK_LOCAL_DIRS"] = os.environ["TMPDIR"] = str(options.folder / "spark")
    scale = Scale(options.rows, options.by, options.changed, options.folder, options.cores)
    try:
        with session(options.cores) as spark:
            for name, step in scale.steps().items():
                try:
                    figures = measure(name, options.cores, options.rows // ENTRIES, spark, step)
                except urlset.UrlsetError as error:  # what comes after it may work all the same
                    scale.expect(False, f"{name}: {error}")
                    continue
                used = megabytes([path for path in options.folder.rglob("*") if path.is_file()])
                print(json.dumps({**figures, **peaks(spark), "disk_mb": used, **scale.facts}), flush=True)
    finally:
        rmtree(options.folder, ignore_errors=True)
    return 0 if scale.is_right else 1


if __name__ == "__main__":
    sys.exit(main())
