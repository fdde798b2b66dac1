"""Findings as lines of JSON: the objects of the `json` format, one a line."""

from collections.abc import Iterable

from urlset._model.diagnostics import Diagnostic
from urlset._output.json import finding
from urlset._output.json_text import dumps


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """The findings, in the order given; nothing where there are none."""
    return "\n".join(dumps(finding(diagnostic)) for diagnostic in diagnostics)
