"""Which hosts may be reached at a private address."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlsplit

from urlset import _core
from urlset._fetch.hosts import is_address
from urlset._options.http import PrivateAddresses


class AddressPolicy:
    """Says whether a site may be reached at an address that is not of the public internet.

    Args:
        private: Which private addresses may be reached.
        named: The hosts that the caller named.

    Example:
        >>> policy = AddressPolicy("named", frozenset({"shop.example"}))
        >>> policy.allows_private("http://shop.example"), policy.allows_private("http://other.example")
        (True, False)
        >>> policy.see("http://shop.example", "93.184.215.14")
        >>> policy.allows_private("http://shop.example")
        False
    """

    def __init__(self, private: PrivateAddresses, named: frozenset[str]) -> None:
        self._private = private
        self._named = named
        #: Named hosts that were reached at a public address: their names must not lead elsewhere later.
        self._public: set[str] = set()
        #: The site that was reached last, and where: most requests are like the one before.
        self._last: tuple[str, str] | None = None

    def allows_private(self, site: str) -> bool:
        """Return whether the host of a site may be reached at a private address."""
        if self._private != "named":
            return self._private == "always"
        host = _host_of(site)
        return host in self._named and host not in self._public

    def see(self, site: str, address: str | None) -> None:
        """Take note of the address at which a site was reached."""
        if self._private != "named" or address is None or self._last == (site, address):
            return
        self._last = site, address
        host = _host_of(site)
        if host is None or host not in self._named:
            return
        # An address in a URL leads nowhere else: behind a proxy, what was reached is the proxy.
        if _core.is_public_address(address) and not is_address(host):
            self._public.add(host)


@lru_cache(maxsize=1_024)
def _host_of(site: str) -> str | None:
    return urlsplit(site).hostname
