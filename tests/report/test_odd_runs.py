"""What the page says of runs that were not finished, or say something odd."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.report.page import bars, parsed, text_of
from urlset._report.markup import LONGEST
from urlset._runs.file import RunFile

STARTED = datetime(2026, 11, 23, 5, tzinfo=UTC)


def run_with(path: Path, rows: dict[str, list[dict[str, Any]]], **run: Any) -> Path:
    """A file with one run."""
    with RunFile(path) as file, file.transaction():
        values = {
            "run": 1,
            "verb": "audit",
            "number": 1,
            "site": "https://e.org/",
            "started": STARTED,
            "ended": STARTED,
            "state": "complete",
        }
        file.insert("runs", [{**values, "settings": "{}", "version": "0.1.0", **run}])
        for name, each in rows.items():
            file.insert(name, [{"run": 1, **row} for row in each])
    return path


def page(number: int, **facts: Any) -> dict[str, Any]:
    """The row of a page of the site that did not redirect."""
    url = f"https://e.org/{number}"
    return {"loc": url, "normal_loc": url, "final_url": url, "normal_final": url, **facts}


FINDING = {
    "key": "k", "code": "LOC011", "severity": "error", "verdict": "found", "location": "https://e.org/sitemap.xml",
    "loc": "https://e.org/a", "count": 1, "message": "it is wrong", "state": "new",
}  # fmt: skip


def test_a_run_without_anything_says_so(tmp_path: Path) -> None:
    path = urlset.report(run_with(tmp_path / "runs.duckdb", {}), tmp_path / "r.html")
    assert "Nothing was found." in text_of(path)
    assert parsed(path).xpath("//*[@id='pictures']") == []


@pytest.mark.parametrize("state", ["running", "bounded", "interrupted"])
def test_a_run_that_has_not_seen_everything_says_why(tmp_path: Path, state: str) -> None:
    file = run_with(tmp_path / "runs.duckdb", {"findings": [FINDING]}, state=state, reason="max_pages 100")
    text = text_of(urlset.report(file, tmp_path / "r.html"))
    assert f"This run is {state}: max_pages 100." in text


def test_a_rule_that_this_version_does_not_know_is_shown(tmp_path: Path) -> None:
    file = run_with(tmp_path / "runs.duckdb", {"findings": [{**FINDING, "code": "NEW999"}]})
    text = text_of(urlset.report(file, tmp_path / "r.html"))
    assert "NEW999" in text
    assert "This version of urlset has no page for this rule." in text


def test_what_could_not_be_judged_does_not_count_as_wrong(tmp_path: Path) -> None:
    listed = [{"location": "https://e.org/sitemap.xml", "loc": f"https://e.org/{number}"} for number in range(4)]
    pages: list[dict[str, Any]] = [
        page(0, status=200, is_noindex=False),
        page(1, status=403, refused="bot challenge"),
        page(2, refused="timeout", final_url=None, normal_final=None),
    ]
    text = text_of(
        urlset.report(run_with(tmp_path / "runs.duckdb", {"listed": listed, "pages": pages}), tmp_path / "r.html")
    )
    assert "100 %" in text
    assert "1 of 1 that could be judged" in text
    assert "inconclusive 2" in text
    assert "not fetched 1" in text


def test_the_first_example_is_a_link_with_its_detail(tmp_path: Path) -> None:
    message = "2 listed pages redirect: a slash is added"
    finding = {**FINDING, "message": message, "pattern": "a slash is added", "count": 2}
    finding |= {"loc": "https://e.org/a", "detail": "to https://e.org/a/"}
    finding["examples"] = ["https://e.org/a", "https://e.org/b"]
    page = parsed(urlset.report(run_with(tmp_path / "runs.duckdb", {"findings": [finding]}), tmp_path / "r.html"))
    [row] = page.xpath("//noscript//tr/td[2]")
    said = "https://e.org/a (to https://e.org/a/) 2 listed pages redirect: a slash is added https://e.org/b"
    assert row.text_content().strip() == said
    assert row.xpath(".//a/@href") == ["https://e.org/a", "https://e.org/b"]


def test_a_long_text_is_cut_and_says_so(tmp_path: Path) -> None:
    file = run_with(tmp_path / "runs.duckdb", {"findings": [{**FINDING, "message": "x" * (LONGEST + 1234)}]})
    text = text_of(urlset.report(file, tmp_path / "r.html"))
    assert "x" * LONGEST + "… (1,234 more characters)" in text


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "https://e.org/ a", "//e.org/", "ftp://e.org/"]
)
def test_only_http_urls_are_links(tmp_path: Path, url: str) -> None:
    file = run_with(tmp_path / "runs.duckdb", {"findings": [{**FINDING, "loc": url, "examples": [url]}]})
    page = parsed(urlset.report(file, tmp_path / "r.html"))
    assert url in page.text_content()
    outside = [
        link for link in page.xpath("//section[@id!='findings']//a/@href | //ul//a/@href") if not link.startswith("#")
    ]
    assert outside == []


def test_an_audit_without_a_crawl_says_nothing_about_links(tmp_path: Path) -> None:
    listed = [{"location": "https://e.org/sitemap.xml", "loc": f"https://e.org/{number}"} for number in range(4)]
    pages = [page(number, status=200, is_noindex=number == 1) for number in range(4)]
    report = parsed(
        urlset.report(run_with(tmp_path / "runs.duckdb", {"listed": listed, "pages": pages}), tmp_path / "r.html")
    )
    assert {marks: count for marks, (_, count) in bars(report, "coverage").items()} == {"yes yes": 3, "yes no": 1}
    assert "not crawled" in report.xpath("//*[@id='coverage']")[0].text_content()
    assert report.xpath("//*[@id='depth']") == []
