"""The linter: it checks documents one by one, then all of them together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from urllib.parse import quote, urljoin

from urlset import _core
from urlset._lint.options import LintOptions
from urlset._lint.report import Report
from urlset._lint.response import Answer, check_answer
from urlset._lint.set import SetCheck, SetDocument, Sites, proven_hosts
from urlset._model.core_types import CoreLintSettings
from urlset._model.diagnostics import BYTES, Diagnostic, Severity
from urlset._model.errors import FetchError
from urlset._model.progress import OnProgress, Progress
from urlset._options.http import Http
from urlset._read.failures import Failures, unreadable
from urlset._read.opening import Opener
from urlset._read.results import diagnostic, with_fault
from urlset._read.source import OpenDocument, Remote, Source, check_location, is_url
from urlset._read.stored import Stored
from urlset._read.walk import Walk, child_source, not_read
from urlset._rules.selection import EnabledRules
from urlset._util.urls import origin

#: The most that can be kept: findings are counted in 32 bits.
_MAX_FOLD = 2**32 - 1
#: The rules that go by the robots.txt of a host, which is fetched for a document that was fetched.
_OF_ROBOTS = ("LOC011", "ROB001", "ROB003", "ROB004")


@dataclass(slots=True)
class LintedDocument:
    """One document of a lint: its source, its public URL, the index that leads to it, and what was found in it."""

    source: Source
    url: str | None
    #: The header that came with the document. Children on disk have none.
    content_encoding: str | None = None
    parent: int | None = None
    is_checked: bool = False
    kind: str | None = None
    entries: int = 0
    alternates: int = 0
    children: Sequence[_core.Child] = ()
    #: How many of its entries are sitemaps that were followed, which are documents and not entries.
    followed: int = 0
    rules: EnabledRules = field(default_factory=EnabledRules)
    findings: list[Diagnostic] = field(default_factory=list)
    counts: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def location(self) -> str | None:
        """What findings call it: its path, or else its URL."""
        return self.source.location or self.url

    @property
    def modified(self) -> float | None:
        """When its file was written, in seconds since the epoch."""
        try:
            return None if (path := self.source.path) is None else path.stat().st_mtime
        except OSError:
            return None

    def open(self, opener: Opener) -> OpenDocument:
        """Open it, and take note of where it is in the end.

        Raises:
            FetchError: It cannot be fetched.
        """
        opened = opener.open(self.source)
        opened.wait()
        if isinstance(self.source.opened, Remote):
            self.source = replace(self.source, location=opened.location)
            self.url = opened.location
        if isinstance(self.source.opened, Remote | Stored):
            self.content_encoding = opened.content_encoding
        return opened


class Linter:
    """One call of lint: documents are checked one by one, then all of them together.

    Args:
        options: The enabled rules, and what they go by.
        fold: How many findings of one rule are kept for one document, from 1 up; all are counted.
        content_encoding: The header that came with the roots, if any.
        follow: Whether to check the children of an index or a robots.txt too.
        strict: Whether to raise the first failure.
        http: How documents are fetched.

    Raises:
        InputError: The content encoding is unknown.
    """

    def __init__(
        self,
        options: LintOptions,
        fold: int,
        content_encoding: str | None = None,
        *,
        follow: bool = True,
        strict: bool = False,
        http: Http | None = None,
        progress: OnProgress | None = None,
    ) -> None:
        _core.check_content_encoding(content_encoding)
        self.options = options
        self.fold = min(fold, _MAX_FOLD)
        self.content_encoding = content_encoding
        self.follow = follow
        self.documents: list[LintedDocument] = []
        self.failures = Failures(strict=strict)
        #: Children that were not checked, because their index has no folder, or because nobody asked for it.
        self.unfollowed = 0
        self._sites = Sites(options.robots)
        self._walk: Walk[LintedDocument] = Walk()
        self._http = http
        self._progress = progress
        self._entries = 0

    def run(self, roots: Sequence[Source], location: str | None) -> None:
        """Check the roots and the children that they lead to.

        Raises:
            InputError: `location` names one document, and there are several.
            OSError: The only root cannot be opened.
            FetchError: The only root cannot be fetched.
        """
        check_location(len(roots), location)
        if len(roots) == 1 and isinstance(roots[0].opened, bytes):
            self._run_single(roots[0], roots[0].opened, location)
            return
        is_alone = len(roots) == 1 and roots[0].path is not None and roots[0].path.is_file()
        has_robots = bool(self.options.robots) or any(isinstance(root.opened, Remote) for root in roots)
        with (
            closing(Opener(roots, self._http, self.content_encoding)) as opener,
            self._together(has_robots=has_robots, is_alone=is_alone) as together,
        ):
            self._run(roots, location, opener, together)

    def _run_single(self, root: Source, data: bytes, location: str | None) -> None:
        """Check one document that is in memory: it leads nowhere, so what `_run` needs for that would be in vain."""
        document = LintedDocument(root, _url_of(root, location), self.content_encoding)
        with self._together(has_robots=bool(self.options.robots), is_alone=True) as together:
            self._check(document, OpenDocument(root, data), None, together)
            self.documents.append(document)
            self._entries = document.entries
            self._tell(1, 1)
            self._check_set(together)

    def _together(self, *, has_robots: bool, is_alone: bool) -> closing[SetCheck]:
        rules, agents = self.options.rules, self.options.profile.settings.agents
        return closing(SetCheck(rules, agents=agents, fold=self.fold, has_robots=has_robots, is_alone=is_alone))

    def _run(self, roots: Sequence[Source], location: str | None, opener: Opener, together: SetCheck) -> None:
        for root in roots:
            self._walk.add(root, LintedDocument(root, _url_of(root, location), self.content_encoding))
        while True:
            self._tell(self._walk.added - len(self._walk), self._walk.added)
            waiting = [each.source for each in self._walk.peek(opener.http.concurrency)]
            opener.prepare(waiting)
            if waiting and (reason := opener.spent(waiting[0])) is not None:
                self.failures.note(not_read(reason, self._walk.leave()))
            if (document := self._walk.next()) is None:
                break
            document.is_checked = True
            try:
                children = self._check(document, document.open(opener), opener, together)
            except FetchError as error:
                self.failures.add(error)
                continue
            except OSError as error:
                # A source that cannot be opened must not hide what was found in the others.
                if document.source.path is None or len(roots) == 1 == self._walk.added:
                    raise
                self.failures.add(unreadable(document.location, error))
                continue
            self.documents.append(document)
            for child in children:
                self._child(document, child, opener.http)
            self._entries += document.entries - document.followed
        self.failures.check(is_read=bool(self.documents))
        self._check_set(together)

    def _tell(self, done: int, known: int) -> None:
        if self._progress is not None:
            self._progress(Progress("documents", done, known, self._entries))

    def _check(
        self, document: LintedDocument, opened: OpenDocument, opener: Opener | None, together: SetCheck
    ) -> list[_core.Child]:
        """Check one document by itself, and return the children to check.

        Its entries are taken for the check of the set meanwhile. It is read once, unless only a look at the whole of it
        shows what that needs.
        """
        if opener is not None and opened.fetch is not None and not self.options.rules.keys().isdisjoint(_OF_ROBOTS):
            self._sites.learn(document.url, opener.robots_text)
        proven: list[str] = []
        if self._sites:
            index = None if document.parent is None else self.documents[document.parent].url
            proven = sorted(proven_hosts(document.url, index, self._sites))
        # Globs are relative to their root, which may differ from the working folder that a path is relative to.
        path = document.source.path
        document.rules = self.options.rules_for(document.location if path is None else str(path.absolute()))
        if document.parent is not None:
            # A set with an index is split already, and its documents are meant to be full.
            document.rules = document.rules.without(["LIM004"])
        options = self.options.for_core(document.rules, document.url or document.source.location, proven)
        try:
            linted = self._linted(document, opened.source, options, together)
        finally:
            opened.close()
        if linted.broken is not None:
            self._broke_off(document, linted.broken)
        report = linted.document
        # Where the connection ended, the document goes on: that is no fault of its own.
        fault, findings = None if linted.broken is not None else report.fault, report.findings
        document.counts.update(report.counts)
        if fault is not None:
            # Reported whatever rules are enabled: what could not be read was not checked.
            findings = with_fault(findings, fault)
            document.counts[fault.finding.code] += 1
        document.findings = [diagnostic(document.location, finding) for finding in findings]
        document.kind, document.entries, document.alternates = report.kind, report.entries, linted.alternates
        document.children = report.children
        if opened.fetch is not None and report.kind is not None:
            answered = check_answer(Answer(opened.fetch, report.kind, linted.head), document.location, document.rules)
            document.findings += answered
            for each in answered:
                document.counts[each.code] += 1
        children = self._children(document, report.children)
        pages = report.entries - len(report.children)
        if together.asks_again(pages=pages, alternates=linted.alternates, leads_on=bool(children)):
            nothing = options._replace(selection=EnabledRules().core)
            self._linted(document, document.source.opened, nothing, together)
        return children

    def _linted(
        self, document: LintedDocument, opened: object, settings: CoreLintSettings, together: SetCheck
    ) -> _core.LintReport:
        """Have the core check a document, and hand its entries to the check of the set."""
        rows, options = together.rows_of(len(self.documents)), self.options
        encoding = document.content_encoding
        return _core.lint(opened, settings, self.fold, encoding, options.budget, options.limits, rows)

    def _broke_off(self, document: LintedDocument, error: BaseException) -> None:
        """Keep what kept a document from being received to its end. What the source's own code raises is passed on."""
        if isinstance(error, OSError) and document.source.path is not None:
            error = unreadable(document.location, error)
        if not isinstance(error, FetchError):
            raise error
        self.failures.add(error)

    def _children(self, document: LintedDocument, children: list[_core.Child]) -> list[_core.Child]:
        """Return the children that can be followed, and count the others."""
        if self.follow and document.source.has_children:
            document.followed = len(children)
            return children
        self.unfollowed += len(children)
        return []

    def _child(self, index: LintedDocument, child: _core.Child, http: Http) -> None:
        """Add a child of an index, or a sitemap of a robots.txt, to the documents that wait."""
        try:
            source = child_source(index.source, child.loc, child.line, index.kind, http, child.lastmod_raw)
        except FetchError as error:
            self.failures.add(error)
            return
        url = child.loc if is_url(child.loc) else None
        parent = len(self.documents) - 1  # the children of an index follow right after its check
        document = LintedDocument(source, url, parent=parent)
        known = self._walk.add(source, document)
        if known is not document and not known.is_checked and known.parent is None and known.url is None:
            # It is one of the roots, and now its URL is known.
            known.url, known.parent = url, parent

    def _check_set(self, together: SetCheck) -> None:
        """Check all documents together."""
        rules = self.options.rules
        if self.failures.kept or self.unfollowed:
            # It is about what no document lists, and the documents are not all here.
            rules = rules.without(["ALT009"])
        found = together.findings(
            [_of_set(document) for document in self.documents],
            rules,
            self._sites,
            alternates=sum([document.alternates for document in self.documents]),
            now=self.options.now,
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
        """Return everything that was found."""
        counts: defaultdict[str, int] = defaultdict(int)
        severities: dict[str, Severity] = dict(self.options.rules)
        found: list[Diagnostic] = []
        for document in self.documents:
            for code, number in document.counts.items():
                counts[code] += number
            found += sorted(document.findings, key=_place)
        for each in found:
            # What ends the reading of a document is reported even if its rule is not enabled.
            severities[each.code] = each.severity
        return Report(
            tuple(found),
            dict(sorted(counts.items())),
            tuple([document.location or BYTES for document in self.documents]),
            sum([document.entries - document.followed for document in self.documents]),
            severities,
            tuple(self.failures.kept),
            self.unfollowed,
            next((home for each in self.documents if (home := origin(each.url or ""))), None),
            self.options.now,
        )


def _place(finding: Diagnostic) -> tuple[int, int]:
    return finding.line, finding.column


def _url_of(root: Source, location: str | None) -> str | None:
    """Return the URL of a root. A location with a slash at its end is the folder of the root, if that has a name."""
    if location is None or not location.endswith("/") or root.name is None:
        return location
    return urljoin(location, quote(root.name))


def _of_set(document: LintedDocument) -> SetDocument:
    path = document.source.path
    return SetDocument(
        location=document.location,
        path=None if path is None else str(path),
        url=document.url,
        kind=document.kind,
        entries=document.entries,
        parent=document.parent,
        modified=document.modified,
        children=document.children,
    )
