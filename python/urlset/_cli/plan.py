"""A plan for a person: what becomes of each shard, and what that rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.filesize import decimal
from rich.text import Text

from urlset._model.plan import Plan, PlannedShard
from urlset._util.text import escape_controls, plural, tally

SHOWN = 20
"""Shards that are listed; those that stay as they are, are only counted."""

MARKS = {"new": ("+", "green"), "rewrite": ("~", "yellow"), "remove": ("-", "red")}

LABEL = 10


def lines(plan: Plan, left_out: Mapping[str, int]) -> Iterator[Text]:
    """The plan, line by line; `left_out` counts pages that became no rows, by reason."""
    yield from _shards([shard for shard in plan.shards if shard.action != "keep"])
    kept = plan.count("keep")
    if kept:
        yield Text(f"  = {plural(kept, 'shard')} as {'it is' if kept == 1 else 'they are'}")
    yield _labelled(
        "locs",
        f"{plan.added:,} added, {plan.changed:,} changed, {plan.removed:,} removed, {plan.moved:,} moved, "
        f"{plan.same:,} the same",
    )
    if plan.evidence:
        yield _labelled("lastmods", tally(plan.evidence))
    yield _labelled("rows", _rows(plan))
    if left_out:
        yield _labelled("left out", f"{plural(sum(left_out.values()), 'page')}: {tally(left_out)}")
    for guard in plan.guards:
        remedy = "allowed" if guard.is_allowed else f"refused; --allow {guard.name} if that is meant"
        yield _labelled("guard", f"{guard.reason} ({remedy})", "" if guard.is_allowed else "bold red")


def _shards(shards: list[PlannedShard]) -> Iterator[Text]:
    shown = shards[:SHOWN]
    cells = [_cells(shard) for shard in shown]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for shard, (name, *numbers) in zip(shown, cells, strict=True):
        mark, style = MARKS[shard.action]
        line = Text("  ")
        line.append(mark, style)
        line.append(f" {name:<{widths[0]}}")
        for number, width in zip(numbers, widths[1:], strict=True):
            line.append(f"  {number:>{width}}" if width else "")
        line.rstrip()
        yield line
    if len(shards) > SHOWN:
        yield Text(f"    and {len(shards) - SHOWN:,} more")


def _cells(shard: PlannedShard) -> list[str]:
    """Name, entries (of one that goes, those that it has), size, and how many are new, are changed, and have left."""
    changes = (("+", shard.added), ("~", shard.changed), ("-", shard.lost))
    return [
        escape_controls(shard.shard),
        plural(shard.before if shard.action == "remove" else shard.entries, "entry", "entries"),
        decimal(shard.bytes) if shard.bytes else "",
        *(f"{mark}{number:,}" if number else "" for mark, number in changes),
    ]


def _rows(plan: Plan) -> str:
    told = [f"{plan.rows:,} read"]
    if plan.duplicates:
        told.append(f"{plan.duplicates:,} with the loc of another one")
    if plan.respelled:
        told.append(f"{plan.respelled:,} with a loc that was respelled")
    if plan.refused:
        told.append(f"{plan.refused:,} refused")
    return ", ".join(told)


def _labelled(label: str, text: str, style: str = "") -> Text:
    return Text.assemble(f"{label:<{LABEL}}", (escape_controls(text), style))
