"""Exchanges with real servers on loopback: what is asked, and what is reported about the answer."""

from __future__ import annotations

import gzip
import socket
import sys
import threading
import time
import zlib
from collections.abc import Iterator

import pytest
from support.http_server import Answer, Handler, Site, closed_port, serve
from support.net.exchanges import SECONDS, Exchanges, exchanges
from support.net.raw import listening, received


@pytest.fixture
def site() -> Iterator[Site]:
    """A site on loopback."""
    with serve() as site:
        yield site


@pytest.fixture
def net() -> Iterator[Exchanges]:
    """A transport."""
    with exchanges() as net:
        yield net


def test_an_answer_comes_with_its_headers_and_its_content(site: Site, net: Exchanges) -> None:
    site.pages["/a?b=c"] = Answer(b"content", headers={"X-Name": "caf\xe9", "Content-Type": "text/html"})
    event = net.get(f"{site.url}/a?b=c", headers=[("User-Agent", "tests"), ("X-Own", "1")])
    assert (event.kind, event.status, event.body, event.fault) == ("done", 200, b"content", None)
    assert (event.is_cut, event.is_whole, event.received) == (False, True, 7)
    assert (event.http_version, event.address) == ("HTTP/1.1", "127.0.0.1")
    assert dict(event.headers)["x-name"] == "caf\xe9"
    assert 0 < event.seconds < 60
    [(path, headers)] = site.requests
    assert (path, headers["user-agent"], headers["x-own"]) == ("/a?b=c", "tests", "1")
    assert headers["host"] == site.url.removeprefix("http://")


def test_a_connection_is_kept_for_the_next_request(site: Site, net: Exchanges) -> None:
    ports: list[int] = []

    def page(handler: Handler) -> Answer:
        ports.append(handler.client_address[1])
        return Answer(b"x")

    site.pages["/"] = page
    for _ in range(5):
        assert net.get(f"{site.url}/").status == 200
    assert len(set(ports)) == 1


def test_more_than_wanted_is_cut(site: Site, net: Exchanges) -> None:
    site.pages["/"] = Answer(b"x" * 100_000)
    for most, is_cut in ((99_999, True), (100_000, False), (0, True)):
        event = net.get(f"{site.url}/", most=most)
        assert event.body is not None
        assert (len(event.body), event.is_cut, event.is_whole) == (min(most, 100_000), is_cut, not is_cut)


def test_compression_is_undone_within_a_bound(site: Site, net: Exchanges) -> None:
    content = b"<p>page</p>" * 5_000
    bare = zlib.compressobj(wbits=-15)
    bodies = {
        "gzip": gzip.compress(content),
        "deflate": zlib.compress(content),
        "Deflate": bare.compress(content) + bare.flush(),
        "identity": content,
    }
    for coding, body in bodies.items():
        site.pages["/"] = Answer(body, headers={"Content-Encoding": coding})
        event = net.get(f"{site.url}/")
        assert (event.body, event.received, event.is_whole) == (content, len(body), True)
        assert net.get(f"{site.url}/", most=10).body == content[:10]
    site.pages["/"] = Answer(gzip.compress(content)[:-9], headers={"Content-Encoding": "gzip"})
    event = net.get(f"{site.url}/")
    assert (event.fault, event.message) == ("coding", "its body cannot be decompressed (the gzip data is cut off)")
    site.pages["/"] = Answer(b"x", headers={"Content-Encoding": "compress"})
    event = net.get(f"{site.url}/")
    expected = "its body has the Content-Encoding 'compress', which was not asked for"
    assert (event.kind, event.status, event.fault, event.message) == ("failed", 200, "coding", expected)


def test_head_has_headers_alone(site: Site, net: Exchanges) -> None:
    site.answers_head = True
    site.pages["/"] = Answer(b"", headers={"Content-Encoding": "gzip"}, length=None)
    event = net.get(f"{site.url}/", method="HEAD")
    assert (event.status, event.body, event.is_whole, event.received) == (200, b"", True, 0)


def test_a_body_is_sent(net: Exchanges) -> None:
    def answer(connection: socket.socket) -> None:
        got.append(received(connection, until=b"}"))
        connection.sendall(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")

    got: list[bytes] = []
    with listening(answer) as url:
        assert net.get(f"{url}/", method="POST", body=b'{"a": 1}', headers=[("Content-Type", "a/b")]).status == 202
    head, _, body = got[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST / HTTP/1.1\r\n")
    assert (b"\r\nContent-Length: 8" in head, body) == (True, b'{"a": 1}')


def test_what_cannot_be_sent_has_failed(net: Exchanges) -> None:
    for url in ("ftp://e.com/", "http://", "nothing", "http://[fe80::1%25eth0]/", "http://e.com:99999/"):
        event = net.get(url)
        assert (event.kind, event.fault, event.status) == ("failed", "protocol", 0), url
        assert (event.message or "").startswith("the request cannot be sent: ")
    for header in (("X-Name", "two\r\nlines"), ("X Name", "x"), ("X-Name", "\u20ac")):
        assert net.get("http://127.0.0.1/", headers=[header]).fault == "protocol"
    assert net.get("http://127.0.0.1/", method="GE T").fault == "protocol"


def test_a_port_without_a_server_and_a_name_without_an_address(net: Exchanges) -> None:
    event = net.get(f"http://127.0.0.1:{closed_port()}/")
    assert (event.fault, event.message) == ("refused", "no connection: connection refused")
    event = net.get("http://no-such-host.invalid/")
    assert (event.fault, event.message) == ("dns", "no connection: the host no-such-host.invalid was not found")


@pytest.mark.parametrize(
    ("host", "address"),
    [("127.0.0.1", ""), ("[::1]", "::1"), ("[::ffff:127.0.0.1]", ""), ("localhost", "localhost is "), ("10.0.0.1", "")],
)
def test_a_private_address_is_not_dialled_unless_it_may_be(site: Site, net: Exchanges, host: str, address: str) -> None:
    port = site.url.rpartition(":")[2]
    event = net.get(f"http://{host}:{port}/", private=False)
    assert event.fault == "address"
    assert (event.message or "").startswith(f"a private address, which this run may not reach: {address}")
    assert site.requests == []


def test_a_kept_connection_to_a_private_address_is_not_used_by_an_exchange_that_may_not(
    site: Site, net: Exchanges
) -> None:
    site.pages["/"] = Answer(b"x")
    assert net.get(f"{site.url}/").status == 200
    assert net.get(f"{site.url}/", private=False).fault == "address"
    assert net.get(f"{site.url}/").status == 200
    assert len(site.requests) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="no other system can be asked to confirm at once")
def test_a_server_that_waits_for_a_confirmation_is_not_kept_waiting(
    site: Site, net: Exchanges, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Headers and body are two packets, and the second waits for the first to be confirmed: by default 40 ms each time.
    monkeypatch.setattr(Handler, "disable_nagle_algorithm", False)
    site.pages["/"] = Answer(b"x" * 500)
    begin = time.monotonic()
    for _ in range(300):
        assert net.get(f"{site.url}/").status == 200
    assert time.monotonic() - begin < 6


def test_connections_are_kept_within_a_bound_of_each_host_and_of_all() -> None:
    ports: list[int] = []

    def page(handler: Handler) -> Answer:
        ports.append(handler.client_address[1])
        return Answer(b"x")

    with serve("0.0.0.0") as site, exchanges(per_host=2) as net:
        site.pages["/"] = page
        port = site.url.rpartition(":")[2]
        before = threading.active_count()
        for number in range(400):
            assert net.get(f"http://127.0.{1 + number // 200}.{1 + number % 200}:{port}/").status == 200
        end = time.monotonic() + SECONDS
        while threading.active_count() - before > 256 and time.monotonic() < end:
            time.sleep(0.02)  # a thread for each connection
        assert threading.active_count() - before <= 256
        # The last ones are kept.
        ports.clear()
        assert net.get(f"http://127.0.2.200:{port}/").status == 200
        numbers = [net.start(f"http://127.0.2.200:{port}/") for _ in range(9)]
        assert all(net.event(number).status == 200 for number in numbers)
        kept = set(ports)
        ports.clear()
        numbers = [net.start(f"http://127.0.2.200:{port}/") for _ in range(9)]
        assert all(net.event(number).status == 200 for number in numbers)
        assert len(kept & set(ports)) == 2
    with serve() as site, exchanges(per_host=0) as net:
        site.pages["/"] = page
        ports.clear()
        assert [net.get(f"{site.url}/").status for _ in range(3)] == [200] * 3
        assert len(set(ports)) == 3
