"""The rates of a plan: how much each page takes of the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlset._schedule.hosts import bound
from urlset._schedule.policies import EXACT, Policy, solve
from urlset._util.duckdb import scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._schedule.pages import LoadedPages

#: What two plans may differ by, as a part of the budget, and be the same.
_ALIKE = 1e-10
#: What a rate may be below its bound, as a part of it, and have reached it.
_NEARLY = 1e-9


def plan(connection: DuckDBPyConnection, policy: Policy, budget: float, loaded: LoadedPages) -> None:
    """Create the table `plan` of the table `pages`, with the rate of each page and whether its host bounds it.

    Args:
        connection: Where.
        policy: The policy.
        budget: What may be spent in a day.
        loaded: What is known of the pages.
    """
    if loaded.has_hosts:
        bound(connection, policy)
    columns = (
        "place, loc, d, m, c, most" + ", fetched" * loaded.has_times + "".join(f", {name}" for name in policy.columns)
    )
    [(worth, whole)] = connection.execute(
        f"SELECT coalesce(sum({policy.worth}), 0), coalesce(sum(({policy.bounds}) * c), 0) FROM pages"
    ).fetchall()
    if not worth or whole <= budget * (1 + EXACT):
        # All bounds together are within the budget, or no page is worth a fetch.
        _create(connection, f"SELECT {columns}, {policy.bounds} AS rate FROM pages", loaded)
        return

    def spent(multiplier: float) -> float:
        return float(scalar(connection, policy.select(f"sum(({policy.rate}) * c)", _pages(multiplier))))

    # At this multiplier each policy spends at most half.
    low, high = solve(spent, budget, 2 * float(worth) / budget)
    _create(connection, policy.select(f"{columns}, ({policy.rate})::DOUBLE AS rate", _pages(low)), loaded)
    most, least = spent(low), spent(high)
    if most - least > _ALIKE * budget:
        _blend(connection, policy, high, (budget - least) / (most - least))


def _pages(multiplier: float) -> str:
    """Return the pages with the multiplier of all of them."""
    return f"(SELECT *, {multiplier!r}::DOUBLE AS l FROM pages)"


def _create(connection: DuckDBPyConnection, query: str, loaded: LoadedPages) -> None:
    # The bound is that of the host, and nearly so where two plans are blended.
    is_bound = f"rate >= most * {1 - _NEARLY!r}" if loaded.has_hosts else "false"
    if loaded.has_notices:  # without a host, their bound is their rate of change
        is_bound += " AND NOT (notices AND most >= d)"
    connection.execute(f"CREATE TABLE plan AS SELECT * EXCLUDE (most), {is_bound} AS is_bound FROM ({query})")


def _blend(connection: DuckDBPyConnection, policy: Policy, multiplier: float, share: float) -> None:
    """Take only a share of what the plan spends more than at another multiplier.

    A page that is hardly worth a fetch has, to the last digit of a number, the same value of the next fetch at many
    rates. So no multiplier may spend the budget, and every rate between those of two neighbours is as good.
    """
    others = policy.select(f"place, ({policy.rate}) AS least", _pages(multiplier))
    connection.execute(
        f"CREATE OR REPLACE TABLE plan AS SELECT plan.* REPLACE (least + {share!r} * (rate - least) AS rate)"
        f" FROM plan JOIN ({others}) USING (place)"
    )
