"""Servers that attack, stall or lie: nothing is reached that must not be, and everything ends."""

from __future__ import annotations

import gc
import gzip
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import urlset
from support.http_server import NAMESPACE, Answer, Handler, Site
from urlset import Http


def failure(url: str, http: Http | None = None, **options: object) -> str:
    """Return the one failure of reading a URL."""
    with pytest.raises(urlset.UrlsetError) as raised:
        urlset.read(url, http=http, **options, strict=True)  # type: ignore[arg-type]
    return str(raised.value)


# --- how long it takes ---------------------------------------------------------------------------------------


def dripping(begin: bytes) -> Callable[[Handler], None]:
    """Send a beginning, and then one byte at a time, without end."""

    def drip(handler: Handler) -> None:
        handler.wfile.write(begin)
        with suppress(OSError):
            while True:
                handler.wfile.write(b" ")
                handler.wfile.flush()
                time.sleep(0.05)

    return drip


DRIPPING_HEADERS = dripping(b"HTTP/1.1 200 OK\r\nX-Slow: x")
DRIPPING_BODY = dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n<urlset>")


def silent(handler: Handler) -> None:
    """Answer nothing."""
    handler.connection.settimeout(5)
    try:
        handler.rfile.read(1)
    except OSError:
        return


@pytest.mark.parametrize("page", [DRIPPING_HEADERS, DRIPPING_BODY, silent], ids=["headers", "body", "nothing"])
def test_a_server_that_stalls_is_given_up(site: Site, page: object) -> None:
    assert callable(page)
    site.pages["/a.xml"] = page
    begin = time.monotonic()
    said = failure(f"{site.url}/a.xml", Http(seconds=1, timeout=0.7, retries=0))
    assert "the server took too long" in said or "did not answer in time" in said
    assert time.monotonic() - begin < 3


def test_a_robots_txt_that_never_ends_is_given_up(site: Site) -> None:
    site.pages["/robots.txt"] = DRIPPING_HEADERS
    begin = time.monotonic()
    assert "robots.txt cannot be read (the server took too long)" in failure(f"{site.url}/a.xml", Http(timeout=0.5))
    assert time.monotonic() - begin < 3


def test_an_endless_body_ends_at_the_budget(site: Site) -> None:
    def endless(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<urlset>")
        try:
            while True:
                handler.wfile.write(b"<url><loc>https://shop.example/</loc></url>" * 1000)
        except OSError:
            return

    site.pages["/a.xml"] = endless
    with pytest.raises(urlset.LimitError):
        urlset.read(f"{site.url}/a.xml", budget=urlset.Budget(wire_bytes=1_000_000), strict=True)


def test_a_bomb_ends_at_the_budget(site: Site) -> None:
    bomb = gzip.compress(b"<urlset>" + b"\0" * 200_000_000)
    site.pages["/a.xml"] = Answer(bomb, headers={"Content-Encoding": "gzip"})
    with pytest.raises(urlset.LimitError):
        urlset.read(f"{site.url}/a.xml", strict=True)


# --- lies ----------------------------------------------------------------------------------------------------


def test_a_body_that_is_shorter_than_announced_is_cut_off(site: Site) -> None:
    body = site.urlset("/a", 5)
    site.pages["/a.xml"] = Answer(body[: len(body) // 2], length=len(body))
    assert "after" in failure(f"{site.url}/a.xml")
    entries = urlset.read(f"{site.url}/a.xml")
    assert 0 < len(entries) < 5
    assert len(entries.failures) == 1  # the broken connection, and not also the document that it cut off
    assert entries.completeness == "truncated"


@pytest.mark.parametrize("said", [b"", b"hello\r\n\r\n", b"HTTP/1.1 200\r\nA\x00: b\r\n\r\n", b"\x16\x03\x01\x02\x00"])
def test_an_answer_that_is_not_http_is_a_failure(site: Site, said: bytes) -> None:
    def answer(handler: Handler) -> None:
        handler.wfile.write(said)

    site.pages["/a.xml"] = answer
    assert "/a.xml: " in failure(f"{site.url}/a.xml", Http(retries=0))


def test_headers_without_end_are_refused(site: Site) -> None:
    def endless(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        try:
            while True:
                handler.wfile.write(b"X-More: " + b"x" * 1000 + b"\r\n")
        except OSError:
            return

    site.pages["/a.xml"] = endless
    assert "not valid HTTP" in failure(f"{site.url}/a.xml", Http(retries=0))


# --- retries and robots --------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_server_that_is_busy_is_asked_again(site: Site, status: int) -> None:
    answers = [Answer(status=status, headers={"Retry-After": "0"})] * 2 + [Answer(site.urlset("/a", 1))]
    site.pages["/a.xml"] = lambda handler: answers.pop(0)
    scan = urlset.scan(f"{site.url}/a.xml")
    assert len(list(scan)) == 1
    assert scan.fetches[0].attempts == 3


def test_a_server_that_stays_busy_is_a_failure(site: Site) -> None:
    site.pages["/a.xml"] = Answer(status=503, headers={"Retry-After": "0"})
    assert failure(f"{site.url}/a.xml", Http(retries=1)).endswith("status 503")
    assert len(site.paths()) == 2


def test_nobody_waits_an_hour_because_a_server_says_so(site: Site) -> None:
    site.pages["/a.xml"] = Answer(status=503, headers={"Retry-After": "3600"})
    begin = time.monotonic()
    assert failure(f"{site.url}/a.xml").endswith("status 503")
    assert time.monotonic() - begin < 2


def test_a_refusal_is_not_asked_for_again(site: Site) -> None:
    site.pages["/a.xml"] = Answer(status=403)
    said = failure(f"{site.url}/a.xml")
    assert all(part in said for part in ("status 403", "--user-agent", "--headers"))
    assert len(site.paths()) == 1


def test_the_robots_txt_is_obeyed(site: Site) -> None:
    site.pages["/robots.txt"] = Answer(b"User-agent: examplebot\nDisallow: /private\n")
    site.pages["/private/a.xml"] = Answer(site.urlset("/a", 1))
    url = f"{site.url}/private/a.xml"
    assert "robots.txt disallows it for examplebot" in failure(url, Http(user_agent="examplebot/2.0 (+x)"))
    assert site.paths() == []
    assert len(urlset.read(url, http=Http(user_agent="otherbot"))) == 1
    assert len(urlset.read(url, http=Http(user_agent="examplebot", obey_robots=False))) == 1


def test_a_robots_txt_that_is_down_forbids_everything_for_now(site: Site) -> None:
    site.pages["/robots.txt"] = Answer(status=503)
    assert "robots.txt cannot be read (status 503)" in failure(f"{site.url}/a.xml")


def test_the_crawl_delay_is_kept(site: Site) -> None:
    site.pages["/robots.txt"] = Answer(b"User-agent: *\nCrawl-delay: 0.3\n")
    names = [f"/{number}.xml" for number in range(3)]
    site.pages["/sitemap.xml"] = Answer(site.index(*names))
    site.pages.update({name: Answer(site.urlset(name, 1)) for name in names})
    begin = time.monotonic()
    assert len(urlset.read(f"{site.url}/sitemap.xml")) == 3
    assert time.monotonic() - begin > 0.3 * 3 - 0.1


def descriptors() -> int:
    """Return how many files and sockets this process has open."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


# --- what stays ----------------------------------------------------------------------------------------------


def ours() -> list[str]:
    """Return the names of the threads that fetch, those of the core too."""
    names = [path.read_text().strip() for path in Path("/proc/self/task").glob("*/comm")]
    return [name for name in names if name.startswith("urlset-net")] + [
        thread.name for thread in threading.enumerate() if thread.name.startswith("urlset")
    ]


def test_a_scan_that_is_given_up_leaves_no_thread_and_no_connection(site: Site) -> None:
    names = [f"/{number}.xml" for number in range(8)]
    site.pages["/sitemap.xml"] = Answer(site.index(*names))
    large = f'<urlset xmlns="{NAMESPACE}">'.encode() + b"<url><loc>https://shop.example/</loc></url>" * 300_000
    site.pages.update(dict.fromkeys(names, Answer(large + b"</urlset>")))
    threads, before = len(ours()), descriptors()
    for _ in range(3):
        entries = iter(urlset.scan(f"{site.url}/sitemap.xml", http=Http(per_host=8)))
        next(entries)
        assert {name[:10] for name in ours()} >= {"urlset-net", "urlset hos"}
        del entries
        gc.collect()
    end = time.monotonic() + 5
    while time.monotonic() < end and (len(ours()) > threads or descriptors() > before + 2):
        time.sleep(0.05)
    assert len(ours()) <= threads, ours()
    assert descriptors() <= before + 2


# --- the whole run -------------------------------------------------------------------------------------------


def endless_indexes(site: Site) -> None:
    """Serve an index for every path, which leads to two others that nobody has seen."""

    class Pages(dict[str, object]):
        def get(self, path: str, default: object = None) -> object:
            if path == "/robots.txt":
                return Answer(status=404)
            return Answer(site.index(f"{path}a", f"{path}b"))

    site.pages = Pages()  # type: ignore[assignment]


def test_indexes_that_lead_to_each_other_without_end_stop_at_the_depth(site: Site) -> None:
    endless_indexes(site)
    entries = urlset.read(f"{site.url}/x", http=Http(max_depth=3))
    assert len(entries.documents) == 1 + 2 + 4 + 8
    assert len(entries.failures) == 16
    assert all("3 indexes have led to each other (max_depth)" in str(failure) for failure in entries.failures)


@pytest.mark.parametrize(
    ("http", "reason"),
    [
        (Http(max_depth=50, max_documents=20), r"the run has fetched 20 documents \(max_documents\)"),
        (Http(max_depth=50, max_bytes=5_000), r"the run has received 5,000 bytes \(max_bytes\)"),
        (Http(max_depth=50, max_seconds=0.5), r"the run has taken 0 seconds \(max_seconds\)"),
    ],
)
def test_a_run_ends_at_its_bounds_with_what_it_has(site: Site, http: Http, reason: str) -> None:
    endless_indexes(site)
    scan = urlset.scan(f"{site.url}/x", http=http)
    entries = scan.collect()
    assert len(entries.documents) == len(scan.fetches) > 1  # whatever was fetched was read
    assert entries.completeness == "truncated"
    [failure] = [str(each) for each in entries.failures]
    assert re.search(reason + r": [\d,]+ sitemaps that were found are not read", failure)
    report = urlset.lint(f"{site.url}/x", http=http)
    assert re.search(reason, str(report.failures[-1]))
    # The caller has set the bound, and gets what was read until then, whatever else is raised.
    assert urlset.read(f"{site.url}/x", http=http).completeness == "truncated"
    with (
        pytest.raises(urlset.FetchError, match=reason),
        urlset.diff(f"{site.url}/x", b"https://a.example/", http=http, strict=True),
    ):
        pass
