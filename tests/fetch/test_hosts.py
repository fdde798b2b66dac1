"""Which hosts an index may lead to."""

from __future__ import annotations

import pytest
from urlset import Hosts
from urlset._fetch.hosts import may_lead, registrable_domain

INDEX = "https://www.shop.example/sitemap.xml"
SAME, SISTER, OTHER = "https://www.shop.example/a.xml", "https://cdn.shop.example/a.xml", "https://cdn.example/a.xml"


@pytest.mark.parametrize(
    ("hosts", "child", "is_robots", "is_allowed"),
    [
        ("host", SAME, False, True),
        ("host", SISTER, False, False),
        ("host", SISTER, True, False),
        ("domain", SAME, False, True),
        ("domain", SISTER, False, True),
        ("domain", "http://WWW.Shop.example./a.xml", False, True),
        ("domain", OTHER, False, False),
        ("domain", OTHER, True, False),
        ("verified", SISTER, False, True),
        ("verified", OTHER, False, False),
        ("verified", OTHER, True, True),
        ("any", OTHER, False, True),
        ("domain", "https://[::1/a.xml", False, False),
        # What is dialled counts: a client ends the host at a backslash too.
        ("host", "https://other.example\\@www.shop.example/a.xml", False, False),
        ("host", "https://www.shop.example:443\\@other.example/a.xml", False, True),
        ("host", "ftp://www.shop.example/a.xml", False, False),
    ],
)
def test_an_index_leads_where_the_policy_allows(hosts: Hosts, child: str, is_robots: bool, is_allowed: bool) -> None:
    assert may_lead(INDEX, child, hosts, is_robots=is_robots) is is_allowed


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.shop.co.uk", "shop.co.uk"),
        ("shop.co.uk", "shop.co.uk"),
        ("co.uk", None),
        ("a.github.io", "a.github.io"),  # a private suffix: its users do not know each other
        ("b.a.github.io", "a.github.io"),
        ("10.0.0.1", None),
        ("::1", None),
        ("localhost", None),
    ],
)
def test_the_registrable_domain_is_that_of_the_public_suffix_list(host: str, domain: str | None) -> None:
    assert registrable_domain(host) == domain


def test_two_addresses_have_no_domain_in_common() -> None:
    assert not may_lead("http://10.0.0.1/s.xml", "http://10.0.1.1/a.xml", "domain", is_robots=False)
