"""Look for input whose cost grows faster than its size.

    python benches/linear.py
    python benches/linear.py --draws 2000 --seed 7

Hostile documents are drawn: pieces of their grammar, repeated, where such a document may have them. Each is read,
linted and fixed, or checked as a robots.txt, or taken apart as a page, or served to `discover`, at one size and at
eight times that size. Measured is the processor time of all threads, beyond that for a document with nothing in it; the
least of three counts. A form of which a byte costs more than three times as much in the larger document is printed, and
the exit code is 1.

Steps would be counted more exactly than time. But the faults that this looks for were in a search for one character, in
the standard library, and in a join of two tables. A counter of steps would have missed them, and most virtual machines
hide the counters of the processor. A quadratic cost is eight times as much for each byte here, far from three.
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import urlset
from hostile_forms import KNOWN, LOCATION, Form, drawn
from report import machine, table
from urlset._page.facts import page_facts

SMALL = 16 << 10
FACTOR = 8
#: How much more a byte may cost in the larger document.
MOST = 3.0
#: Seconds below which a difference is noise.
NOISE = 0.0005


class Site:
    """A site of which every name has the same answer."""

    def __init__(self) -> None:
        self.body = b""
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                """Answer with the page at `/`, or with the robots.txt, whichever it is; with nothing else."""
                is_page = site.body[:1] == b"<"
                is_there = self.path == ("/" if is_page else "/robots.txt")
                self.send_response(200 if is_there else 404)
                self.send_header("Content-Type", "text/html" if is_page else "text/plain")
                self.send_header("Content-Length", str(len(site.body) if is_there else 0))
                self.end_headers()
                with suppress(OSError):
                    self.wfile.write(site.body if is_there else b"")

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def discover(self, data: bytes) -> None:
        """Discover the sitemaps of a site with this page or robots.txt."""
        self.body = data
        urlset.discover(self.url, http=urlset.Http(per_host=4, retries=0))


PAGES = b"".join(b"https://a.example/%d\n" % number for number in range(20))
RULES = urlset.Rules(preview=True)


def _read(data: bytes) -> None:
    for _ in urlset.parse(data, location=LOCATION):
        pass


def verbs() -> dict[str, Callable[[bytes], object]]:
    """Return what is done with a document, by its name."""
    return {
        "read": _read,
        "lint": lambda data: urlset.lint(data, location=LOCATION, rules=RULES),
        "fix": lambda data: urlset.fix(data, location=LOCATION, unsafe=True),
        "robots": lambda data: urlset.robots(data, sitemaps=PAGES),
        "lint with robots": lambda data: urlset.lint(
            PAGES, location="https://a.example/sitemap.txt", rules=urlset.Rules(robots={"a.example": data})
        ),
        "extraction": lambda data: page_facts(data, LOCATION, (("content-type", "text/html"),)),
        "discover": Site().discover,
    }


def seconds(run: Callable[[bytes], object], data: bytes) -> float:
    """Return how much processor time it takes."""
    begin = time.process_time()
    with suppress(urlset.UrlsetError):
        run(data)
    return time.process_time() - begin


def growth(run: Callable[[bytes], object], form: Form, floor: float) -> float:
    """Return how many times as much a byte costs in the larger document."""
    small = large = float("inf")
    for _ in range(3):
        small = min(small, seconds(run, form.text(SMALL)))
        large = min(large, seconds(run, form.text(SMALL * FACTOR)))
        # What varies from one run to the next is no more than a part of what every run takes.
        found = (large - floor - NOISE) / FACTOR / max(small - floor, NOISE, floor / 5)
        if found <= MOST:
            break
    return found


def check(forms: Iterable[Form]) -> list[tuple[str, Form, float]]:
    """Return what grows too fast: the verb, the form, and by how much."""
    runs = verbs()
    floors = {name: min(seconds(run, b"<x/>\n") for _ in range(5)) for name, run in runs.items()}
    found = []
    for form in forms:
        for name in form.verbs:
            if (times := growth(runs[name], form, floors[name])) > MOST:
                found.append((name, form, times))
                print(
                    f"WRONG {name}: {times:.1f} times: {form.opening!r} {form.repeated!r} {form.closing!r}", flush=True
                )
    return found


def main() -> int:
    """Check the known forms, and draw others."""
    parser = argparse.ArgumentParser(description="Look for input whose cost grows faster than its size.")
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    choose = random.Random(options.seed)
    forms = [*KNOWN, *(drawn(choose) for _ in range(options.draws))]
    found = check(forms)
    print(machine(None))
    rows = [
        [name, str(sum(name in form.verbs for form in forms)), str(sum(name == each[0] for each in found))]
        for name in verbs()
    ]
    print(table(["verb", "forms", "grow too fast"], rows))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
