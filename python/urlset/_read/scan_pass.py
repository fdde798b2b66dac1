"""One pass over the documents of a scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from urlset import _core
from urlset._model.documents import Document
from urlset._model.errors import FetchError, NotASitemapError, UrlsetError
from urlset._model.limits import Budget, Limits
from urlset._model.rows import _HeldRows
from urlset._read.columns import BATCH_ROWS
from urlset._read.frontier import INDEXES, Frontier, State, Step
from urlset._read.opening import Opener
from urlset._read.results import document_error, document_of, without_frames
from urlset._read.source import OpenDocument, Source
from urlset._read.walk import child_source, not_followed, not_read

#: Why a run that somebody stopped ends.
STOPPED = "the run was stopped"


class ScanPass:
    """One pass over the documents of a scan: which comes next, and how each went.

    The core calls it. A sitemap index or robots.txt on disk leads to the children in its folder, each once; a child
    that is missing or cannot be read becomes a failure. So do the children of one that was not read from a folder;
    nothing is raised for them, because its own entries are all there.

    Args:
        roots: The documents that the scan was opened on.
        follow: Whether children are found at all.
        strict: Whether the first failure is raised; else they are collected, and the run goes on.
        opener: Opens the documents.
        reads_children: Whether the pass reads the children too, or leaves them to its caller (`take_children`).
        frontier: Which documents are read; all if None.
        is_part: Whether the roots are a part of what the caller named. Then none of them is the only one, whose errors
            are raised whatever `strict` says.
    """

    def __init__(
        self,
        roots: Sequence[Source],
        *,
        follow: bool,
        strict: bool,
        opener: Opener,
        reads_children: bool = True,
        frontier: Frontier | None = None,
        is_part: bool = False,
    ) -> None:
        #: Whether the core hands out children. It has to for all documents or for none.
        self.follow = follow and any(root.has_children for root in roots)
        self.opener = opener
        self._is_asked_to_follow = follow
        self._is_single = len(roots) == 1 and not is_part
        #: What is raised at the end if no document was read: the first failure.
        self._first: UrlsetError | None = None
        self._is_part = is_part
        self.strict = strict
        self.documents: list[Document] = []
        self.failures: list[UrlsetError] = []
        #: Rows of the table from each document: its entries without the children that are followed.
        self.rows: list[int] = []
        self._drawn: _core.EntrySample | None = None
        self._reads_children = reads_children
        self.frontier = frontier or Frontier()
        for root in roots:
            self.frontier.add_root(root)
        #: Where each of the documents was found, and how many of them, with how many rows, are safe with the caller.
        self._origins: list[Source] = []
        self._safe = self._safe_rows = 0
        #: Documents that the core has and is not done with, and whether reading one of them broke off.
        self._open = 0
        self._is_begun = False
        #: Whether all documents are done.
        self.is_ended = False
        #: Why the run ends early, and how many documents are not read because of it.
        self._spent: str | None = None
        self._left = 0
        self._is_broken = False

    def take_children(self) -> list[Source]:
        """Take the children that were found and are not read yet."""
        return list(iter(self.frontier.next, None))

    @property
    def waiting(self) -> int:
        """How many documents were found and are not done."""
        return self.frontier.waiting + self._open

    def stop(self) -> None:
        """Begin no further document."""
        self._spent = STOPPED

    @property
    def is_stopped(self) -> bool:
        """Whether something was not read because of `stop`."""
        return self._spent == STOPPED and bool(self.failures)

    def whole_rows(self, rows: int) -> int:
        """Return how many of the first rows are all rows of the first documents."""
        return self._whole(rows)[1]

    def take_steps(self, handed: int | None) -> list[Step]:
        """Take what has become of documents, of which so many rows are safe with the caller; all if None.

        Raises:
            UrlsetError: These are not all rows of the first documents.
        """
        done, rows = self._whole(handed)
        if handed is not None and rows != handed:
            raise UrlsetError("a checkpoint must follow the last row of a document, as after each of batches()")
        steps = self.frontier.take_steps()
        for place in range(self._safe, done):
            state: State = "followed" if self.documents[place].kind in INDEXES else "done"
            steps.append(Step(self._origins[place], state, self.rows[place]))
        self._safe, self._safe_rows = done, rows
        return steps

    def _whole(self, most: int | None) -> tuple[int, int]:
        """Return how many documents are done with at most so many rows, and their rows."""
        done, rows = self._safe, self._safe_rows
        while done < len(self.documents) and (most is None or rows + self.rows[done] <= most):
            rows += self.rows[done]
            done += 1
        return done, rows

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
            threads=self.opener.threads,
            ahead=self.opener.ahead,
            filter=wanted,
            sample=self._drawn,
        )

    def next_document(self) -> OpenDocument | None:
        """Return the next document; None if nothing can be read before another one is done."""
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
                self.failures.append(not_read(self._spent, self._left))
                self._left = 0
        source = self.frontier.next()
        if source is None:
            if self._reads_children and not self._open:
                self.is_ended = True
                self.opener.close()  # else it is its caller's
                self._check_read()
            return None
        self._open += 1
        return self.opener.open(source)

    def _check_read(self) -> None:
        """Raise the first failure if nothing was read: a failure must not look like a set without pages."""
        is_unread = all(document.completeness == "refused" for document in self.documents)
        is_whole = not self._is_part and not self.frontier.is_resumed
        if is_unread and is_whole and self._first is not None and self._spent is None:
            raise self._first

    def finished(self, opened: OpenDocument, report: _core.DocumentReport) -> None:
        """Take the core's report on a document that is done. Raises what the caller wants raised."""
        self._open -= 1
        opened.close()
        current = opened.origin
        if current.location != opened.location:
            current = replace(current, location=opened.location)
        document = document_of(current.location, report)
        self.documents.append(document)
        self.rows.append(report.entries - len(report.children) - sum(report.skipped.values()))
        self._origins.append(opened.origin)
        self.frontier.finished(opened.origin, kind=document.kind, rows=self.rows[-1], skipped=report.skipped)
        fault = report.fault
        is_broken, self._is_broken = self._is_broken, False
        if fault is not None and not is_broken:
            wrong = document_error(document.location, fault)
            # There is nothing to collect from a root that is not a sitemap.
            is_root = self._is_single and len(self.documents) == 1
            self._fail(wrong, always=is_root and isinstance(wrong, NotASitemapError))
        if self._is_asked_to_follow and not current.has_children:
            self._leave_children(document, report.children)
            return
        for child in self.frontier.choose(report.children, document.kind):
            try:
                source = child_source(
                    current, child.loc, child.line, document.kind, self.opener.http, child.lastmod_raw
                )
            except FetchError as missing:
                self._fail(missing)
            else:
                self.frontier.add(source, child, opened.origin)

    def _leave_children(self, document: Document, children: Sequence[_core.Child]) -> None:
        """Take note of children that have no folder."""
        if document.kind not in INDEXES or not document.rows:
            return
        error = not_followed(document.location, document.rows, is_optional=self._reads_children)
        if self._reads_children and not children:
            self.failures.append(error)
        else:  # they are not among the rows, or the caller wants the pages of a whole set
            self._fail(error)

    def failed(self, opened: OpenDocument, error: BaseException, is_open: bool) -> None:
        """Take the error of a document that could not be opened, or read to its end, as the core met it.

        A file that the system does not open is a failure like any other, unless it is the only root. Errors that a
        source's own code raises are passed on as they are.
        """
        is_only = self._is_single and not self.documents
        self._is_broken = is_open
        if not is_open:
            self._open -= 1
            self.frontier.failed(opened.origin)
        if isinstance(error, FetchError):
            self._fail(error, always=is_only and not is_open)
            return
        if not isinstance(error, OSError) or is_only or opened.origin.path is None:
            raise error
        self._fail(FetchError(f"{opened.location}: {error.strerror or error}"))

    def _fail(self, error: UrlsetError, *, always: bool = False) -> None:
        # Whoever stops a run wants what was read until then.
        if self._spent != STOPPED and (always or self.strict):
            raise error
        self._first = self._first or error
        self.failures.append(without_frames(error))

    def held_documents(self, rows: _HeldRows) -> Iterator[Document]:
        """Yield each document with its own rows. A followed index has none, for its children have them."""
        start = 0
        counts = self.rows if self._drawn is None else self._drawn.counts(self.rows)
        for document, count in zip(self.documents, counts, strict=True):
            yield document._with_rows(rows.slice(start, start + count))
            start += count
