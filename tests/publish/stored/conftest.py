"""What the tests of stored sets share."""

from pathlib import Path

import pytest
from support.publish import locs, publish
from support.publish.model import small


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A set of three shards."""
    with small():
        publish(locs(7), tmp_path / "set")
    return tmp_path / "set"
