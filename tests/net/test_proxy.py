"""Requests through a real proxy, and around it."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from support.fetch.proxy import proxy
from support.fetch.tls import Authority
from support.http_server import Answer, closed_port, serve
from support.net.exchanges import exchanges
from support.net.raw import listening, received
from urlset._core import Transport
from urlset._model.core_types import TransportSettings
from urlset._model.errors import InputError


def test_http_goes_to_the_proxy_as_a_whole_url_and_with_its_user() -> None:
    with serve() as site, proxy() as server:
        site.pages["/a"] = Answer(b"x")
        with exchanges(proxy=server.url.replace("//", "//al%40ice:p%3Aw@")) as net:
            assert [net.get(f"{site.url}/a").body for _ in range(2)] == [b"x"] * 2
        assert server.asked == [(f"{site.url}/a", "Basic YWxAaWNlOnA6dw==")] * 2
        assert "proxy-authorization" not in site.requests[0][1]


def test_https_goes_through_a_tunnel_and_shows_the_proxy_nothing(tmp_path: Path) -> None:
    authority = Authority.make(tmp_path)
    with serve(context=authority.context()) as site, proxy() as server:
        site.pages["/a"] = Answer(b"x")
        with exchanges(proxy=server.url.replace("//", "//user:word@"), ca_file=str(authority.file)) as net:
            event = net.get(f"{site.url}/a")
            assert (event.body, event.address) == (b"x", "127.0.0.1")
        where = site.url.removeprefix("https://")
        assert server.asked == [(f"tunnel to {where}", "Basic dXNlcjp3b3Jk")]
        assert "proxy-authorization" not in site.requests[0][1]


def test_a_name_is_known_to_the_proxy_alone_but_an_address_is_judged() -> None:
    with serve() as site, proxy() as server:
        site.pages["/"] = Answer(b"x")
        port = site.url.rpartition(":")[2]
        with exchanges(proxy=server.url) as net:
            assert net.get(f"http://localhost:{port}/", private=False).body == b"x"
            for host in ("127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"):
                assert net.get(f"http://{host}:{port}/", private=False).fault == "address"
        assert len(server.asked) == 1


@pytest.mark.parametrize("no_proxy", ["*", "127.0.0.1", "e.com, 127.0.0.0/8"])
def test_some_hosts_are_asked_without_it(no_proxy: str) -> None:
    with serve() as site:
        site.pages["/"] = Answer(b"x")
        with exchanges(proxy=f"http://127.0.0.1:{closed_port()}", no_proxy=no_proxy) as net:
            assert net.get(f"{site.url}/").body == b"x"
        port = closed_port()
        with exchanges(proxy=f"http://user:secret@127.0.0.1:{port}", no_proxy="e.com") as net:
            event = net.get(f"{site.url}/")
            assert event.fault == "refused"
            assert event.message == f"the proxy 127.0.0.1:{port} cannot be reached: no connection: connection refused"


@pytest.mark.parametrize(
    ("answer", "fault", "message"),
    [
        (b"HTTP/1.1 407 Who?\r\n\r\n", "refused", "no connection: the proxy answered 407 to CONNECT"),
        (b"SSH-2.0\r\n\r\n", "protocol", "the answer is not valid HTTP: the proxy sent something else"),
        (
            b"HTTP/1.1 200 OK\r\nX: " + b"x" * 20_000,
            "protocol",
            "the answer is not valid HTTP: the headers",
        ),
        (b"HTTP/1.1 2", "reset", "the connection broke: the proxy: "),
    ],
)
def test_a_proxy_that_opens_no_tunnel(answer: bytes, fault: str, message: str) -> None:
    def refuse(connection: socket.socket) -> None:
        received(connection)
        connection.sendall(answer)

    with listening(refuse) as url, exchanges(proxy=url.replace("//", "//user:secret@")) as net:
        event = net.get("https://shop.example/")
        assert (event.kind, event.fault) == ("failed", fault)
        assert (event.message or "").startswith(message)
        assert "secret" not in (event.message or "")


@pytest.mark.parametrize("url", ["", "proxy:3128", "socks5://127.0.0.1:1", "http://user:secret@"])
def test_a_proxy_that_is_no_url_is_the_callers_fault(url: str) -> None:
    with pytest.raises(InputError, match=r"^the proxy must be a URL") as raised:
        Transport(TransportSettings(http_proxy=url))
    assert "secret" not in str(raised.value)
