"""Findings as one JSON array: one object per finding, always with the same keys."""

from typing import Any

from urlset._lint.report import Report
from urlset._model.diagnostics import Diagnostic, Fix
from urlset._output.json_text import dumps


def render(report: Report) -> str:
    """Return the findings in the given order, as the text of a JSON array.

    Absent values are null. `line` and `column` count from 1, in code points; `end_column` is exclusive;
    `source_column` is the column within `source`, which may be a part of a long line. `start` and `end` of an edit
    count bytes of the document decoded to UTF-8, without a byte order mark. `more` counts further findings of the
    rule in the document, which are not listed. The findings of an audit also have `pages`, `detail`,
    `state` and `new`.
    """
    return dumps([finding(diagnostic, of_audit=report.of_audit) for diagnostic in report], indent=2)


def finding(diagnostic: Diagnostic, *, of_audit: bool) -> dict[str, Any]:
    """Return the object of one finding; one of an audit has more keys."""
    found = {
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
        "fix": None if diagnostic.fix is None else _fix(diagnostic.fix),
        "more": diagnostic.more,
    }
    if not of_audit:
        return found
    return found | {
        "pages": list(diagnostic.pages),
        "detail": diagnostic.detail,
        "state": diagnostic.state,
        "new": diagnostic.new,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [{"start": edit.start, "end": edit.end, "text": edit.text} for edit in fix.edits]
    return {"safety": fix.safety, "edits": edits}
