"""Undoing the compression of a page while it arrives, within a bound."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

#: What a server may do to a page.
CODINGS = "gzip, deflate"
#: Bytes behind the end of the compression that are received and left out, so that the connection can be kept.
_MAX_BEHIND = 65_536


class CodingError(Exception):
    """A body is compressed in a way that nobody asked for, or its compression is broken."""


def unpacked(chunks: Iterable[bytes], coding: str | None, most: int) -> tuple[bytes, bool]:
    """Return the first bytes of a body without its compression, and whether there are more.

    Args:
        chunks: The body as it arrives.
        coding: Its Content-Encoding.
        most: How many bytes are wanted.

    Raises:
        CodingError: The coding is not one of `CODINGS`, or the body is not of that coding.
    """
    name = (coding or "").strip().lower()
    if name in ("", "identity"):
        return _first(chunks, most)
    if name not in ("gzip", "x-gzip", "deflate"):
        raise CodingError(f"its body has the Content-Encoding {name[:60]!r}, which was not asked for")
    return _inflated(chunks, most, is_gzip=name != "deflate")


def _first(chunks: Iterable[bytes], most: int) -> tuple[bytes, bool]:
    parts, size = [], 0
    for chunk in chunks:
        parts.append(chunk)
        size += len(chunk)
        if size > most:
            break
    return b"".join(parts)[:most], size > most


def _inflated(chunks: Iterable[bytes], most: int, *, is_gzip: bool) -> tuple[bytes, bool]:
    """Return the content of gzip, or of deflate with or without the header of zlib, which both occur.

    Source: RFC 9110, 8.4.1.2: some send deflate without the zlib wrapper.
    """
    found = bytearray()
    stream = None
    behind = 0
    for chunk in chunks:
        if stream is not None and stream.eof:
            # Read on to the end of the answer: a connection is kept only then. What stands there does not count.
            behind += len(chunk)
            if behind > _MAX_BEHIND:
                break
            continue
        if not chunk:
            continue
        if stream is None:
            has_header = is_gzip or (chunk[0] & 0x0F) == 8
            stream = zlib.decompressobj((31 if is_gzip else 15) if has_header else -15)
        try:
            found += stream.decompress(chunk, most + 1 - len(found))
        except zlib.error as error:
            raise CodingError(f"its body cannot be decompressed ({error})") from None
        if len(found) > most:
            return bytes(found[:most]), True
    if stream is not None and not stream.eof:
        raise CodingError("its body ends inside its compression")
    return bytes(found), False
