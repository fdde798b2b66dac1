"""The set that `Audit.rows` returns: better by every count of its own audit and lint, or none at all."""

from __future__ import annotations

from pathlib import Path

import pytest
import urlset
from support.audit.planted import NAMESPACES, Planted, html, text_of
from support.http_server import Answer, Site

HTTP = urlset.Http(retries=0, timeout=10)
HTML = {"Content-Type": "text/html"}


def page(site: Site, path: str, head: str = "", *, links: tuple[str, ...] = (), text: str | None = None) -> None:
    """Serve a page that has a text of its own."""
    site.pages[path] = Answer(html(path, text or text_of(path), head, links), headers=HTML)


def moved(site: Site, path: str, to: str) -> None:
    """Serve a redirect."""
    site.pages[path] = Answer(status=301, headers={"Location": to})


def listed(site: Site, **entries: dict[str, str]) -> None:
    """List pages by their names, each with its links by language."""
    rows = "".join(
        f"<url><loc>{site.url}/{name}</loc>"
        + "".join(
            f'<xhtml:link rel="alternate" hreflang="{language}" href="{site.url}/{other}"/>'
            for language, other in links.items()
        )
        + "</url>"
        for name, links in entries.items()
    )
    site.pages["/sitemap.xml"] = Answer(f"<urlset {NAMESPACES}>{rows}</urlset>".encode())


def corrected(site: Site, state: Path | None = None) -> dict[str, dict[str, str]]:
    """The pages of the corrected set, with their links by language."""
    with urlset.audit(site.url, http=HTTP, state=state) as audit:
        return {
            (entry.loc or "").removeprefix(site.url + "/"): {
                each.hreflang or "": (each.href or "").removeprefix(site.url + "/") for each in entry.alternates
            }
            for entry in audit.rows()
        }


def test_the_corrected_set_of_the_planted_site_is_better_by_every_count(planted: Planted, tmp_path: Path) -> None:
    counts = []
    for name, source in (("first", planted.url), ("second", tmp_path / "public")):
        state = tmp_path / f"{name}.duckdb"
        planted.failing.clear()
        urlset.crawl(planted.url, state=state, http=HTTP).close()
        with urlset.audit(source, state=state, http=HTTP) as audit:
            counts.append(audit.counts)
            if name == "first":
                checks = urlset.Checks(allow=["one-lastmod"])  # it is a site of a test
                urlset.publish(audit.rows(), tmp_path / "public", base_url=planted.url, checks=checks)
    before, after = counts
    assert {code: count for code, count in after.items() if count > before.get(code, 0)} == {}
    assert not after.keys() & {"LIVE001", "LIVE003", "LIVE004", "LIVE012"}
    lint = urlset.lint(tmp_path / "public", location=f"{planted.url}/")
    linted = urlset.lint(planted.url, http=HTTP).counts
    assert {code: count for code, count in lint.counts.items() if count > linted.get(code, 0)} == {}


def test_only_a_page_of_the_site_that_may_be_indexed_is_listed_instead(site: Site) -> None:
    page(site, "/home")
    for name, head in (
        ("good", ""),
        ("hidden", '<meta name="robots" content="noindex">'),
        ("other", '<link rel="canonical" href="/home">'),
        ("account/login", ""),
        ("signin?next=/home", ""),
        ("welcome?return=%2Fhome", ""),
    ):
        page(site, f"/{name}", head)
    targets = ("good", "hidden", "other", "account/login", "signin?next=/home", "welcome?return=%2Fhome")
    for number, target in enumerate(targets):
        moved(site, f"/old-{number}", f"/{target}")
    page(site, "/foreign", '<link rel="canonical" href="https://elsewhere.example/">')
    page(site, "/unknown", '<link rel="canonical" href="javascript:void(0)">')
    page(site, "/copy", '<link rel="canonical" href="/new">')
    page(site, "/new")
    names = ("home", *(f"old-{number}" for number in range(len(targets))), "foreign", "unknown", "copy")
    listed(site, **{name: {} for name in names})
    assert list(corrected(site)) == ["home", "good", "unknown", "new"]


def test_a_language_is_never_left_out_for_its_text(site: Site) -> None:
    """Neither by links that name each other, nor by one that is not returned."""
    for name, head in (("en", ""), ("en/de", '<link rel="alternate" hreflang="en" href="/en">'), ("en/plain", "")):
        page(site, f"/{name}", head, text=text_of("one"))
        site.pages[f"/{name}"] = Answer(html("one", text_of("one"), head), headers=HTML)
    listed(site, **{"en": {}, "en/de": {}, "en/plain": {}})
    assert list(corrected(site)) == ["en", "en/de"]


def test_links_to_other_languages_follow_their_pages(site: Site) -> None:
    for name in ("en", "fr", "nl"):
        page(site, f"/{name}")
    page(site, "/neu")
    moved(site, "/de", "/neu")
    whole = {"en": "en", "de": "de", "fr": "fr", "it": "it"}
    listed(site, en=whole, de=whole, fr=whole, it=whole, nl={"nl": "nl", "it": "it"})
    # A page that is gone leaves the group of languages, and one language alone needs no links.
    now = {"en": "en", "de": "neu", "fr": "fr"}
    assert corrected(site) == {"en": now, "neu": now, "fr": now, "nl": {}}
    with urlset.audit(site.url, http=HTTP) as audit:
        assert audit.corrections == {}
        list(audit.rows())
    assert audit.corrections == {"removed": 1, "replaced": 1, "dated": 0, "relinked": 4, "kept": 0}


def test_links_that_the_pages_have_themselves_are_left_to_them(site: Site, tmp_path: Path) -> None:
    """The pages still name the language that is gone: with fewer links than they have, the entries would differ."""
    whole = {"en": "en", "de": "de", "fr": "fr"}
    head = "".join(f'<link rel="alternate" hreflang="{language}" href="/{name}">' for language, name in whole.items())
    for name in ("en", "fr"):
        page(site, f"/{name}", head)
    listed(site, en=whole, de=whole, fr=whole)
    assert corrected(site) == {"en": {}, "fr": {}}


def test_a_correction_that_another_rule_would_find_is_taken_back(site: Site, tmp_path: Path) -> None:
    """No page links to what the page that is listed redirects to: listed itself, it would be an orphan."""
    page(site, "/", links=("/tea",))
    page(site, "/tea", links=("/",))
    page(site, "/new")
    moved(site, "/old", "/new")
    site.pages["/gone"] = Answer(status=410)
    listed(site, **{"": {}, "tea": {}, "old": {}, "gone": {}})
    assert list(corrected(site)) == ["", "tea", "new"]
    urlset.crawl(site.url, state=tmp_path / "site.duckdb", http=HTTP).close()
    assert list(corrected(site, tmp_path / "site.duckdb")) == ["", "tea", "old"]


def test_a_set_of_which_nothing_is_left_is_refused_with_the_reason_of_each_page(site: Site) -> None:
    page(site, "/hidden", '<meta name="robots" content="noindex">')
    listed(site, gone={}, hidden={})
    with urlset.audit(site.url, http=HTTP) as audit, pytest.raises(urlset.PublishError) as refused:
        list(audit.rows())
    assert str(refused.value) == (
        "there is no corrected set, because nothing is left of it: "
        f"{site.url}/gone is 404 (LIVE001); {site.url}/hidden has noindex (LIVE004: robots: noindex)"
    )


def test_a_set_that_was_not_read_whole_is_not_corrected(site: Site) -> None:
    page(site, "/tea")
    listed(site, tea={})
    site.pages["/index.xml"] = Answer(site.index("/sitemap.xml", "/gone.xml"))
    with urlset.audit(f"{site.url}/index.xml", http=HTTP) as audit:
        assert audit.failures
        with pytest.raises(urlset.PublishError, match=r"not all of it could be read: .*gone\.xml"):
            list(audit.rows())


def test_a_set_that_lint_would_find_more_in_is_refused(site: Site) -> None:
    """The page is of a host that the set lists, and that its sitemap may not list."""
    other = site.url.replace("127.0.0.1", "localhost")
    page(site, "/tea")
    page(site, "/new")
    moved(site, "/old", f"{other}/new")
    rows = "".join(f"<url><loc>{loc}</loc></url>" for loc in (f"{site.url}/tea", f"{site.url}/old", f"{other}/tea"))
    site.pages["/sitemap.xml"] = Answer(f"<urlset {NAMESPACES}>{rows}</urlset>".encode())
    http = urlset.Http(retries=0, timeout=10, private_addresses="always")
    rules = urlset.Rules(ignore=["LIVE022"])
    with urlset.audit(site.url, http=http, rules=rules) as audit, pytest.raises(urlset.PublishError) as refused:
        list(audit.rows())
    assert str(refused.value).startswith("there is no corrected set: lint would find LOC011 2 times, and not 1: ")


def test_a_target_that_was_cut_is_not_listed(site: Site) -> None:
    page(site, "/tea")
    long = "/" + "l" * 3_000
    page(site, long)
    moved(site, "/old", long)
    listed(site, tea={}, old={})
    assert list(corrected(site)) == ["tea"]
