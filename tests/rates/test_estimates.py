"""The rates of pages, against simulated pages whose rates are known, and against the likelihood itself."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from datetime import timedelta
from statistics import fmean

import pytest
import urlset
from hypothesis import given
from hypothesis import strategies as st
from support.properties import times
from support.rates.looking import START, Stated, honest, looks, silent


def rates_of(rows: list[dict[str, object]]) -> list[urlset.PageRate]:
    with urlset.rates(rows) as found:
        return list(found)


@pytest.mark.parametrize(
    ("stated", "every", "count", "expected"),
    [(honest, 7, 26, 1.00), (silent, 7, 6, 0.37), (silent, 1 / 8, 40, 1.00)],
    ids=["with lastmods", "without", "without, looked at often"],
)
def test_a_page_alone(stated: Stated, every: float, count: int, expected: float) -> None:
    """A page that changes daily. Looks once a week see only that it changes; a lastmod shows how often."""
    found = []
    for seed in range(5):
        draw = random.Random(seed)
        [page] = rates_of(list(looks("/page", 1, every=every, days=every * count, draw=draw, stated=stated)))
        found.append(page.change_rate or 0)
    spread = math.sqrt(sum((each - fmean(found)) ** 2 for each in found)) / len(found)
    assert fmean(found) == pytest.approx(expected, abs=0.01 + 3 * spread)


@pytest.mark.parametrize(
    ("every", "days", "stated", "spread"),
    [
        (1, 30, silent, 1.0),
        (1, 30, honest, 1.0),
        *(
            pytest.param(every, days, stated, spread, marks=pytest.mark.long)
            for every, days in ((1, 14), (0.5, 15), (7, 90))
            for spread in (0.7, 1.0)
            for stated in (silent, honest)
            # Once a week is too seldom for pages that change twice a day, and nothing tells how often they do.
            if not (every == 7 and stated is silent)
        ),
        pytest.param(1, 30, honest, 2.0, marks=pytest.mark.long),
    ],
)
def test_intervals_hold(every: float, days: float, stated: Stated, spread: float) -> None:
    """The intervals of 95 % have the true rates of 93 to 97 % of the pages of a section, but for chance."""
    draw = random.Random(f"{every} {days} {spread} {stated.__name__}")
    truth = {f"https://a.example/s/{number}": draw.lognormvariate(-2, spread) for number in range(1000)}
    rows = [
        row for loc, rate in truth.items() for row in looks(loc, rate, every=every, days=days, draw=draw, stated=stated)
    ]
    pages = rates_of(rows)
    covered = fmean((page.low or 0) <= truth[page.loc] <= (page.high or 0) for page in pages)
    # Of 1,000 pages, the share has a standard deviation of 0.007.
    assert 0.93 - 0.014 <= covered <= 0.97 + 0.014
    if spread <= 1:  # otherwise a few pages are most of the mean
        assert fmean(page.change_rate or 0 for page in pages) == pytest.approx(fmean(truth.values()), rel=0.1)


#: A look: hours since the one before, whether the page has changed, and which share of that time before the look.
Step = tuple[float, bool, float | None]
#: From 100 seconds to ten years: no time below a second counts, and an age is drawn down to a hundredth of its span.
HOURS = st.integers(1, 500) | st.sampled_from([1 / 36, 0.1, 87_600])
STEPS = st.lists(st.tuples(HOURS, st.booleans(), st.none() | st.floats(0.01, 0.99)), min_size=1, max_size=12)


@times(40)
@given(steps=STEPS)
def test_the_estimate_is_the_most_likely_one(steps: list[Step]) -> None:
    """At uneven intervals, too. Spans that differ by less than 2 % are taken for one, which changes the fifth digit."""
    now, rows = START, [{"loc": "/a", "time": START, "changed": None}]
    for hours, is_changed, _ in steps:
        now += timedelta(hours=hours)
        rows.append({"loc": "/a", "time": now, "changed": is_changed})
    [page] = rates_of(rows)
    changed = [hours / 24 for hours, is_changed, _ in steps if is_changed]
    idle = sum(hours / 24 for hours, is_changed, _ in steps if not is_changed)
    assert page.change_rate is not None
    assert (page.looks, page.changes) == (len(steps), len(changed))
    if not changed:
        assert page.change_rate == pytest.approx(0.5 / idle)
        return
    assert page.change_rate == pytest.approx(_likeliest(changed, idle + fmean(changed) / 2), rel=1e-4)
    if len({hours for hours, *_ in steps}) == 1:
        # The formula of Cho and Garcia-Molina for even intervals. Their half counts once, by half an interval.
        n, x, span = len(steps), len(changed), steps[0][0] / 24
        assert page.change_rate == pytest.approx(-math.log((n - x + 0.5) / (n + 0.5)) / span, rel=1e-6)


def _likeliest(changed: Sequence[float], idle: float) -> float:
    """Return the rate at which changes in these spans, and none in the others, are the most likely."""
    low, high = 1e-9, 1e6
    while high / low > 1 + 1e-12:
        middle = math.sqrt(low * high)
        slope = sum(span / math.expm1(middle * span) if middle * span < 700 else 0 for span in changed) - idle
        low, high = (middle, high) if slope > 0 else (low, middle)
    return low


@times(30)
@given(steps=STEPS)
def test_dates_say_when(steps: list[Step]) -> None:
    """With a true lastmod the rate is changes by exposure: the time without a change, and the ages of the changes."""
    now, rows = START, [{"loc": "/a", "time": START, "hash": "0", "lastmod": START - timedelta(days=9)}]
    exposure = 0.0
    for number, (hours, is_changed, share) in enumerate(steps):
        now += timedelta(hours=hours)
        last = rows[-1]
        if is_changed:
            age = hours * (share or 0.5)
            exposure += age / 24
            rows.append({"loc": "/a", "time": now, "hash": str(number + 1), "lastmod": now - timedelta(hours=age)})
        else:
            exposure += hours / 24
            rows.append(last | {"time": now})
    for row in rows:
        row["lastmod"] = str(row["lastmod"])
    # Three pages that told five changes each make the section one that is believed.
    for place in "xyz":
        rows.extend(
            {
                "loc": f"/{place}",
                "time": START + timedelta(days=day),
                "hash": str(day),
                "lastmod": str(START + timedelta(days=day - 0.5)),
            }
            for day in range(6)
        )
    found = {page.loc: page for page in rates_of(rows)}
    x, n = sum(is_changed for _, is_changed, _ in steps), len(steps)
    if not x:
        assert found["/a"].change_rate == pytest.approx(0.5 / exposure)
        return
    counted = n - 1 if x == n else x - 1 - x / (n * math.log(1 - x / n))
    assert found["/a"].basis == "dates"
    assert found["/a"].change_rate == pytest.approx(max(counted, 0.5) / exposure, rel=1e-4)


def test_a_new_page_is_like_those_of_its_section() -> None:
    draw = random.Random(1)
    rows = [
        row
        for section, rate in (("news", 2.0), ("help", 0.05))
        for number in range(20)
        for row in looks(f"https://a.example/{section}/{number}", rate, every=0.5, days=20, draw=draw)
    ]
    rows += [{"loc": f"https://a.example/{section}/new", "time": START, "hash": "1"} for section in ("news", "help")]
    rows += [{"loc": "https://a.example/other", "time": START, "hash": "1"}]
    found = {page.loc.removeprefix("https://a.example"): page for page in rates_of(rows)}
    news, help_page, other = found["/news/new"], found["/help/new"], found["/other"]
    assert (news.basis, help_page.basis, other.basis) == ("section", "section", "site")
    assert news.change_rate == pytest.approx(2, rel=0.15)
    assert help_page.change_rate == pytest.approx(0.05, rel=0.4)
    assert (help_page.change_rate or 0) < (other.change_rate or 0) < (news.change_rate or 0)
    assert (news.low or 0) < 2 < (news.high or 0)


def test_a_changefreq_is_a_prior() -> None:
    rows: list[dict[str, object]] = [
        {"loc": f"/{changefreq}", "time": START, "hash": "1", "changefreq": changefreq}
        for changefreq in ("hourly", "Daily ", "weekly", "monthly", "yearly", "never", "sometimes")
    ]
    # One look after a month that found nothing outweighs a changefreq that says daily.
    rows += [
        {"loc": "/seen", "time": START + timedelta(days=day), "hash": "1", "changefreq": "daily"} for day in (0, 30)
    ]
    found = {page.loc: page for page in rates_of(rows)}
    assert [found[loc].change_rate for loc in ("/hourly", "/Daily ", "/weekly")] == pytest.approx([24, 1, 1 / 7])
    assert found["/monthly"].change_rate == pytest.approx(12 / 365.25)
    assert found["/Daily "].basis == "changefreq"
    assert found["/seen"].basis == "content"
    assert found["/seen"].change_rate == pytest.approx(1 / 31)
    assert (found["/sometimes"].change_rate, found["/sometimes"].basis) == (None, None)
