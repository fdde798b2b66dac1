"""Findings as JSON Lines: the objects of the `json` format, one per line."""

from collections.abc import Iterable

from urlset._model.diagnostics import Diagnostic
from urlset._output.json import finding
from urlset._output.json_text import dumps


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the findings in the given order; an empty text without findings."""
    return "\n".join(dumps(finding(diagnostic)) for diagnostic in diagnostics)
