"""Which addresses a connection may be made to: what is dialled is checked, so that no name can hide it."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from urlset._options.http import PrivateAddresses

#: Networks that are not of the public internet. `ipaddress` knows most of them, but not the same in every version.
#: Source: the special-purpose address registries of IANA (RFC 6890).
_PRIVATE = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "::/127",
        "100::/64",
        "2001::/23",
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    )
)
#: Networks whose addresses contain an IPv4 address, and how many bits follow it: mapped ones, NAT64 (RFC 6052, and
#: RFC 8215 for a network of one's own) and 6to4.
_EMBEDDING = tuple(
    (ip_network(network), shift)
    for network, shift in (
        ("::ffff:0:0/96", 0),
        ("::/96", 0),
        ("64:ff9b::/96", 0),
        ("64:ff9b:1::/48", 0),
        ("2002::/16", 80),
    )
)


def is_public(address: str) -> bool:
    """Return whether an address belongs to the public internet, and not to a machine or a network of its own.

    Example:
        >>> is_public("93.184.215.14"), is_public("169.254.169.254"), is_public("::ffff:127.0.0.1")
        (True, False, False)
    """
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return _is_public(ip)


def _is_public(ip: IPv4Address | IPv6Address) -> bool:
    if any(ip in network for network in _PRIVATE):
        return False
    if isinstance(ip, IPv6Address):
        for network, shift in _EMBEDDING:
            if ip in network:
                return _is_public(IPv4Address(int(ip) >> shift & 0xFFFFFFFF))
    return True


def is_address(host: str) -> bool:
    """Return whether a host of a URL is an address and not a name."""
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


class AddressError(Exception):
    """A host has no address that may be reached."""


class AddressPolicy:
    """Checks the addresses of hosts.

    Args:
        private: Which private addresses may be reached.
        named: The hosts that the caller named.
    """

    def __init__(self, private: PrivateAddresses, named: frozenset[str]) -> None:
        self._private = private
        self._named = named
        #: Hosts that were public when they were first reached: a name must not lead elsewhere later.
        self._public: set[str] = set()

    def allowed(self, host: str, found: list[str]) -> list[str]:
        """Return the addresses of a host that may be reached.

        Raises:
            AddressError: None of them may be reached.
        """
        public = [address for address in found if is_public(address)]
        is_private_allowed = self._private == "always" or (
            self._private == "named" and host in self._named and host not in self._public
        )
        if public and len(public) == len(found):
            self._public.add(host)
        if is_private_allowed:
            return found
        if not public:
            address = found[0] if found else "unknown"
            raise AddressError(host if host == address else f"{host} is {address}")
        return public
