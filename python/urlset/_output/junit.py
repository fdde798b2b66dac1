"""Findings as JUnit XML, which most build servers show: one suite per document, one failed case per finding.

Documents that could not be checked are a suite of their own, with one case per document that ended with an error.

No standard exists. The form is the one that Jenkins, GitLab and the Ant task agree on.
"""

from collections.abc import Iterable, Sequence

from urlset._lint.report import Report
from urlset._model.diagnostics import Diagnostic
from urlset._model.errors import UrlsetError
from urlset._output.findings import location_of, message
from urlset._rules.catalogue import rules
from urlset._util.text import escape_controls

#: The suite of the documents that could not be checked.
_NOT_CHECKED = "not checked"
_QUOTES = str.maketrans({'"': "&quot;"})
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def render(report: Report) -> str:
    """Return the whole report. A document without findings is one case that passed.

    `tests` and `failures` also count findings that are not listed, so that the sums are those of the report.
    """
    names = {rule.code: rule.name for rule in rules()}
    found: dict[str, list[Diagnostic]] = {document: [] for document in report.documents}
    for diagnostic in report:
        found.setdefault(location_of(diagnostic), []).append(diagnostic)
    failures, errors = sum(map(_failures, found.values())), len(report.failures)
    passed = sum(not diagnostics for diagnostics in found.values())
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        _tag("testsuites", name="urlset", **_counts(failures + passed + errors, failures, errors)),
    ]
    for document, diagnostics in found.items():
        lines += _suite(document, diagnostics, names)
    if report.failures:
        lines += _not_checked(report.failures)
    return "\n".join([*lines, "</testsuites>"])


def _suite(document: str, diagnostics: Sequence[Diagnostic], names: dict[str, str]) -> Iterable[str]:
    failures = _failures(diagnostics)
    yield "  " + _tag("testsuite", name=document, **_counts(failures or 1, failures))
    if not diagnostics:
        yield "    " + _tag("testcase", end="/", classname=document, name="no findings", time="0")
    for diagnostic in diagnostics:
        name = f"{diagnostic.code} {names[diagnostic.code]} {diagnostic.line}:{diagnostic.column}"
        yield "    " + _tag("testcase", classname=document, name=name, time="0")
        failure = _tag("failure", type=diagnostic.severity, message=message(diagnostic))
        yield f"      {failure}{_text(diagnostic)}</failure>"
        yield "    </testcase>"
    yield "  </testsuite>"


def _not_checked(failures: Sequence[UrlsetError]) -> Iterable[str]:
    yield "  " + _tag("testsuite", name=_NOT_CHECKED, **_counts(len(failures), 0, len(failures)))
    for failure in failures:
        yield "    " + _tag("testcase", classname=_NOT_CHECKED, name=str(failure), time="0")
        yield "      " + _tag("error", end="/", type=type(failure).__name__, message=str(failure))
        yield "    </testcase>"
    yield "  </testsuite>"


def _failures(diagnostics: Sequence[Diagnostic]) -> int:
    return sum(1 + diagnostic.more for diagnostic in diagnostics)


def _counts(tests: int, failures: int, errors: int = 0) -> dict[str, str]:
    return {"tests": str(tests), "failures": str(failures), "errors": str(errors), "skipped": "0", "time": "0"}


def _text(diagnostic: Diagnostic) -> str:
    """Return what a build server shows below the message: position, source and help."""
    parts = [diagnostic.place, diagnostic.source.rstrip("\r\n"), f"help: {diagnostic.help}" if diagnostic.help else ""]
    return "\n".join(escape_controls(part).translate(_ESCAPES) for part in parts if part)


def _tag(tag: str, *, end: str = "", **attributes: str) -> str:
    """Return a tag, with values quoted and without characters that XML does not allow."""
    written = "".join(
        f' {name}="{escape_controls(value).translate(_ESCAPES).translate(_QUOTES)}"'
        for name, value in attributes.items()
    )
    return f"<{tag}{written}{end}>"
