"""The rates of a frame are those of one process."""

from __future__ import annotations

import random
from typing import Any

import pytest
import urlset
from support.rates.looking import honest, looks, silent, stamped
from urlset import InputError

pytestmark = pytest.mark.long


def drawn(hosts: int) -> list[dict[str, object]]:
    draw = random.Random(1)
    return [
        row
        for host in range(hosts)
        for number in range(12)
        for row in looks(
            f"https://{host}.test/{'ab'[number % 2]}/{number}",
            draw.lognormvariate(-2, 1),
            every=1,
            days=15,
            draw=draw,
            stated=(honest, stamped, silent)[host % 3],
        )
    ]


@pytest.mark.parametrize("hosts", [1, 7])
def test_rates_of_a_frame_are_those_of_one_process(spark: Any, hosts: int) -> None:
    from urlset.contrib.spark import rates

    rows = drawn(hosts)
    schema = "loc string, time timestamp, hash string, lastmod string, bytes bigint"
    frame = spark.createDataFrame(rows, schema).repartition(5)
    found = {row.loc: row for row in rates(frame, memory="256MB").collect()}
    with urlset.rates(rows) as expected:
        assert len(found) == len(expected) == 12 * hosts
        for page in expected:
            row = found[page.loc]
            assert (row.section, row.looks, row.changes, row.basis) == (
                page.section,
                page.looks,
                page.changes,
                page.basis,
            )
            for name in ("change_rate", "low", "high", "precision", "recall", "bytes"):
                value = getattr(page, name)
                assert getattr(row, name) == (None if value is None else pytest.approx(value, rel=1e-9))
            assert page.fetched is not None
            assert row.fetched.timestamp() == page.fetched.timestamp()


def test_rates_of_a_frame_can_be_planned_with(spark: Any) -> None:
    from urlset.contrib.spark import rates, schedule

    frame = spark.createDataFrame(drawn(2), "loc string, time timestamp, hash string, bytes bigint")
    plan = schedule(rates(frame).cache(), budget=5).collect()
    assert sum(row.rate for row in plan) == pytest.approx(5)


def test_frames_without_what_is_needed_are_refused(spark: Any) -> None:
    from urlset.contrib.spark import rates

    for columns, row, says in (
        ("time timestamp, hash string", (None, "1"), "no column loc"),
        ("loc string, hash string", ("/", "1"), "no column time"),
        ("loc string, time timestamp", ("/", None), "need a column hash"),
        ("loc string, time timestamp, hash string", ("/", None, "1"), "has no loc or no time"),
    ):
        with pytest.raises(InputError, match=says):
            rates(spark.createDataFrame([row], columns))
