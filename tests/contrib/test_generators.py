"""What the plugins for generators share, over pages and sources that no generator has made."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.contrib.built import commit, lastmods, write
from urlset.contrib._generators import BuiltPage, Messages, publish_build

BASE = "https://tea.example/docs/"
PAGES = {"index.html": BuiltPage("index.md"), "oolong/index.html": BuiltPage("Oolong.md")}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Three built pages and two sources, each of a commit of its own."""
    for name in ("index.html", "oolong/index.html", "tags/index.html"):
        write(tmp_path / "public", name, f"<title>{name}</title><p>Tea</p>")
    sources = tmp_path / "content"
    for name, date in (("index.md", "2024-05-01"), ("Oolong.md", "2024-06-01")):
        write(sources, name, "Tea")
        commit(sources, date)
    return tmp_path


def publish(site: Path, pages: Mapping[str, BuiltPage] = PAGES, **options: Any) -> list[str]:
    """Publish the site; return what was reported."""
    said: list[str] = []
    messages = Messages(lambda message: said.append(f"! {message}"), said.append)
    settings: dict[str, Any] = {"base_url": BASE, "dated": site / "content"} | options
    publish_build(site / "public", pages, messages, **settings)
    return said


def test_pages_with_a_source_are_listed_with_its_date(site: Path) -> None:
    assert publish(site) == [f"{BASE}sitemap.xml lists 2 pages"]
    assert lastmods(site / "public") == {BASE: "2024-05-01T08:00:00Z", f"{BASE}oolong/": "2024-06-01T08:00:00Z"}


def test_others_are_listed_if_they_are_asked_for(site: Path) -> None:
    publish(site, include=["**/index.html"], exclude=["oolong/*"], allow=["shrunk"])
    assert lastmods(site / "public") == {BASE: "2024-05-01T08:00:00Z", f"{BASE}tags/": None}


def test_what_the_generator_knows_counts(site: Path) -> None:
    known = {"loc": f"{BASE}dragon", "lastmod": "2025-01-01"}
    publish(site, PAGES | {"oolong/index.html": BuiltPage("Oolong.md", known)})
    assert lastmods(site / "public")[f"{BASE}dragon"] == "2025-01-01"


def test_a_date_in_the_page_comes_before_git(site: Path) -> None:
    write(site / "public", "index.html", '<title>T</title><meta property="article:modified_time" content="2024-01-02">')
    publish(site)
    assert lastmods(site / "public")[BASE] == "2024-01-02"


def test_git_comes_before_a_date_of_publication(site: Path) -> None:
    head = '<title>T</title><meta property="article:published_time" content="2024-01-02">'
    write(site / "public", "index.html", head)
    publish(site)
    assert lastmods(site / "public")[BASE] == "2024-05-01T08:00:00Z"


def test_what_is_left_out_or_missing_is_said(site: Path) -> None:
    write(site / "public", "index.html", '<title>T</title><meta name="robots" content="noindex">')
    write(site / "public", "tags/index.html", '<title>T</title><meta name="robots" content="noindex">')
    write(site / "content", "Oolong.md", "Blue tea")
    assert publish(site) == [
        "1 file with uncommitted changes: no lastmod from git",
        f"{BASE}sitemap.xml lists 1 page; left out: 1 noindex",
    ]
    assert lastmods(site / "public") == {f"{BASE}oolong/": None}


def test_a_shallow_clone_gives_no_dates(site: Path) -> None:
    clone = site / "clone"
    subprocess.run(("git", "clone", "--quiet", "--depth", "1", f"file://{site / 'content'}", str(clone)), check=True)
    said = publish(site, dated=clone)
    assert said[0].startswith("! no lastmod from git: ")
    assert "shallow" in said[0]
    assert set(lastmods(site / "public").values()) == {None}
    assert publish(site, dated=None) == [f"{BASE}sitemap.xml lists 2 pages"]


def test_a_sitemap_that_another_program_wrote_is_replaced(site: Path) -> None:
    rows = [f"https://old.example/{number}" for number in range(9)]
    urlset.write(rows, site / "public" / "sitemap.xml")
    publish(site)
    assert set(lastmods(site / "public")) == {BASE, f"{BASE}oolong/"}
    with pytest.raises(urlset.GuardError, match="shrunk"):
        publish(site, exclude=["oolong/*"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"exclude": "tags/*"}, r"exclude must be a list of strings, got the string 'tags/\*'"),
        ({"include": ["[z-a]"]}, r"'\[z-a\]' is not a valid glob"),
        ({"allow": ["everything"]}, "everything"),
        ({"base_url": "/docs/"}, r"base_url must be an absolute http\(s\) URL"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(site: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(urlset.InputError, match=message):
        publish(site, **options)
    assert not (site / "public" / "sitemap.xml").exists()
