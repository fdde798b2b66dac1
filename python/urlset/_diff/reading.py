"""Reading the documents of both sets of a diff into its tables, several at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Condition, Lock
from typing import TYPE_CHECKING

from urlset import _core
from urlset._diff.sql import PRECISION
from urlset._diff.tables import FIELD_COLUMNS, SIDES, DiffDatabase
from urlset._model.errors import FetchError, NotASitemapError, UrlsetError
from urlset._model.limits import Budget
from urlset._model.progress import OnProgress, Progress
from urlset._read.failures import Failures, unreadable
from urlset._read.frontier import INDEXES
from urlset._read.opening import Opener
from urlset._read.scan_pass import ScanPass
from urlset._read.source import Source
from urlset._read.walk import Walk

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: How many rows go to the core at once: about as many as a document has, so that they are still near the processor.
_ROWS = 1 << 15
#: How many batches of one document are held; the core makes batches of at most 64 MiB.
_BATCHES = 8
#: How many decoded bytes of documents are held until there are enough rows.
_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class _Task:
    """A document to read, and what could not be read of it."""

    side: str
    source: Source
    is_root: bool
    failures: Failures


class _Queue:
    """The documents that wait for threads, each path of a side once.

    Attributes:
        found: The documents of each side as they are found, whose failures are reported in this order.
        roots: How many of them the caller named.
        is_stopped: Whether no further one is read.
    """

    def __init__(self) -> None:
        self.found: dict[str, list[_Task]] = {side: [] for side in SIDES}
        self.roots = dict.fromkeys(SIDES, 0)
        self.is_stopped = False
        self._walk: Walk[_Task] = Walk()
        self._busy = 0
        #: How many documents were read.
        self.ended = 0
        self._changed = Condition()

    def add(self, task: _Task) -> None:
        """Add a document, unless its path was added to its side before."""
        with self._changed:
            if self._walk.add(task.source, task, group=task.side) is task:
                self.found[task.side].append(task)
                self.roots[task.side] += task.is_root
                self._changed.notify()

    def next(self) -> _Task | None:
        """Return the next document, as soon as there is one, or None if there will be no more."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_stopped or len(self._walk) or not self._busy)
            task = None if self.is_stopped else self._walk.next()
            self._busy += task is not None
            return task

    def done(self) -> None:
        """Take note that a document was read, and everything that it leads to was added."""
        with self._changed:
            self._busy -= 1
            self.ended += 1
            self._changed.notify_all()

    @property
    def known(self) -> int:
        """How many documents were found so far."""
        return self._walk.added

    def stop(self) -> None:
        """Let no thread begin another document."""
        with self._changed:
            self.is_stopped = True
            self._changed.notify_all()


@dataclass(slots=True)
class _Buffer:
    """Rows of documents of one side that are not in its table yet."""

    batches: list[_core.Batches] = field(default_factory=list)
    rows: int = 0
    bytes: int = 0


class SideReader:
    """Reads the documents of both sides into the tables, as many at once as there are cores.

    `entries` counts those that were read, by side. `names` are the fields with a column of their own. Without `follow`,
    the children of an index are its entries, and not read.
    """

    def __init__(
        self,
        database: DiffDatabase,
        names: Sequence[str],
        *,
        follow: bool,
        strict: bool,
        opener: Opener,
        budget: Budget | None,
        progress: OnProgress | None,
    ) -> None:
        self.database = database
        self.entries = dict.fromkeys(SIDES, 0)
        self._names = names
        self._columns = ["loc", "lastmod", "lastmod_raw", *names]
        kept = "".join(f", {FIELD_COLUMNS[name][1]} AS {name}" for name in names)
        self._rows = (
            f"SELECT loc, epoch_us(lastmod) * 4 + {PRECISION.format('lastmod_raw')} AS lastmod,"  # noqa: S608
            f" CASE WHEN lastmod IS NULL THEN lastmod_raw END AS raw{kept} FROM rows WHERE loc IS NOT NULL"
        )
        self._follow = follow
        self._strict = strict
        self._opener = opener
        # Findings are for `lint`, and the limits of the protocol only lead to findings.
        self._budget = replace(budget or Budget(), findings=1)
        self._progress = progress
        self._queue = _Queue()
        self._counting = Lock()

    @property
    def failures(self) -> tuple[UrlsetError, ...]:
        """What could not be read and was collected, in the order of the documents."""
        return tuple(error for side in SIDES for task in self._queue.found[side] for error in task.failures.kept)

    def add(self, side: str, source: Source, *, is_root: bool = False) -> None:
        """Add a document to those that wait, each path of a side once."""
        self._queue.add(_Task(side, source, is_root, Failures(strict=self._strict)))

    def run(self) -> None:
        """Read everything that waits, and its children. Raises the first failure of a side without any entry."""
        self.database.run([self._work] * self.database.threads, self._queue.stop)
        for side, tasks in self._queue.found.items():
            for task in tasks:
                task.failures.check(is_read=self.entries[side] > 0)

    def count(self, side: str, entries: int) -> None:
        """Count more entries of a side."""
        with self._counting:
            self.entries[side] += entries
        self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            with self._counting:
                done, known = self._queue.ended, self._queue.known
                self._progress(Progress("documents", done, known, sum(self.entries.values())))

    def _work(self) -> None:
        """Read one document after the other, and insert many at a time. Each thread runs this."""
        held = {side: _Buffer() for side in SIDES}
        with self.database.connection.cursor() as cursor:
            while (task := self._queue.next()) is not None:
                try:
                    self._read(cursor, task, held[task.side])
                finally:
                    self._queue.done()
                self._tell()
            for side in SIDES:
                self._insert(cursor, side, held[side])

    def _read(self, cursor: DuckDBPyConnection, task: _Task, held: _Buffer) -> None:
        """Read one document, and add its children to those that wait."""
        reading = ScanPass(
            [task.source], Failures(strict=self._strict), self._opener, follow=self._follow, reads_children=False
        )
        try:
            stream = reading.stream(self._columns, self._budget, None)
            for number, batch in enumerate(iter(stream.next_batch, None), 1):
                if self._queue.is_stopped:
                    return
                held.batches.append(batch)
                held.rows += len(batch)
                self.count(task.side, len(batch))
                if number % _BATCHES == 0:
                    self._insert(cursor, task.side, held)
        except (OSError, NotASitemapError, FetchError) as error:
            if task.is_root and self._queue.roots[task.side] == 1:
                raise
            task.failures.add(unreadable(task.source.location, error) if isinstance(error, OSError) else error)
        is_index = any(document.kind in INDEXES for document in reading.documents)
        if self._follow and is_index and reading.failures.kept and not task.source.has_children:
            raise reading.failures.kept[0]  # its rows are sitemaps, which are not to be compared with pages
        for failure in reading.failures.kept:
            task.failures.add(failure)
        for child in reading.take_children():
            self.add(task.side, child)
        held.bytes += sum(document.bytes for document in reading.documents)
        if held.rows >= _ROWS or held.bytes >= _BYTES:
            self._insert(cursor, task.side, held)

    def _insert(self, cursor: DuckDBPyConnection, side: str, held: _Buffer) -> None:
        """Insert what is held into the table."""
        if held.rows and not self._queue.is_stopped:
            rows = _core.Batches.concat(held.batches, self._columns)
            # The core knows lastmods itself. Further fields are SQL, which finds the rows by their name.
            self.database.add(side, cursor.sql(self._rows) if self._names else rows)
        held.batches, held.rows, held.bytes = [], 0, 0
