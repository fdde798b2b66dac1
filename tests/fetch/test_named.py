"""Which sites the caller has named."""

from __future__ import annotations

import pytest
from urlset._fetch.named import NamedSites


@pytest.mark.parametrize(
    ("named", "url", "is_included"),
    [
        ("https://shop.example/sitemap.xml", "https://SHOP.example:443/x", True),
        ("https://shop.example/", "http://shop.example/", False),
        ("https://shop.example/", "https://shop.example:8443/", False),
        ("https://shop.example/", "https://www.shop.example/", False),
        ("http://shop.example/", "https://shop.example/", True),
        ("http://shop.example:80/", "https://shop.example/", True),
        ("http://shop.example:8080/", "https://shop.example/", False),
        ("http://shop.example:8080/", "https://shop.example:8080/", False),
        ("http://[::1]:8080/", "http://[0:0::1]:8080/x", True),
        ("https://bücher.example/", "https://xn--bcher-kva.example/", True),
        ("https://shop.example/", "https://user@shop.example/", False),
        ("no URL", "no URL", False),
    ],
)
def test_a_site_is_its_scheme_host_and_port(named: str, url: str, is_included: bool) -> None:
    assert NamedSites([named]).includes(url) is is_included


def test_hosts_are_without_ports() -> None:
    assert NamedSites(["http://a.example:8080/x", "https://[::1]/", "mailto:a@b.example"]).hosts == {"a.example", "::1"}
