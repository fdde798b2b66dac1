"""The verb: what it takes, what it measures, and what it refuses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
import urlset
from urlset import InputError

PAGES: list[Mapping[str, object]] = [
    {"loc": "/news", "change_rate": 4.0, "importance": 2, "recall": 0.9, "precision": 0.5, "stamps": None},
    {"loc": "/tea", "change_rate": 0.1, "importance": 5, "stamps": 1},
    {"loc": "/about", "change_rate": 0},
]


def test_it_measures_what_a_plan_promises() -> None:
    found = urlset.simulate(urlset.drawn_pages(200), budget=40)
    assert [each.policy for each in found][:3] == ["periodic", "azar", "lambdacrawl"]
    assert not {"signals", "moved"} & {each.policy for each in found}
    for each in found:
        assert each.low is not None
        assert each.high is not None
        assert each.freshness is not None
        assert each.expected is not None
        assert each.low <= each.freshness <= each.high
        # Wider than the interval, which one of twenty may miss.
        assert abs(each.freshness - each.expected) < each.high - each.low
        assert each.fetches == pytest.approx(40, rel=0.02)
        assert each.bytes is None
    assert (found.pages, found.days, len(found)) == (200, 300, 6)


def test_lastmods_are_worth_what_they_say_and_believing_all_of_them_is_worse_than_none() -> None:
    pages = list(urlset.drawn_pages(300, recall=0.9, precision=0.95, stamped=0.5))
    found = urlset.simulate(pages, budget=60, policies=["moved", "periodic", "signals"])
    assert [each.policy for each in found] == ["signals", "periodic", "moved"]
    signals = found["signals"]
    assert signals.freshness == pytest.approx(signals.expected, abs=0.01)
    assert signals.fetches == pytest.approx(60, rel=0.02)


def test_notices_are_obeyed_by_the_policy_that_knows_them() -> None:
    pages = [{"loc": f"/{number}", "change_rate": 1, "notices": number < 5} for number in range(10)]
    found = urlset.simulate(pages, budget=6, policies=["lambdacrawl"], days=200)["lambdacrawl"]
    assert found.freshness == pytest.approx(found.expected, abs=0.01)
    assert found.fetches == pytest.approx(6, rel=0.02)


def test_moves_that_count_are_bounded_too() -> None:
    """A host may hold a page back for so long that its lastmod moves a billion times before the next fetch."""
    page = {"loc": "https://a.example/", "change_rate": 1e6, "recall": 0.5, "precision": 0.9, "host_budget": 1e-3}
    with pytest.raises(InputError, match="days must be fewer, or the budget smaller: signals takes "):
        urlset.simulate([page], budget=2, policies=["signals"])


def test_budgets_of_hosts_hold() -> None:
    pages = [{"loc": f"https://{host}.example/", "change_rate": 1, "host_budget": 0.5} for host in "ab"]
    assert urlset.simulate(pages, budget=6, policies=["azar"], days=100)["azar"].fetches == pytest.approx(1, rel=0.05)
    plain = [{name: value for name, value in page.items() if name != "host_budget"} for page in pages]
    found = urlset.simulate(plain, budget=6, host_budget="2/day", policies=["azar"], days=100)
    assert found["azar"].fetches == pytest.approx(4, rel=0.05)


def test_the_importance_is_in_any_column() -> None:
    pages = [{"loc": "/a", "change_rate": 1, "priority": 1.0}, {"loc": "/b", "change_rate": 1, "priority": 0}]
    found = urlset.simulate(pages, budget=1, importance="priority", policies=["importance"], days=100)["importance"]
    assert found.freshness == pytest.approx(1 - 1 / 2.718, abs=0.02)
    with pytest.raises(InputError, match="the pages have no column inlinks, which importance names"):
        urlset.simulate(pages, budget=1, importance="inlinks")
    with pytest.raises(InputError, match="'change_rate' means something else"):
        urlset.simulate(pages, budget=1, importance="change_rate")


@pytest.mark.long
def test_intervals_cover_what_a_plan_promises() -> None:
    covered = [
        each.low <= each.expected <= each.high
        for seed in range(15)
        for each in urlset.simulate(urlset.drawn_pages(200, seed=seed), budget=40, seed=seed, days=10)
        if each.low is not None and each.high is not None and each.expected is not None
    ]
    assert len(covered) == 90
    assert sum(covered) / len(covered) > 0.88


def test_a_table_gives_a_table() -> None:
    found = urlset.simulate(PAGES, budget=2, days=5)
    rows = [each._asdict() for each in found]
    assert pa.table(found).to_pylist() == rows
    assert found["moved"]._asdict() in rows
    assert found["moved"].expected is None
    given = pa.Table.from_pylist(PAGES)
    tables: list[Any] = [given, duckdb.from_arrow(given), iter(PAGES)]
    for table in tables:
        assert urlset.simulate(table, budget=2, days=5) == found
    with pytest.raises(KeyError):
        found["best"]


def test_a_seed_decides_chance() -> None:
    pages = list(urlset.drawn_pages(30, seed=3))
    assert pages == list(urlset.drawn_pages(30, seed=3)) != list(urlset.drawn_pages(30, seed=4))
    first = urlset.simulate(pages, budget=5, days=3, policies=["azar"], seed=2)
    assert first == urlset.simulate(pages, budget=5, days=3, policies=["azar", "azar"], seed=2)
    assert first != urlset.simulate(pages, budget=5, days=3, policies=["azar"], seed=1)


def test_bytes_are_counted_and_can_be_the_budget() -> None:
    pages = [{**page, "bytes": size} for page, size in zip(PAGES, (1_000, 5_000, 2_000), strict=True)]
    for each in urlset.simulate(pages, budget="10kB/day", policies=["azar", "moved"], days=100):
        assert each.bytes == pytest.approx(10_000, rel=0.05)


def test_no_pages_and_no_importance() -> None:
    assert [(each.freshness, each.fetches) for each in urlset.simulate([], budget=2, policies=["azar"])] == [(None, 0)]
    (found,) = urlset.simulate([{"loc": "/", "change_rate": 1, "importance": 0}], budget=2, policies=["uniform"])
    assert (found.freshness, found.low, found.high) == (None, None, None)


def test_pages_without_a_rate_of_change_are_left_out() -> None:
    given = [{"loc": "/new", "change_rate": None}, *PAGES]
    found = urlset.simulate(given, budget=2, days=5)
    assert (found.pages, found.left_out) == (3, 1)
    assert found.outcomes == urlset.simulate(PAGES, budget=2, days=5).outcomes
    assert urlset.simulate(given[:1], budget=2, policies=["azar"]).pages == 0


def test_drawn_pages_have_what_was_asked_for() -> None:
    pages = list(urlset.drawn_pages(1_000, recall=0.7, precision=0.8, stamped=0.25))
    stamped = [page for page in pages if page["section"] == "stamped"]
    assert 200 < len(stamped) < 300
    assert {(page["recall"], page["stamps"]) for page in stamped} == {(None, 1.0)}
    assert {(page["recall"], page["precision"], page["stamps"]) for page in pages if page["section"] == "dated"} == {
        (0.7, 0.8, None)
    }
    plain = list(urlset.drawn_pages(1_000))
    assert [page["change_rate"] for page in plain] == [page["change_rate"] for page in pages]
    assert {(page["recall"], page["precision"], page["stamps"]) for page in plain} == {(None, None, None)}


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ({"loc": "/a"}, "the pages have no column change_rate"),
        ({"loc": "/a", "change_rate": -1}, "row 1 of the pages: change_rate must be changes per day: 0, or from 1e-12"),
        ({"loc": "/a", "change_rate": 1, "recall": 1.5}, "row 1 of the pages: recall must be from 0 to 1, got 1.5"),
        (
            {"loc": "/a", "change_rate": 1, "recall": 0.5, "precision": 0},
            "row 1 of the pages: precision must be above 0, and up to 1, where recall is above 0, got 0.0",
        ),
        ({"loc": "/a", "change_rate": 1, "stamps": -1}, "row 1 of the pages: stamps must be 0, or from 1e-12 to 1e+12"),
        ({"loc": "/a", "change_rate": 1, "stamps": float("nan")}, "row 1 of the pages: stamps must be 0, or from"),
    ],
)
def test_pages_that_cannot_be_simulated_are_refused(page: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        urlset.simulate([page], budget=2, policies=["moved"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"days": 0}, "days must be a whole number from 1 up, got 0"),
        ({"days": 1.5}, "days must be a whole number from 1 up, got 1.5"),
        ({"seed": -1}, "seed must be a whole number from 0 up, got -1"),
        ({"policies": ["best"]}, "policies must be 'azar', 'periodic'"),
        ({"budget": "5/week"}, "budget must be a number or a text such as"),
        (
            {"budget": "10/second", "policies": ["azar"]},
            "days must be fewer, or the budget smaller: azar takes 259,200,000 steps in 10 runs of 30 days, and at most"
            " 20,000,000 are simulated",
        ),
        ({"budget": "10/second", "policies": ["moved"]}, "days must be fewer, or the budget smaller: moved takes"),
    ],
)
def test_what_cannot_be_simulated_is_refused(options: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        urlset.simulate(PAGES, **{"budget": 2, **options})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draw": 0}, "draw must be a whole number from 1 up, got 0"),
        ({"seed": "x"}, "seed must be a whole number from 0 up, got 'x'"),
        ({"recall": 1.2}, "recall must be a share from 0 to 1, got 1.2"),
        ({"precision": 0}, "precision must be a share above 0, and up to 1, got 0"),
        ({"stamped": float("nan")}, "stamped must be a share from 0 to 1, got nan"),
        ({"stamped": True}, "stamped must be a share from 0 to 1, got True"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        urlset.drawn_pages(**{"draw": 5, **options})


def test_a_million_pages_are_the_most() -> None:
    pages: Any = duckdb.sql("SELECT '/' || i AS loc, 1 AS change_rate FROM range(1000001) t(i)")
    with pytest.raises(InputError, match="a simulation has at most 1,000,000 pages, got 1,000,001: take a sample"):
        urlset.simulate(pages, budget=2)


@pytest.mark.parametrize("stamps", [1e6, 1e9, 1e12])
def test_stamps_without_end_are_refused_at_once(stamps: float) -> None:
    """They make the cycles of a plan by signals far shorter than the plan knows."""
    pages = [{"loc": "/a", "change_rate": 0.5, "recall": 0.7, "precision": 0.8, "stamps": stamps}]
    with pytest.raises(urlset.InputError, match="days must be fewer, or the budget smaller: signals takes"):
        urlset.simulate(pages, budget=1, policies=["signals"], days=300)
