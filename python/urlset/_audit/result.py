"""What an audit found: findings, coverage, trust, and the rows of the set without the defects."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from urlset._audit.coverage import Coverage
from urlset._audit.history import Finding
from urlset._audit.trust import Trust
from urlset._lint.report import Report
from urlset._model.diagnostics import Diagnostic, Severity
from urlset._model.errors import InputError, PublishError, UrlsetError
from urlset._model.notebook import SHOWN, as_html, bars, shown_in_notebook
from urlset._util.text import plural

if TYPE_CHECKING:
    from urlset._audit.linting import Checked
    from urlset._audit.listing import Listing
    from urlset._audit.rules.declaration import LiveRule
    from urlset._model.entries import UrlEntry
    from urlset._read.scan import Scan
    from urlset._runs.file import RunFile


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFacts:
    """What is known at the end of an audit, before it is handed out."""

    run: int
    number: int
    site: str
    listing: Listing
    drawn: int
    at_most: int | None
    reason: str | None
    findings: tuple[Finding, ...]
    severities: Mapping[str, Severity]
    agents: Sequence[str]
    rules: Sequence[LiveRule]
    coverage: tuple[Coverage, ...]
    trust: tuple[Trust, ...]
    previous: str | None


class Audit:
    """What an audit found. It is true if anything is wrong, and iterates its findings.

    Attributes:
        site: The origin of the site.
        run: Number of the run in the tables of the state.
        number: Number of the audit in the state: the first one is 1, whatever crawls there were before.
        findings: What is wrong, folded, with those that are fixed since the run before at the end.
        lint: What is wrong with the sitemaps themselves; None if that was not asked for.
        lint_fixed: What the run before had found in the sitemaps, and is fixed.
        diagnostics: Where each of them is, as `lint` reports it, without those that are fixed; first those of `lint`.
        counts: How many pages were found, by the code of the rule.
        pages: How many different pages are listed.
        looked_at: How many of them were requested.
        at_most: Of a sample, of how many listed pages there can be at most, with a confidence of 95 %, what a rule that
            judges each page by itself has not found; None without a sample.
        is_complete: Whether all of the listing was read, and every page of it, or of the sample, was requested.
        reason: Which bound has ended the audit; None if none has.
        previous: The audit that this one is compared with, such as `"audit 2 of 2026-11-01"`; None if there is none.
        coverage: What the sitemaps cover: first of the whole site, then of each section, the largest first.
        trust: How far lastmods can be trusted: first of the whole site, then of each section, the largest first. It
            takes two audits.
        failures: Sitemaps that could not be read.
        corrections: How the rows differ from the set, once they were asked for: how many entries were `removed`,
            `replaced` by the URL that they lead to, `dated` anew, and `relinked` to other languages, and how many were
            `kept` because another rule would have found their correction.

    Example:
        >>> import urlset
        >>> with urlset.audit("https://www.example.com", state="example.duckdb") as audit:  # doctest: +SKIP
        ...     for finding in audit:
        ...         print(finding)
    """

    def __init__(
        self, file: RunFile, rows: Scan, facts: AuditFacts, checked: Checked | None, resources: ExitStack
    ) -> None:
        self._file = file
        self._rows = rows
        self._severities = facts.severities
        self._agents = facts.agents
        self._rules = facts.rules
        self._documents, self._entries = facts.listing.documents, facts.listing.entries
        self.site = facts.site
        self.run = facts.run
        self.number = facts.number
        self.previous = facts.previous
        self.findings: tuple[Finding, ...] = facts.findings
        self.lint = None if checked is None else checked.report
        self.lint_fixed: tuple[Diagnostic, ...] = () if checked is None else checked.fixed
        self.diagnostics: tuple[Diagnostic, ...] = (
            *(self.lint or ()),
            *(self._diagnostic(each) for each in facts.findings if each.state != "fixed"),
        )
        self.pages = facts.listing.pages
        self.looked_at = facts.drawn
        self.at_most = facts.at_most
        self.reason = facts.reason
        self.coverage = facts.coverage
        self.trust = facts.trust
        self.failures: tuple[UrlsetError, ...] = facts.listing.failures
        self.is_complete = facts.reason is None and not self.failures
        self.corrections: dict[str, int] = {}
        self._finalizer = weakref.finalize(self, resources.close)

    def __repr__(self) -> str:
        """Return what was looked at, and how much was found."""
        looked = f"{self.looked_at:,} of {plural(self.pages, 'page')}"
        return f"<Audit {self.number} of {self.site}: {looked}, {plural(len(self.diagnostics), 'finding')}>"

    def _repr_html_(self) -> str:
        """Return what was found as a picture and a table, for a notebook."""
        rows = [(each.state, each.code, each.severity, each.sentence) for each in self.diagnostics[:SHOWN]]
        return shown_in_notebook(
            repr(self)[1:-1],
            bars("pages, by rule", self.counts),
            bars("listed pages, by section", {each.section: each.listed for each in self.coverage if each.section}),
            as_html("the first findings", ("state", "rule", "severity", "what is wrong"), rows) if rows else "",
        )

    def __iter__(self) -> Iterator[Diagnostic]:
        """Iterate the findings."""
        return iter(self.diagnostics)

    def __len__(self) -> int:
        """Return how many findings there are, folded."""
        return len(self.diagnostics)

    def __bool__(self) -> bool:
        """Return whether anything was found, or could not be read. What is inconclusive is not a finding."""
        return bool(self.failures or self.lint) or any(
            each.verdict == "found" and each.state != "fixed" for each in self.findings
        )

    @property
    def counts(self) -> dict[str, int]:
        """How many pages were found, by the code of the rule, without what is inconclusive."""
        counts: Counter[str] = Counter()
        for each in self.findings:
            if each.verdict == "found":
                counts[each.code] += each.count
        return {code: count for code, count in sorted(counts.items()) if count}

    @property
    def report(self) -> Report:
        """The findings as a report of `lint`, which renderers take."""
        return self.report_of(self.findings, tuple(self.lint or ()))

    def report_of(self, findings: Sequence[Finding], in_sitemaps: Sequence[Diagnostic] = ()) -> Report:
        """Return some of the findings about pages, and some in the sitemaps, as a report of `lint`."""
        shown = [each for each in findings if each.state != "fixed"]
        counts: Counter[str] = Counter()
        severities = dict(self._severities)
        for each in shown:
            counts[each.code] += each.count
        for code in list(counts):
            if all(each.verdict == "inconclusive" for each in shown if each.code == code):
                severities[code] = "info"
        for diagnostic in in_sitemaps:
            counts[diagnostic.code] += 1 + diagnostic.more
            severities[diagnostic.code] = diagnostic.severity
        return Report(
            diagnostics=(*in_sitemaps, *map(self._diagnostic, shown)),
            counts=dict(sorted(counts.items())),
            documents=self._documents,
            entries=self._entries,
            severities=severities,
            failures=self.failures,
            site=self.site,
            of_audit=True,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as values of JSON, with the findings that are fixed."""
        return {
            "site": self.site,
            "run": self.run,
            "number": self.number,
            "previous": self.previous,
            "pages": self.pages,
            "looked_at": self.looked_at,
            "at_most": self.at_most,
            "is_complete": self.is_complete,
            "reason": self.reason,
            "counts": self.counts,
            "findings": [asdict(each) for each in self.findings],
            "coverage": [each.as_dict() for each in self.coverage],
            "trust": [each.as_dict() for each in self.trust],
            "failures": [str(failure) for failure in self.failures],
            "lint": None if self.lint is None else self.lint.counts,
            "lint_fixed": len(self.lint_fixed),
        }

    def _diagnostic(self, finding: Finding) -> Diagnostic:
        loc = finding.examples[0]
        return Diagnostic(
            code=finding.code,
            severity=finding.severity,
            message=finding.message,
            location=finding.location or loc,
            line=finding.line,
            column=1,
            end_column=1 + len(loc),
            source=loc,
            source_column=1,
            help=finding.help,
            more=finding.count - 1,
            pages=finding.examples,
            detail=finding.detail,
            # Without an audit to compare with, everything would be new, which says nothing.
            state=None if self.previous is None else finding.state,
            new=0 if self.previous is None else finding.new,
        )

    def rows(self) -> Iterator[UrlEntry]:
        """Yield the entries of the set without what was found, as rows for `publish`.

        Pages that are gone, must not be indexed or are only another URL of a listed page are left out. Redirects and
        canonical links are followed to pages of the site that may be indexed. A lastmod that the page contradicts is
        replaced by the date of the page. Links to other languages follow the pages that they name. What is
        inconclusive stays as it is, and so does everything else of an entry.

        The set is judged before its first row is there: each rule of the audit is applied to it, by what the run knows,
        and `lint` checks it. What would make a rule find more than now is not corrected. The sitemaps are read twice
        more.

        Raises:
            InputError: The audit is closed.
            PublishError: There is no set that is better: nothing is left of it, it breaks a rule that it did not break
                before, or not all sitemaps could be read.
        """
        if not self._finalizer.alive:
            raise InputError("the audit is closed: take its rows before that")
        if self.failures:
            raise PublishError(f"there is no corrected set, because not all of it could be read: {self.failures[0]}")
        from urlset._audit.corrected_lint import check_lint  # noqa: PLC0415  (few ask for them)
        from urlset._audit.corrected_rows import Corrector, pages_of  # noqa: PLC0415
        from urlset._audit.corrections import corrections_of  # noqa: PLC0415
        from urlset._audit.rehearsal import correct  # noqa: PLC0415

        correct(self._file, self.run, self._agents, self._rules)
        self.corrections = corrections_of(self._file.connection)
        check_lint(self._file.connection, pages_of(self._rows), self.site)
        yield from Corrector(self._file.connection).rows(pages_of(self._rows))

    def close(self) -> None:
        """Close the state. The findings stay; the rows cannot be read any more."""
        self._finalizer()

    def __enter__(self) -> Audit:
        """Return the audit, which is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def file_of(audit: Audit) -> RunFile:
    """Return the file of an audit's runs, which is open as long as the audit is: a report reads it.

    Raises:
        InputError: The audit is closed.
    """
    if not audit._finalizer.alive:
        raise InputError("the audit is closed: write its report before that, or from the file of its state")
    return audit._file
