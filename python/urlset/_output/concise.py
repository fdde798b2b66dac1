"""Findings one per line, in the form of compilers: `path:line:column: CODE severity message`."""

from collections.abc import Iterable

from urlset._model.diagnostics import Diagnostic
from urlset._output.findings import location_of, message
from urlset._util.text import escape_controls


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the findings in the given order; an empty text without findings."""
    return "\n".join(_line(diagnostic) for diagnostic in diagnostics)


def _line(diagnostic: Diagnostic) -> str:
    where = f"{escape_controls(location_of(diagnostic))}:{diagnostic.line}:{diagnostic.column}"
    return f"{where}: {diagnostic.code} {diagnostic.severity} {message(diagnostic)}"
