"""The planning database: opened by the first statement, and closed before the folder with its files is removed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from urlset import InputError
from urlset._publish.rows import database
from urlset._publish.rows.database import planning_database
from urlset._util.instances import in_memory


def test_no_database_is_opened_without_a_statement() -> None:
    with patch.object(database, "in_memory") as opened, planning_database("64MB") as found:
        assert found.memory == 64_000_000
    assert not opened.called


@pytest.mark.parametrize("is_folder_first", [True, False])
def test_the_database_is_closed_before_its_folder_is_removed(*, is_folder_first: bool) -> None:
    is_there = []

    @contextmanager
    def watched(**settings: Any) -> Iterator[Any]:
        with in_memory(**settings) as connection:
            yield connection
        is_there.append(found.folder.is_dir())

    with patch.object(database, "in_memory", watched), planning_database("64MB") as found:
        if is_folder_first:
            assert found.folder.is_dir()
        found.connection.execute("CREATE TABLE numbers AS FROM range(3)")
        found.expect(database.MAX_ROWS_IN_MEMORY + 1)
        assert found.connection.execute("SELECT count(*) FROM numbers").fetchall() == [(3,)]
    assert is_there == [True]
    assert not found.folder.is_dir()


@pytest.mark.parametrize(
    ("memory", "size"), [("1KiB", 1024), ("1.5 gb", 1_500_000_000), ("2TiB", 2 << 40), ("1e3MB", None), ("50%", None)]
)
def test_amounts_of_memory(memory: str, size: int | None) -> None:
    with planning_database(memory) as found:
        assert found.memory == size if size else found.memory > 0


@pytest.mark.parametrize("memory", ["", "much", "0MB", "-1MB", "1", "9" * 400 + "GB", 512, None, b"1GB"])
def test_what_is_no_amount_of_memory(memory: Any) -> None:
    with pytest.raises(InputError, match="memory must be"), planning_database(memory):
        pass
