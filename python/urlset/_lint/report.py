"""The result of a lint: the findings that are kept, and exact counts of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import get_args

from urlset import _core
from urlset._model.diagnostics import BYTES, Diagnostic, Severity
from urlset._model.errors import InputError, UrlsetError
from urlset._model.tables import _ArrowExport

_SEVERITIES: tuple[Severity, ...] = get_args(Severity)


@dataclass(frozen=True, slots=True)
class Report(_ArrowExport):
    """What a lint found. It is true if there is any finding or failure, and iterates its diagnostics.

    It is also a table: one row per diagnostic, by `__arrow_c_stream__`. Its length is the number of all findings.

    Attributes:
        diagnostics: The findings that are kept, ordered by document and position. If a rule has more in a document,
            the last one that is kept says how many.
        counts: How many findings there are, by code, including those that are not kept.
        documents: Locations of the documents that were checked.
        entries: How many entries they have.
        severities: Severity of every enabled rule, by code.
        failures: The errors of documents that could not be checked, such as missing children of an index. They do not
            count in comparisons.
        unfollowed: How many children of an index or a robots.txt were not checked, because it was not read from a
            folder, or because of `follow=False`.
        site: Origin of the first document whose URL is known; None if none is.
        checked: When they were checked, which dates are compared with.
        of_audit: Whether it is the report of an audit, whose findings are about pages, too.
    """

    diagnostics: tuple[Diagnostic, ...] = field(repr=False)
    counts: dict[str, int]
    documents: tuple[str, ...]
    entries: int
    severities: dict[str, Severity] = field(repr=False)
    # Errors are equal to themselves only.
    failures: tuple[UrlsetError, ...] = field(default=(), compare=False)
    unfollowed: int = 0
    site: str | None = field(default=None, compare=False)
    checked: datetime | None = field(default=None, compare=False)
    of_audit: bool = field(default=False, repr=False)

    def __iter__(self) -> Iterator[Diagnostic]:
        """Iterate the diagnostics."""
        return iter(self.diagnostics)

    def __len__(self) -> int:
        """Return how many findings there are, kept or not."""
        return sum(self.counts.values())

    def __bool__(self) -> bool:
        """Return whether there are findings, or documents that could not be checked."""
        return bool(self.counts or self.failures)

    def _of(self, severity: Severity) -> int:
        return sum(count for code, count in self.counts.items() if self.severities[code] == severity)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the diagnostics as an Arrow stream."""
        return _core.findings_stream(self.diagnostics)

    def __arrow_c_schema__(self) -> object:
        """Hand out the schema of the table."""
        return _core.findings_schema()

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return self._of("error")

    @property
    def warnings(self) -> int:
        """How many findings are warnings."""
        return self._of("warning")

    @property
    def infos(self) -> int:
        """How many findings are for information only."""
        return self._of("info")

    def by_rule(self) -> dict[str, tuple[Diagnostic, ...]]:
        """Return the diagnostics by code: the codes sorted, the diagnostics of each in their order."""
        found: dict[str, list[Diagnostic]] = {code: [] for code in sorted({each.code for each in self})}
        for diagnostic in self:
            found[diagnostic.code].append(diagnostic)
        return {code: tuple(diagnostics) for code, diagnostics in found.items()}

    def filter(
        self, select: Sequence[str] | None = None, severity: Severity | None = None, location: str | None = None
    ) -> Report:
        """Return the findings of some codes, of one severity, or of one document, with exact counts.

        Args:
            select: Codes or their beginnings, such as `"LOC"`; all if None.
            severity: `"error"`, `"warning"` or `"info"`; all if None.
            location: Location of one of the `documents`; all if None.

        Returns:
            A report with the same `documents` and `entries`: what was checked stays the same.

        Raises:
            InputError: The report has no such code, severity or document. An empty answer would look as if nothing
                were wrong there.
        """
        if isinstance(select, str):
            raise InputError(f"select must be a list of codes, got one str, {select!r}")
        known = self.severities.keys() | self.counts.keys()
        for chosen in select or ():
            if not chosen or not any(code.startswith(chosen) for code in known):
                raise InputError(f"select must name rules that were enabled, got {chosen!r}")
        if severity is not None and severity not in _SEVERITIES:
            raise InputError(f"severity must be 'error', 'warning' or 'info', got {severity!r}")
        if location is not None and location not in self.documents:
            raise InputError(f"location must be a document of this report, got {location!r}")
        codes = {
            code
            for code in known
            if (select is None or code.startswith(tuple(select))) and severity in (None, self.severities[code])
        }
        kept = tuple(
            each
            for each in self
            if each.code in codes and location in (None, BYTES if each.location is None else each.location)
        )
        counts = {code: count for code, count in self.counts.items() if code in codes}
        if location is not None:
            # The exact counts are for all documents; those for one follow from its diagnostics.
            one: Counter[str] = Counter()
            for diagnostic in kept:
                one[diagnostic.code] += 1 + diagnostic.more
            counts = dict(sorted(one.items()))
        return replace(self, diagnostics=kept, counts=counts)
