"""What the tests of sources share."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from support.sources.repository import Repository, made


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return made(tmp_path / "site")


@pytest.fixture
def lite(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """An SQLite file in the current folder, which is the test's own."""
    with closing(sqlite3.connect(tmp_path / "site.db", isolation_level=None)) as connection:
        before = Path.cwd()
        os.chdir(tmp_path)
        yield connection
        os.chdir(before)
