"""How results show themselves in a notebook: tables, and small pictures of counts that need no style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

#: Rows that a notebook shows.
SHOWN = 20
#: Bars of one picture; what comes after them is one more.
_MOST: Final = 12
#: Characters of a name.
_LONGEST: Final = 40
_COLOR: Final = "#2f7f86"
#: Of 100, how long the bar of the smallest count is: one of a million is to be seen.
_LEAST: Final = 0.5
_ROW, _NAMES, _BARS, _COUNTS = 20, 250, 300, 90


def bars(title: str, counts: Mapping[str, int]) -> str:
    """Return a picture with a bar for each count; nothing without one.

    Example:
        >>> bars("entries", {"/tea/": 2, "/<b>/": 1}).count("<rect"), "&lt;b&gt;" in bars("entries", {"/<b>/": 1})
        (2, True)
    """
    if not counts:
        return ""
    shown = dict(list(counts.items())[:_MOST])
    if rest := len(counts) - len(shown):
        shown[f"{rest:,} others"] = sum(counts.values()) - sum(shown.values())
    most = max(*shown.values(), 1)
    width, height = _NAMES + _BARS + _COUNTS, _ROW * (1 + len(shown)) + 4
    rows = "".join(_bar(at, name, count, most) for at, (name, count) in enumerate(shown.items(), 1))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img"'
        f' style="max-width: 100%; font: 12px sans-serif" fill="currentColor" aria-label="{_text(title)}">'
        f'<text x="0" y="14" font-weight="bold">{_text(title)}</text>{rows}</svg>'
    )


def as_html(caption: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as an HTML table. Columns without any value are left out."""
    cells = [["" if value is None else str(value) for value in row] for row in rows]
    shown = [at for at, _ in enumerate(columns) if any(row[at] for row in cells)]
    head = "".join(f"<th>{_text(columns[at])}</th>" for at in shown)
    body = "".join("<tr>" + "".join(f"<td>{_text(row[at])}</td>" for at in shown) + "</tr>" for row in cells)
    title = f"<caption>{_text(caption)}</caption>"
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def shown_in_notebook(caption: str, *parts: str) -> str:
    """Return a caption with pictures and tables below it, as HTML."""
    return (
        f"<div><p><strong>{_text(caption)}</strong></p>{''.join(f'<div>{part}</div>' for part in parts if part)}</div>"
    )


def _bar(at: int, name: str, count: int, most: int) -> str:
    top = at * _ROW
    width = _BARS * max(100 * count / most, _LEAST if count else 0) / 100
    short = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    return (
        f'<g><title>{_text(name)}: {count:,}</title><text x="0" y="{top + 14}">{_text(short)}</text>'
        f'<rect x="{_NAMES}" y="{top + 3}" width="{width:.1f}" height="14" rx="2" fill="{_COLOR}"/>'
        f'<text x="{_NAMES + width + 6:.1f}" y="{top + 14}">{count:,}</text></g>'
    )


def _text(text: str) -> str:
    import html  # noqa: PLC0415  (notebooks show pictures)

    return html.escape(text)
