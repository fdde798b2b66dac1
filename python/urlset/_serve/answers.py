"""Decide about a request: the status and the headers, and which bytes follow. Nothing is opened for that.

The order of the preconditions is that of RFC 9110, section 13.2.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from io import BufferedReader
from typing import NamedTuple

from urlset._serve.headers import accepts_gzip, byte_range, http_date, is_later, is_matched
from urlset._serve.served import ServedFile

Fields = list[tuple[str, str]]
METHODS = ("GET", "HEAD")
#: The headers of a request that decide anything, in lower case.
DECIDING = (
    "accept-encoding",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "range",
)
#: The time of a file counts once it was seen to be current that many seconds later: nothing else has that time then.
_SETTLED = 2


class Asked(NamedTuple):
    """A request: its method, the path below the place where the app is mounted, and the headers that decide."""

    method: str
    path: str
    headers: Mapping[str, str] = {}


@dataclass(slots=True)
class Piece:
    """A part of an open file that is sent. Whoever sends it closes the file."""

    file: BufferedReader
    start: int
    length: int


@dataclass(slots=True)
class ServerReply:
    """What is answered."""

    status: int
    fields: Fields
    body: bytes | Piece = b""

    @property
    def line(self) -> str:
        """The status with its phrase."""
        return f"{self.status} {HTTPStatus(self.status).phrase}"

    def close(self) -> None:
        """Close the file that is open for it, if there is one."""
        if isinstance(self.body, Piece):
            self.body.file.close()


@dataclass(frozen=True, slots=True)
class Selected:
    """A representation of a file that is to be sent.

    Attributes:
        file: The file.
        is_gzip: Whether it is sent compressed.
        is_head: Whether the headers are enough.
        fields: The headers so far.
        range: The value of Range, if a part of it is asked for.
    """

    file: ServedFile
    is_gzip: bool
    is_head: bool
    fields: Fields = field(default_factory=list)
    range: str | None = None


def plain(status: HTTPStatus, words: str, *, is_head: bool, fields: Fields | None = None) -> ServerReply:
    """Return an answer with a line of text."""
    body = f"{words}\n".encode()
    head = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body))), *(fields or [])]
    return ServerReply(status, head, b"" if is_head else body)


def not_found(asked: Asked) -> ServerReply:
    """Return the answer for what is not in the set."""
    fields = [("Cache-Control", "no-cache")]
    return plain(HTTPStatus.NOT_FOUND, "There is no such sitemap.", is_head=asked.method == "HEAD", fields=fields)


def unavailable(asked: Asked) -> ServerReply:
    """Return the answer for what cannot be served now. The log says why, and not the answer."""
    fields = [("Retry-After", "60"), ("Cache-Control", "no-store")]
    words = "The sitemaps cannot be served at the moment."
    return plain(HTTPStatus.SERVICE_UNAVAILABLE, words, is_head=asked.method == "HEAD", fields=fields)


def select(file: ServedFile, asked: Asked, seen: float) -> ServerReply | Selected:
    """Decide about a request for a file: what is answered without its bytes, or which bytes are needed.

    Args:
        file: The file.
        asked: The request.
        seen: When the set was last seen to be the current one, in seconds since 1970.
    """
    if asked.method not in METHODS:
        fields = [("Allow", ", ".join(METHODS))]
        return plain(HTTPStatus.METHOD_NOT_ALLOWED, "A sitemap can only be read.", is_head=False, fields=fields)
    headers, is_head = asked.headers, asked.method == "HEAD"
    is_gzip = file.has_codings and accepts_gzip(headers.get("accept-encoding"))
    tag = file.tag(is_gzip=is_gzip)
    made = file.made if file.made is not None and seen >= file.made + _SETTLED else None
    common = [("ETag", tag), ("Cache-Control", file.cache_control)]
    common += [("Vary", "Accept-Encoding")] if file.has_codings else []
    if _has_failed(headers, tag, made):
        return plain(HTTPStatus.PRECONDITION_FAILED, "It has changed.", is_head=is_head, fields=common)
    if _is_known(headers, tag, made):
        return ServerReply(HTTPStatus.NOT_MODIFIED, common)
    fields = [("Content-Type", file.content_type), *common, ("Accept-Ranges", "bytes")]
    fields += [("Last-Modified", http_date(made))] if made is not None else []
    fields += [("Content-Encoding", "gzip")] if is_gzip else []
    asked_range = headers.get("range") if not is_head and _is_same(headers.get("if-range"), tag, made) else None
    return Selected(file, is_gzip, is_head, fields, asked_range)


def complete(selected: Selected, size: int) -> tuple[HTTPStatus, Fields, int, int]:
    """Return the status, the headers, and the bounds of the bytes that are sent, now that their number is known."""
    found = None if selected.range is None else byte_range(selected.range, size)
    fields = list(selected.fields)
    if found is None:
        return HTTPStatus.OK, [*fields, ("Content-Length", str(size))], 0, size
    start, end = found
    if start >= end:
        kept = [(name, value) for name, value in fields if name not in ("Content-Type", "Content-Encoding")]
        kept += [("Content-Range", f"bytes */{size}"), ("Content-Length", "0")]
        return HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, kept, 0, 0
    fields += [("Content-Range", f"bytes {start}-{end - 1}/{size}"), ("Content-Length", str(end - start))]
    return HTTPStatus.PARTIAL_CONTENT, fields, start, end


def _has_failed(headers: Mapping[str, str], tag: str, made: int | None) -> bool:
    """Return whether the client wants the bytes only if they are still those that it knows, and they are not."""
    if (tags := headers.get("if-match")) is not None:
        return not is_matched(tags, tag, is_weak=False)
    since = headers.get("if-unmodified-since")
    return since is not None and made is not None and is_later(made, since)


def _is_known(headers: Mapping[str, str], tag: str, made: int | None) -> bool:
    """Return whether the client has these bytes.

    A date counts only if it is the one that was sent with them. A later one may be that of other bytes: a set is older
    than the one before it once that was rolled back.
    """
    if (tags := headers.get("if-none-match")) is not None:
        return is_matched(tags, tag, is_weak=True)
    since = headers.get("if-modified-since")
    return since is not None and made is not None and since.strip() == http_date(made)


def _is_same(if_range: str | None, tag: str, made: int | None) -> bool:
    """Return whether the part that a client has is one of these bytes. Source: RFC 9110, section 13.1.5."""
    return if_range is None or if_range.strip() in (tag, None if made is None else http_date(made))
