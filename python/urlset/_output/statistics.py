"""Findings counted by rule: how many, how severe, and whether `--fix` can fix them."""

from urlset._lint.report import Report
from urlset._output.json_text import dumps
from urlset._rules.catalogue import rules
from urlset._util.text import plural


def render_json(report: Report) -> str:
    """Return the same as the text of a JSON array: one object per rule, the most frequent first."""
    known = {rule.code: rule for rule in rules()}
    return dumps(
        [
            {
                "code": code,
                "name": known[code].name,
                "severity": report.severities[code],
                "count": count,
                "fix": known[code].fix,
            }
            for code, count in sorted(report.counts.items(), key=lambda item: (-item[1], item[0]))
        ],
        indent=2,
    )


def render(report: Report) -> str:
    """Return one line per rule, the most frequent first, then a total; `[*]` marks rules with a safe fix."""
    known = {rule.code: rule for rule in rules()}
    rows = [
        (f"{count:,}", code, report.severities[code], known[code].name, "[*]" if known[code].fix == "safe" else "")
        for code, count in sorted(report.counts.items(), key=lambda item: (-item[1], item[0]))
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(4)]
    lines = [
        f"{count:>{widths[0]}}  {code:<{widths[1]}}  {severity:<{widths[2]}}  {name:<{widths[3]}}  {mark}".rstrip()
        for count, code, severity, name, mark in rows
    ]
    documents = plural(len(report.documents), "document")
    total = f"{plural(len(report), 'finding')} in {documents}, {plural(report.entries, 'entry', 'entries')}"
    return "\n".join([*lines, total])
