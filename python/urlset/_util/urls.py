"""URLs that are relative to others, and the origins of URLs."""

from __future__ import annotations

from urllib.parse import urljoin

from urlset import _core


def join(base: str, reference: str) -> str:
    """Return the URL that a reference leads to from a base. Source: RFC 3986, section 5.2.

    An empty query counts, which `urljoin` of Python leaves out: `/?` is another URL than `/`.

    Raises:
        ValueError: The host is invalid.
    """
    target, mark, fragment = reference.partition("#")
    if not target.endswith("?") or target.count("?") > 1:
        return urljoin(base, reference)
    path_of_base = base.partition("#")[0].partition("?")[0]
    return urljoin(path_of_base, target[:-1]) + "?" + mark + fragment


def origin(url: str) -> str | None:
    """Return scheme, host and port of an http(s) URL, with a slash at the end; None for anything else.

    It is in the form of the URL standard, so two URLs have the same origin exactly if the texts are equal. A URL with a
    user name has none: nobody but that user gets its pages.

    Example:
        >>> origin("HTTPS://Shop.example:443/tea"), origin("/tea")
        ('https://shop.example/', None)
    """
    scheme, host, has_user = _core.url_origin(url) or ("", "", True)
    return None if has_user else f"{scheme}://{host}/"
