"""What robots.txt says of the sitemaps of a set, and which hosts agree to be listed."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.lint import sets
from support.lint.sets import SITE, Listed, Page, index_of
from support.robots import ANSWERS, VECTORS
from urlset._lint.set import SetDocument, Sites, proven_hosts

INDEX = f"{SITE}/sitemap.xml"


def laid(folder: Path) -> list[SetDocument]:
    """An index and two children, of which the second is on its own as well."""
    children = [(f"{SITE}/1.xml", None), (f"{SITE}/private/2.xml", None)]
    page = Listed((Page(f"{SITE}/a"),))
    return [
        sets.lay(folder, "sitemap.xml", index_of(children), kind="sitemapindex", entries=2),
        sets.lay_pages(folder, "1.xml", page, parent=0),
        sets.lay_pages(folder, "2.xml", page, url=f"{SITE}/private/2.xml"),
    ]


def said(documents: list[SetDocument], code: str, robots: dict[str, bytes], *agents: str) -> list[str]:
    asked = {code: sets.EVERY[code]}
    findings = sets.check(documents, asked, agents=agents or ("*",), robots=robots, fold=50)
    assert findings.counts == ({code: len(findings.diagnostics)} if findings.diagnostics else {})
    return [f"{Path(each.location or '').name}:{each.line} {each.message}" for each in findings.diagnostics]


MISSING = [f"sitemap.xml:1 no Sitemap line in the robots.txt of a.example names {INDEX}"]


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        (f"{SITE}/robots.txt", f"Sitemap: {INDEX}", []),
        (f"{SITE}/robots.txt", f"# see <{SITE}/>\nSitemap: {INDEX}", []),
        (f"{SITE}/robots.txt", f"<!-- ours -->\nSitemap: {INDEX}", []),
        (f"{SITE}/robots.txt", "Sitemap: /sitemap.xml", []),  # ROB002 says that it is not absolute
        ("a.example", f"sitemap: {INDEX}\n", []),
        (f"{SITE}/robots.txt", f"Sitemap: {INDEX.replace('a.example', 'A.EXAMPLE:443')}", []),
        (f"{SITE}/robots.txt", f"User-agent: *\nDisallow:\nSitemap: {SITE}/old.xml", MISSING),
        (f"{SITE}:443/robots.txt", "", MISSING),
        ("A.example", "<html>404</html>", MISSING),
        ("https://b.example/robots.txt", "", []),  # of another host nothing is known
        ("http://a.example/robots.txt", "", []),
    ],
)
def test_a_root_that_robots_does_not_name(tmp_path: Path, key: str, text: str, expected: list[str]) -> None:
    # The children are found by the index, also the one that was given beside it.
    assert said(laid(tmp_path), "ROB001", {key: text.encode()}) == expected


def test_a_sitemap_that_robots_led_to_is_listed(tmp_path: Path) -> None:
    page = Listed((Page(f"{SITE}/a"),))
    documents = [
        sets.lay(tmp_path, "robots.txt", f"Sitemap: {SITE}/1.xml", kind="robots", entries=1),
        sets.lay_pages(tmp_path, "1.xml", page, parent=0),
    ]
    assert said(documents, "ROB001", {f"{SITE}/robots.txt": b""}) == []


def test_sitemaps_that_robots_disallows(tmp_path: Path) -> None:
    documents = laid(tmp_path)
    robots = {f"{SITE}/robots.txt": b"User-agent: *\nDisallow: /private/\n\nUser-agent: Badbot\nDisallow: /*.xml$"}
    blocked = "the robots.txt of a.example disallows it to"
    assert said(documents, "ROB003", robots) == [f"2.xml:1 {blocked} every crawler"]
    assert said(documents, "ROB003", robots, "Badbot", "Otherbot") == [
        f"sitemap.xml:1 {blocked} Badbot",
        f"1.xml:1 {blocked} Badbot",
        f"2.xml:1 {blocked} Badbot, Otherbot",
    ]
    assert said(documents, "ROB003", {}) == []


def test_rules_beyond_500_kib_do_not_count(tmp_path: Path) -> None:
    documents = laid(tmp_path)
    rule = b"User-agent: *\nDisallow: /1.xml\n"
    for filler, count in (500 * 1024 - len(rule), 1), (500 * 1024, 0):
        text = b"#" * (filler - 1) + b"\n" + rule
        assert len(said(documents, "ROB003", {"a.example": text})) == count


def test_hundreds_of_robots_rules_are_matched_in_one_pass(tmp_path: Path) -> None:
    rules = "".join(f"Disallow: /section-{number}/*/x{'y' * 300}\n" for number in range(450))
    locs = [f"{SITE}/section-{number}/a/x{'y' * 300}" for number in (0, 99, 100, 449, 450)]
    document = sets.lay_pages(tmp_path, "1.xml", Listed(tuple(map(Page, locs))))
    robots = {"a.example": f"User-agent: *\n{rules}".encode()}
    assert [each.partition(" ")[0] for each in said([document], "ROB004", robots)] == [
        f"1.xml:{n}" for n in (2, 3, 4, 5)
    ]


def test_escapes_are_matched_in_both_spellings(tmp_path: Path) -> None:
    locs = [f"{SITE}/é", f"{SITE}/%c3%a9", f"{SITE}/e", f"{SITE}/%61", f"{SITE}/%FF", f"{SITE}/a*b", f"{SITE}/page?"]
    document = sets.lay_pages(tmp_path, "1.xml", Listed(tuple(map(Page, locs))))
    for rule, lines in ("/*A9", [2, 3]), ("/%C3%A9", [2, 3]), ("/a$", [5]), ("/*F", [6]), ("/a%2Ab", [7]), ("/*?", [8]):
        robots = {"a.example": f"User-agent: *\nDisallow: {rule}".encode()}
        assert [each.partition(" ")[0] for each in said([document], "ROB004", robots)] == [f"1.xml:{n}" for n in lines]


@pytest.mark.parametrize("name", ANSWERS)
def test_every_verdict_of_the_vectors(tmp_path: Path, name: str) -> None:
    robots = {"a.example": (VECTORS / f"{name}.txt").read_bytes()}
    for each in ANSWERS[name]["verdicts"]:
        document = sets.lay_pages(tmp_path, "1.xml", Listed((Page(each["url"]),)))
        found = said([document], "ROB004", robots, each["agent"])
        assert len(found) == (each["line"] is not None), each


def test_crawlers_that_share_a_group_share_its_rules(tmp_path: Path) -> None:
    text = f"User-agent: *\nCrawl-delay: 10\n\nUser-agent: GPTBot\nDisallow: /\nSitemap: {INDEX}\n"
    pages = sets.lay_pages(tmp_path, "1.xml", Listed((Page(f"{SITE}/a"),)))
    assert len(said([pages], "ROB004", {"a.example": text.encode()})) == 1


def test_only_rules_for_the_agents_count(tmp_path: Path) -> None:
    document = sets.lay_pages(tmp_path, "1.xml", Listed((Page(f"{SITE}/a"), Page(SITE), Page("https://b.example/a"))))
    robots = {f"{SITE}/robots.txt": b"User-agent: Badbot\nDisallow: /\n\nUser-agent: *\nDisallow: /b"}
    assert said([document], "ROB004", robots) == []
    blocked = "the robots.txt of a.example disallows"
    assert said([document], "ROB004", robots, "Googlebot", "Badbot") == [
        f"1.xml:2 {blocked} `{SITE}/a` to Badbot",
        f"1.xml:3 {blocked} `{SITE}` to Badbot",
    ]


def test_every_site_has_its_own_rules(tmp_path: Path) -> None:
    locs = ["https://a.example/x", "http://a.example/x", "https://b.example/x", "http://b.example/x"]
    document = sets.lay_pages(tmp_path, "1.xml", Listed(tuple(map(Page, locs))))
    closed = b"User-agent: *\nDisallow: /x"
    robots = {"https://a.example/robots.txt": closed, "b.example": closed, "https://b.example/robots.txt": b""}
    assert [each.split("`")[1] for each in said([document], "ROB004", robots)] == [locs[0], locs[3]]


def test_hosts_agree_by_a_sitemap_line() -> None:
    robots = {
        "https://a.example/robots.txt": f"Sitemap: {INDEX}".encode(),
        "https://b.example/robots.txt": f"User-agent: *\nDisallow: /\nSitemap: {SITE}/1.xml".encode(),
        "C.example:8080": f"sitemap:{INDEX}\r\n".encode(),
        "https://d.example/robots.txt": b"Sitemap: https://d.example/sitemap.xml",
        "https://e.example/robots.txt": b"",
    }
    assert proven_hosts(f"{SITE}/1.xml", INDEX, robots) == {"a.example", "b.example", "c.example"}
    assert proven_hosts(f"{SITE}/1.xml", None, robots) == {"b.example"}
    assert proven_hosts(INDEX, None, Sites(robots)) == {"a.example", "c.example"}
    assert proven_hosts(None, None, robots) == set()
