"""What stands in a page, by another parser: lexbor makes a tree of it, as a browser does."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

#: Names of metas with dates.
_DATES = re.compile(r"article:(modified|published)_time|og:updated_time|last-modified|(dcterms|dc\.date)\.modified")
#: Names of metas that instruct bots, as the test pages have them.
_BOTS = re.compile(r"robots|googlebot")


@dataclass(slots=True)
class Extract:
    """What stands in a page, as written."""

    title: str | None = None
    language: str | None = None
    base: str | None = None
    links: list[tuple[str, bool]] = field(default_factory=list)
    canonicals: list[str] = field(default_factory=list)
    robots: list[tuple[str, str]] = field(default_factory=list)
    hreflang: list[tuple[str, str]] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    words: int = 0


def extract(body: bytes) -> Extract:
    """Return what stands in a page."""
    found = Extract()
    tree = LexborHTMLParser(body)
    for node in tree.css("html,title,base,link,meta,a[href],area[href],img[src]"):
        attributes = {name: value or "" for name, value in node.attributes.items()}
        if _is_below(node, "svg"):
            continue
        if node.tag == "html":
            found.language = attributes.get("lang") or None
        elif node.tag == "title" and found.title is None:
            found.title = " ".join(node.text().split()) or None
        elif node.tag == "base" and found.base is None:
            found.base = attributes.get("href")
        elif node.tag in ("a", "area"):
            found.links.append((attributes["href"], "nofollow" in attributes.get("rel", "").lower().split()))
        elif node.tag == "img":
            found.images.extend(filter(None, [attributes["src"]]))
        elif node.tag == "link" and attributes.get("href"):
            _take_link(found, attributes)
        elif node.tag == "meta":
            _take_meta(found, attributes)
    for node in tree.css("script,style,noscript,template,svg"):
        node.decompose()
    found.words = len((tree.body.text(separator=" ") if tree.body else "").split())
    return found


def _is_below(node: LexborNode, tag: str) -> bool:
    above = node.parent
    while above is not None:
        if above.tag == tag:
            return True
        above = above.parent
    return False


def _take_link(found: Extract, attributes: dict[str, str]) -> None:
    rel = attributes.get("rel", "").lower().split()
    if "canonical" in rel:
        found.canonicals.append(attributes["href"])
    if "alternate" in rel and attributes.get("hreflang"):
        found.hreflang.append((attributes["hreflang"], attributes["href"]))


def _take_meta(found: Extract, attributes: dict[str, str]) -> None:
    content = attributes.get("content", "")
    name = (attributes.get("name") or attributes.get("property") or "").lower()
    if _DATES.fullmatch(name):
        found.dates.append(content)
    elif _BOTS.fullmatch(name):
        found.robots.append((name, content))
