"""Which hosts an index may lead to."""

from __future__ import annotations

from functools import cache
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from urlset import _core
from urlset._options.http import Hosts

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


def may_lead(index: str, child: str, hosts: Hosts, *, is_robots: bool) -> bool:
    """Return whether the index at one URL may lead to a child at another, directly or by a redirect.

    The child is judged by its URL as it is sent: a client that reads it in another way would ask another host.

    Args:
        index: The URL of the index, or of the robots.txt.
        child: The URL of the child.
        hosts: What is allowed; see `Http`.
        is_robots: Whether the index is a robots.txt. Source: sitemaps.org protocol: who controls the robots.txt of a
            host proves with it that a sitemap on another host is meant.
    """
    if hosts == "any" or (hosts == "verified" and is_robots):
        return True
    one, other = (_host(url) for url in (index, child))
    if one is None or other is None or hosts == "host" or one == other:
        return one is not None and one == other
    domain = registrable_domain(one)
    return domain is not None and domain == registrable_domain(other)


def registrable_domain(host: str) -> str | None:
    """Return the domain that the owner of a host has registered; None for an address or a public suffix.

    Source: the public suffix list.

    Example:
        >>> registrable_domain("www.shop.example.co.uk"), registrable_domain("co.uk")
        ('example.co.uk', None)
    """
    name = host.rstrip(".").lower()
    found = None if is_address(name) else _suffixes().privatesuffix(name)
    return None if found is None else str(found)


@cache
def _suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415  (it reads its list, which takes a moment)

    return PublicSuffixList()


def is_address(host: str) -> bool:
    """Return whether a host is an address and not a name. An address of IPv6 has no brackets here."""
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _host(url: str) -> str | None:
    """Return the host that is dialled for a URL; None if nothing is sent to it."""
    standard = _core.standard_url(url)
    return None if standard is None else urlsplit(standard).hostname
