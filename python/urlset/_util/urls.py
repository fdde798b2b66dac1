"""URLs that are relative to others."""

from __future__ import annotations

from urllib.parse import urljoin


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
