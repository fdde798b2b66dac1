"""The plan for a person: what happens to each shard, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.filesize import decimal

from urlset._model.plan import Plan, PlannedShard
from urlset._util import drawing
from urlset._util.text import escape_controls, plural, tally

SHOWN = 20
"""Shards that are listed; unchanged shards are only counted."""

MARKS = {"new": ("+", "green"), "rewrite": ("~", "yellow"), "remove": ("-", "red")}

LABEL = 10

#: Why a page is left out, where the word for it needs another one.
_REASONS = {
    "404": "error page",
    "canonical": "canonical of another page",
    "deep": "too deep",
    "link": "link to a folder above",
    "outside": "link out of the folder",
    "robots": "disallowed by robots.txt",
    "untitled": "without a title",
}


def lines(plan: Plan, left_out: Mapping[str, int]) -> Iterator[drawing.Line]:
    """Yield the lines of the plan; `left_out` counts HTML pages that were left out, by reason."""
    yield from _shards([shard for shard in plan.shards if shard.action != "keep"])
    kept = plan.count("keep")
    if kept:
        yield drawing.Line(f"  = {plural(kept, 'unchanged shard')}")
    yield _labelled(
        "locs",
        f"{plan.added:,} added, {plan.changed:,} changed, {plan.removed:,} removed, {plan.moved:,} moved, "
        f"{plan.same:,} unchanged",
    )
    if plan.lastmod_sources:
        yield _labelled("lastmods", tally(plan.lastmod_sources))
    yield _labelled("rows", _rows(plan))
    if plan.outside:
        yield _labelled(
            "outside",
            f"{plural(plan.outside, 'row')} not below the base URL: search engines ignore them unless robots.txt names"
            " the set",
        )
    if plan.recovered:
        yield _labelled(
            "recovered",
            "the current set has no intact manifest, so its documents were read. When locs were first seen is not"
            " known, and no page gets a lastmod that another program has written: --lastmod-from git finds those of"
            " files",
        )
    if left_out:
        yield _labelled("left out", f"{pages_left_out(left_out)}; --rejects FILE names them")
    for guard in plan.guards:
        # Why it stops the publish, and what to do, is said once, where the publish ends.
        text = f"{guard.reason} (allowed)" if guard.is_allowed else f"{guard.name} stops the publish"
        yield _labelled("guard", text, "" if guard.is_allowed else "bold red")


def pages_left_out(left_out: Mapping[str, int]) -> str:
    """Return how many HTML pages were left out, and why."""
    words = {_REASONS.get(reason, reason): number for reason, number in left_out.items()}
    return f"{plural(sum(left_out.values()), 'page')}: {tally(words)}"


def _shards(shards: list[PlannedShard]) -> Iterator[drawing.Line]:
    shown = shards[:SHOWN]
    cells = [_cells(shard) for shard in shown]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for shard, (name, *numbers) in zip(shown, cells, strict=True):
        mark, style = MARKS[shard.action]
        line = drawing.Line("  ").append(mark, style)
        columns = (f"  {number:>{width}}" for number, width in zip(numbers, widths[1:], strict=True) if width)
        yield line.append(f" {name:<{widths[0]}}{''.join(columns)}".rstrip())
    if len(shards) > SHOWN:
        yield drawing.Line(f"    and {len(shards) - SHOWN:,} more")


def _cells(shard: PlannedShard) -> list[str]:
    """Return the name, entries (of a removed shard: those before), size, and how many were added, changed and lost."""
    changes = (("+", shard.added), ("~", shard.changed), ("-", shard.moved_out))
    return [
        escape_controls(shard.shard),
        plural(shard.previous if shard.action == "remove" else shard.entries, "entry", "entries"),
        decimal(shard.bytes) if shard.bytes else "",
        *(f"{mark}{number:,}" if number else "" for mark, number in changes),
    ]


def _rows(plan: Plan) -> str:
    counts = [f"{plan.rows:,} read"]
    if plan.duplicates:
        counts.append(plural(plan.duplicates, "duplicate"))
    if plan.normalized:
        counts.append(f"{plan.normalized:,} with a normalized loc")
    if plan.refused:
        counts.append(f"{plan.refused:,} refused")
    if plan.corrected:
        counts.append(f"{plural(plan.corrected, 'invalid value')} corrected")
    return ", ".join(counts)


def _labelled(label: str, text: str, style: str = "") -> drawing.Line:
    return drawing.Line(f"{label:<{LABEL}}").append(escape_controls(text), style)
