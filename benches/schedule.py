"""Plans of crawls: the freshness of each policy, which is checked, and how long a plan takes.

python benches/schedule.py [--pages N]
"""

from __future__ import annotations

import argparse
import resource
import time
from math import isclose
from typing import Any, get_args

import duckdb
import urlset
from urlset._schedule.policies import PolicyName

#: Most pages change seldom, and few are important: lognormal rates of change, and importance by rank. Lastmods move
#: with 70 % of the changes, and four of five moves go with a change.
PAGES = """
    SELECT 'https://shop.example/' || i AS loc,
        exp(-2 + 2 * sqrt(-2 * ln(1 - hash(i) / 18446744073709551616.0))
            * cos(2 * pi() * hash(-i) / 18446744073709551616.0)) AS change_rate,
        1 / i AS importance, 0.7 AS recall, 0.8 AS precision
    FROM range(1, {count} + 1) AS t(i)
"""


def planned(table: Any, budget: float, policy: PolicyName) -> tuple[float, float]:
    """Return the freshness of a plan, and the seconds that it took."""
    began = time.perf_counter()
    with urlset.schedule(table, budget=budget, policy=policy) as plan:
        took = time.perf_counter() - began
        assert isclose(plan.spent, budget, rel_tol=1e-9), plan.spent
        return plan.freshness or 0.0, took


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000_000)
    count = parser.parse_args().pages
    found = {policy: planned(duckdb.sql(PAGES.format(count=1_000)), 200, policy)[0] for policy in get_args(PolicyName)}
    print("1,000 pages, 200 fetches a day")
    for policy, freshness in sorted(found.items(), key=lambda each: each[1]):
        print(f"  {policy:<13}{freshness:.3f}")
    assert found["signals"] > found["periodic"] >= found["azar"] >= 0.99 * found["periodic"]
    assert found["proportional"] == min(found.values())
    print(f"{count:,} pages, {count // 5:,} fetches a day")
    for policy in get_args(PolicyName):
        freshness, took = planned(duckdb.sql(PAGES.format(count=count)), count // 5, policy)
        print(f"  {policy:<13}{freshness:.3f}{took:8.1f} s")
    print(f"  most memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.1f} GB")


if __name__ == "__main__":
    main()
