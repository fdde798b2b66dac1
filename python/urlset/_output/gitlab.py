"""Findings as a Code Quality report for GitLab, which compares it with the report of the target branch.

Source: GitLab Docs, Code Quality report format. It has no place for a document that could not be checked, because
everything in it is a violation at a line of a file: such a run ends with exit code 2, which fails the job.
"""

from collections.abc import Iterable
from typing import Any

from urlset._model.diagnostics import Diagnostic
from urlset._output.findings import fingerprints, message, relative_location
from urlset._output.json_text import dumps

_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the findings in the given order, as the text of a JSON array.

    A fingerprint does not change if lines above the finding change. GitLab does not show columns, so the description
    has them: a whole sitemap can be one line.
    """
    kept = tuple(diagnostics)
    named = zip(kept, fingerprints(kept), strict=True)
    return dumps([_violation(diagnostic, fingerprint) for diagnostic, fingerprint in named], indent=2)


def _violation(diagnostic: Diagnostic, fingerprint: str) -> dict[str, Any]:
    return {
        "description": f"{diagnostic.code} at column {diagnostic.column}: {message(diagnostic)}",
        "check_name": diagnostic.code,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[diagnostic.severity],
        # The path must be the same as in the repository.
        "location": {"path": relative_location(diagnostic), "lines": {"begin": diagnostic.line}},
    }
