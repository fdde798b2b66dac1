"""Which authorities are trusted, and what is said of a server whose TLS fails."""

from __future__ import annotations

import os
import ssl
from functools import lru_cache

import httpcore2

from urlset._model.errors import InputError

#: What OpenSSL says of faults, and the words for it: the first that fits.
_FAULTS = (
    ("WRONG_VERSION_NUMBER", "the server does not speak TLS on this port"),
    ("HTTP_REQUEST", "the server does not speak TLS on this port"),
    ("UNSUPPORTED_PROTOCOL", "the server speaks only an old version of TLS"),
    ("EOF occurred", "the server ended the connection during the TLS handshake"),
)


def tls_context(ca_file: str | os.PathLike[str] | None, *, http2: bool = False) -> ssl.SSLContext:
    """Return the context of connections: with a file of authorities, or those of the system if it is None.

    The environment can name others for the system's: `SSL_CERT_FILE` and `SSL_CERT_DIR`.

    Raises:
        InputError: The file cannot be used.
    """
    environment = (os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    return _context(None if ca_file is None else os.fspath(ca_file), environment, http2=http2)


@lru_cache(maxsize=8)
def _context(ca_file: str | None, environment: tuple[str | None, ...], *, http2: bool) -> ssl.SSLContext:
    """Return a context, which is kept: reading the authorities of a system takes 30 ms.

    There is another one for HTTP/2, because a connection writes into its context what it offers.
    """
    del http2
    name = ca_file or next(filter(None, environment), None)
    try:
        return httpcore2.default_ssl_context() if ca_file is None else ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        what = "Http.ca_file" if ca_file is not None else "SSL_CERT_FILE"
        reason = "it has no certificates" if isinstance(error, ssl.SSLError) else error.strerror
        raise InputError(f"{what} must be a PEM file of certificates, got {name}: {reason}") from None


def tls_problem(error: BaseException) -> str | None:
    """Return what is wrong with the TLS of a server, as the rest of a sentence; None if it is something else."""
    fault = _fault_behind(error)
    if isinstance(fault, ssl.SSLCertVerificationError):
        return f"the certificate of the server is not valid: {_lowered(fault.verify_message)}"
    if fault is None:
        return None
    said = str(fault)
    for mark, words in _FAULTS:
        if mark in said:
            return words
    return f"TLS failed: {(fault.reason or said).replace('_', ' ').lower()}"


def is_certificate_problem(error: BaseException) -> bool:
    """Return whether a server has no valid certificate, which the next request will not change."""
    return isinstance(_fault_behind(error), ssl.SSLCertVerificationError)


def _fault_behind(error: BaseException | None) -> ssl.SSLError | None:
    """Return the error of OpenSSL that an error was raised for."""
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error


def _lowered(text: str) -> str:
    """Return a sentence without its capital and its full stop."""
    return text[:1].lower() + text[1:].rstrip(".")
