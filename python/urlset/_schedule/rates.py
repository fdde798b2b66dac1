"""The rates of a plan: how much each page takes of the budget."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from urlset._schedule.hosts import bound
from urlset._schedule.policies import EXACT, POLICIES, Policy, solve
from urlset._util.duckdb import scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._schedule.pages import LoadedPages

#: What two plans may differ by, as a part of the budget, and be the same.
_ALIKE = 1e-10
#: What a rate may be below its bound, as a part of it, and have reached it.
_NEARLY = 1e-9


def plan_all(connection: DuckDBPyConnection, loaded: LoadedPages, budget: float, explore: float) -> None:
    """Create the table `plan` of the table `pages`: the rate of each page, and whether its host bounds it.

    Args:
        connection: Where.
        loaded: What is known of the pages.
        budget: What may be spent in a day.
        explore: The share of it for pages that are hardly known. They are planned first, evenly by importance, and what
            they do not take goes to the others.
    """
    if not loaded.has_unknown:
        _plan(connection, loaded.policy, budget, loaded)
        return
    connection.execute("ALTER TABLE pages RENAME TO all_pages")
    if loaded.has_hosts:
        connection.execute("CREATE TABLE whole_hosts AS FROM hosts")
        # A host that has pages of both kinds divides its budget as the plan does.
        connection.execute(
            f"UPDATE hosts SET cap = cap * {explore!r} FROM (SELECT host AS of_both FROM all_pages GROUP BY host"
            " HAVING bool_or(is_unknown) AND NOT bool_and(is_unknown)) WHERE host = of_both"
        )
    connection.execute("CREATE TABLE pages AS FROM all_pages WHERE is_unknown")
    explored = replace(POLICIES["importance"], columns=loaded.policy.columns)
    _plan(connection, explored, budget * explore, loaded)
    connection.execute("ALTER TABLE plan RENAME TO explored")
    left = budget - float(scalar(connection, "SELECT coalesce(sum(rate * c), 0) FROM explored"))
    if loaded.has_hosts:
        spent = "SELECT host, sum(rate * explored.c) AS spent FROM explored JOIN pages USING (place) GROUP BY host"
        connection.execute(
            "CREATE OR REPLACE TABLE hosts AS"
            " SELECT whole_hosts.* REPLACE (greatest(cap - coalesce(spent, 0), 0) AS cap)"
            f" FROM whole_hosts LEFT JOIN ({spent}) USING (host)"
        )
    connection.execute("CREATE OR REPLACE TABLE pages AS FROM all_pages WHERE NOT is_unknown")
    connection.execute("DROP TABLE all_pages")
    _plan(connection, loaded.policy, max(left, 0.0), loaded)
    connection.execute("INSERT INTO plan FROM explored")
    connection.execute("DROP TABLE explored")


def _plan(connection: DuckDBPyConnection, policy: Policy, budget: float, loaded: LoadedPages) -> None:
    """Create the table `plan` of all pages in the table `pages`, by one policy."""
    if loaded.has_hosts:
        bound(connection, policy)
    columns = (
        "place, loc, d, m, c, most"
        + ", fetched" * loaded.has_times
        + ", is_unknown" * loaded.has_unknown
        + "".join(f", {name}" for name in policy.columns)
    )
    [(worth, whole)] = connection.execute(
        f"SELECT coalesce(sum({policy.worth}), 0), coalesce(sum(({policy.bounds}) * c), 0) FROM pages"
    ).fetchall()
    if not worth or not budget:
        _create(connection, f"SELECT {columns}, 0::DOUBLE AS rate FROM pages", loaded)
        return
    if whole <= budget * (1 + EXACT):
        # All bounds together are within the budget.
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
    unknown = "" if loaded.has_unknown else ", false AS is_unknown"
    connection.execute(f"CREATE TABLE plan AS SELECT * EXCLUDE (most), {is_bound} AS is_bound{unknown} FROM ({query})")


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
