"""Web archives, written by hand after the text of WARC 1.1 (ISO 28500): one gzip member a record."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from uuid import uuid4


def record(kind: str, url: str, block: bytes) -> bytes:
    """One record, compressed by itself as the standard recommends (annex D)."""
    header = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{uuid4()}>\r\n"
        f"WARC-Date: 2026-11-20T10:00:00Z\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype={kind}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(header.encode() + block + b"\r\n\r\n", mtime=0)


def response(url: str, body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    """A response as a crawler stores it, with `Content_Type` for `Content-Type`."""
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return record("response", url, f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body)


def chunked(body: bytes, size: int = 20) -> bytes:
    """A body in the chunked coding (RFC 9112, 7.1)."""
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def archive(records: Iterable[bytes]) -> bytes:
    return b"".join(records)
