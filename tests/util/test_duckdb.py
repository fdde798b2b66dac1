"""DuckDB as every room opens it: where it runs, and how it is interrupted."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from urlset import InputError
from urlset._util.duckdb import connect, interruptible, parsed, scalar

duckdb: Any = import_module("duckdb")

TASKS = Path("/proc/self/task")
LONG = "SELECT sum(a.range * b.range) FROM range(1000000) a, range(10000000) b"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
def test_an_interrupted_query_raises_what_python_raises() -> None:
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt), interruptible(), connect(threads=1) as connection:
            connection.execute(LONG).fetchall()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not TASKS.exists(), reason="this system does not list the threads of a process")
def test_an_instance_starts_no_threads_beside_those_of_its_queries() -> None:
    before = len(list(TASKS.iterdir()))
    with connect(threads=2):
        assert len(list(TASKS.iterdir())) <= before + 1  # the caller's is the other one


def test_another_runtime_error_is_raised_as_it_is() -> None:
    with pytest.raises(RuntimeError, match="something else"), interruptible():
        raise RuntimeError("something else")


def test_only_an_invalid_amount_of_memory_is_reported_as_one() -> None:
    with pytest.raises(InputError, match="memory must be an amount such as '512MB', got 'much'"):
        connect(memory="much")
    with connect(memory="512MB") as connection:
        assert scalar(connection, "SELECT current_setting('enable_progress_bar')") is False
        assert scalar(connection, "SELECT current_setting('TimeZone')") == "UTC"


def test_statements_are_parsed_while_the_caller_uses_the_default_connection() -> None:
    default = duckdb.default_connection()
    with ThreadPoolExecutor(1) as pool:
        query = pool.submit(default.execute, LONG)
        while not query.running():
            time.sleep(0.001)
        time.sleep(0.1)
        try:
            statement = parsed("SELECT 41 + 1")
        finally:
            default.interrupt()
        assert query.exception() is not None
    assert connect().execute(statement).fetchall() == [(42,)]
