"""The picture of a curve: freshness against budget, a line for each policy. It is an SVG without scripts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _FOOT = 760, 400, 56, 120, 44, 52
#: How far apart the names of two lines are at least.
_LINE = 15
#: Of each policy, its color in the light and in the dark, and whether its line is broken: those that optimize are not.
_COLORS = {
    "azar": ("#0969da", "#4493f8", False),
    "periodic": ("#1a7f37", "#3fb950", False),
    "lambdacrawl": ("#8250df", "#ab7df8", False),
    "signals": ("#bc4c00", "#db6d28", False),
    "uniform": ("#59636e", "#9198a1", True),
    "proportional": ("#cf222e", "#f85149", True),
    "importance": ("#9a6700", "#d29922", True),
}
_STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600; font-size: 15px }
.small { fill: #59636e; font-size: 12px } .page { fill: #ffffff } .grid { stroke: #d1d9e0 } .now { stroke: #59636e }
polyline { fill: none; stroke-width: 2 }
%s
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .small { fill: #9198a1 } .page { fill: #0d1117 } .grid { stroke: #3d444d }
  .now { stroke: #9198a1 }
%s
}"""

Line = Sequence[tuple[float, float]]


def draw(lines: Mapping[str, Line], budget: float) -> str:
    """Return the picture.

    Args:
        lines: The points of each policy, as budget and freshness, by their budgets.
        budget: The budget of the plan, which is marked.
    """
    title = "Freshness of the copies by budget, in fetches or bytes per day"
    light, dark = (
        "\n".join(
            f"  .{name} {{ stroke: {each[side]} }} text.{name} {{ stroke: none; fill: {each[side]} }}"
            for name, each in _COLORS.items()
        )
        for side in (0, 1)
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
        ' role="img">',
        f"<title>{title}</title>",
        f"<style>{_STYLE % (light, dark)}</style>",
        f'<rect class="page" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>',
        f'<text x="16" y="26" class="title">{title}</text>',
        *_axes(budget),
        *(_line(name, line, budget) for name, line in lines.items()),
        *_names(lines),
    ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _x(budget: float, middle: float) -> float:
    """Return where a budget is, from a sixteenth of the middle one to sixteen times that."""
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (math.log2(budget / middle) + 4) / 8


def _y(freshness: float) -> float:
    return _TOP + (_HEIGHT - _TOP - _FOOT) * (1 - freshness)


def _axes(budget: float) -> Iterator[str]:
    for part in range(0, 101, 20):
        y = _y(part / 100)
        yield f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" class="small" text-anchor="end">{part} %</text>'
    for power in range(-4, 5):
        x = _x(budget * 2.0**power, budget)
        kind = ' class="now" stroke-dasharray="2 3"' if power == 0 else ' class="grid"'
        yield f'<line{kind} x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_HEIGHT - _FOOT}"/>'
        shown = f"{budget * 2.0**power:,.4g}"
        yield f'<text x="{x:.1f}" y="{_HEIGHT - _FOOT + 18}" class="small" text-anchor="middle">{shown}</text>'
    x = _x(budget, budget)
    yield f'<text x="{x:.1f}" y="{_HEIGHT - _FOOT + 36}" class="small" text-anchor="middle">this plan</text>'


def _line(name: str, line: Line, budget: float) -> str:
    places = " ".join(f"{_x(spent, budget):.1f},{_y(fresh):.1f}" for spent, fresh in line)
    dashes = ' stroke-dasharray="6 4"' if _COLORS[name][2] else ""
    return f'<polyline class="{name}" points="{places}"{dashes}/>'


def _names(lines: Mapping[str, Line]) -> Iterator[str]:
    """Yield the names of the lines at their ends, one below the other."""
    lowest = -math.inf
    for name, line in sorted(lines.items(), key=lambda each: -each[1][-1][1]):
        lowest = max(_y(line[-1][1]) + 4, lowest + _LINE)
        yield f'<text x="{_WIDTH - _RIGHT + 8}" y="{lowest:.1f}" class="{name}">{name}</text>'
