"""A crawl that shows pages in a Chromium follows the links that they have then, and says what that has changed."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import duckdb
import pytest
import urlset
from support.crawl.linked_site import html
from support.http_server import Answer, Handler, Site
from urlset._render import pages as room

HTTP = urlset.Http(retries=0, timeout=10)
SHELL = Answer(
    b"<!doctype html><title>Shop</title><body><div id=root></div><script src=/app.js></script>",
    headers={"Content-Type": "text/html"},
)
#: What the script of each page makes: links, a canonical, a noindex, or another page.
APP = b"""
    const links = {"/": ["/tea", "/kept-out", "/white"], "/tea": ["/tea/green", "/"]}[location.pathname] || [];
    const text = "leaves of " + location.pathname + " in spring and in autumn ";
    root.innerHTML = "<p>" + text.repeat(20) + links.map(to => `<a href="${to}">${to}</a>`).join(" ");
    if (location.pathname == "/white") location = "/white/silver";
    if (location.pathname == "/tea/green")
        document.head.insertAdjacentHTML("beforeend", "<meta name=robots content=noindex>");
"""


@pytest.fixture
def shop(site: Site) -> Site:
    """A site all of whose pages but one are made by a script."""
    for path in ("/", "/tea", "/tea/green", "/white"):
        site.pages[path] = SHELL
    site.pages["/app.js"] = Answer(APP, headers={"Content-Type": "text/javascript"})
    site.pages["/white/silver"] = html()
    site.pages["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /kept-out\n")
    return site


def test_links_that_a_script_makes_are_followed(shop: Site, tmp_path: Path) -> None:
    with urlset.crawl(shop.url, http=HTTP) as plain:
        assert (plain.pages, plain.needs_browser, plain.rendered) == (1, 1, 0)
    asked = len(shop.requests)
    state = tmp_path / "shop.duckdb"
    with urlset.crawl(shop.url, state=state, http=HTTP, render=True) as shown:
        found = {page.loc.removeprefix(shop.url): page for page in shown}
        assert (shown.rendered, shown.needs_browser, shown.is_complete) == (4, 0, True)
        assert [row["loc"].removeprefix(shop.url) for row in shown.rows()] == ["/", "/tea", "/white/silver"]
    assert {path: (page.depth, page.status) for path, page in found.items()} == {
        "/": (0, 200),
        "/tea": (1, 200),
        "/kept-out": (1, None),
        "/white": (1, 200),
        "/white/silver": (1, 200),
        "/tea/green": (2, 200),
    }
    assert found["/tea/green"].is_noindex
    assert (found["/white/silver"].rendered, found["/kept-out"].refused) == (None, "robots")
    assert str(found["/tea/green"].rendered).startswith("0 words, then 160, noindex (its content is made by a script")
    paths = [path for path, _ in shop.requests[asked:]]
    assert (paths.count("/robots.txt"), paths.count("/app.js"), paths.count("/tea")) == (1, 1, 2)
    with duckdb.connect(str(state), read_only=True) as connection:
        links = connection.execute("SELECT source, target, kind FROM links ORDER BY ALL").fetchall()
    assert [(source.removeprefix(shop.url), target.removeprefix(shop.url), kind) for source, target, kind in links] == [
        ("/", "/kept-out", "a"),
        ("/", "/tea", "a"),
        ("/", "/white", "a"),
        ("/tea", "/", "a"),
        ("/tea", "/tea/green", "a"),
        ("/white", "/white/silver", "redirect"),
    ]


def test_what_is_shown_does_not_depend_on_how_fast_pages_answer(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a redirect to such a page is not shown in its place."""
    monkeypatch.setattr(room, "MAX_RENDERED", 2)

    def slow(handler: Handler) -> Answer:
        time.sleep(0.3)
        return SHELL

    site.pages["/"] = html("/moved", "/slow", "/a", "/b")
    site.pages["/moved"] = Answer(status=301, headers={"Location": "/c"})
    site.pages["/slow"] = slow
    site.pages |= dict.fromkeys(("/a", "/b", "/c"), SHELL)
    site.pages["/app.js"] = Answer(APP, headers={"Content-Type": "text/javascript"})
    with urlset.crawl(site.url, http=HTTP, render=True) as found:
        assert [page.loc.removeprefix(site.url) for page in found if page.rendered is not None] == ["/a", "/slow"]
        assert (found.rendered, found.needs_browser) == (2, 2)


def test_a_crawl_without_a_browser_goes_on_once_there_is_one(
    shop: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "shop.duckdb"
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "playwright.async_api", None)
        with pytest.raises(urlset.InputError, match="rendering needs the extra browser"):
            urlset.crawl(shop.url, state=state, http=HTTP, render=True)
    with urlset.crawl(shop.url, state=state, http=HTTP, render=True) as shown:
        assert (shown.run, shown.state, shown.pages, shown.rendered) == (1, "complete", 6, 4)
    assert shop.paths().count("/") == 2  # once for the crawl, and once for the browser


def test_what_a_browser_asks_for_counts_for_the_bounds_of_the_crawl(shop: Site) -> None:
    shop.pages["/app.js"] = Answer(APP + b" " * 100_000, headers={"Content-Type": "text/javascript"})
    with urlset.crawl(shop.url, http=urlset.Http(retries=0, timeout=10, max_bytes=50_000), render=True) as shown:
        assert (shown.state, shown.rendered) == ("bounded", 1)
        assert "max_bytes" in str(shown.reason)
