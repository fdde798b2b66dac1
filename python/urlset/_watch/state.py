"""The state of a watch: one file with what was seen last, the changes that were found, and the cache."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final

from urlset import _core
from urlset._fetch.cache import opened
from urlset._model.errors import InputError, UrlsetError
from urlset._read.entry_points import is_site
from urlset._watch.changes import SiteChange
from urlset._watch.schema import SCRATCH, TABLES

#: Kibibytes of each database, the one of the state and the temporary one, that are held in memory.
_CACHE: Final = 64 << 10
#: Seconds to wait for another process that is writing to the file.
_WAIT: Final = 60
#: Rows that are fetched at once.
_ROWS: Final = 10_000


class State:
    """The file of a watch, for one run or one reader of its changes.

    Args:
        path: The file, which is created if it does not exist.

    Raises:
        InputError: The file is something else, or cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        try:
            self.connection = opened(self.path)
            self.connection.execute(f"PRAGMA cache_size = -{_CACHE}")
            self.connection.create_function("normalized_url", 1, _core.normalized_url, deterministic=True)
            self.connection.create_function("is_site", 1, is_site, deterministic=True)
            with self.transaction():
                for table in TABLES:
                    self.connection.execute(table)
        except sqlite3.Error as error:
            raise InputError(f"{self.path} cannot be used as the state of a watch: {error}") from None

    def begin(self, sources: Sequence[str]) -> None:
        """Prepare a run.

        Raises:
            InputError: The file watches other sources.
        """
        watched = [source for (source,) in self.connection.execute("SELECT source FROM watched ORDER BY rowid")]
        if watched and watched != list(sources):
            raise InputError(
                f"{self.path} is the state of a watch of {', '.join(watched)}: name another file for "
                f"{', '.join(sources)}"
            )
        self.connection.execute("PRAGMA temp_store = FILE")
        self.connection.execute(f"PRAGMA temp.cache_size = -{_CACHE}")
        for table in SCRATCH:
            self.connection.execute(table)

    @property
    def last_run(self) -> int:
        """The number of the last run; 0 before the first one."""
        return int(self.scalar("SELECT coalesce(max(run), 0) FROM runs"))

    def scalar(self, query: str, values: Sequence[Any] = ()) -> Any:
        """Return the first column of a query's only row."""
        return self.connection.execute(query, values).fetchone()[0]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all of what the block does, or nothing, whatever happens."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def unconfirmed(self) -> int:
        """Return the number of the last run after which no changes have arrived."""
        first = self.scalar("SELECT min(run) FROM runs WHERE NOT is_confirmed")
        return self.last_run if first is None else int(first) - 1

    def confirm(self, run: int) -> None:
        """Take note that the changes up to a run have arrived."""
        with self.errors(), self.transaction():
            self.connection.execute("UPDATE runs SET is_confirmed = 1 WHERE run <= ?", [run])

    def counts(self, since: int, until: int) -> dict[str, int]:
        """Return how many changes of each kind the runs after `since` up to `until` have found."""
        query = "SELECT change, count(*) FROM changes WHERE run > ? AND run <= ? GROUP BY change ORDER BY change"
        return dict(self.connection.execute(query, [since, until]).fetchall())

    def changes(self, since: int, until: int) -> Iterator[list[SiteChange]]:
        """Yield the changes of the runs after `since` up to `until`, some at a time, in the order of finding."""
        query = (
            "SELECT run, began, change, kind, loc, how, lastmod, old_lastmod, sitemap, old_sitemap"
            " FROM changes JOIN runs USING (run) WHERE run > ? AND run <= ? ORDER BY run, changes.rowid"
        )
        with self.errors():
            cursor = self.connection.execute(query, [since, until])
            while rows := cursor.fetchmany(_ROWS):
                yield [SiteChange(run, datetime.fromisoformat(began), *rest) for run, began, *rest in rows]

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Raise what goes wrong with the file as an error that names it."""
        try:
            yield
        except sqlite3.Error as error:
            raise UrlsetError(f"the state {self.path} failed: {error}; nothing of this run was kept") from None

    def close(self) -> None:
        """Close the file."""
        self.connection.close()


@contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Keep other runs from a state until the block ends, or the process does.

    Raises:
        InputError: Another run is under way.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415  (with asyncio, half the time of importing urlset)

    held = FileLock(f"{os.fspath(path)}.lock", timeout=0)
    try:
        held.acquire()
    except Timeout:
        raise InputError(f"another run with the state {os.fspath(path)} is under way: wait for its end") from None
    try:
        yield
    finally:
        held.release()
