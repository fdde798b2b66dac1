"""A site with every fault that an audit finds, planted and counted: nginx serves its files, and an app all else.

`Planted` lays it out, and `expected` says which paths each rule must find, and none more. `change` is what happens
before a second look. Each fault has near misses beside it: pages that only look like it.
"""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from support.http_server import Answer, Handler, Site

NAMESPACES = (
    'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml" '
    'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
)
WORDS = (
    *("tea", "leaf", "cup", "pot", "kettle", "steam", "water", "field", "spring"),
    *("harvest", "basket", "roof", "street", "river", "morning", "evening"),
)
#: When the pages were changed, by themselves and by their sitemaps.
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
#: Entries of one sitemap, and links of one page.
MAX_ENTRIES, MAX_LINKS = 10_000, 200


def text_of(seed: object, words: int = 60) -> str:
    """Return words that are those of one page alone."""
    chance = random.Random(str(seed))
    return " ".join([*chance.choices(WORDS, k=words), *(f"word{chance.randrange(10**9)}" for _ in range(8))])


def html(title: str, text: str, head: str = "", links: Iterable[str] = ()) -> bytes:
    """Return a page."""
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>{head}</head>"
        f"<body><h1>{title}</h1><p>{text}</p>{anchors}</body></html>"
    ).encode()


def video_of(site: str, urls: Mapping[str, str]) -> str:
    """Return a video of an entry, whose URLs are paths of a site."""
    named = "".join(f"<video:{name}>{site}{path}</video:{name}>" for name, path in urls.items())
    return f"<video:video>{named}<video:title>Tea</video:title><video:description>Tea</video:description></video:video>"


@dataclass(slots=True)
class Entry:
    """An entry of a sitemap."""

    path: str
    lastmod: datetime | None = FIRST
    images: tuple[str, ...] = ()
    #: The URLs of its video by their names.
    video: Mapping[str, str] | None = None
    alternates: tuple[tuple[str, str], ...] = ()


@dataclass
class Planted:
    """The site below `url`: files in `root`, and answers of `app`."""

    root: Path
    app: Site
    url: str
    pages: int
    #: How often each fault is planted.
    each: int = 2
    entries: list[Entry] = field(default_factory=list)
    linked: list[str] = field(default_factory=list)
    expected: dict[str, set[str]] = field(default_factory=dict)
    #: How many different pages are listed.
    listed: int = 0
    #: Pages that fail when they are asked for the next time.
    failing: set[str] = field(default_factory=set)
    #: The content of the pages that change.
    edition: dict[str, int] = field(default_factory=dict)

    def change(self) -> None:
        """Change what a second look is to find: contents, lastmods, both, or neither."""
        later = FIRST + timedelta(days=2)
        moved = {f"/look/{name}-{n}" for name in ("both", "moved", "stale") for n in range(self.each)}
        for entry in self.entries:
            if entry.path in moved:
                entry.lastmod = later
        for n in range(self.each):
            for name in ("both", "changed", "stale"):
                self.edition[f"/look/{name}-{n}"] += 1
            self.expect("LIVE016", f"/look/moved-{n}")
            self.expect("LIVE017", f"/look/changed-{n}")
            self.expect("LIVE018", f"/look/stale-{n}")
            self.failing.add(f"/flaky/{n}")
        self.finish()

    # --- the parts of the site ----------------------------------------------------------------------------------

    def lay(self, faults: Iterable[Callable[[Planted, int], None]]) -> None:
        """Lay out everything."""
        for number in range(self.pages):
            path = f"/tea/{number}.html"
            self.file(path, html(f"Tea {number}", text_of(path)))
            self.list_(path)
        for fault in faults:
            for number in range(self.each):
                fault(self, number)
        self.finish()

    def finish(self) -> None:
        """Write the home page, the pages that link to all others, and the sitemaps."""
        hubs = []
        for number, at in enumerate(range(0, len(self.linked), MAX_LINKS)):
            path = f"/hubs/{number}.html"
            hubs.append(path)
            self.file(path, html(f"Hub {number}", text_of(path), links=self.linked[at : at + MAX_LINKS]))
        self.file("/index.html", html("Home", text_of("/"), links=hubs))
        listed = [Entry("/"), *map(Entry, hubs), *self.entries]
        self.listed = len({entry.path for entry in listed})
        names = []
        for number, at in enumerate(range(0, len(listed), MAX_ENTRIES)):
            names.append(f"/sitemap-{number}.xml")
            (self.root / names[-1][1:]).write_text(self.urlset(listed[at : at + MAX_ENTRIES]), "utf-8")
        children = "".join(f"<sitemap><loc>{self.url}{name}</loc></sitemap>" for name in names)
        (self.root / "sitemap.xml").write_text(f"<sitemapindex {NAMESPACES}>{children}</sitemapindex>")
        robots = f"User-agent: *\nDisallow: /private/\nSitemap: {self.url}/sitemap.xml\n"
        (self.root / "robots.txt").write_text(robots)

    def urlset(self, entries: Iterable[Entry]) -> str:
        """Return a sitemap."""
        rows = []
        for entry in entries:
            lastmod = "" if entry.lastmod is None else f"<lastmod>{entry.lastmod:%Y-%m-%dT%H:%M:%SZ}</lastmod>"
            images = "".join(
                f"<image:image><image:loc>{self.url}{each}</image:loc></image:image>" for each in entry.images
            )
            links = "".join(
                f'<xhtml:link rel="alternate" hreflang="{language}" href="{self.url}{path}"/>'
                for language, path in entry.alternates
            )
            video = "" if entry.video is None else video_of(self.url, entry.video)
            rows.append(f"<url><loc>{self.url}{entry.path}</loc>{lastmod}{images}{video}{links}</url>")
        return f"<urlset {NAMESPACES}>\n" + "\n".join(rows) + "\n</urlset>\n"

    def list_(self, path: str, *, link: bool = True, **how: object) -> None:
        """List a page, and link to it."""
        self.entries.append(Entry(path, **how))  # type: ignore[arg-type]
        if link:
            self.linked.append(path)

    def file(self, path: str, body: bytes, changed: datetime = FIRST) -> None:
        """Write a page that nginx serves, with validators of its own."""
        target = self.root / path[1:]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body)
        # Not all at one time: that would be the time of a deployment.
        moment = changed.timestamp() + int(hashlib.sha256(path.encode()).hexdigest(), 16) % 72_000
        os.utime(target, (moment, moment))

    def page(self, path: str, body: bytes | Callable[[], bytes], **headers: str) -> None:
        """Serve a page from the app: with an ETag of its bytes, and 304 for who has it."""

        def answer(handler: Handler) -> Answer:
            now = body if isinstance(body, bytes) else body()
            etag = f'"{hashlib.sha256(now).hexdigest()[:16]}"'
            named = {"Content-Type": "text/html; charset=utf-8", "ETag": etag}
            named |= {name.replace("_", "-"): value for name, value in headers.items()}
            # RFC 9110, 13.1.2: the weak comparison; nginx makes an ETag weak when it compresses.
            if (handler.headers.get("If-None-Match") or "").removeprefix("W/") == etag:
                return Answer(status=304, headers={"ETag": etag})
            return Answer(now, headers=named)

        self.app.pages[path] = answer

    def answer(self, path: str, page: Answer | Callable[[Handler], Answer | None]) -> None:
        """Serve anything from the app."""
        self.app.pages[path] = page

    def expect(self, code: str, *paths: str) -> None:
        """Note what a rule must find."""
        self.expected.setdefault(code, set()).update(paths)
