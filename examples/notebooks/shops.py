"""Shops of our own making, each in a folder that is served on this machine: the notebooks need no other network."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from datetime import date, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread

import urlset

BEGIN = date(2026, 1, 5)
WORDS = (
    "leaves",
    "pot",
    "spring",
    "harvest",
    "garden",
    "cup",
    "steam",
    "mild",
    "dark",
    "smoke",
    "honey",
    "stone",
    "light",
)


class Shop:
    """A shop with products and news, and its sitemap. `url` is where it is.

    Args:
        seed: Shops with the same seed are the same.
        products: How many products it has.
    """

    def __init__(self, seed: int = 1, products: int = 30) -> None:
        self._random = Random(seed)
        self._folder = Path(tempfile.mkdtemp(prefix="shop-"))
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(self._folder)))
        Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}/"
        #: The text of each page, and the lastmod that the sitemap says.
        self.texts: dict[str, str] = {}
        self.lastmods: dict[str, date] = {}
        self.add("", BEGIN)
        for number in range(products):
            kind = self._random.choice(("tea", "coffee", "cocoa"))
            self.add(f"{kind}/{number}/", BEGIN - timedelta(days=self._random.randrange(700)))
        for number in range(products // 3):
            self.add(f"news/{number}/", BEGIN - timedelta(days=7 * number))

    def add(self, path: str, changed: date) -> None:
        """Add a page."""
        self.texts[path], self.lastmods[path] = self._text(), changed

    def change(self, paths: Iterable[str], day: date) -> None:
        """Write new texts, with their dates."""
        for path in paths:
            self.add(path, day)

    def some(self, section: str, count: int) -> list[str]:
        """Return some pages of a section."""
        return self._random.sample(sorted(path for path in self.texts if path.startswith(section)), count)

    def publish(self, *, missing: Iterable[str] = (), broken: bool = False) -> Shop:
        """Write the pages and the sitemap: without some of the pages, or with a sitemap that ends too early."""
        gone = set(missing)
        for path, text in self.texts.items():
            page = self._folder / path / "index.html"
            if path in gone:
                shutil.rmtree(page.parent, ignore_errors=True)
            else:
                page.parent.mkdir(parents=True, exist_ok=True)
                links = "".join(f'<a href="/{each}">{each}</a> ' for each in self.texts) if path == "" else ""
                page.write_text(f"<!doctype html><title>{path or 'Shop'}</title><p>{text}</p>{links}", "utf-8")
        (self._folder / "robots.txt").write_text(f"User-agent: *\nSitemap: {self.url}sitemap.xml\n", "utf-8")
        rows = [{"loc": path or "/", "lastmod": day.isoformat()} for path, day in self.lastmods.items()]
        urlset.publish(rows, self._folder, base_url=self.url)
        if broken:
            sitemap = self._folder / "sitemap.xml"
            sitemap.write_bytes(sitemap.read_bytes()[:-200])
        return self

    def _text(self) -> str:
        return " ".join(self._random.choices(WORDS, k=60))


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files, and writes no log into the notebook."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""
