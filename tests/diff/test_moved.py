"""A set that was moved: where its pages are now."""

from __future__ import annotations

import pytest
import urlset

OLD = ["https://old.example/", "https://old.example/tea", "https://old.example/tea/green?x=1"]


def moved(old: list[str], new: list[str]) -> tuple[str, str, str, int] | None:
    """What a diff of two lists says about it."""
    with urlset.diff("\n".join(old).encode(), "\n".join(new).encode()) as found:
        place = found.moved
    return None if place is None else (place.what, place.old, place.new, place.pages)


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ("https://new.example", ("host", "https://old.example", "https://new.example", 3)),
        ("http://old.example", ("scheme", "https://old.example", "http://old.example", 3)),
        ("https://old.example:8443", ("port", "https://old.example", "https://old.example:8443", 3)),
        ("https://old.example/shop", ("folder", "https://old.example", "https://old.example/shop", 3)),
        ("https://new.example/shop", ("host", "https://old.example", "https://new.example/shop", 3)),
    ],
)
def test_the_same_paths_under_another_base(new: str, expected: tuple[str, str, str, int]) -> None:
    there = [loc.replace("https://old.example", new) for loc in OLD]
    assert moved(OLD, there) == expected
    what, old, base, pages = expected
    assert moved(there, OLD) == (what, base, old, pages)


def test_pages_that_came_and_went_do_not_hide_it() -> None:
    there = [loc.replace("old", "new") for loc in OLD]
    more = [f"https://new.example/{number}" for number in range(100)]
    assert moved([*OLD, "https://other.example/x"], [*there, *more]) == (
        *("host", "https://old.example", "https://new.example"),
        3,
    )
    assert moved(["https://old.example"], ["https://new.example/"]) == (
        *("host", "https://old.example", "https://new.example"),
        1,
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD, OLD),
        (OLD, [*OLD, "https://new.example/"]),
        (OLD, OLD[:2]),
        (OLD, ["https://new.example/a", "https://new.example/b", "https://new.example/"]),
        (["https://a.example/2025/index.html"], ["https://a.example/2026/index.html"]),
    ],
)
def test_other_changes_are_no_move(old: list[str], new: list[str]) -> None:
    assert moved(old, new) is None


def test_lastmods_without_the_colon_of_their_offset_are_compared() -> None:
    text = (
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.example/</loc>'
        "<lastmod>2026-01-01T10:00:00{}</lastmod></url></urlset>"
    )
    with urlset.diff(text.format("+0200").encode(), text.format("+02:00").encode()) as found:
        assert found.same == 1
