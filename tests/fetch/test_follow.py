"""Following a site over HTTP: its entries, in order, and each failure with its reason."""

from __future__ import annotations

import gzip
import time
import zlib
from pathlib import Path

import brotli  # type: ignore[import-untyped]
import pytest
import urlset
import zstandard
from support.http_server import Answer, Handler, Site, closed_port, serve
from urlset import Http


def test_an_index_is_read_with_its_children_in_its_order(site: Site) -> None:
    def late(handler: Handler) -> Answer:
        time.sleep(0.3)
        return Answer(site.urlset("/first", 3))

    site.pages["/sitemap.xml"] = Answer(site.index("/1.xml", "/2.xml.gz", "/3.xml"))
    site.pages["/1.xml"] = late
    site.pages["/2.xml.gz"] = Answer(gzip.compress(site.urlset("/second", 3)))
    site.pages["/3.xml"] = Answer(site.urlset("/third", 3))
    entries = urlset.read(f"{site.url}/sitemap.xml")
    wanted = [f"{site.url}/{path}/{number}" for path in ("first", "second", "third") for number in range(3)]
    assert [entry.loc for entry in entries] == wanted
    assert [document.location for document in entries.documents] == [
        f"{site.url}/{name}" for name in ("sitemap.xml", "1.xml", "2.xml.gz", "3.xml")
    ]
    assert entries.completeness == "complete"


def test_children_are_fetched_at_the_same_time(site: Site) -> None:
    def late(handler: Handler) -> Answer:
        time.sleep(0.5)
        return Answer(site.urlset(handler.path, 1))

    names = [f"/{number}.xml" for number in range(8)]
    site.pages["/sitemap.xml"] = Answer(site.index(*names))
    site.pages.update(dict.fromkeys(names, late))
    begin = time.monotonic()
    entries = urlset.read(f"{site.url}/sitemap.xml", http=Http(concurrency=8, per_host=8))
    assert len(entries) == 8
    assert time.monotonic() - begin < 0.5 * 8 / 2


def test_no_more_children_of_a_host_are_fetched_at_once_than_allowed(site: Site) -> None:
    busy, most = 0, 0

    def counted(handler: Handler) -> Answer:
        nonlocal busy, most
        with site.lock:
            busy += 1
            most = max(most, busy)
        time.sleep(0.05)
        with site.lock:
            busy -= 1
        return Answer(site.urlset(handler.path, 1))

    names = [f"/{number}.xml" for number in range(12)]
    site.pages["/sitemap.xml"] = Answer(site.index(*names))
    site.pages.update(dict.fromkeys(names, counted))
    assert len(urlset.read(f"{site.url}/sitemap.xml", http=Http(concurrency=8, per_host=2))) == 12
    assert most == 2


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("br", brotli.compress),
        ("zstd", zstandard.compress),
        ("utf-8", bytes),  # what some servers say of a charset
        ("none", bytes),
    ],
)
def test_what_the_server_compresses_is_decompressed(site: Site, coding: str, pack: object) -> None:
    assert callable(pack)
    site.pages["/a.xml"] = Answer(pack(site.urlset("/a", 50)), headers={"Content-Encoding": coding})
    assert len(urlset.read(f"{site.url}/a.xml")) == 50


def test_a_gzipped_file_that_the_server_compresses_again_is_read(site: Site) -> None:
    twice = gzip.compress(gzip.compress(site.urlset("/a", 50)))
    site.pages["/a.xml.gz"] = Answer(twice, headers={"Content-Encoding": "gzip"})
    assert len(urlset.read(f"{site.url}/a.xml.gz")) == 50


def test_a_child_that_fails_is_a_failure_and_the_others_are_read(site: Site) -> None:
    site.pages["/sitemap.xml"] = Answer(site.index("/1.xml", "/gone.xml", "/3.xml"))
    site.pages["/1.xml"] = Answer(site.urlset("/1", 2))
    site.pages["/3.xml"] = Answer(site.urlset("/3", 2))
    with pytest.raises(urlset.FetchError, match=r"/gone\.xml: status 404") as raised:
        urlset.read(f"{site.url}/sitemap.xml", strict=True)
    assert raised.value.status == 404
    entries = urlset.read(f"{site.url}/sitemap.xml")
    assert len(entries) == 4
    assert [str(failure) for failure in entries.failures] == [f"{site.url}/gone.xml: status 404"]
    assert entries.completeness == "truncated"


def test_a_root_that_fails_is_raised_even_if_failures_are_collected(site: Site) -> None:
    with pytest.raises(urlset.FetchError, match="status 404"):
        urlset.read(f"{site.url}/nothing.xml")
    with pytest.raises(urlset.FetchError, match="no connection"):
        urlset.read(f"http://127.0.0.1:{closed_port()}/a.xml", http=Http(retries=0))


def test_relative_locs_are_resolved_against_the_url_after_redirects(site: Site) -> None:
    site.pages["/old.xml"] = Answer(status=301, headers={"Location": "/new/sitemap.xml"})
    site.pages["/new/sitemap.xml"] = Answer(b'<urlset xmlns="x"><url><loc>tea</loc></url></urlset>')
    scan = urlset.scan(f"{site.url}/old.xml")
    assert [entry.loc for entry in scan] == [f"{site.url}/new/tea"]
    [fetch] = scan.fetches
    assert (fetch.url, fetch.final_url) == (f"{site.url}/old.xml", f"{site.url}/new/sitemap.xml")
    assert (fetch.redirects, fetch.attempts, fetch.status, fetch.via) == (1, 2, 200, "given")


def test_every_fetch_is_recorded(site: Site) -> None:
    site.pages["/sitemap.xml"] = Answer(site.index("/1.xml", "/gone.xml"))
    body = gzip.compress(site.urlset("/1", 2))
    site.pages["/1.xml"] = Answer(body, headers={"Content-Type": "text/xml", "Content-Encoding": "gzip"})
    scan = urlset.scan(f"{site.url}/sitemap.xml")
    assert len(list(scan)) == 2
    fetches = {fetch.url.rpartition("/")[2]: fetch for fetch in scan.fetches}
    assert fetches.keys() == {"sitemap.xml", "1.xml", "gone.xml"}
    one, gone = fetches["1.xml"], fetches["gone.xml"]
    assert (one.via, one.bytes, one.content_type, one.content_encoding) == ("index", len(body), "text/xml", "gzip")
    assert one.error is None
    assert (gone.status, gone.bytes, gone.error) == (404, 0, f"{site.url}/gone.xml: status 404")


def test_an_index_that_lists_itself_and_a_child_twice_is_read_once(site: Site) -> None:
    site.pages["/sitemap.xml"] = Answer(site.index("/sitemap.xml", "/1.xml", "/1.xml"))
    site.pages["/1.xml"] = Answer(site.urlset("/1", 2))
    assert len(urlset.read(f"{site.url}/sitemap.xml")) == 2
    assert sorted(site.paths()) == ["/1.xml", "/sitemap.xml"]


def test_an_index_is_not_followed_if_nobody_wants_it(site: Site) -> None:
    site.pages["/sitemap.xml"] = Answer(site.index("/1.xml"))
    entries = urlset.read(f"{site.url}/sitemap.xml", follow=False)
    assert [entry.loc for entry in entries] == [f"{site.url}/1.xml"]
    assert site.paths() == ["/sitemap.xml"]


def test_a_scan_fetches_again_each_time(site: Site) -> None:
    site.pages["/a.xml"] = Answer(site.urlset("/a", 2))
    scan = urlset.scan(f"{site.url}/a.xml")
    assert len(list(scan)) == len(list(scan)) == 2
    assert site.paths() == ["/a.xml", "/a.xml"]


def test_lint_diff_and_stats_take_urls(site: Site) -> None:
    site.pages["/sitemap.xml"] = Answer(site.index("/1.xml", "/gone.xml"))
    site.pages["/1.xml"] = Answer(site.urlset("/1", 2))
    site.pages["/2.xml"] = Answer(site.urlset("/1", 3))
    report = urlset.lint(f"{site.url}/sitemap.xml", rules=urlset.Rules(select=["LOC"]))
    assert [str(failure) for failure in report.failures] == [f"{site.url}/gone.xml: status 404"]
    assert report.documents == (f"{site.url}/sitemap.xml", f"{site.url}/1.xml")
    with urlset.diff(f"{site.url}/1.xml", f"{site.url}/2.xml") as found:
        assert (found.added, found.removed, found.same) == (1, 0, 2)
    assert urlset.stats(f"{site.url}/sitemap.xml").entries == 2


def test_lint_compares_the_documents_of_a_set_that_was_fetched(site: Site) -> None:
    site.pages["/sitemap.xml"] = Answer(site.index("/1.xml", "/2.xml"))
    site.pages["/1.xml"] = Answer(gzip.compress(site.urlset("/a", 2)), headers={"Content-Encoding": "gzip"})
    site.pages["/2.xml"] = Answer(site.urlset("/a", 1))
    report = urlset.lint(f"{site.url}/sitemap.xml", rules=urlset.Rules(select=["IDX008"]))
    assert report.counts == {"IDX008": 1}


def test_a_file_and_a_url_can_be_read_as_one_set(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("https://shop.example/\n")
    site.pages["/b.xml"] = Answer(site.urlset("/b", 2))
    assert len(urlset.read([str(file), f"{site.url}/b.xml"])) == 3


# --- sites ---------------------------------------------------------------------------------------------------


def test_a_site_is_read_through_its_robots_txt(site: Site) -> None:
    site.pages["/robots.txt"] = Answer(f"User-agent: *\nDisallow:\nSitemap: {site.url}/a.xml\n".encode())
    site.pages["/a.xml"] = Answer(site.urlset("/a", 2))
    for url in (site.url, f"{site.url}/"):
        entries = urlset.read(url)
        assert len(entries) == 2
        assert [document.kind for document in entries.documents] == ["robots", "urlset"]


def test_a_site_whose_robots_txt_names_none_is_read_at_a_usual_name(site: Site) -> None:
    site.pages["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /search\n")
    site.pages["/sitemap.xml"] = Answer(b"<!-- x -->\n<!DOCTYPE html><html><p>Not found</html>")  # with status 200
    site.pages["/sitemap_index.xml"] = Answer(site.index("/1.xml"))
    site.pages["/1.xml"] = Answer(site.urlset("/1", 2))
    assert len(urlset.read(site.url)) == 2


@pytest.mark.parametrize("path", ["/robots.txt", "/sitemap.xml"])
def test_a_server_that_fails_for_now_does_not_make_another_sitemap_the_one_of_the_site(site: Site, path: str) -> None:
    site.pages["/sitemap_index.xml"] = Answer(site.urlset("/other", 1))
    site.pages[path] = Answer(status=503)
    with pytest.raises(urlset.FetchError, match="status 503"):
        urlset.read(site.url, http=urlset.Http(obey_robots=False, retries=0))


def test_a_site_without_a_sitemap_says_where_it_was_looked_for(site: Site) -> None:
    with pytest.raises(urlset.FetchError, match=r"no sitemap was found.*/sitemap\.xml \(404\).*name the URL"):
        urlset.read(site.url)


def test_a_site_that_is_down_is_not_a_site_without_a_sitemap() -> None:
    with pytest.raises(urlset.FetchError, match="no connection"):
        urlset.read(f"http://127.0.0.1:{closed_port()}", http=Http(retries=0))


def test_a_robots_txt_may_name_a_sitemap_on_another_host(site: Site) -> None:
    with serve("127.0.0.2") as other:
        other.pages["/a.xml"] = Answer(other.urlset("/a", 2))
        site.pages["/robots.txt"] = Answer(f"Sitemap: {other.url}/a.xml\n".encode())
        http = Http(private_addresses="always")
        assert len(urlset.read(site.url, http=http)) == 2
        with pytest.raises(urlset.FetchError, match="a host that the index may not lead to"):
            urlset.read(site.url, http=Http(private_addresses="always", hosts="domain"), strict=True)


def test_a_site_is_no_document_and_an_empty_path_is_a_slash(site: Site) -> None:
    site.pages["/robots.txt"] = Answer(f"Sitemap: {site.url}\n".encode())
    site.pages["/"] = Answer(site.urlset("/home", 2))
    for start in (site.url, f"{site.url}/"):
        entries = urlset.read(start)
        assert [entry.loc for entry in entries] == [f"{site.url}/home/0", f"{site.url}/home/1"]
        assert [document.kind for document in entries.documents] == ["robots", "urlset"]


@pytest.mark.parametrize(
    "robots",
    [
        "Sitemap:\n",
        "Sitemap: # none\n",
        "Sitemap: {url}/robots.txt\n",
        "Sitemap: /robots.txt\n",
        "Sitemap: {url}/a/../robots.txt#x\n",
    ],
)
def test_a_robots_txt_that_names_no_other_document_is_passed_over(site: Site, robots: str) -> None:
    site.pages["/robots.txt"] = Answer(robots.format(url=site.url).encode())
    site.pages["/sitemap.xml"] = Answer(site.urlset("/a", 2))
    assert len(urlset.read(site.url)) == 2


def test_an_index_that_names_only_itself_is_a_failure(site: Site) -> None:
    site.pages["/sitemap.xml"] = Answer(site.index("/sitemap.xml"))
    entries = urlset.read(f"{site.url}/sitemap.xml")
    assert list(entries) == []
    [failure] = entries.failures
    assert "names no sitemap but itself" in str(failure)
    site.pages["/sitemap.xml"] = Answer(site.index("/./sitemap.xml#top"))
    assert "names no sitemap but itself" in str(urlset.read(f"{site.url}/sitemap.xml").failures[0])
    assert site.paths() == ["/sitemap.xml", "/sitemap.xml"]
