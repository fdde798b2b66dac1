"""A base URL that the canonical URLs of the pages contradict."""

from __future__ import annotations

from pathlib import Path

import pytest
from urlset.sources.html import pages

FILES = ["index.html", "a.html", "b/index.html", "b/c.html", "d/index.html"]


@pytest.mark.parametrize(
    ("base", "served_at"),
    [
        ("http://a.example/", "https://a.example/"),
        ("https://a.example/", "https://www.a.example/"),
        ("https://user.github.example/", "https://user.github.example/project/"),
        ("https://a.example/old/", "https://b.example/"),
        ("https://a.example/", "https://a.example:8443/"),
    ],
)
def test_a_base_url_that_all_pages_contradict(tmp_path: Path, base: str, served_at: str) -> None:
    """The canonical URLs are those that the pages would have at the right base URL, so nothing is skipped there."""
    for file in FILES:
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        own = served_at + file.removesuffix("index.html")
        path.write_text(f'<title>T</title><link rel=canonical href="{own}">')
    found = pages(tmp_path, base_url=base)
    assert (list(found), found.skipped, found.canonical_base) == ([], {"canonical": 5}, served_at)
    right = pages(tmp_path, base_url=served_at)
    assert (len(list(right)), right.canonical_base) == (5, None)


@pytest.mark.parametrize(
    ("canonicals", "base"),
    [
        ([f"https://b.example/{number}.html" for number in range(19)], True),
        ([f"https://b.example/{number}.html" for number in range(15)], False),
        ([f"https://{number}.example/{number}.html" for number in range(20)], False),
        (["/first.html"] * 20, False),
        ([f"https://b.example/posts/{number}" for number in range(20)], True),
    ],
    ids=["nearly all", "three in four", "different hosts", "elsewhere on the site", "other paths of one host"],
)
def test_some_canonicals_say_nothing(tmp_path: Path, canonicals: list[str], base: bool) -> None:
    for number in range(20):
        link = f'<link rel=canonical href="{canonicals[number]}">' if number < len(canonicals) else ""
        (tmp_path / f"{number}.html").write_text(f"<title>T</title>{link}")
    found = pages(tmp_path, base_url="https://a.example/")
    list(found)
    assert found.canonical_base == ("https://b.example/" if base else None)
