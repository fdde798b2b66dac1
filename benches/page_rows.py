"""Measure what a crawled page costs between its answer and the run file.

    python benches/page_rows.py
    python benches/page_rows.py --pages 2000 --rounds 1

The answers are those of the site of `crawl.py`, from memory: no request is made. Prints JSON with the microseconds of
processor time for each page: of the whole crawl, of the reading of the pages alone, and of what is left. Exits with 1
if the run file has other pages or links than the site.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from crawl import site_pages
from urlset import Http, _core
from urlset._crawl.bounds import Bounds
from urlset._crawl.crawler import Crawler
from urlset._fetch.page_fetcher import PageFetcher
from urlset._model.fetched_pages import FetchedPage, Request
from urlset._page.challenges import challenge
from urlset._page.ignored import Ignored
from urlset._runs.file import RunFile

SITE = "http://shop.example"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
HEADERS = (
    ("server", "nginx"),
    ("content-type", "text/html"),
    ("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT"),
    ("etag", '"69560a30-2a8c"'),
)


class Memory:
    """Answers requests as `PageFetcher` does, from memory."""

    def __init__(self, bodies: dict[str, bytes]) -> None:
        self.options = Http(concurrency=16)
        self._bodies = bodies
        self._waiting: list[Request] = []

    @property
    def pending(self) -> int:
        """How many requests have no result yet that was taken."""
        return len(self._waiting)

    def submit(self, request: Request) -> None:
        """Request a page."""
        self._waiting.append(request)

    def results(self) -> list[FetchedPage]:
        """Return the pages that were requested."""
        waiting, self._waiting = self._waiting, []
        return [self._page(request) for request in waiting]

    def _page(self, request: Request) -> FetchedPage:
        body = self._bodies[request.url]
        whose = challenge(HEADERS, body)
        return FetchedPage(
            url=request.url,
            hops=(),
            final_url=request.url,
            status=200,
            headers=HEADERS,
            body=body,
            is_cut=False,
            method="GET",
            seconds=0.001,
            fetched=NOW,
            problem=whose,
            refused=None if whose is None else "bot challenge",
            tag=request.tag,
        )


def crawl(bodies: dict[str, bytes], path: Path) -> float:
    """Crawl the site, and return the processor seconds."""
    fetcher = Memory(bodies)
    bounds = Bounds(pages=10**9, clicks=500, follows_traps=False, is_strict=True)
    with RunFile(path) as file:
        run = file.begin("crawl", f"{SITE}/", settings={}, now=NOW, version="1")
        begin = time.process_time()
        crawler = Crawler(file, run, f"{SITE}/", cast(PageFetcher, fetcher), bounds, Ignored(), now=NOW)
        crawler.begin()
        crawler.run()
        return time.process_time() - begin


def read(bodies: dict[str, bytes]) -> float:
    """Let the core read each page, and return the processor seconds."""
    options: dict[str, Any] = {"masks": [], "boilerplate": [], "most_json": 1_000_000, "most_items": 1_000}
    begin = time.process_time()
    for url, body in bodies.items():
        _core.page_extract(body, url, "text/html", **options)
    return time.process_time() - begin


def is_whole(path: Path, bodies: dict[str, bytes], links: set[tuple[str, str]]) -> bool:
    """Return whether a run file has each page once, and each link."""
    with RunFile(path, read_only=True) as file:
        pages = file.connection.execute("SELECT loc, title FROM pages WHERE status = 200").fetchall()
        found = file.connection.execute("SELECT source, target FROM links WHERE kind = 'a'").fetchall()
    expected = sorted((url, f"Tea {url.removeprefix(SITE)}") for url in bodies if url != f"{SITE}/")
    named = sorted((url, title) for url, title in pages if url != f"{SITE}/")
    return named == expected and len(pages) == len(bodies) and len(found) == len(links) and set(found) == links


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=8_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    bodies: dict[str, bytes] = {}
    links = set()
    for name, text, targets in site_pages(options.pages):
        url = f"{SITE}{'/' if name == '/index.html' else name}"
        bodies[url] = text.encode()
        links |= {(url, f"{SITE}{target}") for target in targets}
    whole, alone, is_right = [], [], True
    for _ in range(options.rounds):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "run.duckdb"
            whole.append(crawl(bodies, path))
            is_right &= is_whole(path, bodies, links)
            size = path.stat().st_size
        alone.append(read(bodies))
    best, reading = (min(each) / len(bodies) * 1e6 for each in (whole, alone))
    result = {
        "pages": len(bodies),
        "microseconds_a_page": round(best, 1),
        "of_reading": round(reading, 1),
        "of_all_else": round(best - reading, 1),
        "file_bytes_a_page": round(size / len(bodies)),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(json.dumps(result, indent=2))
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
