"""HTTP/2 from a server that ends streams and connections in every way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from support.fetch.tls import Authority
from support.net.exchanges import Exchanges, exchanges
from support.net.http2 import OK, http2


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """An authority that no system knows."""
    return Authority.make(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def net(authority: Authority) -> Iterator[Exchanges]:
    """A transport that trusts the authority."""
    with exchanges(ca_file=str(authority.file)) as net:
        yield net


def test_a_frame_without_a_byte_is_no_end(net: Exchanges, authority: Authority) -> None:
    def answer(server: H2Connection, stream: int, _: int, __: str) -> None:
        server.send_headers(stream, OK)
        for piece in (b"", b"one", b"", b"", b"two"):
            server.send_data(stream, piece)
        server.send_data(stream, b"", end_stream=True)

    with http2(authority, answer) as (url, _):
        event = net.get(f"{url}/")
        assert (event.http_version, event.body, event.is_whole) == ("HTTP/2", b"onetwo", True)
        _, body, last = net.streamed(f"{url}/")
        assert (body, last.is_whole, last.received) == (b"onetwo", True, 6)


@pytest.mark.parametrize("code", [ErrorCodes.NO_ERROR, ErrorCodes.CANCEL, ErrorCodes.INTERNAL_ERROR])
def test_a_stream_that_is_reset_is_not_whole(net: Exchanges, authority: Authority, code: ErrorCodes) -> None:
    def answer(server: H2Connection, stream: int, _: int, __: str) -> None:
        server.send_headers(stream, OK)
        server.send_data(stream, b"some")
        server.reset_stream(stream, code)

    with http2(authority, answer) as (url, _):
        event = net.get(f"{url}/")
        assert not event.is_whole
        assert event.kind == "done" if code == ErrorCodes.NO_ERROR else event.fault == "reset"


def test_a_length_that_lies_is_an_error(net: Exchanges, authority: Authority) -> None:
    def answer(server: H2Connection, stream: int, _: int, path: str) -> None:
        server.send_headers(stream, [*OK, ("content-length", path[1:])])
        server.send_data(stream, b"some", end_stream=True)

    with http2(authority, answer) as (url, _):
        assert net.get(f"{url}/4").is_whole
        for length in (3, 5):
            event = net.get(f"{url}/{length}")
            assert (event.kind, event.is_whole) == ("failed", False)


def test_a_refused_stream_is_asked_for_once_more(net: Exchanges, authority: Authority) -> None:
    def answer(server: H2Connection, stream: int, before: int, path: str) -> None:
        if before == 0 or path == "/never":
            server.reset_stream(stream, ErrorCodes.REFUSED_STREAM)
        else:
            server.send_headers(stream, OK, end_stream=True)

    with http2(authority, answer) as (url, asked):
        # It was not worked on, so that this holds for any method.
        assert net.get(f"{url}/", method="POST", body=b"x").status == 200
        assert len(asked) == 2
        event = net.get(f"{url}/never")
        assert (event.fault, event.message) == ("refused", "the server refused the request")
        assert len(asked) == 4


def test_a_request_behind_a_goaway_is_sent_on_a_new_connection(net: Exchanges, authority: Authority) -> None:
    def answer(server: H2Connection, stream: int, before: int, _: str) -> None:
        if before == 1:
            server.close_connection(last_stream_id=stream - 2)
        else:
            server.send_headers(stream, OK, end_stream=True)

    with http2(authority, answer) as (url, asked):
        assert [net.get(f"{url}/").status for _ in range(3)] == [200] * 3
        assert (len(asked), len(set(asked))) == (4, 2)


def test_headers_beyond_the_bound_are_refused(net: Exchanges, authority: Authority) -> None:
    def answer(server: H2Connection, stream: int, _: int, path: str) -> None:
        more = [(f"x-{number}", "y" * 100) for number in range(int(path[1:]))]
        server.send_headers(stream, OK + more, end_stream=True)

    with http2(authority, answer) as (url, _):
        assert len(net.get(f"{url}/200").headers) == 201
        assert net.get(f"{url}/2000").kind == "failed"
