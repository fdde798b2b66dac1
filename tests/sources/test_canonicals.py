"""A base URL that the canonical URLs of the pages contradict."""

from __future__ import annotations

from pathlib import Path

import pytest
from urlset.sources.html import pages

FILES = ["index.html", "a.html", "b/index.html", "b/c.html", "d/index.html"]


def write_pages(folder: Path, served_at: str) -> None:
    """Write pages whose canonical URLs are those that they have at a base URL."""
    for file in FILES:
        path = folder / file
        path.parent.mkdir(exist_ok=True)
        own = served_at + file.removesuffix("index.html")
        path.write_text(f'<title>T</title><link rel=canonical href="{own}">')


@pytest.mark.parametrize(
    ("base", "served_at"),
    [
        ("https://user.github.example/", "https://user.github.example/project/"),
        ("https://a.example/old/", "https://b.example/"),
        ("https://a.example/", "https://a.example:8443/"),
    ],
)
def test_a_base_url_that_all_pages_contradict(tmp_path: Path, base: str, served_at: str) -> None:
    """The canonical URLs are those that the pages would have at the right base URL, so nothing is skipped there."""
    write_pages(tmp_path, served_at)
    found = pages(tmp_path, base_url=base)
    assert (list(found), found.skipped, found.canonical_base) == ([], {"canonical": 5}, served_at)
    right = pages(tmp_path, base_url=served_at)
    assert (len(list(right)), right.canonical_base) == (5, None)


@pytest.mark.parametrize(
    ("base", "served_at"),
    [("http://a.example/", "https://a.example/"), ("https://a.example/docs/", "https://www.a.example/docs/")],
)
def test_pages_are_listed_below_a_base_url_that_differs_in_the_scheme_or_www(
    tmp_path: Path, base: str, served_at: str
) -> None:
    write_pages(tmp_path, served_at)
    found = pages(tmp_path, base_url=base)
    locs = [row["loc"].removeprefix(base) for row in found]
    assert sorted(locs) == ["", "a.html", "b/", "b/c.html", "d/"]
    assert (found.skipped, found.canonical_base) == ({}, served_at)


@pytest.mark.parametrize(
    ("file", "canonical", "listed"),
    [
        ("about.html", "/docs/about", "about"),
        ("about.html", "/docs/about/", "about/"),
        ("p.htm", "https://www.a.example/docs/p/", "p/"),
        ("blog/index.html", "/docs/blog", "blog"),
        ("blog/index.html", "/docs/blog.html", "blog.html"),
        ("blog/index.html", "http://a.example/docs/blog/index.html", "blog/"),
        ("index.html", "https://a.example/docs", ""),
        ("about.html", "/docs/other", None),
        ("about.html", "/docs/about?x", None),
        ("about.html", "/about", None),
        ("about.html", "https://b.example/docs/about", None),
    ],
)
def test_a_page_is_not_left_out_for_its_own_clean_url(
    tmp_path: Path, file: str, canonical: str, listed: str | None
) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'<title>T</title><link rel=canonical href="{canonical}">')
    base = "https://a.example/docs/"
    assert [row["loc"] for row in pages(tmp_path, base_url=base)] == ([] if listed is None else [base + listed])


@pytest.mark.parametrize(
    ("canonicals", "base"),
    [
        ([f"https://b.example/{number}.html" for number in range(19)], "https://b.example/"),
        ([f"https://b.example/{number}.html" for number in range(15)], None),
        ([f"https://{number}.example/{number}.html" for number in range(20)], None),
        (["/first.html"] * 20, None),
        ([f"https://b.example/posts/{number}" for number in range(20)], "https://b.example/posts/"),
    ],
    ids=["nearly all", "three in four", "different hosts", "elsewhere on the site", "other paths of one host"],
)
def test_some_canonicals_say_nothing(tmp_path: Path, canonicals: list[str], base: str | None) -> None:
    for number in range(20):
        link = f'<link rel=canonical href="{canonicals[number]}">' if number < len(canonicals) else ""
        (tmp_path / f"{number}.html").write_text(f"<title>T</title>{link}")
    found = pages(tmp_path, base_url="https://a.example/")
    list(found)
    assert found.canonical_base == base
