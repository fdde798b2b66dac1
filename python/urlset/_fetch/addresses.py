"""Which hosts may be reached at a private address."""

from __future__ import annotations

from urllib.parse import urlsplit

from urlset import _core
from urlset._fetch.hosts import is_address
from urlset._options.http import PrivateAddresses


class AddressPolicy:
    """Says whether a host may be reached at an address that is not of the public internet.

    Args:
        private: Which private addresses may be reached.
        named: The hosts that the caller named.

    Example:
        >>> policy = AddressPolicy("named", frozenset({"shop.example"}))
        >>> policy.allows_private("http://shop.example/"), policy.allows_private("http://other.example/")
        (True, False)
        >>> policy.see("http://shop.example/", "93.184.215.14")
        >>> policy.allows_private("http://shop.example/")
        False
    """

    def __init__(self, private: PrivateAddresses, named: frozenset[str]) -> None:
        self._private = private
        self._named = named
        #: Named hosts that were reached at a public address: their names must not lead elsewhere later.
        self._public: set[str] = set()

    def allows_private(self, url: str) -> bool:
        """Return whether the host of a URL may be reached at a private address."""
        if self._private != "named":
            return self._private == "always"
        host = urlsplit(url).hostname
        return host in self._named and host not in self._public

    def see(self, url: str, address: str | None) -> None:
        """Take note of the address at which the host of a URL was reached."""
        if self._private != "named" or address is None:
            return
        host = urlsplit(url).hostname
        if host is None or host not in self._named or host in self._public:
            return
        # An address in a URL leads nowhere else: behind a proxy, what was reached is the proxy.
        if _core.is_public_address(address) and not is_address(host):
            self._public.add(host)
