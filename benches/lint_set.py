"""Measure the rules over a whole set: an index of 200 gzipped children with ten million entries.

    python benches/lint_set.py
    python benches/lint_set.py --entries 1000000 --robots

The set is made from a seed, with mistakes planted in known numbers; a run that does not find exactly those is shown
as WRONG and the exit code is 1. The checking is done in a process of its own: the peak of memory is the process's.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from contest import progress
from inputs import CORE, DATA, DECLARATION, XHTML
from publishing import peak
from report import machine, table
from shop import SEED, SITE, Row, rows

ENTRIES = 10_000_000
CHILDREN = 200
"""Of each four, two are the same pages in two languages, which link to each other, and two are plain."""
OF_SET = {"IDX001", "IDX002", "IDX007", "IDX008", "MOD009", "ALT005", "ALT009"}
OF_ROBOTS = {"ROB001", "ROB003", "ROB004"}
ROBOTS = f"""\
User-agent: *
Disallow: /basket
Disallow: /*/private/
Disallow: /*?session=
Sitemap: {SITE}/sitemap.xml

User-agent: Blockedbot
Disallow: /
"""
RUN = "--run"


def child(number: int) -> str:
    """The name of a child of the index."""
    return f"sitemap-{number:04d}.xml.gz"


def entries(number: int, count: int, seed: int) -> Iterator[tuple[str, str, list[tuple[str, str]], str | None]]:
    """Loc, lastmod and links of each entry of a child, and the code of what is planted there."""
    group, place = divmod(number, 4)
    # Two that belong together come from the same draws.
    source: Iterator[Row] = islice(rows(seed + group * 2 + place // 2), count)
    for index, row in enumerate(source):
        if place < 2:
            english, german = f"{SITE}/en/{group}/{row.slug}", f"{SITE}/de/{group}/{row.slug}"
            links, planted = [("en", english), ("de", german)], None
            if index % 1000 == 7:
                # The German page does not link back to the English one, which is reported at the English one.
                links, planted = (links, "ALT005") if place == 0 else (links[1:], None)
            if index % 5000 == 11 and place == 0:
                links, planted = [*links, ("fr", f"{SITE}/fr/{group}/{row.slug}")], "ALT009"
            yield (english, german)[place], row.lastmod, links, planted
        elif index % 2500 == 13:
            yield f"{SITE}/shop/{number}/private/{row.slug}", row.lastmod, [], "ROB004"
        elif index % 500 == 3:
            # In both documents: reported in the second.
            yield f"{SITE}/shop/{group}/{row.slug}", row.lastmod, [], "IDX008" if place == 3 else None
        else:
            yield f"{SITE}/shop/{number}/{row.slug}", row.lastmod, [], None


def write_child(folder: Path, number: int, count: int, seed: int) -> tuple[str, Counter[str]]:
    """Write one child; its newest lastmod and what is planted in it."""
    newest, planted = "", Counter[str]()
    with gzip.GzipFile("", "wb", compresslevel=6, fileobj=(folder / child(number)).open("wb"), mtime=0) as file:
        file.write(f'{DECLARATION}\n<urlset xmlns="{CORE}" xmlns:xhtml="{XHTML}">\n'.encode())
        lines: list[str] = []
        for loc, lastmod, links, code in entries(number, count, seed):
            newest = max(newest, lastmod[:10])
            if code:
                planted[code] += 1
            more = "".join(f'\n  <xhtml:link rel="alternate" hreflang="{lang}" href="{href}"/>' for lang, href in links)
            lines.append(f"<url><loc>{loc}</loc><lastmod>{lastmod}</lastmod>{more}</url>\n")
            if len(lines) == 1000:
                file.write("".join(lines).encode())
                lines.clear()
        file.write(("".join(lines) + "</urlset>\n").encode())
    return newest, planted


def index_of(children: list[tuple[str, str]]) -> str:
    """An index of names and lastmods."""
    listed = "".join(f"<sitemap><loc>{SITE}/{n}</loc><lastmod>{m}</lastmod></sitemap>\n" for n, m in children)
    return f'{DECLARATION}\n<sitemapindex xmlns="{CORE}">\n{listed}</sitemapindex>\n'


def ensure(directory: Path, total: int, seed: int) -> Path:
    """The folder of the set, made if it is not there; `planted.json` in it says what is to be found."""
    folder = directory / f"set-{total}"
    record = folder / "planted.json"
    sources = (Path(__file__), Path(__file__).with_name("inputs.py"))
    generator = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
    if record.exists():
        known = json.loads(record.read_text())
        if known["generator"] == generator and known["seed"] == seed:
            return folder
    progress(f"making {folder}")
    folder.mkdir(parents=True, exist_ok=True)
    count, planted, listed = total // CHILDREN, Counter[str](), []
    with ProcessPoolExecutor() as pool:
        jobs = [pool.submit(write_child, folder, number, count, seed) for number in range(CHILDREN)]
        for number, job in enumerate(jobs):
            newest, found = job.result()
            planted += found
            stale = number % 20 == 5
            planted["IDX007"] += stale
            listed.append((child(number), "2018-01-01" if stale else newest))
    planted["IDX001"] = 1
    (folder / "nested.xml").write_text(index_of(listed[:1]))
    (folder / "sitemap.xml").write_text(index_of([*listed, ("nested.xml", "2030-01-01")]))
    record.write_text(json.dumps({"generator": generator, "seed": seed, "entries": count * CHILDREN, **planted}))
    return folder


def run(folder: Path, *, robots: bool) -> dict[str, Any]:
    """Check the set, each document and all together, and return what that took and found."""
    import urlset

    planted = json.loads((folder / "planted.json").read_text())
    asked = OF_SET | (OF_ROBOTS if robots else set())
    given = {f"{SITE}/robots.txt": ROBOTS.encode()} if robots else {}
    before, start, spent = peak(), time.perf_counter(), time.process_time()
    report = urlset.lint(folder, location=f"{SITE}/sitemap.xml", rules=urlset.Rules(robots=given))
    seconds = time.perf_counter() - start
    return {
        "entries": planted["entries"],
        "seconds": seconds,
        "cpu_seconds": time.process_time() - spent,
        "kept": len(report.diagnostics),
        "counts": {code: count for code, count in report.counts.items() if code in asked},
        "others": {code: count for code, count in report.counts.items() if code not in asked},
        "expected": {code: planted[code] for code in sorted(planted) if code in asked},
        "peak_rss_bytes": peak(),
        "before_bytes": before,
    }


def main() -> int:
    """Measure, print the figures; 1 when anything was wrong."""
    parser = argparse.ArgumentParser(description="Measure the rules over a whole set.")
    parser.add_argument("--entries", type=int, default=ENTRIES, help="entries of the set (%(default)s)")
    parser.add_argument("--robots", action="store_true", help="with a robots.txt, and the rules about it")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--data", type=Path, default=DATA, help="where the inputs are (%(default)s)")
    parser.add_argument(
        RUN, type=Path, metavar="FOLDER", help="check the set once and say what it took: a measured run"
    )
    options = parser.parse_args()
    if options.run:
        print(json.dumps(run(options.run, robots=options.robots)))
        return 0
    folder = ensure(options.data, options.entries, options.seed)
    command = [sys.executable, __file__, RUN, str(folder)]
    command += ["--robots"] if options.robots else []
    load = os.getloadavg()[0]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print("WRONG: its process failed; the error is above")
        return 1
    found = json.loads(done.stdout)
    right = found["counts"] == found["expected"]
    speed = f"{found['entries'] / found['seconds']:,.0f}" if right else "WRONG"
    body = [
        [
            f"{found['entries']:,}",
            f"{found['seconds']:.1f}" if right else "-",
            speed,
            f"{found['cpu_seconds'] / found['entries'] * 1e6:.2f}",
            f"{found['peak_rss_bytes'] / 1e6:,.0f}",
            f"{found['before_bytes'] / 1e6:,.0f}",
        ]
    ]
    where = machine(None)
    print(f"\nrules over a set: urlset {version('urlset')}, {where['cores']} cores of {where['cpu']}, {where['date']}")
    print(f"load average {load:.2f} before, {os.getloadavg()[0]:.2f} after\n")
    print(table(["entries", "seconds", "entries/s", "CPU s per million", "peak RSS, MB", "of that before"], body))
    print(f"\nfound {found['counts']}, and in single documents {found['others']}")
    if not right:
        print(f"WRONG: expected {found['expected']}")
    return 0 if right else 1


if __name__ == "__main__":
    raise SystemExit(main())
