"""What stands in the bytes of a page."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from urlset._page.dates import ITEMS, NAMES

#: Names of metas that instruct bots.
_BOTS = re.compile(r"robots|[a-z0-9-]{0,40}(?:bot|spider|slurp|crawler)(?:-[a-z]{1,20})?|yandex|teoma")
#: Elements that scripts fill with the content of a page.
_ROOTS = ("root", "app", "__next", "__nuxt", "svelte", "q-app", "___gatsby")


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
    refreshes: list[str] = field(default_factory=list)
    dates: dict[str, list[str]] = field(default_factory=dict)
    items: dict[str, list[str]] = field(default_factory=dict)
    json_ld: list[str] = field(default_factory=list)
    content_hash: int = 0
    body_hash: int = 0
    words: int = 0
    needs_browser: str | None = None


def extract(  # noqa: PLR0912  (one branch an element)
    body: bytes, content_type: str | None, masks: Sequence[str]
) -> Extract:
    """Return what stands in a page."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415  (the extra "html")

    del content_type, masks
    found = Extract(body_hash=_hash(body))
    if not body.strip():
        return found
    tree = LexborHTMLParser(body)
    for node in tree.css("html,title,base,link,meta,a[href],area[href],img[src],script,[itemprop]"):
        attributes = {name: value or "" for name, value in node.attributes.items()}
        if node.tag == "html":
            found.language = attributes.get("lang") or None
        elif node.tag == "title" and found.title is None:
            found.title = " ".join(node.text().split()) or None
        elif node.tag == "base" and found.base is None:
            found.base = attributes.get("href")
        elif node.tag in ("a", "area"):
            found.links.append((attributes["href"], "nofollow" in attributes.get("rel", "").lower().split()))
        elif node.tag == "img":
            found.images.append(attributes["src"])
        elif node.tag == "script" and attributes.get("type", "").lower().startswith("application/ld+json"):
            found.json_ld.append(node.text())
        elif node.tag == "link":
            _take_link(found, attributes)
        elif node.tag == "meta":
            _take_meta(found, attributes)
        for item in ITEMS.intersection(attributes.get("itemprop", "").split()):
            text = attributes.get("datetime") or attributes.get("content") or node.text()
            found.items.setdefault(item, []).append(text)
    root = next((name for name in _ROOTS if tree.css_first(f"#{name}:empty")), None)
    scripts = bool(tree.css("script[src]"))
    for node in tree.css("script,style,noscript,template"):
        node.decompose()
    text = " ".join((tree.body.text(separator=" ") if tree.body else "").split())
    found.words = len(text.split())
    found.content_hash = _hash(f"{found.title}\0{text}".encode())
    if root is not None and scripts and found.words < 20:
        found.needs_browser = f'its text is made by a script in <div id="{root}">'
    return found


def _take_link(found: Extract, attributes: dict[str, str]) -> None:
    rel, href = attributes.get("rel", "").lower().split(), attributes.get("href")
    if not href:
        return
    if "canonical" in rel:
        found.canonicals.append(href)
    if "alternate" in rel and attributes.get("hreflang"):
        found.hreflang.append((attributes["hreflang"], href))


def _take_meta(found: Extract, attributes: dict[str, str]) -> None:
    content = attributes.get("content", "")
    for attribute in ("name", "property"):
        name = attributes.get(attribute, "").strip().lower()
        if name in NAMES:
            found.dates.setdefault(name, []).append(content)
        elif _BOTS.fullmatch(name):
            found.robots.append((name, content))
    if attributes.get("http-equiv", "").strip().lower() == "refresh":
        found.refreshes.append(content)


def _hash(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest())
