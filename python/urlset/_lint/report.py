"""What a check found: the findings that are kept, and exact counts of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from urlset import _core
from urlset._model.diagnostics import BYTES, Diagnostic
from urlset._model.errors import InputError

_SEVERITIES = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Report:
    """What was found. True where anything was; iterates its diagnostics, in the order of documents and places.

    `counts` has every finding by code, `diagnostics` those that are kept: where a rule finds much in one document, the
    last kept one says how many more there are. `documents` names what was checked, `entries` counts their entries.
    `severities` has the severity of every rule that was asked, by code.
    """

    diagnostics: tuple[Diagnostic, ...] = field(repr=False)
    counts: dict[str, int]
    documents: tuple[str, ...]
    entries: int
    severities: dict[str, str] = field(repr=False)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.diagnostics)

    def __len__(self) -> int:
        return sum(self.counts.values())

    def __bool__(self) -> bool:
        return bool(self.counts)

    def _of(self, severity: str) -> int:
        return sum(count for code, count in self.counts.items() if self.severities[code] == severity)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        rows = [
            (
                each.code,
                each.severity,
                each.message,
                each.location,
                each.line,
                each.column,
                each.end_column,
                each.source,
                each.source_column,
                each.help,
                None if each.fix is None else each.fix.safety,
                each.more,
            )
            for each in self
        ]
        return _core.findings_stream(rows)

    def __arrow_c_schema__(self) -> object:
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
        """How many findings are for information."""
        return self._of("info")

    def by_rule(self) -> dict[str, tuple[Diagnostic, ...]]:
        """The diagnostics of each code, in their order; codes in theirs."""
        found: dict[str, list[Diagnostic]] = {code: [] for code in sorted({each.code for each in self})}
        for diagnostic in self:
            found[diagnostic.code].append(diagnostic)
        return {code: tuple(diagnostics) for code, diagnostics in found.items()}

    def filter(
        self, select: Sequence[str] | None = None, severity: str | None = None, location: str | None = None
    ) -> Report:
        """The findings of some codes, of one severity, of one document; its counts are exact for what it keeps.

        `select` takes codes or their beginnings, such as "LOC". `documents` and `entries` stay: what was checked is the
        same. Raises InputError for a code, severity or document that is not of this report, because an empty answer
        would read as if nothing were wrong there.
        """
        if isinstance(select, str):
            raise InputError(f"select is one str, {select!r}: put it into a list")
        known = self.severities.keys() | self.counts.keys()
        for chosen in select or ():
            if not chosen or not any(code.startswith(chosen) for code in known):
                raise InputError(f"no rule that was asked has the code {chosen!r}")
        if severity is not None and severity not in _SEVERITIES:
            raise InputError(f"severity is {severity!r}; it is 'error', 'warning' or 'info'")
        if location is not None and location not in self.documents:
            raise InputError(f"no document of this report is called {location!r}")
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
            # The exact counts are of all documents; of one, its own diagnostics know.
            one: Counter[str] = Counter()
            for diagnostic in kept:
                one[diagnostic.code] += 1 + diagnostic.more
            counts = dict(sorted(one.items()))
        return replace(self, diagnostics=kept, counts=counts)
