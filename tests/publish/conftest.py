"""What tests of publishing ask for by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from support.publish.model import small
from support.publish.row_files import CSV
from urlset._publish.rows import known_input


@pytest.fixture
def small_files_count() -> Iterator[None]:
    """Files of a few bytes are known too, and fill several shards."""
    with patch.object(known_input, "_SMALL", 1), small():
        yield


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A small file of rows."""
    path = tmp_path / "rows.csv"
    path.write_text(CSV)
    return path
