"""What lint finds in the answers of servers, and in the robots.txt of the hosts that it asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.http_server import Answer, Site, serve
from support.publish.grouped import ruled
from urlset import Fetch, FetchError, Http
from urlset._lint.response import CODES, SLOW, check_answer
from urlset._lint.response import Answer as Judged

ROBOTS = ["ROB"]
TYPED = {"Content-Type": "application/xml", "ETag": '"1"'}
IGNORING = Http(obey_robots=False)


@pytest.fixture
def site() -> Iterator[Site]:
    """A site with an index of two sitemaps, and no robots.txt."""
    with serve() as site:
        site.pages["/sitemap.xml"] = Answer(site.index("/1.xml", "/2.xml"), headers=TYPED)
        site.pages["/1.xml"] = Answer(site.urlset("/1", 2), headers=TYPED)
        site.pages["/2.xml"] = Answer(site.urlset("/2", 2), headers=TYPED)
        yield site


def robots(site: Site, text: str, status: int = 200) -> None:
    site.pages["/robots.txt"] = Answer(text.encode(), status, {"Content-Type": "text/plain", "ETag": '"1"'})


def codes(site: Site, path: str = "/sitemap.xml", **options: object) -> dict[str, int]:
    return urlset.lint(site.url + path, **ruled(options)).counts


# --- robots.txt --------------------------------------------------------------------------------------------------


def test_the_robots_txt_of_the_host_is_asked_for_once_and_counts(site: Site) -> None:
    robots(site, f"User-agent: *\nDisallow: /2/1\nSitemap: {site.url}/sitemap.xml\n")
    report = urlset.lint(f"{site.url}/sitemap.xml")
    assert report.counts == {"ROB004": 1}
    [found] = report
    assert (found.location, "disallows" in found.message) == (f"{site.url}/2.xml", True)
    assert [path for path, _ in site.requests].count("/robots.txt") == 1


@pytest.mark.parametrize("http", [Http(), IGNORING], ids=["obeyed", "ignored"])
def test_a_sitemap_that_no_robots_txt_names_is_reported_once(site: Site, http: Http) -> None:
    assert codes(site, http=http) == {"ROB001": 1}
    robots(site, f"Sitemap: {site.url}/other.xml\n")
    assert codes(site, http=http) == {"ROB001": 1}
    robots(site, f"Sitemap: {site.url}/sitemap.xml\n")
    assert codes(site, http=http) == {}
    assert codes(site, "/robots.txt", http=http) == {}


def test_a_sitemap_that_robots_txt_forbids_is_not_fetched_unless_it_is_ignored(site: Site) -> None:
    robots(site, f"User-agent: *\nDisallow: /sitemap.xml\nSitemap: {site.url}/sitemap.xml\n")
    with pytest.raises(FetchError, match=r"disallows it for urlset .*--ignore-robots"):
        codes(site)
    assert codes(site, http=IGNORING) == {"ROB003": 1}
    robots(site, f"User-agent: Googlebot\nDisallow: /sitemap.xml\nSitemap: {site.url}/sitemap.xml\n")
    assert codes(site) == {}
    assert codes(site, profile="google")["ROB003"] == 1


def test_a_robots_txt_that_the_caller_gives_goes_first(site: Site) -> None:
    robots(site, "User-agent: *\nDisallow: /2/\n")
    given = {site.url: f"Sitemap: {site.url}/sitemap.xml\n".encode()}
    assert codes(site, robots=given, http=IGNORING) == {}
    assert "/robots.txt" not in [path for path, _ in site.requests]


def test_a_robots_txt_that_cannot_be_read_proves_nothing(site: Site) -> None:
    robots(site, "", status=500)
    assert codes(site, http=IGNORING) == {}


def test_a_robots_txt_is_not_asked_for_if_no_rule_needs_it(site: Site) -> None:
    assert codes(site, http=IGNORING, ignore=["ROB", "LOC011"]) == {}
    assert "/robots.txt" not in [path for path, _ in site.requests]


# --- answers -----------------------------------------------------------------------------------------------------


def test_every_document_of_a_set_is_judged(site: Site) -> None:
    site.pages["/2.xml"] = Answer(site.urlset("/2", 2), headers={"Content-Type": "text/html"})
    report = urlset.lint(f"{site.url}/sitemap.xml", rules=urlset.Rules(select=["HTTP"]))
    assert [(found.code, found.location) for found in report] == [
        ("HTTP002", f"{site.url}/2.xml"),
        ("HTTP005", f"{site.url}/2.xml"),
    ]
    assert codes(site, select=["HTTP"], per_file_ignores={"2.xml": ["HTTP002"]}) == {"HTTP005": 1}


def test_a_page_instead_of_a_sitemap_is_that_and_nothing_else(site: Site) -> None:
    site.pages["/1.xml"] = Answer(b"<!DOCTYPE html><title>Not found</title>", headers={"Content-Type": "text/html"})
    assert codes(site, ignore=ROBOTS) == {"XML008": 1}


def test_what_the_cache_has_is_judged_as_what_was_received(site: Site, tmp_path: Path) -> None:
    def answer(handler: object) -> Answer:
        is_known = "if-none-match" in site.requests[-1][1]
        return Answer(status=304) if is_known else Answer(site.urlset("/1", 1), headers={"ETag": '"1"'} | wrong)

    wrong = {"Content-Type": "text/html"}
    site.pages["/1.xml"] = answer
    http = Http(cache=tmp_path / "cache.sqlite")
    for _ in range(2):
        assert codes(site, "/1.xml", http=http, select=["HTTP"]) == {"HTTP002": 1}
        assert urlset.read(f"{site.url}/1.xml", http=http)[0].loc == f"{site.url}/1/0"


def test_a_file_has_no_answer(site: Site, tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_bytes(site.urlset("/1", 1))
    assert urlset.lint(tmp_path, rules=urlset.Rules(select=["HTTP"])).counts == {}


# --- the limits of single rules ----------------------------------------------------------------------------------


def answered(head: bytes = b"<?xm", **given: Any) -> list[str]:
    """Return what is found in an answer without a fault but for what is given."""
    fetch = Fetch(
        url="https://shop.example/sitemap.xml",
        final_url="https://shop.example/sitemap.xml",
        via="given",
        status=200,
        redirects=0,
        attempts=1,
        content_type="application/xml",
        content_encoding=None,
        etag='"1"',
        last_modified=None,
        bytes=100,
        wait=0.1,
        seconds=0.2,
        cache=None,
        saved=0,
        checked=None,
        sha256=None,
        error=None,
    )
    changed = replace(fetch, **given)
    return [each.code for each in check_answer(Judged(changed, "urlset", head), None, dict.fromkeys(CODES, "info"))]


def test_an_answer_is_slow_beyond_the_limit_and_not_at_it() -> None:
    assert answered() == []
    assert answered(wait=None) == []
    assert answered(wait=SLOW) == []
    assert answered(wait=SLOW + 0.001) == ["HTTP006"]


@pytest.mark.parametrize(
    ("given", "codes"),
    [
        ({"content_type": "application/gzip"}, []),
        ({"content_type": "application/octet-stream"}, []),
        ({}, ["HTTP002"]),
        ({"content_encoding": "gzip"}, []),
        ({"content_encoding": "x-gzip"}, []),
        ({"content_encoding": "identity"}, ["HTTP002"]),
        ({"content_encoding": "utf-8"}, ["HTTP002", "HTTP004"]),
        ({"content_encoding": "gzip", "content_type": "application/gzip"}, ["HTTP002"]),
    ],
)
def test_gzip_data_is_a_gzip_file_unless_it_was_compressed_on_the_way(given: dict[str, Any], codes: list[str]) -> None:
    assert answered(b"\x1f\x8b\x08\x00", **given) == codes


@pytest.mark.parametrize(
    ("given", "codes"),
    [
        ({"content_type": ""}, []),
        ({"content_type": ";"}, []),
        ({"content_type": "application/rss+xml;charset=UTF-8"}, []),
        ({"content_type": "text/xml; charset=us-ascii"}, []),
        ({"content_type": "text/xml; charset=windows-1251"}, ["HTTP003"]),
        ({"content_type": "text/html; charset=koi8-r"}, ["HTTP002", "HTTP003"]),
        ({"content_type": "application/json"}, ["HTTP002"]),
        ({"content_encoding": ""}, []),
        ({"content_encoding": "br"}, []),
        ({"content_encoding": "UTF-8"}, ["HTTP004"]),
        ({"content_encoding": "br, gzip"}, ["HTTP004"]),
        ({"content_encoding": "gzip, br"}, []),
        ({"content_encoding": "identity"}, []),
        ({"etag": None}, ["HTTP005"]),
        ({"etag": None, "last_modified": "Sun, 01 Feb 2026 12:00:00 GMT"}, []),
    ],
)
def test_headers_are_judged_by_what_they_mean(given: dict[str, Any], codes: list[str]) -> None:
    assert answered(**given) == codes
