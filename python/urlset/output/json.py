"""Findings as one JSON array: an object a finding, always with the same keys."""

import json
from collections.abc import Iterable
from typing import Any

from urlset import Diagnostic


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """The findings, in the order given, as the text of a JSON array.

    Absent values are null. `line` and `column` count from 1, in code points; `end_column` is
    exclusive; `source_column` is the place inside `source`, which may be a part of a long line.
    """
    return json.dumps([_finding(diagnostic) for diagnostic in diagnostics], ensure_ascii=False, indent=2)


def _finding(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "location": diagnostic.location,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "end_column": diagnostic.end_column,
        "source": diagnostic.source,
        "source_column": diagnostic.source_column,
        "help": diagnostic.help,
    }
