"""The rates of a plan: how much each page takes of the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlset._schedule.policies import POLICIES, Policy, PolicyName, solve
from urlset._util.duckdb import scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: What two plans may differ by, as a part of the budget, and be the same.
_ALIKE = 1e-10


def plan(connection: DuckDBPyConnection, name: PolicyName, budget: float) -> None:
    """Create the table `plan` of the table `pages`, with the rate of each page."""
    policy = POLICIES[name]
    if not policy.is_optimal:
        total = scalar(connection, f"SELECT sum(({policy.rate}) * c) FROM pages")
        _create(connection, f"({policy.rate}) * {budget / float(total) if total else 0.0!r}", "pages")
        return
    weights = scalar(connection, "SELECT coalesce(sum(m), 0) FROM pages WHERE d > 0 AND m > 0")
    if not weights:
        _create(connection, "0::DOUBLE", "pages")
        return

    def spent(multiplier: float) -> float:
        return float(scalar(connection, f"SELECT sum(({policy.rate}) * c) FROM {_source(policy, multiplier)}"))

    # At this multiplier each policy spends at most half: no rate is above m/(l c).
    low, high = solve(spent, budget, 2 * float(weights) / budget)
    _create(connection, policy.rate, _source(policy, low))
    most, least = spent(low), spent(high)
    if most - least > _ALIKE * budget:
        _blend(connection, policy, high, (budget - least) / (most - least))


def _source(policy: Policy, multiplier: float) -> str:
    """Return what the rate of a policy is computed of."""
    return policy.source.format(pages=f"(SELECT *, {multiplier!r}::DOUBLE AS l FROM pages)")


def _create(connection: DuckDBPyConnection, rate: str, source: str) -> None:
    connection.execute(f"CREATE TABLE plan AS SELECT place, loc, d, m, c, ({rate})::DOUBLE AS rate FROM {source}")


def _blend(connection: DuckDBPyConnection, policy: Policy, multiplier: float, share: float) -> None:
    """Take only a share of what the plan spends more than at another multiplier.

    A page that is hardly worth a fetch has, to the last digit of a number, the same value of the next fetch at many
    rates. So no multiplier may spend the budget, and every rate between those of two neighbours is as good.
    """
    connection.execute(
        f"CREATE OR REPLACE TABLE plan AS SELECT plan.* REPLACE (least + {share!r} * (rate - least) AS rate)"
        f" FROM plan JOIN (SELECT place, ({policy.rate}) AS least FROM {_source(policy, multiplier)}) USING (place)"
    )
