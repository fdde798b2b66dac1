"""Measure crawling a site behind nginx on this machine, beside Scrapy, advertools and linkinator.

    python benches/crawl.py
    python benches/crawl.py --pages 2000 --rounds 1 --only urlset,scrapy

The site has pages of 10 KB with 30 links each, a robots.txt, and a link to every page. Each contestant is a process of
its own with 16 requests at once and no pause between them, and obeys robots.txt where it can. urlset writes all that it
knows of each page and each link; Scrapy takes the links, title, canonical and robots meta of each page; advertools its
own columns; linkinator checks links only. Prints JSON with the best seconds and processor seconds of each, pages a
second, and the ratios. Exits with 1 if one failed or did not see every page. nginx has to be installed, and the peers
(`python benches/run.py --peers`, and `npm install linkinator` for the folder of --node).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from read import PEERS

AT_ONCE = 16
#: Pages of one category; links of a page beside those of its category.
CATEGORY = 200
LINKS = 30
TEXT = "Green tea is made of leaves that were not oxidised; it tastes of grass and a little of the sea. " * 70

URLSET = f"""
import sys, urlset
http = urlset.Http(concurrency={AT_ONCE}, per_host={AT_ONCE})
with urlset.crawl(sys.argv[1], http=http, state=sys.argv[2] + "/run.duckdb") as found:
    print(found.statuses.get(200, 0))
"""
SCRAPY = f"""
import os, sys
from scrapy import Spider
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
links = LinkExtractor()
seen = 0
class Pages(Spider):
    name = "pages"
    start_urls = [sys.argv[1]]
    def parse(self, response):
        global seen
        seen += 1
        found = [link.url for link in links.extract_links(response)]
        yield {{
            "url": response.url, "links": found, "title": response.css("title::text").get(),
            "canonical": response.css("link[rel=canonical]::attr(href)").get(),
            "robots": response.css("meta[name=robots]::attr(content)").get(),
        }}
        for url in found:
            yield response.follow(url)
process = CrawlerProcess({{
    "CONCURRENT_REQUESTS": {AT_ONCE}, "CONCURRENT_REQUESTS_PER_DOMAIN": {AT_ONCE}, "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": True, "LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False, "LOGSTATS_INTERVAL": 0,
    "FEEDS": {{sys.argv[2] + "/scrapy.jsonl": {{"format": "jsonlines"}}}},
}})
process.crawl(Pages)
process.start()
print(seen, flush=True)
os._exit(0)  # an extension keeps its thread
"""
ADVERTOOLS = f"""
import sys, advertools
file = sys.argv[2] + "/advertools.jl"
advertools.crawl(sys.argv[1], file, follow_links=True, allowed_domains=["127.0.0.1"], custom_settings={{
    "CONCURRENT_REQUESTS": {AT_ONCE}, "CONCURRENT_REQUESTS_PER_DOMAIN": {AT_ONCE}, "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": True, "LOG_LEVEL": "ERROR", "AUTOTHROTTLE_ENABLED": False,
}})
print(sum(1 for line in open(file)))
"""
LINKINATOR = """
"$0" "$1" --recurse --concurrency 16 --format json 2>/dev/null |
    python3 -c 'import json, sys; print(sum(link["status"] == 200 for link in json.load(sys.stdin)["links"]))'
"""


def contestants(node: Path) -> dict[str, list[str]]:
    """The commands, each of which takes the URL of the site and a folder, and prints how many pages it has seen."""
    found = {
        "urlset": [sys.executable, "-c", URLSET],
        "scrapy": [str(PEERS), "-c", SCRAPY],
        "advertools": [str(PEERS), "-c", ADVERTOOLS],
    }
    linkinator = node / "node_modules" / ".bin" / "linkinator"
    return found | ({"linkinator": ["sh", "-c", LINKINATOR, str(linkinator)]} if linkinator.exists() else {})


def site_pages(pages: int) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the path of each page of a site of so many pages or a few more, its text, and where it links to."""
    count = max(1, pages // CATEGORY)
    categories = [f"/category-{number}.html" for number in range(count)]

    def page(path: str, links: list[str]) -> tuple[str, str, list[str]]:
        items = "".join(f'<li><a href="{link}">Tea of {link}</a></li>\n' for link in links)
        head = (
            f"<title>Tea {path}</title><link rel=canonical href={path}><meta name=robots content='max-snippet:-1'>"
            f"<meta name=description content='Tea'><meta property=article:modified_time content=2026-01-02T03:04:05Z>"
        )
        main = f"<main><h1>Tea {path}</h1><p>{TEXT}</p></main>"
        body = f"<nav><a href=/>Home</a></nav>{main}<ul>{items}</ul>"
        text = f"<!doctype html><html lang=en><head>{head}</head><body>{body}</body></html>"
        return path, text, ["/", *links]

    yield page("/index.html", categories)
    for number, category in enumerate(categories):
        # Not as `/2027-12`: a calendar that goes on is a trap.
        own = [f"/category-{number}-page-{each}.html" for each in range(CATEGORY)]
        yield page(category, own)
        for at, path in enumerate(own):
            yield page(path, [category, *(own[(at + step * 7) % CATEGORY] for step in range(LINKS - 1))])


def write_site(root: Path, pages: int) -> int:
    """Write the site; return how many pages it has."""
    number = 0
    for number, (path, text, _) in enumerate(site_pages(pages), 1):  # noqa: B007
        (root / path[1:]).write_text(text)
    (root / "robots.txt").write_text("User-agent: *\nDisallow: /private/\n")
    return number


@contextmanager
def site(pages: int) -> Iterator[tuple[str, int]]:
    """Serve the site, and yield its URL and how many pages it has."""
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    nginx = import_module("support.nginx").nginx
    with TemporaryDirectory() as folder:
        root, work = Path(folder, "root"), Path(folder, "work")
        root.mkdir()
        work.mkdir()
        for each in (Path(folder), root, work):
            each.chmod(0o755)  # nginx may be another user
        number = write_site(root, pages)
        with nginx(root, work) as url:
            yield f"{url}/", number


def run(command: list[str], url: str) -> tuple[float, float, int]:
    """Return the seconds and processor seconds of a contestant, and the pages that it has seen."""
    # advertools runs the program `scrapy`.
    environment = {**os.environ, "PATH": os.pathsep.join([str(PEERS.parent), os.environ["PATH"]])}
    with TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.perf_counter()
        ended = subprocess.run(
            [*command, url, folder], capture_output=True, text=True, check=True, timeout=1_800, env=environment
        )
        seconds = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, used, int(ended.stdout.split()[-1])


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="contestants, separated by commas")
    parser.add_argument("--node", type=Path, default=Path(__file__).parent, help="folder with node_modules")
    options = parser.parse_args()
    chosen = contestants(options.node)
    if options.only:
        chosen = {name: chosen[name] for name in options.only.split(",")}
    results: dict[str, Any] = {}
    is_complete = True
    with site(options.pages) as (url, pages):
        for _ in range(options.rounds):
            for name, command in chosen.items():
                try:
                    seconds, used, seen = run(command, url)
                except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                    print(f"{name}: failed, {str(error)[-300:]}", file=sys.stderr)
                    is_complete = False
                    continue
                is_complete &= seen >= pages
                print(f"{name}: {seen:,} pages in {seconds:.1f} s, {used:.1f} s of processor time", file=sys.stderr)
                best = results.setdefault(name, {"seconds": seconds, "processor": used, "pages": seen})
                best["seconds"], best["processor"] = min(best["seconds"], seconds), min(best["processor"], used)
    for best in results.values():
        best["pages_a_second"] = round(best["pages"] / best["seconds"])
        for name, of in (("seconds", "times_urlset"), ("processor", "times_urlset_by_processor")):
            best[of] = round(best[name] / results["urlset"][name], 2) if "urlset" in results else None
    print(json.dumps({"pages": pages, **results}, indent=2))
    return 0 if is_complete else 1


if __name__ == "__main__":
    sys.exit(main())
