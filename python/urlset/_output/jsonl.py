"""Findings as JSON Lines: one object per line, with the keys of the format `json`."""

from urlset._lint.report import Report
from urlset._output.json import finding
from urlset._output.json_text import dumps


def render(report: Report) -> str:
    """Return the findings in the given order; an empty text without findings."""
    return "\n".join(dumps(finding(diagnostic, of_audit=report.of_audit)) for diagnostic in report)
