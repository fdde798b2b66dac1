"""What a reader of a report must see first: what could not be read, and what is new."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import urlset
from support.audit.planted import NAMESPACES, html, text_of
from support.http_server import Answer, Site, serve
from support.report.page import parsed

HTTP = urlset.Http(retries=0, timeout=10)
RULES = urlset.Rules(select=["LIVE001", "LIVE003"])


@pytest.fixture
def site() -> Any:
    with serve() as site:
        yield site


def lay(site: Site, *gone: str, index: tuple[str, ...] = ()) -> None:
    """Serve a home page, and list it with pages that are gone; and an index of that and of missing sitemaps."""
    site.pages["/"] = Answer(html("/", text_of("/")), headers={"Content-Type": "text/html"})
    rows = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in ("/", *gone))
    site.pages["/pages.xml"] = Answer(f"<urlset {NAMESPACES}>{rows}</urlset>".encode())
    children = "".join(f"<sitemap><loc>{site.url}{path}</loc></sitemap>" for path in ("/pages.xml", *index))
    site.pages["/sitemap.xml"] = Answer(f"<sitemapindex {NAMESPACES}>{children}</sitemapindex>".encode())


def test_sitemaps_that_could_not_be_read_come_first_and_no_word_says_complete(site: Site, tmp_path: Path) -> None:
    lay(site, index=("/one.xml", "/two.xml", "/cut.xml"))
    site.pages["/cut.xml"] = Answer(f"<urlset {NAMESPACES}><url><loc>{site.url}/</loc></url>".encode())
    state = tmp_path / "site.duckdb"
    with urlset.audit(site.url, state=state, http=HTTP, rules=RULES) as audit:
        assert len(audit.failures) >= 2
    page = parsed(urlset.report(state, tmp_path / "r.html"))
    [first] = page.xpath("//header/section[1]")
    assert first.xpath("h2")[0].text == f"{len(audit.failures)} sitemaps could not be read"
    named = [item.text_content() for item in first.xpath("ul/li")]
    assert named == [str(failure) for failure in audit.failures]
    assert any("one.xml" in each for each in named)
    assert any("two.xml" in each for each in named)
    # Nothing of the header comes before it but what it is about.
    assert first.getprevious().get("class") == "facts"
    facts = page.xpath("//dl")[0].text_content()
    assert "Audit1, incomplete: " in facts
    assert "complete" not in facts.replace("incomplete", "")


def test_a_first_audit_with_a_crawl_is_the_first(site: Site, tmp_path: Path) -> None:
    lay(site)
    state = tmp_path / "site.duckdb"
    urlset.crawl(site.url, state=state, http=HTTP).close()
    with urlset.audit(site.url, state=state, http=HTTP, rules=RULES) as audit:
        assert (audit.number, audit.previous) == (1, None)
    facts = parsed(urlset.report(state, tmp_path / "r.html")).xpath("//dl")[0].text_content()
    assert "Audit1, complete" in facts


def test_new_pages_of_an_old_pattern_come_first_in_every_output(site: Site, tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"
    lay(site, "/a/1", "/a/2", "/a/3", "/b/1")
    urlset.audit(site.url, state=state, http=HTTP, rules=RULES).close()
    lay(site, "/a/1", "/a/2", "/a/3", "/a/8", "/a/9", "/b/1")
    with urlset.audit(site.url, state=state, http=HTTP, rules=RULES) as audit:
        by_pattern = {each.pattern: each for each in audit.findings}
        diagnostics = {each.pages[0]: each for each in audit}
    found = by_pattern["404 /a/…"]
    fresh, old = [f"{site.url}/a/8", f"{site.url}/a/9"], [f"{site.url}/a/{number}" for number in (1, 2, 3)]
    assert (found.state, found.count, found.new, list(found.examples)) == ("open", 5, 2, fresh + old)
    shown = diagnostics[fresh[0]]
    assert (shown.state, shown.new, shown.pages[:2], shown.source) == ("open", 2, tuple(fresh), fresh[0])
    page = parsed(urlset.report(state, tmp_path / "r.html"))
    [card] = page.xpath("//details[@class='card']")
    assert "2 new" in card.xpath("summary")[0].text_content()
    tops = [item.text_content() for item in card.xpath("ul[@class='top']/li")]
    assert fresh[0] in tops[0]
    assert "5 open, 2 new" in tops[0]
    assert "/b/1" in tops[1]
    lines = page.xpath("//noscript//tr")
    # Whoever looks for what is new finds the pattern, and its pages before the old ones.
    assert [row.get("data-f") for row in lines] == [
        "pattern new 5", "each new 1", "each new 1", "each open 1", "each open 1", "each open 1", "pattern open 1",
    ]  # fmt: skip
    assert [row.xpath(".//a/@href")[0] for row in lines[1:6]] == fresh + old


def test_a_baseline_is_a_number_a_day_or_a_file(site: Site, tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"
    days = [f"2026-03-0{day}T12:00:00+00:00" for day in (1, 2, 3, 4)]
    from datetime import date, datetime

    def new(day: int, baseline: Any, *gone: str) -> tuple[int, str | None]:
        lay(site, *gone)
        with urlset.audit(
            site.url, state=state, http=HTTP, rules=RULES, now=datetime.fromisoformat(days[day]), baseline=baseline
        ) as audit:
            return sum(each.new for each in audit.findings), audit.previous

    assert new(0, None, "/1") == (1, None)
    assert new(1, None, "/1", "/2") == (1, "audit 1 of 2026-03-01")
    everything = ("/1", "/2", "/3")
    assert new(2, None, *everything) == (1, "audit 2 of 2026-03-02")
    for baseline in (1, "1", "2026-03-01", date(2026, 3, 1)):
        assert new(3, baseline, *everything) == (2, "audit 1 of 2026-03-01")
    with pytest.raises(urlset.InputError, match=r"^baseline 40 is not a run of this file, which has audit 1 of "):
        new(3, 40, *everything)
    (tmp_path / "3").symlink_to(state)
    with urlset.audit(site.url, http=HTTP, rules=RULES, baseline=tmp_path / "3") as audit:
        assert audit.previous is not None
        assert audit.previous.endswith(" in 3")


def test_lint_and_audit_are_one_page(site: Site, tmp_path: Path) -> None:
    state = tmp_path / "site.duckdb"
    site.pages["/"] = Answer(html("/", text_of("/")), headers={"Content-Type": "text/html"})

    def rows(*more: str) -> None:
        body = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in ("/", "/gone", *more))
        site.pages["/sitemap.xml"] = Answer(f"<urlset {NAMESPACES}>{body}</urlset>".encode())

    rows("/#top")
    with urlset.audit(site.url, state=state, http=HTTP, lint=True) as audit:
        alone = urlset.lint(site.url, http=HTTP)
        assert audit.lint is not None
        assert audit.lint.counts == alone.counts
        assert alone.counts
        assert {each.code for each in audit} >= {"LIVE001", *alone.counts}
    page = parsed(urlset.report(state, tmp_path / "r.html"))
    codes = {code.text for code in page.xpath("//details[@class='card']/summary//code")}
    assert codes >= {"LIVE001", *alone.counts}
    rows("/new", "/#top", "/#end")  # all on one line, on which everything has moved
    with urlset.audit(site.url, state=state, http=HTTP, lint=True) as audit:
        states = {(each.code, marked(each)): each.state for each in audit.lint or ()}
    code = "LOC010"
    assert (states[code, f"{site.url}/#top"], states[code, f"{site.url}/#end"]) == ("open", "new")


def test_what_is_fixed_in_sitemaps_is_told_once(site: Site, tmp_path: Path) -> None:
    """And only if it could be found: all sitemaps were read, and by the same rule."""
    state = tmp_path / "site.duckdb"
    site.pages["/"] = Answer(html("/", text_of("/")), headers={"Content-Type": "text/html"})
    site.pages["/robots.txt"] = Answer(f"Sitemap: {site.url}/a.xml\nSitemap: {site.url}/b.xml\n".encode())
    site.pages["/b.xml"] = Answer(site.urlset("/b", 1))

    def rows(*locs: str) -> None:
        body = "".join(f"<url><loc>{site.url}{loc}</loc></url>\n" for loc in locs)
        site.pages["/a.xml"] = Answer(f"<urlset {NAMESPACES}>{body}</urlset>".encode())

    def fixed(profile: str = "protocol") -> list[tuple[str, str]]:
        rules = urlset.Rules(profile=profile)
        with urlset.audit(site.url, state=state, http=HTTP, lint=True, rules=rules) as audit:
            assert not set(audit.lint_fixed) & set(audit.diagnostics)
            assert audit.as_dict()["lint_fixed"] == len(audit.lint_fixed)
            return [(each.code, each.message) for each in audit.lint_fixed]

    rows("/#top", "/#end")
    assert fixed() == []
    rows("/", "/#end")
    whole = site.pages.pop("/b.xml")
    assert fixed() == []  # b.xml might have it
    site.pages["/b.xml"] = whole
    rows("/#top", "/#end")
    assert fixed() == []
    rows("/", "/#end")
    [(code, message)] = fixed()
    assert (code, message[:7]) == ("LOC010", "fixed: ")
    page = parsed(urlset.report(state, tmp_path / "r.html"))
    [card] = [
        each for each in page.xpath("//details[@class='card']") if each.xpath("summary//code")[0].text == "LOC010"
    ]
    assert [each.text for each in card.xpath(".//span[@class='marks']")] == ["1 fixed"]
    assert [each.text for each in card.xpath(".//span[@class='times']")] == ["1 open", "0 fixed"]
    assert fixed() == []  # it was told
    rows("/")
    assert [code for code, _ in fixed()] == ["LOC010"]


def marked(finding: urlset.Diagnostic) -> str:
    """What the carets are below."""
    first = finding.source_column - 1
    return finding.source[first : first + finding.end_column - finding.column]
