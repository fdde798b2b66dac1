"""Draws the pictures of the guides: what a command prints on a terminal, and how parts fit together.

python docs/make/pictures.py            draw them into docs/pictures
python docs/make/pictures.py --check    exit code 1 if one is out of date
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from html import escape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import urlset
from drawing import choose_picture, parts_picture, scrapy_picture, serve_picture, simulate_picture, static_picture

PICTURES = Path(__file__).parents[1] / "pictures"
COLUMNS = 100
SIZE = 14
ADVANCE, LINE, MARGIN = 8.4, 20, 18
#: What a terminal makes of the numbers that ask for a colour, on a dark ground.
COLOURS = {"31": "#ff8a80", "32": "#7ee2a8", "33": "#ffd479", "34": "#8ab4f8", "35": "#d7aefb", "36": "#78d9ec"}
PAPER, INK, PALE = "#14171c", "#e6e8eb", "#a0a6ae"

#: A blank that SVG does not fold with others.
BLANK = "\u00a0"

_STYLED = re.compile(r"\x1b\[([\d;]*)m")


def terminal(command: str, folder: Path) -> str:
    """Run a command in a folder, and draw what it prints."""
    return _drawn(command, _printed(command, folder))


def _printed(command: str, folder: Path) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**os.environ, "COLUMNS": str(COLUMNS), "FORCE_COLOR": "1", "TERM": "xterm-256color", "PATH": path}
    words = ["/bin/sh", "-c", command]  # one that stands in this file
    ended = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)  # noqa: S603
    if not ended.stdout:
        raise RuntimeError(f"{command}: {ended.stderr}")
    return ended.stdout.rstrip()


def _drawn(command: str, printed: str) -> str:
    title = re.sub(r" --map \S+", "", command)
    lines = [f"\x1b[2m$ \x1b[0m\x1b[1m{title}\x1b[0m", *printed.splitlines()]
    width = max(len(_STYLED.sub("", line)) for line in lines) * ADVANCE + 2 * MARGIN
    height = len(lines) * LINE + 2 * MARGIN
    texts = [
        f'<text x="{MARGIN}" y="{MARGIN + SIZE + LINE * number}">{"".join(_spans(line))}</text>'
        for number, line in enumerate(lines)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}"'
            f' height="{height}" role="img" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="{SIZE}"'
            f' fill="{INK}">',
            f"<title>{escape(title)}</title>",
            f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>',
            *texts,
            "</svg>\n",
        ]
    )


def _spans(line: str) -> Iterator[str]:
    """Yield the parts of a line, each in its style, and in columns whatever font there is."""
    column = 0
    style: list[str] = []
    for number, part in enumerate(_STYLED.split(line)):
        if number % 2:
            style = part.split(";")
        elif part:
            fill = next((COLOURS[each] for each in style if each in COLOURS), PALE if "2" in style else "")
            facts = [f'x="{MARGIN + column * ADVANCE:.1f}"', f'textLength="{len(part) * ADVANCE:.1f}"']
            facts += [f'fill="{fill}"'] if fill else []
            facts += ['font-weight="700"'] if "1" in style else []
            yield f"<tspan {' '.join(facts)}>{escape(part, quote=False).replace(' ', BLANK)}</tspan>"
            column += len(part)


def publish_picture(folder: Path) -> str:
    """Plan the publish of a shop in which a few things have changed."""
    url = "https://shop.example/"
    months = [f"2026-{month:02}-{day:02}" for month in range(8, 11) for day in range(1, 29)]
    posts = [{"loc": f"/blog/{day}", "lastmod": day} for day in months]
    teas = [{"loc": f"/tea/{number}", "lastmod": f"2026-09-{number % 28 + 1:02}"} for number in range(900)]
    before = {"blog": urlset.Section(posts, shard_by="date:month"), "tea": urlset.Section(teas)}
    urlset.publish(before, folder / "public", base_url=url)
    _write_rows(folder / "blog.csv", [*posts, {"loc": "/blog/new", "lastmod": "2026-10-29"}])
    _write_rows(folder / "tea.csv", teas[6:])
    folder.joinpath("urlset.toml").write_text(
        f'[publish]\nbase-url = "{url}"\ndest = "public"\n'
        '[[publish.section]]\nname = "blog"\nrows = ["blog.csv"]\nshard-by = "date:month"\n'
        '[[publish.section]]\nname = "tea"\nrows = ["tea.csv"]\n'
    )
    return terminal("urlset publish --dry-run", folder)


def _write_rows(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_text("loc,lastmod\n" + "".join(f"{row['loc']},{row['lastmod']}\n" for row in rows))


def lint_picture(folder: Path) -> str:
    """Check a sitemap with faults."""
    folder.joinpath("sitemap.xml").write_text(
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        "<url><loc>https://shop.example/tea?size=1&cut=fine</loc><lastmod>2026-1-3</lastmod></url>\n"
        "<url><loc>/about</loc></url>\n</urlset>\n"
    )
    return terminal("urlset lint sitemap.xml", folder)


def stats_picture(folder: Path) -> str:
    """Show what a set holds. Ages depend on the day, so they are left out."""
    rows = [
        {"loc": f"/{part}/{number}", "lastmod": f"2026-{5 + int(6 * (number / many) ** 0.6):02}-{number % 28 + 1:02}"}
        for part, many in (("products", 700), ("blog", 180), ("help", 60))
        for number in range(many)
    ]
    urlset.publish(rows, folder / "public", base_url="https://shop.example/")
    sections = _printed("urlset stats public", folder).split("\n\n")
    return _drawn("urlset stats public", "\n\n".join(each for each in sections if "lastmod, up to" not in each))


def discover_picture(folder: Path) -> str:
    """Find the sitemaps of a site that is served here."""
    site = "https://shop.example"
    parts = {"blog": 120, "products": 4_200, "news": 12}
    for part, many in parts.items():
        rows = [{"loc": f"/{part}/{number}", "lastmod": f"2026-11-{number % 25 + 1:02}"} for number in range(many)]
        with folder.joinpath(f"{part}.xml").open("wb") as file:
            urlset.write([urlset.UrlEntry(site + str(row["loc"]), str(row["lastmod"])) for row in rows], file)
    children = [urlset.SitemapEntry(f"{site}/{part}.xml", "2026-11-25") for part in (*parts, "old")]
    with folder.joinpath("sitemap.xml").open("wb") as file:
        urlset.write(children, file)
    folder.joinpath("robots.txt").write_text(f"User-agent: *\nSitemap: {site}/sitemap.xml\n")
    with _served(folder) as address:
        return terminal(f"urlset discover {site} --tree --map {site}={address}", folder)


def watch_picture(folder: Path) -> str:
    """Show what a second look at a set finds."""
    rows = [{"loc": f"/tea/{number}", "lastmod": f"2026-10-{number % 28 + 1:02}"} for number in range(40)]
    urlset.publish(rows, folder / "public", base_url="https://shop.example/")
    watch = "urlset watch public --state shop.sqlite"
    _printed(f"{watch} --format summary", folder)
    rows[3:5] = [{**rows[3], "lastmod": "2026-11-24T09:30Z"}, {**rows[4], "lastmod": "2026-11-25"}]
    rows[9] = {"loc": "/matcha", "lastmod": "2026-11-25"}
    urlset.publish(rows, folder / "public", base_url="https://shop.example/")
    return _drawn(watch, _printed(f"{watch} --format table", folder))


def crawl_picture(folder: Path) -> str:
    """Follow the links of a small site, which has a broken link and an endless calendar."""
    pages = {
        "index.html": ("Shop", "/tea/", "/blog.html", "/gone.html"),
        "tea/index.html": ("Tea", "/green/", "/white/", "/calendar/2099/01"),
        "green/index.html": ("Green tea", "/"),
        "white/index.html": ("White tea", "/"),
        "blog.html": ("Blog", "/"),
    }
    for name, (title, *links) in pages.items():
        anchors = "".join(f'<a href="{link}">{link}</a>' for link in links)
        folder.joinpath(name).parent.mkdir(exist_ok=True)
        folder.joinpath(name).write_text(f"<title>{title}</title>{anchors}")
    with _served(folder) as address:
        crawl = "urlset crawl https://shop.example"
        return _drawn(crawl, _printed(f"{crawl} --map https://shop.example={address} --format table", folder))


def freshness_picture() -> str:
    """Show what a larger budget would give, by policy, for pages whose lastmods tell of some changes."""
    pages = urlset.drawn_pages(1_000, recall=0.7, precision=0.8)
    with urlset.schedule(pages, budget=200, policy="signals") as plan:
        return plan.curve().to_svg()


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


DRAWN: dict[str, Callable[[Path], str]] = {
    "choose.svg": lambda _: choose_picture(),
    "crawl.svg": crawl_picture,
    "discover.svg": discover_picture,
    "freshness.svg": lambda _: freshness_picture(),
    "lint.svg": lint_picture,
    "parts.svg": lambda _: parts_picture(),
    "publish.svg": publish_picture,
    "scrapy.svg": lambda _: scrapy_picture(),
    "serve.svg": lambda _: serve_picture(),
    "simulate.svg": lambda _: simulate_picture(),
    "static.svg": lambda _: static_picture(),
    "stats.svg": stats_picture,
    "watch.svg": watch_picture,
}


def main() -> int:
    """Draw the pictures, or compare them with what they would be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="draw nothing, name the pictures that are out of date")
    check: bool = parser.parse_args().check
    stale = 0
    for name, draw in DRAWN.items():
        with tempfile.TemporaryDirectory() as folder:
            picture = draw(Path(folder))
        path = PICTURES / name
        if check and path.read_text("utf-8") != picture:
            print(f"docs/pictures/{name} is out of date: run `python docs/make/pictures.py`", file=sys.stderr)
            stale = 1
        elif not check:
            path.write_text(picture, "utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main())
