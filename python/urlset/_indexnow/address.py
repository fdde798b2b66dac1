"""URLs of a submit: the set's host, the key file and what it covers, the endpoint, and locs as they are sent."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from urlset._model.errors import InputError

if TYPE_CHECKING:
    import httpx2

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
        key_file = base.join(f"/{key}.txt")
        if key_file.scheme != "https" and not allow_http:
            raise InputError(
                f"the base_url of the published set is {base_url}, but a key file is only requested by https: pass an "
                "https key_location, or allow_http=True"
            )
    else:
        key_file = _url("key_location", key_location, allow_http=allow_http)
        if key_file.netloc != base.netloc:
            raise InputError(
                f"key_location must be on the host of the published set, {base.host}, got one on {key_file.host}"
            )
    return Target(
        host=base.netloc.decode("ascii"),
        endpoint=str(post_url),
        key_file=str(key_file),
        key_location=None if key_location is None else str(key_file),
        scope=key_file.path.rpartition("/")[0] + "/",
    )


def _url(name: str, text: str, *, allow_http: bool) -> httpx2.URL:
    import httpx2  # noqa: PLC0415  (of the extra)

    # The URL itself is not shown: that of a key file contains the key, and any URL may contain a password.
    try:
        # Parsed twice, because a scheme in capitals hides that a port is the default one.
        url = httpx2.URL(str(httpx2.URL(text)))
    except httpx2.InvalidURL:
        raise InputError(f"{name} must be a valid URL") from None
    if url.userinfo:
        raise InputError(f"{name} must not contain a user name or password, which would be sent and stored in the open")
    if url.scheme not in ("http", "https") or not url.host:
        raise InputError(f"{name} must be an absolute https URL")
    if url.scheme == "http" and not allow_http:
        raise InputError(f"{name} must be an https URL, because others can read the key over http; or allow_http=True")
    return url.copy_with(fragment=None)


def normalize_host(site: str) -> str | None:
    """Return the host of a scheme and authority as engines compare it, with an unusual port; None if it is invalid."""
    import httpx2  # noqa: PLC0415  (of the extra)

    try:
        url = httpx2.URL(site.lower())
    except httpx2.InvalidURL:
        return None
    # A loc with a password in it must not be submitted.
    return None if url.userinfo or url.scheme not in ("http", "https") else url.netloc.decode("ascii")


def escape_loc(loc: str) -> str:
    """Return a loc in ASCII: the host by IDNA, the rest percent-encoded as UTF-8. ASCII characters stay as they are.

    Source: IndexNow protocol: URLs are escaped by RFC 3986.
    """
    if loc.isascii():
        return loc
    import httpx2  # noqa: PLC0415  (of the extra)

    found = _SITE.match(loc)
    site = found.group() if found else ""
    url = httpx2.URL(site.lower())
    return f"{url.scheme}://{url.netloc.decode('ascii')}{quote(loc[len(site) :], safe=_ASCII)}"


def without_query(url: str) -> str:
    """Return a URL for messages and the ledger without its query, which may contain a token."""
    return url.partition("?")[0]


def mask_key(key: str) -> str:
    """Return a key for messages, shortened."""
    return key[:4] + "…"
