"""Certificates of an authority of the tests, and servers on loopback that speak TLS, or fail to."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Authority:
    """An authority that signs certificates into a folder. `file` is its own certificate."""

    folder: Path
    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate
    file: Path

    @classmethod
    def make(cls, folder: Path, name: str = "urlset test authority") -> Authority:
        """Make an authority."""
        key, issuer = ec.generate_private_key(ec.SECP256R1()), _name(name)
        builder = _builder(issuer, issuer, key, -DAY, DAY)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        certificate = builder.sign(key, hashes.SHA256())
        file = folder / f"{name}.pem"
        file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        return cls(folder, key, certificate, file)

    def context(
        self, host: str = "127.0.0.1", *others: str, begin: timedelta = -DAY, end: timedelta = DAY
    ) -> ssl.SSLContext:
        """Return the context of a server with a certificate for hosts, valid from and until so long from now."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.pem(host, *others, begin=begin, end=end))
        return context

    def pem(self, host: str = "127.0.0.1", *others: str, begin: timedelta = -DAY, end: timedelta = DAY) -> Path:
        """Return a file with a key and a certificate for hosts."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(_name(host), self.certificate.subject, key, begin, end)
        named = x509.SubjectAlternativeName([_general(name) for name in (host, *others)])
        builder = builder.add_extension(named, critical=False)
        signed = builder.sign(self.key, hashes.SHA256())
        file = self.folder / f"{signed.serial_number}.pem"
        form = serialization.PrivateFormat.PKCS8
        file.write_bytes(
            key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
            + signed.public_bytes(serialization.Encoding.PEM)
        )
        return file


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


def _general(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, begin: timedelta, end: timedelta
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + begin)
        .not_valid_after(now + end)
    )


@contextmanager
def listening(answer: Callable[[socket.socket], object]) -> Iterator[str]:
    """Answer each connection with a function until the block ends, and yield the https URL of the server."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def run() -> None:
            while True:
                try:
                    connection = listener.accept()[0]
                except OSError:
                    return
                threading.Thread(target=one, args=(connection,), daemon=True).start()

        def one(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                answer(connection)

        threading.Thread(target=run, daemon=True).start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
