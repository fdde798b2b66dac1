"""Findings as SARIF 2.1.0, which code scanning of GitHub and many viewers read.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0; the sections stand at the code.
"""

import re
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from urlset._model.diagnostics import Diagnostic, Fix
from urlset._output.findings import fingerprints, message, place
from urlset._output.json_text import dumps
from urlset._rules.catalogue import Rule, rules

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}

# 3.11.5: braces are placeholders, and a literal one is written twice. 3.11.6: brackets begin a link, and a literal one
# has a backslash before it, as has a backslash. A message quotes what stands in a document, which may look like either.
_LITERAL = str.maketrans({"{": "{{", "}": "}}", "[": "\\[", "]": "\\]", "\\": "\\\\"})

# RFC 3986, section 2: what a URI may hold as it is.
_URI = "%!#$&'()*+,/:;=?@[]~"


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """The findings, in the order given, as one run; the rules are those that found something.

    A result that stands for more of its kind counts them in `occurrenceCount`. The offsets of a fix are of the text
    as UTF-8 without a byte order mark; a document that is packed has other bytes, and gets no fixes.
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
    # No helpUri: the page itself is the help, and there is no address at which it is.
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
    """All that the page says of what the rule does, as one paragraph."""
    _, _, rest = rule.page.partition("## What it does\n")
    return " ".join(rest.partition("\n## ")[0].split())


def _result(diagnostic: Diagnostic, index: int, fingerprint: str) -> dict[str, Any]:
    location = {"uri": uri(place(diagnostic))}
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
        # The one name that GitHub knows.
        "partialFingerprints": {"primaryLocationLineHash": fingerprint},
    }
    if diagnostic.more:
        result["occurrenceCount"] = 1 + diagnostic.more
    fix = diagnostic.fix
    if fix is not None and fix.edits and fix.safety != "display" and not _packed(diagnostic.location):
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


def _packed(location: str | None) -> bool:
    return location is not None and location.lower().endswith((".gz", ".br", ".zst"))


def uri(location: str) -> str:
    """A URL as it is, a path as one: relative paths stay relative, which is how a repository is annotated.

    3.4.3: it has to be a valid URI, whatever the name of a file holds.
    """
    if re.match(r"https?://", location):
        return quote(location, safe=_URI, errors="surrogateescape")
    path = PurePath(location)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="surrogateescape")
