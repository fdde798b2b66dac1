"""What is read besides sitemaps in XML: feeds, text lists and robots.txt, and how each is recognised."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.reading import cut, index_of, lay, locs, outcome, urlset_of
from urlset import Diagnostic, FetchError, Image, NotASitemapError, SitemapEntry, UrlEntry, Video

HOST = "https://a.example/"
ONE, TWO, THREE = HOST + "1", HOST + "2", HOST + "3"

TEXT = f"{ONE}\n{TWO}\n"
ROBOTS = f"User-agent: *\nDisallow: /basket\nSitemap: {HOST}sitemap.xml\n"
RSS = f"""<?xml version="1.0"?>
<rss version="2.0"><channel><title>Tea</title><link>{HOST}</link>
<item><title>One</title><link>{ONE}</link><pubDate>Sat, 31 Jan 2026 09:00:00 +0100</pubDate></item>
<item><link>{TWO}</link></item>
</channel></rss>
"""
RDF = f"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><link>{HOST}</link></channel>
<item><link>{ONE}</link><dc:date>2026-01-31T08:00:00Z</dc:date></item><item><link>{TWO}</link></item></rdf:RDF>
"""
ATOM = f"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="{HOST}"/><updated>2026-02-01T00:00:00Z</updated>
<entry><link rel="self" href="{THREE}"/><link href="{ONE}"/><updated>2026-01-31T08:00:00Z</updated></entry>
<entry><link rel="alternate" href="{TWO}"/></entry></feed>
"""
ATOM_03 = ATOM.replace("http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#").replace("updated", "modified")

FORMATS = {"text": TEXT, "rss": RSS, "atom": ATOM, "robots": ROBOTS}


def places(diagnostics: tuple[Diagnostic, ...]) -> list[tuple[str, int, int]]:
    """What was found, and where."""
    return [(found.code, found.line, found.column) for found in diagnostics]


# --- what it is ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", ["sitemap.xml", "sitemap.xml.gz", "list.txt", "feed", "robots.txt"])
def test_the_content_decides_and_not_the_name(tmp_path: Path, kind: str, name: str) -> None:
    for data in (FORMATS[kind].encode(), gzip.compress(FORMATS[kind].encode()), FORMATS[kind].encode("utf-16")):
        (tmp_path / name).write_bytes(data)
        [document] = urlset.read(tmp_path / name, follow=False).documents
        assert (document.kind, document.completeness) == (kind, "complete")
        assert document.rows == (1 if kind == "robots" else 2)


@pytest.mark.parametrize("kind", FORMATS)
def test_the_result_does_not_depend_on_how_the_source_is_passed(kind: str) -> None:
    data = FORMATS[kind].replace("\n", "\r\n").encode()
    whole = outcome(data)
    for size in (1, 2, 7, 100):
        assert outcome(cut(data, range(0, len(data), size))).telling == whole.telling


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("<!DOCTYPE html><html></html>", "an HTML page"),
        ("<html><head><title>404</title></head></html>", "an HTML page"),
        (f"<html><body><urlset><url><loc>{ONE}</loc></url></urlset></body></html>", "an HTML page"),
        ('{"urls": []}', "it is JSON"),
        ("no URL in it", "neither XML nor a list of URLs nor a robots.txt"),
        ("# User-agent: *\n", "nothing but comments; if it is a robots.txt, its location has to say so"),
        ("www.a.example/1\n/2\n", "URLs without a scheme"),
        ("- https://a.example/1\n", "no line begins with a URL"),
        ("\0\0\0", "nothing but NUL bytes"),
        ("%PDF-1.7\n", "a PDF document"),
        ("PK\3\4", "a ZIP archive"),
        ("GIF89a", "a GIF image"),
        ("<opml version='2.0'></opml>", "its root is `<opml>`"),
        ("", "it is empty"),
        (" \r\n", "it is empty"),
    ],
)
def test_documents_that_only_resemble_a_format_are_refused(data: str, says: str) -> None:
    with pytest.raises(NotASitemapError, match=says):
        urlset.parse(data.encode())


# --- text lists ---------------------------------------------------------------------------------------------


def test_a_text_list_has_a_url_a_line() -> None:
    document = urlset.parse(TEXT.encode(), location="list.txt")
    assert list(document) == [UrlEntry(ONE), UrlEntry(TWO)]
    assert [(entry.document, entry.line) for entry in document] == [("list.txt", 1), ("list.txt", 2)]
    assert (document.counts, document.bytes) == ({}, len(TEXT))


def test_oddities_of_a_text_list_are_reported() -> None:
    text = f"\ufeff{ONE}\r\n\r\n  {TWO}\r\n# pages\r\n/about\r\n{THREE} {ONE}\r\nHTTPS://A.EXAMPLE/4"
    document = urlset.parse(text.encode())
    assert locs(document) == [ONE, TWO, THREE, ONE, "HTTPS://A.EXAMPLE/4"]
    assert [entry.line for entry in document] == [1, 3, 6, 6, 7]
    expected = [("TXT003", 2, 1), ("TXT001", 4, 1), ("TXT001", 5, 1), ("TXT001", 6, 1)]
    assert places(document.diagnostics) == expected
    # That one page stands there twice only lint says.
    assert places(urlset.lint(text.encode()).diagnostics) == [*expected, ("LOC014", 6, 21)]
    assert (document.counts, document.completeness) == ({"TXT001": 3, "TXT003": 1}, "complete")


# --- feeds --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "kind", "odd"),
    [
        (RSS, "rss", []),
        (RSS.replace("2.0", "0.92"), "rss", [("FEED001", 2, 1)]),
        (RDF, "rss", [("FEED001", 1, 1)]),
        (ATOM, "atom", []),
        (ATOM_03, "atom", []),
    ],
)
def test_the_items_of_a_feed_are_entries(data: str, kind: str, odd: list[tuple[str, int, int]]) -> None:
    document = urlset.parse(data.encode())
    assert (document.kind, document.completeness, document.extensions) == (kind, "complete", {})
    assert locs(document) == [ONE, TWO]
    first, second = document
    assert isinstance(first, UrlEntry)
    assert (first.lastmod, second.lastmod) == (datetime(2026, 1, 31, 8, tzinfo=UTC), None)
    # As it was written, whatever that is.
    assert first.lastmod_raw in ("Sat, 31 Jan 2026 09:00:00 +0100", "2026-01-31T08:00:00Z")
    assert [entry.line for entry in document] == ([3, 4] if data.startswith("<?xml") else [first.line, second.line])
    assert places(document.diagnostics) == odd


def test_an_item_without_a_link_may_have_an_id_that_is_one() -> None:
    items = (
        f"<item><guid>{ONE}</guid></item>\n<item><guid isPermaLink='false'>{TWO}</guid></item>\n<item><link/></item>"
    )
    document = urlset.parse(f"<rss version='2.0'><channel>\n{items}\n</channel></rss>".encode())
    assert locs(document) == [ONE, None, None]
    assert places(document.diagnostics) == [("FEED002", 2, 1), ("FEED002", 3, 1), ("FEED002", 4, 1)]
    entries = f"<entry><id>{ONE}</id></entry><entry><id>urn:uuid:7</id></entry>"
    document = urlset.parse(f"<feed xmlns='http://www.w3.org/2005/Atom'>{entries}</feed>".encode())
    assert locs(document) == [ONE, None]
    assert document.counts == {"FEED002": 2}


@pytest.mark.parametrize(
    ("written", "instant", "is_right"),
    [
        ("31 Jan 2026 08:00 GMT", datetime(2026, 1, 31, 8, tzinfo=UTC), True),
        ("Sat, 31 Jan 26 08:00:00 EST", datetime(2026, 1, 31, 13, tzinfo=UTC), True),
        ("2026-01-31T08:00:00Z", datetime(2026, 1, 31, 8, tzinfo=UTC), False),
        ("2026-01-31", datetime(2026, 1, 31, tzinfo=UTC), False),
        ("yesterday", None, False),
    ],
)
def test_dates_of_rss(written: str, instant: datetime | None, is_right: bool) -> None:
    data = f"<rss version='2.0'><channel><item><link>{ONE}</link><pubDate>{written}</pubDate></item></channel></rss>"
    document = urlset.parse(data.encode())
    [entry] = document
    assert (entry.lastmod, entry.lastmod_raw) == (instant, written)
    assert document.counts == ({} if is_right else {"FEED003": 1})


def test_media_of_an_item() -> None:
    item = (
        f"<item><link>{ONE}</link><m:content url='{HOST}i.png' medium='image'><m:title>A</m:title></m:content>"
        f"<enclosure url='{HOST}e.jpg' type='image/jpeg' length='1'/><enclosure url='{HOST}e.mp3' type='audio/mpeg'/>"
        f"<m:content url='{HOST}v.mp4' type='video/mp4' duration='60'><m:player url='{HOST}p'/><m:title>V</m:title>"
        f"<m:thumbnail url='{HOST}t.png'/></m:content></item>"
    )
    head = '<rss version="2.0" xmlns:m="http://search.yahoo.com/mrss/"><channel>'
    [entry] = urlset.parse(f"{head}{item}</channel></rss>".encode())
    assert isinstance(entry, UrlEntry)
    assert [image.loc for image in entry.images] == [HOST + "i.png", HOST + "e.jpg"]
    assert entry.images[0] == Image(HOST + "i.png", title="A")
    [video] = entry.videos
    assert video == Video(HOST + "t.png", "V", content_loc=HOST + "v.mp4", player_loc=HOST + "p", duration="60")


def test_a_broken_feed_is_recovered() -> None:
    item = f"<item><link>{HOST}?a=1&b=2</link><item><link>{TWO}</link></item></channel></rss>"
    document = urlset.parse(f"<rss version='2.0'><channel>{item}".encode())
    assert locs(document) == [HOST + "?a=1&b=2", TWO]
    assert (document.kind, document.completeness, document.counts) == ("rss", "recovered", {"XML001": 1, "XML005": 1})
    cut_off = urlset.parse(RSS.partition("<item><link>")[0].encode())
    assert (locs(cut_off), cut_off.completeness) == ([ONE], "truncated")


# --- robots.txt ---------------------------------------------------------------------------------------------


def test_robots_txt_lists_sitemaps() -> None:
    text = f"# ours\nUSER-AGENT: *\nsitemap:{ONE}.xml # the main one\nSiteMap : {TWO}.xml\nDisallow: {THREE}\n"
    document = urlset.parse(text.encode())
    assert list(document) == [SitemapEntry(ONE + ".xml"), SitemapEntry(TWO + ".xml")]
    assert [entry.line for entry in document] == [3, 4]
    assert (document.kind, document.completeness, document.counts) == ("robots", "complete", {})


def test_lines_that_only_a_lenient_parser_accepts_are_reported() -> None:
    text = f"User-agent: *\nSite-map: {ONE}.xml\nSitemap {TWO}.xml\nSitemap: /3.xml\nSitemap:\n"
    document = urlset.parse(text.encode(), location=HOST + "robots.txt")
    assert locs(document) == [ONE + ".xml", TWO + ".xml", THREE + ".xml"]
    assert places(document.diagnostics) == [("ROB002", line, 1) for line in (2, 3, 4, 5)]


def test_robots_txt_without_a_sitemap_is_one_all_the_same() -> None:
    document = urlset.parse(b"User-agent: *\nDisallow:\n")
    assert (document.kind, document.rows, document.completeness) == ("robots", 0, "complete")


def test_robots_txt_on_disk_leads_to_the_sitemap_in_its_folder(tmp_path: Path) -> None:
    lay(tmp_path, sitemap=index_of(HOST + "a.xml"), a=urlset_of(ONE, TWO))
    (tmp_path / "robots.txt").write_text(ROBOTS)
    (tmp_path / "list.txt").write_text(THREE)
    entries = urlset.read(tmp_path / "robots.txt")
    assert locs(entries) == [ONE, TWO]
    assert [document.kind for document in entries.documents] == ["robots", "sitemapindex", "urlset"]
    assert [len(document) for document in entries.documents] == [0, 0, 2]
    (tmp_path / "robots.txt").write_text(ROBOTS + f"Sitemap: {HOST}deep/list.txt\nSitemap: {HOST}gone.xml\n")
    with pytest.raises(
        FetchError, match=r"robots\.txt:5: the child https://a\.example/gone\.xml was not found in the same folder"
    ):
        urlset.read(tmp_path / "robots.txt", strict=True)
    entries = urlset.read(tmp_path / "robots.txt")
    assert sorted(filter(None, locs(entries))) == [ONE, TWO, THREE]
    assert (len(entries.failures), entries.completeness) == (1, "truncated")
    alone = urlset.read(tmp_path / "robots.txt", follow=False)
    assert locs(alone) == [HOST + name for name in ("sitemap.xml", "deep/list.txt", "gone.xml")]


def test_robots_txt_that_lists_itself_ends(tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_text(f"Sitemap: {HOST}robots.txt\nSitemap: {HOST}a.xml\n")
    lay(tmp_path, a=urlset_of(ONE))
    entries = urlset.read(tmp_path / "robots.txt")
    assert (locs(entries), len(entries.documents)) == ([ONE], 2)


def test_robots_txt_is_checked_with_the_sitemaps_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_text(ROBOTS)
    lay(tmp_path, sitemap=urlset_of(ONE, "/about"))
    report = urlset.lint(tmp_path / "robots.txt")
    assert [Path(document).name for document in report.documents] == ["robots.txt", "sitemap.xml"]
    assert (report.counts, report.entries) == ({"LOC002": 1}, 2)


# --- checked ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [TEXT, RSS, ATOM, ATOM_03, ROBOTS], ids=["text", "rss", "atom", "atom 0.3", "robots"])
def test_valid_documents_have_no_findings(data: str) -> None:
    assert urlset.lint(data.encode(), location=HOST + "sitemap.xml").diagnostics == ()


@pytest.mark.parametrize("source", ["text", "rss", "atom", "robots"])
def test_lint_and_read_say_the_same_of_values(source: str) -> None:
    broken: dict[str, Any] = {
        "text": "https://a.example/1\n\n/2\n",
        "rss": RSS.replace("Sat, 31", "Sat, 32").replace(f"<link>{TWO}</link>", ""),
        "atom": ATOM.replace("01-31T", "01-32T").replace(f'href="{TWO}"', ""),
        "robots": ROBOTS.replace("Sitemap: https://a.example", "Site-map: "),
    }
    data = broken[source].encode()
    assert places(urlset.lint(data).diagnostics) == places(urlset.parse(data).diagnostics) != []


@pytest.mark.parametrize("blanks", ["", " ", " \t" * 40])
@pytest.mark.parametrize(("end", "expected"), [(512_000, []), (512_001, ["ROB005"])])
def test_a_sitemap_line_counts_if_its_url_ends_in_the_first_500_kib(blanks: str, end: int, expected: list[str]) -> None:
    head, line = "User-agent: *\n", f"{blanks}Sitemap: {HOST}sitemap.xml"
    comment = "#" * (end - len(head) - len(line) - 1) + "\n"
    found = outcome((head + comment + line + blanks + "\n").encode()).diagnostics
    assert [each.code for each in found] == expected
    assert [(each.line, each.column) for each in found] == [(3, len(blanks) + 1)] * len(expected)
