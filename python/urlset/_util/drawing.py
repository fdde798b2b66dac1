"""What draws on a terminal: lines with styles, and parts of rich, each imported when it is first used.

Rich takes half as long to import as the rest of a verb. A help, a result for a program, and lines that no terminal
shows need none of it.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.cells import cell_len, set_cell_size
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text
    from rich.tree import Tree

    out: Console
    err: Console

__all__ = [
    "Line",
    "Markdown",
    "Table",
    "Text",
    "Tree",
    "cell_len",
    "err",
    "escape",
    "out",
    "print_line",
    "set_cell_size",
]

_HOMES = {
    "Markdown": "rich.markdown",
    "Table": "rich.table",
    "Text": "rich.text",
    "Tree": "rich.tree",
    "cell_len": "rich.cells",
    "escape": "rich.markup",
    "set_cell_size": "rich.cells",
}
#: Both consoles look up sys.stdout and sys.stderr at each print, and follow NO_COLOR and the terminal.
_CONSOLES = {"out": {"stderr": False}, "err": {"stderr": True}}


class Line:
    """A line of text, or several, with the styles of its parts. Rich takes it like a text of its own.

    Args:
        text: The first part.
        style: Its style, such as `"bold red"`.
    """

    __slots__ = ("_parts",)

    def __init__(self, text: str = "", style: str = "") -> None:
        self._parts = [(text, style)] if text else []

    def append(self, text: str | Line, style: str = "") -> Line:
        """Add a part, or those of another line, and return this line."""
        if isinstance(text, Line):
            self._parts += text._parts
        elif text:
            self._parts.append((text, style))
        return self

    @property
    def plain(self) -> str:
        """The text without styles."""
        return "".join(text for text, _ in self._parts)

    def __bool__(self) -> bool:
        """Whether there is any text."""
        return bool(self._parts)

    def __rich__(self) -> Text:
        """Return the text as rich draws it."""
        from rich.text import Text  # noqa: PLC0415  (this is for terminals)

        return Text.assemble(*self._parts)


def print_line(line: Line) -> None:
    """Print a line on standard output without wrapping it, in colour where a terminal wants that."""
    # What else may be a terminal, and of how many colours, rich finds out. Source: rich.console, `Console.is_terminal`.
    if sys.stdout.isatty() or os.environ.get("FORCE_COLOR") or os.environ.get("TTY_COMPATIBLE"):
        sys.modules[__name__].out.print(line, soft_wrap=True)
    else:
        print(line.plain)


def __getattr__(name: str) -> object:
    """Import a part of rich, or make a console."""
    value: object
    if name in _CONSOLES:
        value = import_module("rich.console").Console(highlight=False, **_CONSOLES[name])
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value
