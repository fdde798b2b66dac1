"""Databases in memory that are lent: each is empty and has its own settings, whoever had the instance before."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import pytest
from urlset import InputError
from urlset._util.duckdb import connect, scalar
from urlset._util.instances import cursor_of, in_memory, spill_into

SETTING = "SELECT current_setting(?)"


def test_nothing_of_the_last_user_is_left(tmp_path: Path) -> None:
    with in_memory(memory="64MB", threads=2, spill=tmp_path / "a", preserve_insertion_order=False) as connection:
        connection.execute("CREATE TABLE mine AS SELECT 1 AS a; CREATE TEMP TABLE temporary AS SELECT 1 AS a")
        connection.execute("PRAGMA disable_optimizer")
        connection.register("view_of_mine", connection.sql("FROM mine"))
        assert scalar(connection, SETTING, ["memory_limit"]) == "61.0 MiB"
        assert scalar(connection, SETTING, ["threads"]) == 2
        assert scalar(connection, SETTING, ["preserve_insertion_order"]) is False
    with in_memory(threads=1) as connection, duckdb.connect(config={"threads": 1}) as new:
        assert connection.execute("SHOW ALL TABLES").fetchall() == []
        for name in ("memory_limit", "threads", "preserve_insertion_order"):
            assert scalar(connection, SETTING, [name]) == scalar(new, SETTING, [name]), name
        assert scalar(connection, SETTING, ["TimeZone"]) == "UTC"
        assert scalar(connection, SETTING, ["enable_progress_bar"]) is False


def test_nothing_is_written_where_the_process_happens_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    large = "CREATE TABLE big AS SELECT hash(range)::VARCHAR AS a FROM range(4_000_000)"
    with in_memory(memory="64MB", threads=1, spill=tmp_path / "a") as connection:
        connection.execute("SELECT 1")
    with in_memory(memory="64MB", threads=1) as connection, connect(memory="64MB", threads=1) as own:
        for each in (connection, own):
            with pytest.raises(duckdb.OutOfMemoryException):
                each.execute(large)
    assert list(tmp_path.iterdir()) == []


def test_two_at_once_do_not_meet() -> None:
    with in_memory() as first, in_memory() as second:
        first.execute("CREATE TABLE pages AS SELECT 1 AS a")
        second.execute("CREATE TABLE pages AS SELECT 2 AS a")
        with cursor_of(first) as cursor:
            assert cursor.execute("FROM pages").fetchall() == [(1,)]


def test_what_spilled_is_not_lent_again(tmp_path: Path) -> None:
    with in_memory(memory="64MB", threads=1, spill=tmp_path / "a") as connection:
        connection.execute("CREATE TABLE big AS SELECT hash(range)::VARCHAR AS a FROM range(4_000_000)")
        assert (tmp_path / "a").exists()
    with in_memory(memory="64MB", threads=1, spill=tmp_path / "b") as connection:
        connection.execute("CREATE TABLE big AS SELECT hash(range)::VARCHAR AS a FROM range(4_000_000)")
        assert (tmp_path / "b").exists()


def test_what_turns_out_to_be_large_gets_a_folder_of_its_own(tmp_path: Path) -> None:
    large = "CREATE TABLE big AS SELECT hash(range)::VARCHAR AS a FROM range(4_000_000)"
    with in_memory(memory="64MB", threads=1) as connection:
        with pytest.raises(duckdb.OutOfMemoryException):
            connection.execute(large)
        spill_into(connection, tmp_path / "a")
        connection.execute(large)
        assert (tmp_path / "a").exists()
    with in_memory(memory="64MB", threads=1) as connection:
        assert scalar(connection, SETTING, ["temp_directory"]) == ""


def test_an_error_ends_the_loan(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match="memory must be an amount such as '512MB', got 'much'"),
        in_memory(memory="much"),
    ):
        pass
    with pytest.raises(duckdb.BinderException), in_memory() as connection:
        connection.execute("CREATE TABLE mine AS SELECT 1 AS a; SELECT b FROM mine")
    with in_memory(spill=tmp_path / "a") as connection:
        assert connection.execute("SHOW ALL TABLES").fetchall() == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_has_its_own() -> None:
    with in_memory(threads=2) as connection:
        connection.execute("CREATE TABLE mine AS FROM range(1000)")
    child = os.fork()
    if child == 0:
        with in_memory(threads=2) as connection:
            found = scalar(connection, "SELECT count(*) FROM range(1000000)")
        os._exit(0 if found == 1_000_000 else 1)
    assert os.waitpid(child, 0)[1] == 0
