"""`urlset feed` and `urlset llms`: what they say, where they take rows and titles from, and how they end."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import urlset
from support.cli import Cli

Put = Callable[[str, str | bytes], Path]
TO = ("--dest", "public", "--base-url", "https://tea.example/")
ROWS = "url,lastmod,headline,description\n/,2026-01-01,Home,\n/green,2026-01-02,Green,A tea\n/cups,,Cups,\n"
SETTINGS = """
[publish]
base-url = "https://tea.example/"
dest = "public"

[publish.site]
title = "Tea shop"
description = "A shop for tea"
author = "Tea Ltd."

[[publish.section]]
name = "pages"
html = "dist"

[[publish.section]]
name = "products"
rows = ["rows.csv"]
columns = { loc = "url", title = "headline" }
"""


@pytest.fixture
def site(cli: Cli, put: Put) -> Cli:
    """A published site with two sections, one of HTML and one of rows."""
    put("rows.csv", ROWS)
    page = "<title>{0}</title><meta name=description content='All of {0}'><p>{0}"
    put("dist/about/index.html", page.format("About") + "<time itemprop=dateModified datetime=2026-01-03></time>")
    put("dist/about/index.md", "# About")
    put("dist/404.html", page.format("Gone"))
    put("urlset.toml", SETTINGS)
    assert cli("publish").code == 0
    return cli


def test_the_settings_of_a_publish_are_enough(site: Cli, tmp_path: Path) -> None:
    ended = site("feed")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "Wrote https://tea.example/feed.xml with 3 pages",
        "  left out 1 page without a lastmod in the set",
        "Left out 1 page: 1 error page",
    ]
    feed = (tmp_path / "public" / "feed.xml").read_text("utf-8")
    for text in ("<title>Tea shop</title>", "<subtitle>A shop for tea</subtitle>", "<name>Tea Ltd.</name>"):
        assert text in feed
    assert [entry.loc for entry in urlset.read(tmp_path / "public" / "feed.xml")] == [
        "https://tea.example/about/",
        "https://tea.example/green",
        "https://tea.example/",
    ]
    assert site("feed").out.startswith("Unchanged: https://tea.example/feed.xml")
    ended = site("llms", "--title", "Another title")
    assert ended.code == 0
    assert (tmp_path / "public" / "llms.txt").read_text("utf-8") == (
        "# Another title\n\n> A shop for tea\n\n## pages\n\n"
        "- [About](https://tea.example/about/index.md): All of About\n\n## products\n\n"
        "- [Home](https://tea.example/)\n- [Green](https://tea.example/green): A tea\n"
        "- [Cups](https://tea.example/cups)\n"
    )
    assert site("verify").code == 0
    assert site("publish").code == 0
    assert site("lint", "public/feed.xml").code == 0


def test_files_and_options_take_the_place_of_settings(cli: Cli, put: Put) -> None:
    put("rows.csv", "loc,lastmod,title\n/,2026-01-01,Home\n/green,2026-01-02,Green\n")
    assert cli("publish", "rows.csv", *TO).code == 0
    ended = cli("feed", "rows.csv", *TO, "--title", "Tea", "--limit", "1")
    assert ended.out.splitlines() == [
        "Wrote https://tea.example/feed.xml with 1 page",
        "  left out 1 page beyond the limit",
    ]
    ended = cli("llms", "-", *TO, "--title", "Tea", "-f", "json", stdin=b"loc,title\n/green,Green\n")
    found = json.loads(ended.out)
    assert (found["entries"], found["left_out"], found["is_written"]) == (1, {}, True)
    assert cli("llms", "rows.csv", *TO, "--title", "Tea", "--quiet").out == ""


def test_rows_with_columns_for_shards_and_languages_are_taken(cli: Cli, put: Put) -> None:
    rows = [
        {"loc": f"/{lang}", "lastmod": "2026-01-01", "group": "a", "lang": lang, "brand": "leaf"}
        for lang in ("de", "en")
    ]
    put("rows.jsonl", "\n".join(map(json.dumps, rows)))
    assert cli("publish", "rows.jsonl", *TO, "--shard-by", "key:brand").code == 0
    ended = cli("feed", "rows.jsonl", *TO, "--title", "Tea")
    assert (ended.code, ended.err) == (0, "urlset: rows.jsonl: not used: brand\n")
    assert ended.out.startswith("Wrote https://tea.example/feed.xml with 2 pages")


def test_rows_that_are_not_published_are_a_finding(cli: Cli, put: Put) -> None:
    put("rows.csv", "loc,lastmod\n/,2026-01-01\n")
    assert cli("publish", "rows.csv", *TO).code == 0
    put("rows.csv", "loc,title,markdown\n/,,mailto:a\n/new," + "t" * 400 + ",\n")
    ended = cli("llms", "rows.csv", *TO, "--title", "Tea")
    assert ended.code == 1
    assert ended.out.splitlines() == [
        "Wrote https://tea.example/llms.txt with 1 page",
        "  1 page without a title, listed with the URL",
        "  1 page whose Markdown twin is not an http(s) URL",
    ]
    assert ended.err == ("urlset: left out 1 page that the published set does not have: publish the same rows first\n")


def test_what_is_wrong_is_said_and_nothing_is_written(cli: Cli, put: Put, tmp_path: Path) -> None:
    put("rows.csv", "loc\n/\n")
    for arguments, message in (
        (["rows.csv", *TO], "the title is missing: pass --title, or set title in [publish.site] of urlset.toml"),
        (["rows.csv", *TO, "--title", " "], "--title must be a text of 1 to 2,000 characters, got ' '"),
        (["rows.csv", *TO, "--title", "x", "--limit", "5000"], "--limit must be a whole number from 1 to 1,000"),
        (["rows.csv", "--title", "x", "--dest", "public"], "base-url is missing"),
        (["rows.csv", "--title", "x"], "dest is missing"),
        (["rows.csv", *TO, "--title", "x"], "has no published set"),
    ):
        ended = cli("feed", *arguments)
        assert (ended.code, ended.out) == (2, "")
        assert message in ended.err
    assert cli("publish", "rows.csv", *TO).code == 0
    assert "none of 1 page has a lastmod" in cli("feed", "rows.csv", *TO, "--title", "x").err
    put("public/llms.txt", "# Ours")
    ended = cli("llms", "rows.csv", *TO, "--title", "x")
    assert ended.code == 2
    assert "--replace must be given to write" in ended.err
    assert (tmp_path / "public" / "llms.txt").read_text() == "# Ours"
    assert cli("llms", "rows.csv", *TO, "--title", "x", "--replace").code == 0
