"""Findings as SARIF 2.1.0, which GitHub code scanning and many viewers read.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0; comments name the sections.
"""

import re
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from urlset._model.diagnostics import Diagnostic, Fix
from urlset._output.findings import fingerprints, location_of, message
from urlset._output.json_text import dumps
from urlset._rules.catalogue import Rule, rules

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}

# 3.11.5: braces are placeholders; a literal brace is doubled. 3.11.6: brackets begin a link; a literal bracket or
# backslash has a backslash before it. A message quotes the document, which may contain any of them.
_LITERAL = str.maketrans({"{": "{{", "}": "}}", "[": "\\[", "]": "\\]", "\\": "\\\\"})

# RFC 3986, section 2: characters that a URI may contain unescaped.
_URI = "%!#$&'()*+,/:;=?@[]~"


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the findings in the given order as one run, with the rules that they belong to.

    A result that stands for further findings counts them in `occurrenceCount`. The offsets of a fix count bytes of the
    text as UTF-8 without a byte order mark. A compressed document has other bytes, so its results have no fixes.
    """
    kept = tuple(diagnostics)
    found = {diagnostic.code for diagnostic in kept}
    catalogue = [rule for rule in rules() if rule.code in found]
    index = {rule.code: number for number, rule in enumerate(catalogue)}
    named = zip(kept, fingerprints(kept), strict=True)
    run = {
        "tool": {
            "driver": {"name": "urlset", "version": version("urlset"), "rules": [_rule(rule) for rule in catalogue]}
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(diagnostic, index[diagnostic.code], fingerprint) for diagnostic, fingerprint in named],
    }
    return dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(rule: Rule) -> dict[str, Any]:
    # No helpUri: the page itself is the help, and it has no public URL.
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": _described(rule)},
        "help": {"text": rule.page, "markdown": rule.page},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": ["sitemap", rule.authority]},
    }


def _described(rule: Rule) -> str:
    """Return the section of the page about what the rule does, as one paragraph."""
    _, _, rest = rule.page.partition("## What it does\n")
    return " ".join(rest.partition("\n## ")[0].split())


def _result(diagnostic: Diagnostic, index: int, fingerprint: str) -> dict[str, Any]:
    location = {"uri": uri(location_of(diagnostic))}
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
    if fix is not None and fix.edits and fix.safety != "display" and not _is_compressed(diagnostic.location):
        result["fixes"] = [_fix(fix, location)]
    return result


def _fix(fix: Fix, location: dict[str, str]) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": {"byteOffset": edit.start, "byteLength": edit.end - edit.start},
            "insertedContent": {"text": edit.text},
        }
        for edit in fix.edits
    ]
    return {
        "description": {"text": f"{fix.safety} fix"},
        "artifactChanges": [{"artifactLocation": location, "replacements": replacements}],
    }


def _is_compressed(location: str | None) -> bool:
    return location is not None and location.lower().endswith((".gz", ".br", ".zst"))


def uri(location: str) -> str:
    """Return a location as a URI. Relative paths stay relative, so that files of a repository can be annotated.

    3.4.3: the URI must be valid, whatever characters the name of a file has.
    """
    if re.match(r"https?://", location):
        return quote(location, safe=_URI, errors="surrogateescape")
    path = PurePath(location)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="surrogateescape")
