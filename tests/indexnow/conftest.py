"""What the tests of IndexNow share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.indexnow.folder import NOON, Folder
from support.indexnow.server import KEY, Server, serving
from urlset._indexnow.api import Submission

Submit = Callable[..., Submission]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ignore proxies in the environment: the server is on loopback."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def server() -> Iterator[Server]:
    """A site and an engine."""
    with serving() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path, server: Server) -> Folder:
    """A folder of the server's site without a published set."""
    return Folder(tmp_path / "public", server.base_url)


@pytest.fixture
def submit(server: Server, folder: Folder) -> Submit:
    """Submit the folder to the server."""

    def submit_folder(**options: Any) -> Submission:
        usual: dict[str, Any] = {
            "key": KEY,
            "endpoint": server.endpoint,
            "now": NOON,
            "allow_http": True,
            "timeout": 10.0,
        }
        return urlset.submit(**{"dest": folder.path, **usual, **options})

    return submit_folder
