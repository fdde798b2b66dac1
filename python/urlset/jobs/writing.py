"""Write a set in parts: one task for each part of the rows, and a commit on the driver."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from urlset._model.errors import InputError
from urlset._options.publish import BaseUrl, Checks, Dest, Layout, Memory, RowColumns, Scope, Threads, UpdateRobots
from urlset._options.shared import StoreOptions
from urlset._publish.checked_options import checked_columns, checked_options
from urlset._publish.commit.publication import Publication
from urlset._publish.rows.database import planning_database
from urlset._publish.rows.ingest import IngestReport, checked_source, ingest
from urlset._publish.rows.schema import create
from urlset._publish.values.options import SectionRows
from urlset._publish.values.shards import ShardBy
from urlset._stores.open import open_store
from urlset._stores.store import Store
from urlset._write.rows import ArrowTable, RowsLike
from urlset.jobs._commit import commit_job
from urlset.jobs._facts import PartFacts
from urlset.jobs._folder import attempt_folder, attempt_name, make_job_folder, new_id, remove_job
from urlset.jobs._part import CurrentPart, make_part

#: Parts that a job may have: each is a task of its own.
_MAX_PARTS = 1_000_000


class WriteJob:
    """Writes a set in parts: any number of tasks write one part each, and the driver puts the set into force at once.

    The job is a plain value that can be pickled, so any engine can send it to its tasks, and threads can share it. A
    task calls `write_part` with its rows, and hands the facts that come back to the driver. The driver calls `commit`
    with the facts of all parts, or `abort`. Until the commit nobody sees anything of the set, and a task that is
    killed, tried again or run twice does no harm: attempts write into folders of their own, and only those count whose
    facts are committed. After either call nothing of the job is left but the set.

    The documents of a part are a series of their own, sorted by loc: `sitemap-00003-0001-….xml.gz` is the first one of
    part 3. The same parts, with their rows in any order, give the same bytes. A part must not have a loc of another
    part; the commit looks, and refuses that. What stands there afterwards is a set like that of `publish`, and its
    manifest is in parts too.

    Args:
        dest: Destination: a folder that all tasks reach under this path, or the URL of an object store.
        base_url: Public URL of the destination.
        scope: URL prefix that every loc must have. By default it is the origin of `base_url`.
        columns: Columns of the rows that have other names, as in `publish`, but no `group` and `lang`.
        layout: How documents are written; `Layout()` if None. Names are not stable.
        checks: What is checked first, and what is let through; `Checks()` if None. Nothing can be verified.
        update_robots: Add the set to robots.txt in the destination.
        memory: Memory limit for planning, of each task and of the commit; what does not fit goes to temporary files.
        threads: How many threads each task may use for planning.
        now: The present moment; the clock's if None.
        store: Options of the object store.

    Attributes:
        id: The id of the job, which is in the names of its folder and of the parts of its manifest.

    Raises:
        InputError: An argument is invalid.

    Example:
        >>> import urlset
        >>> from urlset.jobs import WriteJob
        >>> job = WriteJob("public", base_url="https://shop.example/")
        >>> parts = [["/", "/tea"], ["/coffee"]]
        >>> published = job.commit([job.write_part(rows, part) for part, rows in enumerate(parts)])
        >>> published.entries, len(published.shards)
        (3, 2)
        >>> [entry.loc for entry in urlset.read("public")]
        ['https://shop.example/', 'https://shop.example/tea', 'https://shop.example/coffee']
    """

    def __init__(
        self,
        dest: Dest,
        *,
        base_url: BaseUrl,
        scope: Scope = None,
        columns: RowColumns = None,
        layout: Layout | None = None,
        checks: Checks | None = None,
        update_robots: UpdateRobots = False,
        memory: Memory = "512MB",
        threads: Threads = 1,
        now: datetime | None = None,
        store: StoreOptions = None,
    ) -> None:
        if not isinstance(threads, int) or threads < 1:
            raise InputError(f"threads must be a number from 1 up, got {threads!r}")
        if layout is not None and layout.names != "content":
            raise InputError(f"Layout.names of a job must be content, got {layout.names!r}")
        if checks is not None and checks.verify:
            raise InputError("Checks.verify is for publish: a job does not read the set in force")
        self._options = checked_options(
            base_url=base_url, scope=scope, layout=layout, checks=checks, update_robots=update_robots, now=now
        )
        self.shard_by = ShardBy("sticky")
        self._columns = checked_columns(columns)
        if "group" in self._columns:
            raise InputError("columns must not have group and lang: the pages of a group can be in different parts")
        # Tasks can have other current folders.
        text = os.fspath(dest)
        self._dest = text if "://" in text else str(Path(text).absolute())
        self._store_options = dict(store or {})
        self._on_error = self._options.checks.on_error
        self._memory = memory
        self._threads = threads
        self._open()  # what is wrong with it is said here, and not in every task
        self.id = new_id(self._options.now)
        self._has_folder = False

    def __repr__(self) -> str:
        """Return its destination, its base URL and its id."""
        return f"WriteJob({self._dest!r}, base_url={self._options.base!r}, id={self.id!r})"

    def make_folder(self) -> None:
        """Make the folder of the job, on the driver, before any task has the job.

        An engine that ends a job while tasks still run should call it. What begins to write after `commit` or `abort`
        then fails; without it, that would leave files behind, which the first job a week later removes. In an object
        store it changes nothing.

        Raises:
            PublishError: The folder cannot be made.

        Example:
            >>> from urlset.jobs import WriteJob
            >>> job = WriteJob("public", base_url="https://shop.example/")
            >>> job.make_folder()
            >>> job.abort()
        """
        make_job_folder(self._open(), self.id)
        self._has_folder = True

    def check_columns(self, rows: ArrowTable) -> None:
        """Check the columns of a table before any task reads it, as a task would. Its rows are not read.

        Raises:
            InputError: A column is missing, unknown or of a wrong type.

        Example:
            >>> import pyarrow
            >>> from urlset.jobs import WriteJob
            >>> job = WriteJob("public", base_url="https://shop.example/")
            >>> job.check_columns(pyarrow.table({"loc": ["/tea"], "lastmod": ["2026-01-31"]}))
        """
        checked_source(self._section(rows), self._options)

    def _section(self, rows: RowsLike, name: str = "") -> SectionRows:
        return SectionRows(name, self.shard_by, self._columns, rows)

    def write_part(self, rows: RowsLike, part: int, attempt: int = 0) -> PartFacts:
        """Make and prove the documents of one part, in the folder of the job.

        Args:
            rows: The rows of the part, as in `publish`; anything that exports an Arrow stream is the fastest.
            part: The number of the part, from 0 up.
            attempt: A number that no other attempt at this part has.

        Returns:
            What was made, for `commit`.

        Raises:
            EntryError: A row is refused, and `Checks.on_error` is `raise`.
            InputError: The rows cannot be used.
            PublishError: A document does not read back as it was written, or cannot be written.
        """
        if not 0 <= part < _MAX_PARTS:
            raise InputError(f"part must be a number from 0 to {_MAX_PARTS - 1:,}, got {part!r}")
        section = self._section(rows, f"{part:05}")
        report = IngestReport(self._on_error, [section.name])
        store, name = self._open(), attempt_name(self.id, part, attempt)
        with (
            planning_database(self._memory, self._threads) as database,
            attempt_folder(store, name, has_folder=self._has_folder) as folder,
        ):
            create(database.connection, "known")
            ingest(database, self._options, [section], report)
            return make_part(database, store, self._options, section, report, CurrentPart(), folder, name, part)

    def commit(self, facts: Iterable[PartFacts]) -> Publication:
        """Put the set into force, from the facts of all parts, and remove everything else of the job.

        Whatever is refused or fails, the set that was in force stays, and nothing of the job is left.

        Raises:
            InputError: Two facts are of the same part.
            GuardError: The set is most likely a mistake.
            PublishError: A loc is in two parts, there is no entry, or the store fails.
        """
        return commit_job(self._open(), self._options, self.id, facts, memory=self._memory)

    def abort(self) -> None:
        """Remove everything of the job. The set that is in force stays."""
        remove_job(self._open(), self.id)

    def _open(self) -> Store:
        return open_store(self._dest, **self._store_options)
