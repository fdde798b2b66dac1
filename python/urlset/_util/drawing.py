"""What draws on a terminal: parts of rich, and the consoles, each imported or made when it is first used.

Rich takes half as long to import as the rest of a verb. A help, a result for a program and one line of text need none
of it.
"""

from __future__ import annotations

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

__all__ = ["Markdown", "Table", "Text", "Tree", "cell_len", "err", "escape", "out", "set_cell_size"]

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
