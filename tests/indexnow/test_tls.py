"""Submits over TLS, as in practice, with our own certificate that the environment names."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from support.indexnow.folder import Folder, Page
from support.indexnow.server import KEY, Answer, Server
from urlset import FetchError

from indexnow.conftest import Submit


@pytest.fixture(autouse=True)
def certificate(server: Server, tmp_path: Path) -> Path:
    """Switch the server to TLS, and return its certificate, which is not trusted yet."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "urlset test")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / "certificate.pem"
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    secret = tmp_path / "key.pem"
    secret.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, secret)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    return path


@pytest.fixture(autouse=True)
def locs(folder: Folder, server: Server) -> list[str]:
    """Three pages of the server's site, which uses https."""
    secure = Folder(folder.path, f"https://{server.host}/")
    locs = [f"{secure.base_url}{number}" for number in range(3)]
    secure.begun([])
    secure.publish(Page(loc) for loc in locs)
    return locs


@pytest.fixture
def securely(server: Server, certificate: Path, submit: Submit, monkeypatch: pytest.MonkeyPatch) -> Submit:
    """Submit without allow_http, and with the certificate trusted."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    return lambda **options: submit(**({"endpoint": f"https://{server.host}/indexnow", "allow_http": False} | options))


def test_an_https_site_is_submitted_by_https(server: Server, securely: Submit, locs: list[str]) -> None:
    assert securely(batch=2).sent == 3
    assert server.locs == locs


def test_an_untrusted_certificate_is_reported(server: Server, submit: Submit) -> None:
    with pytest.raises(
        FetchError, match=r"the key file https://.* cannot be reached: .*the certificate of the server is not valid"
    ):
        submit(endpoint=f"https://{server.host}/indexnow", retries=0)
    assert not server.gets


@pytest.mark.parametrize("how", ["hang", "drip-headers"])
def test_the_deadline_applies_to_tls(server: Server, securely: Submit, how: str) -> None:
    server.answers.append(Answer(200, how=how))
    with pytest.raises(FetchError, match=r"did not send a complete response within 0\.5 s"):
        securely(timeout=0.5, retries=0)


def test_a_key_file_that_leads_to_http_is_refused(server: Server, securely: Submit) -> None:
    server.files[f"/{KEY}.txt"] = Answer(301, headers={"Location": f"http://{server.host}/{KEY}.txt"})
    with pytest.raises(FetchError, match="redirects to a URL that is not https"):
        securely()
