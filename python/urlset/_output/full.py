"""Findings for a person: position and message, then the line with carets, then what to do.

    sitemap.xml:4:10 LOC002 [*] error loc is not an absolute URL
      |
    4 |   <url><loc>/about</loc></url>
      |             ^^^^^^
      = help: write the whole URL, scheme and host included
      = fix: write https://example.com/about
      = and 2,999 more of LOC002 in this document

A finding of an audit is about pages:

    LIVE001 error 3 listed pages are 404: /tea/… [open, 1 new]
      https://shop.example/tea/oolong in https://shop.example/sitemap.xml, line 9
      https://shop.example/tea/black
      and 1 more
      = help: remove the entries, or bring the pages back

Line and column count from 1, in code points; the carets count cells of the terminal. `[*]` marks a safe
fix, `[!]` an unsafe one, which may change the meaning; a fix that is only shown has no mark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from urlset._lint.report import Report
from urlset._model.diagnostics import Diagnostic, Edit, Fix
from urlset._output.findings import location_of
from urlset._util import drawing
from urlset._util.text import escape_controls, plural, tally

TAB = 4
"""Cells between tab stops."""

PAGES = 3
"""Pages of a finding of an audit to show."""

EDITS = 3
"""Edits of a fix to show."""

CELLS = 80
"""Cells of the text of an edit to show."""

STYLES = {"error": "bold red", "warning": "bold yellow", "info": "bold cyan"}

MARKS = {"safe": ("[*]", "bold green"), "unsafe": ("[!]", "bold yellow")}


def render(diagnostic: Diagnostic) -> drawing.Line:
    """Return one finding as several lines, without a line end after the last one. Colors only repeat the text."""
    style = STYLES.get(diagnostic.severity, "bold")
    if diagnostic.pages:
        return _of_pages(diagnostic, style)
    text = drawing.Line(f"{escape_controls(location_of(diagnostic))}:{diagnostic.line}:{diagnostic.column}", "bold")
    text.append(" ").append(diagnostic.code, style)
    if diagnostic.fix is not None and diagnostic.fix.safety in MARKS:
        mark, colour = MARKS[diagnostic.fix.safety]
        text.append(" ").append(mark, colour)
    text.append(" ").append(diagnostic.severity, style)
    text.append(" ").append(escape_controls(diagnostic.message))
    gutter = " " * len(str(diagnostic.line))
    if diagnostic.source:
        source, caret = _underlined(diagnostic)
        text.append(f"\n{gutter} |", "blue")
        text.append(f"\n{diagnostic.line} | ", "blue").append(source)
        text.append(f"\n{gutter} | ", "blue").append(caret, style)
    for name, note in _notes(diagnostic):
        text.append(f"\n{gutter} = ", "blue").append(name, "bold").append(note)
    return text


def _of_pages(diagnostic: Diagnostic, style: str) -> drawing.Line:
    """Return one finding of an audit: what is wrong, then the first pages, new ones first, then what to do."""
    text = drawing.Line(diagnostic.code, style).append(" ").append(diagnostic.severity, style)
    text.append(" ").append(escape_controls(diagnostic.message))
    if diagnostic.state is not None:
        is_mixed = diagnostic.state == "open" and diagnostic.new
        state = f"open, {diagnostic.new:,} new" if is_mixed else diagnostic.state
        text.append(f" [{state}]", "bold" if diagnostic.new else "")
    shown = diagnostic.pages[:PAGES]
    for at, page in enumerate(shown):
        text.append("\n  ").append(escape_controls(page), "bold")
        if at == 0 and diagnostic.detail:
            text.append(f" ({escape_controls(diagnostic.detail)})")
        if at == 0 and diagnostic.place != page:
            text.append(f" in {escape_controls(location_of(diagnostic))}, line {diagnostic.line}")
    if rest := diagnostic.more + 1 - len(shown):
        text.append(f"\n  and {rest:,} more")
    for name, note in _notes(diagnostic):
        text.append("\n  = ", "blue").append(name, "bold").append(note)
    return text


def whole(report: Report) -> str:
    """Return every finding with a blank line after it, then the summary, and what can be fixed, without styles."""
    last = fixable(report)
    lines = [*(render(diagnostic).append("\n") for diagnostic in report), summary([report]), *([last] if last else [])]
    return "\n".join(line.plain for line in lines)


def fixable(report: Report) -> drawing.Line | None:
    """Return one line about what can be fixed, which explains the marks, or None if nothing can be."""
    counts: Counter[str] = Counter()
    for diagnostic in report:
        if diagnostic.fix is not None:
            counts[diagnostic.fix.safety] += 1 + diagnostic.more
    text = drawing.Line()
    if counts["safe"]:
        text.append("[*]", MARKS["safe"][1]).append(f" {counts['safe']:,} fixable with --fix")
    if counts["unsafe"]:
        text.append("; " if text else "").append("[!]", MARKS["unsafe"][1])
        text.append(f" {counts['unsafe']:,} {'more ' if counts['safe'] else ''}with --fix --unsafe-fixes")
    return text or None


def summary(reports: Sequence[Report]) -> drawing.Line:
    """Return one line about all reports: the findings by severity and code, and how much was read."""
    counts: Counter[str] = Counter()
    for report in reports:
        counts.update(report.counts)
    read = (
        f"{plural(sum(len(report.documents) for report in reports), 'document')}, "
        f"{plural(sum(report.entries for report in reports), 'entry', 'entries')}"
    )
    if failures := sum(len(report.failures) for report in reports):
        read += f", {plural(failures, 'failure')}"
    severities = {
        "error": sum(report.errors for report in reports),
        "warning": sum(report.warnings for report in reports),
        "info": sum(report.infos for report in reports),
    }
    found = [(plural(number, name), STYLES[name]) for name, number in severities.items() if number]
    if not found:
        return drawing.Line("No findings", "bold green").append(f" in {read}")
    text = drawing.Line()
    for words, style in found:
        text.append(", " if text else "").append(words, style)
    return text.append(f" in {read}: {tally(counts)}")


def _notes(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    """Yield the notes below the source, each with its name."""
    if diagnostic.help:
        yield "help: ", escape_controls(diagnostic.help)
    if diagnostic.fix is not None and diagnostic.fix.edits:
        yield "fix: ", _fix(diagnostic.fix)
    if diagnostic.more and not diagnostic.pages:
        yield "", f"and {diagnostic.more:,} more of {diagnostic.code} in this document"


def _fix(fix: Fix) -> str:
    """Describe the first edits of a fix on one line."""
    shown = ", ".join(_edit(edit) for edit in fix.edits[:EDITS])
    rest = len(fix.edits) - EDITS
    more = f", and {plural(rest, 'more edit')}" if rest > 0 else ""
    return shown + more + (" (only shown)" if fix.safety == "display" else "")


def _edit(edit: Edit) -> str:
    if not edit.text:
        return f"remove {plural(edit.end - edit.start, 'byte')}"
    # An edit that repairs an encoding is as long as the document.
    text = escape_controls(edit.text[: CELLS + 1])
    shown = text if drawing.cell_len(text) <= CELLS else drawing.set_cell_size(text, CELLS - 1).rstrip() + "…"
    return f"{'insert' if edit.start == edit.end else 'write'} {shown}"


def _underlined(diagnostic: Diagnostic) -> tuple[str, str]:
    """Return the source line as shown, and the spaces and carets below it.

    Columns count code points, but a terminal counts cells, which differ for tabs, wide characters and combining
    characters. So each end of the carets is the width of everything before it.
    """
    # The source can be a part of a long line: an ellipsis shows that it does not start at the line's start.
    cut = "…" if diagnostic.column > diagnostic.source_column else ""
    first = diagnostic.source_column - 1
    last = first + max(diagnostic.end_column - diagnostic.column, 1)
    begin = drawing.cell_len(cut + _expanded(diagnostic.source[:first]))
    end = drawing.cell_len(cut + _expanded(diagnostic.source[:last]))
    return cut + _expanded(diagnostic.source), " " * begin + "^" * max(end - begin, 1)


def _expanded(source: str) -> str:
    """Return `source` with tabs as spaces up to the next tab stop, and visible control characters."""
    head, *pieces = source.rstrip("\r\n").split("\t")
    shown = escape_controls(head)
    for piece in pieces:
        shown += " " * (TAB - drawing.cell_len(shown) % TAB) + escape_controls(piece)
    return shown
