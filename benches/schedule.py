"""Measure what it costs to choose the next request while many hosts rest.

    python benches/schedule.py

Each host wants a second between two requests, and has ten waiting. The clock moves only when nobody has a turn. Prints
JSON with the microseconds of processor time for each request, by the number of hosts. Exits with 1 if a request is
lost, or if a host is asked before its second is over.
"""

from __future__ import annotations

import json
import sys
import time

from urlset._fetch.schedule import Schedule

HOSTS = (100, 1_000, 10_000, 100_000)
EACH = 10


class Clock:
    """Seconds that pass on demand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def microseconds(hosts: int) -> tuple[float, bool]:
    """Return the processor time of a request, and whether all went right."""
    clock = Clock()
    schedule: Schedule[int] = Schedule(clock)
    names = [f"{number}.example" for number in range(hosts)]
    for number in range(hosts * EACH):
        schedule.put(names[number % hosts], number)
    last = dict.fromkeys(names, -1.0)
    taken, is_right = 0, True
    begin = time.process_time()
    while taken < hosts * EACH:
        turn = schedule.take()
        if isinstance(turn, float):
            clock.now += turn
            continue
        host, _ = turn
        schedule.open(host, 4, 1.0)
        schedule.done(host)
        is_right &= clock.now - last[host] >= 1.0
        last[host] = clock.now
        taken += 1
    seconds = time.process_time() - begin
    return round(seconds / taken * 1e6, 2), is_right and schedule.take() != 0


def main() -> int:
    """Measure, print, and return the exit code."""
    results = {hosts: microseconds(hosts) for hosts in HOSTS}
    print(json.dumps({"microseconds a request": {hosts: cost for hosts, (cost, _) in results.items()}}, indent=2))
    return 0 if all(is_right for _, is_right in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
