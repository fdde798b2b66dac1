"""What goes into the check of a set, and what comes out of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from urlset import _core
from urlset._model.diagnostics import BYTES, Diagnostic, Severity

#: Kinds of documents whose entries are pages.
PAGES = ("urlset", "text", "rss", "atom")


class SetDocument(NamedTuple):
    """One document of a lint call, which was checked alone already.

    Attributes:
        location: What findings call it.
        path: Path of its file, if it has one.
        url: Its public URL, if known: the loc by which the index lists it, or the location that was given for the root.
        kind: What it is.
        entries: How many entries it has.
        parent: Index, among the documents, of the index or robots.txt that led to it.
        modified: When its file was written, in seconds since the epoch.
        children: The sitemaps that it lists, if it is an index.
    """

    location: str | None
    path: str | None
    url: str | None
    kind: str | None
    entries: int
    parent: int | None = None
    modified: float | None = None
    children: Sequence[_core.Child] = ()

    @property
    def name(self) -> str:
        """What messages call it: its file name, if it has one."""
        text = self.url if self.path is None and self.url else self.location or BYTES
        return text.replace("\\", "/").rstrip("/").rpartition("/")[2] or text

    @property
    def has_pages(self) -> bool:
        """Whether it lists pages, and not sitemaps."""
        return self.entries > 0 and self.kind in PAGES


@dataclass(frozen=True, slots=True)
class SetFindings:
    """What the rules found, ordered by document, line and code. `counts` has the exact numbers by code.

    `muted` are codes whose findings for single documents are replaced by one for the set.
    """

    diagnostics: tuple[Diagnostic, ...]
    counts: Mapping[str, int]
    muted: frozenset[str]


class Hit(NamedTuple):
    """A finding without its severity and its location."""

    document: int
    line: int
    message: str


class FindingCollector:
    """Collects findings, and keeps the first `fold` of each rule and document."""

    def __init__(self, documents: Sequence[SetDocument], severities: Mapping[str, Severity], fold: int) -> None:
        self.documents = documents
        self.severities = severities
        self.fold = max(fold, 0)
        self.muted: set[str] = set()
        self._kept: dict[tuple[int, str], list[Hit]] = defaultdict(list)
        self._counts: Counter[tuple[int, str]] = Counter()
        self._help: dict[str, str] = {}

    def is_enabled(self, *codes: str) -> bool:
        """Return whether any of the rules is enabled."""
        return not self.severities.keys().isdisjoint(codes)

    def add(self, code: str, hits: Iterable[Hit], help_text: str) -> None:
        """Add findings one by one, in any order. Memory is bounded by what is kept."""
        self._help[code] = help_text
        for hit in hits:
            key = (hit.document, code)
            self._counts[key] += 1
            kept = self._kept[key]
            kept.append(hit)
            if len(kept) > 2 * self.fold + 100:
                kept.sort()
                del kept[self.fold :]

    def add_counted(self, code: str, hits: Iterable[Hit], totals: Mapping[int, int], help_text: str) -> None:
        """Add the first findings of each document, and the number that each document has in all."""
        self.add(code, hits, help_text)
        self._counts.update(
            {(document, code): total - self._counts[document, code] for document, total in totals.items()}
        )

    def findings(self) -> SetFindings:
        """Return everything that was found, in order."""
        found: list[tuple[int, int, str, Diagnostic]] = []
        counts: Counter[str] = Counter()
        for (document, code), total in self._counts.items():
            counts[code] += total
            kept = sorted(self._kept[document, code])[: self.fold]
            diagnostics = [self._diagnostic(code, hit) for hit in kept]
            if diagnostics:
                diagnostics[-1] = replace(diagnostics[-1], more=total - len(kept))
            found += [(hit.document, hit.line, code, each) for hit, each in zip(kept, diagnostics, strict=True)]
        found.sort(key=lambda each: each[:3])  # stable: those of one line stay in order
        return SetFindings(
            tuple(diagnostic for *_, diagnostic in found), dict(sorted(counts.items())), frozenset(self.muted)
        )

    def _diagnostic(self, code: str, hit: Hit) -> Diagnostic:
        return Diagnostic(
            code=code,
            severity=self.severities[code],
            message=hit.message,
            location=self.documents[hit.document].location,
            line=hit.line,
            column=1,
            end_column=2,
            source="",
            source_column=1,
            help=self._help[code],
        )
