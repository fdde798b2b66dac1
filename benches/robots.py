"""Measure robots.txt: a hostile file of many crawlers and rules, that of a shop, and many pages.

    python benches/robots.py

Each case runs in a process of its own. Measured are its processor time, and the peak of memory beyond what the process
had before.
A result that is not the one that the file was made for is shown as WRONG, as is a case beyond its bound, and the exit
code is 1.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

from publishing import peak
from report import machine, table

RUN = "--run"
SITE = "https://a.example"


class Case(NamedTuple):
    """A robots.txt, the pages that it is checked against, and what must come of it: lines, and pages for a crawler."""

    text: Callable[[], str]
    pages: Callable[[], list[str]] | None
    expected: tuple[int, set[int]]
    seconds: float
    megabytes: float


def hostile() -> str:
    """24,000 crawlers with 8,000 rules, in less than 500 KiB."""
    agents = "".join(f"User-agent:{number:x}\n" for number in range(24_000))
    return agents + "".join(f"Allow:/{number:x}\n" for number in range(7_999)) + "Disallow:/1f3e/x\n"


def shop() -> str:
    """28 kB, 1,098 crawlers and a few rules, as of a real shop."""
    agents = "".join(f"User-agent: crawler-{number}\n" for number in range(1_098))
    return f"{agents}Disallow: /basket\nDisallow: /*?sort=\nAllow: /basket/help\nSitemap: {SITE}/sitemap.xml\n"


def stars() -> str:
    """A rule of many asterisks, over which others take seconds."""
    return f"User-agent: *\nDisallow: /{'*a' * 2_000}b\nDisallow: /*a*a*a*a*a*a*b$\n"


def many() -> str:
    """40 crawlers with 200 rules each."""
    rules = "".join(f"Disallow: /section-{number}/*/print\n" for number in range(200))
    return "".join(f"User-agent: bot-{number}\n{rules}\n" for number in range(40))


CASES = {
    "24,000 crawlers, 8,000 rules": Case(hostile, None, (32_000, set()), 0.2, 50),
    "the same, against 2 pages": Case(hostile, lambda: [f"{SITE}/1f3e/x", f"{SITE}/z"], (32_000, {1}), 0.2, 50),
    "a shop, against 2 pages": Case(shop, lambda: [f"{SITE}/basket", f"{SITE}/basket/help"], (1_102, {1}), 0.05, 10),
    "rules of many stars": Case(stars, lambda: [f"{SITE}/{'a' * 2_000}"] * 100, (3, {0}), 0.05, 10),
    "40 crawlers, 8,000 rules, 100,000 pages": Case(
        many,
        lambda: [f"{SITE}/section-{number % 400}/tea/{'print' if number % 4 else 'page'}" for number in range(100_000)],
        (8_040, {37_500}),
        2.0,
        60,
    ),
}


def run(name: str) -> None:
    """Run one case, and print what it took."""
    import urlset

    case = CASES[name]
    text = case.text().encode()
    pages = None if case.pages is None else "\n".join(case.pages()).encode()
    urlset.robots(b"User-agent: *\nDisallow: /a\n", sitemaps=b"https://a.example/\n")  # imports
    before, begin = peak(), time.process_time()
    found = urlset.robots(text, sitemaps=pages)
    took = time.process_time() - begin
    counts = {each.pages for each in found.disallowed}
    is_right = len(text) <= 500 << 10 and (len(found.lines), counts) == case.expected
    print(json.dumps([is_right, took, (peak() - before) / 1e6]))


def main() -> int:
    """Run all cases."""
    if sys.argv[1:2] == [RUN]:
        run(sys.argv[2])
        return 0
    rows, is_right = [], True
    for name, case in CASES.items():
        command = [sys.executable, __file__, RUN, name]
        right, took, memory = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        held = took <= case.seconds and memory <= case.megabytes
        is_right = is_right and right and held
        rows.append([name, f"{took * 1_000:,.1f} ms", f"{memory:,.1f} MB", "" if right and held else "WRONG"])
    print(machine(None))
    print(table(["case", "processor time", "memory beyond before", ""], rows))
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
