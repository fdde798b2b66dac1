"""What one run measures: against formulas where there are some, and by what must hold where there are none."""

from __future__ import annotations

import math
from random import Random

import pytest
from urlset._schedule.signals import Signal
from urlset._simulate.model import PageModel, page_model
from urlset._simulate.refetching import ByNotice, ByThreshold, Evenly
from urlset._simulate.runs import believed, planned

DAYS = 20_000


def page(change_rate: float, importance: float = 1, **signals: float) -> PageModel:
    """A page of one byte."""
    known = dict.fromkeys(("recall", "precision", "stamps")) | signals
    return page_model(importance, change_rate, 1.0, known["recall"], known["precision"], known["stamps"])


@pytest.mark.parametrize(("change_rate", "rate"), [(1, 2), (5, 1), (0.01, 0.5)])
def test_even_fetches_are_as_fresh_as_the_formula_says(change_rate: float, rate: float) -> None:
    found = planned(Random("a"), [page(change_rate)], [Evenly(1 / rate)], DAYS)
    ratio = change_rate / rate
    assert found.fresh / DAYS == pytest.approx((1 - math.exp(-ratio)) / ratio, rel=0.02)
    assert found.fetches == found.size == pytest.approx(rate * DAYS, abs=1)


def test_a_short_run_has_no_beginning() -> None:
    """Runs of a tenth of the interval, which see a fetch in one of ten cases, are as fresh on average as long ones."""
    runs = [planned(Random(f"{number}"), [page(0.1)], [Evenly(10)], 1) for number in range(5_000)]
    assert sum(run.fresh for run in runs) / len(runs) == pytest.approx(1 - math.exp(-1), rel=0.03)
    assert sum(run.fetches for run in runs) / len(runs) == pytest.approx(0.1, rel=0.1)


def test_a_page_that_is_never_fetched_or_never_changes() -> None:
    pages = [page(1), page(0, importance=3), page(0)]
    found = planned(Random("a"), pages, [None, None, Evenly(0.5)], 10)
    assert (found.fresh, found.fetches) == (40, 20)


@pytest.mark.parametrize(("recall", "precision"), [(0.7, 0.8), (0.9, 0.95), (0.5, 1.0)])
def test_a_threshold_is_as_fresh_as_its_cycle_says(recall: float, precision: float) -> None:
    change_rate, threshold = 2, 1.5
    signal = Signal.of(recall, precision)
    assert signal is not None
    length, fresh = signal.cycle(threshold)
    how = ByThreshold(length / change_rate, threshold / change_rate, signal.worth / change_rate)
    found = planned(Random("a"), [page(change_rate, recall=recall, precision=precision)], [how], DAYS / 4)
    assert found.fresh / (DAYS / 4) == pytest.approx(fresh / length, rel=0.01)
    assert found.fetches / (DAYS / 4) == pytest.approx(change_rate / length, rel=0.02)


def test_stamps_bring_fetches_forward_too() -> None:
    """Each is worth a quarter of the threshold, and so is the time between two: two of them, and then the fetch."""
    found = planned(Random("a"), [page(0, stamps=4)], [ByThreshold(0.5, 1, 0.25)], 1_000)
    assert found.fetches == pytest.approx(2_000, abs=5)


@pytest.mark.parametrize("share", [0.2, 1.0])
def test_a_share_of_the_notices_is_a_share_of_the_time(share: float) -> None:
    found = planned(Random("a"), [page(3)], [ByNotice(1 / (3 * share))], DAYS / 4)
    assert found.fresh / (DAYS / 4) == pytest.approx(share, abs=0.01)
    assert found.fetches / (DAYS / 4) == pytest.approx(3 * share, rel=0.02)


def test_true_lastmods_that_can_all_be_followed_keep_all_fresh() -> None:
    pages = [page(0.5, recall=1) for _ in range(20)]
    assert believed(Random("a"), pages, 1_000, 50, by_bytes=False).fresh / (20 * 50) > 0.99


def test_moves_without_a_change_take_the_fetches_of_others() -> None:
    honest = [page(0.1, recall=1) for _ in range(50)]
    liars = [page(0.1, stamps=1) for _ in range(50)]

    def fresh(pages: list[PageModel]) -> float:
        # The pages that are measured are the honest ones.
        measured = [each._replace(importance=1 if each in honest else 0) for each in pages]
        return believed(Random("a"), measured, 20, 200, by_bytes=False).fresh / (50 * 200)

    assert fresh(honest) > 0.95
    assert fresh([*honest, *liars]) < 0.8


def test_without_moves_it_fetches_by_importance() -> None:
    pages = [page(1, importance=9), page(1)]
    found = believed(Random("a"), pages, 10, 2_000, by_bytes=False)
    ratios = [1 / 9, 1 / 1]
    expected = sum(m * (1 - math.exp(-x)) / x for m, x in zip((9, 1), ratios, strict=True))
    assert found.fresh / 2_000 == pytest.approx(expected, rel=0.02)


def test_a_fetch_costs_its_bytes() -> None:
    pages = [page(1, recall=1)._replace(size=size) for size in (1, 9)]
    found = believed(Random("a"), pages, 20, 1_000, by_bytes=True)
    assert found.size / 1_000 == pytest.approx(20, rel=0.05)
    assert found.fetches < 20_000


def test_nothing_to_fetch() -> None:
    assert believed(Random("a"), [page(1, importance=0)], 5, 10, by_bytes=False) == (0, 0, 0)
    assert believed(Random("a"), [], 5, 10, by_bytes=False) == (0, 0, 0)
    assert planned(Random("a"), [], [], 10) == (0, 0, 0)


def test_builds_stamp_all_pages_at_the_same_moments() -> None:
    numbers = Random("a")
    moments = [page(0, stamps=4).fetched(numbers, at).moved for at in (-0.3, 0.0, 0.1, 0.25, 0.9)]
    assert moments == [-0.25, 0.25, 0.25, 0.5, 1.0]
    assert page(0).fetched(numbers, 0) == (math.inf, math.inf)


def test_lastmods_move_as_recall_and_precision_say() -> None:
    model = page(2, recall=0.5, precision=0.25)
    assert (model.shown, model.hidden, model.false, model.changes, model.moves) == (1, 1, 3, 2, 4)
    assert page(2, precision=0.5).moves == page(2, recall=0, precision=0).moves == 0
    assert page(2, recall=1).moves == 2
