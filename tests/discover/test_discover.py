"""Finding the sitemaps of a site: what is there, how it was found, and what is wrong with it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import urlset
from support.cli import Cli
from support.http_server import NAMESPACE, Answer, Site, closed_port, serve
from urlset import Found, Http


def dated(site: Site, *lastmods: str) -> bytes:
    """Return a sitemap with entries of these lastmods."""
    entries = "".join(f"<url><loc>{site.url}/{day}</loc><lastmod>{day}</lastmod></url>" for day in lastmods)
    return f'<urlset xmlns="{NAMESPACE}">{entries}</urlset>'.encode()


@pytest.fixture
def shop(site: Site) -> Site:
    """A site with a sitemap of every kind of find."""
    site.pages["/robots.txt"] = Answer(f"Sitemap: {site.url}/named.xml\nSitemap: {site.url}/lost.xml\n".encode())
    site.pages["/named.xml"] = Answer(site.index("/1.xml", "/gone.xml"))
    site.pages["/1.xml"] = Answer(dated(site, "2026-01-02", "2026-03-04", "2025-12-31"))
    site.pages["/sitemap.xml"] = Answer(b"<!DOCTYPE html><title>Not found</title>")
    site.pages["/sitemap_index.xml"] = Answer(site.urlset("/usual", 2))
    site.pages["/map.xml"] = Answer(site.urlset("/linked", 1))
    site.pages["/feed"] = Answer(
        b"<rss version='2.0'><channel><item><link>https://shop.example/</link></item></channel></rss>"
    )
    head = "<link rel='Sitemap' href='map.xml'><link rel='alternate' type='application/rss+xml' href='/feed'>"
    site.pages["/"] = Answer(f"<html><head>{head}</head></html>".encode(), headers={"Content-Type": "text/html"})
    return site


def seen(found: Found, site: Site) -> tuple[str, str, str | None, int]:
    """Return how and where it was found, what it is, and how many entries it has."""
    return found.via, found.url.removeprefix(site.url), found.kind, found.entries


def test_every_place_is_looked_at_and_each_find_says_how_it_was_found(shop: Site) -> None:
    found = urlset.discover(f"{shop.url}/some/page?x=1")
    assert found.site == f"{shop.url}/"
    assert [seen(each, shop) for each in found] == [
        ("robots", "/named.xml", "sitemapindex", 2),
        ("robots", "/lost.xml", None, 0),
        ("name", "/sitemap_index.xml", "urlset", 2),
        ("link", "/map.xml", "urlset", 1),
        ("feed", "/feed", "rss", 1),
    ]
    assert [each.problem for each in found] == [None, "status 404", None, None, None]
    assert [str(failure) for failure in found.failures] == [f"{shop.url}/lost.xml: status 404"]
    assert "/1.xml" not in shop.paths()


def test_the_tree_has_the_children_of_each_index(shop: Site) -> None:
    index, *others = urlset.discover(shop.url, tree=True)
    assert [seen(each, shop) for each in index.children] == [
        ("index", "/1.xml", "urlset", 3),
        ("index", "/gone.xml", None, 0),
    ]
    one, gone = index.children
    assert one.newest == datetime(2026, 3, 4, tzinfo=UTC)
    assert (gone.problem, one.problem, one.completeness) == ("status 404", None, "complete")
    assert not any(each.children for each in others)


@pytest.mark.parametrize("name", ["sitemap.txt", "news-sitemap.xml", "sitemap/sitemap-index.xml", "sitemap.php"])
def test_a_sitemap_is_found_at_any_of_the_usual_names(site: Site, name: str) -> None:
    site.pages[f"/{name}"] = Answer(site.urlset("/a", 2))
    [found] = urlset.discover(site.url)
    assert (found.url, found.via, found.entries) == (f"{site.url}/{name}", "name", 2)


def test_a_redirected_sitemap_is_found_at_its_end(site: Site) -> None:
    site.pages["/robots.txt"] = Answer(f"Sitemap: {site.url}/old.xml\n".encode())
    site.pages["/old.xml"] = Answer(status=301, headers={"Location": "/new.xml"})
    site.pages["/new.xml"] = Answer(site.index("/1.xml"))
    site.pages["/1.xml"] = Answer(site.urlset("/1", 2))
    [found] = urlset.discover(site.url, tree=True)
    assert seen(found, site) == ("robots", "/new.xml", "sitemapindex", 1)
    assert [seen(child, site) for child in found.children] == [("index", "/1.xml", "urlset", 2)]


def test_a_document_that_is_cut_off_is_found_with_its_problem(site: Site) -> None:
    site.pages["/sitemap.xml"] = Answer(site.urlset("/a", 3)[:-40])
    [found] = urlset.discover(site.url)
    assert (found.completeness, found.entries) == ("truncated", 2)
    assert found.problem is not None
    assert "ends inside" in found.problem


def test_a_site_without_sitemaps_has_none(site: Site) -> None:
    found = urlset.discover(site.url)
    assert (len(found), list(found), found.failures) == (0, [], ())


def test_a_site_that_is_down_is_not_one_without_sitemaps() -> None:
    with pytest.raises(urlset.FetchError, match="no connection"):
        urlset.discover(f"http://127.0.0.1:{closed_port()}", http=Http(retries=0))


def test_what_a_robots_txt_names_gets_none_of_the_rights_of_what_the_caller_names(site: Site) -> None:
    with serve("127.0.0.2") as other:
        site.pages["/robots.txt"] = Answer(f"Sitemap: {other.url}/a.xml\n".encode())
        http = Http(headers={"Authorization": "secret"}, obey_robots=False)
        [found] = urlset.discover(site.url, http=http)
        assert found.problem is not None
        assert "a private address" in found.problem
        assert other.requests == []


@pytest.mark.parametrize("site_url", ["shop.example", "ftp://shop.example", "", "https://", 5])
def test_a_site_must_be_a_url(site_url: str) -> None:
    with pytest.raises(urlset.InputError, match=r"site must be an absolute http|valid URL"):
        urlset.discover(site_url)


# --- the command line ----------------------------------------------------------------------------------------


def test_the_command_line_lists_draws_and_prints_json(shop: Site, tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    listed, drawn = cli.process("discover", shop.url), cli("discover", shop.url, "--tree")
    printed = cli("discover", shop.url, "--format", "json")
    assert [ended.code for ended in (listed, drawn, printed)] == [2, 2, 2]
    assert f"urlset: {shop.url}/lost.xml: status 404" in listed.err
    assert "leaked" not in listed.err
    assert "sitemapindex" in listed.out
    assert "└── " in drawn.out
    found = json.loads(printed.out)
    assert [each["via"] for each in found["sitemaps"]] == ["robots", "robots", "name", "link", "feed"]
    assert found["failures"] == [f"{shop.url}/lost.xml: status 404"]


def test_exit_codes_tell_none_from_unreachable(site: Site, tmp_path: Path) -> None:
    site.pages["/sitemap.xml"] = Answer(site.urlset("/a", 1))
    cli = Cli(tmp_path)
    assert cli("discover", site.url).code == 0
    assert cli("discover", f"http://127.0.0.1:{closed_port()}").code == 2
    site.pages.clear()
    assert cli("discover", site.url).code == 1
