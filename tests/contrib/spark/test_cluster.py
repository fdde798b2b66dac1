"""Jobs on a real standalone cluster: a master and two worker processes, one of which dies on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
import pytest
import urlset
from jobs.test_reading import broken, index, pages
from support.contrib.spark import PACKAGE, Cluster, cluster, wait_until

pytestmark = pytest.mark.long

#: A driver: it reads, checks and writes what its arguments say, in a session of its own.
DRIVER = """
import json, sys
from support.contrib.spark import session
from urlset import Rules
from urlset.contrib.spark import lint, register, scan_to_parquet
url, source, out = sys.argv[1:]
with session(url, **{"spark.executor.cores": "1"}) as spark:
    register(spark)
    found = {"executors": spark.sparkContext.defaultParallelism}
    done = scan_to_parquet(spark, source, out, columns=["loc", "document"], min_partitions=24)
    found |= {"rows": done.rows, "broken": done.broken, "files": len(done.files), "errors": done.errors}
    frame = spark.read.format("sitemap").schema("loc string").option("min_partitions", 12).load(source)
    found |= {"read": frame.count(), "distinct": frame.distinct().count()}
    found |= {"findings": lint(spark, source, rules=Rules(select=["LOC"]), min_partitions=12).count()}
print(json.dumps(found))
"""


@contextmanager
def drive(spark: Cluster, source: Path, out: Path) -> Iterator[subprocess.Popen[str]]:
    """Run the driver, and end it with its Java at the end of the block."""
    tests = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE), tests]), "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, "-W", "ignore", "-c", DRIVER, spark.url, str(source), str(out)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as driver:
        try:
            yield driver
        finally:
            with suppress(ProcessLookupError):
                os.killpg(driver.pid, signal.SIGKILL)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An index of 24 documents, one of them cut off and one something else."""
    folder = tmp_path / "site"
    folder.mkdir()
    names = [f"{number}.xml" for number in range(24)]
    (folder / "sitemap.xml").write_bytes(index(*names))
    for number, name in enumerate(names):
        (folder / name).write_bytes(pages(number * 20_000, 20_000))
    wrong = broken(tmp_path)
    (folder / "7.xml").write_bytes(wrong["page"].read_bytes())
    (folder / "8.xml").write_bytes((folder / "8.xml").read_bytes()[:400_000])
    return folder


def test_a_worker_that_dies_costs_nothing_but_time(site: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    mine = urlset.read(site, columns=["loc", "document"])
    with cluster(tmp_path) as spark, drive(spark, site, out) as driver:
        wait_until(lambda: spark.executors(1) and list(out.glob("_temporary/*/*.parquet")), driver)
        spark.kill(1)
        output, _ = driver.communicate(timeout=300)
        assert driver.returncode == 0
        found = json.loads(output)
    assert found["rows"] == found["read"] == found["distinct"] == len(mine)
    assert (found["broken"], found["files"]) == (2, len(list(out.glob("*.parquet"))))
    assert any("7.xml:1:1: not a sitemap" in error for error in found["errors"])
    assert found["findings"] == len(urlset.lint(site, rules=urlset.Rules(select=["LOC"])).diagnostics)
    assert sorted(path.name for path in out.iterdir() if path.suffix != ".parquet") == ["_SUCCESS"]
    with duckdb.connect() as connection:
        connection.register("mine", mine)
        query = (
            f"FROM read_parquet('{out}/*.parquet') SELECT loc, document EXCEPT FROM mine SELECT loc, document::VARCHAR"
        )
        assert connection.execute(query).fetchall() == []
