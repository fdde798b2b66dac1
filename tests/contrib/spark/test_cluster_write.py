"""Sets written on a real standalone cluster: tasks that run twice at once, and a worker that dies half way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import urlset
from support.contrib.spark import PACKAGE, cluster, wait_until
from support.jobs import own_files
from support.publish import BASE, locs, read_back

pytestmark = pytest.mark.long

COUNT, PARTITIONS = 30_000, 6
#: A driver with two executors. It writes a set with a task that waits until another attempt has overtaken it, then one
#: set by partitions and one by hashes, during which a worker dies.
DRIVER = f"""
import json, sys, time
from support.contrib.spark import session
from urlset.contrib.spark import publish, register
url, folder = sys.argv[1:]
SETTINGS = {{"executor.cores": "1", "speculation": "true", "speculation.quantile": "0.3"}}

def waits(batches):
    from pyspark import TaskContext
    yield from batches
    context = TaskContext.get()
    if context.partitionId() == 1:
        with open(f"{{folder}}/attempts", "a") as file:
            file.write(f"{{context.attemptNumber()}}\\n")
        if context.attemptNumber() == 0:
            time.sleep(600)
            raise SystemExit("the first attempt was waited for")

def slow(batches):
    for batch in batches:
        yield batch
        time.sleep(1)

with session(url, **{{f"spark.{{name}}": value for name, value in SETTINGS.items()}}) as spark:
    register(spark)
    frame = spark.range(0, {COUNT}, 1, {PARTITIONS}).selectExpr("format_string('{BASE}p%06d', id) AS loc")
    def write(rows, name):
        rows.write.format("sitemap").option("base_url", "{BASE}").mode("overwrite").save(f"{{folder}}/{{name}}")
    write(frame.mapInArrow(waits, "loc string"), "twice")
    write(frame.mapInArrow(slow, "loc string"), "killed")
    published = publish(frame, f"{{folder}}/hashed", base_url="{BASE}", shard_by="hash:6", partitions=6)
    again = publish(frame.repartition(5), f"{{folder}}/hashed", base_url="{BASE}", shard_by="hash:6", partitions=4)
print(json.dumps({{"entries": published.entries, "again": [again.plan.same, list(again.written)]}}))
"""


def test_duplicate_tasks_and_a_dead_worker_leave_nothing_but_the_sets(tmp_path: Path) -> None:
    tests = str(Path(__file__).parents[2])
    path = os.pathsep.join([str(PACKAGE), tests])
    environment = {**os.environ, "PYTHONPATH": path, "SPARK_LOCAL_IP": "127.0.0.1"}
    with cluster(tmp_path) as spark:
        command = [sys.executable, "-W", "ignore", "-c", DRIVER, spark.url, str(tmp_path)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
        ) as driver:
            try:
                wait_until(lambda: list(tmp_path.glob("killed/.urlset/jobs/*/*/sitemap*")), driver)
                spark.kill(1)
                output, _ = driver.communicate(timeout=400)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(driver.pid, signal.SIGKILL)
        assert driver.returncode == 0
    found = json.loads(output)
    assert sorted((tmp_path / "attempts").read_text().split()) == ["0", "1"]
    assert (found["entries"], found["again"]) == (COUNT, [COUNT, []])
    for name in ("twice", "killed", "hashed"):
        assert sorted(map(str, read_back(tmp_path / name))) == locs(COUNT)
        assert own_files(tmp_path / name) == ["manifest.parquet"]
        assert urlset.verify(tmp_path / name).is_intact
