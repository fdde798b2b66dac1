"""Time the publishing of three rows, which is what a test or a small site pays.

    python benches/small_publish.py [REPEATS]

Prints a line of JSON with the medians, in milliseconds, of a first publish, of a rerun over the same rows and of a
publish that adds a row. Exits with 1 if a published set is not what was given.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import urlset

BASE = "https://shop.example/"
ROWS: list[Any] = [{"loc": "/", "lastmod": "2026-11-20"}, {"loc": "/tea?size=1&kind=green"}, "/coffee"]
Times = dict[str, list[tuple[float, float]]]


def timed(times: list[tuple[float, float]], work: Callable[[], urlset.Publication]) -> urlset.Publication:
    """Run `work`; add the seconds that passed and the seconds of processor time to `times`."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    times.append((time.perf_counter() - wall, time.process_time() - cpu))
    return result


def cycle(folder: Path, times: Times) -> bool:
    """Publish into an empty folder, publish the same again, add a row; return whether every result is right."""
    first = timed(times["first"], lambda: urlset.publish(ROWS, folder, base_url=BASE))
    rerun = timed(times["rerun"], lambda: urlset.publish(ROWS, folder, base_url=BASE))
    change = timed(times["change"], lambda: urlset.publish([*ROWS, "/new"], folder, base_url=BASE))
    found = [entry.loc for entry in urlset.read(folder)]
    wanted = sorted(f"{BASE}{path}" for path in ("", "tea?size=1&kind=green", "coffee", "new"))
    counts = (first.plan.added, rerun.plan.same, change.plan.added, change.plan.same)
    return counts == (3, 3, 1, 3) and not rerun.written and sorted(map(str, found)) == wanted


def main(repeats: int) -> int:
    """Repeat the cycle and print the medians."""
    times: Times = {"first": [], "rerun": [], "change": []}
    with TemporaryDirectory() as name:
        wrong = sum(not cycle(Path(name) / str(number), times) for number in range(repeats + 1))
    record: dict[str, float | int] = {"repeats": repeats}
    for kind, measured in times.items():
        # The first one imports what it needs.
        wall, cpu = zip(*measured[1:], strict=True)
        record[f"{kind}_ms"] = round(statistics.median(wall) * 1000, 1)
        record[f"{kind}_cpu_ms"] = round(statistics.median(cpu) * 1000, 1)
    print(json.dumps(record))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 50))
