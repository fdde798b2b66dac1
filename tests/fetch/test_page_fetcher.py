"""Pages over HTTP: what came of each, and what was asked for by the way."""

from __future__ import annotations

import gzip
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from support.http_server import Answer, Handler, Site, closed_port, serve
from urlset import Http
from urlset._fetch.page_fetcher import PageFetcher
from urlset._model.fetched_pages import FetchedPage, Request

HOST = "127.0.0.1"


def fetch(
    *requests: Request, http: Http | None = None, named: str | None = None, **options: object
) -> list[FetchedPage]:
    """Return what came of requests, in their order."""
    with closing(PageFetcher(http or Http(), [named or requests[0].url], **options)) as fetcher:  # type: ignore[arg-type]
        for number, request in enumerate(requests):
            fetcher.submit(Request(request.url, request.method, request.headers, number))
        found = list(taken(fetcher))
    return sorted(found, key=lambda page: page.tag)  # type: ignore[arg-type, return-value]


def taken(fetcher: PageFetcher) -> Iterator[FetchedPage]:
    """Yield all results."""
    while fetcher.pending:
        yield from fetcher.results()


def page(url: str, http: Http | None = None, **options: object) -> FetchedPage:
    """Return what came of one request."""
    [found] = fetch(Request(url), http=http, **options)  # type: ignore[arg-type]
    return found


def test_an_answer_is_there_with_its_headers_and_body(site: Site) -> None:
    site.pages["/a"] = Answer(b"<p>tea</p>", headers={"Content-Type": "text/html", "X-Robots-Tag": "noindex"})
    found = page(f"{site.url}/a")
    assert (found.status, found.body, found.problem, found.refused) == (200, b"<p>tea</p>", None, None)
    assert (found.final_url, found.hops, found.is_cut, found.method) == (f"{site.url}/a", (), False, "GET")
    assert (found.header("x-robots-tag"), found.header("content-type")) == ("noindex", "text/html")
    assert found.fetched.tzinfo is not None


@pytest.mark.parametrize("status", [404, 410, 500, 501])
def test_a_status_is_a_result(site: Site, status: int) -> None:
    site.pages["/a"] = Answer(b"sorry", status)
    found = page(f"{site.url}/a", Http(retries=0))
    assert (found.status, found.body, found.problem, found.refused) == (status, b"sorry", None, None)


@pytest.mark.parametrize("status", [403, 429, 503])
def test_what_keeps_bots_away_proves_nothing(site: Site, status: int) -> None:
    site.pages["/a"] = Answer(b"no", status)
    found = page(f"{site.url}/a", Http(retries=0))
    assert (found.status, found.refused) == (status, "bot challenge")


def test_a_challenge_page_with_status_200_is_a_wall(site: Site) -> None:
    site.pages["/a"] = Answer(b"<title>Just a moment...</title>", headers={"cf-mitigated": "challenge"})
    found = page(f"{site.url}/a")
    assert (found.status, found.refused) == (200, "bot challenge")
    assert found.problem == "a challenge page of Cloudflare blocks it"


def test_a_head_request_gets_the_headers_of_a_page(site: Site) -> None:
    def answer(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\nContent-Encoding: gzip\r\nETag: x\r\n\r\n")

    site.pages["/a"], site.answers_head = answer, True
    [found] = fetch(Request(f"{site.url}/a", "HEAD"))
    assert (found.status, found.body, found.method, found.header("etag")) == (200, b"", "HEAD", "x")


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda data: zlib.compress(data)[2:-4]),
        ("identity", bytes),
    ],
)
def test_a_body_is_unpacked_up_to_a_bound(site: Site, coding: str, pack: Callable[[bytes], bytes]) -> None:
    body = b"<p>tea</p>" * 1_000
    site.pages["/a"] = Answer(pack(body), headers={"Content-Encoding": coding})
    assert (page(f"{site.url}/a").body, page(f"{site.url}/a").is_cut) == (body, False)
    found = page(f"{site.url}/a", most_bytes=500)
    assert (found.body, found.is_cut, found.problem) == (body[:500], True, None)


def test_a_connection_is_kept_behind_a_compressed_body_of_unknown_length(site: Site) -> None:
    packed = gzip.compress(b"<p>tea</p>")
    headers = {"Content-Encoding": "gzip", "Transfer-Encoding": "chunked"}
    clients: set[tuple[str, int]] = set()

    def answer(handler: Handler) -> Answer:
        clients.add(handler.client_address)
        return Answer(b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed), headers=headers)

    site.pages |= dict.fromkeys(("/a", "/b", "/c"), answer)
    found = fetch(*(Request(site.url + path) for path in ("/a", "/b", "/c")), http=Http(per_host=1))
    assert [page.body for page in found] == [b"<p>tea</p>"] * 3
    assert len(clients) == 1


def test_a_bomb_costs_no_more_than_the_bound(site: Site) -> None:
    site.pages["/a"] = Answer(gzip.compress(bytes(200_000_000), 9), headers={"Content-Encoding": "gzip"})
    found = page(f"{site.url}/a", most_bytes=1_000_000)
    assert (len(found.body), found.is_cut) == (1_000_000, True)


@pytest.mark.parametrize(
    ("coding", "body", "said"),
    [
        ("compress", b"xxx", "Content-Encoding 'compress', which was not asked for"),
        ("br", b"xxx", "cannot be decompressed"),
        ("gzip", b"not gzip", "cannot be decompressed"),
        ("gzip", gzip.compress(b"tea" * 1_000, mtime=0)[:-9], "the gzip data is cut off"),
    ],
)
def test_a_body_that_cannot_be_unpacked_is_a_problem(site: Site, coding: str, body: bytes, said: str) -> None:
    site.pages["/a"] = Answer(body, headers={"Content-Encoding": coding})
    found = page(f"{site.url}/a")
    assert found.status is None
    assert said in str(found.problem)


def test_redirects_are_followed_and_listed(site: Site) -> None:
    site.pages["/a"] = Answer(status=301, headers={"Location": "/b"})
    site.pages["/b"] = Answer(status=302, headers={"Location": f"{site.url}/c"})
    site.pages["/c"] = Answer(b"tea")
    found = page(f"{site.url}/a")
    assert found.hops == ((f"{site.url}/a", 301), (f"{site.url}/b", 302))
    assert (found.url, found.final_url, found.status, found.body) == (f"{site.url}/a", f"{site.url}/c", 200, b"tea")


def test_redirects_end(site: Site) -> None:
    site.pages["/a"] = Answer(status=301, headers={"Location": "/b"})
    site.pages["/b"] = Answer(status=301, headers={"Location": "/a"})
    found = page(f"{site.url}/a", Http(redirects=3))
    assert (found.status, found.problem) == (301, "more than 3 redirects")
    assert len(found.hops) == 3


@pytest.mark.parametrize("target", ["ftp://x/", "http://[", "file:///etc/passwd", "http://user:secret@127.0.0.1/a"])
def test_a_redirect_leads_only_to_http(site: Site, target: str) -> None:
    site.pages["/a"] = Answer(status=302, headers={"Location": target})
    found = page(f"{site.url}/a")
    assert found.problem is not None
    assert "secret" not in found.problem
    assert len(site.paths()) == 1


def test_a_redirect_to_a_private_address_that_nobody_named_is_not_followed(site: Site) -> None:
    with serve("127.0.0.2") as other:
        site.pages["/a"] = Answer(status=302, headers={"Location": f"{other.url}/a"})
        found = page(f"{site.url}/a", Http(obey_robots=False))
        assert (found.refused, found.status, found.final_url) == ("private address", None, f"{other.url}/a")
        assert other.requests == []


def test_headers_with_secrets_are_for_named_hosts_and_conditions_for_the_url(site: Site) -> None:
    with serve("127.0.0.2") as other:
        site.pages["/a"] = Answer(status=302, headers={"Location": f"{other.url}/a"})
        http = Http(headers={"Authorization": "secret"}, private_addresses="always")
        fetch(Request(f"{site.url}/a", headers=(("If-None-Match", "x"),)), http=http)
        sent = dict(site.requests)["/a"]
        assert (sent["authorization"], sent["if-none-match"]) == ("secret", "x")
        assert all("authorization" not in headers and "if-none-match" not in headers for _, headers in other.requests)


@pytest.mark.parametrize("target", ["/café", "/a b", "http://127.0.0.1:99999/", "http://exa mple/", "http://[", "\x01"])
def test_a_redirect_to_any_text_ends_with_a_result(site: Site, target: str) -> None:
    site.pages["/a"] = Answer(status=302, headers={"Location": target})
    found = page(f"{site.url}/a")
    assert found.problem is not None or found.status == 404


def test_secrets_go_to_no_other_port_of_a_host_that_was_named(site: Site) -> None:
    with serve() as other:
        site.pages["/a"] = Answer(status=302, headers={"Location": f"{other.url}/a"})
        fetch(Request(f"{site.url}/a"), http=Http(headers={"Authorization": "secret"}))
        assert {path for path, _ in other.requests} == {"/a", "/robots.txt"}
        assert all("authorization" not in headers for _, headers in other.requests)


def test_robots_are_obeyed_and_may_be_ignored(site: Site) -> None:
    site.pages["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /private")
    site.pages["/private/a"] = Answer(b"tea")
    found = page(f"{site.url}/private/a")
    assert (found.refused, found.status) == ("robots", None)
    assert "disallows it for urlset" in str(found.problem)
    assert site.paths() == []
    assert page(f"{site.url}/private/a", Http(obey_robots=False)).status == 200


def test_a_crawl_delay_lies_between_two_requests(site: Site) -> None:
    site.pages["/robots.txt"] = Answer(b"User-agent: *\nCrawl-delay: 0.2")
    site.pages |= {f"/{number}": Answer(b"tea") for number in range(4)}
    begin = time.monotonic()
    fetch(*(Request(f"{site.url}/{number}") for number in range(4)))
    # A slow machine takes longer, and never less.
    assert time.monotonic() - begin >= 3 * 0.2


def test_a_host_has_only_so_many_requests_at_once(site: Site) -> None:
    active, most, lock = [0], [0], threading.Lock()

    def page(handler: Handler) -> Answer:
        with lock:
            active[0] += 1
            most[0] = max(most[0], active[0])
        time.sleep(0.02)
        with lock:
            active[0] -= 1
        return Answer(b"tea")

    site.pages |= {f"/{number}": page for number in range(20)}
    found = fetch(*(Request(f"{site.url}/{number}") for number in range(20)), http=Http(concurrency=8, per_host=3))
    assert [each.status for each in found] == [200] * 20
    assert most == [3]


def test_a_server_that_asks_to_wait_is_left_alone(site: Site) -> None:
    answers = iter([Answer(b"later", 429, {"Retry-After": "1"})])
    site.pages |= dict.fromkeys(("/a", "/b"), lambda handler: next(answers, Answer(b"tea")))
    begin = time.monotonic()
    found = fetch(Request(f"{site.url}/a"), Request(f"{site.url}/b"), http=Http(per_host=1))
    assert [each.status for each in found] == [200, 200]
    assert time.monotonic() - begin >= 1


def test_an_error_of_a_server_is_asked_for_again(site: Site) -> None:
    answers = iter([Answer(b"", 500), Answer(b"tea")])
    site.pages["/a"] = lambda handler: next(answers)
    assert page(f"{site.url}/a").status == 200


def test_what_cannot_be_reached_says_why(site: Site) -> None:
    http = Http(retries=0, timeout=0.3, obey_robots=False)

    def stall(handler: Handler) -> None:
        time.sleep(1)

    site.pages["/slow"] = stall
    assert page(f"{site.url}/slow", http).refused == "timeout"
    assert page(f"http://{HOST}:{closed_port()}/", http).refused == "connection"
    assert page("http://shop.invalid/", http, named="http://shop.invalid/").refused == "dns"
    assert page(site.url.replace("http", "https"), http).refused == "tls"


def test_a_server_that_sends_a_byte_at_a_time_is_given_up(site: Site) -> None:
    def drip(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(100):
            handler.wfile.write(b"x")
            handler.wfile.flush()
            time.sleep(0.05)

    site.pages["/a"] = drip
    # All of it would take five seconds.
    assert page(f"{site.url}/a", Http(seconds=0.5, obey_robots=False, retries=0)).refused == "timeout"


def test_an_invalid_url_is_a_result(site: Site) -> None:
    for url in ("http://[", "http://a b/", "mailto:a@b"):
        found = page(url)
        assert (found.status, found.refused) == (None, None)
        assert found.problem


def test_bounds_of_the_run_end_it(site: Site) -> None:
    site.pages |= {f"/{number}": Answer(bytes(1_000)) for number in range(10)}
    requests = [Request(f"{site.url}/{number}") for number in range(10)]
    found = fetch(*requests, http=Http(max_bytes=2_500, concurrency=1))
    assert [each.refused for each in found] == [None] * 3 + ["bound"] * 7
