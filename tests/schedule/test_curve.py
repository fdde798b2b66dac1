"""Freshness against budget: figures that are plans of their own, and a picture of them."""

from __future__ import annotations

from functools import cache
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
import urlset
from urlset._schedule.policies import PolicyName

from schedule.test_policies import drawn

PAGES: list[dict[str, object]] = [
    {"loc": f"https://{place % 3}.test/{place}", "change_rate": d, "importance": m, "recall": 0.7, "precision": 0.8}
    for place, (d, m) in enumerate(drawn(60))
]


def curve(policy: PolicyName = "azar", pages: list[dict[str, object]] = PAGES, **options: Any) -> urlset.FreshnessCurve:
    with urlset.schedule(pages, budget=12, policy=policy, **options) as plan:
        before = list(plan)
        found = plan.curve()
        assert list(plan) == before
        return found


@cache
def by_signals() -> urlset.FreshnessCurve:
    """The curve of the pages with their signals."""
    return curve("signals")


def check(policy: PolicyName, options: dict[str, Any]) -> None:
    """Compare the points of a curve with plans."""
    unknown: list[dict[str, object]] = [{"loc": f"https://1.test/new/{at}", "change_rate": None} for at in range(5)]
    pages = PAGES + unknown * ("explore" in options)
    found = by_signals() if policy == "signals" else curve(policy, pages, **options)
    assert found.budget == 12
    assert len(found) == 9 * (7 if policy == "signals" else 6)
    for point in list(found)[4::9]:
        with urlset.schedule(pages, budget=point.budget, policy=point.policy, **options) as plan:
            assert plan.freshness == pytest.approx(point.freshness, rel=1e-9)
    for policy_name in {point.policy for point in found}:
        fresh = [point.freshness for point in found if point.policy == policy_name]
        assert fresh == sorted(fresh, key=lambda each: each or 0)
        assert [point.budget for point in found if point.policy == policy_name] == [12 * 2.0**at for at in range(-4, 5)]


def test_a_point_is_the_plan_with_its_budget() -> None:
    check("signals", {})


@pytest.mark.long
@pytest.mark.parametrize(
    ("policy", "options"),
    [("azar", {}), ("periodic", {"host_budget": 3}), ("azar", {"explore": 0.2, "host_budget": 9})],
)
def test_each_point_is_the_plan_with_its_budget(policy: PolicyName, options: dict[str, Any]) -> None:
    check(policy, options)


def test_a_curve_is_a_table_and_a_picture() -> None:
    found = by_signals()
    assert pa.table(found).to_pylist() == [point._asdict() for point in found]
    root = ElementTree.fromstring(found.to_svg())
    space = "{http://www.w3.org/2000/svg}"
    lines = root.findall(f"{space}polyline")
    assert [line.get("class") for line in lines] == list(dict.fromkeys(point.policy for point in found))
    for line in lines:
        heights = [float(place.split(",")[1]) for place in str(line.get("points")).split()]
        assert heights == sorted(heights, reverse=True)
    texts = [text.text for text in root.findall(f"{space}text")]
    assert {"12", "0.75", "192", "signals", "80 %"} <= set(texts)
    assert not root.findall(f"{space}script")


def test_no_pages_have_no_curve() -> None:
    found = curve(pages=[])
    assert {point.freshness for point in found} == {None}
    assert "polyline class" not in found.to_svg()
