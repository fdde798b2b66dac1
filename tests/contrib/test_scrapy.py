"""The spider base for Scrapy, in real crawls of a site on loopback."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.http_server import NAMESPACE, Answer, Site, serve
from urlset import Filter, InputError
from urlset.contrib.scrapy import SitemapSpider

TESTS = Path(__file__).parents[1]
PAGE = Answer(b"<!doctype html><p>a page", headers={"Content-Type": "text/html"})


def fill(site: Site) -> None:
    """Make a shop whose sitemaps are odd in the ways that sitemaps are odd."""
    site.pages["/robots.txt"] = Answer(f"User-agent: *\nDisallow: /private/\nSitemap: {site.url}/map\n".encode())
    # An index without a suffix, served as a page.
    index = site.index("/shop.xml?page=1", "/blog.xml.gz", "/gone.xml", "/page.xml", "/old.xml")
    index = index.replace(b"/old.xml</loc>", b"/old.xml</loc><lastmod>2020-01-01</lastmod>")
    site.pages["/map"] = Answer(index, headers={"Content-Type": "text/html"})
    site.pages["/shop.xml?page=1"] = Answer(
        # Broken: a raw ampersand.
        f"""<urlset xmlns="{NAMESPACE}" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
        xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>{site.url}/tea?a=1&b=2</loc>
        <lastmod>2026-11-20</lastmod><priority>0.5</priority>
        <image:image><image:loc>{site.url}/tea.jpg</image:loc></image:image>
        <xhtml:link rel="alternate" hreflang="de" href="{site.url}/de/tee"/></url>
        <url><loc>/relative</loc></url><url><loc>{site.url}/private/x</loc></url></urlset>""".encode()
    )
    site.pages["/blog.xml.gz"] = Answer(
        gzip.compress(gzip.compress(f"{site.url}/blog/1\n{site.url}/blog/2\n".encode()))
    )
    site.pages["/page.xml"] = PAGE
    site.pages["/old.xml"] = Answer(site.urlset("/old", 3))
    for path in ("/tea?a=1&b=2", "/relative", "/blog/1", "/blog/2", "/de/tee", *(f"/old/{n}" for n in range(3))):
        site.pages[path] = PAGE


def fill_names(site: Site) -> None:
    """Make a site that has a sitemap at the second usual name, and at the first a page that says "not found"."""
    site.pages["/sitemap.xml"] = PAGE
    site.pages["/sitemap_index.xml"] = Answer(site.urlset("/a", 1))
    site.pages["/a/0"] = PAGE


def fill_planned(site: Site) -> None:
    """Make a site of five pages."""
    site.pages["/sitemap.xml"] = Answer(site.urlset("/a", 5))
    for number in range(5):
        site.pages[f"/a/{number}"] = PAGE


@dataclass
class Crawled:
    """A crawl of a site of its own."""

    site: Site
    found: dict[str, Any]

    @property
    def items(self) -> dict[str, Any]:
        """The items by the path of their page."""
        return {item["url"].removeprefix(self.site.url): item for item in self.found["items"]}


#: The crawls of these tests: what is at the site, the path where the spider begins, its attributes, and a filter.
CRAWLS: dict[str, tuple[Callable[[Site], None], str, dict[str, Any], dict[str, Any] | None]] = {
    "all": (fill, "", {}, None),
    "attributes": (
        fill,
        "/map",
        {
            "sitemap_rules": [["/blog/", "parse_blog"], ["/(tea|de)", "parse"]],
            "sitemap_follow": ["shop", "blog"],
            "sitemap_alternate_links": True,
            "unwanted": "/blog/2",
        },
        None,
    ),
    "filter": (fill, "/robots.txt", {}, {"include_sitemaps": ["shop.xml*", "blog*"], "exclude": ["/blog/2"]}),
    "names": (fill_names, "/", {}, None),
    "planned": (
        fill_planned,
        "/sitemap.xml",
        {"sitemap_plan": {"/a/0": "2026-01-02", "/a/1": "2999-01-01", "/a/2": "2026-01-01", "/a/3": None}},
        None,
    ),
    "nothing": (lambda site: site.pages.clear(), "", {}, None),
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Crawled]]:
    """Run all crawls in one process."""
    with ExitStack() as stack:
        sites = [stack.enter_context(serve()) for _ in CRAWLS]
        asked = []
        for site, (fill_site, path, spider, wanted) in zip(sites, CRAWLS.values(), strict=True):
            fill_site(site)
            # With a folder for the queue, requests and what is on them are pickled.
            settings: dict[str, Any] = {"ROBOTSTXT_OBEY": True, "JOBDIR": str(tmp_path_factory.mktemp("job"))}
            if "sitemap_plan" in spider:
                plan = [{"loc": site.url + page, "next": moment} for page, moment in spider["sitemap_plan"].items()]
                spider = {**spider, "sitemap_plan": plan}  # noqa: PLW2901
                settings["CONCURRENT_REQUESTS"] = 1
            asked.append(
                {"spider": {**spider, "sitemap_urls": [site.url + path]}, "filter": wanted, "settings": settings}
            )
        command = [sys.executable, "-m", "support.contrib.scrapy_crawl"]
        ended = subprocess.run(
            command, cwd=TESTS, input=json.dumps(asked), capture_output=True, text=True, check=False, timeout=100
        )
        assert ended.returncode == 0, ended.stderr
        found = json.loads(ended.stdout)
        yield {name: Crawled(*each) for name, each in zip(CRAWLS, zip(sites, found, strict=True), strict=True)}


def test_a_site_is_crawled_with_what_its_sitemaps_say(crawled: dict[str, Crawled]) -> None:
    site, found, items = crawled["all"].site, crawled["all"].found, crawled["all"].items
    assert sorted(items) == ["/blog/1", "/blog/2", "/old/0", "/old/1", "/old/2", "/relative", "/tea?a=1&b=2"]
    assert items["/tea?a=1&b=2"] == {
        "url": f"{site.url}/tea?a=1&b=2",
        "lastmod": "2026-11-20 00:00:00+00:00",
        "priority": 0.5,
        "images": [f"{site.url}/tea.jpg"],
        "alternates": [["de", f"{site.url}/de/tee"]],
        "sitemap": f"{site.url}/shop.xml?page=1",
        "via": "index",
        "alternate": None,
        "callback": "parse",
    }
    assert "/private/x" not in site.paths()
    assert all(path.startswith("/private") or count == 1 for path, count in _times(site.paths()))
    stats = found["stats"]
    assert (stats["urlset/documents"], stats["urlset/failures"]) == ("5", "2")
    assert stats["urlset/findings/XML005"] == "1"
    warnings = "\n".join(found["warnings"])
    assert f"{site.url}/page.xml:1:1: not a sitemap" in warnings
    assert f"{site.url}/gone.xml: the sitemap was not fetched" in warnings


def _times(paths: list[str]) -> list[tuple[str, int]]:
    return [(path, paths.count(path)) for path in set(paths)]


def test_the_attributes_are_those_of_scrapys_own_spider(crawled: dict[str, Crawled]) -> None:
    items = crawled["attributes"].items
    assert {url: item["callback"] for url, item in items.items()} == {
        "/blog/1": "parse_blog",
        "/tea?a=1&b=2": "parse",
        "/de/tee": "parse",
    }
    assert items["/de/tee"]["alternate"] == "de"
    assert items["/de/tee"]["priority"] == 0.5
    assert not crawled["attributes"].found["warnings"]


def test_a_filter_chooses_sitemaps_before_they_are_requested(crawled: dict[str, Crawled]) -> None:
    assert sorted(crawled["filter"].items) == ["/blog/1", "/relative", "/tea?a=1&b=2"]
    # The robots.txt names what may be an index, and is one.
    assert not {"/gone.xml", "/page.xml", "/old.xml"} & set(crawled["filter"].site.paths())
    stats = crawled["filter"].found["stats"]
    assert stats["urlset/skipped/sitemaps/include_sitemaps"] == "3"
    assert stats["urlset/skipped/entries/exclude"] == "1"


def test_a_site_without_a_robots_txt_is_asked_for_usual_names(crawled: dict[str, Crawled]) -> None:
    site, found = crawled["names"].site, crawled["names"].found
    assert [(item["url"], item["via"]) for item in found["items"]] == [(f"{site.url}/a/0", "name")]
    assert not found["warnings"]
    assert site.paths() == ["/sitemap.xml", "/sitemap_index.xml", "/a/0"]
    site, found = crawled["nothing"].site, crawled["nothing"].found
    [warning] = found["warnings"]
    assert warning.startswith(f"{site.url}: its robots.txt does not name a sitemap, and there is none at")


def test_a_plan_says_what_is_requested_and_in_which_order(crawled: dict[str, Crawled]) -> None:
    site, found = crawled["planned"].site, crawled["planned"].found
    assert [path for path in site.paths() if path.startswith("/a/")] == ["/a/2", "/a/0", "/a/4"]
    counts = {name: found["stats"][f"urlset/plan/{name}"] for name in ("due", "not_due", "new")}
    assert counts == {"due": "2", "not_due": "2", "new": "1"}
    assert not found["warnings"]


def test_a_plan_is_a_file_or_a_table(tmp_path: Path) -> None:
    file = tmp_path / "plan.csv"
    file.write_text("loc,next\nhttps://a.example/,2999-01-01\nhttps://a.example/b#c,2026-01-01\n")

    def spider(plan: Any) -> Any:
        return type("Planned", (SitemapSpider,), {"name": "planned", "sitemap_plan": plan})()

    by_file = spider(file)._overdue
    assert by_file is not None
    assert by_file["https://a.example/"] is None
    assert (by_file["https://a.example/b"] or 0) > 100
    by_name = spider(str(file))._overdue
    assert by_name is not None
    assert by_name.keys() == by_file.keys()
    assert by_name["https://a.example/b"] == pytest.approx(by_file["https://a.example/b"])  # each asked its own clock
    assert spider([{"loc": "https://a.example/", "next": None}])._overdue == {"https://a.example/": None}
    assert spider(None)._overdue is None
    with pytest.raises(InputError, match="the plan rows have no column next"):
        spider([{"loc": "https://a.example/"}])
    with pytest.raises(FileNotFoundError):
        spider(tmp_path / "none.csv")


@pytest.mark.parametrize("wanted", [Filter(sample_sitemaps=3), Filter(sample_entries=3)])
def test_a_spider_cannot_draw_a_sample(wanted: Filter) -> None:
    class Sampling(SitemapSpider):
        name = "sampling"
        sitemap_choice = wanted

    with pytest.raises(InputError, match="sitemap_choice cannot have sample, sample_entries or max_entries"):
        Sampling()
