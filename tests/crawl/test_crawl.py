"""A site to its pages: every page that links lead to, once, with what it says."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
import urlset
from support.crawl.linked_site import html, plant, tree
from support.http_server import Answer, Site, closed_port, serve
from urlset import Crawl, FetchError, Http, Page
from urlset._crawl import crawler

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def crawled(site: Site, path: str = "/", **options: object) -> dict[str, Page]:
    """Crawl a site, and return its pages by their path."""
    with urlset.crawl(site.url + path, now=NOW, **options) as found:  # type: ignore[arg-type]
        return {page.loc.removeprefix(site.url): page for page in found}


def clicks(links: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the fewest clicks to each page from the first one."""
    found, waiting = {"/": 0}, deque(["/"])
    while waiting:
        path = waiting.popleft()
        for target in links[path]:
            if target not in found:
                found[target] = found[path] + 1
                waiting.append(target)
    return found


def test_each_page_is_asked_for_once_and_has_its_depth(site: Site) -> None:
    links = tree(4, 3)
    links["/a0/"].append("/d0/a1/b2/")  # a short way to a deep page
    plant(site, links)
    found = crawled(site)
    assert {path: page.depth for path, page in found.items()} == clicks(links)
    assert sorted(site.paths()) == sorted(links)
    assert all(page.status == 200 for page in found.values())


def test_a_page_is_described(site: Site) -> None:
    site.pages["/"] = html(
        "/a",
        head=(
            "<link rel=canonical href=/><meta name=robots content='max-snippet:3'>"
            "<link rel=alternate hreflang=de href=/de>"
            "<meta property=article:modified_time content=2026-01-02T00:00:00Z>"
        ),
        text="green tea <img src=/a.png>",
        headers={"ETag": '"1"', "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT", "X-Robots-Tag": "bingbot: noindex"},
    )
    page = crawled(site)["/"]
    assert (page.title, page.language, page.status, page.depth) == ("Tea", "en", 200, 0)
    assert (page.canonicals, page.header_canonicals) == ((f"{site.url}/",), ())
    assert (page.robots, page.is_noindex) == (("robots: max-snippet:3", "bingbot: noindex"), False)
    assert (page.hreflang, page.images) == ((("de", f"{site.url}/de"),), (f"{site.url}/a.png",))
    assert (page.last_modified, page.modified) == (datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC))
    assert (page.etag, page.bytes, page.words) == ('"1"', len(site.pages["/"].body), 3)  # type: ignore[union-attr]


def test_statuses_and_redirects_are_rows(site: Site) -> None:
    site.pages["/"] = html("/moved", "/gone", "/missing", "/broken", "/kept-out")
    site.pages["/moved"] = Answer(status=301, headers={"Location": "/here"})
    site.pages["/here"] = html("/deeper")
    site.pages["/deeper"] = html()
    site.pages["/gone"] = Answer(b"", 410)
    site.pages["/broken"] = Answer(b"", 500)
    site.pages["/kept-out"] = Answer(b"", 403)
    found = crawled(site, http=Http(retries=0))
    assert {path: (page.status, page.depth) for path, page in found.items()} == {
        "/": (200, 0),
        "/moved": (200, 1),
        "/gone": (410, 1),
        "/missing": (404, 1),
        "/broken": (500, 1),
        "/kept-out": (403, 1),
        "/here": (200, 1),
        "/deeper": (200, 2),
    }
    assert (found["/moved"].final_url, found["/moved"].hops) == (f"{site.url}/here", ((f"{site.url}/moved", 301),))
    assert found["/kept-out"].refused == "bot challenge"


def test_a_strict_crawl_stops_at_the_first_page_that_proves_nothing(site: Site, tmp_path: Path) -> None:
    """And goes on there when it is started again. Statuses of pages and their robots.txt are answers."""
    site.pages["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /private")
    site.pages["/"] = html("/private", "/gone", "/broken", "/a")
    site.pages["/gone"] = Answer(b"", 410)
    site.pages["/broken"] = Answer(b"", 500)
    site.pages["/a"] = html("/sealed")
    site.pages["/sealed"] = Answer(b"", 403)
    options: dict[str, Any] = {"state": tmp_path / "site.duckdb", "http": Http(retries=0)}
    with pytest.raises(FetchError, match="/sealed: ") as failed:
        crawled(site, strict=True, **options)
    assert failed.value.status == 403
    asked = len(site.paths())
    site.pages["/sealed"] = html("/behind")
    site.pages["/behind"] = html()
    found = crawled(site, strict=True, **options)
    assert found.keys() == {"/", "/private", "/gone", "/broken", "/a", "/sealed", "/behind"}
    assert [path for path in site.paths()[asked:] if path != "/robots.txt"] == ["/sealed", "/behind"]


def test_links_to_other_hosts_are_known_and_not_followed(site: Site, tmp_path: Path) -> None:
    with serve("127.0.0.2") as other:
        site.pages["/"] = html("/a", f"{other.url}/b", "mailto:a@b.example", head="<link rel=canonical href=/c>")
        site.pages["/a"] = html("/")
        with urlset.crawl(site.url, state=tmp_path / "a.duckdb") as found:
            assert [page.loc for page in found] == [f"{site.url}/", f"{site.url}/a"]
        assert other.requests == []
        with duckdb.connect(str(tmp_path / "a.duckdb"), read_only=True) as connection:
            links = connection.execute("SELECT source, target, kind FROM links ORDER BY ALL").fetchall()
        assert links == sorted(
            [
                (f"{site.url}/", f"{site.url}/a", "a"),
                (f"{site.url}/", f"{other.url}/b", "a"),
                (f"{site.url}/", f"{site.url}/c", "canonical"),
                (f"{site.url}/a", f"{site.url}/", "a"),
            ]
        )


def test_nofollow_and_robots_are_obeyed_unless_they_are_ignored(site: Site) -> None:
    site.pages["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /private")
    home = html("/private", "/sealed").body + b"<a href=/ugc rel='ugc nofollow'>"
    site.pages["/"] = Answer(home, headers={"Content-Type": "text/html"})
    site.pages["/sealed"] = html("/behind", head="<meta name=robots content=nofollow>")
    site.pages["/private"] = html()
    site.pages["/behind"] = html()
    polite = crawled(site)
    assert polite.keys() == {"/", "/private", "/sealed"}
    assert (polite["/private"].refused, polite["/private"].status) == ("robots", None)
    assert crawled(site, http=Http(obey_robots=False)).keys() == {"/", "/private", "/sealed", "/behind", "/ugc"}


def test_what_is_no_page_is_a_row_without_links(site: Site) -> None:
    site.pages["/"] = html("/a.pdf")
    site.pages["/a.pdf"] = Answer(b"%PDF <a href=/b>", headers={"Content-Type": "application/pdf"})
    found = crawled(site)
    assert found.keys() == {"/", "/a.pdf"}
    assert (found["/a.pdf"].content_type, found["/a.pdf"].content_hash) == ("application/pdf", None)


def test_a_page_that_needs_a_browser_is_said_to_be_so(site: Site) -> None:
    shell = b"<!doctype html><title>Shop</title><div id=root></div><script src=/app.js></script>"
    site.pages["/"] = Answer(shell, headers={"Content-Type": "text/html"})
    with urlset.crawl(site.url) as found:
        [page] = found
        assert "script" in str(page.needs_browser)
        assert found.needs_browser == 1


def test_bounds_end_a_crawl_and_are_named(site: Site) -> None:
    plant(site, tree(3, 3))
    with urlset.crawl(site.url, max_pages=7) as found:
        assert (found.pages, found.state, found.is_complete) == (7, "bounded", False)
        assert found.reason == "the run has requested 7 pages (max_pages, --max-pages)"
    with urlset.crawl(site.url, max_clicks=1) as found:
        assert (found.pages, found.state) == (4, "bounded")
        assert "beyond 1 clicks" in str(found.reason)
    with urlset.crawl(site.url, http=Http(max_bytes=1_000)) as found:
        assert found.state == "bounded"
        assert "max_bytes" in str(found.reason)
        assert 1 < found.pages < 40
    with urlset.crawl(site.url) as found:
        assert (found.pages, found.state, found.is_complete) == (40, "complete", True)


def test_a_site_that_cannot_be_reached_is_an_error(site: Site) -> None:
    with pytest.raises(urlset.FetchError, match="status 404"):
        urlset.crawl(f"{site.url}/missing")
    with pytest.raises(urlset.FetchError, match="no connection"):
        urlset.crawl(f"http://127.0.0.1:{closed_port()}/", http=Http(retries=0, obey_robots=False))
    for wrong in ("shop.example", "ftp://shop.example/", ""):
        with pytest.raises(urlset.InputError, match="absolute"):
            urlset.crawl(wrong)
    with pytest.raises(urlset.InputError, match="max_pages"):
        urlset.crawl(site.url, max_pages=0)


def test_a_site_may_begin_with_a_redirect_to_its_other_host(site: Site) -> None:
    with serve("127.0.0.2") as other:
        site.pages["/"] = Answer(status=301, headers={"Location": f"{other.url}/"})
        plant(other, {"/": ["/a"], "/a": []})
        with urlset.crawl(site.url, http=Http(private_addresses="always")) as found:
            assert [page.loc for page in found] == [f"{site.url}/", f"{other.url}/", f"{other.url}/a"]


def test_rows_are_what_belongs_into_a_sitemap(site: Site, tmp_path: Path) -> None:
    site.pages["/"] = html("/a", "/noindex", "/copy", "/moved", "/missing", "/b", "/fresh", "/a.pdf")
    site.pages["/a"] = html(head="<meta property=article:modified_time content=2026-01-02T00:00:00Z>")
    site.pages["/b"] = html(
        head="<link rel=canonical href=/b>", headers={"Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT"}
    )
    site.pages["/fresh"] = html(headers={"Last-Modified": datetime.now(UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")})
    site.pages["/noindex"] = html(headers={"X-Robots-Tag": "noindex"})
    site.pages["/copy"] = html(head="<link rel=canonical href=/a>")
    site.pages["/moved"] = Answer(status=302, headers={"Location": "/a"})
    site.pages["/a.pdf"] = Answer(b"%PDF", headers={"Content-Type": "application/pdf"})
    with urlset.crawl(site.url) as found:
        assert list(found.rows()) == [
            {"loc": f"{site.url}/", "lastmod": None},
            {"loc": f"{site.url}/a", "lastmod": "2026-01-02T00:00:00Z"},
            {"loc": f"{site.url}/b", "lastmod": "2026-01-01T00:00:00Z"},
            {"loc": f"{site.url}/fresh", "lastmod": None},
        ]
        urlset.publish(found.rows(), tmp_path, base_url=site.url)
    assert [entry.loc for entry in urlset.read(tmp_path / "sitemap.xml")] == [
        f"{site.url}{path}" for path in ("/", "/a", "/b", "/fresh")
    ]


@pytest.mark.parametrize(("bound", "most"), [("_MAX_CANDIDATES", 20), ("_MAX_BYTES", 1_200)])
def test_pages_of_many_links_are_written_before_they_take_much_memory(
    site: Site, monkeypatch: pytest.MonkeyPatch, bound: str, most: int
) -> None:
    monkeypatch.setattr(crawler, "_SECONDS", math.inf)
    monkeypatch.setattr(crawler, bound, most)
    children = [f"/{name}" for name in "abcdef"]
    site.pages["/"] = html(*children)
    for path in children:
        site.pages[path] = html(*(f"{path}/{number}" for number in range(9)))
    writes: list[int] = []
    written = crawler.Crawler.flush

    def flush(self: crawler.Crawler) -> None:
        writes.append(self.asked)
        written(self)

    monkeypatch.setattr(crawler.Crawler, "flush", flush)
    told: list[urlset.Progress] = []
    with urlset.crawl(site.url, max_clicks=1, progress=told.append) as found:
        assert (found.pages, found.state) == (7, "bounded")
    known = [1, *[7] * 6]
    assert told == [urlset.Progress("pages", done, total) for done, total in enumerate(known, 1)]
    assert len(writes) == 5  # one for each depth, and one each time that three pages have 27 links


def test_the_pages_are_a_table(site: Site) -> None:
    plant(site, tree(2, 2))
    with urlset.crawl(site.url) as found:
        table = found.to_arrow()
        assert table.num_rows == len(found) == 7
        assert table.column_names == list(Page.__dataclass_fields__)
        assert table["loc"].to_pylist() == [page.loc for page in found]
        assert table["fetched"].to_pylist() == [page.fetched for page in found]
    assert isinstance(found, Crawl)
    with pytest.raises(urlset.InputError, match="closed"):
        list(found)


def test_runs_are_kept(site: Site, tmp_path: Path) -> None:
    plant(site, tree(2, 1))
    for number in (1, 2):
        with urlset.crawl(site.url, state=tmp_path / "a.duckdb") as found:
            assert (found.run, len(found)) == (number, 3)
    with pytest.raises(urlset.InputError, match="is about"):
        urlset.crawl("https://other.example/", state=tmp_path / "a.duckdb")
