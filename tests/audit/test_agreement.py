"""The same pages as built HTML, in a crawl and in an audit: what each of them says of a page must be the same."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest
import urlset
from support.html_site import Skips
from support.http_server import Answer, Site
from urlset.sources import html

HTTP = urlset.Http(retries=0, timeout=10)
LD = '<script type="application/ld+json">{"@type": "Article", "dateModified": "2025-03-04"}</script>'


class Case(NamedTuple):
    """A page: its head and its body, and why it does not belong in a sitemap, if it does not."""

    head: str = ""
    body: str = "<main>green tea</main>"
    reason: str | None = None
    detail: str | None = None


def leads(head: str = "", body: str = "x") -> Case:
    """Return a page that redirects to the plain one."""
    return Case(head, body, "redirect", "/plain.html")


#: Pages by their path. `{site}` stands for the URL of the site.
CASES = {
    "/plain.html": Case(),
    "/refresh.html": leads('<meta http-equiv=refresh content="0; url=/plain.html">'),
    "/slow.html": leads("<META HTTP-EQUIV=Refresh CONTENT=\"9,URL='plain.html'\">"),
    "/in-body.html": leads(body='x<meta http-equiv=refresh content="0 /plain.html">'),
    "/based.html": leads('<base href="/a/"><meta http-equiv=refresh content="0;../plain.html">'),
    "/reload.html": Case('<meta http-equiv=refresh content="300">'),
    "/itself.html": Case('<meta http-equiv=refresh content="300; url=itself.html#top">'),
    "/no-refresh.html": Case('<meta http-equiv=refresh content="url=/plain.html">'),
    "/noscript.html": Case('<noscript><meta http-equiv=refresh content="0; url=/plain.html"></noscript>'),
    "/canonical.html": Case('<link rel=canonical href="/plain.html">', reason="canonical", detail="/plain.html"),
    "/own.html": Case('<link rel="x CANONICAL" href="{site}/own.html#x">'),
    "/print.html": Case('<link rel=canonical media=print href="/plain.html">'),
    "/german.html": Case('<link rel=canonical hreflang=de href="/plain.html">'),
    "/language.html": Case('<link rel=canonical lang=de href="/plain.html">'),
    "/feed.html": Case('<link rel=canonical type="application/rss+xml" href="/plain.html">'),
    "/low.html": Case(body='x<link rel=canonical href="/plain.html">'),
    "/several.html": Case('<link rel=canonical href="/plain.html"><link rel=canonical href="/own.html">'),
    "/noindex.html": Case("<meta name=ROBOTS content='follow , NoIndex'>", reason="noindex"),
    "/none.html": Case(body="x<meta name=googlebot content=none>", reason="noindex"),
    "/bing.html": Case("<meta name=bingbot content=noindex>"),
    "/dated.html": Case(LD),
    "/latin.html": Case("<meta charset=iso-8859-1>", "<main>\u201ccaf\u00e9\u201d</main>"),
    "/messy.html": Case(
        body="<nav>menu<main><p hidden>no<p>green <b>tea<i></b> and</i><img src=i.3f9c2a1b.png alt=leaf>"
    ),
    "/built.html": Case(body="<article>a<header>b</header></article><footer>no</footer><p>Updated on Jan 5, 2024."),
}


def page(path: str, site: str) -> bytes:
    """Return the page at a path."""
    case = CASES[path]
    text = f"<!doctype html><html><head>{case.head}<title>{path}</title></head><body>{case.body}</body></html>"
    return text.replace("{site}", site).encode("cp1252" if path == "/latin.html" else "utf-8")


@pytest.fixture
def served(site: Site, tmp_path: Path) -> Path:
    """Serve the pages with a sitemap and links to all of them, and return a folder with the same pages."""
    folder = tmp_path / "built"
    folder.mkdir()
    for path in CASES:
        body = page(path, site.url)
        (folder / path[1:]).write_bytes(body)
        site.pages[path] = Answer(body, headers={"Content-Type": "text/html"})
    links = "".join(f"<a href={path}>{path}</a>" for path in CASES)
    site.pages["/"] = Answer(f"<title>home</title>{links}".encode(), headers={"Content-Type": "text/html"})
    sitemap = io.BytesIO()
    urlset.write([site.url + path for path in CASES], sitemap)
    site.pages["/sitemap.xml"] = Answer(sitemap.getvalue(), headers={"Content-Type": "application/xml"})
    return folder


class Said(NamedTuple):
    """What a verb says of a page. A page that redirects has no content of its own."""

    redirect: str | None
    is_noindex: bool
    canonical: str | None
    content: str | None


def in_run(state: Path, verb: str, site: str) -> dict[str, Said]:
    """Return what a run says of each page."""
    with duckdb.connect(str(state), read_only=True) as file:
        rows = file.execute(
            "SELECT loc, final_url, len(hops), is_noindex, canonicals, content_hash FROM pages JOIN runs USING (run)"
            " WHERE verb = ? AND loc LIKE '%.html'",
            [verb],
        ).fetchall()
    said = {}
    for loc, final_url, hops, is_noindex, canonicals, content in rows:
        if hops:
            said[loc.removeprefix(site)] = Said(final_url, False, None, None)
        else:
            other = canonicals[0] if len(canonicals) == 1 and canonicals[0] != loc else None
            said[loc.removeprefix(site)] = Said(None, is_noindex, other, f"{content:016x}")
    return said


def test_built_pages_a_crawl_and_an_audit_agree(served: Path, site: Site, tmp_path: Path) -> None:
    state, skips = tmp_path / "site.duckdb", Skips()
    with urlset.crawl(site.url + "/", state=state, http=HTTP) as crawl:
        crawled_rows = {row["loc"]: row["lastmod"] for row in _dicts(crawl)}
    with urlset.audit(site.url, state=state, http=HTTP) as audit:
        found = {code: sorted(_examples(audit, code)) for code in ("LIVE003", "LIVE004", "LIVE005", "LIVE007")}
    crawled, audited = in_run(state, "crawl", site.url), in_run(state, "audit", site.url)
    built = {row["file"]: row for row in html.pages(served, base_url=site.url, on_skip=skips)}

    for path, case in CASES.items():
        file = path[1:]
        assert skips.reasons.get(file) == case.reason, path
        detail = None if case.detail is None else site.url + case.detail
        if case.detail is not None:
            assert skips.details[file] == detail
        expected = Said(
            detail if case.reason == "redirect" else None,
            case.reason == "noindex",
            detail if case.reason == "canonical" else None,
            built[file]["content"] if file in built else crawled[path].content,
        )
        assert crawled[path] == expected, path
        # An audit asks for what a refresh leads to, whose content is that of the other page.
        assert audited[path] == expected, path
        # A crawl offers the pages that the source of built pages takes, with the same dates.
        assert (site.url + path in crawled_rows) == (case.reason is None), path
        if file in built and "lastmod" in built[file]:
            assert crawled_rows[site.url + path].startswith(built[file]["lastmod"])

    by_reason = {
        reason: sorted(path for path, case in CASES.items() if case.reason == reason)
        for reason in ("redirect", "noindex", "canonical")
    }
    assert found["LIVE003"] == by_reason["redirect"]
    assert found["LIVE004"] == by_reason["noindex"]
    assert found["LIVE005"] == by_reason["canonical"]
    assert found["LIVE007"] == ["/"]  # no redirect, and nothing that is listed


def test_a_refresh_header_is_a_redirect(site: Site, tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"
    site.pages["/"] = Answer(b"<a href=/old>old</a>", headers={"Content-Type": "text/html"})
    site.pages["/old"] = Answer(b"<title>old</title>", headers={"Content-Type": "text/html", "Refresh": "0; url=/new"})
    site.pages["/new"] = Answer(b"<title>new</title><p>new", headers={"Content-Type": "text/html"})
    site.pages["/loop"] = Answer(b"<title>a</title>", headers={"Content-Type": "text/html", "Refresh": "1;/pool"})
    site.pages["/pool"] = Answer(b"<title>b</title>", headers={"Content-Type": "text/html", "Refresh": "1;/loop"})
    site.pages["/lost"] = Answer(b"<title>c</title>", headers={"Content-Type": "text/html", "Refresh": "1;/nowhere"})
    listed = io.BytesIO()
    urlset.write([site.url + path for path in ("/", "/old", "/new", "/loop", "/lost")], listed)
    site.pages["/sitemap.xml"] = Answer(listed.getvalue(), headers={"Content-Type": "application/xml"})
    with urlset.crawl(site.url + "/", state=state, http=HTTP) as crawl:
        pages = {each.loc.removeprefix(site.url): each for each in crawl}
        assert sorted(row["loc"].removeprefix(site.url) for row in _dicts(crawl)) == ["/", "/new"]
    assert (pages["/old"].hops, pages["/old"].final_url) == (((f"{site.url}/old", 200),), f"{site.url}/new")
    assert pages["/new"].title == "new"
    with urlset.audit(site.url, state=state, http=HTTP) as audit:
        assert _examples(audit, "LIVE003") == ["/old"]
        assert _examples(audit, "LIVE012") == ["/loop"]
        assert _examples(audit, "LIVE001") == ["/lost"]
        # What a refresh leads to is linked.
        assert _examples(audit, "LIVE006") == []
    with duckdb.connect(str(state), read_only=True) as file:
        query = "SELECT status, title FROM pages JOIN runs USING (run) WHERE verb = 'audit' AND loc LIKE '%/old'"
        assert file.execute(query).fetchall() == [(200, "new")]


def _examples(audit: urlset.Audit, code: str) -> list[str]:
    return sorted(
        "/" + loc.split("/", 3)[3]
        for each in audit.findings
        if each.code == code and each.verdict == "found"
        for loc in each.examples
    )


def _dicts(crawl: urlset.Crawl) -> list[dict[str, str]]:
    return list(crawl.rows())


def test_built_pages_a_crawl_and_an_audit_leave_out_what_they_are_told_to(served: Path, site: Site) -> None:
    """Two versions of a page that differ in what is left out, and not without that."""
    found = {"given": set[str](), "not given": set[str]()}
    for visits, latest in (("7", "tea"), ("12", "coffee")):
        body = f"<title>T</title><main>Tea<p>visitors today: {visits}</p><p class=latest>{latest}</p></main>".encode()
        (served / "plain.html").write_bytes(body)
        site.pages["/plain.html"] = Answer(body, headers={"Content-Type": "text/html"})
        for name, given in (
            ("given", dict[str, Any](mask=["visitors today: *"], boilerplate=[".latest"])),
            ("not given", dict[str, Any]()),
        ):
            said = set[str]()
            with urlset.crawl(site.url + "/", http=HTTP, **given) as crawl:
                said |= {str(each.content_hash) for each in crawl if each.loc.endswith("/plain.html")}
            with urlset.audit(site.url, http=HTTP, **given) as audit:
                rows = audit._file.connection.execute("SELECT content_hash FROM pages WHERE loc LIKE '%/plain.html'")
                said |= {f"{content:016x}" for (content,) in rows.fetchall()}
            built = html.pages(served, base_url=site.url, include_pages=["plain.html"], **given)
            said |= {row["content"] for row in built}
            assert len(said) == 1
            found[name] |= said
    assert (len(found["given"]), len(found["not given"])) == (1, 2)


@pytest.mark.parametrize("given", [{"mask": [" "]}, {"mask": "x"}, {"boilerplate": ["a["]}, {"boilerplate": "p"}])
def test_what_cannot_be_left_out_is_refused_alike(given: dict[str, Any], tmp_path: Path) -> None:
    said = set()
    for verb in (urlset.crawl, urlset.audit):
        with pytest.raises(urlset.InputError) as refused:
            verb("https://shop.example/", **given)
        said.add(str(refused.value))
    with pytest.raises(urlset.InputError) as refused:
        html.pages(tmp_path, base_url="https://shop.example/", **given)
    assert said == {str(refused.value)}
