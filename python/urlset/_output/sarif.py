"""Findings as SARIF 2.1.0, which GitHub code scanning and many viewers read.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0; comments name the sections.
"""

import re
from codecs import BOM_UTF8
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

import urlset
from urlset._lint.report import Report
from urlset._model.diagnostics import Diagnostic, Fix
from urlset._model.errors import DocumentError, UrlsetError
from urlset._output.findings import fingerprints, message, relative_location, relative_path
from urlset._output.json_text import dumps
from urlset._rules.catalogue import Rule, rules
from urlset._util.text import escape_controls

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}

# 3.11.5: braces are placeholders; a literal brace is doubled. 3.11.6: brackets begin a link; a literal bracket or
# backslash has a backslash before it. A message quotes the document, which may contain any of them.
_LITERAL = str.maketrans({"{": "{{", "}": "}}", "[": "\\[", "]": "\\]", "\\": "\\\\"})

# RFC 3986, section 2: characters that a URI may contain unescaped.
_URI = "%!#$&'()*+,/:;=?@[]~"


def render(report: Report) -> str:
    """Return the findings in the given order as one run, with the rules that they belong to.

    A result that stands for further findings counts them in `occurrenceCount`. The offsets of a fix count bytes of the
    file. Those of a finding count bytes of the text as UTF-8, so results of a file that is compressed or in another
    charset have no fixes. A document that could not be checked is a notification of the run, which then has failed.
    """
    _start_of_text.cache_clear()  # a file may have changed since the last report
    kept = report.diagnostics
    found = {diagnostic.code for diagnostic in kept}
    catalogue = [rule for rule in rules() if rule.code in found]
    index = {rule.code: number for number, rule in enumerate(catalogue)}
    named = zip(kept, fingerprints(kept), strict=True)
    run = {
        "tool": {
            "driver": {"name": "urlset", "version": urlset.__version__, "rules": [_rule(rule) for rule in catalogue]}
        },
        # 3.20.14 and 3.20.21: a run that misses a part of its input has failed, and says why.
        "invocations": [
            {
                "executionSuccessful": not report.failures,
                "toolExecutionNotifications": [_notification(failure) for failure in report.failures],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": [_result(diagnostic, index[diagnostic.code], fingerprint) for diagnostic, fingerprint in named],
    }
    return dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _notification(failure: UrlsetError) -> dict[str, Any]:
    notification: dict[str, Any] = {
        "level": "error",
        "descriptor": {"id": type(failure).__name__},
        "message": {"text": escape_controls(str(failure)).translate(_LITERAL)},
    }
    if isinstance(failure, DocumentError) and failure.location is not None:
        physical: dict[str, Any] = {"artifactLocation": {"uri": uri(relative_path(failure.location))}}
        if failure.line is not None:
            column = {} if failure.column is None else {"startColumn": failure.column}
            physical["region"] = {"startLine": failure.line, **column}
        notification["locations"] = [{"physicalLocation": physical}]
    return notification


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": _described(rule)},
        # 3.49.12: where the rule is documented. Its page is in `help`; this is the first source that it names.
        "helpUri": re.findall(r"\]\((https://\S+)\)", rule.page.partition("## References\n")[2])[0],
        "help": {"text": rule.page, "markdown": rule.page},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": ["sitemap", rule.authority]},
    }


def _described(rule: Rule) -> str:
    """Return the section of the page about what the rule does, as one paragraph."""
    _, _, rest = rule.page.partition("## What it does\n")
    return " ".join(rest.partition("\n## ")[0].split())


def _result(diagnostic: Diagnostic, index: int, fingerprint: str) -> dict[str, Any]:
    location = {"uri": uri(relative_location(diagnostic))}
    region = {
        "startLine": diagnostic.line,
        "startColumn": diagnostic.column,
        "endColumn": diagnostic.end_column,
    }
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": index,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": message(diagnostic).translate(_LITERAL)},
        "locations": [{"physicalLocation": {"artifactLocation": location, "region": region}}],
        # The only name that GitHub reads.
        "partialFingerprints": {"primaryLocationLineHash": fingerprint},
    }
    if diagnostic.more:
        result["occurrenceCount"] = 1 + diagnostic.more
    fix = diagnostic.fix
    if fix is not None and fix.edits and fix.safety != "display":
        start = _start_of_text(diagnostic.location)
        if start is not None:
            result["fixes"] = [_fix(fix, location, start)]
    return result


def _fix(fix: Fix, location: dict[str, str], start: int) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": {"byteOffset": start + edit.start, "byteLength": edit.end - edit.start},
            "insertedContent": {"text": edit.text},
        }
        for edit in fix.edits
    ]
    return {
        "description": {"text": f"{fix.safety} fix"},
        "artifactChanges": [{"artifactLocation": location, "replacements": replacements}],
    }


@lru_cache(maxsize=64)
def _start_of_text(location: str | None) -> int | None:
    """Return the offset at which the text of a file begins, or None if its bytes are not those of its text as UTF-8.

    3.30.11: offsets count from the first byte of the file, so a byte order mark counts.
    """
    if location is None or re.match(r"https?://", location):
        return 0
    if location.lower().endswith((".gz", ".br", ".zst")):
        return None
    try:
        data = Path(location).read_bytes()
    except (OSError, ValueError):  # it is not a file, or is gone
        return 0
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    return None if b"\0" in data else len(BOM_UTF8) * data.startswith(BOM_UTF8)


def uri(location: str) -> str:
    """Return a location as a URI. Relative paths stay relative, so that files of a repository can be annotated.

    3.4.3: the URI must be valid, whatever characters the name of a file has.
    """
    if re.match(r"https?://", location):
        return quote(location, safe=_URI, errors="surrogateescape")
    path = PurePath(location)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="surrogateescape")
