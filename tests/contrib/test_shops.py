"""The shops of the examples, as they are: rows of a real database, published, and served by the same app."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import urlset
from support.serve.servers import SECONDS, Client, Got, uvicorn, waitress

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import an example, with its files in a folder."""
    monkeypatch.chdir(folder)
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


def locs(got: Got) -> list[str | None]:
    """The locs that a sitemap lists."""
    assert got.status == 200
    entries = list(urlset.parse(got.body))
    assert all(entry.lastmod is not None for entry in entries)
    return [entry.loc for entry in entries]


def wait(client: Client, expected: list[str]) -> Got:
    """Wait until the sitemap lists these pages."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        got = client.ask("/sitemap.xml")
        if got.status == 200 and locs(got) == expected:
            return got
        time.sleep(0.05)
    raise AssertionError(got)


def check(client: Client, publish: Callable[[], object]) -> None:
    """A page that is added is listed after the next publish, and a page that changes has another lastmod."""
    assert client.ask("/sitemap.xml").status == 503
    assert client.ask("/products/sencha").status == 404
    assert client.ask("/products?slug=sencha", "POST", content_length="0").status == 201
    assert client.ask("/products/sencha").status == 200
    publish()
    first = wait(client, ["https://shop.example/products/sencha"])
    assert client.ask("/sitemap.xml", if_none_match=first.headers["etag"]).status == 304
    assert client.ask("/products?slug=assam", "POST", content_length="0").status == 201
    publish()
    second = wait(client, ["https://shop.example/products/assam", "https://shop.example/products/sencha"])
    assert second.headers["etag"] != first.headers["etag"]
    assert client.ask("/robots.txt").body == b"Sitemap: https://shop.example/sitemap.xml\n"
    assert client.ask("/missing").status == 404


def test_the_shop_on_fastapi_publishes_after_each_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = load("fastapi_shop", tmp_path, monkeypatch)
    with uvicorn(shop.app) as client:
        check(client, lambda: None)


def test_the_shop_on_fastapi_publishes_from_a_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = load("fastapi_shop", tmp_path, monkeypatch)
    with uvicorn(shop.app) as client:
        for number in range(3):
            assert client.ask(f"/products?slug={number}", "POST", content_length="0").status == 201
        wait(client, [f"https://shop.example/products/{number}" for number in range(3)])
    command: list[str | Path] = [sys.executable, EXAMPLES / "fastapi_shop.py"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ended.stdout == "https://shop.example/sitemap.xml\n"


def test_the_shop_on_flask_publishes_by_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = load("flask_shop", tmp_path, monkeypatch)

    def publish() -> None:
        result = shop.app.test_cli_runner().invoke(args=["publish-sitemaps"])
        assert (result.exit_code, result.output) == (0, "https://shop.example/sitemap.xml\n")

    with waitress(shop.app) as client:
        check(client, publish)
    shop.engine.dispose()
