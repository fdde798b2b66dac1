"""An audit that shows pages in a Chromium judges what that shows, and asks for nothing else than it says."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb
import pytest
import urlset
from support.cli import Cli
from support.http_server import Answer, Site

HTTP = urlset.Http(retries=0, timeout=10)
APP = b"<!doctype html><title>App</title><body><div id=root></div><script src=/app.js></script>"
SCRIPT = b"""
    document.getElementById("root").innerText = "green tea leaves of spring ".repeat(20);
    const robots = document.createElement("meta");
    robots.name = "robots"; robots.content = "noindex";
    document.head.append(robots);
"""


@pytest.fixture
def app(site: Site) -> Site:
    """A site of one page, whose content and noindex a script makes."""
    site.pages["/sitemap.xml"] = Answer(site.urlset("/app", 2))
    for number in range(2):
        site.pages[f"/app/{number}"] = Answer(APP, headers={"Content-Type": "text/html"})
    site.pages["/app.js"] = Answer(SCRIPT, headers={"Content-Type": "text/javascript"})
    return site


def test_what_a_browser_shows_is_judged(app: Site, tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"
    rules = urlset.Rules(ignore=["LIVE006", "LIVE007", "LIVE02", "LIVE03"])
    with urlset.audit(app.url, state=state, http=HTTP, rules=rules) as plain:
        assert [(each.code, each.verdict, each.count) for each in plain.findings] == [("LIVE011", "inconclusive", 2)]
    assert "/app.js" not in app.paths()
    with urlset.audit(app.url, state=state, http=HTTP, rules=rules, render=True) as shown:
        found = {each.code: each for each in shown.findings if each.state != "fixed"}
    assert {code: each.count for code, each in found.items()} == {"LIVE004": 2, "LIVE050": 2}
    assert app.paths().count("/app.js") == 1
    with duckdb.connect(str(state), read_only=True) as connection:
        rows = connection.execute(
            "SELECT run, count(*), count(rendered) FROM pages GROUP BY run ORDER BY run"
        ).fetchall()
        changed = connection.execute("SELECT DISTINCT rendered FROM pages WHERE run = 2").fetchall()
    assert rows == [(1, 2, 0), (2, 2, 2)]
    assert changed == [('0 words, then 100, noindex (its content is made by a script, in <div id="root">)',)]


def test_without_the_extra_the_remedy_is_named(app: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright.async_api", None)
    with pytest.raises(urlset.InputError, match=r"rendering needs the extra browser: pip install 'urlset\[browser\]'"):
        urlset.audit(app.url, http=HTTP, render=True)


def test_a_site_without_such_pages_needs_no_browser(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright.async_api", None)
    site.pages["/sitemap.xml"] = Answer(site.urlset("/tea", 1))
    site.pages["/tea/0"] = Answer(b"<title>Tea</title><p>" + b"tea " * 50, headers={"Content-Type": "text/html"})
    with urlset.audit(site.url, http=HTTP, render=True) as audit:
        assert "LIVE011" not in audit.counts


def test_the_crawl_of_an_audit_shows_pages_too(app: Site, tmp_path: Path) -> None:
    """So a page that only a script links to is no orphan, and one that only a crawl finds is not listed."""
    app.pages["/"] = Answer(APP, headers={"Content-Type": "text/html"})
    links = b'root.innerHTML += "<a href=/app/0>0</a> <a href=/app/1>1</a> <a href=/unlisted>2</a>"; '
    app.pages["/app.js"] = Answer(SCRIPT.split(b"const")[0] + links, headers={"Content-Type": "text/javascript"})
    text = b"<title>Tea</title><p>" + b"tea " * 50
    app.pages["/unlisted"] = Answer(text, headers={"Content-Type": "text/html"})
    audit = ("audit", app.url, "--crawl", "--select", "LIVE006,LIVE007", "--retries", "0", "--format", "json")
    plain, shown = (
        [(each["code"], each["location"], each["message"]) for each in json.loads(Cli(tmp_path)(*audit, *how).out)]
        for how in (("--state", "plain.duckdb"), ("--state", "shown.duckdb", "--render"))
    )
    why = "not judged: 1 page needs a browser, so its links are not known (--render)"
    assert plain[0] == ("LIVE006", f"{app.url}/", why)
    assert {code for code, _, _ in shown} == {"LIVE007"}
    assert [message for _, _, message in shown] == ["2 pages are not listed: /…"]
