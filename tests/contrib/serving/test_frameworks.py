"""The apps inside the apps of other frameworks, mounted as docs/serving.md shows it, behind real servers."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.pages import blocks
from support.serve.servers import Client, uvicorn, waitress
from urlset.contrib import asgi, wsgi

BASE = "https://shop.example/"
DOCS = Path(__file__).parents[3] / "docs" / "serving.md"


def app_of_docs(word: str, name: str) -> Any:
    """The app that the page about serving makes in the block with that word, of a set in the folder `public`."""
    (text,) = (block.text for block in blocks(DOCS.read_text("utf-8")) if block.language == "py" and word in block.text)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, str(DOCS), "exec"), names)
    return names[name]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A set with an index and two documents, in the folder `public` of the current one."""
    monkeypatch.chdir(tmp_path)
    sections = {"tea": urlset.Section(["/tea"]), "cups": urlset.Section(["/cup"])}
    urlset.publish(sections, tmp_path / "public", base_url=BASE)
    return tmp_path / "public"


def check(client: Client, folder: Path, path: str = "/", other: str = "/about") -> None:
    """The set is served below a path, and the app around it goes on as before."""
    for file in folder.glob("sitemap*"):
        got = client.ask(path + file.name)
        assert (got.status, got.body) == (200, file.read_bytes()), file.name
        assert client.ask(path + file.name, if_none_match=got.headers["etag"]).status == 304
        assert client.ask(path + file.name, "POST").status == 405
    assert client.ask(f"{path}.urlset/manifest.parquet").status == 404
    got = client.ask(other)
    assert (got.status, got.body.strip(b'"')) == (200, b"about")
    assert client.ask("/missing").status == 404


# --- Starlette and FastAPI ----------------------------------------------------------------------------------


def test_starlette(folder: Path) -> None:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse
    from starlette.routing import BaseRoute, Mount, Route

    async def about(request: Request) -> PlainTextResponse:
        return PlainTextResponse("about")

    started: list[str] = []

    @asynccontextmanager
    async def lifespan(app: Starlette) -> Any:
        started.append("yes")
        yield

    def app(*routes: BaseRoute) -> Starlette:
        return Starlette(routes=[Route("/about", about), *routes], lifespan=lifespan)

    with uvicorn(app(Mount("/", asgi.SitemapApp(folder)))) as client:
        check(client, folder)
    with uvicorn(app(Mount("/maps", asgi.SitemapApp(folder)))) as client:
        check(client, folder, "/maps/")
    with uvicorn(asgi.SitemapApp(folder, fallback=app())) as client:
        check(client, folder)
    assert started == ["yes"] * 3


def test_a_websocket_goes_to_the_app_around_or_is_refused(folder: Path) -> None:
    async def ask(app: Any) -> list[dict[str, Any]]:
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "websocket.connect"}

        async def send(message: Any) -> None:
            sent.append(message)

        await app({"type": "websocket", "path": "/sitemap.xml", "headers": []}, receive, send)
        return sent

    async def fallback(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})

    assert asyncio.run(ask(asgi.SitemapApp(folder))) == [{"type": "websocket.close", "code": 1000}]
    assert asyncio.run(ask(asgi.SitemapApp(folder, fallback=fallback))) == [{"type": "websocket.accept"}]


@pytest.mark.parametrize("how", ["is told", "fails to send"])
def test_a_client_that_goes_away_ends_the_sending(tmp_path: Path, how: str) -> None:
    rows = [f"/{'p' * 60}{number}" for number in range(20_000)]
    sections = {"tea": urlset.Section(rows), "cups": urlset.Section(["/cup"])}
    urlset.publish(sections, tmp_path, base_url=BASE, layout=urlset.Layout(compression="none"))
    (name,) = (path.name for path in tmp_path.glob("sitemap-tea-*"))
    sent: list[int] = []

    async def ask() -> None:
        gone = asyncio.Event()

        async def receive() -> dict[str, Any]:
            if how == "is told":
                await gone.wait()
                return {"type": "http.disconnect"}
            return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]

        async def send(message: Any) -> None:
            sent.append(len(message.get("body", b"")))
            if len(sent) == 3:
                gone.set()
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                if how == "fails to send":
                    raise OSError("the client is gone")

        scope = {"type": "http", "method": "GET", "path": f"/{name}", "headers": []}
        await asgi.SitemapApp(tmp_path)(scope, receive, send)
        assert len(asyncio.all_tasks()) <= 2

    asyncio.run(ask())
    assert sent == [0, 256 << 10, 256 << 10]


@pytest.mark.long
def test_fastapi(folder: Path) -> None:
    from fastapi import FastAPI

    def app() -> FastAPI:
        app = FastAPI()

        @app.get("/about")
        def about() -> str:
            return "about"

        return app

    mounted = app()
    mounted.mount("/", asgi.SitemapApp(folder))
    with uvicorn(mounted) as client:
        check(client, folder)
    below = app()
    below.mount("/maps", asgi.SitemapApp(folder))
    with uvicorn(below, root_path="/shop") as client:
        check(client, folder, "/maps/")
    with uvicorn(asgi.SitemapApp(folder, fallback=app())) as client:
        check(client, folder)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:.*Litestar")
def test_litestar(folder: Path) -> None:
    from litestar import Litestar, get
    from litestar import asgi as mount

    def about() -> str:
        return "about"

    sitemaps = asgi.SitemapApp(folder)

    async def maps(scope: Any, receive: Any, send: Any) -> None:
        await sitemaps(scope, receive, send)

    routes = [get("/about", sync_to_thread=False)(about), mount("/maps", is_mount=True, copy_scope=True)(maps)]
    with uvicorn(Litestar(routes)) as client:
        check(client, folder, "/maps/")
    with uvicorn(app_of_docs("litestar", "app")) as client:
        check(client, folder)


def test_an_app_around_keeps_its_own_sitemaps_while_there_is_no_set(tmp_path: Path) -> None:
    from flask import Flask

    app = Flask("shop")
    app.add_url_rule("/blog/sitemap.xml", view_func=lambda: "its own", endpoint="blog")
    with waitress(wsgi.SitemapApp(tmp_path, fallback=app)) as client:
        assert client.ask("/blog/sitemap.xml").body == b"its own"
        assert client.ask("/sitemap.xml").status == 503
    with waitress(wsgi.SitemapApp(tmp_path)) as client:
        assert client.ask("/blog/sitemap.xml").status == 503


# --- Flask and Django ---------------------------------------------------------------------------------------


def test_flask(folder: Path) -> None:
    from flask import Flask
    from werkzeug.middleware.dispatcher import DispatcherMiddleware

    def app() -> Flask:
        app = Flask("shop")
        app.add_url_rule("/about", view_func=lambda: "about", endpoint="about")
        return app

    wrapped = app()
    wrapped.wsgi_app = wsgi.SitemapApp(folder, fallback=wrapped.wsgi_app)  # type: ignore[method-assign]
    with waitress(wrapped) as client:
        check(client, folder)
    mounted = DispatcherMiddleware(app(), {"/maps": wsgi.SitemapApp(folder)})
    with waitress(mounted) as client:
        check(client, folder, "/maps/")


@pytest.mark.long
def test_django(folder: Path) -> None:
    import django
    from django.conf import settings
    from django.http import HttpResponse
    from django.test.utils import override_settings
    from django.urls import path

    if not settings.configured:
        settings.configure(ALLOWED_HOSTS=["*"], SECRET_KEY="x", LOGGING_CONFIG=None)
        django.setup()
    urls = type("urls", (), {"urlpatterns": [path("about", lambda request: HttpResponse("about"))]})
    with override_settings(ROOT_URLCONF=urls, ALLOWED_HOSTS=["*"], MIDDLEWARE=[]):
        with waitress(app_of_docs("get_wsgi_application", "application")) as client:
            check(client, folder)
        with uvicorn(app_of_docs("get_asgi_application", "application")) as client:
            check(client, folder)
