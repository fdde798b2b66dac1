"""What lastmods are worth to a crawler: each policy simulated, and the order that its authors claim checked.

python benches/simulate.py [--pages N] [--days N]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import urlset

#: How often lastmods move with a change, and how many of their moves go with one.
SIGNALS = [(0.3, 0.8), (0.7, 0.8), (0.9, 0.95)]


def measured(title: str, pages: Sequence[Any], days: int, policies: Sequence[Any] = ()) -> dict[str, float]:
    """Simulate, print a line for each policy, and return the freshness of each."""
    began = time.perf_counter()
    found = urlset.simulate(pages, budget=len(pages) / 5, policies=policies, days=days)
    print(f"{title} ({time.perf_counter() - began:.1f} s)")
    for each in found:
        assert each.freshness is not None
        assert each.low is not None
        expected = "" if each.expected is None else f"   planned {each.expected:.3f}"
        print(f"  {each.policy:<13}{each.freshness:.3f} ± {each.freshness - each.low:.3f}{expected}")
        if each.expected is not None:  # twice the interval, which one of twenty may miss
            assert abs(each.freshness - each.expected) <= 2 * (each.freshness - each.low) + 0.002, each
    return {each.policy: each.freshness or 0.0 for each in found}


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--days", type=int, default=100)
    options = parser.parse_args()
    count, days = options.pages, options.days

    plain = measured("Without lastmods", list(urlset.drawn_pages(count)), days)
    order = ("periodic", "azar", "lambdacrawl", "importance", "uniform", "proportional")
    assert [name for name in plain if name in order] == list(order)
    assert plain["azar"] > 0.99 * plain["periodic"]

    gains = {}
    for recall, precision in SIGNALS:
        pages = list(urlset.drawn_pages(count, recall=recall, precision=precision))
        title = f"Lastmods with recall {recall} and precision {precision}"
        gains[recall] = measured(title, pages, days, ["signals", "moved", "periodic"])
    assert plain["periodic"] < gains[0.3]["signals"] < gains[0.7]["signals"] < gains[0.9]["signals"]

    pages = list(urlset.drawn_pages(count, recall=0.9, precision=0.95, stamped=0.5))
    mixed = measured("Half of the pages are stamped every day", pages, days, ["signals", "moved", "periodic"])
    # What says nothing costs nothing if nobody believes it. Believed, it costs more than all lastmods are worth.
    assert mixed["signals"] > mixed["periodic"] > mixed["moved"]


if __name__ == "__main__":
    main()
