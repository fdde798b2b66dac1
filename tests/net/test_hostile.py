"""Servers that are old, odd or hostile: tolerated or refused with a reason, and never without an end."""

from __future__ import annotations

import resource
import socket
import time
from collections.abc import Callable, Iterator

import pytest
from support.net.exchanges import Exchanges, exchanges
from support.net.raw import listening, received

OK = b"HTTP/1.1 200 OK\r\n"


@pytest.fixture
def net() -> Iterator[Exchanges]:
    """A transport."""
    with exchanges() as net:
        yield net


def saying(answer: bytes) -> Callable[[socket.socket], None]:
    def say(connection: socket.socket) -> None:
        received(connection)
        connection.sendall(answer)
        connection.settimeout(0.5)
        connection.recv(1)

    return say


@pytest.mark.parametrize(
    ("answer", "status", "body"),
    [
        pytest.param(b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, b"x", id="HTTP/1.0"),
        pytest.param(OK + b"X-Long: one\r\n two\r\n\tthree\r\nContent-Length: 1\r\n\r\nx", 200, b"x", id="folded"),
        pytest.param(OK + b"X-Name : y\r\nContent-Length : 1\r\n\r\nx", 200, b"x", id="space before the colon"),
        pytest.param(OK + b"X-Name: caf\xe9 \xff\r\nContent-Length: 1\r\n\r\nx", 200, b"x", id="Latin-1"),
        pytest.param(b"HTTP/1.1 200 OK\nContent-Length: 1\n\nx", 200, b"x", id="LF alone"),
        pytest.param(b"HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx", 200, b"x", id="no reason"),
        pytest.param(b"HTTP/1.1 200 \xc4\xd6\r\nContent-Length: 1\r\n\r\nx", 200, b"x", id="a reason in Latin-1"),
        pytest.param(OK + b"Content-Length: 1\r\n\r\nxTRAILING", 200, b"x", id="more than its length"),
        pytest.param(OK + b"Content-Length: 1\r\nContent-Length: 1\r\n\r\nx", 200, b"x", id="one length twice"),
        pytest.param(
            OK + b"Transfer-Encoding: chunked\r\n\r\n1;name=value\r\nx\r\n0\r\nTrailer: y\r\n\r\n",
            200,
            b"x",
            id="end",
        ),
        pytest.param(b"HTTP/1.1 999 Denied\r\nContent-Length: 1\r\n\r\nx", 999, b"x", id="an odd status"),
        pytest.param(
            b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 3 + OK + b"Content-Length: 1\r\n\r\nx",
            200,
            b"x",
            id="1xx first",
        ),
        pytest.param(
            OK + b"".join(b"X-%d: %d\r\n" % (number, number) for number in range(500)) + b"Content-Length: 1\r\n\r\nx",
            200,
            b"x",
            id="500 headers",
        ),
    ],
)
def test_what_is_old_or_odd_is_read(net: Exchanges, answer: bytes, status: int, body: bytes) -> None:
    with listening(saying(answer)) as url:
        event = net.get(f"{url}/")
        assert (event.kind, event.status, event.body, event.is_whole) == ("done", status, body, True), event.message
        named = dict(event.headers)
        assert "\n" not in named.get("x-long", "")
        assert len(event.headers) < 500 or named["x-499"] == "499"


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(b"SSH-2.0-OpenSSH_9.2\r\n", id="SSH"),
        pytest.param(b"\x15\x03\x01\x00\x02\x02\x16", id="TLS"),
        pytest.param(b"<html>no headers</html>\r\n\r\n", id="HTTP/0.9"),
        pytest.param(b"HTTP/2.0 200 OK\r\n\r\n", id="another version"),
        pytest.param(b"HTTP/1.1 2000 OK\r\n\r\n", id="a long status"),
        pytest.param(OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy", id="two lengths"),
        pytest.param(OK + b"Content-Length: -1\r\n\r\nx", id="a negative length"),
        pytest.param(OK + b"Content-Length: 99999999999999999999999\r\n\r\nx", id="a length of no number"),
        pytest.param(OK + b"X\x00: y\r\nContent-Length: 1\r\n\r\nx", id="NUL in a name"),
        pytest.param(OK + b"X: a\x00b\r\nContent-Length: 1\r\n\r\nx", id="NUL in a value"),
        pytest.param(OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n0\r\n\r\n", id="a chunk without a size"),
        pytest.param(OK + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx", id="a chunk of no number"),
        pytest.param(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nx", id="101"),
        pytest.param(b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", id="chunks by HTTP/1.0"),
    ],
)
def test_what_is_no_http_is_refused_with_a_reason(net: Exchanges, answer: bytes) -> None:
    with listening(saying(answer)) as url:
        event = net.get(f"{url}/")
        assert (event.kind, event.fault) == ("failed", "protocol"), event.message
        assert (event.message or "").startswith("the answer is not valid HTTP: ")
        assert net.get(f"{url}/", most=0).kind == "failed"


def test_a_message_with_a_length_and_chunks_closes_its_connection(net: Exchanges) -> None:
    connections = 0

    def both(connection: socket.socket) -> None:
        nonlocal connections
        connections += 1
        while received(connection):
            connection.sendall(OK + b"Content-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n")

    with listening(both) as url:
        assert [net.get(f"{url}/").body for _ in range(3)] == [b"x"] * 3
        assert connections == 3


def test_an_answer_that_nobody_asked_for_is_no_answer(net: Exchanges) -> None:
    def smuggle(connection: socket.socket) -> None:
        received(connection)
        connection.sendall(OK + b"Content-Length: 4\r\n\r\ntrue" + OK + b"Content-Length: 4\r\n\r\nfake")
        if received(connection):
            connection.sendall(OK + b"Content-Length: 4\r\n\r\ntrue")

    with listening(smuggle) as url:
        for _ in range(20):
            assert net.get(f"{url}/").body == b"true"


def endless(begin: bytes, piece: bytes) -> Callable[[socket.socket], None]:
    def say(connection: socket.socket) -> None:
        received(connection)
        connection.sendall(begin)
        while True:
            connection.sendall(piece)

    return say


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        pytest.param(OK, b"X-Name: value\r\n" * 100, id="headers"),
        pytest.param(OK + b"X-Name: ", b"x" * 1_000, id="one header"),
        pytest.param(b"HTTP/1.1 200 ", b"x" * 1_000, id="a reason"),
        pytest.param(b"", b"HTTP/1.1 102 Processing\r\n\r\n" * 100, id="1xx"),
        pytest.param(b"HTTP/1.1 103 Early Hints\r\n", b"Link: </a>\r\n" * 100, id="headers of 1xx"),
        pytest.param(OK + b"Transfer-Encoding: chunked\r\n\r\n1;", b"x" * 1_000, id="a chunk's extension"),
        pytest.param(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1;a=b\r\nx\r\n" * 100, id="small chunks"),
        pytest.param(OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X-Name: value\r\n" * 100, id="trailers"),
        pytest.param(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"0" * 1_000, id="zeros of a size"),
        pytest.param(OK + b"Content-Encoding: gzip\r\n\r\n", b"\0" * 1_000, id="no gzip"),
        pytest.param(
            OK + b"Content-Encoding: gzip\r\n\r\n",
            bytes.fromhex("1f8b08000000000000030300000000000000 0000") * 100,
            id="empty members of gzip",
        ),
    ],
)
def test_what_has_no_end_is_ended_within_its_bounds(net: Exchanges, begin: bytes, piece: bytes) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with listening(endless(begin, piece)) as url:
        begun = time.monotonic()
        event = net.get(f"{url}/", most=1_000, deadline=2.0)
        assert event.kind == "failed" or event.is_cut, event
        assert event.fault in ("deadline", "protocol", "coding", None)
        assert time.monotonic() - begun < 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10


def test_a_reset_in_each_place_is_a_broken_connection(net: Exchanges) -> None:
    for said in (b"", b"HTTP/1.1 2", OK, OK + b"Content-Length: 9\r\n\r\nsome"):

        def reset(connection: socket.socket, said: bytes = said) -> None:
            received(connection)
            connection.sendall(said)
            time.sleep(0.05)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            connection.close()

        with listening(reset) as url:
            event = net.get(f"{url}/")
            assert (event.kind, event.fault) == ("failed", "reset"), event.message
            assert (event.message or "").startswith("the connection broke: ")


def test_nothing_secret_is_in_a_message(net: Exchanges) -> None:
    with listening(saying(b"no HTTP\r\n\r\n")) as url:
        address = url.removeprefix("http://")
        event = net.get(f"http://user:secret@{address}/?token=secret", headers=[("Authorization", "secret")])
        assert event.kind == "failed"
        assert "secret" not in (event.message or "")
