"""What is not asked for because its lastmod in the index has not moved, and how far that is checked."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import urlset
from support.http_server import NAMESPACE, Answer, Handler, Site
from urlset import Http

OLD, NEW = "2026-01-01T10:00:00Z", "2026-02-01T10:00:00Z"


class Shop:
    """A site with an index that states a lastmod for each child, whether it is true or not."""

    def __init__(self, site: Site, children: int, *, is_tagged: bool = True) -> None:
        self.site = site
        self.lastmods: dict[str, str | None] = {f"/{number}.xml": OLD for number in range(children)}
        self.entries = dict.fromkeys(self.lastmods, 2)
        self.is_tagged = is_tagged
        site.pages["/sitemap.xml"] = self._index
        for path in self.lastmods:
            site.pages[path] = self._child
        self.url = f"{site.url}/sitemap.xml"

    def _index(self, handler: Handler) -> Answer:
        stated = (
            f"<sitemap><loc>{self.site.url}{path}</loc>{f'<lastmod>{lastmod}</lastmod>' if lastmod else ''}</sitemap>"
            for path, lastmod in self.lastmods.items()
        )
        return Answer(f'<sitemapindex xmlns="{NAMESPACE}">{"".join(stated)}</sitemapindex>'.encode())

    def _child(self, handler: Handler) -> Answer:
        tag = f'"{self.entries[handler.path]}"'
        if self.is_tagged and handler.headers.get("If-None-Match") == tag:
            return Answer(status=304)
        body = self.site.urlset(handler.path, self.entries[handler.path])
        return Answer(body, headers={"ETag": tag} if self.is_tagged else {})

    def asked(self) -> set[str]:
        """Return the children that were asked for since the last call."""
        found = {path for path in self.site.paths() if path in self.lastmods}
        self.site.requests.clear()
        return found


@pytest.fixture
def http(tmp_path: Path) -> Http:
    """Options with a cache that trusts indexes, and fetches one document after the other."""
    return Http(cache=tmp_path / "cache.sqlite", trust_index=True, concurrency=1)


def look(shop: Shop, http: Http) -> tuple[int, urlset.Savings]:
    """Return how many entries there are, and what the cache saved."""
    scan = urlset.scan(shop.url, http=http)
    return len(list(scan)), scan.savings


@pytest.mark.parametrize("is_tagged", [True, False])
def test_one_in_twenty_is_asked_for(site: Site, http: Http, is_tagged: bool) -> None:
    shop = Shop(site, 40, is_tagged=is_tagged)
    assert look(shop, http)[0] == 80
    assert len(shop.asked()) == 40
    rounds = []
    for _ in range(3):
        entries, savings = look(shop, http)
        assert (entries, savings.trusted, savings.checked, savings.wrong) == (80, 38, 2, 0)
        assert savings.unchanged == (2 if is_tagged else 0)
        rounds.append(shop.asked())
    assert len(set.union(*rounds)) == 6  # each has its turn
    sizes = sum(len(site.urlset(path, 2)) for path in shop.lastmods)
    unsent = sizes if is_tagged else sizes - sum(len(site.urlset(path, 2)) for path in rounds[-1])
    assert savings.bytes == unsent


def test_lint_trusts_as_reading_does(site: Site, http: Http) -> None:
    shop = Shop(site, 40)
    for asked in (40, 2, 2):
        report = urlset.lint(shop.url, http=http)
        assert (len(report.documents), report.entries, report.failures) == (1 + 40, 80, ())
        assert len(shop.asked()) == asked


def test_at_least_one_is_asked_for(site: Site, http: Http) -> None:
    shop = Shop(site, 3)
    look(shop, http)
    shop.asked()
    turns: list[str] = []
    for _ in range(3):
        assert look(shop, http)[1].trusted == 2
        turns += shop.asked()
    assert sorted(turns) == sorted(shop.lastmods)
    # The one whose turn it is has to be asked for anyway: another one is checked.
    shop.lastmods["/0.xml"] = NEW
    assert look(shop, http)[1].checked == 1
    assert len(shop.asked()) == 2


def test_what_the_index_says_has_changed_is_asked_for(site: Site, http: Http) -> None:
    shop = Shop(site, 3)
    look(shop, http)
    shop.asked()
    shop.entries["/2.xml"], shop.lastmods["/2.xml"] = 5, NEW
    shop.lastmods["/1.xml"] = None
    entries, savings = look(shop, http)
    assert (entries, savings.wrong) == (9, 0)
    assert shop.asked() >= {"/1.xml", "/2.xml"}


def test_an_index_that_is_wrong_is_not_trusted_any_more(site: Site, http: Http) -> None:
    shop = Shop(site, 4)
    look(shop, http)
    shop.asked()
    shop.entries = dict.fromkeys(shop.entries, 3)  # and the lastmods stay
    entries, savings = look(shop, http)
    # The first one was not asked for longest: it shows what the index is worth, and the others are asked for.
    assert (entries, savings.checked, savings.wrong, savings.trusted) == (12, 1, 1, 0)
    assert len(shop.asked()) == 4
    _, savings = look(shop, http)
    assert (savings.trusted, savings.checked, savings.unchanged) == (0, 0, 4)
    with sqlite3.connect(http.cache or "") as connection:
        wrong = connection.execute("SELECT count(*) FROM history WHERE is_wrong").fetchone()
    assert wrong == (4,)


def test_a_run_that_does_not_trust_learns_too(site: Site, http: Http, tmp_path: Path) -> None:
    shop = Shop(site, 4)
    look(shop, Http(cache=http.cache))
    shop.entries["/3.xml"] = 3
    look(shop, Http(cache=http.cache))
    assert look(shop, http)[1].trusted == 0


def test_a_lastmod_that_is_not_over_is_not_trusted(site: Site, http: Http) -> None:
    shop = Shop(site, 3)
    day = timedelta(days=1)
    today, long_ago = datetime.now(UTC).date(), (datetime.now(UTC) - 3 * day).date()
    shop.lastmods = {"/0.xml": today.isoformat(), "/1.xml": today.isoformat()[:4], "/2.xml": long_ago.isoformat()}
    look(shop, http)
    shop.asked()
    shop.entries["/0.xml"] = shop.entries["/1.xml"] = 3
    entries, savings = look(shop, http)
    assert (entries, savings.wrong, savings.trusted + savings.checked) == (8, 0, 1)


def test_without_a_lastmod_everything_is_asked_for(site: Site, http: Http) -> None:
    shop = Shop(site, 3)
    shop.lastmods = dict.fromkeys(shop.lastmods)
    look(shop, http)
    assert look(shop, http)[1] == urlset.Savings(documents=4, unchanged=3, trusted=0, checked=0, wrong=0, bytes=519)


def test_trust_needs_a_cache() -> None:
    with pytest.raises(urlset.InputError, match=r"Http\.trust_index needs Http\.cache"):
        Http(trust_index=True)
