"""A site on loopback and a state for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.http_server import Site, serve


@pytest.fixture
def site() -> Iterator[Site]:
    """A site without pages."""
    with serve() as site:
        yield site


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The file of a state."""
    return tmp_path / "state.sqlite"
