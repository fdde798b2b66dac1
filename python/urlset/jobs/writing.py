"""Write a set in parts: one task for each part of the rows, and a commit on the driver."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from urlset._model.errors import InputError
from urlset._options.publish import BaseUrl, Checks, Dest, Layout, Memory, RowColumns, Scope, Threads, UpdateRobots
from urlset._options.shared import StoreOptions
from urlset._publish import parts
from urlset._publish.parts import AttemptFolder, CurrentPart, PartFacts, PartOptions, PartTarget, Publication, ShardBy
from urlset._stores.open import open_store
from urlset._stores.store import Store
from urlset._write.rows import ArrowTable, RowsLike
from urlset.jobs._folder import attempt_folder, attempt_name, make_job_folder, new_id, remove_expired, remove_job

#: Parts that a job may have: each is a task of its own.
_MAX_PARTS = 1_000_000


class WriteJob:
    """Writes a set in parts: any number of tasks write one part each, and the driver commits the whole set at once.

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
            raise InputError("Checks.verify is for publish: a job does not read the current set")
        options = parts.checked_options(
            base_url=base_url, scope=scope, layout=layout, checks=checks, update_robots=update_robots, now=now
        )
        self.shard_by = ShardBy("sticky")
        self._options = PartOptions(options, parts.checked_columns(columns), memory, threads)
        if "group" in self._options.columns:
            raise InputError("columns must not have group and lang: the pages of a group can be in different parts")
        # Tasks can have other current folders.
        text = os.fspath(dest)
        self._dest = text if "://" in text else str(Path(text).absolute())
        self._store_options = dict(store or {})
        self._open()  # what is wrong with it is said here, and not in every task
        self.id = new_id(options.now)
        self._has_folder = False

    def __repr__(self) -> str:
        """Return its destination, its base URL and its id."""
        return f"WriteJob({self._dest!r}, base_url={self._options.publish.base!r}, id={self.id!r})"

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
        parts.check_columns(self._options, self.shard_by, rows)

    def write_part(self, rows: RowsLike, part: int, attempt: int = 0) -> PartFacts:
        """Make and verify the documents of one part, in the folder of the job.

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
        store = self._open()
        target, folder = self._attempt(store, part, attempt)
        return parts.write_part(self._options, store, rows, target, folder)

    def _attempt(self, store: Store, part: int, attempt: int = 0) -> tuple[PartTarget, AttemptFolder]:
        name = attempt_name(self.id, part, attempt)
        return PartTarget(part, name), attempt_folder(store, name, has_folder=self._has_folder)

    def commit(self, facts: Iterable[PartFacts]) -> Publication:
        """Make the set the current one, from the facts of all parts, and remove everything else of the job.

        Whatever is refused or fails, the current set stays, and nothing of the job is left.

        Raises:
            InputError: Two facts are of the same part.
            GuardError: The set is most likely a mistake.
            PublishError: A loc is in two parts, there is no entry, or the store fails.
        """
        return self._commit(facts)

    def _commit(
        self, facts: Iterable[PartFacts], *, compared_with: CurrentPart | None = None, dry_run: bool = False
    ) -> Publication:
        """Make the set the current one, and remove the folder of the job, whatever happens."""
        store = self._open()
        try:
            published = parts.commit_parts(
                self._options, store, self.id, facts, compared_with=compared_with, dry_run=dry_run
            )
            if not dry_run:
                remove_expired(store, self._options.publish.now)
            return published
        finally:
            if not dry_run:
                remove_job(store, self.id)

    def abort(self) -> None:
        """Remove everything of the job. The current set stays."""
        remove_job(self._open(), self.id)

    def _open(self) -> Store:
        return open_store(self._dest, **self._store_options)
