"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    names = [*head]
    yield row(names)
    yield row(["---"] * len(names))
    yield from map(row, rows)


def row(cells: Iterable[str]) -> str:
    """Return one line of a table."""
    return f"| {' | '.join(cells)} |"


def cell(text: str) -> str:
    """Return a text as a cell has it."""
    return text.replace("|", "\\|")
