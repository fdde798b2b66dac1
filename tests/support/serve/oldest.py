"""Serves a set by a framework or a server that `oldest.txt` names, in a process of its own.

python oldest.py starlette FOLDER PORT
"""

from __future__ import annotations

import sys
from typing import Any

from urlset.contrib import asgi, wsgi


def starlette(folder: str, port: int) -> None:
    """Starlette, by mounts under uvicorn."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.routing import Mount

    routes = [Mount("/maps", asgi.SitemapApp(folder)), Mount("/", asgi.SitemapApp(folder))]
    uvicorn.run(Starlette(routes=routes), port=port, log_level="error")


def fastapi(folder: str, port: int) -> None:
    """FastAPI, by mounts under uvicorn."""
    import uvicorn
    from fastapi import FastAPI

    app = FastAPI()
    app.mount("/maps", asgi.SitemapApp(folder))
    app.mount("/", asgi.SitemapApp(folder))
    uvicorn.run(app, port=port, log_level="error")


def flask(folder: str, port: int) -> None:
    """Flask, by its own server."""
    from flask import Flask
    from werkzeug.middleware.dispatcher import DispatcherMiddleware
    from werkzeug.serving import run_simple

    app: Any = Flask("shop")
    app.wsgi_app = wsgi.SitemapApp(folder, fallback=app.wsgi_app)
    run_simple("127.0.0.1", port, DispatcherMiddleware(app, {"/maps": wsgi.SitemapApp(folder)}))


def hypercorn(folder: str, port: int) -> None:
    """Another server of ASGI."""
    import asyncio
    from importlib import import_module

    config = import_module("hypercorn.config").Config()
    config.bind = [f"127.0.0.1:{port}"]
    app = asgi.SitemapApp(folder, fallback=asgi.SitemapApp(folder))
    asyncio.run(import_module("hypercorn.asyncio").serve(app, config))


def gunicorn(folder: str, port: int) -> None:
    """A server of WSGI that forks once the app is there."""
    from importlib import import_module

    base: Any = import_module("gunicorn.app.base").BaseApplication

    class Server(base):  # type: ignore[misc]
        def load_config(self) -> None:
            for name, value in {"bind": f"127.0.0.1:{port}", "workers": 2, "preload_app": True}.items():
                self.cfg.set(name, value)

        def load(self) -> Any:
            return wsgi.SitemapApp(folder)

    Server().run()


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
