"""What an answer says, and the URLs that it leads to."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Protocol
from urllib.parse import urlsplit

from urlset import _core
from urlset._fetch.exchange import ServerAnswer
from urlset._model.errors import FetchError
from urlset._page.headers import moment_of_header
from urlset._util.urls import join

#: Statuses that lead to another URL.
REDIRECTS = (301, 302, 303, 307, 308)


class BodyStream(Protocol):
    """A body, as far as reading needs it."""

    def read(self, size: int = ..., /) -> bytes: ...
    def close(self) -> None: ...


def first_of(body: BodyStream, most: int) -> bytes:
    """Return the first bytes of a body, which is closed then."""
    found = bytearray()
    try:
        for chunk in iter(body.read, b""):
            found += chunk
            if len(found) >= most:
                break
        return bytes(found[:most])
    finally:
        body.close()


def retry_after(answer: ServerAnswer) -> float | None:
    """Return the seconds that a server asks to wait; None if it asks for none that can be understood.

    Source: RFC 9110, 10.2.3: seconds, or a date. That is by the server's clock, which its Date tells.
    """
    asked = answer.header("retry-after")
    if asked is None:
        return None
    if asked.isascii() and asked.isdigit():
        return float(asked[:9])
    moment = moment_of_header(asked)
    since = moment_of_header(answer.header("date")) or datetime.now(UTC)
    return None if moment is None else max((moment - since).total_seconds(), 0.0)


def is_sendable(value: str) -> bool:
    """Return whether a header of a server can be sent back. Source: RFC 9110, 5.5: only visible ASCII is safe."""
    return value.isascii() and value.isprintable()


def may_be_kept(answer: ServerAnswer) -> bool:
    """Return whether a cache may keep an answer. Source: RFC 9111, 5.2.2.5 (no-store) and 4.1 (`Vary: *`)."""
    directives = (each.strip().lower() for each in (answer.header("cache-control") or "").split(","))
    varies = (each.strip() for each in (answer.header("vary") or "").split(","))
    return "no-store" not in directives and "*" not in varies


def validators(answer: ServerAnswer) -> tuple[str | None, str | None]:
    """Return the ETag and the Last-Modified by which a later request can ask whether a document has changed.

    A file can be replaced again within the second that its Last-Modified names, so that is left out unless it is at
    least a second before the Date of the answer (RFC 9110, 8.8.2.2). The ETag of nginx is that second and the size: it
    says no more, and is left out too. So is a validator that no request can repeat.
    """
    etag, modified, date = (answer.header(name) for name in ("etag", "last-modified", "date"))
    etag, modified = (value if value is None or is_sendable(value) else None for value in (etag, modified))
    changed, sent = moment_of_header(modified), moment_of_header(date)
    if changed is None or sent is None or (sent - changed).total_seconds() >= 1:
        return etag, modified
    is_of_nginx = etag is not None and etag.removeprefix("W/").startswith(f'"{int(changed.timestamp()):x}-')
    return None if is_of_nginx else etag, None


def sent_url(url: str) -> str:
    """Return a URL as it is sent: the host by IDNA, everything else percent-encoded, without a fragment.

    Raises:
        FetchError: Nothing is sent to such a URL.
    """
    sent, problem = _sent(url)
    if problem is not None:
        raise FetchError(f"{shown(url)}: it {problem}")
    return sent


def redirected(url: str, target: str) -> str:
    """Return the URL that a redirect leads to, as it is sent.

    Args:
        url: The URL that redirects.
        target: The Location of the answer, as it was received.

    Raises:
        FetchError: Nothing is sent to such a URL.
    """
    try:
        found = join(url, target)
    except ValueError:  # an invalid host
        found = target
    sent, problem = _sent(found)
    if problem is not None:
        raise FetchError(f"{shown(url)}: it redirects to {shown(found)}, which {problem}")
    return sent


def is_own(url: str, target: str) -> bool:
    """Return whether a redirect leads to the URL that it comes from."""
    try:
        return redirected(url, target) == url
    except FetchError:
        return False


def _sent(url: str) -> tuple[str, str | None]:
    """Return a URL as it is sent, and why it is not sent if it is not, as the rest of a sentence.

    What is dialled and asked for is read from this text alone, so it has one reading.
    """
    standard = _core.standard_url(url)
    if standard is None:
        return "", "is not a valid http or https URL"
    if "@" in standard and "@" in urlsplit(standard).netloc:
        return "", "has a user name, which is not sent"
    return standard.partition("#")[0], None


def shown(url: str) -> str:
    """Return a URL for a message: not too long, without control characters, and without what may be a password."""
    text = url if url.isprintable() else ascii(url)
    return re.sub(r"//[^/?#]*@", "//…@", text)[:200]
