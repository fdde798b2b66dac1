"""A run by a plan: sitemaps that are not due are not fetched, and still list what they listed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import urlset
from support.http_server import Answer, Site
from urlset import InputError, WatchRun

NOW = datetime(2026, 11, 20, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
CORE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def sitemap(*paths: str) -> Answer:
    urls = "".join(f"<url><loc>https://a.example{path}</loc></url>" for path in paths)
    return Answer(f"<urlset {CORE}>{urls}</urlset>".encode())


def index(site: Site, *names: str) -> Answer:
    children = "".join(f"<sitemap><loc>{site.url}/{name}</loc></sitemap>" for name in names)
    return Answer(f"<sitemapindex {CORE}>{children}</sitemapindex>".encode())


@pytest.fixture
def shop(site: Site) -> Site:
    site.pages["/index.xml"] = index(site, "a.xml", "b.xml")
    site.pages["/a.xml"] = sitemap("/1", "/2")
    site.pages["/b.xml"] = sitemap("/3")
    return site


def watch(site: Site, state: Path, plan: Any = None, name: str = "index.xml") -> WatchRun:
    with urlset.watch(f"{site.url}/{name}", state=state, plan=plan, now=NOW) as found:
        return found


def rows(site: Site, **names: datetime | None) -> list[dict[str, object]]:
    return [{"loc": f"{site.url}/{name}.xml", "next": moment} for name, moment in names.items()]


def asked(site: Site, since: int) -> list[str]:
    return [path for path in site.paths()[since:] if path != "/robots.txt"]


def test_what_is_not_due_is_not_fetched_and_lists_what_it_listed(shop: Site, state: Path) -> None:
    watch(shop, state)
    shop.pages["/a.xml"] = sitemap("/1")
    shop.pages["/b.xml"] = sitemap("/3", "/4")
    before = len(shop.paths())
    found = watch(shop, state, rows(shop, index=LATER, a=LATER, b=NOW))
    assert asked(shop, before) == ["/index.xml", "/b.xml"]
    assert (dict(found.counts), found.not_due, found.failures, found.entries) == ({"added": 1}, 1, (), 4)
    # The next run without a plan sees what was missed.
    assert dict(watch(shop, state).counts) == {"removed": 1}


def test_what_is_new_is_fetched_whatever_the_plan_says(shop: Site, state: Path) -> None:
    plan = rows(shop, index=LATER, a=LATER, b=None, c=LATER)
    assert (watch(shop, state, plan).entries, watch(shop, state, plan).not_due) == (3, 2)
    shop.pages["/index.xml"] = index(shop, "a.xml", "b.xml", "c.xml")
    shop.pages["/c.xml"] = sitemap("/5")
    found = watch(shop, state, plan)
    assert (found.counts["added"], found.not_due, found.entries) == (2, 2, 4)


def test_a_sitemap_that_is_not_listed_any_more_is_removed_though_it_is_not_due(shop: Site, state: Path) -> None:
    watch(shop, state)
    shop.pages["/index.xml"] = index(shop, "a.xml")
    found = watch(shop, state, rows(shop, a=LATER, b=LATER))
    assert (found.counts["removed"], found.not_due, found.entries) == (2, 1, 2)


def test_the_only_sitemap_is_not_due(shop: Site, state: Path) -> None:
    watch(shop, state, name="a.xml")
    before = len(shop.paths())
    found = watch(shop, state, rows(shop, a=LATER), name="a.xml")
    assert (asked(shop, before), found.not_due, found.entries, len(found)) == ([], 1, 2, 0)
    assert "not due" not in repr(found)


def test_a_sitemap_that_failed_is_fetched_again(shop: Site, state: Path) -> None:
    shop.pages["/a.xml"] = Answer(b"", 404)
    plan = rows(shop, a=LATER, b=LATER)
    watch(shop, state, plan)
    shop.pages["/a.xml"] = sitemap("/1")
    found = watch(shop, state, plan)
    assert (found.not_due, found.entries, found.failures) == (1, 2, ())


def test_a_table_that_is_no_plan_is_refused(shop: Site, state: Path) -> None:
    with pytest.raises(InputError, match="the plan rows have no column next"):
        watch(shop, state, [{"loc": "/a"}])
    assert shop.paths() == []
