"""Pages that announce their changes, which `lambdacrawl` fetches then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import urlset

NOW = datetime(2026, 11, 27, tzinfo=UTC)


def planned(*pages: dict[str, object], budget: float, **options: Any) -> list[urlset.Visits]:
    rows = [{"loc": f"/{number}", "fetched": NOW - timedelta(days=1), **each} for number, each in enumerate(pages)]
    with urlset.schedule(rows, budget=budget, policy="lambdacrawl", now=NOW, **options) as plan:
        return list(plan)


def test_the_next_fetch_is_worth_the_same_with_notices_and_without() -> None:
    silent, told, cheap = planned(
        {"change_rate": 2.0}, {"change_rate": 50.0, "notices": True}, {"change_rate": 0.01, "notices": True}, budget=5
    )
    assert silent.rate + told.rate + cheap.rate == pytest.approx(5)
    # The derivatives of ln(f/(f + d)) and of ln(f/d).
    assert 2 / (silent.rate * (silent.rate + 2)) == pytest.approx(1 / told.rate)
    # All notices of a page that seldom changes are followed, so its copy is always fresh.
    assert [cheap.rate, cheap.freshness] == pytest.approx([0.01, 1])
    assert told.freshness == pytest.approx(told.rate / 50)


def test_a_page_waits_for_a_notice() -> None:
    pages: list[dict[str, object]] = [{"change_rate": 0.1, "notices": True, "signals": count} for count in (0, 1)]
    quiet, told, new = planned(*pages, {"change_rate": 0.1, "notices": True, "fetched": None}, budget=5)
    assert (quiet.next, quiet.why) == (None, "waits for a notice")
    assert (told.next, told.why) == (NOW, "a change was announced")
    assert (new.next, new.why) == (NOW, "never fetched")


def test_a_part_of_the_notices_is_followed_if_the_budget_is_small() -> None:
    pages: list[dict[str, object]] = [{"change_rate": 10.0, "notices": True, "signals": 1} for _ in range(1_000)]
    plan = planned(*pages, budget=2_500)
    assert 200 < sum(each.next == NOW for each in plan) < 300
    assert plan == planned(*pages, budget=2_500)


def test_less_is_spent_if_all_notices_are_followed() -> None:
    pages: list[dict[str, object]] = [{"change_rate": rate, "notices": True} for rate in (1, 2)]
    assert [each.rate for each in planned(*pages, budget=100)] == [1, 2]
    assert sum(each.rate for each in planned(*pages, budget=100, host_budget=1)) == pytest.approx(1)
    why = {each.why for each in planned(*pages, budget=100, host_budget=10)}
    assert why == {"waits for a notice"}
