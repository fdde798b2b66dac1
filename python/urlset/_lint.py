"""Checking: what the rules say of a document, or of an index or robots.txt and the children that lie beside it."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from urlset import _core
from urlset._errors import InputError
from urlset._limits import PROTOCOL, Budget, bounds_for_core
from urlset._models import Diagnostic
from urlset._scan import Walk, diagnostic, document_error, with_fault
from urlset._source import SourceLike, resolve
from urlset.rules import rules


@dataclass(frozen=True, slots=True)
class Report:
    """What was found. True where anything was; iterates its diagnostics, in the order of documents and places.

    `counts` has every finding by code, `diagnostics` the first 1,000 of each document. `documents` names what was
    checked, `entries` counts their entries.
    """

    diagnostics: tuple[Diagnostic, ...] = field(repr=False)
    counts: dict[str, int]
    documents: tuple[str, ...]
    entries: int

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.diagnostics)

    def __len__(self) -> int:
        return sum(self.counts.values())

    def __bool__(self) -> bool:
        return bool(self.counts)

    def _of(self, severity: str) -> int:
        severities = {rule.code: rule.severity for rule in rules()}
        return sum(count for code, count in self.counts.items() if severities[code] == severity)

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


def lint(
    source: SourceLike,
    *,
    location: str | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    content_encoding: str | None = None,
    budget: Budget | None = None,
) -> Report:
    """Checks a document as it was written; an index or robots.txt on disk with the children that lie beside it.

    `source` is a path, a folder with a `sitemap.xml`, bytes, a binary file or an iterable of bytes. `location` is the
    URL at which the document lives: with it, locs of other hosts are found. `select` and `ignore` take codes or
    their beginnings, such as "LOC". `content_encoding` and `budget` are as in `scan`.

    What is wrong with a document is a finding, also that it breaks off or is no sitemap. Raises InputError for a code
    that no rule has, FetchError for a child that is not there and LimitError for a document beyond our bounds: neither
    can be checked.
    """
    _check_codes([*(select or ()), *ignore])
    root = resolve(source)
    walk = Walk(root, follow=True, on_error="raise")
    found: list[Diagnostic] = []
    counts: Counter[str] = Counter()
    entries = 0
    while (document := walk.next_document()) is not None:
        place, opened = document
        try:
            chosen = None if select is None else list(select)
            # The header came with the root; children are read from disk, where there are none.
            header = content_encoding if opened is root.opened else None
            bounds = bounds_for_core(budget or Budget(), PROTOCOL)
            report = _core.lint(opened, location, chosen, list(ignore), header, bounds)
        except OSError as error:
            walk.failed(error)  # raises, for that is how this walk was made
            raise
        if report["fault"] is not None and report["fault"][0] == "limit":
            raise document_error(place, report["fault"])
        shown = place if place is not None else location
        findings = report["findings"]
        counts.update(report["counts"])
        if report["fault"] is not None:
            # Whatever rules were asked for: what could not be read was not checked by them.
            findings = with_fault(findings, report["fault"])
            counts[report["fault"][1][0]] += 1
        found.extend(diagnostic(shown, finding) for finding in findings)
        entries += report["rows"]
        # What is wrong with the document itself is a finding here, not a failure.
        walked = report.copy()
        walked["fault"], walked["findings"] = None, []
        if not walk.follow:
            walked["children"] = []
        walk.finished(walked)
    documents = tuple(document.location or location or "<bytes>" for document in walk.documents)
    return Report(tuple(found), dict(sorted(counts.items())), documents, entries)


def _check_codes(codes: Sequence[str]) -> None:
    known = [rule.code for rule in rules()]
    for code in codes:
        if not code or not any(rule.startswith(code) for rule in known):
            close = difflib.get_close_matches(code.upper(), known, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise InputError(f"no rule has the code {code!r}{hint}")
