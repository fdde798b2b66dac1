"""When pages are due, why, and in which order."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
import urlset
from urlset import InputError

NOW = datetime(2026, 11, 27, tzinfo=UTC)
DAY = timedelta(days=1)


def page(loc: str, days: float | None = None, change_rate: float = 1.0, **more: object) -> dict[str, object]:
    """A page that was fetched so many days ago."""
    return {
        "loc": loc,
        "change_rate": change_rate,
        "fetched": None if days is None else NOW - timedelta(days=days),
        **more,
    }


def planned(*pages: dict[str, object], budget: float, **options: Any) -> dict[str, urlset.Visits]:
    with urlset.schedule(pages, budget=budget, policy="uniform", now=NOW, **options) as plan:
        return {each.loc: each for each in plan}


def test_a_page_is_due_one_period_after_its_last_fetch() -> None:
    found = planned(page("/a", 1), page("/b", 5), budget=1)
    assert found["/a"].next == NOW + DAY
    assert found["/a"].why == "every 2 d"
    assert found["/b"].next == NOW
    assert found["/b"].why == "overdue by 3 d"


@pytest.mark.parametrize(
    ("budget", "why"),
    [
        (1, "every 1 d"),
        (0.01, "every 100 d"),
        (24, "every 1 h"),
        (20, "every 1.2 h"),
        (96, "every 15 min"),
        (1e5, "every 0.9 s"),
        (1e-12, "every 36525 d"),
    ],
)
def test_times_are_said_in_the_unit_that_fits(budget: float, why: str) -> None:
    assert planned(page("/a", 0), budget=budget)["/a"].why == why


def test_pages_that_are_not_fetched_say_why() -> None:
    pages = [
        page("/still", 1, 0),
        page("/minor", 1, importance=0),
        page("/wild", 1, 1e9),
        page("https://b.test/", 1, host_budget=0),
        page("/a", 1),
    ]
    with urlset.schedule(pages, budget=1, now=NOW) as plan:
        assert [(each.next is None, each.why) for each in plan] == [
            (True, "never changes"),
            (True, "not important"),
            (True, "not worth a fetch"),
            (True, "its host has no budget for it"),
            (False, "every 1 d"),
        ]


def test_a_host_that_bounds_a_page_is_named() -> None:
    assert planned(page("/a", 0), budget=9, host_budget=2)["/a"].why == "every 12 h, as its host allows"


def test_without_times_pages_are_spread_over_their_first_period() -> None:
    pages = [{"loc": f"/{number}", "change_rate": 1} for number in range(1_000)]
    with urlset.schedule(pages, budget=100, policy="uniform", now=NOW) as plan:
        waits = [(each.next - NOW) / DAY for each in plan if each.next is not None]
        days = Counter(int((visit.moment - NOW) / DAY) for visit in plan.due("30d"))
    assert min(waits) >= 0
    assert max(waits) <= 10
    assert all(70 < days[day] < 130 for day in range(30))
    assert days[0] == days[10] == days[20]


def test_new_pages_come_in_a_line_at_their_share_of_the_budget() -> None:
    old = [page(f"/old/{number}", 1) for number in range(100)]
    new = [page(f"/new/{number}", importance=1 + number % 3) for number in range(300)]
    with urlset.schedule([*old, *new], budget=40, policy="importance", now=NOW) as plan:
        found = [each for each in plan if each.loc.startswith("/new")]
        assert {each.why for each in found} == {"never fetched"}
        share = sum(each.rate for each in found)
        moments = sorted((each.next, -each.rate) for each in found if each.next is not None)
    assert moments[0][0] == NOW
    assert [rate for _, rate in moments] == sorted(rate for _, rate in moments)
    for number, (moment, rate) in enumerate(moments):
        assert (moment - NOW) / DAY == pytest.approx(number / share, abs=1e-6)
        assert (moment - NOW) / DAY <= 1 / -rate


def test_what_is_due_comes_in_order_and_as_often_as_it_is_due() -> None:
    pages = [page("/late", 9), page("/later", 12), page("/soon", 1.5), page("/never", 1, importance=0)]
    with urlset.schedule(pages, budget=1.5, policy="importance", now=NOW) as plan:
        visits = [((visit.moment - NOW) / DAY, visit.loc) for visit in plan.due(NOW + 4 * DAY)]
        assert visits == [
            (0, "/later"),
            (0, "/late"),
            (0.5, "/soon"),
            (2, "/later"),
            (2, "/late"),
            (2.5, "/soon"),
            (4, "/later"),
            (4, "/late"),
        ]
        assert list(plan.due(timedelta(days=4))) == list(plan.due("4d")) == list(plan.due(NOW + 4 * DAY))
        assert list(plan.due(NOW - DAY)) == []
        table = pa.table(plan.due("4d"))
        assert table.column("loc").to_pylist() == [loc for _, loc in visits]
        assert [str(kind) for kind in table.schema.types] == ["timestamp[us, tz=UTC]", "string"]
        assert pa.table(plan).column("next").to_pylist() == [each.next for each in plan]


@pytest.mark.parametrize(
    ("until", "message"),
    [
        ("soon", "until must be a time such as 12h or 2d, got 'soon'"),
        (timedelta(), "until must be more than nothing"),
        (datetime(2026, 12, 1), "until must have a time zone"),  # noqa: DTZ001
        ("900d", "until must be nearer: 1,800,000,00"),
    ],
)
def test_an_end_that_cannot_be_reached_is_refused(until: Any, message: str) -> None:
    pages = [page("/a", 0), page("/b", 0)]
    with (
        urlset.schedule(pages, budget=2e6, policy="uniform", now=NOW) as plan,
        pytest.raises(InputError, match=re.escape(message)),
    ):
        plan.due(until)


@pytest.mark.parametrize("fetched", ["infinity", "2300-01-01T00:00:00Z", "1492-10-12T00:00:00Z"])
def test_a_time_that_no_fetch_has_is_refused(fetched: str) -> None:
    message = "row 1 of the pages: fetched must be a time from 1970-01-01 to 2200-01-01, got "
    with pytest.raises(InputError, match=message):
        planned({"loc": "/a", "change_rate": 1, "fetched": fetched}, budget=1)
    with pytest.raises(InputError, match="a column of the pages has a value of another type"):
        planned({"loc": "/a", "change_rate": 1, "fetched": "yesterday"}, budget=1)
