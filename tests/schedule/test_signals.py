"""Plans by noisy signals, against simulated events and against all other splits of a budget."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any

import pytest
import urlset
from urlset import InputError
from urlset._schedule.signals import CYCLES, VALUES, Signal, curve_of

NOW = datetime(2026, 11, 27, tzinfo=UTC)
DAY = timedelta(days=1)
SIGNALS = [(0.3, 0.8), (0.7, 0.8), (0.9, 0.95), (0.5, 1.0), (0.6, 0.3), (1.0, 0.9)]


def signal_of(recall: float, precision: float) -> Signal:
    found = Signal.of(recall, precision)
    assert found is not None
    return found


def simulated(signal: Signal, threshold: float, cycles: int) -> tuple[float, float]:
    """How long a cycle takes, and how long of it the copy is fresh, by events."""
    numbers = Random(1)
    length = fresh = 0.0
    for _ in range(cycles):
        time, moves, changed = 0.0, 0, math.inf
        while True:
            end = threshold - moves * signal.worth if moves else threshold
            event = time + numbers.expovariate(1 + signal.false)
            if event >= end:
                time = max(time, end)
                break
            time = event
            is_change = numbers.random() * (1 + signal.false) < 1
            changed = min(changed, time) if is_change else changed
            moves += not is_change or numbers.random() < signal.recall
        length += time
        fresh += min(time, changed)
    return length / cycles, fresh / cycles


@pytest.mark.parametrize(("recall", "precision"), SIGNALS)
def test_a_cycle_is_what_events_make_of_it(recall: float, precision: float) -> None:
    signal = signal_of(recall, precision)
    for threshold in (0.3, 2, 6):
        assert signal.cycle(threshold) == pytest.approx(simulated(signal, threshold, 5_000), rel=0.06)


@pytest.mark.long
@pytest.mark.parametrize(("recall", "precision"), SIGNALS)
def test_a_cycle_is_exactly_what_events_make_of_it(recall: float, precision: float) -> None:
    signal = signal_of(recall, precision)
    for threshold in (0.1, 1, 4, 12):
        assert signal.cycle(threshold) == pytest.approx(simulated(signal, threshold, 100_000), rel=0.015)


@pytest.mark.parametrize(("recall", "precision"), SIGNALS)
def test_a_curve_rises_and_has_the_cycles_of_its_thresholds(recall: float, precision: float) -> None:
    signal = signal_of(recall, precision)
    curve = curve_of(signal)
    assert all(after >= before for before, after in pairwise(curve.cycles))
    assert all(after <= before for before, after in pairwise(curve.fresh))
    for threshold in (0.01, 0.2, 1, 3):
        length, fresh = signal.cycle(threshold)
        at = (math.log(-math.log1p(-signal.value(threshold))) - VALUES.start) / VALUES.step
        assert curve.cycles[round(at)] == pytest.approx(math.log(length), abs=0.6 * VALUES.step)
        at = (math.log(length) - CYCLES.start) / CYCLES.step
        assert curve.fresh[round(at)] == pytest.approx(fresh / length, abs=0.6 * CYCLES.step)
        if recall < 1 and precision < 1:
            assert curve.thresholds[math.floor(at)] <= math.log(threshold) <= curve.thresholds[math.ceil(at)]


def page(change_rate: float, recall: float | None = None, precision: float | None = None, **more: object) -> Any:
    return {"loc": "/", "change_rate": change_rate, "recall": recall, "precision": precision, **more}


def shown(pages: list[Any], budget: float, **options: Any) -> tuple[list[urlset.Visits], float]:
    """The plan of pages, and its freshness."""
    with urlset.schedule(pages, budget=budget, policy="signals", now=NOW, **options) as plan:
        return list(plan), plan.freshness or 0.0


def freshness(signal: Signal | None, cycle: float) -> float:
    """The freshness of a page with a cycle in units of its changes, by bisection and without any curve."""
    if signal is None:
        return -math.expm1(-cycle) / cycle
    low, high = 1e-9, 1e6
    for _ in range(80):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if signal.cycle(middle)[0] > cycle else (middle, high)
    length, fresh = signal.cycle(low)
    return fresh / length


def test_no_other_split_of_the_budget_is_fresher() -> None:
    pages = [page(1.0, 0.7, 0.8, importance=1), page(4.0, 0.9, 0.95, importance=2), page(0.5, importance=1)]
    kinds = [signal_of(0.7, 0.8), signal_of(0.9, 0.95), None]
    plan, found = shown(pages, 3)
    assert sum(each.rate for each in plan) == pytest.approx(3, rel=1e-9)

    def fresh(*rates: float) -> float:
        each: list[float] = [
            page["importance"] * freshness(kind, page["change_rate"] / rate)
            for page, kind, rate in zip(pages, kinds, rates, strict=True)
        ]
        return sum(each) / 4

    assert found == pytest.approx(fresh(*(each.rate for each in plan)), abs=3e-4)
    best = max(fresh(a / 20, b / 20, 3 - (a + b) / 20) for a in range(5, 50, 5) for b in range(5, 56 - a, 5))
    assert best <= found + 3e-4
    for one, other in ((0, 1), (1, 2), (2, 0)):
        rates = [each.rate for each in plan]
        rates[one] += 0.02
        rates[other] -= 0.02
        assert fresh(*rates) < found + 3e-4


def test_signals_make_copies_fresher() -> None:
    numbers = Random(1)
    rates = [(numbers.lognormvariate(-2, 2), 1 / place) for place in range(1, 501)]

    def gained(*signal: float) -> float:
        return shown([page(d, *signal, importance=m) for d, m in rates], 100)[1]

    found = [gained(), gained(0.3, 0.8), gained(0.7, 0.8), gained(0.9, 0.95)]
    assert found == sorted(found)
    assert found[3] > found[0] + 0.08
    with urlset.schedule([page(d, importance=m) for d, m in rates], budget=100, policy="periodic") as plan:
        assert plan.freshness == pytest.approx(found[0], rel=1e-9)


@pytest.mark.parametrize("signal", [(None, None), (0.0, 0.9), (0.9, 0.0), (0.5, None), (0.9, 0.05)])
def test_signals_that_say_nothing_count_as_none(signal: tuple[float | None, float | None]) -> None:
    pages = [page(2.0, *signal), page(0.3, 0.6, 0.9)]
    expected, _ = shown([page(2.0), page(0.3, 0.6, 0.9)], 1)
    assert shown(pages, 1)[0] == expected


def test_a_move_brings_the_next_fetch_forward() -> None:
    old = NOW - 0.1 * DAY
    pages = [page(1.0, 0.7, 0.8, fetched=old, signals=moves) for moves in (0, 1, 3)]
    plan, _ = shown([*pages, page(1.0, 0.7, 1.0, fetched=old, signals=1)], 4)
    quiet, once, often, certain = plan
    assert quiet.rate == once.rate == often.rate
    assert quiet.next is not None
    assert once.next is not None
    assert quiet.next > once.next
    assert (often.next, often.why) == (certain.next, certain.why) == (NOW, "its lastmod moved")
    # A cycle without a move is longer than the mean one.
    assert quiet.next - old > DAY / quiet.rate
    worth = (quiet.next - once.next) / DAY
    assert once.next == NOW or worth == pytest.approx(-math.log(0.2) / 0.3, rel=1e-6)


def test_a_host_bounds_its_pages_by_their_signals_too() -> None:
    pages = [{**page(1.0, 0.7, 0.8), "loc": f"https://{host}.test/{at}"} for host in "ab" for at in range(3)]
    plan, _ = shown(pages, 4, host_budget=1.5)
    assert sum(each.rate for each in plan) == pytest.approx(3, rel=1e-9)


@pytest.mark.long
def test_many_different_signals_are_planned() -> None:
    numbers = Random(2)
    pages = [page(numbers.lognormvariate(-2, 2), numbers.random(), numbers.random()) for _ in range(2_000)]
    plan, found = shown(pages, 300)
    assert sum(each.rate for each in plan) == pytest.approx(300, rel=1e-9)
    assert found == pytest.approx(sum(each.freshness or 0 for each in plan) / len(plan))
    assert all(0 <= (each.freshness or 0) <= 1 for each in plan)


def test_pages_of_all_sizes_can_be_planned() -> None:
    pages = [page(10.0**size, recall, 0.9, importance=10.0**-size) for size in range(-12, 13, 4) for recall in (0.5, 1)]
    for budget in (1e-12, 1, 1e21):
        plan, _ = shown(pages, budget)
        assert sum(each.rate for each in plan) == pytest.approx(budget, rel=1e-6)
        assert all(math.isfinite(each.rate) and 0 <= (each.freshness or 0) <= 1 for each in plan)


@pytest.mark.parametrize("name", ["recall", "precision"])
@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan])
def test_a_share_that_is_none_is_refused(name: str, value: float) -> None:
    with pytest.raises(InputError, match=f"row 1 of the pages: {name} must be from 0 to 1, got {value}"):
        shown([page(1.0, 0.5, 0.5) | {name: value}], 1)


def test_a_page_that_is_not_fetched_is_not_fresh() -> None:
    pages = [
        {"loc": "/a", "change_rate": 500, "importance": 1, "recall": 0.5, "precision": 0.8},
        {"loc": "/b", "change_rate": 1, "importance": 9, "recall": 0.5, "precision": 0.8},
        {"loc": "/c", "change_rate": 0, "importance": 1, "recall": 0.5, "precision": 0.8},
    ]
    with urlset.schedule(pages, budget=1, policy="signals") as plan:
        never, often, same = plan
        assert (never.rate, never.freshness) == (0, 0)
        assert (same.rate, same.freshness) == (0, 1)
        assert plan.freshness == pytest.approx((9 * (often.freshness or 0) + 1) / 11)
