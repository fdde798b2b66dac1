"""The jobs on Spark 3.5, the oldest that they run on: the same tests, with its packages before those here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

#: Where `make test-long` installs it.
OLDEST = Path(sys.prefix) / "spark-3.5"
HERE = Path(__file__).parent
#: One test of each job at least; what becomes of a killed task does not depend on the version.
JOBS = "scan_to_parquet or test_lint or hash or diff or rules or budget or bucket"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(OLDEST), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, env={**environment, "PYTHONPATH": path}, capture_output=True, text=True, timeout=600, check=False
    )


def test_the_jobs_run_on_the_oldest_spark() -> None:
    assert run("-c", "import pyspark; print(pyspark.__version__)").stdout.startswith("3.5.")
    files = [str(HERE / f"test_{name}.py") for name in ("jobs", "publish", "set_queries")]
    # It uses what later versions of Python and pandas warn of, and leaves sockets open.
    warnings = ("DeprecationWarning", "FutureWarning", "ResourceWarning", "pytest.PytestUnraisableExceptionWarning")
    quiet = [word for warning in warnings for word in ("-W", f"ignore::{warning}")]
    done = run("-m", "pytest", *files, "-m", "long", "-k", JOBS, "-p", "no:cacheprovider", "-p", "no:xdist", *quiet)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout
