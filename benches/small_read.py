"""Time the reading and checking of one tiny document, of which a crawler meets millions.

    python benches/small_read.py [REPEATS]

Prints a line of JSON with the least time of each verb, in microseconds. Exits with 1 if one does not return what is in
the document.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import urlset

DOCUMENT = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://shop.example/</loc><lastmod>2026-01-31</lastmod></url>
</urlset>
"""
#: Each verb, and whether it has found what there is.
WORK: dict[str, Callable[[], bool]] = {
    "parse": lambda: len(urlset.parse(DOCUMENT)) == 1,
    "read": lambda: len(urlset.read(DOCUMENT)) == 1,
    "read_loc": lambda: len(urlset.read(DOCUMENT, columns=["loc"])) == 1,
    "lint": lambda: (report := urlset.lint(DOCUMENT)).entries == 1 and not report,
}


def least(work: Callable[[], bool], repeats: int) -> tuple[float, bool]:
    """Return the least time of `work`, in seconds, and whether it was right each time."""
    seconds, is_right = float("inf"), True
    for _ in range(repeats):
        start = time.perf_counter()
        found = work()
        seconds = min(seconds, time.perf_counter() - start)
        is_right = is_right and found
    return seconds, is_right


def main(repeats: int) -> int:
    """Time each verb and print the times."""
    are_right = [entry.loc for entry in urlset.read(DOCUMENT)] == ["https://shop.example/"]
    record: dict[str, float] = {"repeats": repeats}
    for name, work in WORK.items():
        seconds, is_right = least(work, repeats)
        record[f"{name}_us"] = round(seconds * 1e6, 1)
        are_right = are_right and is_right
    print(json.dumps(record))
    return 0 if are_right else 1


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000))
