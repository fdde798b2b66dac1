"""The ASGI app on the event loop of trio, behind a real server."""

from __future__ import annotations

import gzip
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
import urlset
from support.serve.servers import SECONDS, Client, hypercorn_on_trio
from urlset.contrib.asgi import SitemapApp

BASE = "https://shop.example/"


def publish(folder: Path, *paths: str) -> None:
    """Publish an index with a document that is sent in pieces, and a small one."""
    rows = [f"/{'p' * 60}{number}" for number in range(20_000)]
    sections = {"tea": urlset.Section(rows), "cups": urlset.Section(["/cup", *paths])}
    urlset.publish(sections, folder, base_url=BASE, layout=urlset.Layout(compression="none"))


def names(folder: Path) -> list[str]:
    """The documents, the large one first."""
    return sorted((path.name for path in folder.glob("sitemap*")), key=lambda name: -(folder / name).stat().st_size)


async def about(scope: Any, receive: Any, send: Any) -> None:
    """An app around it."""
    if scope["type"] == "lifespan":
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    await trio.sleep(0)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"about"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set that only one test changes, and only in its small documents."""
    public = tmp_path_factory.mktemp("public")
    publish(public)
    return public


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Client]:
    """A server of that set."""
    with hypercorn_on_trio(SitemapApp(folder, check_every=0)) as client:
        yield client


def test_every_file_is_served_whole_in_part_and_not_at_all(client: Client, folder: Path) -> None:
    for name in names(folder):
        data = (folder / name).read_bytes()
        for _ in range(2):  # from the file, and from memory
            got = client.ask(f"/{name}")
            assert (got.status, got.body) == (200, data)
        assert client.ask(f"/{name}", if_none_match=got.headers["etag"]).status == 304
        packed = client.ask(f"/{name}", accept_encoding="gzip")
        is_packed = packed.headers.get("content-encoding") == "gzip"
        assert is_packed is (len(data) >= 256)
        assert (gzip.decompress(packed.body) if is_packed else packed.body) == data
        part = client.ask(f"/{name}", range="bytes=50-")
        assert (part.status, part.body) == (206, data[50:])
        assert client.ask(f"/{name}", "HEAD").body == b""
    assert client.ask("/other").status == 404


def test_a_new_set_is_served(client: Client, folder: Path) -> None:
    before = client.ask("/sitemap.xml").body
    publish(folder, "/new")
    got = client.ask("/sitemap.xml")
    assert got.body == (folder / "sitemap.xml").read_bytes() != before
    assert b"/new</loc>" in client.ask(f"/{names(folder)[1]}").body + client.ask(f"/{names(folder)[2]}").body


def test_all_else_is_left_to_the_app_around(folder: Path) -> None:
    with hypercorn_on_trio(SitemapApp(folder, fallback=about)) as client:
        assert client.ask("/about").body == b"about"
        assert client.ask("/sitemap.xml").status == 200


def test_a_client_that_hangs_up_does_no_harm(client: Client, folder: Path) -> None:
    name = names(folder)[0]
    for _ in range(5):
        with closing(socket.create_connection(("127.0.0.1", client.port), SECONDS)) as connection:
            connection.sendall(f"GET /{name} HTTP/1.1\r\nHost: shop.example\r\n\r\n".encode())
            connection.recv(100)
    assert client.ask(f"/{name}").body == (folder / name).read_bytes()


@pytest.mark.parametrize("how", ["is told", "fails to hear", "fails to send", "is broken"])
def test_a_client_that_goes_away_ends_the_sending(folder: Path, how: str) -> None:
    sent: list[int] = []

    async def ask() -> None:
        gone = trio.Event()

        async def receive() -> dict[str, Any]:
            if how in ("is told", "fails to hear"):
                await gone.wait()
                if how == "fails to hear":
                    raise trio.BrokenResourceError
                return {"type": "http.disconnect"}
            return await trio.sleep_forever()

        async def send(message: Any) -> None:
            sent.append(len(message.get("body", b"")))
            if len(sent) == 3:
                gone.set()
                await trio.testing.wait_all_tasks_blocked()
                if how == "fails to send":
                    raise OSError("the client is gone")
                if how == "is broken":
                    raise ValueError("of the server")

        scope = {"type": "http", "method": "GET", "path": f"/{names(folder)[0]}", "headers": []}
        await SitemapApp(folder)(scope, receive, send)

    if how == "is broken":
        with pytest.raises(ValueError, match="of the server"):
            trio.run(ask)
    else:
        trio.run(ask)
    assert sent == [0, 256 << 10, 256 << 10]
