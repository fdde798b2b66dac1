"""TLS: who is trusted, what is said of a server that is not, and HTTP/2."""

from __future__ import annotations

import os
import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from support.fetch.tls import DAY, Authority, listening
from support.http_server import Answer, serve
from support.net.exchanges import SECONDS, Exchanges, exchanges
from support.net.raw import received
from support.nginx import nginx
from urlset._core import Transport
from urlset._model.core_types import TransportSettings
from urlset._model.errors import InputError

NOT_VALID = "the certificate of the server is not valid: "


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """An authority that no system knows."""
    return Authority.make(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def net(authority: Authority) -> Iterator[Exchanges]:
    """A transport that trusts the authority."""
    with exchanges(ca_file=str(authority.file)) as net:
        yield net


def test_an_authority_can_be_named_in_two_ways(
    net: Exchanges, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(context=authority.context()) as site:
        site.pages["/"] = Answer(b"x")
        assert net.get(f"{site.url}/").body == b"x"
        assert net.get(f"{site.url}/").body == b"x"
        with exchanges() as other:
            event = other.get(f"{site.url}/")
            assert event.fault == "certificate"
            assert event.message == f"{NOT_VALID}unable to get local issuer certificate"
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        with exchanges() as other:
            assert other.get(f"{site.url}/").body == b"x"


@pytest.mark.parametrize(
    ("certificate", "reason"),
    [
        ({"begin": -3 * DAY, "end": -DAY}, "certificate has expired"),
        ({"begin": DAY, "end": 2 * DAY}, "certificate is not yet valid"),
        ({"host": "127.0.0.2"}, "IP address mismatch, certificate is not valid for '127.0.0.1'"),
        ({"host": "shop.example"}, "IP address mismatch, certificate is not valid for '127.0.0.1'"),
    ],
)
def test_a_certificate_that_is_not_valid(
    net: Exchanges, authority: Authority, certificate: dict[str, object], reason: str
) -> None:
    with serve(context=authority.context(**certificate)) as site:  # type: ignore[arg-type]
        event = net.get(f"{site.url}/")
        assert (event.kind, event.fault, event.message) == ("failed", "certificate", NOT_VALID + reason)
        assert site.requests == []
        with exchanges(verify=False) as insecure:
            assert insecure.get(f"{site.url}/").status == 404


def _self_signed(folder: Path, host: str, *, is_authority: bool, end: int = 1) -> tuple[Path, ssl.SSLContext]:
    """Return the certificate of a server that it signed itself, and the context of the server."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(now - 9 * DAY).not_valid_after(now + end * DAY)
    named = x509.IPAddress(ip_address(host))
    builder = builder.add_extension(x509.SubjectAlternativeName([named]), critical=False)
    if is_authority:
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    signed = builder.sign(key, hashes.SHA256())
    file = folder / f"{signed.serial_number}.pem"
    file.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8
    whole = folder / f"{signed.serial_number}.key.pem"
    whole.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()) + file.read_bytes()
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(whole)
    return file, context


@pytest.mark.parametrize("is_authority", [True, False])
def test_a_certificate_that_its_server_signed_is_trusted_for_its_names_alone(
    tmp_path: Path, is_authority: bool
) -> None:
    file, context = _self_signed(tmp_path, "127.0.0.1", is_authority=is_authority)
    with serve(context=context) as site:
        site.pages["/"] = Answer(b"x")
        with exchanges(ca_file=str(file)) as net:
            assert net.get(f"{site.url}/").body == b"x"
            port = site.url.rpartition(":")[2]
            assert net.get(f"https://localhost:{port}/").fault == "certificate"
    for host, end, reason in (("127.0.0.2", 1, "IP address mismatch"), ("127.0.0.1", -1, "certificate has expired")):
        file, context = _self_signed(tmp_path, host, is_authority=is_authority, end=end)
        with serve(context=context) as site, exchanges(ca_file=str(file)) as net:
            assert (net.get(f"{site.url}/").message or "").startswith(NOT_VALID + reason)
    # Another certificate with the same names is not it.
    _, context = _self_signed(tmp_path, "127.0.0.1", is_authority=is_authority)
    file, _ = _self_signed(tmp_path, "127.0.0.1", is_authority=is_authority)
    with serve(context=context) as site, exchanges(ca_file=str(file)) as net:
        assert net.get(f"{site.url}/").fault == "certificate"


def test_a_client_certificate_is_shown(net: Exchanges, authority: Authority) -> None:
    context = authority.context()
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(authority.file)
    with serve(context=context) as site:
        site.pages["/"] = Answer(b"x")
        assert net.get(f"{site.url}/").kind == "failed"
        with exchanges(ca_file=str(authority.file), client_cert=str(authority.pem("client.example"))) as known:
            assert known.get(f"{site.url}/").body == b"x"


def test_files_that_cannot_be_used_are_the_callers_fault(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty.pem").write_text("nothing\n")
    for name, reason in (("gone.pem", "No such file"), ("empty.pem", "no certificates")):
        file = str(tmp_path / name)
        with pytest.raises(InputError, match=rf"^Http.ca_file must be a PEM file of certificates.*{name}: .*{reason}"):
            Transport(TransportSettings(ca_file=file))
        with pytest.raises(InputError, match=rf"^Http.client_cert must be a PEM file of certificates.*{name}"):
            Transport(TransportSettings(client_cert=file))
        monkeypatch.setenv("SSL_CERT_FILE", file)
        with pytest.raises(InputError, match=r"^SSL_CERT_FILE must be a PEM file"):
            Transport(TransportSettings())
        monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(InputError, match=r"^Http.client_cert must also hold the key"):
        Transport(TransportSettings(client_cert=str(authority.file)))


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "the server does not speak TLS on this port"),
        (b"", "the server ended the connection during the TLS handshake"),
        (b"\x15\x03\x01\x00\x02\x02\x46", "the server speaks only an old version of TLS"),
        (b"\x15\x03\x01\x00\x02\x02\x28", "TLS failed: "),
    ],
)
def test_a_handshake_that_fails_says_why(net: Exchanges, said: bytes, message: str) -> None:
    def say(connection: socket.socket) -> None:
        connection.recv(9_999)
        connection.sendall(said)

    with listening(say) as url:
        event = net.get(f"{url}/")
        assert event.fault == "tls"
        assert (event.message or "").startswith(message)


def test_a_handshake_that_stalls_ends(authority: Authority) -> None:
    with (
        exchanges(ca_file=str(authority.file), timeout=0.3) as net,
        listening(lambda connection: (connection.recv(9_999), connection.recv(1))) as url,
    ):
        assert net.get(f"{url}/").fault == "timeout"
        assert net.get(f"{url}/", deadline=0.1).fault == "deadline"


def test_a_server_without_http2_gets_its_connections_at_once(net: Exchanges, authority: Authority) -> None:
    context, others = authority.context(), threading.Barrier(4)
    connections = 0

    def answer(plain: socket.socket) -> None:
        nonlocal connections
        connections += 1
        if connections > 1:
            others.wait(SECONDS)  # none of them is shaken hands with before all are there
        with context.wrap_socket(plain, server_side=True) as connection:
            if connections == 1:
                received(connection)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx")
            received(connection)

    with listening(answer) as url:
        numbers = [net.start(f"{url}/") for _ in range(5)]
        assert [net.event(number).body for number in numbers] == [b"x"] * 5


@pytest.fixture(scope="module")
def modern(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """nginx that speaks HTTP/2."""
    root, work = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("nginx")
    (root / "page.html").write_bytes(b"<p>page</p>" * 1_000)
    (root / "large.bin").write_bytes(os.urandom(3_000_000))
    with nginx(root, work, authority.pem()) as url:
        yield url


def test_http2_is_spoken_if_it_may_be(net: Exchanges, authority: Authority, modern: str) -> None:
    event = net.get(f"{modern}/page.html")
    assert (event.http_version, event.status, event.body) == ("HTTP/2", 200, b"<p>page</p>" * 1_000)
    assert event.is_whole
    with exchanges(ca_file=str(authority.file), http2=False) as old:
        assert old.get(f"{modern}/page.html").http_version == "HTTP/1.1"


def test_exchanges_share_a_connection_of_http2(net: Exchanges, modern: str, tmp_path: Path) -> None:
    numbers = [net.start(f"{modern}/page.html") for _ in range(100)]
    assert {net.event(number).body for number in numbers} == {b"<p>page</p>" * 1_000}


def test_a_server_that_ends_connections_of_http2_loses_no_exchange(net: Exchanges, modern: str) -> None:
    # nginx sends GOAWAY after 1,000 requests on a connection.
    for _ in range(12):
        numbers = [net.start(f"{modern}/page.html", method="HEAD") for _ in range(200)]
        assert {net.event(number).status for number in numbers} == {200}


def test_a_stream_of_http2_is_whole_and_may_be_dropped(net: Exchanges, modern: str) -> None:
    _, body, last = net.streamed(f"{modern}/large.bin")
    assert (len(body), last.is_whole, last.received) == (3_000_000, True, 3_000_000)
    number = net.start(f"{modern}/large.bin", most=None)
    assert net.event(number).kind == "head"
    net.transport.cancel(number)
    assert net.get(f"{modern}/page.html").status == 200


def test_streams_of_http2_that_wait_do_not_hold_the_others(net: Exchanges, modern: str) -> None:
    waiting = [net.start(f"{modern}/large.bin", most=None) for _ in range(20)]
    assert all(net.event(number).kind == "head" for number in waiting)
    assert net.get(f"{modern}/large.bin", most=5_000_000).is_whole
