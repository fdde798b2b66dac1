"""Budgets of hosts: no host is asked for more, and what it leaves over goes to the others."""

from __future__ import annotations

import math
import random
import re
from typing import Any

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.properties import times
from urlset import InputError
from urlset._schedule.policies import PolicyName

from schedule.test_policies import GAINS, NUMBERS, OPTIMAL, PAGES, SIMPLE, Page, drawn, plan

HOSTS = st.lists(st.sampled_from("abc"), min_size=30, max_size=30)


def spent(rates: list[float], hosts: list[str]) -> dict[str, float]:
    """What each host is asked for."""
    return {host: sum(rate for rate, of in zip(rates, hosts, strict=True) if of == host) for host in set(hosts)}


@pytest.mark.parametrize("policy", [*OPTIMAL, *SIMPLE])
@times(10)
@given(pages=PAGES, hosts=HOSTS, budget=NUMBERS, cap=NUMBERS)
def test_no_host_is_over_its_budget_and_the_whole_is_spent(
    policy: PolicyName, pages: list[Page], hosts: list[str], budget: float, cap: float
) -> None:
    hosts = hosts[: len(pages)]
    rates = plan(pages, budget, policy, hosts, cap)
    assert max(spent(rates, hosts).values()) <= cap * (1 + 1e-9)
    assert sum(rates) == pytest.approx(min(budget, cap * len(set(hosts))), rel=1e-9)


@pytest.mark.parametrize("policy", OPTIMAL)
@times(10)
@given(pages=PAGES, hosts=HOSTS, budget=NUMBERS, cap=NUMBERS)
def test_no_fetch_is_worth_more_where_it_is_allowed(
    policy: PolicyName, pages: list[Page], hosts: list[str], budget: float, cap: float
) -> None:
    hosts = hosts[: len(pages)]
    rates = plan(pages, budget, policy, hosts, cap)
    gains = [GAINS[policy](m, d, f) for (d, m), f in zip(pages, rates, strict=True)]
    full = {host for host, amount in spent(rates, hosts).items() if amount > cap * (1 - 1e-9)}
    for group in ({host for host in hosts if host not in full}, *({host} for host in full)):
        inside = [place for place, host in enumerate(hosts) if host in group]
        fetched = [gains[place] for place in inside if rates[place] > 1e-12 * budget]
        if fetched:
            assert max(fetched) <= min(fetched) * (1 + 1e-6)
            assert all(gains[place] <= max(fetched) * (1 + 1e-6) for place in inside if rates[place] == 0)
    # A page of a full host is worth at least what any page of the others is.
    pairs = list(zip(gains, rates, hosts, strict=True))
    least = min((gain for gain, rate, host in pairs if host in full and rate > 0), default=math.inf)
    rest = [gain for gain, rate, host in pairs if host not in full and rate > 1e-12 * budget]
    assert max(rest, default=0) <= least * (1 + 1e-6)


@pytest.mark.parametrize("policy", ["azar", "uniform"])
@times(10)
@given(pages=PAGES, hosts=HOSTS, budget=NUMBERS, cap=NUMBERS, seed=st.integers(0, 9))
def test_neither_the_order_nor_the_names_of_the_hosts_count(
    policy: PolicyName, pages: list[Page], hosts: list[str], budget: float, cap: float, seed: int
) -> None:
    hosts = hosts[: len(pages)]
    order = list(range(len(pages)))
    random.Random(seed).shuffle(order)
    rates = plan(pages, budget, policy, hosts, cap)
    names = dict(zip("abc", ("zebra", "b", "x"), strict=True))
    again = plan([pages[at] for at in order], budget, policy, [names[hosts[at]] for at in order], cap)
    assert again == pytest.approx([rates[at] for at in order], rel=1e-6, abs=1e-9 * budget)


@pytest.mark.parametrize("policy", [*OPTIMAL, *SIMPLE])
def test_to_split_a_host_below_its_budget_changes_nothing(policy: PolicyName) -> None:
    pages = drawn(200)
    hosts = [("one", "two")[place % 2] for place in range(200)]
    whole, split = plan(pages, 40, policy, ["one"] * 200, 100), plan(pages, 40, policy, hosts, 100)
    assert split == pytest.approx(whole, rel=1e-9)
    assert split == pytest.approx(plan(pages, 40, policy), rel=1e-9)


def test_many_hosts_are_each_within_their_budget() -> None:
    pages = drawn(2_000)
    hosts = [f"h{place % 97}" for place in range(2_000)]
    for policy in ("azar", "importance"):
        rates = plan(pages, 400, policy, hosts, 5)
        found = spent(rates, hosts)
        assert sum(rates) == pytest.approx(400, rel=1e-9)
        assert max(found.values()) <= 5 * (1 + 1e-9)
        assert min(found.values()) < 5


def test_a_host_whose_budget_falls_between_two_numbers_spends_it() -> None:
    """A page that changes all the time has, to the last digit, the same value of the next fetch at many rates."""
    pages = [(1e12, 1.0), (1e12, 2.0), (1.0, 1.0)]
    rates = plan(pages, 1e3, "azar", ["a", "a", "b"], 1e-3)
    assert rates[0] + rates[1] == pytest.approx(1e-3, rel=1e-6)


def rows(*pages: tuple[str, float | None]) -> list[dict[str, object]]:
    return [{"loc": loc, "change_rate": 1.0, "host_budget": budget} for loc, budget in pages]


def test_a_column_has_the_budgets_of_the_hosts() -> None:
    pages = rows(("https://a.test/1", 4), ("http://A.test/2", 2), ("https://b.test/", None), ("https://c.test/", 0))
    with urlset.schedule(pages, budget=100, policy="uniform") as found:
        assert [page.rate for page in found] == pytest.approx([1, 1, 98, 0])
    with urlset.schedule(pages, budget=100, policy="uniform", host_budget="1/hour") as found:
        assert [page.rate for page in found] == pytest.approx([1, 1, 24, 0])
        assert found.spent == pytest.approx(26)


@pytest.mark.parametrize("policy", [*OPTIMAL, *SIMPLE])
def test_hosts_in_bytes(policy: PolicyName) -> None:
    pages: list[Any] = [
        {"loc": f"https://{host}.test/{size}", "change_rate": 1, "bytes": size}
        for host in "ab"
        for size in (1_000, 50_000)
    ]
    with urlset.schedule(pages, budget="1MB/day", host_budget="300kB/day", policy=policy) as found:
        rates = [page.rate for page in found]
        assert rates[0] * 1_000 + rates[1] * 50_000 == pytest.approx(300_000)
        assert found.spent == pytest.approx(600_000)


@pytest.mark.parametrize(
    ("budget", "host_budget", "message"),
    [
        (5, "fast", "host_budget must be a number or a text such as"),
        (5, 0, "host_budget must be from 1e-12 to 1e+21 a day, got 0"),
        (5, "1MB/day", "host_budget must be in fetches, as the budget is, got '1MB/day'"),
        ("5GB/day", "1/second", "host_budget must be in bytes, as the budget is, got '1/second'"),
    ],
)
def test_an_invalid_budget_of_hosts_is_refused(budget: Any, host_budget: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        urlset.schedule(rows(("/", 1)), budget=budget, host_budget=host_budget)


def test_an_invalid_budget_of_a_host_is_refused() -> None:
    message = "row 2 of the pages: host_budget must be what the host may be asked in a day: 0, or from 1e-12"
    with pytest.raises(InputError, match=message):
        urlset.schedule(rows(("/", 1), ("/b", -1)), budget=1)
