"""What reading a document comes to: its findings, its error, and how much of it was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from urlset._model.core_types import DocumentReport, Fault, Finding
from urlset._model.diagnostics import Diagnostic, Edit, Fix
from urlset._model.documents import COMPLETENESS, Completeness, Document
from urlset._model.errors import DocumentError, LimitError, MalformedError, NotASitemapError, UrlsetError

_ERRORS: dict[str, type[DocumentError]] = {
    "not_a_sitemap": NotASitemapError,
    "malformed": MalformedError,
    "truncated": MalformedError,
    "limit": LimitError,
}


def diagnostic(location: str | None, finding: Finding) -> Diagnostic:
    """Return a finding of the core as a diagnostic of the document at `location`."""
    code, severity, message, line, column, end_column, source, source_column, help_, edits, more = finding
    fix = None if edits is None else Fix(edits[0], tuple(Edit(*edit) for edit in edits[1]))
    position = (line, column, end_column)
    return Diagnostic(code, severity, message, location, *position, source, source_column, help_, fix, more)


def with_fault(findings: list[Finding], fault: Fault) -> list[Finding]:
    """Return the findings of a document and the one that ended its reading, ordered by position."""
    return sorted([*findings, fault[1]], key=lambda finding: finding[3:5])


def document_error(location: str | None, fault: Fault) -> DocumentError:
    """Return the error of a document whose reading ended early."""
    kind, (_, _, message, line, column, *_) = fault
    if kind == "not_a_sitemap":
        message = f"not a sitemap: {message}"
    return _ERRORS[kind](message, location=location, line=line, column=column)


def document_of(location: str | None, report: DocumentReport) -> Document:
    """Return the document that the core reports on, without its rows."""
    fault, findings = report["fault"], report["findings"]
    counts = Counter(report["counts"])
    if fault is not None:
        findings = with_fault(findings, fault)
        counts[fault[1][0]] += 1
    return Document(
        location,
        report["kind"],
        report["rows"],
        report["bytes"],
        _completeness(report),
        tuple(diagnostic(location, finding) for finding in findings),
        dict(sorted(counts.items())),
        report["extensions"],
    )


def _completeness(report: DocumentReport) -> Completeness:
    if report["fault"] is not None:
        return "refused" if report["fault"][0] == "not_a_sitemap" else "truncated"
    return "recovered" if report["mended"] else "complete"


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
