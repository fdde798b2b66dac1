"""What goes into the check of a set and what comes out of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from urlset._model.diagnostics import BYTES, Diagnostic, Severity

#: Kinds whose entries are pages.
PAGES = ("urlset", "text", "rss", "atom")


@dataclass(frozen=True, slots=True)
class SetDocument:
    """One document of a lint call, which was checked alone already.

    `location` is what findings show. It is opened by `path`, or `data` has its bytes. `url` is where it is published,
    if that is known: the loc by which the index lists it, or the location that was given for the root. `parent` is the
    place, among the documents, of the index or robots.txt that led to it; `modified` the time its file was written, in
    seconds; `content_encoding` the value of that header, where the bytes came over HTTP.
    """

    location: str | None
    path: str | None
    data: bytes | None
    url: str | None
    kind: str | None
    entries: int
    parent: int | None = None
    modified: float | None = None
    content_encoding: str | None = None

    @property
    def name(self) -> str:
        """What a message calls it: its file name, where it has one."""
        text = self.url if self.path is None and self.url else self.location or BYTES
        return text.replace("\\", "/").rstrip("/").rpartition("/")[2] or text

    @property
    def has_pages(self) -> bool:
        """Whether it lists pages, and not sitemaps."""
        return self.kind in PAGES and self.entries > 0


@dataclass(frozen=True, slots=True)
class SetFindings:
    """What the rules found: ordered by document, line and code; `counts` has all of it by code.

    `muted` are codes whose findings about single documents are said once of the set instead.
    """

    diagnostics: tuple[Diagnostic, ...]
    counts: Mapping[str, int]
    muted: frozenset[str]


class Hit(NamedTuple):
    """One finding before it has its severity and its location."""

    document: int
    line: int
    message: str


class Gathered:
    """Findings as they come, of which the first `fold` of each rule and document are kept."""

    def __init__(self, documents: Sequence[SetDocument], severities: Mapping[str, Severity], fold: int) -> None:
        self.documents = documents
        self.severities = severities
        self.fold = max(fold, 0)
        self.muted: set[str] = set()
        self._kept: dict[tuple[int, str], list[Hit]] = defaultdict(list)
        self._counts: Counter[tuple[int, str]] = Counter()
        self._help: dict[str, str] = {}

    def asks(self, *codes: str) -> bool:
        """Whether any of the rules is asked."""
        return not self.severities.keys().isdisjoint(codes)

    def add(self, code: str, hits: Iterable[Hit], help_text: str) -> None:
        """Takes findings one by one, in any order; memory is bounded by what is kept."""
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
        """Takes findings of which only the first of each document came, and how many each document has in all."""
        self.add(code, hits, help_text)
        self._counts.update({(place, code): total - self._counts[place, code] for place, total in totals.items()})

    def findings(self) -> SetFindings:
        """All of it, in order."""
        found: list[tuple[int, int, str, Diagnostic]] = []
        counts: Counter[str] = Counter()
        for (place, code), total in self._counts.items():
            counts[code] += total
            kept = sorted(self._kept[place, code])[: self.fold]
            diagnostics = [self._diagnostic(code, hit) for hit in kept]
            if diagnostics:
                diagnostics[-1] = replace(diagnostics[-1], more=total - len(kept))
            found += [(hit.document, hit.line, code, each) for hit, each in zip(kept, diagnostics, strict=True)]
        found.sort(key=lambda each: each[:3])  # stable, so that those of one line stay in order
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
