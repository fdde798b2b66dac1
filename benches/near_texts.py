"""Measure what it costs an audit to find pages with nearly the text of another.

    python benches/near_texts.py
    python benches/near_texts.py --pages 5000,25000

Three sites of each size: one whose texts are their own, but for a tenth that are nearly others; one whose texts are to
three quarters one template, as a hostile site may have it; and one of which all pages are nearly the same. Sketches are
made by the core from 300 words each, and kept in a run file with the rows of an audit. Prints JSON with the
microseconds for each page, of the sketches and of the comparison, and the peak of memory in MB. Exits with 1 if the
comparison of the largest site takes more than twice as long for each page as that of the smallest, or if a page that is
nearly another is not found, or one that is not.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from urlset._audit.coverage import find_crawl
from urlset._audit.listing import normalize_listed
from urlset._audit.near_texts import make_near
from urlset._audit.page_views import make_page_views
from urlset._audit.sql import define
from urlset._page.facts import page_facts
from urlset._runs.file import RunFile

SITE = "http://shop.example"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
HTML = (("content-type", "text/html; charset=utf-8"),)
WORDS = [f"word{number}" for number in range(5_000)]
LENGTH = 300
KEPT = ("title", "canonicals", "header_canonicals", "content_hash", "sketch", "has_main", "words")
_BATCH = 2_000


def texts(kind: str, pages: int) -> Iterator[tuple[list[str], bool]]:
    """Yield the words of each page, and whether they are nearly those of one before."""
    chance = random.Random(kind)
    template = chance.choices(WORDS, k=LENGTH)
    for number in range(pages):
        if kind == "alike":
            yield [*template[:-1], f"own{number}"], number > 0
        elif kind == "template":
            yield template[: LENGTH * 3 // 4] + chance.choices(WORDS, k=LENGTH // 4), False
        elif number % 10:
            words = chance.choices(WORDS, k=LENGTH)
            yield words, False
        else:
            yield [*words[:-1], f"own{number}"] if number else template, number > 0


def measured(kind: str, pages: int) -> dict[str, Any]:
    """Return what a site costs, and whether what was found is right."""
    with RunFile(None) as file:
        connection = file.connection
        define(connection)
        run = file.begin("audit", SITE, settings={}, now=NOW, version="1")
        find_crawl(connection, SITE)
        expected, rows, spent = set[str](), list[dict[str, Any]](), 0.0
        for number, (words, is_near) in enumerate(texts(kind, pages)):
            url = f"{SITE}/{number:08}"
            expected |= {url} if is_near else set()
            body = f"<title>Tea</title><main>{' '.join(words)}</main>".encode()
            begun = time.process_time()
            facts = page_facts(body, url, HTML, with_parts=True)
            spent += time.process_time() - begun
            row = {"run": run, "loc": url, "normal_loc": url, "final_url": url, "normal_final": url, "status": 200}
            kept = {name: getattr(facts, name) for name in KEPT}
            rows.append(row | kept | {"fetched": NOW, "method": "GET"})
            if len(rows) == _BATCH or number == pages - 1:
                file.insert("pages", rows)
                file.insert("listed", [{"run": run, "loc": each["loc"]} for each in rows])
                rows.clear()
        normalize_listed(file, run)
        make_page_views(connection, run, [])
        connection.execute("CREATE TEMP TABLE soft (loc VARCHAR)")
        begun = time.perf_counter()
        make_near(connection)
        seconds = time.perf_counter() - begun
        found = {loc for (loc,) in connection.execute("SELECT loc FROM near").fetchall()}
    return {
        "site": kind,
        "pages": pages,
        "microseconds_of_facts": round(spent / pages * 1e6, 1),
        "microseconds_of_comparison": round(seconds / pages * 1e6, 1),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "missed": len(expected - found),
        "wrong": len(found - expected),
    }


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", default="20000,100000", help="sizes, with commas between them")
    sizes = sorted(map(int, parser.parse_args().pages.split(",")))
    is_right = True
    results = []
    for kind in ("own", "template", "alike"):
        of_kind = [measured(kind, pages) for pages in sizes]
        first, last = (each["microseconds_of_comparison"] for each in (of_kind[0], of_kind[-1]))
        is_right &= last <= 2 * first and not any(each["missed"] or each["wrong"] for each in of_kind)
        results += of_kind
    print(json.dumps(results, indent=2))
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
