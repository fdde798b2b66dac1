"""One pass over the documents of a scan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from urlset import _core
from urlset._model.documents import Document
from urlset._model.errors import FetchError, NotASitemapError, UrlsetError
from urlset._model.limits import Budget, Limits
from urlset._model.progress import OnProgress, Progress
from urlset._model.rows import _HeldRows
from urlset._read.columns import BATCH_ROWS
from urlset._read.done_documents import DoneDocuments
from urlset._read.failures import Failures, unreadable
from urlset._read.frontier import INDEXES, Chosen, Frontier, Step
from urlset._read.opening import Opener
from urlset._read.results import document_error, document_of
from urlset._read.source import OpenDocument, Source
from urlset._read.walk import child_source, names_only_itself, not_followed, not_read

#: Why a run that somebody stopped ends.
STOPPED = "the run was stopped"


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of a document, or of an archive that cannot be read further.

    Attributes:
        source: The source of which it was opened.
        location: Where it is, after redirects.
        document: What was read of it; None if it could not be opened.
        children: The sitemaps that it names.
        errors: What was kept as a failure of it, or of its children.
        is_broken: Whether receiving or reading it ended early.
    """

    source: Source
    location: str | None
    document: Document | None
    children: Sequence[_core.Child] = ()
    errors: tuple[UrlsetError, ...] = ()
    is_broken: bool = False


@dataclass(frozen=True, slots=True)
class Hooks:
    """What the caller of a pass learns while it goes on, and what the caller decides.

    Attributes:
        on_end: Takes what came of each document, in the order in which they end.
        takes_child: Says of each child that is found and wanted whether this pass reads it.
        unpack: Returns the documents in a source that is an archive, and None for a source that is one document.
    """

    on_end: Callable[[Ended], object] = lambda _: None
    takes_child: Callable[[Source, Chosen], bool] = lambda _source, _chosen: True
    unpack: Callable[[Source], Iterator[OpenDocument] | None] = lambda _: None


class ScanPass:
    """One pass over the documents of a scan: which comes next, and how each went.

    The core calls it. A sitemap index or robots.txt on disk leads to the children in its folder, each once; a child
    that is missing or cannot be read becomes a failure. So do the children of one that was not read from a folder;
    nothing is raised for them, because its own entries are all there.

    Args:
        roots: The documents that the scan was opened on.
        failures: Keeps what goes wrong, or raises it.
        opener: Opens the documents.
        follow: Whether children are found at all.
        reads_children: Whether the pass reads the children too, or leaves them to its caller (`take_children`).
        frontier: Which documents are read; all if None.
        is_part: Whether the roots are a part of what the caller named. Then none of them is the only one, whose errors
            are raised for every caller.
        threads: How many documents are read at once; as many as the opener says if None.
        hooks: What the caller learns and decides.
    """

    def __init__(
        self,
        roots: Sequence[Source],
        failures: Failures,
        opener: Opener,
        *,
        follow: bool,
        reads_children: bool = True,
        frontier: Frontier | None = None,
        is_part: bool = False,
        threads: int | None = None,
        hooks: Hooks | None = None,
    ) -> None:
        #: Whether the core hands out children. It has to for all documents or for none.
        self.follow = follow and any(root.has_children for root in roots)
        self.opener = opener
        self.failures = failures
        self._is_asked_to_follow = follow
        self._is_single = len(roots) == 1 and not is_part
        self._is_part = is_part
        self._threads = threads
        self._hooks = hooks or Hooks()
        #: Called after each document.
        self.on_progress: OnProgress | None = None
        #: The documents that are done.
        self.done = DoneDocuments()
        self._drawn: _core.EntrySample | None = None
        self._reads_children = reads_children
        self.frontier = frontier or Frontier()
        for root in roots:
            self.frontier.add_root(root)
        #: The archive that is open, and the documents in it that are left.
        self._archive: tuple[Source, Iterator[OpenDocument]] | None = None
        #: Documents that the core has and is not done with, and the failures of the one of which reading broke off.
        self._open = 0
        self._broken: tuple[UrlsetError, ...] | None = None
        self._is_begun = False
        #: Whether all documents are done.
        self.is_ended = False
        #: Why the run ends early, and how many documents are not read because of it.
        self._spent: str | None = None
        self._left = 0

    def take_children(self) -> list[Source]:
        """Take the children that were found and are not read yet."""
        return list(iter(self.frontier.next, None))

    @property
    def progress(self) -> Progress:
        """How many documents are done, of those that were found so far, and how many rows they have."""
        done = len(self.documents)
        return Progress("documents", done, done + self.frontier.waiting + self._open, self.done.total_rows)

    def stop(self) -> None:
        """Begin no further document."""
        self._spent = STOPPED

    @property
    def documents(self) -> list[Document]:
        """The documents that are done, in the order in which they ended."""
        return self.done.documents

    @property
    def is_stopped(self) -> bool:
        """Whether something was not read because of `stop`."""
        return self._spent == STOPPED and bool(self.failures.kept)

    def stream(
        self,
        columns: list[str] | None,
        budget: Budget | None,
        limits: Limits | None,
        batch_rows: int = BATCH_ROWS,
    ) -> _core.Stream:
        """Return the rows of all documents, as they are read."""
        wanted = self.frontier.of_entries
        size = self.frontier.draws_entries
        self._drawn = None if size is None else _core.EntrySample(size)
        return _core.Stream(
            self,
            columns,
            self.follow,
            budget,
            limits,
            batch_rows=batch_rows,
            threads=self._threads or self.opener.threads,
            ahead=self.opener.ahead,
            filter=wanted,
            sample=self._drawn,
        )

    def next_document(self) -> OpenDocument | None:
        """Return the next document; None if nothing can be read before another one is done."""
        while (opened := self._next_in_archive()) is None:
            source = self._next_source()
            if source is None:
                return None
            if (inside := self._hooks.unpack(source)) is None:
                opened = self.opener.open(source)
                break
            self.frontier.failed(source)  # an archive is not a document itself
            self._archive = (source, inside)
        self._open += 1
        return opened

    def _next_in_archive(self) -> OpenDocument | None:
        """Return the next document of the archive that is open; None at its end."""
        if self._archive is None:
            return None
        archive, inside = self._archive
        try:
            if (opened := next(inside, None)) is not None:
                return opened
        except FetchError as error:
            before = len(self.failures.kept)
            self._fail(error)
            self._hooks.on_end(Ended(archive, archive.location, None, errors=self._failures_since(before)))
        self._archive = None
        return None

    def _next_source(self) -> Source | None:
        """Return the source of the next document, and end the pass if there will be no more."""
        if not self._reads_children and self._is_begun:
            return None
        self._is_begun = True
        waiting = self.frontier.peek(1)
        if waiting and self._spent is None:
            self._spent = self.frontier.enough or self.opener.spent(waiting[0])
        if self._spent is not None:
            # Documents that are on their way may still lead to others.
            self._left += self.frontier.leave()
            if self._left and not self._open:
                # Never raised: the caller has set the bound, and wants what was read until then.
                self.failures.note(not_read(self._spent, self._left))
                self._left = 0
        source = self.frontier.next()
        if source is None and self._reads_children and not self._open:
            self.is_ended = True
            self.opener.close()  # else it is its caller's
            self._check_read()
        return source

    def _check_read(self) -> None:
        """Raise the first failure if nothing was read."""
        if self._is_part or self.frontier.is_resumed or self._spent is not None:
            return
        self.failures.check(is_read=any(document.completeness != "refused" for document in self.documents))
        if self._is_asked_to_follow and self._is_circle():
            self._fail(
                FetchError(f"{self.documents[0].location}: it leads to no sitemap with pages, only back to itself")
            )

    def _is_circle(self) -> bool:
        """Return whether there were only indexes, which all name others of them, and none was left out."""
        if self.failures.kept or self.frontier.skipped.sitemaps or not self.documents:
            return False
        return all(document.kind in INDEXES and document.rows for document in self.documents)

    def finished(self, opened: OpenDocument, report: _core.DocumentReport) -> None:
        """Take the core's report on a document that is done. Raises what the caller wants raised."""
        self._open -= 1
        opened.close()
        before = len(self.failures.kept)
        current = opened.origin
        if current.location != opened.location:
            current = replace(current, location=opened.location)
        document = document_of(current.location, report)
        rows = report.entries - len(report.children) - sum(report.skipped.values())
        self.done.add(document, rows, opened.origin)
        self.frontier.finished(opened.origin, kind=document.kind, rows=rows, skipped=report.skipped)
        broken, self._broken = self._broken, None
        if report.fault is not None and broken is None:
            wrong = document_error(document.location, report.fault)
            # There is nothing to collect from a root that is not a sitemap.
            is_root = self._is_single and len(self.documents) == 1
            self._fail(wrong, always=is_root and isinstance(wrong, NotASitemapError))
        if self._is_asked_to_follow and not current.has_children:
            self._leave_children(document, report.children)
        else:
            self._find_children(current, opened.origin, document, report.children)
        errors = (*(broken or ()), *self._failures_since(before))
        ended = Ended(opened.origin, document.location, document, report.children, errors, broken is not None)
        self._hooks.on_end(ended)
        if self.on_progress is not None:
            self.on_progress(self.progress)

    def _find_children(
        self, index: Source, origin: Source, document: Document, children: Sequence[_core.Child]
    ) -> None:
        """Add the children that are wanted to the documents that wait."""
        if names_only_itself(index, (child.loc for child in children)):
            self._fail(FetchError(f"{index.location}: it names no sitemap but itself: name those of the site"))
            return
        for child in self.frontier.choose(children, document.kind):
            try:
                source = child_source(index, child.loc, child.line, document.kind, self.opener.http, child.lastmod_raw)
            except FetchError as missing:
                self._fail(missing)
            else:
                if self._hooks.takes_child(source, child):
                    self.frontier.add(source, child, origin)

    def _leave_children(self, document: Document, children: Sequence[_core.Child]) -> None:
        """Take note of children that have no folder."""
        if document.kind not in INDEXES or not document.rows:
            return
        error = not_followed(document.location, document.rows, is_optional=self._reads_children)
        if self._reads_children and not children:
            self.failures.note(error)
        else:  # they are not among the rows, or the caller wants the pages of a whole set
            self._fail(error)

    def failed(self, opened: OpenDocument, error: BaseException, is_open: bool) -> None:
        """Take the error of a document that could not be opened, or read to its end, as the core met it.

        A file that the system does not open is a failure like any other, unless it is the only root. Errors that a
        source's own code raises are passed on as they are.
        """
        is_only = self._is_single and not self.documents
        before = len(self.failures.kept)
        if not is_open:
            self._open -= 1
            self.frontier.failed(opened.origin)
        if isinstance(error, FetchError):
            self._fail(error, always=is_only and not is_open)
        elif isinstance(error, OSError) and not is_only and opened.origin.path is not None:
            self._fail(unreadable(opened.location, error))
        else:
            if isinstance(error, OSError) and error.filename is None and opened.origin.path is not None:
                error.filename = str(opened.origin.path)  # the core does not name it
            raise error
        errors = self._failures_since(before)
        if is_open:  # the core goes on to report what could be read of it
            self._broken = errors
        else:
            self._hooks.on_end(Ended(opened.origin, opened.location, None, errors=errors, is_broken=True))

    def _fail(self, error: UrlsetError, *, always: bool = False) -> None:
        if self._spent == STOPPED:  # the caller who stops a run wants what was read until then
            self.failures.note(error)
        else:
            self.failures.add(error, always=always)

    def _failures_since(self, before: int) -> tuple[UrlsetError, ...]:
        return tuple(self.failures.kept[before:])

    def take_steps(self, handed: int | None) -> list[Step]:
        """Take what has become of documents, of which so many rows are safe with the caller; all if None.

        Raises:
            UrlsetError: These are not all rows of the first documents.
        """
        done = self.done.take_steps(handed)  # may raise, and then nothing is taken
        return [*self.frontier.take_steps(), *done]

    def held_documents(self, rows: _HeldRows) -> Iterator[Document]:
        """Yield each document with its own rows. A followed index has none, for its children have them."""
        return self.done.with_rows(rows, None if self._drawn is None else self._drawn.counts(self.done.rows))
