"""ALT011 and MOD012: what exactly is reported, and what is left to other rules or to nobody."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from support.lint import sets
from support.lint.sets import EVERY, SITE, Listed, Page
from urlset import Diagnostic
from urlset._lint.set import SetDocument

ELSEWHERE = "https://b.example/fr"


def page(name: str, *links: str) -> Page:
    """A page that links to pages of its host, and to others by their URLs."""
    return Page(f"{SITE}/{name}", None, tuple(("en", each if "://" in each else f"{SITE}/{each}") for each in links))


def found(folder: Path, pages: list[Page], *codes: str, fold: int = 50) -> tuple[Diagnostic, ...]:
    document = sets.lay_pages(folder, "1.xml", Listed(tuple(pages)))
    rules = {code: EVERY[code] for code in codes or ("ALT005", "ALT009", "ALT011")}
    return sets.check([document], rules, agents=["*"], robots={}, fold=fold).diagnostics


def lines(diagnostics: tuple[Diagnostic, ...]) -> list[tuple[str, int]]:
    return [(each.code, each.line) for each in diagnostics]


@pytest.mark.parametrize(
    ("pages", "reported"),
    [
        # complete, in another order, and a page that no other has
        ([page("a", "a", "b", "c"), page("b", "c", "b", "a"), page("c", "a", "b")], []),
        ([page("a", "b"), page("b", "a"), page("c")], []),
        # b and c are linked with a, but not with each other
        ([page("a", "b", "c"), page("b", "a"), page("c", "a")], [("ALT011", 3), ("ALT011", 4)]),
        # a page on a host of which nothing is listed, and only one of two lists it
        ([page("a", "b", ELSEWHERE), page("b", "a")], [("ALT011", 3)]),
        ([page("a", "b", ELSEWHERE), page("b", "a", ELSEWHERE)], []),
        # c links to b itself, which ALT005 reports
        ([page("a", "b", "c"), page("b", "a"), page("c", "a", "b")], [("ALT005", 4)]),
        # c does not link back to a, which ALT005 reports
        ([page("a", "b", "c"), page("b", "a"), page("c")], [("ALT005", 2)]),
        # a and b do not link to each other, so they are not a group
        ([page("a", "c"), page("b", "d"), page("c", "a"), page("d", "b")], []),
        ([page("a", "b", ELSEWHERE), page("b", ELSEWHERE)], [("ALT005", 2)]),
        # the links of two entries of one page count together
        ([page("a", "b", "c"), page("b", "a"), page("c", "a", "b"), page("b", "c")], []),
        ([page("a", "b", ELSEWHERE), page("b", "a"), page("b", "b")], [("ALT011", 3)]),
    ],
)
def test_links_that_a_page_lacks(tmp_path: Path, pages: list[Page], reported: list[tuple[str, int]]) -> None:
    # The languages of the links to themselves make it a set, but nothing of it is missing.
    assert lines(found(tmp_path, pages)) == reported


def test_a_target_that_is_not_listed_is_left_to_another_rule(tmp_path: Path) -> None:
    pages = [page("a", "b", "gone"), page("b", "a")]
    own = [Page(f"{SITE}/{name}", None, ((name, f"{SITE}/{name}"),)) for name in ("de", "fr")]
    assert lines(found(tmp_path, [*pages, *own])) == [("ALT009", 2)]
    assert found(tmp_path, pages, "ALT011") == ()


def test_up_to_three_missing_pages_are_named(tmp_path: Path) -> None:
    others = [f"https://{name}.example/" for name in "zyxwv"]
    such = f"which pages of its group link to, such as `{SITE}/a` (1.xml:2)"
    for count, named in [
        (1, "`https://z.example/`"),
        (3, "`https://x.example/`, `https://y.example/`, `https://z.example/`"),
        (5, "`https://v.example/`, `https://w.example/`, `https://x.example/` and 2 more"),
    ]:
        [finding] = found(tmp_path, [page("a", "b", *others[:count]), page("b", "a")])
        assert finding.message == f"does not link to {named}, {such}"
        assert finding.help == "list all languages of a page at each of them, itself included"


def test_the_example_is_the_first_page_that_has_a_missing_link(tmp_path: Path) -> None:
    pages = [page("c", "a", "b", ELSEWHERE), page("a", "b", "c", ELSEWHERE), page("b", "a", "c")]
    [finding] = found(tmp_path, pages)
    assert finding.message.endswith(f"such as `{SITE}/c` (1.xml:2)")


@pytest.mark.parametrize(("spokes", "count"), [(500, 500), (501, 0)])
def test_a_page_with_very_many_links_is_not_compared(tmp_path: Path, spokes: int, count: int) -> None:
    names = [f"{number:04d}" for number in range(spokes)]
    pages = [page("hub", *names), *(page(name, "hub") for name in names)]
    diagnostics = found(tmp_path, pages, "ALT011", fold=10)
    assert sum(1 + each.more for each in diagnostics) == count
    assert lines(diagnostics) == [("ALT011", line) for line in range(3, 13)] * bool(count)


# --- lastmods of one run -------------------------------------------------------------------------------------------

START = sets.utc(2026, 1, 31, 8)


def run_of(count: int, seconds: float, *, news: bool = False) -> list[Page]:
    """Pages that were rendered one after the other, the last this long after the first."""
    times = [START + timedelta(seconds=seconds) * at / (count - 1) for at in range(count)]
    return [Page(f"{SITE}/{at}", each.isoformat(), news=news and not at) for at, each in enumerate(times)]


def dated(count: int, lastmod: str | None) -> list[Page]:
    return [Page(f"{SITE}/dated/{at}", lastmod) for at in range(count)]


@pytest.mark.parametrize(
    ("pages", "is_reported"),
    [
        (run_of(100, 60), True),
        (run_of(100, 60.000001), False),
        (run_of(100, 61), False),
        (run_of(99, 60), False),
        (run_of(100, 0.5), True),
        # Dates alone do not count, nor does midnight, but too many of them show that there is another habit.
        (run_of(99, 60) + dated(1, "2026-01-31"), False),
        (run_of(100, 60) + dated(11, "2020-05-05"), True),
        (run_of(100, 60) + dated(11, "2020-05-05T00:00:00Z"), True),
        (run_of(100, 60) + dated(12, "2020-05-05"), False),
        (run_of(100, 60) + dated(11, None), True),
        (run_of(100, 60) + dated(12, None), False),
        # One other time is enough: not all are of one run.
        (run_of(100, 60) + dated(1, "2020-05-05T10:00:00Z"), False),
        (run_of(100, 60, news=True), False),
        # The same in all is MOD009.
        (dated(120, START.isoformat()), False),
    ],
)
def test_lastmods_within_a_minute(tmp_path: Path, pages: list[Page], is_reported: bool) -> None:
    assert lines(found(tmp_path, pages, "MOD012")) == [("MOD012", 1)] * is_reported


def test_a_run_over_several_documents_is_one_finding(tmp_path: Path) -> None:
    pages = run_of(120, 59.5)
    documents = [sets.lay_pages(tmp_path, f"{at}.xml", Listed(tuple(pages[at * 40 : at * 40 + 40]))) for at in range(3)]
    [finding] = sets.check(documents, {"MOD012": "warning"}, agents=["*"], robots={}, fold=50).diagnostics
    assert finding.location == str(tmp_path / "0.xml")
    between = "2026-01-31T08:00:00Z and 2026-01-31T08:00:59.5Z"
    assert finding.message == f"all 120 lastmods with a time in 3 documents lie between {between}"
    # Two of them alone have too few.
    assert sets.check(documents[:2], {"MOD012": "warning"}, agents=["*"], robots={}, fold=50).counts == {}


def test_documents_that_have_one_lastmod_each_are_left_to_another_rule(tmp_path: Path) -> None:
    def laid(name: str, second: int, other: int) -> SetDocument:
        lastmods = [f"2026-01-31T08:00:{each:02d}Z" for each in [second] * 45 + [other] * 5]
        pages = tuple(Page(f"{SITE}/{name}/{at}", each) for at, each in enumerate(lastmods))
        return sets.lay_pages(tmp_path, name, Listed(pages))

    rules = {"MOD012": EVERY["MOD012"]}
    both = [laid("1.xml", 1, 2), laid("2.xml", 3, 4)]
    assert sets.check(both, rules, agents=["*"], robots={}, fold=50).counts == {}
    third = sets.lay_pages(tmp_path, "3.xml", Listed(tuple(run_of(50, 30))))
    assert sets.check([*both, third], rules, agents=["*"], robots={}, fold=50).counts == {"MOD012": 1}
