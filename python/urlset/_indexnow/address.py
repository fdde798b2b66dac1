"""Where things are: the set's host, the key file and what it covers, the endpoint, and a loc as it is sent."""

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
#: What of a loc is never escaped: all of ASCII that is left where the loc was published, `%` included.
_ASCII: Final = "".join(chr(code) for code in range(0x21, 0x7F))


@dataclass(frozen=True, slots=True)
class Target:
    """Where a set is announced, and by which key.

    `host` as in the body, with its port where that is unusual; `key_file` and `endpoint` are absolute URLs;
    `key_location` is None where the key file lies at its usual place; `scope` is the path below which the key counts.
    """

    host: str
    endpoint: str
    key_file: str = field(repr=False)
    key_location: str | None = field(repr=False)
    scope: str


def target(base_url: str, key: str, key_location: str | None, endpoint: str, *, allow_http: bool) -> Target:
    """The addresses of one call.

    Source: IndexNow protocol: a key has 8 to 128 letters, digits and hyphens; its file lies at the root of the host,
    or elsewhere on the host, and then covers the folder it lies in and what is below.

    Raises:
        InputError: one of them cannot be used; the text does not show the key.
    """
    if not _KEY.fullmatch(key):
        raise InputError("the key is not one: it has 8 to 128 of the characters a-z, A-Z, 0-9 and -")
    base = _url("the base_url of the published set", base_url, allow_http=True)
    at = _url("endpoint", endpoint, allow_http=allow_http)
    if key_location is None:
        place = base.join(f"/{key}.txt")
        if place.scheme != "https" and not allow_http:
            raise InputError(
                f"the set's base_url is {base_url}, and a key file is only asked for by https: "
                "give an https key_location, or allow_http"
            )
    else:
        place = _url("key_location", key_location, allow_http=allow_http)
        if place.netloc != base.netloc:
            raise InputError(
                f"key_location is on {place.host}, and the set is of {base.host}: a key counts for its own host"
            )
    return Target(
        host=base.netloc.decode("ascii"),
        endpoint=str(at),
        key_file=str(place),
        key_location=None if key_location is None else str(place),
        scope=place.path.rpartition("/")[0] + "/",
    )


def _url(name: str, text: str, *, allow_http: bool) -> httpx2.URL:
    import httpx2  # noqa: PLC0415  (of the extra)

    # The address itself is not told: a key's place has the key in it, and any address a password.
    try:
        # Twice, as a scheme in capitals hides that a port is the usual one.
        url = httpx2.URL(str(httpx2.URL(text)))
    except httpx2.InvalidURL:
        raise InputError(f"{name} is no URL") from None
    if url.userinfo:
        raise InputError(f"{name} has a user name or a password in it, which would be sent and stored in the open")
    if url.scheme not in ("http", "https") or not url.host:
        raise InputError(f"{name} is no absolute https URL")
    if url.scheme == "http" and not allow_http:
        raise InputError(f"{name} is an http address, where others can read the key: use https, or allow_http")
    return url.copy_with(fragment=None)


def host_of(site: str) -> str | None:
    """The host of a scheme and authority as engines compare it, port included where it is unusual; None for none."""
    import httpx2  # noqa: PLC0415  (of the extra)

    try:
        url = httpx2.URL(site.lower())
    except httpx2.InvalidURL:
        return None
    # A page with a password in its loc is nobody's to tell.
    return None if url.userinfo or url.scheme not in ("http", "https") else url.netloc.decode("ascii")


def escaped(loc: str) -> str:
    """A loc in ASCII: a host by IDNA, all else percent-encoded as UTF-8. What is ASCII already stays as it is.

    Source: IndexNow protocol: URLs are escaped by RFC 3986.
    """
    if loc.isascii():
        return loc
    import httpx2  # noqa: PLC0415  (of the extra)

    found = _SITE.match(loc)
    site = found.group() if found else ""
    url = httpx2.URL(site.lower())
    return f"{url.scheme}://{url.netloc.decode('ascii')}{quote(loc[len(site) :], safe=_ASCII)}"


def shown(url: str) -> str:
    """An address for messages and the ledger, without its query, in which people put tokens."""
    return url.partition("?")[0]


def masked(key: str) -> str:
    """A key for messages."""
    return key[:4] + "…"
