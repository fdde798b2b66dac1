"""Measure what one page costs: the pass of the core, and the same facts by selectolax and by lxml.

    python benches/extraction.py [ROUNDS]

The pages are one of 10 KB with 30 links, as in `crawl.py`, and one of 300 KB with 2,000 links. Each contestant finds
the title, the canonical URL, the robots instruction, the date of the last change, and the absolute URL of every link.
The core finds all else that `crawl` keeps as well, such as a hash of the content. Prints JSON with the microseconds of
processor time for each page. Exits with 1 if two contestants differ.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin

from lxml import html
from selectolax.lexbor import LexborHTMLParser
from urlset import _core

URL = "https://shop.example/category-1.html"
TEXT = "Green tea is made of leaves that were not oxidised; it tastes of grass and a little of the sea. "
HEAD = (
    "<title>Tea</title><link rel=canonical href=/tea><meta name=robots content='max-snippet:-1'>"
    "<meta property=article:modified_time content=2026-01-02T03:04:05Z>"
)
Facts = tuple[str | None, list[str], list[str], list[str], list[str]]


def page(links: int, paragraphs: int) -> bytes:
    """Return a page with so many links and paragraphs."""
    items = "".join(f'<li><a href="/page-{number}.html">Tea {number}</a></li>\n' for number in range(links))
    text = "".join(f"<p>{TEXT * 7}</p>\n" for _ in range(paragraphs))
    body = f"<nav><a href=/>Home</a></nav><main><h1>Tea</h1>{text}</main><ul>{items}</ul>"
    return f"<!doctype html><html lang=en><head>{HEAD}</head><body>{body}</body></html>".encode()


def by_core(data: bytes) -> Facts:
    """The facts by the core."""
    found = _core.page_extract(
        data,
        URL,
        "text/html; charset=utf-8",
        masks=[],
        boilerplate=[],
        most_json=1_000_000,
        most_items=1_000,
        with_parts=False,
    )
    dates = [value for name, value in found.dates if name == "article:modified_time"]
    return found.title, found.canonicals, [text for _, text in found.robots], dates, [link[0] for link in found.links]


def by_selectolax(data: bytes) -> Facts:
    """The facts by selectolax."""
    tree = LexborHTMLParser(data)

    def values(selector: str, name: str) -> list[str]:
        return [each.attributes.get(name) or "" for each in tree.css(selector)]

    title = tree.css_first("title")
    return (
        None if title is None else title.text(),
        [urljoin(URL, each) for each in values("link[rel=canonical]", "href")],
        values("meta[name=robots]", "content"),
        values('meta[property="article:modified_time"]', "content"),
        [urljoin(URL, each) for each in values("a[href]", "href")],
    )


def by_lxml(data: bytes) -> Facts:
    """The facts by lxml."""
    tree: Any = html.document_fromstring(data)
    return (
        tree.findtext(".//title"),
        [urljoin(URL, each) for each in tree.xpath("//link[@rel='canonical']/@href")],
        tree.xpath("//meta[@name='robots']/@content"),
        tree.xpath("//meta[@property='article:modified_time']/@content"),
        [urljoin(URL, each) for each in tree.xpath("//a/@href")],
    )


CONTESTANTS: dict[str, Callable[[bytes], Facts]] = {"core": by_core, "selectolax": by_selectolax, "lxml": by_lxml}


def microseconds(work: Callable[[bytes], Facts], data: bytes, rounds: int) -> float:
    """Return the processor time of one page, the best of several rounds of two million bytes each."""
    times = max(1, 2_000_000 // len(data))
    best = float("inf")
    for _ in range(rounds):
        begin = time.process_time()
        for _ in range(times):
            work(data)
        best = min(best, (time.process_time() - begin) / times)
    return round(best * 1e6, 1)


def main(rounds: int) -> int:
    """Measure, print, and return the exit code."""
    results: dict[str, Any] = {}
    is_right = True
    for name, data in {"10 KB": page(30, 11), "300 KB": page(2_000, 300)}.items():
        wanted = by_core(data)
        is_right &= wanted[0] == "Tea" and len(wanted[4]) >= 31
        is_right &= all(list(map(list, work(data)[1:])) == list(map(list, wanted[1:])) for work in CONTESTANTS.values())
        figures = {contestant: microseconds(work, data, rounds) for contestant, work in CONTESTANTS.items()}
        results[name] = {"bytes": len(data), **figures}
    print(json.dumps(results, indent=2))
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
