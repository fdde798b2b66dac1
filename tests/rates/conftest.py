"""A site on loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.http_server import Site, serve


@pytest.fixture
def site() -> Iterator[Site]:
    """A site without pages."""
    with serve() as site:
        yield site
