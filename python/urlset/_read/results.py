"""What reading a document comes to: its findings, its error, and how much of it was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from urlset import _core
from urlset._model.diagnostics import Diagnostic, Edit, Fix
from urlset._model.documents import COMPLETENESS, Completeness, Document
from urlset._model.errors import DocumentError, LimitError, MalformedError, NotASitemapError, UrlsetError
from urlset._model.rows import _HeldRows

_ERRORS: dict[str, type[DocumentError]] = {
    "not_a_sitemap": NotASitemapError,
    "malformed": MalformedError,
    "truncated": MalformedError,
    "limit": LimitError,
}


def diagnostic(location: str | None, finding: _core.Finding) -> Diagnostic:
    """Return a finding of the core as a diagnostic of the document at `location`."""
    found = finding.fix
    edits = () if found is None else tuple(Edit(edit.start, edit.end, edit.text) for edit in found.edits)
    return Diagnostic(
        finding.code,
        finding.severity,
        finding.message,
        location,
        finding.line,
        finding.column,
        finding.end_column,
        finding.source,
        finding.source_column,
        finding.help,
        None if found is None else Fix(found.safety, edits),
        finding.more,
    )


def with_fault(findings: list[_core.Finding], fault: _core.Fault) -> list[_core.Finding]:
    """Return the findings of a document and the one that ended its reading, ordered by position."""
    return sorted([*findings, fault.finding], key=lambda finding: (finding.line, finding.column))


def document_error(location: str | None, fault: _core.Fault) -> DocumentError:
    """Return the error of a document whose reading ended early."""
    finding = fault.finding
    message = f"not a sitemap: {finding.message}" if fault.kind == "not_a_sitemap" else finding.message
    return _ERRORS[fault.kind](message, location=location, line=finding.line, column=finding.column)


def document_of(location: str | None, report: _core.DocumentReport, rows: _HeldRows | None = None) -> Document:
    """Return the document that the core reports on, with its rows if they are held."""
    fault, findings, counts = report.fault, report.findings, report.counts
    if fault is not None:
        findings = with_fault(findings, fault)
        code = fault.finding.code
        counts = dict(sorted((counts | {code: counts.get(code, 0) + 1}).items()))
    return Document(
        location,
        report.kind,
        report.entries,
        report.bytes,
        _completeness(report),
        tuple(diagnostic(location, finding) for finding in findings),
        counts,
        report.extensions,
        rows,
    )


def _completeness(report: _core.DocumentReport) -> Completeness:
    fault = report.fault
    if fault is not None:
        return "refused" if fault.kind == "not_a_sitemap" else "truncated"
    return "recovered" if report.is_recovered else "complete"


def worst_completeness(documents: Iterable[Document], failures: Sequence[UrlsetError]) -> Completeness:
    """Return the worst of the documents; if one could not be read at all, the whole is truncated at best."""
    found = [document.completeness for document in documents]
    if failures:
        found.append("truncated")
    return max(found, key=COMPLETENESS.index, default="complete")


def total_counts(documents: Iterable[Document]) -> dict[str, int]:
    """Return how often each code was found in all documents."""
    counts: Counter[str] = Counter()
    for document in documents:
        counts.update(document.counts)
    return dict(sorted(counts.items()))
