"""Findings one a line, as compilers and editors know it: `path:line:column: CODE severity message`."""

from collections.abc import Iterable

from urlset import Diagnostic
from urlset._visible import visible
from urlset.output._finding import message, place


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """The findings, in the order given; nothing where there are none."""
    return "\n".join(_line(diagnostic) for diagnostic in diagnostics)


def _line(diagnostic: Diagnostic) -> str:
    where = f"{visible(place(diagnostic))}:{diagnostic.line}:{diagnostic.column}"
    return f"{where}: {diagnostic.code} {diagnostic.severity} {message(diagnostic)}"
