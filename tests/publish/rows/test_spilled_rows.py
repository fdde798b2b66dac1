"""Rows that exceed the memory wait in files."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

from support.publish import publish
from urlset._publish.rows import ingest
from urlset._publish.rows.database import PlanningDatabase

pa: Any = import_module("pyarrow")


def test_of_very_many_rows_larger_runs_are_made(tmp_path: Path) -> None:
    """So that hundreds of millions of rows come to no more runs than are read at once."""
    count = 160_000
    sizes: list[int] = []
    files: list[Path] = []
    new_file = PlanningDatabase.new_file

    def noted(database: Any) -> Path:
        # Whatever was begun before the last one is written.
        sizes[:] = [path.stat().st_size for path in files[:-1]]
        files.append(new_file(database))
        return files[-1]

    with (
        patch.object(ingest, "_ALWAYS_HELD", 0),
        patch.object(ingest, "_HELD_PART", 2_000),  # about a quarter of a megabyte, which is less than 8,192 rows
        patch.object(ingest, "_MOST_HELD", 8),
        patch.object(ingest, "_FILE_PART", 8),
        patch.object(PlanningDatabase, "new_file", noted),
    ):
        published = publish(pa.table({"loc": [f"/{number:09}" for number in range(count)]}), tmp_path)
    assert published.entries == count
    assert sizes == sorted(sizes)
    assert sizes[-1] > 2 * sizes[0]
