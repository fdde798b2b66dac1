"""The optimal policies find what a general optimizer finds, which knows nothing of their formulas."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import urlset
from urlset._schedule.policies import PolicyName

from schedule.test_policies import OPTIMAL, drawn, plan

#: What a policy maximizes, of importance, rate of change and rate, and its derivative by the rate.
Objective = tuple[Callable[[float, float, float], float], Callable[[float, float, float], float]]
OBJECTIVES: dict[PolicyName, Objective] = {
    "azar": (lambda m, d, f: m * f / (f + d), lambda m, d, f: m * d / (f + d) ** 2),
    "periodic": (
        lambda m, d, f: -m * math.expm1(-d / f) * f / d if f else 0.0,
        lambda m, d, f: m / d * (1 - (1 + d / f) * math.exp(-d / f)) if f else m / d,
    ),
    "lambdacrawl": (lambda m, d, f: m * math.log(f / (f + d)), lambda m, d, f: m * d / (f * (f + d))),
}
#: The least rate that the optimizer may choose. What `lambdacrawl` maximizes is not a number at 0.
LEAST: dict[PolicyName, float] = {"azar": 0.0, "periodic": 0.0, "lambdacrawl": 1e-9}


def total(policy: PolicyName, pages: Sequence[tuple[float, float]], rates: Sequence[float]) -> float:
    """What a policy maximizes, over all pages."""
    value, _ = OBJECTIVES[policy]
    return math.fsum(value(m, d, f) for (d, m), f in zip(pages, rates, strict=True))


def best(
    policy: PolicyName,
    pages: Sequence[tuple[float, float]],
    budget: float,
    hosts: Sequence[str] = (),
    cap: float = math.inf,
) -> list[float]:
    """The rates that SLSQP finds. No host may be asked for more than `cap`."""
    optimize: Any = pytest.importorskip("scipy.optimize")
    _, slope = OBJECTIVES[policy]
    scale = sum(m for _, m in pages)
    found = optimize.minimize(
        lambda rates: -total(policy, pages, rates) / scale,
        [budget / len(pages)] * len(pages),
        jac=lambda rates: [-slope(m, d, f) / scale for (d, m), f in zip(pages, rates, strict=True)],
        method="SLSQP",
        bounds=[(LEAST[policy], budget)] * len(pages),
        constraints=[
            {"type": "eq", "fun": lambda rates: math.fsum(rates) - budget, "jac": lambda rates: [1.0] * len(rates)},
            *(_within(host, hosts, cap) for host in sorted(set(hosts))),
        ],
        options={"ftol": 1e-15, "maxiter": 2_000},
    )
    assert found.success, found.message
    return [float(rate) for rate in found.x]


def _within(host: str, hosts: Sequence[str], cap: float) -> dict[str, Any]:
    """The constraint that a host is asked for no more than its budget."""
    share = [float(each == host) for each in hosts]
    return {
        "type": "ineq",
        "fun": lambda rates: cap - math.fsum(rate * part for rate, part in zip(rates, share, strict=True)),
        "jac": lambda _: [-part for part in share],
    }


@pytest.mark.long
@pytest.mark.parametrize("policy", OPTIMAL)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.05, 0.5, 4.0])
def test_an_optimizer_finds_nothing_better(policy: PolicyName, seed: int, share: float) -> None:
    pages = drawn(12, seed)
    budget = share * sum(d for d, _ in pages)
    ours, theirs = plan(pages, budget, policy), best(policy, pages, budget)
    assert math.fsum(ours) == pytest.approx(budget, rel=1e-12)
    found, known = total(policy, pages, ours), total(policy, pages, theirs)
    assert found == pytest.approx(known, rel=1e-9)
    # Rates are told less exactly than what they are worth, since all near the best are worth nearly the same.
    assert ours == pytest.approx(theirs, abs=1e-3 * budget)


@pytest.mark.long
@pytest.mark.parametrize("policy", OPTIMAL)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.35, 0.6])
def test_an_optimizer_finds_nothing_better_within_the_budgets_of_hosts(
    policy: PolicyName, seed: int, share: float
) -> None:
    pages, hosts = drawn(12, seed), list("aaaaabbbbccc")
    budget = 0.5 * sum(d for d, _ in pages)
    cap = share * budget
    ours, theirs = plan(pages, budget, policy, hosts, cap), best(policy, pages, budget, hosts, cap)
    assert math.fsum(ours) == pytest.approx(budget, rel=1e-12)
    assert total(policy, pages, ours) == pytest.approx(total(policy, pages, theirs), rel=1e-9)
    assert ours == pytest.approx(theirs, abs=1e-3 * budget)


@pytest.mark.parametrize("policy", OPTIMAL)
def test_no_other_rates_are_better(policy: PolicyName) -> None:
    """Without an optimizer: every way to move budget between two pages is worth less."""
    pages = drawn(6, 3)
    rates = plan(pages, 2.0, policy)
    known = total(policy, pages, rates)
    numbers = random.Random(1)
    for _ in range(200):
        giver, taker = numbers.sample(range(len(pages)), 2)
        moved = rates[giver] * 10 ** numbers.uniform(-4, 0)
        other = list(rates)
        other[giver] -= moved
        other[taker] += moved
        assert total(policy, pages, other) <= known * (1 + math.copysign(1e-12, known))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.2, 0.8])
def test_an_optimizer_finds_nothing_better_with_change_notices(seed: int, share: float) -> None:
    """What `lambdacrawl` maximizes of a page that announces its changes is m ln(f/d), up to each of them: f = d."""
    optimize: Any = pytest.importorskip("scipy.optimize")
    value, slope = OBJECTIVES["lambdacrawl"]
    pages = [(m, d, number % 2 == 0) for number, (d, m) in enumerate(drawn(12, seed))]
    budget = share * sum(d for _, d, _ in pages)
    rows = [
        {"loc": f"/{n}", "change_rate": d, "importance": m, "notices": told} for n, (m, d, told) in enumerate(pages)
    ]
    with urlset.schedule(rows, budget=budget, policy="lambdacrawl") as found:
        ours = [page.rate for page in found]

    def whole(rates: Sequence[float]) -> float:
        gains = (m * math.log(f / d) if told else value(m, d, f) for (m, d, told), f in zip(pages, rates, strict=True))
        return math.fsum(gains)

    def slopes(rates: Sequence[float]) -> list[float]:
        return [-m / f if told else -slope(m, d, f) for (m, d, told), f in zip(pages, rates, strict=True)]

    theirs = optimize.minimize(
        lambda rates: -whole(rates),
        [min(budget / len(pages), d) if told else budget / len(pages) for _, d, told in pages],
        jac=slopes,
        method="SLSQP",
        bounds=[(LEAST["lambdacrawl"], d if told else None) for _, d, told in pages],
        constraints=[{"type": "eq", "fun": lambda rates: math.fsum(rates) - budget, "jac": lambda _: [1.0] * 12}],
        options={"ftol": 1e-15, "maxiter": 2_000},
    )
    assert math.fsum(ours) == pytest.approx(budget, rel=1e-12)
    assert whole(ours) == pytest.approx(-theirs.fun, rel=1e-9)
