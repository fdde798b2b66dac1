"""Print two kept runs beside each other: what urlset did before, and what it does now.

    python benches/compare.py BEFORE [AFTER]

Both are folders with the files of `results/`; AFTER is that folder if it is not given. Machines differ, so a figure
that has one is shown as a ratio within its own run: reading as a multiple of `data.count(b"<")`, writing as one of
xml.etree. Page faults, peaks of memory and counts are shown as they are; any change of a count is marked. `run.py`
prints this at its end.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from picture import load
from report import RESULTS, table, times

#: From which change on a line is marked: less than this is what two runs of the same program differ by. Counts do not.
NOISE = 0.1


class Figure(NamedTuple):
    """One figure of a run."""

    value: float
    is_better_if_more: bool
    noise: float = NOISE


def figures(results: dict[str, Any]) -> dict[str, Figure]:
    """Return the figures of urlset in a run, by what they are."""
    return dict([*_counting(results), *_reading(results), *_writing(results), *_giant(results)])


def _counting(results: dict[str, Any]) -> Iterator[tuple[str, Figure]]:
    for record in results.get("counts", {}).get("counts", ()):
        for name, words in (("allocations", "blocks"), ("peak_bytes", "peak bytes"), ("looked_at", "bytes looked at")):
            yield f"{record['input']}, counted: {words}", Figure(record[name], is_better_if_more=False, noise=0.0)
        for name, words in (("instructions", "instructions"), ("lint_instructions", "instructions to lint it")):
            if name in record:
                # Reading a file and the system's libraries take some that are not ours.
                yield f"{record['input']}, counted: {words}", Figure(record[name], is_better_if_more=False, noise=0.005)


def _reading(results: dict[str, Any]) -> Iterator[tuple[str, Figure]]:
    for record in results.get("read", {}).get("results", ()):
        if record["wrong"] or not record["reader"].startswith("urlset"):
            continue
        name = f"{record['input']}, {record['reader']}"
        if ratio := record["times"].get("count"):
            yield f"{name}: x count", Figure(ratio, is_better_if_more=True)
        if record.get("page_faults") is not None:
            yield f"{name}: page faults", Figure(record["page_faults"], is_better_if_more=False)


def _writing(results: dict[str, Any]) -> Iterator[tuple[str, Figure]]:
    kept = results.get("write", {})
    for record in kept.get("write", ()):
        if record["writer"].startswith("urlset") and (ratio := record["times"].get("elementtree")):
            yield f"write, {record['writer']}: x xml.etree", Figure(ratio, is_better_if_more=True)
    publish = kept.get("publish", {"wrong": True})
    if not publish["wrong"]:
        rerun = publish["rerun_seconds"] / publish["seconds"]
        yield "publish: seconds", Figure(publish["seconds"], is_better_if_more=False)
        yield "publish: rerun, of the first", Figure(rerun, is_better_if_more=False)
        if known := publish.get("known_seconds"):
            yield (
                "publish: rerun over a known file, of the first",
                Figure(known / publish["seconds"], is_better_if_more=False),
            )
        yield "publish: peak MB", Figure(publish["peak_rss_bytes"] / 1e6, is_better_if_more=False)


def _giant(results: dict[str, Any]) -> Iterator[tuple[str, Figure]]:
    for record in results.get("giant", {}).get("giant", ()):
        if not record["wrong"]:
            name = f"giant of {record['bytes'] / 1e6:,.0f} MB"
            yield f"{name}: peak MB", Figure(record["peak_rss_bytes"] / 1e6, is_better_if_more=False)


def compared(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Return the figures of two runs as a table; a figure that only one of them has is shown alone."""
    old, new = figures(before), figures(after)
    body = []
    for name in dict.fromkeys([*old, *new]):
        was, now = old.get(name), new.get(name)
        change, mark = "-", ""
        if was is not None and now is not None and was.value:
            ratio = now.value / was.value
            change = f"{ratio - 1:+.0%}"
            if abs(ratio - 1) > now.noise:
                mark = "better" if (ratio > 1) is now.is_better_if_more else "WORSE"
        body.append([name, *(times(each.value) if each else "-" for each in (was, now)), change, mark])
    return table(["urlset", "before", "after", "change", ""], body)


def main(arguments: list[str]) -> int:
    """Print the table."""
    if not 1 <= len(arguments) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    before, after = Path(arguments[0]), Path(arguments[1]) if len(arguments) > 1 else RESULTS
    print(compared(load(before), load(after)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
