"""URLs are joined as RFC 3986 says, and have the origins of RFC 6454."""

from __future__ import annotations

import pytest
from urlset._util.urls import join, origin

BASE = "https://e.com/a/b?c=d#e"


@pytest.mark.parametrize(
    ("reference", "url"),
    [
        ("/", "https://e.com/"),
        ("/?", "https://e.com/?"),
        ("?", "https://e.com/a/b?"),
        ("?#f", "https://e.com/a/b?#f"),
        ("?x", "https://e.com/a/b?x"),
        ("", BASE),
        ("#f", "https://e.com/a/b?c=d#f"),
        ("#f?", "https://e.com/a/b?c=d#f?"),
        ("x?", "https://e.com/a/x?"),
        ("x??", "https://e.com/a/x??"),
        ("//o.com?", "https://o.com?"),
        ("http://o.com/?", "http://o.com/?"),
        ("mailto:a@e.com", "mailto:a@e.com"),
    ],
)
def test_a_reference_is_joined(reference: str, url: str) -> None:
    assert join(BASE, reference) == url


def test_an_invalid_host_is_an_error() -> None:
    with pytest.raises(ValueError, match="IPv6"):
        join(BASE, "http://[bad/?")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://shop.example", "https://shop.example/"),
        ("HTTPS://Shop.Example:443/tea?a=/b#c", "https://shop.example/"),
        ("https://shop.example:80/", "https://shop.example:80/"),
        ("http://shop.example:80/", "http://shop.example/"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://[::1]:8080/a", "https://[::1]:8080/"),
        ("https://ann:secret@shop.example/", None),
        ("/tea", None),
        ("mailto:a@shop.example", None),
        ("https://[bad/", None),
        ("", None),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, expected: str | None) -> None:
    assert origin(url) == expected
