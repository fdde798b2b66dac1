"""TLS that fails: what is said of it, how soon, and that nothing is read from a server that was not proved."""

from __future__ import annotations

import gc
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import urlset
from support.fetch.tls import DAY, Authority, listening
from support.http_server import Answer, serve
from urlset import FetchError, Http, InputError

HOST = "127.0.0.1"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """An authority that no system knows."""
    return Authority.make(tmp_path_factory.mktemp("authority"))


def trusting(authority: Authority, **options: object) -> Http:
    return Http(ca_file=authority.file, obey_robots=False, **options)  # type: ignore[arg-type]


def failure(url: str, http: Http) -> str:
    """Return why a URL cannot be read. It is not asked for again."""
    begin = time.monotonic()
    with pytest.raises(FetchError) as raised:
        urlset.read(f"{url}/sitemap.xml", http=http)
    assert time.monotonic() - begin < 10
    said = str(raised.value)
    assert said.startswith(f"{url}/sitemap.xml: ")
    return said.removeprefix(f"{url}/sitemap.xml: ")


# --- who is trusted ----------------------------------------------------------------------------------------------


def test_an_authority_can_be_named_in_two_ways(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(HOST, authority.context()) as site:
        site.pages["/sitemap.xml"] = Answer(site.index("/1.xml"))
        site.pages["/1.xml"] = Answer(site.urlset("/1", 3))
        assert len(urlset.read(f"{site.url}/sitemap.xml", http=trusting(authority))) == 3
        for http in (Http(obey_robots=False), Http()):
            assert "the certificate of the server is not valid" in failure(site.url, http)
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        assert len(urlset.read(f"{site.url}/sitemap.xml")) == 3
        assert len(urlset.lint(f"{site.url}/sitemap.xml").documents) == 2


def test_a_file_without_certificates_is_the_callers_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty.pem").write_text("nothing\n")
    for name, reason in (("gone.pem", "No such file"), ("empty.pem", "no certificates")):
        file = tmp_path / name
        with pytest.raises(InputError, match=rf"^Http.ca_file must be a PEM file of certificates.*{name}: .*{reason}"):
            urlset.read("https://127.0.0.1:9/", http=Http(ca_file=file))
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        with pytest.raises(InputError, match=r"^SSL_CERT_FILE must be a PEM file"):
            urlset.read("https://127.0.0.1:9/")


def test_a_staging_server_of_ones_own_needs_no_valid_certificate(authority: Authority, tmp_path: Path) -> None:
    with serve(HOST, authority.context(host="shop.example", begin=-3 * DAY, end=-DAY)) as site:
        site.pages["/sitemap.xml"] = Answer(site.urlset("/1", 3))
        assert len(urlset.read(f"{site.url}/sitemap.xml", http=Http(insecure=True))) == 3


def test_a_certificate_of_the_caller_is_shown(authority: Authority) -> None:
    context = authority.context()
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(authority.file)
    with serve(HOST, context) as site:
        site.pages["/sitemap.xml"] = Answer(site.urlset("/1", 3))
        known = trusting(authority, client_cert=authority.pem("client.example"))
        assert len(urlset.read(f"{site.url}/sitemap.xml", http=known)) == 3
        assert "certificate" in failure(site.url, trusting(authority, retries=0))


# --- certificates ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("certificate", "reason"),
    [
        ({"begin": -3 * DAY, "end": -DAY}, "certificate has expired"),
        ({"begin": DAY, "end": 2 * DAY}, "certificate is not yet valid"),
        ({"host": "127.0.0.2"}, "IP address mismatch, certificate is not valid for '127.0.0.1'"),
        ({"host": "shop.example"}, "IP address mismatch, certificate is not valid for '127.0.0.1'"),
    ],
    ids=["expired", "early", "other address", "other name"],
)
def test_a_certificate_that_is_not_valid_is_named_and_not_asked_for_again(
    authority: Authority, certificate: dict[str, object], reason: str
) -> None:
    with serve(HOST, authority.context(**certificate)) as site:  # type: ignore[arg-type]
        site.pages["/sitemap.xml"] = Answer(site.urlset("/1", 1))
        said = failure(site.url, trusting(authority))
        assert said.lower() == f"the certificate of the server is not valid: {reason}".lower()
        assert site.requests == []


def test_a_certificate_of_nobody_is_not_valid(authority: Authority, tmp_path: Path) -> None:
    other = Authority.make(tmp_path, "another authority")
    with serve(HOST, other.context()) as site:
        said = failure(site.url, trusting(authority))
        assert said == "the certificate of the server is not valid: unable to get local issuer certificate"
        assert failure(site.url, Http(obey_robots=False)).startswith("the certificate of the server is not valid: ")


def test_a_child_behind_a_certificate_that_is_not_valid_is_a_failure(authority: Authority) -> None:
    with serve() as site, serve(HOST, authority.context(begin=-3 * DAY, end=-DAY)) as other:
        other.pages["/1.xml"] = Answer(other.urlset("/1", 1))
        site.pages["/sitemap.xml"] = Answer(site.index(f"{other.url}/1.xml", "/2.xml"))
        site.pages["/2.xml"] = Answer(site.urlset("/2", 1))
        entries = urlset.read(f"{site.url}/sitemap.xml", http=trusting(authority))
        assert (len(entries), entries.completeness) == (1, "truncated")
        [failed] = entries.failures
        assert "certificate has expired" in str(failed)


def test_a_redirect_from_https_is_judged_again(authority: Authority) -> None:
    with serve(HOST, authority.context()) as site, serve(HOST, authority.context("127.0.0.3")) as other:
        site.pages["/sitemap.xml"] = Answer(status=301, headers={"Location": f"{other.url}/sitemap.xml"})
        other.pages["/sitemap.xml"] = Answer(other.urlset("/1", 1))
        assert "mismatch" in failure(site.url, trusting(authority))
        assert other.requests == []


# --- handshakes --------------------------------------------------------------------------------------------------


def test_http_on_the_port_of_tls_is_named(authority: Authority) -> None:
    with serve() as site:
        url = site.url.replace("http:", "https:")
        assert failure(url, trusting(authority, retries=0)) == "the server does not speak TLS on this port"


@pytest.mark.parametrize("speaks", [b"", b"\x16\x03\x03\x00\x7a\x02\x00\x00"], ids=["nothing", "half a greeting"])
def test_a_handshake_that_stalls_is_given_up(authority: Authority, speaks: bytes) -> None:
    ended = threading.Event()

    def stall(connection: socket.socket) -> None:
        connection.sendall(speaks)
        ended.wait(10)

    with listening(stall) as url:
        said = failure(url, trusting(authority, timeout=0.2, retries=0))
        assert "did not answer in time" in said
        said = failure(url, trusting(authority, seconds=0.2, retries=0))
        assert "took too long" in said
        ended.set()


def test_a_handshake_of_single_bytes_ends_in_time(authority: Authority) -> None:
    def drip(connection: socket.socket) -> None:
        for byte in b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc" + bytes(500):
            connection.sendall(bytes([byte]))
            time.sleep(0.02)

    with listening(drip) as url:
        begin = time.monotonic()
        failure(url, trusting(authority, seconds=0.4, retries=0))
        assert time.monotonic() - begin < 3


def _alert(connection: socket.socket) -> None:
    connection.recv(65_536)
    connection.sendall(b"\x15\x03\x03\x00\x02\x02\x28")  # fatal: handshake failure


def _hang_up(connection: socket.socket) -> None:
    connection.recv(65_536)


def _noise(connection: socket.socket) -> None:
    connection.sendall(bytes(range(256)) * 4)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (_alert, "TLS failed: the server answers with the alert 'handshake failure'"),
        (_hang_up, "the server ended the connection during the TLS handshake|the connection broke.*|no connection.*"),
        (_noise, r"the server does not speak TLS on this port|TLS failed: .*"),
    ],
)
def test_a_handshake_that_fails_is_named(
    authority: Authority, answer: Callable[[socket.socket], object], reason: str
) -> None:
    with listening(answer) as url:
        assert re.fullmatch(reason, failure(url, trusting(authority, retries=0)))


# --- in the middle -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [True, False], ids=["announced", "open"])
@pytest.mark.parametrize("ending", ["alert", "cut"])
def test_a_body_that_breaks_off_under_tls_is_not_whole(authority: Authority, length: bool, ending: str) -> None:
    context = authority.context()
    body = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://shop.example/</loc></url>'

    def half(connection: socket.socket) -> None:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = context.wrap_bio(incoming, outgoing, server_side=True)

        def talk(step: Callable[[], object]) -> None:
            while True:
                try:
                    step()
                except ssl.SSLWantReadError:
                    connection.sendall(outgoing.read())
                    incoming.write(connection.recv(65_536))
                else:
                    connection.sendall(outgoing.read())
                    return

        talk(tls.do_handshake)
        talk(lambda: tls.read(65_536))
        announced = b"Content-Length: 500\r\n" if length else b""
        talk(lambda: tls.write(b"HTTP/1.1 200 OK\r\n" + announced + b"Connection: close\r\n\r\n" + body))
        if ending == "alert":
            time.sleep(0.2)  # what came before it is read by then
            connection.sendall(b"\x15\x03\x03\x00\x02\x02\x50")  # not encrypted, as an attacker would send it

    with listening(half) as url:
        entries = urlset.read(f"{url}/sitemap.xml", http=trusting(authority))
        assert [entry.loc for entry in entries] == ["https://shop.example/"]
        assert entries.completeness == "truncated"
        assert len(entries.failures) == 1


def test_handshakes_that_fail_leave_no_descriptor(authority: Authority) -> None:
    def connections() -> int:
        gc.collect()
        return sum(1 for each in Path("/proc/self/fd").iterdir() if each.is_symlink() and _is_socket(each))

    with serve(HOST, authority.context(begin=-3 * DAY, end=-DAY)) as site, listening(_alert) as url:
        failure(site.url, trusting(authority))
        before = connections()
        for _ in range(10):
            failure(site.url, trusting(authority))
            failure(url, trusting(authority, retries=0))
        end = time.monotonic() + 5
        while connections() > before and time.monotonic() < end:
            time.sleep(0.02)  # the servers, which are in this process too, close their ends
        assert connections() <= before


def _is_socket(descriptor: Path) -> bool:
    try:
        return str(descriptor.readlink()).startswith("socket:")
    except OSError:  # closed in the meantime
        return False
