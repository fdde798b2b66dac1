"""Bodies that are streamed into a pipe, whose reader sets the pace; transfers that are dropped."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.http_server import Answer, Handler, serve
from support.net.exchanges import SECONDS, Exchanges, exchanges
from support.net.raw import listening, received
from support.nginx import nginx
from urlset._core import Pipe

#: More than the pipe, the buffers of the transport and those of the system hold.
LARGE = 64 << 20


@pytest.fixture
def net() -> Iterator[Exchanges]:
    """A transport."""
    with exchanges() as net:
        yield net


def test_a_body_from_nginx_arrives_as_it_is(net: Exchanges, tmp_path: Path) -> None:
    root, work = tmp_path / "root", tmp_path / "work"
    root.mkdir()
    work.mkdir()
    content = os.urandom(9_000_000)
    (root / "a.gz").write_bytes(content)
    with nginx(root, work) as url:
        head, body, last = net.streamed(f"{url}/a.gz")
        assert (head.status, head.body, dict(head.headers)["content-length"]) == (200, None, "9000000")
        assert (last.kind, last.is_whole, last.is_cut, last.received) == ("done", True, False, len(content))
        assert body == content


def test_a_reader_that_stalls_holds_the_server(net: Exchanges) -> None:
    sent = 0

    def endless(connection: socket.socket) -> None:
        nonlocal sent
        received(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % LARGE)
        for _ in range(LARGE >> 16):
            connection.sendall(b"x" * (1 << 16))
            sent += 1 << 16
        connection.recv(1)

    with listening(endless) as url:
        number = net.start(f"{url}/", most=None)
        assert net.event(number).kind == "head"
        pipe = Pipe()
        net.transport.pour(number, pipe)
        before = -1
        while sent != before:  # until it does not go on
            before = sent
            time.sleep(0.3)
        assert sent < LARGE / 2
        got, ended = 0, threading.Event()

        def read() -> None:
            nonlocal got
            while data := pipe.read():
                got += len(data)
            ended.set()

        threading.Thread(target=read, daemon=True).start()
        last = net.event(number)
        pipe.end()
        assert ended.wait(SECONDS)
        assert (last.kind, last.is_whole, got) == ("done", True, LARGE)


def test_a_reader_that_goes_away_ends_the_transfer(net: Exchanges) -> None:
    gone = threading.Event()

    def endless(connection: socket.socket) -> None:
        received(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        try:
            while True:
                connection.sendall(b"x" * (1 << 16))
        except OSError:
            gone.set()

    with listening(endless) as url:
        number = net.start(f"{url}/", most=None)
        net.event(number)
        pipe = Pipe()
        net.transport.pour(number, pipe)
        pipe.read()
        pipe.close()
        last = net.event(number)
        assert (last.kind, last.is_cut, last.is_whole) == ("done", True, False)
        assert gone.wait(SECONDS)


@pytest.mark.parametrize("most", [None, 1_000_000])
def test_cancelling_drops_the_connection_at_once(net: Exchanges, most: int | None) -> None:
    asked, gone = threading.Event(), threading.Event()

    def silent(connection: socket.socket) -> None:
        received(connection)
        if most is None:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsome")
        asked.set()
        if connection.recv(1) == b"":
            gone.set()

    with listening(silent) as url:
        number = net.start(f"{url}/", most=most)
        if most is None:
            assert net.event(number).kind == "head"
        assert asked.wait(SECONDS)
        net.transport.cancel(number)
        assert gone.wait(SECONDS)
        net.transport.cancel(number)
        net.transport.cancel(12_345)
        assert net.transport.take(0) == []


def test_a_stream_that_is_cut_has_failed_after_its_bytes(net: Exchanges) -> None:
    answers = {
        "/length": b"Content-Length: 10\r\n\r\nsome",
        "/chunks": b"Transfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n",
        "/chunk": b"Transfer-Encoding: chunked\r\n\r\n9\r\nsome",
    }

    def cut(connection: socket.socket) -> None:
        path = received(connection).split()[1].decode()
        connection.sendall(b"HTTP/1.1 200 OK\r\n" + answers[path])

    with listening(cut) as url:
        for path in answers:
            _, body, last = net.streamed(f"{url}{path}")
            assert (last.kind, last.fault, last.is_whole, last.received, body) == ("failed", "reset", False, 4, b"some")
            assert last.message == "the connection broke: the server closed it before the end of the answer"
            assert net.get(f"{url}{path}").fault == "reset"


def test_the_end_of_a_connection_is_no_certain_end(net: Exchanges) -> None:
    def answer(connection: socket.socket) -> None:
        received(connection)
        connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nsome")

    with listening(answer) as url:
        head, body, last = net.streamed(f"{url}/")
        assert (head.http_version, body, last.kind, last.is_whole) == ("HTTP/1.0", b"some", "done", False)
        event = net.get(f"{url}/")
        assert (event.body, event.is_whole, event.is_cut) == (b"some", False, False)


def test_the_deadline_ends_each_wait(net: Exchanges) -> None:
    def half(connection: socket.socket) -> None:
        received(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsome")
        connection.recv(1)

    with listening(half) as url, listening(lambda connection: connection.recv(1 << 16) and connection.recv(1)) as mute:
        for address in (url, mute):
            event = net.get(f"{address}/", deadline=0.3)
            assert (event.fault, event.message) == ("deadline", "the server took too long")
        number = net.start(f"{url}/", most=None, deadline=0.3)
        assert [net.event(number).kind for _ in "12"] == ["head", "failed"]  # nobody pours


def test_a_wait_for_bytes_has_an_end_that_bytes_put_off() -> None:
    def slow(connection: socket.socket) -> None:
        path = received(connection).split()[1]
        if path == b"/slow":
            for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab":
                connection.sendall(bytes((byte,)))
                time.sleep(0.05)  # two seconds in all
        connection.recv(1)

    with exchanges(timeout=1.0) as net, listening(slow) as url:
        event = net.get(f"{url}/mute")
        assert (event.fault, event.message) == ("timeout", "the server did not answer in time")
        assert net.get(f"{url}/slow").body == b"ab"
        assert net.get(f"{url}/slow", deadline=0.4).fault == "deadline"


def test_a_server_that_closed_a_kept_connection_is_asked_again_once() -> None:
    connections = 0

    def one_answer(connection: socket.socket) -> None:
        nonlocal connections
        connections += 1
        received(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
        received(connection)  # and then closes without an answer, as if it had not seen it

    with exchanges() as net, listening(one_answer) as url:
        assert [net.get(f"{url}/").status for _ in range(4)] == [200] * 4
        assert connections == 4
        # What is not idempotent is not sent twice.
        assert net.get(f"{url}/", method="POST", body=b"x").fault == "reset"


def test_a_server_that_closes_every_new_connection_is_not_asked_again(net: Exchanges) -> None:
    connections = 0

    def rude(connection: socket.socket) -> None:
        nonlocal connections
        connections += 1
        received(connection)

    with listening(rude) as url:
        assert net.get(f"{url}/").fault == "reset"
        assert connections == 1


def test_many_exchanges_at_once(net: Exchanges) -> None:
    def page(handler: Handler) -> Answer:
        return Answer(handler.path.encode() * 1_000)

    with serve() as site:
        for number in range(200):
            site.pages[f"/{number}"] = page
        started = {net.start(f"{site.url}/{number}"): f"/{number}".encode() * 1_000 for number in range(200)}
        assert all(net.event(number).body == body for number, body in started.items())
