"""Budgets of hosts: no page is fetched more often than its host may be asked.

A host that would be asked too often has a value of its own for the last unit of its budget, which is above that of the
whole plan. Since a higher value means lower rates, the rates at it are bounds, and what is left over goes to the other
hosts: `bound` computes the bounds of all hosts at once, by one pass over their pages for each step, and whoever plans
takes the lesser of a rate and its bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlset._schedule.policies import EXACT, MAX_STEPS, TINY, Policy
from urlset._util.duckdb import scalar
from urlset._util.identity import host_sql

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def make_hosts(connection: DuckDBPyConnection, own: str, budget: float | None) -> bool:
    """Create the table `hosts` of the hosts that have a budget, of the table `given`; return whether there are any.

    Args:
        connection: Where.
        own: SQL for the budget of the host of a page, or NULL. The least of a host's pages counts.
        budget: That of each host without such a budget; None if it has none.
    """
    connection.execute(
        f"CREATE TABLE hosts AS SELECT name, (row_number() OVER ())::INTEGER AS host, cap FROM ("
        f"SELECT {host_sql('loc')} AS name, coalesce(min({own}), $budget) AS cap FROM given GROUP BY name"
        ") WHERE cap IS NOT NULL",
        {"budget": budget},
    )
    return bool(scalar(connection, "SELECT count(*) FROM hosts"))


def bound(connection: DuckDBPyConnection, policy: Policy, pages: str, hosts: str) -> None:
    """Create the table `bounded`: pages whose column `most` is at most the rate at which their host spends its budget.

    A host that cannot spend it keeps the bounds that its pages have.

    Args:
        connection: Where.
        policy: The policy.
        pages: SQL for the pages.
        hosts: The table of the hosts.
    """
    connection.execute(
        f"""
        CREATE OR REPLACE TABLE search AS
        SELECT host, cap, 2 * worth / cap AS here, NULL::DOUBLE AS low, NULL::DOUBLE AS at_low, NULL::DOUBLE AS high,
            NULL::DOUBLE AS at_high, 0 AS stayed, true AS is_open
        FROM {hosts} JOIN (
            SELECT host, sum({policy.worth}) AS worth, sum(({policy.bounds}) * c) AS whole
            FROM {pages} GROUP BY host
        ) USING (host) WHERE cap > 0 AND worth > 0 AND whole > cap
        """
    )
    for _ in range(MAX_STEPS):
        if not scalar(connection, "SELECT count(*) FROM search WHERE is_open"):
            break
        _step(connection, policy, pages)
    _lower(connection, policy, pages, hosts)


def _step(connection: DuckDBPyConnection, policy: Policy, pages: str) -> None:
    """Take one step of `solve` for every host that needs one."""
    spent = policy.select(f"host, sum(({policy.rate}) * c) AS spent", _at(pages, "here", "WHERE is_open"))
    connection.execute(
        f"""
        UPDATE search SET
            low = CASE WHEN excess >= 0 THEN here ELSE low END,
            at_low = CASE WHEN excess >= 0 THEN excess WHEN stayed < 0 THEN at_low / 2 ELSE at_low END,
            high = CASE WHEN excess < 0 THEN here ELSE high END,
            at_high = CASE WHEN excess < 0 THEN excess WHEN stayed > 0 THEN at_high / 2 ELSE at_high END,
            stayed = CASE WHEN low IS NULL THEN 0 WHEN excess >= 0 THEN 1 ELSE -1 END,
            is_open = low IS NULL OR (excess < 0 OR excess >= {EXACT})
        FROM (
            SELECT host AS found_host, ln(greatest(spent / cap, {TINY!r})) AS excess
            FROM ({spent} GROUP BY host) JOIN (SELECT host, cap FROM search) USING (host)
        )
        WHERE host = found_host
        """
    )
    share = "least(greatest(at_low / (at_low - at_high), 0.001), 0.999)"
    connection.execute(
        f"""
        UPDATE search SET
            here = CASE WHEN low IS NULL THEN high / 16 ELSE low * (high / low) ** ({share}) END,
            is_open = is_open AND (low IS NULL OR high / low - 1 >= {EXACT})
        WHERE is_open
        """
    )


def _lower(connection: DuckDBPyConnection, policy: Policy, pages: str, hosts: str) -> None:
    """Set the bounds by the two neighbours between which each host spends its budget, as `rates.plan` does for all."""
    at_low, at_high = (
        policy.select(f"place, host, c, {policy.rate} AS rate", _at(pages, side)) for side in ("low", "high")
    )
    connection.execute(
        f"""
        CREATE TABLE bounds AS
        WITH ends AS (
            SELECT place, host, c, lows.rate AS more, highs.rate AS less
            FROM ({at_low}) AS lows JOIN (SELECT place, rate FROM ({at_high})) AS highs USING (place)
        ), sums AS (
            SELECT host, sum(more * c) AS most, sum(less * c) AS least FROM ends GROUP BY host
        )
        SELECT place,
            less + (more - less) * CASE WHEN most > least THEN (cap - least) / (most - least) ELSE 1 END AS most
        FROM ends JOIN sums USING (host) JOIN {hosts} USING (host)
        """
    )
    connection.execute(
        f"""
        CREATE OR REPLACE TABLE bounded AS
        SELECT pages.* REPLACE (CASE WHEN cap = 0 THEN 0 ELSE least(pages.most, coalesce(bounds.most, pages.most)) END
            AS most)
        FROM {pages} AS pages LEFT JOIN bounds USING (place) LEFT JOIN {hosts} USING (host)
        """
    )
    connection.execute("DROP TABLE bounds")
    connection.execute("DROP TABLE search")


def _at(pages: str, column: str, where: str = "") -> str:
    """Return the pages of the hosts that are searched, each with the value that the search has for its host."""
    return f"(SELECT pages.*, {column} AS l FROM {pages} AS pages JOIN search USING (host) {where})"
