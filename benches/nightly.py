"""Nightly crawls that ask a tenth of a site, planned by two weeks of its lastmods, beside crawls of the whole site.

python benches/nightly.py [--pages N] [--nights N]

A site on this machine changes at random moments of a simulated time. News and shop state true lastmods, and help
stamps every page daily. It is watched every hour for two weeks, and then crawled every night, and watched before that.
Printed is, for each way of crawling, how many pages it asks for a night, and which share of the copies is what the page
is, over all hours from the fifth night on. The first two nights ask for all pages.
"""

from __future__ import annotations

import argparse
import random
import threading
from bisect import bisect_right
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any

import urlset

START = datetime(2026, 10, 1, tzinfo=UTC)
DAYS = 14
#: Nights on which all pages are asked for, so that what lastmods say can be compared with contents.
FULL = 2
#: The sections: the middle of the rates of change of their pages, per day, and whether their lastmods are true.
SECTIONS = {"news": (0.15, True), "shop": (0.02, True), "help": (0.005, False)}
CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"


class ChangingPages:
    """The pages of the site, with the moments at which each changes, in hours, and what was fetched when."""

    def __init__(self, pages: int, hours: int) -> None:
        draw = random.Random(1)
        self.now = 0.0
        self.moments: dict[str, list[float]] = {}
        self.fetched: dict[str, list[float]] = {}
        for number in range(pages):
            section = list(SECTIONS)[number % len(SECTIONS)]
            rate = SECTIONS[section][0] * draw.lognormvariate(0, 1) / 24
            moments, at = [], draw.expovariate(rate)
            while at < hours:
                moments.append(at)
                at += draw.expovariate(rate)
            self.moments[f"/{section}/{number}"] = moments

    def version(self, path: str, at: float) -> int:
        return bisect_right(self.moments[path], at)

    def lastmod(self, path: str) -> datetime:
        version = self.version(path, self.now)
        if not SECTIONS[path.split("/")[1]][1]:
            return START + timedelta(days=int(self.now // 24))
        return START + timedelta(hours=self.moments[path][version - 1] if version else -240)

    def answer(self, path: str) -> tuple[int, str, str]:
        """Return the status, the type and the text of an answer, and take down that a page was fetched."""
        if path in self.moments:
            self.fetched.setdefault(path, []).append(self.now)
            text = f"<title>{path}</title><main><p>Version {self.version(path, self.now)} of {path}</p></main>"
            return 200, "text/html", text
        if path == "/":
            return 200, "text/html", "".join(f"<a href={each}>{each}</a> " for each in self.moments)
        if path == "/sitemap.xml":
            entries = "".join(
                f"<url><loc>{{site}}{each}</loc><lastmod>{self.lastmod(each).isoformat()}</lastmod></url>"
                for each in self.moments
            )
            return 200, "application/xml", f'<urlset xmlns="{CORE}">{entries}</urlset>'
        return 404, "text/plain", ""

    def freshness(self, hours: range) -> float:
        """Return the share of the copies that are what the page is, over these hours."""
        fresh = 0
        for path in self.moments:
            fetched = self.fetched.get(path, [])
            for hour in hours:
                last = bisect_right(fetched, hour)
                fresh += bool(last) and self.version(path, fetched[last - 1]) == self.version(path, hour)
        return fresh / len(self.moments) / len(hours)


def serve(pages: ChangingPages) -> ThreadingHTTPServer:
    """Serve the pages until `shutdown`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, kind, text = pages.answer(self.path)
            body = text.replace("{site}", f"http://{self.headers['Host']}").encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def look_hourly(pages: ChangingPages, site: str, watch: Path, hours: range) -> None:
    """Watch the site at each of these hours."""
    for hour in hours:
        pages.now = hour
        with urlset.watch(f"{site}/sitemap.xml", state=watch, now=START + timedelta(hours=hour)):
            pass


def crawl_nights(pages: ChangingPages, site: str, folder: Path, nights: int, share: float | None, policy: Any) -> float:
    """Crawl the site every night, all of it if there is no share; return how many pages were asked for a night."""
    pages.fetched.clear()
    state, watch = folder / f"{policy}-{share}.duckdb", folder / f"{policy}-{share}.sqlite"
    copyfile(folder / "watch.sqlite", watch)
    asked = 0
    for night in range(nights):
        if share is not None:
            look_hourly(pages, site, watch, range((DAYS + night - 1) * 24 + 3, (DAYS + night) * 24 + 3))
        pages.now = (DAYS + night) * 24 + 2.5
        now = START + timedelta(hours=pages.now)
        if night < FULL or share is None:
            with urlset.crawl(f"{site}/", state=state, now=now):
                pass
            asked += 0 if night < FULL else len(pages.moments)
            continue
        before = sum(map(len, pages.fetched.values()))
        with (
            urlset.rates([state, watch]) as rates,
            urlset.schedule(
                [page._asdict() for page in rates if page.loc != f"{site}/"],
                budget=share * len(pages.moments),
                policy=policy,
                now=now,
            ) as plan,
            urlset.crawl(
                f"{site}/",
                state=state,
                plan=[*(v._asdict() for v in plan), {"loc": f"{site}/", "next": None}],
                take=round(share * len(pages.moments)),
                now=now,
            ),
        ):
            pass
        asked += sum(map(len, pages.fetched.values())) - before
    return asked / (nights - FULL)


def main() -> None:
    """Print what each way of crawling asks for, and how fresh its copies are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=900)
    parser.add_argument("--nights", type=int, default=22)
    asked = parser.parse_args()
    pages = ChangingPages(asked.pages, (DAYS + asked.nights + 1) * 24)
    server = serve(pages)
    site = f"http://127.0.0.1:{server.server_address[1]}"
    hours = range((DAYS + 2 * FULL) * 24, (DAYS + asked.nights) * 24)
    found: dict[str, float] = {}
    with TemporaryDirectory() as name:
        folder = Path(name)
        look_hourly(pages, site, folder / "watch.sqlite", range((DAYS - 1) * 24 + 3))
        with urlset.rates(folder / "watch.sqlite") as rates:
            print({each.section: each.hints for each in rates.sections})
        for what, share, policy in (
            ("the whole site", None, ""),
            ("a tenth, by how often pages change", 0.1, "periodic"),
            ("a tenth, by what lastmods tell, too", 0.1, "signals"),
            ("a tenth, all alike", 0.1, "uniform"),
        ):
            nightly = crawl_nights(pages, site, folder, asked.nights, share, policy)
            found[what] = pages.freshness(hours)
            print(f"{what}: {nightly:,.0f} pages a night, {found[what]:.1%} of the copies up to date")
    server.shutdown()


if __name__ == "__main__":
    main()
