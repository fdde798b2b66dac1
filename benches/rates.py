"""Rates of many pages: how long they take, in how much memory, and whether they are right.

python benches/rates.py [--pages N] [--looks N] [--memory SIZE]

Each page is looked at once a day. It changes at even intervals, of one day to ten, and has a true lastmod.
"""

from __future__ import annotations

import argparse
import resource
import time
from math import isclose

import duckdb
import urlset

#: The looks of a day at all pages, whose intervals are 1 to 10 days: a change comes at the end of each.
LOOKS = """
    SELECT 'https://shop.example/s' || page % 100 || '/page-' || page AS loc,
        TIMESTAMPTZ '2026-01-01' + INTERVAL 1 DAY * day AS time,
        day // (1 + page % 10) AS hash,
        strftime(TIMESTAMPTZ '2026-01-01' + INTERVAL 1 DAY * (day // (1 + page % 10) * (1 + page % 10)),
            '%Y-%m-%dT%H:%M:%SZ') AS lastmod,
        20000 AS bytes
    FROM range({pages}) AS pages(page), range({looks}) AS days(day)
"""


def main() -> None:
    """Print what it takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--looks", type=int, default=30)
    parser.add_argument("--memory", default="1GB")
    asked = parser.parse_args()
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET threads = 1")  # the looks are not what is measured
        looks = connection.sql(LOOKS.format(pages=asked.pages, looks=asked.looks))
        began = time.perf_counter()
        with urlset.rates(looks, memory=asked.memory) as rates:
            took = time.perf_counter() - began
            assert (len(rates), rates.looks) == (asked.pages, asked.pages * asked.looks)
            steps = asked.looks - 1
            assert sum(each.looks for each in rates.sections) == asked.pages * steps
            found = sum(each.looks - each.unchanged for each in rates.sections)
            assert found == sum(steps // (1 + page % 10) for page in range(asked.pages))
            daily = next(each for each in rates.sections if each.section == "/s0/")
            assert daily.hints == "used"
            assert isclose(daily.trust.precision or 0, 1)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    count = asked.pages * asked.looks
    print(f"{count:,} looks at {asked.pages:,} pages: {took:.1f} s, most memory {memory:.2f} GB")


if __name__ == "__main__":
    main()
