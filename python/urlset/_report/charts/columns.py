"""Vertical columns over an ordered scale: ages, depths, differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from urlset._report.charts.svg import label, legend, picture, rect, table
from urlset._report.markup import number

_WIDTH, _HEIGHT, _TOP, _FOOT = 520, 168, 22, 34


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        name: Its name, in up to two lines.
        counts: Its counts, by the order of the colors.
        is_apart: Whether it is not of the scale, and stands apart from it.
        color: The class of color of the whole column, in place of those of its parts.
    """

    name: str
    counts: tuple[int, ...]
    is_apart: bool = False
    color: str | None = None

    @property
    def spoken(self) -> str:
        """The name in one line."""
        return self.name.replace("\n", " ")


def columns(name: str, heads: Sequence[str], colors: Sequence[tuple[str, str]], values: Sequence[Column]) -> str:
    """Return a chart of columns with a table of its numbers.

    Args:
        name: What the picture is called.
        heads: What the names of the columns and each count are called, in the table.
        colors: A class of color and a name for each count of a column.
        values: The columns, in their order.
    """
    most = max((sum(value.counts) for value in values), default=0) or 1
    gaps = sum(value.is_apart and at > 0 for at, value in enumerate(values))
    step = (_WIDTH - 18 * gaps) / max(len(values), 1)
    drawn, x = [], 0.0
    for at, value in enumerate(values):
        x += 18 if value.is_apart and at else 0
        drawn.append(_column(x, step, value, colors, most))
        x += step
    base = f'<path d="M0 {_TOP + _HEIGHT + 0.5}H{_WIDTH}" class="line"/>'
    names = legend(colors) if len(colors) > 1 else ""
    rows: list[tuple[str | int, ...]] = [(value.spoken, *value.counts) for value in values]
    return names + picture(_WIDTH, _TOP + _HEIGHT + _FOOT, base + "".join(drawn), name) + table(name, heads, rows)


def _column(x: float, step: float, value: Column, colors: Sequence[tuple[str, str]], most: int) -> str:
    total, bottom = sum(value.counts), float(_TOP + _HEIGHT)
    width, left = min(step - 6, 56), x + step / 2 - min(step - 6, 56) / 2
    drawn = []
    for (color, part), count in zip(colors, value.counts, strict=True):
        if count:
            height = max(_HEIGHT * count / most, 1.5)
            bottom -= height
            title = f"{value.spoken}, {part}: {number(count)}"
            drawn.append(rect(left, bottom, width, height, value.color or color, title))
    if total:
        drawn.append(label(x + step / 2, bottom - 6, _short(total), "ink", "middle"))
    for line, words in enumerate(value.name.split("\n")):
        drawn.append(label(x + step / 2, _TOP + _HEIGHT + 16 + 14 * line, words, "soft", "middle"))
    return "".join(drawn)


def _short(count: int) -> str:
    """Return a count that fits above a column."""
    for size, unit in ((1_000_000, " M"), (10_000, "k")):
        if count >= size:
            return f"{count / (1_000_000 if unit == ' M' else 1000):.1f}{unit}".replace(".0", "")
    return number(count)
