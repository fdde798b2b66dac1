"""The rates of the policies: what makes them the best ones, and what no policy may break."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.properties import times
from urlset._schedule.policies import PolicyName

OPTIMAL: tuple[PolicyName, ...] = ("azar", "periodic", "lambdacrawl")
SIMPLE: tuple[PolicyName, ...] = ("uniform", "proportional", "importance")

#: What the next fetch of a page is worth at a rate: the derivative of what a policy maximizes, as its authors have it.
GAINS: dict[str, Callable[[float, float, float], float]] = {
    "azar": lambda m, d, f: m * d / (f + d) ** 2,
    "periodic": lambda m, d, f: m / d if f == 0 else m / d * (1 - (1 + d / f) * math.exp(-d / f)),
    "lambdacrawl": lambda m, d, f: math.inf if f == 0 else m * d / (f * (f + d)),
}

Page = tuple[float, float]
NUMBERS = st.floats(1e-4, 1e3)
PAGES = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=30)


def plan(
    pages: Sequence[Page],
    budget: float,
    policy: PolicyName,
    hosts: Sequence[str] = (),
    host_budget: float | None = None,
) -> list[float]:
    """The rates of pages, of which each is its rate of change and its importance."""
    names = hosts or ["a"] * len(pages)
    rows: list[dict[str, object]] = [
        {"loc": f"https://{host}.test/{number}", "change_rate": change, "importance": importance}
        for number, (host, (change, importance)) in enumerate(zip(names, pages, strict=True))
    ]
    with urlset.schedule(rows, budget=budget, policy=policy, host_budget=host_budget) as found:
        assert [page.loc for page in found] == [row["loc"] for row in rows]
        return [page.rate for page in found]


def drawn(number: int, seed: int = 1) -> list[Page]:
    """Pages as sites have them: most change seldom, and few are important."""
    numbers = random.Random(seed)
    return [(numbers.lognormvariate(-2, 2), 1 / place) for place in range(1, number + 1)]


@pytest.mark.parametrize("policy", OPTIMAL)
@times(50)
@given(pages=PAGES, budget=NUMBERS)
def test_no_fetch_is_worth_more_on_another_page(policy: PolicyName, pages: list[Page], budget: float) -> None:
    rates = plan(pages, budget, policy)
    assert math.isclose(sum(rates), budget, rel_tol=1e-9)
    gains = [GAINS[policy](m, d, f) for (d, m), f in zip(pages, rates, strict=True)]
    fetched = [gain for gain, rate in zip(gains, rates, strict=True) if rate > 1e-12 * budget]
    assert max(fetched) <= min(fetched) * (1 + 1e-6)
    assert all(gain <= max(fetched) * (1 + 1e-6) for gain, rate in zip(gains, rates, strict=True) if rate == 0)


@pytest.mark.parametrize("policy", [*OPTIMAL, *SIMPLE])
@times(30)
@given(pages=PAGES, budget=NUMBERS, seed=st.integers(0, 9))
def test_the_order_of_the_pages_does_not_count(policy: PolicyName, pages: list[Page], budget: float, seed: int) -> None:
    order = list(range(len(pages)))
    random.Random(seed).shuffle(order)
    rates, shuffled = plan(pages, budget, policy), plan([pages[place] for place in order], budget, policy)
    assert shuffled == pytest.approx([rates[place] for place in order], rel=1e-6, abs=1e-9 * budget)


@pytest.mark.parametrize("policy", OPTIMAL)
@times(30)
@given(pages=PAGES, budget=NUMBERS, more=st.floats(1.01, 10))
def test_a_larger_budget_takes_no_fetch_away(policy: PolicyName, pages: list[Page], budget: float, more: float) -> None:
    before, after = plan(pages, budget, policy), plan(pages, budget * more, policy)
    assert all(late >= early - 1e-9 * budget for early, late in zip(before, after, strict=True))


@pytest.mark.parametrize("policy", OPTIMAL)
@times(30)
@given(pages=PAGES, budget=NUMBERS, more=st.floats(1.01, 10))
def test_a_more_important_page_is_not_fetched_less(
    policy: PolicyName, pages: list[Page], budget: float, more: float
) -> None:
    (change, importance), *others = pages
    before = plan(pages, budget, policy)
    after = plan([(change, importance * more), *others], budget, policy)
    assert after[0] >= before[0] - 1e-9 * budget


@pytest.mark.parametrize("policy", OPTIMAL)
def test_pages_that_never_change_or_count_are_not_fetched(policy: PolicyName) -> None:
    assert plan([(0, 1), (1, 0), (0, 0)], 5, policy) == [0, 0, 0]
    assert plan([(0, 1), (2, 1), (1, 0)], 5, policy) == pytest.approx([0, 5, 0])


@pytest.mark.parametrize("policy", SIMPLE)
def test_a_simple_policy_is_a_proportion(policy: PolicyName) -> None:
    weights = {"uniform": (1, 1), "proportional": (3, 1), "importance": (1, 4)}[policy]
    expected = [6 * weight / sum(weights) for weight in weights]
    assert plan([(3, 1), (1, 4)], 6, policy) == pytest.approx(expected)


def test_the_policies_rank_as_their_authors_say() -> None:
    """And the closed form, run at even intervals, has 99 % of the freshness of the best rates for these."""
    pages = [{"loc": str(place), "change_rate": d, "importance": m} for place, (d, m) in enumerate(drawn(1_000))]
    found = {}
    for policy in (*OPTIMAL, *SIMPLE):
        with urlset.schedule(pages, budget=200, policy=policy) as each:
            found[policy] = each.freshness
    best = found["periodic"]
    assert found["azar"] > 0.99 * best
    assert best > found["azar"] > found["lambdacrawl"] > max(found[policy] for policy in SIMPLE)
    assert min(found, key=found.__getitem__) == "proportional"


def test_formulas_hold_for_numbers_of_all_sizes() -> None:
    pages = [(10.0**exponent, 10.0 ** (-exponent / 2)) for exponent in range(-12, 13)]
    for policy in OPTIMAL:
        for budget in (1e-6, 1, 1e6, 1e12):
            rates = plan(pages, budget, policy)
            assert sum(rates) == pytest.approx(budget, rel=1e-9)
            assert all(math.isfinite(rate) and rate >= 0 for rate in rates)


@pytest.mark.parametrize("policy", OPTIMAL)
def test_the_extremes_of_all_numbers_can_be_planned(policy: PolicyName) -> None:
    pages = [(change, importance) for change in (0, 1e-12, 1e12) for importance in (0, 1e-12, 1e12)]
    for budget in (1e-12, 1, 1e21):
        rates = plan(pages, budget, policy)
        assert sum(rates) == pytest.approx(budget, rel=1e-6)
        assert all(math.isfinite(rate) and rate >= 0 for rate in rates)
