"""The verb: what it takes, what it gives back, and what it refuses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
import urlset
from urlset import InputError

PAGES: list[Mapping[str, object]] = [
    {"loc": "https://a.example/b", "change_rate": 2.0, "importance": 3},
    {"loc": "https://a.example/a", "change_rate": 0.5},
    {"loc": "https://a.example/c", "change_rate": 0},
]


def test_a_table_gives_a_table_in_the_same_order() -> None:
    now = datetime(2026, 11, 27, tzinfo=UTC)
    with urlset.schedule(PAGES, budget=2, now=now) as found:
        rows = [each._asdict() for each in found]
        assert pa.table(found).to_pylist() == rows
        assert found.to_duckdb(duckdb.connect()).fetchall() == [tuple(row.values()) for row in rows]
        assert [row["loc"] for row in rows] == [page["loc"] for page in PAGES]
        assert (len(found), found.fetched, found.budget, found.policy) == (3, 2, 2, "azar")
        assert found.spent == pytest.approx(2)
        mean = (3 * rows[0]["freshness"] + rows[1]["freshness"] + rows[2]["freshness"]) / 5
        assert found.freshness == pytest.approx(mean)
    given = pa.Table.from_pylist(PAGES)
    tables: list[Any] = [given, duckdb.from_arrow(given)]
    for table in tables:
        with urlset.schedule(table, budget=2, now=now) as same:
            assert [each._asdict() for each in same] == rows


def test_a_large_table_keeps_its_order() -> None:
    table: Any = duckdb.sql(
        "SELECT 'https://a.example/' || i AS loc, (i % 100 + 1) / 50 AS change_rate FROM range(300000) t(i)"
    )
    with urlset.schedule(table, budget=1_000) as found:
        locs = pa.table(found).column("loc").to_pylist()
    assert locs == [f"https://a.example/{number}" for number in range(300_000)]


def test_no_pages_are_a_plan_too() -> None:
    with urlset.schedule([], budget=2) as found:
        assert (list(found), found.spent, found.freshness) == ([], 0, None)


@pytest.mark.parametrize(
    ("budget", "per_day"),
    [(5, 5), (0.5, 0.5), ("5/day", 5), ("5", 5), ("5/hour", 120), (" 2.5 / minute", 3_600), ("1/second", 86_400)],
)
def test_a_budget_is_per_day(budget: float | str, per_day: float) -> None:
    with urlset.schedule(PAGES, budget=budget) as found:
        assert found.budget == per_day
        assert found.spent == pytest.approx(per_day)


def test_a_budget_in_bytes_counts_the_size_of_pages() -> None:
    pages = [{"loc": "/small", "change_rate": 1, "bytes": 1_000}, {"loc": "/large", "change_rate": 1, "bytes": 100_000}]
    with urlset.schedule(pages, budget="50kB/day") as found:
        small, large = found
        assert found.budget == 50_000
        assert small.rate * 1_000 + large.rate * 100_000 == pytest.approx(50_000)
        assert small.rate > large.rate


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (0, "budget must be from 1e-12 to 1e+21 a day, got 0"),
        (-1, "budget must be from 1e-12 to 1e+21 a day, got -1"),
        (float("nan"), "budget must be from 1e-12 to 1e+21 a day, got nan"),
        (float("inf"), "budget must be from 1e-12 to 1e+21 a day, got inf"),
        ("0/day", "budget must be from 1e-12 to 1e+21 a day, got '0/day'"),
        ("5/week", "budget must be a number or a text such as '10000/day' or '20GB/day', got '5/week'"),
        (True, "budget must be a number or a text such as '10000/day' or '20GB/day', got True"),
    ],
)
def test_an_invalid_budget_is_refused(budget: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        urlset.schedule(PAGES, budget=budget)


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ({"loc": "/a"}, "the pages have no column change_rate"),
        ({"change_rate": 1}, "the pages have no column loc"),
        ({"loc": "/a", "chang_rate": 1}, "the pages have no column change_rate; did you mean chang_rate?"),
        ({"loc": None, "change_rate": 1}, "row 1 of the pages: loc must be a text, got None"),
        (
            {"loc": "/a", "change_rate": -1},
            "row 1 of the pages: change_rate must be changes per day: 0, or from 1e-12 to 1e+12, got -1.0",
        ),
        (
            {"loc": "/a", "change_rate": None},
            "row 1 of the pages: change_rate must be changes per day: 0, or from 1e-12 to 1e+12, got None; explore"
            " gives a share of the budget to pages without one",
        ),
        (
            {"loc": "/a", "change_rate": 1, "importance": float("nan")},
            "row 1 of the pages: importance must be 0, or from 1e-12 to 1e+12, got nan",
        ),
        (
            {"loc": "/a", "change_rate": 5e-324},
            "row 1 of the pages: change_rate must be changes per day: 0, or from 1e-12 to 1e+12, got 5e-324",
        ),
        ({"loc": "/a", "change_rate": "often"}, "a column of the pages has a value of another type: "),
        ("/a", "a page must be a mapping with loc and change_rate, got str"),
    ],
)
def test_pages_that_cannot_be_planned_are_refused(page: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        urlset.schedule([page], budget=2)


def test_a_budget_in_bytes_needs_sizes() -> None:
    with pytest.raises(InputError, match="the pages have no column bytes, which a budget in bytes needs"):
        urlset.schedule(PAGES, budget="1GB/day")
    with pytest.raises(InputError, match=r"row 1 of the pages: bytes must be from 1e-12 to 1e\+12, got 0\.0"):
        urlset.schedule([{"loc": "/a", "change_rate": 1, "bytes": 0}], budget="1GB/day")


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(InputError, match="policy must be 'azar', 'periodic'"):
        urlset.schedule(PAGES, budget=2, policy="best")  # type: ignore[arg-type]
