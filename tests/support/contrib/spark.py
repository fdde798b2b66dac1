"""A Spark for the long tests: one process per session of tests, which finds urlset as a cluster would."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import urlset

PACKAGE = Path(urlset.__file__).parent.parent
#: For every JVM here: these live too short for the second compiler and parallel collection to pay.
os.environ["JAVA_TOOL_OPTIONS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
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


@dataclass(frozen=True, slots=True)
class Cluster:
    """A master and its workers, each a process of its own."""

    url: str
    workers: list[subprocess.Popen[bytes]]

    def executors(self, worker: int) -> list[int]:
        """The processes of the executors that a worker has started."""
        children = Path(f"/proc/{self.workers[worker].pid}/task").glob("*/children")
        return [int(child) for path in children for child in path.read_text().split()]

    def kill(self, worker: int) -> None:
        """Kill a worker with its executors, as a machine that loses its power."""
        for process in (*self.executors(worker), self.workers[worker].pid):
            os.kill(process, signal.SIGKILL)


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """Start a standalone cluster on this machine, each worker with one core, and stop it at the end of the block."""
    import pyspark

    program = Path(pyspark.__file__).parent / "bin" / "spark-class"
    environment = {
        **os.environ,
        "PYTHONPATH": str(PACKAGE),
        "SPARK_DAEMON_MEMORY": "256m",
    }
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url, processes = f"spark://127.0.0.1:{port}", []

    def start(name: str, kind: str, host: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [str(program), f"org.apache.spark.deploy.{kind}", "--host", host, *arguments]
        own = {**environment, "SPARK_LOCAL_IP": host}
        with (folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=own, start_new_session=True)
        processes.append(process)
        return process

    try:
        start("master", "master.Master", "127.0.0.1", "--port", str(port), "--webui-port", "0")
        _wait_for(folder / "master.log", "I have been elected leader")
        own = ["--cores", "1", "--memory", "600m", "--webui-port", "0"]
        found = [
            # Each on a host of its own: Spark runs no task twice on one host.
            start(
                f"worker-{each}",
                "worker.Worker",
                f"127.0.0.{each + 1}",
                *own,
                "--work-dir",
                str(folder / f"worker-{each}"),
                url,
            )
            for each in range(workers)
        ]
        for each in range(workers):
            _wait_for(folder / f"worker-{each}.log", "Successfully registered with master")
        yield Cluster(url, found)
    finally:
        for process in processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_for(log: Path, text: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while text not in log.read_text(errors="replace"):
        assert time.monotonic() < end, log.read_text(errors="replace")
        time.sleep(0.1)


def wait_until(is_so: Callable[[], object], process: subprocess.Popen[Any], seconds: float = 300) -> None:
    """Wait until something is so, while a process is running."""
    end = time.monotonic() + seconds
    while not is_so():
        assert process.poll() is None, "the process ended too early"
        assert time.monotonic() < end
        time.sleep(0.02)
