"""Checking: what the rules say of each document, and of all of them together."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin

from urlset import _core
from urlset._lint.options import Asked, Robots, ask
from urlset._lint.report import Report
from urlset._lint.set import SetDocument, Sites, check, needs, proven_hosts
from urlset._model.diagnostics import BYTES, Diagnostic
from urlset._model.errors import FetchError, InputError
from urlset._model.limits import Budget
from urlset._read.scan import diagnostic, is_file, with_fault
from urlset._read.source import Source, SourceLike, SourcesLike, beside, is_url, resolve_all
from urlset._rules.catalogue import rules
from urlset._util.tempdirs import temporary_folder

#: Findings of one rule that are kept in one document, unless the caller says otherwise.
FOLD = 50
#: More of them nobody keeps: they are counted in 32 bits.
_MOST = 2**32 - 1
#: Bytes asked of a file object at once.
_PIECE = 512 * 1024


def lint(
    source: SourceLike | SourcesLike,
    *,
    location: str | None = None,
    profile: str = "protocol",
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    per_file_ignores: Mapping[str, Sequence[str]] | None = None,
    root: str | os.PathLike[str] | None = None,
    preview: bool = False,
    now: datetime | None = None,
    zone: str | None = None,
    robots: Robots | None = None,
    fold: int = FOLD,
    content_encoding: str | None = None,
    budget: Budget | None = None,
) -> Report:
    """Checks documents as they were written, one by one and all together.

    `source` is a path, a folder (its `sitemap.xml`, or all sitemaps in it), bytes, a binary file, an iterable of bytes,
    or a list of paths. An index or robots.txt on disk leads to the children that lie beside it. `location` is the URL
    at which the document lives, or, with a slash at its end, the one of the folder that all of them lie in; children
    live where their index says. With it locs of other hosts and folders are found.

    `profile` is whose rules count: protocol, google, bing, yandex, baidu, naver or seznam. `select` and `ignore` take
    codes, their beginnings, such as "LOC", or names; `select` alone is asked then. `per_file_ignores` takes codes by
    glob, of paths from `root` on (the working folder). `preview` asks the rules that are new, too.

    `now` is what dates are compared with (an aware datetime; the present, unless it is given), `zone` what times
    without one are meant in, such as "+01:00": then MOD002 can be mended. `robots` has robots.txt files, as paths
    or bytes, by the URL of each or by its host: they can allow a host's pages in sitemaps of another, or forbid to
    fetch what is listed. Of one rule the first `fold` findings in a document are kept; all are counted.
    `content_encoding` and `budget` are as in `scan`, but that `fold` takes the place of the budget's `findings`.

    What is wrong with a document is a finding, also that it breaks off or is no sitemap. Raises InputError for an
    argument without a meaning, FileNotFoundError for a path with nothing there and FetchError for a child that is not
    there.
    """
    if fold < 1:
        raise InputError(f"fold is {fold}; one finding of a rule is kept at least")
    asked = ask(
        profile_name=profile,
        select=select,
        ignore=ignore,
        preview=preview,
        now=now,
        zone=zone,
        per_file_ignores=per_file_ignores,
        root=root,
        robots=robots,
        budget=budget,
    )
    checking = Checking(asked, fold, content_encoding)
    checking.run(resolve_all(source), location)
    return checking.report()


@dataclass(slots=True)
class Checked:
    """One document on its way: where it lies, where it lives, the index that leads to it, and what was found."""

    source: Source
    url: str | None
    #: A copy of what can be read once, made while that is read.
    copy: Path | None = None
    #: The header came with the root; children are read from disk, where there are none.
    content_encoding: str | None = None
    parent: int | None = None
    is_checked: bool = False
    kind: str | None = None
    entries: int = 0
    alternates: int = 0
    rules: dict[str, str] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def location(self) -> str | None:
        """Where findings say it is: its path, or else its URL."""
        return self.source.location or self.url

    def opened(self) -> object:
        """What the core reads."""
        return self.source.opened if self.copy is None else _copied(self.source.opened, self.copy)


class Checking:
    """One call of lint: documents are checked one by one, then all together."""

    def __init__(self, asked: Asked, fold: int, content_encoding: str | None = None) -> None:
        _core.check_content_encoding(content_encoding)
        self.asked = asked
        self.fold = min(fold, _MOST)
        self.content_encoding = content_encoding
        self.documents: list[Checked] = []
        # A rule is bounded by itself: one that finds much takes the place of no other.
        budget, limits = asked.bounds
        self._bounds = budget | {"findings": self.fold * len(rules())}, limits
        self._sites = Sites(asked.robots)
        self._waiting: deque[Checked] = deque()
        self._known: dict[str, Checked] = {}

    def run(self, roots: Sequence[Source], location: str | None) -> None:
        """Checks the roots and what they lead to."""
        if all(isinstance(root.opened, str | bytes) for root in roots):
            self._run(roots, location, None)
            return
        with temporary_folder() as folder:
            self._run(roots, location, folder)

    def _run(self, roots: Sequence[Source], location: str | None, folder: Path | None) -> None:
        if location is not None and len(roots) > 1 and not location.endswith("/"):
            raise InputError("one location fits one document: give that of the folder they lie in, which ends with /")
        for place, root in enumerate(roots):
            copy = None if folder is None or isinstance(root.opened, str | bytes) else folder / str(place)
            self._wait(Checked(root, _url_of(root, location), copy, self.content_encoding))
        while self._waiting:
            document = self._waiting.popleft()
            document.is_checked = True
            self.documents.append(document)
            for loc, line in self._check(document):
                self._child(document, loc, line)
        self._check_set()

    def _wait(self, document: Checked) -> None:
        """Puts a document among those that wait, each path once."""
        if document.source.path is not None:
            if str(document.source.path) in self._known:
                return
            self._known[str(document.source.path)] = document
        self._waiting.append(document)

    def _check(self, document: Checked) -> list[tuple[str, int]]:
        """Checks one document by itself, and says where it leads."""
        index = None if document.parent is None else self.documents[document.parent].url
        proven = proven_hosts(document.url, index, self._sites)
        # Globs begin at their root, which need not be the working folder that a path begins at.
        path = document.source.path
        document.rules = self.asked.rules_of(document.location if path is None else str(path.absolute()))
        if document.parent is not None:
            # Whoever has an index splits already, and fills each document as far as it goes.
            document.rules.pop("LIM004", None)
        asked = self.asked.of(document.rules, document.url or document.source.location, sorted(proven))
        try:
            report = _core.lint(document.opened(), asked, self.fold, document.content_encoding, self._bounds)
        except OSError as error:
            # A root that is not there is the caller's; a child is what the index says.
            if document.parent is None:
                raise
            raise FetchError(f"{document.location}: {error.strerror or error}") from error
        fault, findings = report["fault"], report["findings"]
        document.counts.update(report["counts"])
        if fault is not None:
            # Whatever rules were asked: what could not be read was not checked by them.
            findings = with_fault(findings, fault)
            document.counts[fault[1][0]] += 1
        document.findings = [diagnostic(document.location, finding) for finding in findings]
        document.kind, document.entries, document.alternates = report["kind"], report["rows"], report["alternates"]
        return report["children"] if document.source.path is not None else []

    def _child(self, index: Checked, loc: str, line: int) -> None:
        """Puts a child of an index, or a sitemap of a robots.txt, among the documents that wait."""
        folder = index.source.path
        path = beside(folder, loc) if folder is not None else None
        if path is None or not is_file(path):
            raise FetchError(f"{index.location}:{line}: the child {loc} does not lie beside it")
        url = loc if is_url(loc) else None
        known = self._known.get(str(path))
        parent = len(self.documents) - 1  # an index's children are told right after it was checked
        if known is None:
            self._wait(Checked(Source(str(path), str(path)), url, parent=parent))
        elif not known.is_checked and known.parent is None and known.url is None:
            # A document of the list that was given: now it is known where it lives.
            known.url, known.parent = url, parent

    def _check_set(self) -> None:
        """Checks all documents together."""
        alternates = sum(document.alternates for document in self.documents)
        documents = [_of_set(document) for document in self.documents]
        if not needs(self.asked.rules, documents, alternates, self.asked.robots):
            return
        found = check(
            documents,
            self.asked.rules,
            agents=self.asked.profile.settings.agents,
            robots=self._sites,
            fold=self.fold,
            now=self.asked.now,
            budget=self.asked.budget,
        )
        for document in self.documents:
            for code in found.muted & document.counts.keys():
                del document.counts[code]
            document.findings = [each for each in document.findings if each.code not in found.muted]
        by_location = {document.location: document for document in self.documents}
        for finding in found.diagnostics:
            document = by_location.get(finding.location, self.documents[0])
            if finding.code in document.rules:
                document.findings.append(finding)
                document.counts[finding.code] += 1 + finding.more

    def report(self) -> Report:
        """All that was found."""
        counts: Counter[str] = Counter()
        severities = dict(self.asked.rules)
        found: list[Diagnostic] = []
        for document in self.documents:
            counts.update(document.counts)
            found += sorted(document.findings, key=lambda each: (each.line, each.column))
        # What ends a reading is told whether or not it was asked.
        severities |= {each.code: each.severity for each in found}
        return Report(
            tuple(found),
            dict(sorted(counts.items())),
            tuple(document.location or BYTES for document in self.documents),
            sum(document.entries for document in self.documents),
            severities,
        )


def _url_of(root: Source, location: str | None) -> str | None:
    """Where a root lives: in the folder that `location` names, if it ends with a slash and the root has a name."""
    if location is None or not location.endswith("/") or root.path is None:
        return location
    return urljoin(location, quote(root.path.name))


def _copied(opened: Any, copy: Path) -> Iterator[bytes]:
    """What a source hands out, piece by piece, each put into the copy once it was taken."""
    read = getattr(opened, "read", None)
    pieces = opened if read is None else iter(lambda: read(_PIECE), b"")
    with copy.open("wb") as file:
        for piece in pieces:
            yield piece
            file.write(piece)


def _of_set(document: Checked) -> SetDocument:
    path, opened = document.source.path, document.source.opened
    lies = path or document.copy
    return SetDocument(
        location=document.location,
        path=None if lies is None else str(lies),
        data=opened if isinstance(opened, bytes) else None,
        url=document.url,
        kind=document.kind,
        entries=document.entries,
        parent=document.parent,
        modified=None if path is None else _modified(path),
        content_encoding=document.content_encoding,
    )


def _modified(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None
