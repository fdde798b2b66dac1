"""Measure a crawl of a million pages that is killed half way and goes on, behind nginx on this machine.

    python benches/million.py
    python benches/million.py --pages 20000

The site is that of `crawl.py`: pages of 10 KB with 30 links each, for which the disk needs 14 GB. The first process is
killed once it has asked for half of them; a second one goes on with its run file. Prints JSON with the seconds and the
pages a second of both together, their processor time a page, the larger peak of memory, the size of the run file, and
how many pages were asked for twice. Exits with 1 if the run file does not have each page and each link of the site
exactly once, or if more was asked for twice than a batch and what was on its way. nginx has to be installed.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from crawl import AT_ONCE, CATEGORY, LINKS, write_site
from urlset._runs.file import RunFile

CRAWL = f"""
import sys, urlset
http = urlset.Http(concurrency={AT_ONCE}, per_host={AT_ONCE})
def tell(progress):
    if progress.done % 100 == 0:
        print(progress.done, flush=True)
with urlset.crawl(sys.argv[1], http=http, state=sys.argv[2], max_pages=10**9, progress=tell) as found:
    print(found.state, flush=True)
"""
#: A batch, and what was on its way.
TWICE = 500 + 4 * AT_ONCE


@contextmanager
def site(pages: int) -> Iterator[tuple[str, int, Path]]:
    """Serve the site, and yield its URL, how many pages it has, and the log of what was asked for."""
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    nginx = import_module("support.nginx").nginx
    with TemporaryDirectory() as folder:
        root, work = Path(folder, "root"), Path(folder, "work")
        for each in (Path(folder), root, work):
            each.mkdir(exist_ok=True)
            each.chmod(0o755)  # nginx may be another user
        number = write_site(root, pages)
        print(f"{number:,} pages are written", file=sys.stderr)
        with nginx(root, work) as url:
            yield f"{url}/", number, work / "access.log"


def lines(process: subprocess.Popen[str]) -> Iterator[str]:
    """Yield what a process prints."""
    assert process.stdout is not None
    for line in process.stdout:
        yield line.strip()


def crawl(url: str, path: Path, most: int | None = None) -> float:
    """Crawl in a process of its own, which is killed at so many pages, and return the seconds."""
    begin = time.perf_counter()
    with subprocess.Popen([sys.executable, "-c", CRAWL, url, str(path)], stdout=subprocess.PIPE, text=True) as process:
        for line in lines(process):
            if line.isdigit() and most is not None and int(line) >= most:
                process.kill()
                break
            if not line.isdigit() and line != "complete":
                raise SystemExit(f"the crawl has ended as {line}")
        process.wait()
    return time.perf_counter() - begin


def counts(path: Path) -> tuple[int, int, int]:
    """Return how many pages a run file has, how many different ones with a title, and how many links."""
    with RunFile(path, read_only=True) as file:
        execute = file.connection.execute
        pages = execute("SELECT count(*), count(DISTINCT loc) FILTER (status = 200 AND title IS NOT NULL) FROM pages")
        [(rows, different)] = pages.fetchall()
        [(links,)] = execute("SELECT count(*) FROM links WHERE kind = 'a'").fetchall()
    return rows, different, links


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000)
    options = parser.parse_args()
    with site(options.pages) as (url, pages, log), TemporaryDirectory() as folder:
        path = Path(folder) / "run.duckdb"
        seconds = [crawl(url, path, pages // 2)]
        with RunFile(path, read_only=True) as file:
            [(kept,)] = file.connection.execute("SELECT count(*) FROM pages").fetchall()
        seconds.append(crawl(url, path))
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        size = path.stat().st_size
        rows, different, links = counts(path)
        with log.open() as asked:
            requests = sum('"GET /robots.txt' not in line for line in asked)
        result = {
            "pages": different,
            "links": links,
            "seconds": round(sum(seconds)),
            "pages_a_second": round(pages / sum(seconds)),
            "processor_microseconds_a_page": round((used.ru_utime + used.ru_stime) / pages * 1e6),
            "peak_mb": used.ru_maxrss // 1024,
            "file_mb": size // 10**6,
            "kept_by_the_kill": kept,
            "asked_twice": requests - pages,
        }
        print(json.dumps(result, indent=2), flush=True)  # before so many files are removed
    # Each page links to the first one, which links to all categories, as they do to their pages.
    categories = pages // (CATEGORY + 1)
    expected = pages + categories + categories * CATEGORY + categories * CATEGORY * LINKS
    return 0 if (rows, different, links) == (pages, pages, expected) and requests - pages <= TWICE else 1


if __name__ == "__main__":
    sys.exit(main())
