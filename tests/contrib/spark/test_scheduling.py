"""A plan of a frame is the plan of one process, by every policy that is a formula."""

from __future__ import annotations

import random
from typing import Any, get_args

import pytest
import urlset
from urlset import InputError

pytestmark = pytest.mark.long

#: Of SparkPolicyName, which needs Spark.
POLICIES = ("azar", "periodic", "lambdacrawl", "uniform", "proportional", "importance")
SCHEMA = "loc string, change_rate double, importance double, bytes bigint"


def drawn(count: int) -> list[tuple[str, float, float | None, int]]:
    numbers = random.Random(1)
    return [
        (
            f"https://a.test/{place}",
            numbers.choice((0.0, numbers.lognormvariate(-2, 2))),
            numbers.choice((None, 0.0, 1 / (place + 1))),
            numbers.randrange(1, 100_000),
        )
        for place in range(count)
    ]


def compared(spark: Any, rows: list[tuple[Any, ...]], budget: float | str, policy: Any) -> None:
    from urlset.contrib.spark import schedule

    frame = spark.createDataFrame(rows, SCHEMA).repartition(3).cache()
    found = {row.loc: row for row in schedule(frame, budget=budget, policy=policy).collect()}
    names = ("loc", "change_rate", "importance", "bytes")
    with urlset.schedule([dict(zip(names, row, strict=True)) for row in rows], budget=budget, policy=policy) as plan:
        assert len(found) == len(plan)
        for each in plan:
            row = found[each.loc]
            assert row.rate == pytest.approx(each.rate, rel=1e-9, abs=1e-12 * plan.budget)
            assert row.freshness == pytest.approx(each.freshness, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_plan_of_a_frame_is_that_of_one_process(spark: Any, policy: str) -> None:
    from urlset.contrib.spark.scheduling import SparkPolicyName

    assert get_args(SparkPolicyName) == POLICIES
    compared(spark, drawn(300), 40, policy)


def test_bytes_and_pages_of_all_sizes(spark: Any) -> None:
    compared(spark, drawn(100), "200kB/day", "azar")
    pages = [(str(size), 10.0**size, 10.0 ** (-size / 2), 1) for size in range(-12, 13, 3)]
    for policy in ("azar", "lambdacrawl"):  # of `periodic`, the last digits of such pages are lost
        compared(spark, pages, 10, policy)


def test_pages_that_do_not_change_are_not_fetched(spark: Any) -> None:
    compared(spark, [("a", 0.0, 1.0, 1), ("b", 1.0, 0.0, 1)], 3, "azar")


@pytest.mark.parametrize(
    ("row", "options", "message"),
    [
        (("a", 1.0, 1.0, 1), {"policy": "signals"}, "policy must be 'azar'"),
        (("a", 1.0, 1.0, 1), {"budget": "fast"}, "budget must be a number or a text"),
        (("a", None, 1.0, 1), {}, "the page 'a' has None, 1.0"),
        (("a", 1.0, -1.0, 1), {}, "the page 'a' has 1.0, -1.0"),
        ((None, 1.0, 1.0, 1), {}, "the page None has 1.0, 1.0"),
        (("a", 1.0, 1.0, 0), {"budget": "1GB/day"}, "the page 'a' has 1.0, 1.0 and 0.0"),
    ],
)
def test_what_cannot_be_planned_is_refused(spark: Any, row: Any, options: dict[str, Any], message: str) -> None:
    from urlset.contrib.spark import schedule

    frame = spark.createDataFrame([row], SCHEMA)
    with pytest.raises(InputError, match=message):
        schedule(frame, **{"budget": 1, **options})
    with pytest.raises(InputError, match="the pages have no column change_rate"):
        schedule(frame.drop("change_rate"), budget=1)
