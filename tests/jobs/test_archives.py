"""Web archives: the sitemaps and robots.txt files in them are the documents, whatever else they hold."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import urlset
from support.warc import archive, chunked, record, response
from urlset.jobs import plan_partitions, scan_partition

SITEMAP = b"""<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://shop.example/tea</loc></url><url><loc>/pot</loc></url></urlset>"""
ROBOTS = b"User-agent: *\nDisallow: /cart\nSitemap: https://shop.example/sitemap.xml\n"
PAGE = b"<!doctype html><html><body><a href='https://shop.example/'>tea</a></body></html>"
SHOP = "https://shop.example"

CRAWL = [
    record("warcinfo", "", b"software: a crawler\r\n"),
    record("request", f"{SHOP}/sitemap.xml", b"GET /sitemap.xml HTTP/1.1\r\nHost: shop.example\r\n\r\n"),
    response(f"{SHOP}/sitemap.xml", SITEMAP, Content_Type="application/xml"),
    response(f"{SHOP}/", PAGE, Content_Type="text/html"),
    response(f"{SHOP}/robots.txt", ROBOTS),
    response(f"{SHOP}/sitemap-old.xml", PAGE, "404 Not Found"),
    response(f"{SHOP}/map", gzip.compress(SITEMAP), Content_Encoding="gzip"),
    response(f"{SHOP}/list", chunked(SITEMAP), Transfer_Encoding="chunked"),
    response(f"{SHOP}/said-to-be", SITEMAP, Transfer_Encoding="chunked", Content_Encoding="gzip"),
    response(f"{SHOP}/sitemap-broken.xml", PAGE),
    response(f"{SHOP}/files/sitemap.xml.gz", gzip.compress(SITEMAP)),
]


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(archive(CRAWL))
    return path


def test_sitemaps_and_robots_are_its_documents(crawl: Path) -> None:
    scan = scan_partition([str(crawl)])
    rows = [(entry.document, entry.kind, entry.loc) for entry in scan]
    pages = [f"{SHOP}/tea", f"{SHOP}/pot"]
    whole = [f"{SHOP}/{name}" for name in ("sitemap.xml", "map", "list", "said-to-be", "files/sitemap.xml.gz")]
    assert [row for row in rows if row[1] == "robots"] == [(f"{SHOP}/robots.txt", "robots", f"{SHOP}/sitemap.xml")]
    assert [(document, loc) for document, kind, loc in rows if kind == "urlset" and document in whole] == [
        (document, loc) for document in whole for loc in pages
    ]


def test_what_is_called_a_sitemap_and_is_none_is_reported(crawl: Path) -> None:
    scan = scan_partition([str(crawl)], columns=[])
    assert len(scan.collect()) == 11, scan.failures
    [broken] = [outcome for outcome in scan.outcomes if outcome.errors]
    assert broken.location == f"{SHOP}/sitemap-broken.xml"
    assert isinstance(broken.errors[0], urlset.NotASitemapError)


def test_it_is_planned_as_a_part_of_its_own(crawl: Path) -> None:
    (crawl.parent / "a.txt").write_text(f"{SHOP}/a\n")
    (crawl.parent / "z.txt").write_text(f"{SHOP}/z\n")
    parts = plan_partitions([crawl.parent / "a.txt", crawl, crawl.parent / "z.txt"])
    assert [[Path(each.path).name for each in part.documents] for part in parts] == [
        ["a.txt"],
        ["crawl.warc.gz"],
        ["z.txt"],
    ]
    assert [part.follow for part in parts] == [True, False, True]
    assert sum(len(scan_partition(part).collect()) for part in parts) == 13


def test_one_that_is_cut_off_gives_what_comes_before(crawl: Path) -> None:
    crawl.write_bytes(crawl.read_bytes()[:-40])
    scan = scan_partition([str(crawl)])
    assert len(scan.collect()) >= 9
    with pytest.raises(urlset.UrlsetError):
        scan_partition([str(crawl), str(crawl.parent / "missing.warc.gz")], strict=True).collect()


def test_one_that_is_missing_or_not_an_archive_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "page.warc").write_bytes(PAGE)
    scan = scan_partition([str(tmp_path / "missing.warc.gz"), str(tmp_path / "page.warc")])
    assert len(scan.collect()) == 0
    assert [len(outcome.errors) for outcome in scan.outcomes] == [1, 1]
    assert "No such file" in str(scan.failures[0])


def test_a_payload_beyond_the_budget_is_reported(crawl: Path) -> None:
    scan = scan_partition([str(crawl)], budget=urlset.Budget(wire_bytes=100))
    scan.collect()
    assert {type(error) for outcome in scan.outcomes for error in outcome.errors} >= {urlset.LimitError}
