"""Findings as a Code Quality report of GitLab, which compares it with that of the target branch.

Source: GitLab Docs, Code Quality report format.
"""

from collections.abc import Iterable
from typing import Any

from urlset._model.diagnostics import Diagnostic
from urlset._output.findings import fingerprints, message, place
from urlset._output.json_text import dumps

_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """The findings, in the order given, as the text of a JSON array.

    A fingerprint stays the same while what stands above a finding changes. GitLab knows no columns: the
    description has them, because a whole sitemap can be one line.
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
        # A path has to be as the repository has it.
        "location": {"path": place(diagnostic).removeprefix("./"), "lines": {"begin": diagnostic.line}},
    }
