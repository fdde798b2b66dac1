"""The rows of the two sets of a diff.

    loc      the text by which the sets are compared
    lastmod  four times its microseconds since the epoch, plus its precision: year (0), month, day, instant (3).
             The greatest is the latest and, of one moment, the most precise
    raw      a lastmod that is not a W3C date, as text
    ...      a column for each further field that is compared

Every row goes to the core, whether it comes from a document or from a manifest. Only those of locs of which the two
sets do not say the same come back, as tables of these columns.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Condition
from typing import TYPE_CHECKING, TypeVar

from urlset import _core
from urlset._diff.sql import PRECISION
from urlset._model.errors import FetchError, InputError, NotASitemapError, UrlsetError
from urlset._model.limits import Budget
from urlset._read.failures import Failures, unreadable
from urlset._read.frontier import INDEXES
from urlset._read.opening import Opener
from urlset._read.scan_pass import ScanPass
from urlset._read.source import Source
from urlset._read.walk import Walk
from urlset._util.cores import cores
from urlset._util.duckdb import connect, first_line, literal, path_pattern, scalar
from urlset._util.manifest_parts import IN_PARTS, WHOLE, parts_in
from urlset._util.tempdirs import temporary_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

T = TypeVar("T")
Progress = Callable[[int], object]

SIDES = ("old", "new")

#: How many rows go to the core at once: about as many as a document has, so that they are still near the processor.
_ROWS = 1 << 15
#: How many batches of one document are held; the core makes batches of at most 64 MiB.
_BATCHES = 8
#: How many decoded bytes of documents are held until there are enough rows.
_BYTES = 64 << 20
#: The most threads that read: more would wait for the tables.
_READERS = 8
#: How many seconds threads have to notice that they must stop.
_PATIENCE = 2.0

#: Nested values are kept as a digest, which has one size, and is equal only if all of the value is.
_DIGEST = "CASE WHEN {0} IS NOT NULL THEN sha256(CAST(to_json({0}) AS VARCHAR)) END"
#: The fields with a column of their own: its type, and SQL for its value from a row as the core reads it.
FIELD_COLUMNS = {
    "changefreq": ("VARCHAR", "CAST(changefreq AS VARCHAR)"),
    "priority": ("DOUBLE", "priority"),
    **{name: ("VARCHAR", _DIGEST.format(name)) for name in ("images", "videos", "alternates", "news")},
    # In manifests only.
    "content": ("UBIGINT", "key"),
}

#: The versions of manifests that can be read.
_MANIFESTS = f"{WHOLE} or {IN_PARTS}"


class DiffDatabase:
    """A temporary database, and threads that work with it, so that Ctrl-C still reaches the caller's thread.

    Args:
        memory: How much it may hold, such as `"1GB"`.
        names: The fields with a column of their own.
        stack: Closes its connection and its folder.

    Raises:
        InputError: `memory` is not an amount.
    """

    def __init__(self, memory: str, names: Sequence[str], stack: ExitStack) -> None:
        self.threads = min(cores(), _READERS)
        self._memory = memory
        self._manifests: list[str] = []
        # A thread that was given up may still write there.
        self._folder = stack.enter_context(temporary_folder())
        # Rows are written once and read a few times: ordering and compressing them takes longer than it saves.
        self.connection = connect(
            memory=memory,
            threads=self.threads,
            spill=self._folder / "spilled",
            preserve_insertion_order=False,
            force_compression="uncompressed",
        )
        stack.callback(self.connection.close)
        kinds = {"loc": "VARCHAR", "lastmod": "BIGINT", "raw": "VARCHAR"} | {
            name: FIELD_COLUMNS[name][0] for name in names
        }
        columns = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in kinds.items())
        self.rows = _core.DiffRows(str(self._folder), self.connection.sql(f"SELECT {columns} LIMIT 0"))

    def add(self, side: str, table: DuckDBPyRelation | _core.Batches) -> None:
        """Add rows to a side. Any thread may do that."""
        with self._storing():
            self.rows.add(side == "new", table)

    def pair(self) -> None:
        """Find the rows that may differ, once all are there. Several threads may do that together."""
        with self._storing():
            self.rows.pair()

    @contextmanager
    def _storing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._input_error(str(error)) from error

    def add_manifest(self, side: str, path: Path, names: Sequence[str]) -> int:
        """Add the pages of a manifest that are not gone to a side, and return how many there are.

        Raises:
            InputError: The file is not a manifest of urlset.
        """
        self._manifests.append(str(path))
        # A publish may replace the file at any time, and it is read more than once.
        copy = self._folder / f"{side}.parquet"
        shutil.copyfile(path, copy)
        file = path_pattern(copy)
        said = self.connection.execute("SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [file])
        parts = _parts(path, dict(said.fetchall()))
        files = ", ".join(literal(path_pattern(part)) for part in parts) or literal(file)
        living = f"read_parquet([{files}]) WHERE gone IS NULL"
        kept = "".join(f", CAST({FIELD_COLUMNS[name][1]} AS {FIELD_COLUMNS[name][0]}) AS {name}" for name in names)
        self.add(side, self.connection.sql(f"SELECT loc, lastmod{kept} FROM {living} AND loc IS NOT NULL"))  # noqa: S608
        return int(scalar(self.connection, f"SELECT count(*) FROM {living}"))  # noqa: S608

    def run(self, jobs: Sequence[Callable[[], T]], stop: Callable[[], object] | None = None) -> list[T]:
        """Run jobs at the same time, each on a thread, and return their results.

        Raises the first error, after the others were stopped: by `stop`, or by interrupting the connection.
        """
        pool = ThreadPoolExecutor(len(jobs))
        futures = [pool.submit(job) for job in jobs]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException as error:
            (stop or self.connection.interrupt)()
            wait(futures, timeout=_PATIENCE)
            if (input_error := self._as_input_error(error)) is not None:
                raise input_error from error
            raise
        finally:
            # A thread that waits for the caller's source cannot be stopped: it ends when the wait does.
            pool.shutdown(wait=False, cancel_futures=True)
        return [future.result() for future in futures]

    def _as_input_error(self, error: BaseException) -> InputError | None:
        """Return an error of DuckDB as one about the arguments, or None for any other error."""
        import duckdb  # noqa: PLC0415

        if isinstance(error, (duckdb.OutOfMemoryException, duckdb.IOException)):
            return self._input_error(first_line(error))
        return self._input_error(first_line(error)) if isinstance(error, duckdb.Error) and self._manifests else None

    def _input_error(self, message: str) -> InputError:
        if self._manifests and not message.startswith("Out of Memory"):
            return InputError(f"{' or '.join(self._manifests)} cannot be read as a manifest: {message}")
        return InputError(f"memory={self._memory!r} or the temporary folder is too small: {message}")


# --- documents ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Task:
    """A document to read, and what could not be read of it."""

    side: str
    source: Source
    is_root: bool
    failures: Failures


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
        progress: Progress | None,
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
        self._walk: Walk[_Task] = Walk()
        #: The documents of each side as they are found, whose failures are reported in this order.
        self._found: dict[str, list[_Task]] = {side: [] for side in SIDES}
        self._roots = dict.fromkeys(SIDES, 0)
        self._busy = 0
        self._stopped = False
        self._changed = Condition()

    @property
    def failures(self) -> tuple[UrlsetError, ...]:
        """What could not be read and was collected, in the order of the documents."""
        return tuple(error for side in SIDES for task in self._found[side] for error in task.failures.kept)

    def add(self, side: str, source: Source, *, is_root: bool = False) -> None:
        """Add a document to those that wait, each path of a side once."""
        with self._changed:
            task = _Task(side, source, is_root, Failures(strict=self._strict))
            if self._walk.add(source, task, group=side) is task:
                self._found[side].append(task)
                self._roots[side] += is_root
                self._changed.notify()

    def run(self) -> None:
        """Read everything that waits, and its children. Raises the first failure of a side without any entry."""
        self.database.run([self._work] * self.database.threads, self._stop)
        for side, tasks in self._found.items():
            for task in tasks:
                task.failures.check(is_read=self.entries[side] > 0)

    def _stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def count(self, side: str, entries: int) -> None:
        """Count more entries of a side."""
        with self._changed:
            self.entries[side] += entries
            if self._progress is not None:
                self._progress(sum(self.entries.values()))

    def _next(self) -> _Task | None:
        """Return the next document, as soon as there is one, or None if there will be no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or len(self._walk) or not self._busy)
            task = None if self._stopped else self._walk.next()
            if task is not None:
                self._busy += 1
            return task

    def _work(self) -> None:
        """Read one document after the other, and insert many at a time. Each thread runs this."""
        held = {side: _Buffer() for side in SIDES}
        with self.database.connection.cursor() as cursor:
            while (task := self._next()) is not None:
                try:
                    self._read(cursor, task, held[task.side])
                finally:
                    with self._changed:
                        self._busy -= 1
                        self._changed.notify_all()
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
                if self._stopped:
                    return
                held.batches.append(batch)
                held.rows += len(batch)
                self.count(task.side, len(batch))
                if number % _BATCHES == 0:
                    self._insert(cursor, task.side, held)
        except (OSError, NotASitemapError, FetchError) as error:
            if task.is_root and self._roots[task.side] == 1:
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
        if held.rows and not self._stopped:
            rows = _core.Batches.concat(held.batches, self._columns)
            # The core knows lastmods itself. Further fields are SQL, which finds the rows by their name.
            self.database.add(side, cursor.sql(self._rows) if self._names else rows)
        held.batches, held.rows, held.bytes = [], 0, 0


# --- manifests ----------------------------------------------------------------------------------------------


def is_parquet(path: Path) -> bool:
    """Return whether a file is Parquet, whatever its name. No sitemap begins like that."""
    if not path.is_file():  # a named pipe would lose the bytes that are read here
        return False
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def _parts(path: Path, metadata: Mapping[str, str]) -> list[Path]:
    """Return the paths of the parts of a manifest, none if all of it is in one file.

    Raises:
        InputError: The file is not a manifest of urlset, or a part of it is missing.
    """
    try:
        names = parts_in(metadata)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
    if names is None:
        version = metadata.get("urlset.manifest")
        what = "not a manifest of urlset" if version is None else f"a manifest of version {version}, not {_MANIFESTS}"
        raise InputError(f"{path} is Parquet, but {what}: name a sitemap, or .urlset/manifest.parquet")
    # They are named below the folder of the set, and the manifest is in `.urlset` there.
    found = [path.absolute().parent.parent / name for name in names]
    missing = next((part for part in found if not part.is_file()), None)
    if missing is not None:
        raise InputError(
            f"{path} has its rows in parts, and {missing} is missing: name the manifest where it is published"
        )
    return found


# --- one row for each loc -----------------------------------------------------------------------------------


def once_sql(table: str, names: Sequence[str]) -> str:
    """Return the query for one row per loc of a side, over the tables `old` and `old_repeated`, or those of `new`.

    Few locs are repeated, if any. The lastmod decides between their rows, then their content, and never their order:
    the order of a set has no meaning.
    """
    order = ", ".join(f"{column} DESC NULLS LAST" for column in ("lastmod", "raw", *names))
    chosen = f"FROM {table}_repeated QUALIFY row_number() OVER (PARTITION BY key ORDER BY {order}) = 1"
    return f"(FROM {table} UNION ALL ({chosen}))"
