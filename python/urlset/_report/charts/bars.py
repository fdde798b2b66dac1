"""Horizontal bars of stacked parts: a table whose cells have a bar, so that it reads as it looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from urlset._report.charts.svg import legend, strip
from urlset._report.markup import number, text


@dataclass(frozen=True, slots=True)
class Bar:
    """One row: a name, the counts by the order of the colors, what stands before the name, and what after the bar."""

    name: str
    counts: tuple[int, ...]
    marks: tuple[bool, ...] = ()
    values: tuple[str, ...] = ()


def stacked(
    heads: tuple[str, str],
    colors: Sequence[tuple[str, str]],
    bars: Sequence[Bar],
    *,
    is_share: bool,
    marks: Sequence[str] = (),
    values: Sequence[str] = (),
) -> str:
    """Return a table of bars.

    Args:
        heads: What the names and the sums are called.
        colors: A class of color and a name for each count of a bar.
        bars: The rows.
        is_share: Whether each bar has the full width, so that shares compare; else the longest has.
        marks: What the marks of a row are called; they say in which sets it is, and the names of colors say no more.
        values: What the values of a row are called.
    """
    most = max((sum(bar.counts) for bar in bars), default=1)
    rows = "".join(_row(bar, colors, most if not is_share else None) for bar in bars)
    widths = ["w-mark"] * len(marks) + ["w-name", "w-bar"] + ["w-value"] * len(values) + ["w-sum"]
    names = [
        *(f'<th scope="col" class="mark">{text(name)}</th>' for name in marks),
        f'<th scope="col">{text(heads[0])}</th><th scope="col"><span class="hidden">Parts</span></th>',
        *(f'<th scope="col" class="n">{text(name)}</th>' for name in (*values, heads[1])),
    ]
    columns = "".join(f'<col class="{width}">' for width in widths)
    head = f"<colgroup>{columns}</colgroup><thead><tr>{''.join(names)}</tr></thead>"
    table = f'<table class="bars">{head}<tbody>{rows}</tbody></table>'
    return table if marks else legend(colors) + table


def _row(bar: Bar, colors: Sequence[tuple[str, str]], most: int | None) -> str:
    total = sum(bar.counts)
    parts = [(color, name, count) for (color, name), count in zip(colors, bar.counts, strict=True)]
    said = "; ".join(f"{name} {number(count)}" for _, name, count in parts if count)
    marks = "".join(f'<td class="mark">{_YES if mark else _NO}</td>' for mark in bar.marks)
    values = "".join(f'<td class="n">{text(value)}</td>' for value in bar.values)
    return (
        f'<tr>{marks}<th scope="row"><bdi>{text(bar.name, 80)}</bdi></th>'
        f'<td>{strip(parts, total if most is None else most)}<span class="hidden">{text(said)}</span></td>'
        f'{values}<td class="n">{number(total)}</td></tr>'
    )


def _mark(circle: str, word: str) -> str:
    return f'<svg viewBox="0 0 10 10" aria-hidden="true">{circle}</svg><span class="hidden">{word}</span>'


_YES = _mark('<circle cx="5" cy="5" r="4" class="c-ink"/>', "yes")
_NO = _mark('<circle cx="5" cy="5" r="3.5" class="ring"/>', "no")
