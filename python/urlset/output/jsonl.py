"""Findings as lines of JSON: the objects of the `json` format, one a line."""

from collections.abc import Iterable

from urlset import Diagnostic
from urlset.output._json import dumps
from urlset.output.json import finding


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """The findings, in the order given; nothing where there are none."""
    return "\n".join(dumps(finding(diagnostic)) for diagnostic in diagnostics)
