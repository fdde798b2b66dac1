"""How often a crawler fetches each page of a frame: the policies of `urlset.schedule`, as the same SQL.

The driver searches the one number that all pages share, by a sum over the frame for each step. No page leaves its task.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

from urlset._model.errors import InputError
from urlset._schedule.amounts import LEAST, MOST, amount
from urlset._schedule.policies import FRESHNESS, PERIODS, POLICIES, STEPS, Policy, periods, solve
from urlset._schedule.rates import ALIKE
from urlset._util.arguments import check_choice

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: The policies whose rates are formulas of the columns of a page.
SparkPolicyName = Literal["azar", "periodic", "lambdacrawl", "uniform", "proportional", "importance"]

_COLUMNS = ("loc", "change_rate")
_POSITIVE = f"BETWEEN {LEAST} AND {MOST}"


def schedule(pages: DataFrame, *, budget: float | str, policy: SparkPolicyName = "azar") -> DataFrame:
    """Plan how often a crawler fetches each page, as `urlset.schedule` does, for frames of any size.

    It reads the frame about twenty times, and each time adds up one number: cache it, or store it as Parquet. Hosts
    with budgets, exploration, noisy signals and the moments of fetches are for `urlset.schedule`.

    Args:
        pages: A frame with the columns `loc` and `change_rate`, and maybe `importance` and `bytes`.
        budget: As for `urlset.schedule`.
        policy: As for `urlset.schedule`.

    Returns:
        A frame with the columns `loc`, `rate` and `freshness`.

    Raises:
        InputError: An argument is invalid, a column is missing, or a value cannot be planned with.

    Example:
        >>> from urlset.contrib.spark import schedule
        >>> plan = schedule(spark.read.parquet("pages/").cache(), budget="5000/second")  # doctest: +SKIP
        >>> plan.write.parquet("plan/")  # doctest: +SKIP
    """
    check_choice("policy", policy, get_args(SparkPolicyName))
    whole = amount("budget", budget)
    frame = _planned(pages, by_bytes=whole.is_bytes)
    chosen = _in_spark(POLICIES[policy])
    [(worth,)] = frame.selectExpr(f"coalesce(sum({chosen.worth}), 0D)").collect()
    if not worth:
        return _fresh(frame.selectExpr("loc", "d", "0D AS rate"))

    def spent(multiplier: float) -> float:
        [(found,)] = _at(frame, chosen, multiplier, f"sum(({chosen.rate}) * c)").collect()
        return float(found)

    low, high = solve(spent, whole.per_day, 2 * float(worth) / whole.per_day)
    most, least = spent(low), spent(high)
    if most - least <= ALIKE * whole.per_day:
        return _fresh(_at(frame, chosen, low, f"loc, d, {chosen.rate} AS rate"))
    # As in one process: no multiplier spends the budget, and a part of both plans does.
    share = (whole.per_day - least) / (most - least)
    more = _at(frame, chosen, low, f"loc, d, m, c, most, {chosen.rate} AS more")
    mixed = f"loc, d, {chosen.rate} + CAST('{share!r}' AS DOUBLE) * (more - {chosen.rate}) AS rate"
    return _fresh(_at(more, chosen, high, mixed))


def _planned(pages: DataFrame, *, by_bytes: bool) -> DataFrame:
    """Return the columns that the policies compute with."""
    for name in (*_COLUMNS, *["bytes"] * by_bytes):
        if name not in pages.columns:
            why = ", which a budget in bytes needs" if name == "bytes" else ""
            raise InputError(f"the pages have no column {name}{why}")
    importance = "coalesce(CAST(importance AS DOUBLE), 1D)" if "importance" in pages.columns else "1D"
    cost = "CAST(bytes AS DOUBLE)" if by_bytes else "1D"
    frame = pages.selectExpr(
        "loc", "CAST(change_rate AS DOUBLE) AS d", f"{importance} AS m", f"{cost} AS c", "CAST('inf' AS DOUBLE) AS most"
    )
    valid = f"loc IS NOT NULL AND (d = 0 OR d {_POSITIVE}) AND (m = 0 OR m {_POSITIVE}) AND c {_POSITIVE}"
    wrong = frame.where(f"NOT coalesce({valid}, false)").limit(1).collect()
    if wrong:
        row = wrong[0]
        raise InputError(
            f"change_rate and importance must be 0, or from {LEAST:g} to {MOST:g}, and bytes from {LEAST:g}: the page"
            f" {row.loc!r} has {row.d}, {row.m}" + f" and {row.c}" * by_bytes
        )
    return frame


def _in_spark(policy: Policy) -> Policy:
    """Return a policy in the SQL of Spark, which has another name for a loop over a list."""
    steps = periods(lambda start, step: f"aggregate(sequence(1, {STEPS}), {start}, (x, step) -> {step})")
    return replace(policy, free_rate=policy.free_rate.replace(PERIODS, steps))


def _at(frame: DataFrame, policy: Policy, multiplier: float, columns: str) -> DataFrame:
    """Return columns of the pages at a multiplier."""
    pages = f"(SELECT *, CAST('{multiplier!r}' AS DOUBLE) AS l FROM {{frame}})"  # noqa: S608
    return frame.sparkSession.sql(policy.select(columns, pages), frame=frame)


def _fresh(rates: DataFrame) -> DataFrame:
    return rates.selectExpr("loc", "rate", f"CAST({FRESHNESS} AS DOUBLE) AS freshness")
