"""Findings as workflow commands of GitHub Actions, which shows each at its line of the change.

Source: GitHub Docs, Workflow commands for GitHub Actions; the escapes are those of its own toolkit.
"""

from collections.abc import Iterable

from urlset._model.diagnostics import Diagnostic
from urlset._output.findings import message, place
from urlset._rules.catalogue import rules
from urlset._util.text import escape_controls

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}

# A runner reads the text up to the end of the line and undoes these. A property ends at a comma, and all of them at
# a colon, so those two are escaped there as well.
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """One command a finding, in the order given; nothing where there are none."""
    names = {rule.code: rule.name for rule in rules()}
    return "\n".join(_command(diagnostic, names[diagnostic.code]) for diagnostic in diagnostics)


def _command(diagnostic: Diagnostic, name: str) -> str:
    properties = {
        "file": place(diagnostic),
        "line": str(diagnostic.line),
        "col": str(diagnostic.column),
        "endColumn": str(diagnostic.end_column),
        "title": f"{diagnostic.code} {name}",
    }
    # Escaped before it is made visible: a line end in a name has an escape of its own, and comes through.
    written = ",".join(f"{key}={escape_controls(value.translate(_PROPERTY))}" for key, value in properties.items())
    return f"::{_COMMANDS[diagnostic.severity]} {written}::{message(diagnostic).translate(_DATA)}"
