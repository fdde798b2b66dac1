"""Sets that both apps serve, behind real servers."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import urlset
from urlset.contrib import asgi, wsgi

from support.serve.servers import SERVERS, Client, OpenedFiles

APPS = {"asgi": asgi.SitemapApp, "wsgi": wsgi.SitemapApp}
BASE = "https://shop.example/"
#: Long enough ago for the times of the files to count.
THEN = datetime(2026, 11, 1, 12, tzinfo=UTC)
FOREVER = "public, max-age=31536000, immutable"
OPENED = OpenedFiles()


def publish(folder: Path, pages: int = 40, now: datetime = THEN, **options: Any) -> Any:
    """Publish an index with two documents, as plain XML if nothing else is said."""
    options = {"layout": urlset.Layout(compression="none"), **options}
    rows = [{"loc": f"/tea/{number}", "lastmod": f"2026-10-{1 + number % 28:02}"} for number in range(pages)]
    sections = {"tea": urlset.Section(rows), "cups": urlset.Section(["/cup"])}
    return urlset.publish(sections, folder, base_url=options.pop("base_url", BASE), now=now, **options)


def tea(folder: Path) -> str:
    """The name of the larger document."""
    (name,) = (path.name for path in folder.glob("sitemap-tea-*"))
    return name


class Servers:
    """Starts servers for a test, which end with it."""

    def __init__(self, stack: ExitStack, kind: str) -> None:
        self.kind = kind
        self._stack = stack

    def __call__(self, dest: Any, **options: Any) -> Client:
        options = {"check_every": 0, **options}
        return self._stack.enter_context(SERVERS[self.kind](APPS[self.kind](dest, **options)))
