"""Findings as workflow commands of GitHub Actions, which annotates the lines of a change with them.

Source: GitHub Docs, Workflow commands for GitHub Actions; the escapes are those of its own toolkit.
"""

from urlset._lint.report import Report
from urlset._model.diagnostics import Diagnostic
from urlset._output.findings import message, relative_location
from urlset._rules.catalogue import rules
from urlset._util.text import escape_controls

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}

# The runner reads to the end of the line and decodes these escapes. A comma ends a property and a colon ends all
# properties, so these two are escaped in properties as well.
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def render(report: Report) -> str:
    """Return one command per finding, and per document that could not be checked; an empty text without either."""
    names = {rule.code: rule.name for rule in rules()}
    commands = [_command(diagnostic, names[diagnostic.code]) for diagnostic in report]
    commands += [
        f"::error title=not checked::{escape_controls(str(failure)).translate(_DATA)}" for failure in report.failures
    ]
    return "\n".join(commands)


def _command(diagnostic: Diagnostic, name: str) -> str:
    properties = {
        "file": relative_location(diagnostic),
        "line": str(diagnostic.line),
        "col": str(diagnostic.column),
        "endColumn": str(diagnostic.end_column),
        "title": f"{diagnostic.code} {name}",
    }
    # Escaped before control characters are replaced: a line end in a name has an escape of its own.
    written = ",".join(f"{key}={escape_controls(value.translate(_PROPERTY))}" for key, value in properties.items())
    return f"::{_COMMANDS[diagnostic.severity]} {written}::{message(diagnostic).translate(_DATA)}"
