"""A site of pages that link to each other, served on loopback, and what a crawl of it must find."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from support.http_server import Answer, Site


def html(
    *links: str, head: str = "", text: str = "", title: str = "Tea", headers: Mapping[str, str] | None = None
) -> Answer:
    """Return a page with links, as written."""
    items = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    body = f"<!doctype html><html lang=en><head><title>{title}</title>{head}</head><body><p>{text}</p><ul>{items}</ul>"
    return Answer(body.encode(), headers={"Content-Type": "text/html; charset=utf-8", **(headers or {})})


def plant(site: Site, links: Mapping[str, Iterable[str]]) -> None:
    """Serve a page for each path, with links to others."""
    for path, targets in links.items():
        site.pages[path] = html(*targets, text=f"the page at {path}", title=path)


def tree(width: int, depth: int) -> dict[str, list[str]]:
    """Return the links of a site of which each page has `width` children, so many clicks deep, and links home."""
    links: dict[str, list[str]] = {}
    level = ["/"]
    for number in range(depth):
        after = []
        for path in level:
            children = [f"{path}{letter}{number}/" for letter in "abcdefghijklmnop"[:width]]
            links[path] = [*children, "/"]
            after += children
        level = after
    links |= {path: ["/"] for path in level}
    return links
