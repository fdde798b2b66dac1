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
ALIKE = 1e-10
#: What a rate may be below its bound, as a part of it, and have reached it.
_NEARLY = 1e-9


def plan_all(
    connection: DuckDBPyConnection, loaded: LoadedPages, policy: Policy, budget: float, *, into: str = "plan"
) -> None:
    """Create a table of the table `pages`, with the rate of each page, and whether its host bounds it.

    Args:
        connection: Where.
        loaded: What is known of the pages. They are left as they are.
        policy: The policy for those that are known well enough. Pages that are not are planned first, evenly by
            importance, and what they do not take goes to the others.
        budget: What may be spent in a day.
        into: The name of the table.
    """
    if not loaded.explore:
        _plan(connection, loaded, policy, budget, into, "pages", "hosts")
        return
    for_unknown = replace(POLICIES["importance"], columns=policy.columns)
    share, unknown = loaded.explore, "(FROM pages WHERE is_unknown)"
    if loaded.has_hosts:
        # A host that has pages of both kinds divides its budget as the plan does.
        connection.execute(
            f"CREATE OR REPLACE TABLE shared_hosts AS SELECT hosts.* REPLACE ("
            f"CASE WHEN is_both THEN cap * {share!r} ELSE cap END AS cap) FROM hosts JOIN (SELECT host,"
            " bool_or(is_unknown) AND NOT bool_and(is_unknown) AS is_both FROM pages GROUP BY host) USING (host)"
        )
    _plan(connection, loaded, for_unknown, budget * share, "explored", unknown, "shared_hosts")
    left = budget - float(scalar(connection, "SELECT coalesce(sum(rate * c), 0) FROM explored"))
    if loaded.has_hosts:
        spent = "SELECT host, sum(rate * explored.c) AS spent FROM explored JOIN pages USING (place) GROUP BY host"
        connection.execute(
            "CREATE OR REPLACE TABLE shared_hosts AS"
            " SELECT hosts.* REPLACE (greatest(cap - coalesce(spent, 0), 0) AS cap)"
            f" FROM hosts LEFT JOIN ({spent}) USING (host)"
        )
    _plan(connection, loaded, policy, max(left, 0.0), into, "(FROM pages WHERE NOT is_unknown)", "shared_hosts")
    connection.execute(f"INSERT INTO {into} FROM explored")
    connection.execute("DROP TABLE explored")


def _plan(
    connection: DuckDBPyConnection,
    loaded: LoadedPages,
    policy: Policy,
    budget: float,
    into: str,
    pages: str,
    hosts: str,
) -> None:
    """Create a table of pages, all by one policy."""
    if loaded.has_hosts:
        bound(connection, policy, pages, hosts)
        pages = "bounded"
    columns = "place, loc, d, m, c, most" + ", fetched" * loaded.has_times + ", is_unknown" * bool(loaded.explore)
    columns += "".join(f", {name}" for name in policy.columns)
    [(worth, whole)] = connection.execute(
        f"SELECT coalesce(sum({policy.worth}), 0), coalesce(sum(({policy.bounds}) * c), 0) FROM {pages}"
    ).fetchall()
    if not worth or not budget:
        _create(connection, into, f"SELECT {columns}, 0::DOUBLE AS rate FROM {pages}", loaded, policy)
        return
    if whole <= budget * (1 + EXACT):
        # All bounds together are within the budget.
        _create(connection, into, f"SELECT {columns}, {policy.bounds} AS rate FROM {pages}", loaded, policy)
        return

    def spent(multiplier: float) -> float:
        return float(scalar(connection, policy.select(f"sum(({policy.rate}) * c)", _at(pages, multiplier))))

    # At this multiplier each policy spends at most half.
    low, high = solve(spent, budget, 2 * float(worth) / budget)
    query = policy.select(f"{columns}, ({policy.rate})::DOUBLE AS rate", _at(pages, low))
    _create(connection, into, query, loaded, policy)
    most, least = spent(low), spent(high)
    if most - least > ALIKE * budget:
        others = policy.select(f"place, ({policy.rate}) AS least", _at(pages, high))
        _blend(connection, into, others, (budget - least) / (most - least))


def _at(pages: str, multiplier: float) -> str:
    """Return the pages with the multiplier of all of them."""
    return f"(SELECT *, {multiplier!r}::DOUBLE AS l FROM {pages})"


def _create(connection: DuckDBPyConnection, into: str, query: str, loaded: LoadedPages, policy: Policy) -> None:
    # The bound is that of the host, and nearly so where two plans are blended.
    is_bound = f"rate >= most * {1 - _NEARLY!r}" if loaded.has_hosts else "false"
    if "notices" in policy.columns:  # without a host, their bound is their rate of change
        is_bound += " AND NOT (notices AND most >= d)"
    unknown = "" if loaded.explore else ", false AS is_unknown"
    connection.execute(
        f"CREATE TABLE {into} AS SELECT * EXCLUDE (most), {is_bound} AS is_bound{unknown} FROM ({query})"
    )


def _blend(connection: DuckDBPyConnection, into: str, others: str, share: float) -> None:
    """Take only a share of what the plan spends more than the rates of others, `least`.

    A page that is hardly worth a fetch has, to the last digit of a number, the same value of the next fetch at many
    rates. So no multiplier may spend the budget, and every rate between those of two neighbours is as good.
    """
    connection.execute(
        f"CREATE OR REPLACE TABLE {into} AS SELECT {into}.* REPLACE (least + {share!r} * (rate - least) AS rate)"
        f" FROM {into} JOIN ({others}) USING (place)"
    )
