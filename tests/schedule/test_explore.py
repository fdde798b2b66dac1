"""Pages that are hardly known, and what makes a page important."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
import urlset
from urlset import InputError
from urlset._schedule.policies import PolicyName

NOW = datetime(2026, 11, 27, tzinfo=UTC)


def page(loc: str, change_rate: float | None, **more: object) -> dict[str, object]:
    return {"loc": f"https://a.test/{loc}", "change_rate": change_rate, **more}


def rates(*pages: dict[str, object], budget: float = 10, **options: Any) -> list[float]:
    with urlset.schedule(pages, budget=budget, now=NOW, **options) as plan:
        assert [each.loc for each in plan] == [each["loc"] for each in pages]
        return [each.rate for each in plan]


@pytest.mark.parametrize("policy", get_args(PolicyName))
def test_a_share_of_the_budget_goes_to_unknown_pages(policy: PolicyName) -> None:
    known = [page("a", 1.0), page("b", 3.0)]
    found = rates(known[0], page("x", None), known[1], page("y", None, importance=3), policy=policy, explore=0.2)
    assert [found[1], found[3]] == pytest.approx([0.5, 1.5])
    assert [found[0], found[2]] == pytest.approx(rates(*known, budget=8, policy=policy))


def test_pages_with_fewer_than_two_looks_are_unknown() -> None:
    counts: tuple[int | None, ...] = (0, 1, 2, 9, None)
    pages: list[dict[str, object]] = [page(f"{looks}", 1.0, looks=looks) for looks in counts]
    found = rates(*pages, explore=0.3, policy="uniform")
    assert found == pytest.approx([1, 1, 3.5, 3.5, 1])
    assert rates(*pages, policy="uniform") == pytest.approx([2] * 5)
    assert rates(*(page(str(at), 1.0, looks=None) for at in range(2)), explore=0.3) == pytest.approx([5, 5])


def test_what_is_not_needed_to_explore_goes_to_the_others() -> None:
    assert rates(page("a", 1.0), page("b", 1.0), explore=0.5) == pytest.approx([5, 5])
    assert rates(page("a", 1.0), page("x", None, importance=0), explore=0.5) == pytest.approx([10, 0])
    assert rates({"loc": "https://a.test/"}, explore=0.5) == pytest.approx([5])


def test_an_explored_page_says_so() -> None:
    pages = [page("x", None, fetched=NOW), page("y", None), page("a", 1.0, fetched=NOW)]
    with urlset.schedule(pages, budget=10, explore=0.2, now=NOW) as plan:
        assert [each.why for each in plan] == [
            "every 1 d, to learn how often it changes",
            "never fetched",
            "every 3 h",
        ]
        assert [each.freshness is None for each in plan] == [True, True, False]
        assert plan.freshness == list(plan)[2].freshness
        assert plan.spent == pytest.approx(10)


def test_both_kinds_share_the_budget_of_their_host() -> None:
    pages: list[dict[str, object]] = [page("a", 1.0), page("x", None), {"loc": "https://b.test/", "change_rate": None}]
    found = rates(*pages, budget=100, explore=0.25, host_budget=8, policy="uniform")
    assert found == pytest.approx([6, 2, 8])
    assert rates(*pages, budget=4, explore=0.5, host_budget=8, policy="uniform") == pytest.approx([2, 1, 1])


def test_importance_is_a_column_of_the_callers() -> None:
    pages = [page("a", 1.0, priority=0.25, inlinks=3), page("b", 1.0, priority=None, inlinks=None)]
    pages = [{**each, "my sales": sales} for each, sales in zip(pages, (1, 3), strict=True)]

    def shares(importance: str) -> Any:
        return pytest.approx(rates(*pages, policy="importance", importance=importance))

    assert shares("importance") == [5, 5]
    assert shares("priority") == [10 / 3, 20 / 3]
    assert shares("inlinks") == [8, 2]
    assert shares("my sales") == [2.5, 7.5]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"explore": 1.5}, "explore must be a share from 0 to 1, got 1.5"),
        ({"explore": float("nan")}, "explore must be a share from 0 to 1, got nan"),
        ({"explore": True}, "explore must be a share from 0 to 1, got True"),
        ({}, "explore gives a share of the budget to pages without one"),
        ({"explore": 0.1, "importance": "sales"}, "the pages have no column sales, which importance names"),
        ({"explore": 0.1, "importance": "bytes"}, "importance must name a column such as priority or inlinks; 'bytes'"),
        (
            {"explore": 0.1, "importance": "rank"},
            "row 1 of the pages: rank must be 0, or from 1e-12 to 1e+12, got -1.0",
        ),
    ],
)
def test_what_cannot_be_explored_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        rates(page("x", None, rank=-1), **options)
