"""Which addresses are public, and which hosts may be reached at others. The oracle for
networks is `ipaddress`, where its versions agree."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from urlset._core import is_public_address as is_public
from urlset._fetch.addresses import AddressPolicy

PRIVATE = (
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "2001::1",
    "2001:db8::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "localhost",
    "",
)
PUBLIC = (
    "1.1.1.1",
    "93.184.215.14",
    "172.15.255.255",
    "172.32.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "::ffff:93.184.215.14",
    "64:ff9b::5db8:d70e",
    "2002:5db8:d70e::1",
    "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
)


@pytest.mark.parametrize("address", PRIVATE)
def test_a_private_address_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_public(address: str) -> None:
    assert is_public(address)


@given(st.ip_addresses())
def test_no_address_is_public_that_the_standard_library_calls_private(address: IPv4Address | IPv6Address) -> None:
    if address.is_private or address.is_loopback or address.is_link_local or address.is_multicast:
        assert not is_public(str(address)) or _embeds_public(address)


def _embeds_public(address: IPv4Address | IPv6Address) -> bool:
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped is not None and not ip_address(str(mapped)).is_private


# --- which hosts may be reached there -----------------------------------------------------------------------------


def test_private_addresses_are_for_the_hosts_that_the_caller_names() -> None:
    sites = ("http://shop.example", "https://other.example:8443")
    for private, allowed in (("named", [True, False]), ("always", [True, True]), ("never", [False, False])):
        policy = AddressPolicy(private, frozenset({"shop.example"}))  # type: ignore[arg-type]
        assert [policy.allows_private(site) for site in sites] == allowed, private


@pytest.mark.parametrize(
    ("host", "reached", "allowed"),
    [
        ("shop.example", "93.184.215.14", False),
        ("shop.example", "127.0.0.1", True),
        ("shop.example", None, True),
        # Behind a proxy, what is reached is the proxy, and an address stays what it is.
        ("10.1.2.3", "93.184.215.14", True),
        ("[fd12::1]", "93.184.215.14", True),
    ],
)
def test_a_public_name_cannot_lead_to_a_private_address_later(host: str, reached: str | None, allowed: bool) -> None:
    site = f"http://{host}"
    policy = AddressPolicy("named", frozenset({host.strip("[]")}))
    policy.see(site, reached)
    assert policy.allows_private(site) == allowed
    policy.see(site, "127.0.0.1")
    assert policy.allows_private(site) == allowed
