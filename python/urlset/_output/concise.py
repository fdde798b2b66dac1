"""Findings one a line, as compilers and editors know it: `path:line:column: CODE severity message`."""

from collections.abc import Iterable

from urlset._model.diagnostics import Diagnostic
from urlset._output.findings import message, place
from urlset._util.text import escape_controls


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """The findings, in the order given; nothing where there are none."""
    return "\n".join(_line(diagnostic) for diagnostic in diagnostics)


def _line(diagnostic: Diagnostic) -> str:
    where = f"{escape_controls(place(diagnostic))}:{diagnostic.line}:{diagnostic.column}"
    return f"{where}: {diagnostic.code} {diagnostic.severity} {message(diagnostic)}"
