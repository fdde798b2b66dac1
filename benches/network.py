"""Measure what a request costs in the verbs that send many, and compare with another version of urlset.

    python benches/network.py
    python benches/network.py --than ../earlier/.venv/bin/python --rounds 5

- `head`: an audit of 20,000 listed files that are not pages, each requested by HEAD.
- `sites`: 1,000 sites, each with an index of five small sitemaps, read in one run.
- `crawl`: a crawl of 4,000 pages of 10 KB, as in `crawl.py`.

Everything is served by nginx on this machine. Each contestant is a process of its own, and they take turns. Printed are
the best processor microseconds and seconds of each, and the ratio to the other version. Exits with 1 if one did not get
everything. nginx has to be installed.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from crawl import URLSET, run, write_site

HEAD = """
import sys, urlset
http = urlset.Http(concurrency=16, per_host=16)
with urlset.audit(sys.argv[-2] + "/sitemap.xml", http=http, state=sys.argv[-1] + "/run.duckdb") as found:
    print(found.looked_at)
"""
SITES = """
import sys, urlset
count, port = int(sys.argv[1]), sys.argv[2].rsplit(":", 1)[1]
http = urlset.Http(concurrency=16, private_addresses="always")
sites = [f"http://127.1.{number // 250}.{number % 250 + 1}:{port}/sitemap.xml" for number in range(count)]
print(sum(len(batch) for batch in urlset.scan(sites, http=http).batches()))
"""
CHILDREN, ENTRIES = 5, 20


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured: a program that prints how many things it got, and how many there are."""

    program: str
    arguments: tuple[str, ...]
    things: int
    expected: int


def sitemap(locs: Iterable[str], kind: str = "url", root: str = "urlset") -> str:
    """Return a sitemap, or an index."""
    listed = "".join(f"<{kind}><loc>{loc}</loc></{kind}>\n" for loc in locs)
    return f'<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{listed}</{root}>\n'


@contextmanager
def serving(folder: Path, *, is_many: bool = False) -> Iterator[tuple[Path, str]]:
    """Serve a folder, and yield it with its URL. Of many sites, each address has a folder inside."""
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    nginx = import_module("support.nginx").nginx
    root, work = folder / "root", folder / "work"
    for each in (root, work):
        each.mkdir()
    for each in (folder, root, work):
        each.chmod(0o755)  # nginx may be another user
    with nginx(root / "$host" if is_many else root, work, address="0.0.0.0" if is_many else "127.0.0.1") as url:
        yield root, url


@contextmanager
def head(folder: Path, count: int) -> Iterator[tuple[Measure, str]]:
    """Serve files that are not pages."""
    with serving(folder) as (root, url):
        (root / "0.pdf").write_bytes(bytes(1_000))
        for number in range(1, count):
            (root / f"{number}.pdf").hardlink_to(root / "0.pdf")
        (root / "sitemap.xml").write_text(sitemap(f"{url}/{number}.pdf" for number in range(count)))
        yield Measure(HEAD, (), count, count), url


@contextmanager
def sites(folder: Path, count: int) -> Iterator[tuple[Measure, str]]:
    """Serve many sites."""
    with serving(folder, is_many=True) as (root, url):
        for number in range(count):
            host = f"127.1.{number // 250}.{number % 250 + 1}"
            base = f"http://{host}:{url.rpartition(':')[2]}"
            (root / host).mkdir()
            for child in range(CHILDREN):
                locs = (f"{base}/{child}/{entry}" for entry in range(ENTRIES))
                (root / host / f"{child}.xml").write_text(sitemap(locs))
            children = (f"{base}/{child}.xml" for child in range(CHILDREN))
            (root / host / "sitemap.xml").write_text(sitemap(children, "sitemap", "sitemapindex"))
        yield Measure(SITES, (str(count),), count, count * CHILDREN * ENTRIES), url


@contextmanager
def crawl(folder: Path, count: int) -> Iterator[tuple[Measure, str]]:
    """Serve pages that link to each other."""
    with serving(folder) as (root, url):
        pages = write_site(root, count)
        yield Measure(URLSET, (), pages, pages), f"{url}/"


MEASURES: dict[str, tuple[Callable[[Path, int], AbstractContextManager[tuple[Measure, str]]], int]] = {
    "head": (head, 20_000),
    "sites": (sites, 1_000),
    "crawl": (crawl, 4_000),
}


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--than", help="the Python in which another version of urlset is installed")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=MEASURES)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the usual numbers")
    options = parser.parse_args()
    pythons = {"urlset": sys.executable} | ({"than": options.than} if options.than else {})
    results: dict[str, Any] = {}
    is_complete = True
    for name, (served, count) in MEASURES.items():
        if options.only not in (None, name):
            continue
        best = dict.fromkeys(pythons, (math.inf, math.inf))
        with TemporaryDirectory() as folder, served(Path(folder), int(count * options.scale)) as (measure, url):
            for _ in range(options.rounds):
                for each, python in pythons.items():
                    seconds, used, got = run([python, "-c", measure.program, *measure.arguments], url)
                    is_complete &= got == measure.expected
                    best[each] = min(best[each][0], used), min(best[each][1], seconds)
        results[name] = {
            each: {"cpu_us_each": round(used / measure.things * 1e6), "seconds": round(seconds, 2)}
            for each, (used, seconds) in best.items()
        }
        if options.than:
            results[name]["ratio"] = round(best["than"][0] / best["urlset"][0], 2)
    print(json.dumps(results, indent=2))
    return 0 if is_complete else 1


if __name__ == "__main__":
    sys.exit(main())
