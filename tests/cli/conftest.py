"""What the tests of the command line share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.cli import Cli


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """The script, run in the test's own folder."""
    return Cli(tmp_path)


@pytest.fixture
def put(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a file into the test's own folder."""

    def put(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put
