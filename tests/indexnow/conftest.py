"""What the tests of IndexNow share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.indexnow_server import KEY, Server, serving
from support.indexnow_site import NOON, Folder
from urlset._indexnow.api import Submission, submit

Submit = Callable[..., Submission]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server is on loopback, whatever way out this machine has."""
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
    """A folder of the server's site; nothing is published in it."""
    return Folder(tmp_path / "public", server.base_url)


@pytest.fixture
def waits() -> list[float]:
    """The seconds that were waited for."""
    return []


@pytest.fixture
def tell(server: Server, folder: Folder, waits: list[float]) -> Submit:
    """Submit the folder to the server, without waiting and without chance."""

    def tell(**options: Any) -> Submission:
        usual: dict[str, Any] = {
            "key": KEY,
            "endpoint": server.endpoint,
            "now": NOON,
            "wait": waits.append,
            "jitter": lambda: 0.0,
            "allow_http": True,
            "timeout": 10.0,
        }
        return submit(**{"source": folder.path, **usual, **options})

    return tell
