"""What the commands of the documentation find: the sites that they name, and the files of whoever types them."""

from __future__ import annotations

import gzip

from support.internet import Moved, Site

CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def sitemap(host: str, pages: dict[str, str | None]) -> str:
    """A sitemap with the pages of a host and their lastmods."""
    entries = (
        f"<url><loc>https://{host}{path}</loc>{f'<lastmod>{lastmod}</lastmod>' if lastmod else ''}</url>\n"
        for path, lastmod in pages.items()
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    return f'{head}\n<urlset xmlns="{CORE}">\n{"".join(entries)}</urlset>\n'


def shop(pages: dict[str, str | None], host: str = "shop.example") -> Site:
    """A site of plain pages, each with a link to all others, and their sitemap."""
    links = "".join(f"<a href={path}>{path}</a>" for path in pages)
    html = {
        path: f"<title>{path}</title><link rel=canonical href=https://{host}{path}><p>About {path} {links}"
        for path in pages
    }
    robots = f"User-agent: *\nDisallow: /basket\nSitemap: https://{host}/sitemap.xml\n"
    return {"/sitemap.xml": sitemap(host, pages), "/robots.txt": robots, **html}


TEA = shop({"/": "2026-01-01", "/green": "2026-01-02", "/black": "2026-01-03"})
EXAMPLE = shop({"/": "2026-01-01", "/tea": "2026-11-02", "/basket": None}, "example.com")
#: The shop of docs/audit.md: the pages by their paths, each with its title, what its head says, and its links.
FAULTY_PAGES = {
    "/": ("Tea", "", ("/green", "/black", "/basket")),
    "/green": ("Green tea", "", ("/",)),
    "/black": ("Black tea", "", ("/",)),
    "/black?from=home": ("Black tea", '<link rel="canonical" href="/black">', ("/",)),
    "/basket": ("Basket", '<meta name="robots" content="noindex">', ("/",)),
    "/white": ("White tea", "", ("/",)),
}
FAULTY_LASTMODS = {path: "2026-01-01" if path in ("/green", "/black") else None for path in FAULTY_PAGES}
FAULTY: Site = {
    "/sitemap.xml": sitemap("shop.example", FAULTY_LASTMODS | {"/yellow": None, "/green/": None}),
    "/green/": Moved("/green"),
    **{
        path: f"<title>{title}</title>{head}<h1>{title}</h1><p>{title} {5 * 'A cup of it, and the leaves of spring. '}"
        + " ".join(f"<a href='{link}'>{link}</a>" for link in links)
        for path, (title, head, links) in FAULTY_PAGES.items()
    },
}

#: The document that docs/ci.md annotates.
BROKEN = f"""<urlset xmlns="{CORE}">
<url><loc>https://shop.example/tea</loc><lastmod>2026-1-3</lastmod></url>
</urlset>
"""

#: The key of whoever submits pages.
KEY = "0123456789abcdef"

#: The sites of a page by their hosts; those of `ANY` for the others.
ANY: dict[str, Site] = {"shop.example": TEA, "example.com": EXAMPLE, "api.indexnow.org": {}}
SITES: dict[str, dict[str, Site]] = {
    "watch.md": {"shop.example": {**TEA, f"/{KEY}.txt": KEY}},
    "deploy.md": {"shop.example": {**TEA, f"/{KEY}.txt": KEY}},
    "audit.md": {"shop.example": FAULTY, "preview.example.com": shop({"/": None, "/tea": None}, "preview.example.com")},
    "screaming-frog.md": {"shop.example": FAULTY},
    "follow.md": {"shop.example": shop({"/": None, "/coffee": None, "/tea": None})},
    "crawl.md": {
        "shop.example": {
            "/": "<title>Shop</title><a href=tea.html>tea</a> <a href=gone.html>gone</a>",
            "/tea.html": "<title>Tea</title><meta property=article:modified_time content=2026-01-02><p>Green tea</p>"
            "<a href=/calendar/2099/01>calendar</a>",
        }
    },
}
HOSTS = (*ANY, "hooks.example.com", "preview.example.com", "www.shop.example")

#: Files of somebody who follows a page, which no block of the page makes.
FILES: dict[str, dict[str, str]] = {
    "ci.md": {"public/sitemap.xml": BROKEN},
    "follow.md": {"old/sitemap.xml": sitemap("shop.example", {"/": None})},
    "report.md": {
        "public/sitemap.xml": sitemap("example.com", {"/": None}),
        "logo.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"/>',
    },
    "robots.md": {"public/sitemap.xml": sitemap("shop.example", {"/": None, "/basket": None})},
}
#: What they typed before: as the first run of what the page shows as the second.
BEFORE: dict[str, list[str]] = {
    "audit.md": [
        "urlset audit https://example.com --state main.duckdb",
        *["urlset audit https://example.com --state example.duckdb"] * 3,
        "urlset watch https://example.com --state watch.sqlite",
    ],
    "deploy.md": ["cp examples/pages.csv .", "mkdir srv", "ln -s .. srv/shop"],
    "recrawl.md": [
        *("mkdir srv", "ln -s .. srv/shop"),
        *["urlset watch https://shop.example --state shop.sqlite"] * 2,
    ],
    "report.md": ["urlset audit https://example.com --state example.duckdb"],
    "watch.md": ["mkdir -p srv/watch", "urlset watch https://shop.example --state shop.sqlite"],
}
#: The sites as they are after that.
AFTER: dict[str, dict[str, Site]] = {
    "audit.md": {"example.com": shop({"/": "2026-11-03", "/tea": "2026-11-02"}, "example.com")},
    "watch.md": {
        "shop.example": {
            **shop({"/": "2026-01-09", "/green": "2026-01-08", "/white": None}),
            f"/{KEY}.txt": KEY,
        }
    },
}
#: What the bucket has in which the pages publish and read.
OBJECTS = {
    "sitemaps/sitemap.xml": str(EXAMPLE["/sitemap.xml"]).encode(),
    "new/sitemap.xml": str(EXAMPLE["/sitemap.xml"]).encode(),
    "old/a.xml.gz": gzip.compress(str(TEA["/sitemap.xml"]).encode()),
}
