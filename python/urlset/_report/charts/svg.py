"""What the charts share: elements, legends, and the table of a picture's numbers."""

from __future__ import annotations

from collections.abc import Sequence

from urlset._report.markup import number, text

#: Of the thousand units of a bar, those that its smallest part has.
MIN_WIDTH = 8


def rect(x: float, y: float, width: float, height: float, color: str, title: str = "", *, radius: float = 0) -> str:
    """Return a rectangle of a class of color, with a title that shows when somebody points at it."""
    rounded = f' rx="{radius:g}"' if radius else ""
    inside = f"<title>{text(title)}</title>" if title else ""
    place = f'x="{x:.2f}" y="{y:.2f}" width="{max(width, 0):.2f}" height="{max(height, 0):.2f}"'
    return f'<rect {place}{rounded} class="{color}">{inside}</rect>'


def label(x: float, y: float, content: str, color: str = "ink", anchor: str = "start") -> str:
    """Return a line of text. `content` is plain text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" class="t-{color}" text-anchor="{anchor}">{text(content, 120)}</text>'


def picture(width: float, height: float, inside: str, name: str, *, css: str = "") -> str:
    """Return an SVG that a screen reader announces by `name`; its parts are read from the table below it."""
    size = f'viewBox="0 0 {width:g} {height:g}"'
    classes = f' class="{css}"' if css else ""
    return f'<svg {size}{classes} role="img" aria-label="{text(name)}">{inside}</svg>'


def strip(parts: Sequence[tuple[str, str, int]], whole: int) -> str:
    """Return one bar of stacked parts, as wide as its column; `whole` is what the full width stands for."""
    drawn, x = [], 0.0
    for color, title, count in parts:
        # The smallest part stays visible: a single error of a million pages matters.
        width = max(1000 * count / whole, MIN_WIDTH) if count and whole else 0
        if width:
            drawn.append(rect(x, 0, width, 10, color, f"{title}: {number(count)}"))
        x += width
    size = f'viewBox="0 0 {max(x, 1000):.1f} 10" preserveAspectRatio="none"'
    return f'<svg class="strip" {size} aria-hidden="true">{"".join(drawn)}</svg>'


def legend(colors: Sequence[tuple[str, str]]) -> str:
    """Return the names of colors."""
    items = "".join(
        f'<li><svg viewBox="0 0 10 10" aria-hidden="true">{rect(0, 0, 10, 10, color, radius=2)}</svg>{text(name)}</li>'
        for color, name in colors
    )
    return f'<ul class="legend">{items}</ul>'


def table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str | int]]) -> str:
    """Return the numbers of a picture as a table that opens on demand. The first column names the row."""
    head = "".join(f'<th scope="col"{_numeric(at)}>{text(name)}</th>' for at, name in enumerate(heads))
    body = "".join(
        f'<tr><th scope="row"><bdi>{text(row[0])}</bdi></th>{"".join(map(_cell, row[1:]))}</tr>' for row in rows
    )
    name = f'<caption class="hidden">{text(caption)}</caption>'
    inside = f"<table>{name}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<details class="numbers"><summary>The numbers</summary>{scrolling(inside, caption)}</details>'


def scrolling(inside: str, name: str, css: str = "scroll") -> str:
    """Return what may be wider than a window in a box that scrolls, also by keyboard."""
    return f'<div class="{css}" role="group" aria-label="{text(name)}" tabindex="0">{inside}</div>'


def _cell(value: str | int) -> str:
    return f'<td class="n">{number(value) if isinstance(value, int) else text(value)}</td>'


def _numeric(at: int) -> str:
    return ' class="n"' if at else ""
