"""A site with planted faults, behind nginx and an app."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import support.audit.planted_targets  # noqa: F401  (it adds faults)
from support.audit.planted import Planted
from support.audit.planted_faults import FAULTS
from support.http_server import Site, serve
from support.nginx import nginx


@contextmanager
def planted_site(folder: Path, pages: int, each: int = 2) -> Iterator[Planted]:
    """Serve a site with planted faults until the block ends."""
    root, work = folder / "root", folder / "nginx"
    root.mkdir()
    work.mkdir()
    with serve() as app, nginx(root, work, app=app.url) as url:
        site = Planted(root, app, url, pages, each)
        site.lay(FAULTS)
        yield site


@pytest.fixture
def site() -> Iterator[Site]:
    """A site without pages."""
    with serve() as site:
        yield site


@pytest.fixture
def planted(tmp_path: Path) -> Iterator[Planted]:
    """A site of some hundred pages with planted faults."""
    with planted_site(tmp_path, 50) as site:
        yield site
