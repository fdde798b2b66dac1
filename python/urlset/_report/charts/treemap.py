"""A treemap: rectangles whose areas are counts, as square as can be.

Source: Bruls, Huizing and van Wijk, Squarified Treemaps, 2000.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from urlset._report.charts.svg import label, legend, picture, rect, scrolling, table
from urlset._report.markup import number

_WIDTH, _HEIGHT, _GAP = 1120.0, 340.0, 3.0
#: Width of a character of a label, at most.
_CHARACTER = 7.6


@dataclass(frozen=True, slots=True)
class Tile:
    """One rectangle: a name, the count that is its area, and a class of color with what that means."""

    name: str
    count: int
    color: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Box:
    """Where a rectangle is."""

    x: float
    y: float
    width: float
    height: float


def treemap(name: str, heads: Sequence[str], colors: Sequence[tuple[str, str]], tiles: Sequence[Tile]) -> str:
    """Return a treemap with a table of its numbers; the largest tiles come first."""
    ordered = sorted((tile for tile in tiles if tile.count), key=lambda tile: (-tile.count, tile.name))
    drawn = [_tile(tile, box) for tile, box in zip(ordered, squarified([tile.count for tile in ordered]), strict=True)]
    rows = [(tile.name, tile.meaning, tile.count) for tile in ordered]
    chart = picture(_WIDTH, _HEIGHT, "".join(drawn), name)
    return legend(colors) + scrolling(chart, name, "scroll wide") + table(name, heads, rows)


def squarified(counts: Sequence[int]) -> Iterator[Box]:
    """Yield the boxes of counts, which come in falling order and are positive."""
    free = Box(0, 0, _WIDTH, _HEIGHT)
    scale = _WIDTH * _HEIGHT / sum(counts) if counts else 0
    areas = [count * scale for count in counts]
    at = 0
    while at < len(areas):
        side = min(free.width, free.height)
        row = [areas[at]]
        while at + len(row) < len(areas) and _worst([*row, areas[at + len(row)]], side) <= _worst(row, side):
            row.append(areas[at + len(row)])
        at += len(row)
        # What is rounded must not lead out of the space that is left.
        thickness = min(sum(row) / side if side else 0, max(free.width, free.height))
        along = 0.0
        for area in row:
            length = min(area / thickness if thickness else 0, side - along)
            if free.width >= free.height:
                yield Box(free.x, free.y + along, thickness, length)
            else:
                yield Box(free.x + along, free.y, length, thickness)
            along += length
        if free.width >= free.height:
            free = Box(free.x + thickness, free.y, max(free.width - thickness, 0), free.height)
        else:
            free = Box(free.x, free.y + thickness, free.width, max(free.height - thickness, 0))


def _worst(areas: Sequence[float], side: float) -> float:
    """Return the greatest aspect of a row of areas along a side."""
    total = sum(areas)
    if not side or not total:
        return float("inf")
    return max(side * side * max(areas) / total**2, total**2 / (side * side * min(areas)))


def _tile(tile: Tile, box: Box) -> str:
    title = f"{tile.name}: {number(tile.count)}, {tile.meaning}"
    width, height = box.width - _GAP, box.height - _GAP
    drawn = rect(box.x, box.y, width, height, tile.color, title, radius=2)
    room = int((width - 16) / _CHARACTER)
    if room < 4 or height < 24:
        return drawn
    name = tile.name if len(tile.name) <= room else tile.name[: room - 1] + "…"
    drawn += label(box.x + 9, box.y + 20, name, "on")
    if height >= 42:
        drawn += label(box.x + 9, box.y + 37, number(tile.count), "on")
    return drawn
