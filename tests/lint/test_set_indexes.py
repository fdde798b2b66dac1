"""Indexes of a set: what is nested, what leads back to itself, and which document an entry means."""

from __future__ import annotations

from pathlib import Path

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.lint import sets
from support.lint.sets import SITE, Listed, Page, index_of
from support.properties import times
from support.reading import CORE
from urlset import Severity
from urlset._lint.set import SetDocument

ASKED = {code: sets.EVERY[code] for code in ("IDX001", "IDX002")}


def graph(edges: list[set[int]]) -> list[SetDocument]:
    """Indexes in memory, each of which lists some of them by their URLs."""
    return [
        sets.index_in_memory(f"{number}.xml", ((f"{SITE}/{target}.xml", None) for target in sorted(targets)))
        for number, targets in enumerate(edges)
    ]


def said_of(documents: list[SetDocument]) -> dict[str, list[tuple[int, int]]]:
    """The numbers of what was found: document and line."""
    findings = sets.check(documents, ASKED, agents=["*"], robots={}, fold=1000)
    numbers = {document.location: number for number, document in enumerate(documents)}
    said: dict[str, list[tuple[int, int]]] = {code: [] for code in ASKED}
    for each in findings.diagnostics:
        said[each.code].append((numbers[each.location], each.line))
    return said


def reached(edges: list[set[int]]) -> list[set[int]]:
    """What can be reached from each index by one step or more."""
    found = [set(targets) for targets in edges]
    for _ in edges:
        found = [each.union(*(found[target] for target in each)) for each in found]
    return found


@times(300)
@given(
    st.integers(1, 7).flatmap(lambda n: st.lists(st.sets(st.integers(0, n - 1), max_size=3), min_size=n, max_size=n))
)
def test_loops_are_reported_once_and_other_nesting_as_such(edges: list[set[int]]) -> None:
    said = said_of(graph(edges))
    lines = {(number, 2 + at): (number, to) for number, each in enumerate(edges) for at, to in enumerate(sorted(each))}
    reach = reached(edges)
    in_loop = {(number, to) for number, to in lines.values() if number in reach[to]}
    # Whatever is not in a loop is nested, and nothing that is.
    assert {lines[each] for each in said["IDX001"]} == set(lines.values()) - in_loop
    closing = {lines[each] for each in said["IDX002"]}
    assert len(closing) == len(said["IDX002"])
    assert closing <= in_loop
    # Without the entries that close them, no loop is left, and each entry closes a loop of its own.
    left = [{to for to in each if (number, to) not in closing} for number, each in enumerate(edges)]
    assert all(number not in found for number, found in enumerate(reached(left)))
    for number, to in closing:
        again = [set(each) for each in left]
        again[number].add(to)
        assert number in reached(again)[number]


def test_a_loop_is_reported_at_its_closing_entry_with_its_way() -> None:
    documents = graph([{1, 2}, {2}, {0}, {0}])
    findings = sets.check(documents, ASKED, agents=["*"], robots={}, fold=50)
    assert [str(each) for each in findings.diagnostics] == [
        "2.xml:2:1: IDX002 this leads back: 0.xml lists 2.xml lists 0.xml",
        "3.xml:2:1: IDX001 0.xml is an index, and no index may list one",
    ]
    assert [each.severity for each in findings.diagnostics] == ["error", "error"]
    assert [each.help for each in findings.diagnostics] == [
        "take the entry out",
        "list its children here instead, or name it in robots.txt",
    ]
    assert findings.counts == {"IDX001": 1, "IDX002": 1}


def test_each_of_two_rules_can_be_enabled_alone() -> None:
    documents = graph([{0, 1}, set()])
    for code, line in ("IDX002", 2), ("IDX001", 3):
        findings = sets.check(documents, {code: "error"}, agents=["*"], robots={}, fold=50)
        assert [(each.code, each.line) for each in findings.diagnostics] == [(code, line)]


def test_a_loop_is_found_through_another_spelling_of_a_url(tmp_path: Path) -> None:
    loc = SITE.upper() + ":443/sitemap.xml"
    root = sets.lay(tmp_path, "sitemap.xml", index_of([(loc, None)]), kind="sitemapindex", entries=1)
    assert said_of([root])["IDX002"] == [(0, 2)]


def test_a_long_chain_of_indexes_is_followed() -> None:
    many = 3_000
    said = said_of(graph([{number + 1} for number in range(many)] + [{0}]))
    assert said == {"IDX001": [], "IDX002": [(many, 2)]}


@pytest.mark.parametrize(
    ("listed", "lines"),
    [
        (["sitemap.xml", "pages.xml"], [2]),
        (["pages.xml", "sitemap.xml"], [3]),
        (["sitemap.xml"], [2]),
        (["deep/pages.xml", "sitemap.xml"], [3]),
        # The ones of two subfolders, which have the same name.
        (["de/sitemap.xml", "en/pages.xml"], []),
        (["pages.xml", "de/sitemap.xml"], []),
        (["pages.xml"], []),
    ],
)
def test_an_index_whose_url_is_not_known_lists_itself_by_name(
    tmp_path: Path, listed: list[str], lines: list[int]
) -> None:
    text = index_of((f"{SITE}/{name}", None) for name in listed)
    root = sets.lay(tmp_path, "sitemap.xml", text, kind="sitemapindex", entries=len(listed), url=None)
    findings = sets.check([root], ASKED, agents=["*"], robots={}, fold=50)
    assert [(each.code, each.line, each.message) for each in findings.diagnostics] == [
        ("IDX002", line, "the index lists itself") for line in lines
    ]


def test_an_index_with_a_known_url_is_meant_by_that_alone(tmp_path: Path) -> None:
    listed = [("https://b.example/sitemap.xml", None), (f"{SITE}/sitemap.xml", None)]
    root = sets.lay(tmp_path, "sitemap.xml", index_of(listed), kind="sitemapindex", entries=2)
    assert said_of([root])["IDX002"] == [(0, 3)]


def test_a_child_leads_back_to_a_root_whose_url_is_not_known(tmp_path: Path) -> None:
    inner = index_of([(f"{SITE}/sitemap.xml", None), (f"{SITE}/pages.xml", None)])
    documents = [
        sets.lay(
            tmp_path, "sitemap.xml", index_of([(f"{SITE}/inner.xml", None)]), kind="sitemapindex", entries=1, url=None
        ),
        sets.lay(tmp_path, "inner.xml", inner, kind="sitemapindex", entries=2, parent=0),
    ]
    assert said_of(documents) == {"IDX001": [], "IDX002": [(1, 2)]}


def test_a_lastmod_in_the_future_does_not_make_an_index_stale(tmp_path: Path) -> None:
    page = Listed((Page(f"{SITE}/a", "2026-01-05"), Page(f"{SITE}/b", "2062-01-01")))
    documents = [
        sets.lay(tmp_path, "sitemap.xml", index_of([(f"{SITE}/1.xml", "2026-01-09")]), kind="sitemapindex", entries=1),
        sets.lay_pages(tmp_path, "1.xml", page, parent=0),
    ]
    asked: dict[str, Severity] = {"IDX007": "warning"}
    now = sets.utc(2026, 2, 1, 12)
    assert sets.check(documents, asked, agents=["*"], robots={}, fold=50, now=now).counts == {}
    assert sets.check(documents, asked, agents=["*"], robots={}, fold=50).counts == {"IDX007": 1}


@pytest.mark.parametrize(
    ("listed", "entry", "is_stale"),
    [
        ("2026-01-01", "2026-01-01T12:00:00Z", False),
        ("2026-01-01", "2026-01-01", False),
        ("2026-01-01", "2026-01-02", True),
        ("2026-01", "2026-01-31", False),
        ("2026-01", "2026-02-01", True),
        ("2025", "2026", True),
        ("2026-01-01", "2026-01-02T11:59:00Z", False),
        ("2026-01-01", "2026-01-02T12:00:01Z", True),
        ("2026-01-01T11:00:00Z", "2026-01-02", False),
        ("2026-01-01T09:59:59Z", "2026-01-02", True),
    ],
)
def test_dates_are_compared_by_days(tmp_path: Path, listed: str, entry: str, is_stale: bool) -> None:
    text = f'<urlset xmlns="{CORE}"><url><loc>{SITE}/1</loc><lastmod>{entry}</lastmod></url></urlset>'
    (tmp_path / "a.xml").write_text(text, "utf-8")
    (tmp_path / "sitemap.xml").write_text(index_of([(f"{SITE}/a.xml", listed)]), "utf-8")
    assert urlset.lint(tmp_path, rules=urlset.Rules(select=["IDX007"])).counts == ({"IDX007": 1} if is_stale else {})


def test_a_loc_in_two_spellings_is_one_page(tmp_path: Path) -> None:
    locs = {
        "a": (
            "https://shop.example/",
            "https://shop.example/é",
            "https://shop.example/b/../c",
            "https://shop.example/Tea",
        ),
        "b": (
            "HTTPS://Shop.example:443",
            "https://shop.example/%C3%A9",
            "https://shop.example/c",
            "https://shop.example/tea",
        ),
    }
    for name, each in locs.items():
        text = "".join(f"\n<url><loc>{loc}</loc></url>" for loc in each)
        (tmp_path / f"{name}.xml").write_text(f'<urlset xmlns="{CORE}">{text}</urlset>', "utf-8")
    (tmp_path / "sitemap.xml").write_text(index_of([(f"{SITE}/{name}.xml", None) for name in locs]), "utf-8")
    found = urlset.lint(tmp_path, rules=urlset.Rules(select=["IDX008"])).diagnostics
    assert [each.line for each in found] == [2, 3, 4]
    assert found[0].message == "`HTTPS://Shop.example:443` is in a.xml:2 too, as `https://shop.example/`"


def test_one_document_in_several_languages_shows_what_it_does_not_list() -> None:
    def linted(language: str) -> dict[str, int]:
        pages = [("/", "en", "/de"), ("/de/", language, "/")]
        text = "".join(
            f'<url><loc>{SITE}{loc}</loc><x:link rel="alternate" hreflang="{code}" href="{SITE}{loc}"/>'
            f'<x:link rel="alternate" hreflang="de" href="{SITE}{to}"/></url>'
            for loc, code, to in pages
        )
        data = f'<urlset xmlns="{CORE}" xmlns:x="http://www.w3.org/1999/xhtml">{text}</urlset>'
        return dict(urlset.lint(data.encode(), rules=urlset.Rules(select=["ALT009"])).counts)

    assert (linted("de"), linted("en")) == ({"ALT009": 1}, {})
