"""What a command costs that has nearly nothing to do: helps, and a sitemap of three entries in a file and on a server.

    python benches/startup.py [--rounds 10] [--only TEXT]

Printed are the processor time and the wall time of the whole process, each the best of all rounds, and how many modules
it had imported in the end. Each command has to end with 0 and to say what is expected of it. The module that is
measured should be a release build: a debug build is three times as large, and slower to load.
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

from urlset._cli.verbs import VERBS

LOCS = [f"https://example.com/{name}" for name in ("", "tea", "cups")]
SITEMAP = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    + "".join(f"<url><loc>{loc}</loc></url>\n" for loc in LOCS)
    + "</urlset>\n"
).encode()

#: Runs the command line, and writes down how many modules there are when it ends.
COUNTING = """
import atexit, os, pathlib, sys
atexit.register(lambda: pathlib.Path(os.environ["COUNTED"]).write_text(str(len(sys.modules))))
from urlset._cli import main
main()
"""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, and a text that it must print."""

    arguments: tuple[str, ...]
    expected: str


class Handler(BaseHTTPRequestHandler):
    """A site with a robots.txt and a sitemap."""

    def do_GET(self) -> None:
        """Answer."""
        base = f"http://{self.headers['Host']}"
        body = {
            "/robots.txt": f"User-agent: *\nAllow: /\nSitemap: {base}/sitemap.xml\n".encode(),
            "/sitemap.xml": SITEMAP,
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


def commands(file: str, url: str) -> list[Command]:
    """Return what is measured."""
    return [
        Command(("--version",), "urlset "),
        Command(("--help",), "Usage: urlset"),
        *(Command((verb, "--help"), f"Usage: urlset {verb}") for verb in VERBS),
        Command(("lint", file), "No findings in 1 document, 3 entries"),
        Command(("read", file), LOCS[-1]),
        Command(("read", f"{url}/sitemap.xml"), LOCS[-1]),
        Command(("read", url), LOCS[-1]),
    ]


def measure(command: Command, rounds: int, folder: Path) -> tuple[float, float, int]:
    """Return the seconds of processor time and of wall time, and the number of modules.

    Raises:
        SystemExit: The command failed, or did not print what is expected.
    """
    counted = folder / "modules"
    best_cpu = best_wall = float("inf")
    for _ in range(rounds):
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        ended = subprocess.run(
            [sys.executable, "-m", "urlset", *command.arguments],
            capture_output=True,
            text=True,
            cwd=folder,
            check=False,
        )
        wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        if ended.returncode != 0 or command.expected not in ended.stdout:
            sys.exit(f"urlset {' '.join(command.arguments)}: {ended.returncode}\n{ended.stdout}{ended.stderr}")
        best_cpu = min(best_cpu, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        best_wall = min(best_wall, wall)
    subprocess.run(
        [sys.executable, "-c", COUNTING, *command.arguments],
        env={**os.environ, "COUNTED": str(counted)},
        capture_output=True,
        cwd=folder,
        check=True,
    )
    return best_cpu, best_wall, int(counted.read_text())


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--only", default="", help="commands that contain this text")
    given = parser.parse_args()
    with TemporaryDirectory() as folder, site() as url:
        file = Path(folder) / "sitemap.xml"
        file.write_bytes(SITEMAP)
        print(f"{'command':<40} {'cpu ms':>7} {'wall ms':>7} {'modules':>7}")
        for command in commands(file.name, url):
            line = f"urlset {' '.join(command.arguments)}"
            if given.only in line:
                cpu, wall, modules = measure(command, given.rounds, Path(folder))
                print(f"{line:<40} {cpu * 1000:>7.0f} {wall * 1000:>7.0f} {modules:>7}", flush=True)


if __name__ == "__main__":
    main()
