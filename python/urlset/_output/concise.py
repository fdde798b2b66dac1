"""Findings one per line, in the form of compilers: `path:line:column: CODE severity message`."""

from collections.abc import Iterable

from urlset._model.diagnostics import Diagnostic
from urlset._output.findings import message
from urlset._util.text import escape_controls


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the findings in the given order; an empty text without findings."""
    return "\n".join(_line(diagnostic) for diagnostic in diagnostics)


def _line(diagnostic: Diagnostic) -> str:
    return f"{escape_controls(diagnostic.place)}: {diagnostic.code} {diagnostic.severity} {message(diagnostic)}"
