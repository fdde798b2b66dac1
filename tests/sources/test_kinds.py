"""Kinds of pages that can be left out: by their paths, as the generators of the cases write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.html_site import BASE, Skips, site
from support.sources.generator_cases import cases
from urlset import InputError
from urlset.sources import html
from urlset.sources._kinds import kind_of

PAGES = {case.name: sorted(case.pages) for case in cases()}
LISTS = {
    "astro": ["journal/2/index.html", "journal/3/index.html"],
    "docusaurus": [],
    "hugo": ["posts/page/2/index.html", "posts/page/3/index.html"],
    "jekyll": ["news/page2/index.html"],
    "nuxt": ["blog/page/2/index.html", "blog/page/3/index.html"],
    "pelican": ["index2.html"],
}


def of_kind(kind: str, *pages: str) -> list[str]:
    """The pages that are of a kind."""
    tell = kind_of(pages, [kind])
    return [page for page in pages if tell(page) is not None]


@pytest.mark.parametrize("name", LISTS)
def test_further_pages_of_lists_are_told_from_all_others(name: str) -> None:
    found = of_kind("pagination", *PAGES[name])
    assert set(LISTS[name]) <= set(found)
    sources = next(case.pages for case in cases() if case.name == name)
    assert not [page for page in found if sources[page]]  # no page that somebody wrote


@pytest.mark.parametrize("name", PAGES)
def test_lists_of_tags_are_told_from_pages_that_somebody_wrote(name: str) -> None:
    sources = next(case.pages for case in cases() if case.name == name)
    found = of_kind("archives", *PAGES[name])
    tags = [page for page in PAGES[name] if "/tags/" in f"/{page}" or page.startswith(("tag/", "category/"))]
    assert set(tags) <= set(found)
    assert {page for page in found if sources[page]} <= {"archive/index.html", "tags/index.html"}


def test_a_number_is_a_page_of_a_list_only_behind_the_page_before() -> None:
    assert of_kind("pagination", "tea/index.html", "tea/2/index.html", "tea/3/index.html", "tea/5/index.html") == [
        "tea/2/index.html",
        "tea/3/index.html",
    ]
    assert of_kind("pagination", "rooms/101.html", "rooms/102.html", "2026/index.html", "tea2.html", "tea.html") == [
        "rooms/102.html"
    ]
    assert of_kind("pagination", "tag/tea.html", "tag/tea2.html", "posts/tea.html", "posts/tea2.html") == [
        "tag/tea2.html"
    ]


@pytest.mark.parametrize("page", ["2026/index.html", "2026/11/index.html", "blog/2026/11/27.html", "tags.html"])
def test_lists_of_a_time_are_archives(page: str) -> None:
    assert of_kind("archives", page) == [page]


@pytest.mark.parametrize("page", ["2026/11/27/tea/index.html", "stages/a.html", "hashtags.html", "20/26.html"])
def test_pages_with_a_date_or_a_similar_name_are_none(page: str) -> None:
    assert of_kind("archives", page) == []


def test_the_version_to_find_is_the_stable_one() -> None:
    pages = ["index.html", "1.0/a.html", "2.0/a.html", "stable/a.html", "dev/a.html", "de/index.html"]
    assert of_kind("versions", *pages) == ["1.0/a.html", "2.0/a.html", "dev/a.html"]


def test_the_version_to_find_is_the_folder_around_the_others() -> None:
    pages = ["docs/a/index.html", "docs/b/index.html", "docs/1.0/a/index.html", "docs/next/a/index.html"]
    assert of_kind("versions", *pages) == pages[2:]
    assert of_kind("versions", *PAGES["docusaurus"]) == [
        page for page in PAGES["docusaurus"] if "/1.0/" in page or "/next/" in page
    ]


def test_the_version_to_find_is_the_highest() -> None:
    assert of_kind("versions", "v9.1/a.html", "v10.0/a.html", "v10.0/b.html") == ["v9.1/a.html"]
    assert of_kind("versions", *PAGES["mkdocs-mike"]) == [
        page for page in PAGES["mkdocs-mike"] if page.startswith(("1.0/", "2.0/"))
    ]


@pytest.mark.parametrize("pages", [["2025/a.html", "2026/a.html"], ["v1/a.html"], ["next/a.html"], ["main/a.html"]])
def test_a_single_folder_and_years_are_no_versions(pages: list[str]) -> None:
    assert of_kind("versions", *pages) == []


def test_what_is_left_out_is_reported(tmp_path: Path) -> None:
    folder = site(tmp_path / "public", "b.html")
    for name in ("tags/tea", "page/2", "1.0", "2.0"):
        site(folder / name.partition("/")[0], *[f"{name.partition('/')[2]}.html"] if "/" in name else ["a.html"])
    skips = Skips()
    rows = html.pages(folder, base_url=BASE, omit=["pagination", "archives", "versions"], on_skip=skips)
    assert [row["file"] for row in rows] == ["2.0/a.html", "b.html"]
    assert skips.reasons == {"1.0/a.html": "version", "page/2.html": "pagination", "tags/tea.html": "archive"}
    assert skips.details["1.0/a.html"] == "the version to find is in 2.0"
    assert rows.skipped == {"version": 1, "pagination": 1, "archive": 1}


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="omit must be 'archives'"):
        html.pages(tmp_path, base_url=BASE, omit=["tags"])  # type: ignore[list-item]
