"""Two small plots as SVG, so that the notebooks need no library for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT, LEFT, FOOT = 640, 220, 60, 40
COLORS = ("#2f7f86", "#c7442e", "#dba02b", "#6d6790")


@dataclass(frozen=True)
class Lines:
    """A line for each series of numbers, over the same names."""

    title: str
    names: Sequence[str]
    series: Mapping[str, Sequence[float]]

    def _repr_html_(self) -> str:
        most = max((max(values, default=0) for values in self.series.values()), default=0) or 1
        step = (WIDTH - LEFT - 20) / max(len(self.names) - 1, 1)
        drawn = [_text(LEFT + at * step, HEIGHT - FOOT + 18, name) for at, name in enumerate(self.names)]
        for at, (name, values) in enumerate(self.series.items()):
            color = COLORS[at % len(COLORS)]
            points = [(LEFT + x * step, HEIGHT - FOOT - (HEIGHT - FOOT - 40) * y / most) for x, y in enumerate(values)]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            drawn.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
            drawn.append(_text(LEFT + 120 * at, 34, f"● {name}", color, "start"))
        return _svg(self.title, [*drawn, _text(LEFT - 8, 44, f"{most:g}", anchor="end")])


@dataclass(frozen=True)
class Points:
    """A point for each name: how far right and how high it is, both from 0 up."""

    title: str
    across: str
    up: str
    points: Mapping[str, tuple[float, float]]

    def _repr_html_(self) -> str:
        most = [max((point[at] for point in self.points.values()), default=0) or 1 for at in (0, 1)]
        drawn = []
        for name, (x, y) in self.points.items():
            place = f'cx="{LEFT + (WIDTH - LEFT - 30) * x / most[0]:.1f}"'
            place += f' cy="{HEIGHT - FOOT - (HEIGHT - FOOT - 50) * y / most[1]:.1f}"'
            said = f"<title>{escape(name)}: {x:g}, {y:g}</title>"
            drawn.append(f'<circle {place} r="5" fill="{COLORS[0]}" fill-opacity="0.7">{said}</circle>')
        drawn.append(_text(WIDTH / 2, HEIGHT - 8, f"{self.across}, up to {most[0]:.2g}"))
        drawn.append(_text(LEFT, 34, f"↑ {self.up}, up to {most[1]:.2g}", anchor="start"))
        return _svg(self.title, drawn)


def _svg(title: str, drawn: Sequence[str]) -> str:
    base = f'<path d="M{LEFT} 40V{HEIGHT - FOOT}H{WIDTH - 10}" fill="none" stroke="currentColor" stroke-opacity="0.4"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img"'
        f' style="max-width: 100%; font: 12px sans-serif" fill="currentColor" aria-label="{escape(title)}">'
        f'<text x="0" y="14" font-weight="bold">{escape(title)}</text>{base}{"".join(drawn)}</svg>'
    )


def _text(x: float, y: float, words: str, color: str = "currentColor", anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}" text-anchor="{anchor}">{escape(words)}</text>'
