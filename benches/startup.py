"""What a command costs that has nearly nothing to do: helps, a sitemap of three entries in a file, and a small site.

    python benches/startup.py [--rounds 10] [--only TEXT]

Printed are the processor time and the wall time of the whole process, each the best of all rounds, and how many modules
it had imported in the end. Each command has to end with 0 and to say what is expected of it. The module that is
measured should be a release build: a debug build is three times as large, and slower to load.

The site has a robots.txt, an index and three sitemaps. ultimate-sitemap-parser reads it too, in turns with urlset and
also as a whole process, if `benches/run.py --peers` has installed it; the last line has the ratio.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

from read import PEERS
from urlset._cli.verbs import VERBS

LOCS = [f"https://example.com/{name}" for name in ("", "tea", "cups")]
SITEMAP = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    + "".join(f"<url><loc>{loc}</loc></url>\n" for loc in LOCS)
    + "</urlset>\n"
).encode()

CHILDREN = ("/1.xml", "/2.xml", "/3.xml")
#: Reads a site with ultimate-sitemap-parser, without asking for sitemaps that nothing names.
USP = """
import sys
from usp.tree import sitemap_tree_for_homepage
for page in sitemap_tree_for_homepage(sys.argv[1], use_known_paths=False).all_pages():
    print(page.url)
"""

#: Runs the command line, and writes down how many modules there are when it ends.
COUNTING = """
import atexit, os, pathlib, sys
atexit.register(lambda: pathlib.Path(os.environ["COUNTED"]).write_text(str(len(sys.modules))))
from urlset._cli import main
main()
"""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, and a text that it must print, so many times."""

    name: str
    line: tuple[str, ...]
    expected: str
    times: int = 1


def urlset(*arguments: str, expected: str, times: int = 1) -> Command:
    """Return a command line of urlset."""
    return Command(f"urlset {' '.join(arguments)}", (sys.executable, "-m", "urlset", *arguments), expected, times)


def index(base: str) -> bytes:
    """Return the index of the site."""
    children = "".join(f"<sitemap><loc>{base}{child}</loc></sitemap>" for child in CHILDREN)
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{children}</sitemapindex>'.encode()


class Handler(BaseHTTPRequestHandler):
    """A site with a robots.txt, an index and its sitemaps."""

    def do_GET(self) -> None:
        """Answer."""
        base = f"http://{self.headers['Host']}"
        body = {
            "/robots.txt": f"User-agent: *\nAllow: /\nSitemap: {base}/sitemap.xml\n".encode(),
            "/sitemap.xml": index(base),
            **dict.fromkeys(CHILDREN, SITEMAP),
        }.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", "text/plain" if self.path == "/robots.txt" else "application/xml")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def site() -> Iterator[str]:
    """Serve the site on loopback, and yield its URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def commands(file: str) -> list[Command]:
    """Return what is measured without a server."""
    return [
        urlset("--version", expected="urlset "),
        urlset("--help", expected="Usage: urlset"),
        *(urlset(verb, "--help", expected=f"Usage: urlset {verb}") for verb in VERBS),
        urlset("lint", file, expected="No findings in 1 document, 3 entries"),
        urlset("read", file, expected=LOCS[-1]),
    ]


def readings(url: str) -> list[Command]:
    """Return what is measured with a server: its site, read by urlset and by its peer."""
    found = [
        urlset("read", f"{url}{CHILDREN[0]}", expected=LOCS[-1]),
        urlset("read", url, expected=LOCS[-1], times=len(CHILDREN)),
    ]
    if PEERS.exists():
        found.append(Command(f"usp {url}", (str(PEERS), "-c", USP, url), LOCS[-1], len(CHILDREN)))
    return found


@dataclass(slots=True)
class Best:
    """The least seconds of processor time and of wall time so far."""

    cpu: float = float("inf")
    wall: float = float("inf")

    def measure(self, command: Command, folder: Path) -> None:
        """Run a command once.

        Raises:
            SystemExit: The command failed, or did not print what is expected.
        """
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        ended = subprocess.run(command.line, capture_output=True, text=True, cwd=folder, check=False)
        wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        if ended.returncode != 0 or ended.stdout.count(command.expected) < command.times:
            sys.exit(f"{command.name}: {ended.returncode}\n{ended.stdout}{ended.stderr}")
        self.cpu = min(self.cpu, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        self.wall = min(self.wall, wall)


def modules_of(command: Command, folder: Path) -> str:
    """Return how many modules a command of urlset has imported in the end; nothing for others."""
    if command.line[1:3] != ("-m", "urlset"):
        return ""
    counted = folder / "modules"
    line = [sys.executable, "-c", COUNTING, *command.line[3:]]
    subprocess.run(line, env={**os.environ, "COUNTED": str(counted)}, capture_output=True, cwd=folder, check=True)
    return counted.read_text()


def compare(group: list[Command], rounds: int, folder: Path) -> list[Best]:
    """Measure commands in turns, and print a line for each."""
    best = [Best() for _ in group]
    for _ in range(rounds):
        for each, command in zip(best, group, strict=True):
            each.measure(command, folder)
    for each, command in zip(best, group, strict=True):
        modules = modules_of(command, folder)
        print(f"{command.name:<45} {each.cpu * 1000:>7.0f} {each.wall * 1000:>7.0f} {modules:>7}", flush=True)
    return best


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--only", default="", help="commands that contain this text")
    given = parser.parse_args()
    with TemporaryDirectory() as folder, site() as url:
        file = Path(folder) / "sitemap.xml"
        file.write_bytes(SITEMAP)
        print(f"{'command':<45} {'cpu ms':>7} {'wall ms':>7} {'modules':>7}")
        for command in commands(file.name):
            if given.only in command.name:
                compare([command], given.rounds, Path(folder))
        if group := [command for command in readings(url) if given.only in command.name]:
            *_, ours, peer = [Best(), *compare(group, given.rounds, Path(folder))]
            if group[-1].name.startswith("usp") and len(group) > 1:
                cpu, wall = peer.cpu / ours.cpu, peer.wall / ours.wall
                print(f"usp takes {cpu:.2f} of the processor time of urlset, and {wall:.2f} of its time")


if __name__ == "__main__":
    main()
