"""Both apps that serve a published set, each behind a server of its kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import urlset
from support.serve.servers import SERVERS, Client
from support.serve.sets import APPS, Servers, publish


@pytest.fixture(params=APPS)
def serve(request: pytest.FixtureRequest) -> Iterator[Servers]:
    with ExitStack() as stack:
        yield Servers(stack, request.param)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set that no test changes."""
    public = tmp_path_factory.mktemp("site") / "public"
    publish(public, update_robots=True, layout=urlset.Layout(compression="none", stylesheet=True))
    (public / "private.html").write_text("secret")
    (public.parent / "secret.txt").write_text("secret")
    return public


@pytest.fixture(scope="module", params=APPS)
def site(request: pytest.FixtureRequest, folder: Path) -> Iterator[Client]:
    """A server of that set."""
    with SERVERS[request.param](APPS[request.param](folder)) as client:
        yield client
