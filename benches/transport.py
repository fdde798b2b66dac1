"""Measure what one page costs a transport: processor time, against nginx on this machine.

    python benches/transport.py
    python benches/transport.py --pages 2000 --rounds 1 --only urlset,httpcore2

The pages have 10 KB, and nginx compresses them. 16 requests are on their way at once. Each contestant is a process of
its own, which takes the whole content of each page and counts its bytes; the processor time is that of the process,
from the first request to the last. The contestants take turns, and the median of the rounds counts. httpcore2 has
16 threads; by HTTP/2 it loses requests and is not measured. Prints JSON with the microseconds of processor time a page,
and how many times urlset's that is. Exits with 1 if one did not get every byte.
nginx has to be installed; pycurl is measured if it is.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from crawl import AT_ONCE, site, write_site

#: What each contestant does around its own part: `fetch(urls, method, authorities)` returns the bytes of all contents.
FRAME = f"""
import resource, sys
from concurrent.futures import ThreadPoolExecutor
AT_ONCE = {AT_ONCE}
url, pages, method, authorities, version = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4] or None, sys.argv[5]
urls = [f"{{url}}category-{{number % (pages // 200)}}-page-{{number % 200}}.html" for number in range(pages)]
HEADERS = [("Accept-Encoding", "gzip"), ("User-Agent", "bench")]
"""
MEASURE = """
before = resource.getrusage(resource.RUSAGE_SELF)
got = fetch()
after = resource.getrusage(resource.RUSAGE_SELF)
used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(used / len(urls) * 1e6, got)
"""
URLSET = """
from urlset._core import Transport
from urlset._model.core_types import TransportSettings
def fetch():
    transport = Transport(TransportSettings(ca_file=authorities, http2=version == "2", per_host=AT_ONCE))
    got, waiting, running = 0, iter(enumerate(urls)), 0
    while True:
        while running < AT_ONCE and (next_one := next(waiting, None)):
            transport.start(next_one[0], method, next_one[1], HEADERS, None, 60.0, True, 1 << 20)
            running += 1
        if not running:
            return got
        for event in transport.take(60.0):
            assert event.kind == "done" and event.is_whole, event.message
            got += len(event.body)
            running -= 1
"""
HTTPCORE2 = """
import gzip, ssl, httpcore2
def fetch():
    context = ssl.create_default_context(cafile=authorities)
    pool = httpcore2.ConnectionPool(ssl_context=context, max_connections=AT_ONCE, http2=version == "2")
    def one(url):
        response = pool.request(method, url, headers=HEADERS)
        return len(gzip.decompress(response.content)) if response.content else 0
    with ThreadPoolExecutor(AT_ONCE) as threads:
        return sum(threads.map(one, urls))
"""
PYCURL = """
import pycurl
def fetch():
    multi, got, waiting, free, running = pycurl.CurlMulti(), [0], iter(urls), [], 0
    def write(data): got[0] += len(data)
    for _ in range(AT_ONCE):
        curl = pycurl.Curl()
        curl.setopt(pycurl.PROXY, "")
        curl.setopt(pycurl.ENCODING, "gzip")
        curl.setopt(pycurl.WRITEFUNCTION, write)
        curl.setopt(pycurl.NOBODY, method == "HEAD")
        one, two = pycurl.CURL_HTTP_VERSION_1_1, pycurl.CURL_HTTP_VERSION_2TLS
        curl.setopt(pycurl.HTTP_VERSION, two if version == "2" else one)
        if authorities:
            curl.setopt(pycurl.CAINFO, authorities)
        free.append(curl)
    while True:
        while free and (url := next(waiting, None)):
            curl = free.pop()
            curl.setopt(pycurl.URL, url)
            multi.add_handle(curl)
            running += 1
        if not running:
            return got[0]
        multi.perform()
        while True:
            left, done, failed = multi.info_read()
            assert not failed, failed
            for curl in done:
                multi.remove_handle(curl)
                free.append(curl)
                running -= 1
            if not left:
                break
        if running and not done:
            multi.select(1.0)
"""
#: Those that lose requests when nginx ends a connection of HTTP/2, as it does after 1,000 of them.
LOSING = {"httpcore2"}
#: The ways to ask: the method, whether with TLS, and the version of HTTP.
WAYS = {
    "GET": ("GET", False, "1.1"),
    "HEAD": ("HEAD", False, "1.1"),
    "TLS": ("GET", True, "1.1"),
    "HTTP/2": ("GET", True, "2"),
}


def contestants() -> dict[str, str]:
    """The programs of those that can run here."""
    found = {"urlset": URLSET, "httpcore2": HTTPCORE2}
    return found | ({"pycurl": PYCURL} if find_spec("pycurl") else {})


@contextmanager
def secure_site(pages: int) -> Iterator[tuple[str, str]]:
    """Serve the site with TLS, and yield its URL and the file of the authority to trust."""
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    nginx, authorities = import_module("support.nginx").nginx, import_module("support.fetch.tls").Authority
    with TemporaryDirectory() as folder:
        root, work = Path(folder, "root"), Path(folder, "work")
        root.mkdir()
        work.mkdir()
        for each in (Path(folder), root, work):
            each.chmod(0o755)  # nginx may be another user
        write_site(root, pages)
        authority = authorities.make(Path(folder))
        with nginx(root, work, authority.pem()) as url:
            yield f"{url}/", str(authority.file)


def measured(program: str, url: str, pages: int, way: str, authorities: str) -> tuple[float, int]:
    """Return the microseconds of processor time a page, and the bytes of all contents."""
    method, _, version = WAYS[way]
    command = [sys.executable, "-c", FRAME + program + MEASURE, url, str(pages), method, authorities, version]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=600)
    used, got = ended.stdout.split()
    return float(used), int(got)


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="contestants, separated by commas")
    options = parser.parse_args()
    chosen = contestants()
    if options.only:
        chosen = {name: chosen[name] for name in options.only.split(",")}
    rounds: dict[str, dict[str, list[float]]] = {way: {name: [] for name in chosen} for way in WAYS}
    sizes: dict[str, set[int]] = {way: set() for way in WAYS}
    with site(options.pages) as (plain, _), secure_site(options.pages) as (secure, authorities):
        for _ in range(options.rounds):
            for way, (_, is_secure, _) in WAYS.items():
                where = (secure, options.pages, way, authorities) if is_secure else (plain, options.pages, way, "")
                for name, program in chosen.items():
                    if way == "HTTP/2" and name in LOSING:
                        continue
                    used, got = measured(program, *where)
                    rounds[way][name].append(used)
                    sizes[way].add(got)
                    print(f"{way}, {name}: {used:.0f} microseconds a page", file=sys.stderr)
    results = {}
    for way, by_name in rounds.items():
        medians = {name: statistics.median(used) for name, used in by_name.items() if used}
        base = medians.get("urlset", 0)
        results[way] = {
            name: {"microseconds": round(used), "times_urlset": round(used / base, 1) if base else None}
            for name, used in medians.items()
        }
    print(json.dumps({"pages": options.pages, "rounds": options.rounds, **results}, indent=2))
    return 0 if all(len(found) == 1 for found in sizes.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
