"""URLs of a submit: the set's host, the key file and what it covers, the endpoint, and locs as they are sent."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import quote, urlsplit

from urlset._model.errors import InputError

#: The ports that a URL leaves out.
_PORTS: Final = {"http": 80, "https": 443}
_KEY: Final = re.compile("[A-Za-z0-9-]{8,128}")
_SITE: Final = re.compile(r"[^:/?#]+://[^/?#]*")
#: The characters of a loc that are never escaped: all printable ASCII, including `%`.
_ASCII: Final = "".join(chr(code) for code in range(0x21, 0x7F))


@dataclass(frozen=True, slots=True)
class Target:
    """The endpoint of a submit, and the key that proves ownership of the host.

    `host` is spelled as in the body of a post, with an unusual port. `key_file` and `endpoint` are absolute URLs.
    `key_location` is None if the key file is at its default location. `scope` is the path below which the key is valid.
    """

    host: str
    endpoint: str
    key_file: str = field(repr=False)
    key_location: str | None = field(repr=False)
    scope: str


def resolve_target(base_url: str, key: str, key_location: str | None, endpoint: str, *, allow_http: bool) -> Target:
    """Return the URLs of one call.

    Source: IndexNow protocol: a key has 8 to 128 letters, digits and hyphens; its file is at the root of the host, or
    elsewhere on the host, and then covers its folder and everything below.

    Raises:
        InputError: One of the arguments is invalid; the message does not show the key.
    """
    if not _KEY.fullmatch(key):
        raise InputError("key must have 8 to 128 of the characters a-z, A-Z, 0-9 and -")
    base = _url("the base_url of the published set", base_url, allow_http=True)
    post_url = _url("endpoint", endpoint, allow_http=allow_http)
    if key_location is None:
        key_file = replace(base, path=f"/{key}.txt", query="")
        if key_file.scheme != "https" and not allow_http:
            raise InputError(
                f"the base_url of the published set is {base_url}, but a key file is only requested by https: pass an "
                "https key_location, or allow_http=True"
            )
    else:
        key_file = _url("key_location", key_location, allow_http=allow_http)
        if key_file.netloc != base.netloc:
            raise InputError(
                f"key_location must be on the host of the published set, {base.netloc}, got one on {key_file.netloc}"
            )
    return Target(
        host=base.netloc,
        endpoint=str(post_url),
        key_file=str(key_file),
        key_location=None if key_location is None else str(key_file),
        scope=key_file.path.rpartition("/")[0] + "/",
    )


@dataclass(frozen=True, slots=True)
class _Address:
    """A URL as engines compare it: the scheme and the host in small letters and ASCII, without a default port."""

    scheme: str
    netloc: str
    path: str
    query: str
    has_user: bool

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.path}{'?' if self.query else ''}{self.query}"


def _parse(text: str) -> _Address | None:
    """Return the parts of a URL, or None if it is invalid.

    The standard library does it, so that a dry run needs no extra. Source: RFC 3986; RFC 3490 for hosts.
    """
    if any(character.isspace() or not character.isprintable() for character in text):
        return None
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
        host = host if host.isascii() else host.encode("idna").decode("ascii")
    except ValueError:  # an invalid port, bracket or label
        return None
    scheme = parts.scheme.lower()
    host = f"[{host}]" if ":" in host else host
    netloc = host if port in (None, _PORTS.get(scheme)) else f"{host}:{port}"
    path, query = (quote(part, safe=_ASCII) for part in (parts.path or "/", parts.query))
    return _Address(scheme, netloc, path, query, "@" in parts.netloc)


def _url(name: str, text: str, *, allow_http: bool) -> _Address:
    # The URL itself is not shown: that of a key file contains the key, and any URL may contain a password.
    url = _parse(text)
    if url is None:
        raise InputError(f"{name} must be a valid URL")
    if url.has_user:
        raise InputError(f"{name} must not contain a user name or password, which would be sent and stored in the open")
    if url.scheme not in ("http", "https") or not url.netloc:
        raise InputError(f"{name} must be an absolute https URL")
    if url.scheme == "http" and not allow_http:
        raise InputError(f"{name} must be an https URL, because others can read the key over http; or allow_http=True")
    return url


def normalize_host(site: str) -> str | None:
    """Return the host of a scheme and authority as engines compare it, with an unusual port; None if it is invalid."""
    url = _parse(site)
    # A loc with a password in it must not be submitted.
    return None if url is None or url.has_user or url.scheme not in ("http", "https") else url.netloc


def escape_loc(loc: str) -> str:
    """Return a loc in ASCII: the host by IDNA, the rest percent-encoded as UTF-8. ASCII characters stay as they are.

    Source: IndexNow protocol: URLs are escaped by RFC 3986.
    """
    if loc.isascii():
        return loc
    found = _SITE.match(loc)
    site = found.group() if found else ""
    url = _parse(site)
    start = site if url is None else f"{url.scheme}://{url.netloc}"
    return f"{start}{quote(loc[len(site) :], safe=_ASCII)}"


def without_query(url: str) -> str:
    """Return a URL for messages and the submission log without its query, which may contain a token."""
    return url.partition("?")[0]


def mask_key(key: str) -> str:
    """Return a key for messages, shortened."""
    return key[:4] + "…"
