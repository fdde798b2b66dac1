"""The planning database: one temporary DuckDB database per publish, bounded in memory.

A small set is planned in memory. Once the rows are many, the tables move into a temporary file, and what exceeds the
configured memory spills to disk beside that file.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from urlset._model.errors import PublishError
from urlset._stores.errors import os_errors_as_publish_errors
from urlset._util.duckdb import connect, interruptible, literal
from urlset._util.tempdirs import temporary_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: The names under which the database in memory and the one in a file are attached.
_IN_MEMORY, _ON_DISK = "planning", "planning_on_disk"
#: Rows that are planned in memory.
FEW_ROWS = 10_000
#: What is set when there are more: all cores, and the search for a good plan.
_FOR_MANY_ROWS = ("RESET threads", "PRAGMA enable_optimizer")


class PlanningDatabase:
    """The database of one publish.

    Attributes:
        connection: Runs the statements; all tables are in its current database.
        folder: A temporary folder, which lives as long as the database.
    """

    def __init__(self, connection: DuckDBPyConnection, folder: Path) -> None:
        self.connection = connection
        self.folder = folder
        self.is_on_disk = False
        self._rows = 0

    def expect(self, rows: int) -> None:
        """Prepare for so many more rows: move to a file before they are too many for memory."""
        self._rows += rows
        if self._rows <= FEW_ROWS or self.is_on_disk:
            return
        self.is_on_disk = True
        connection = self.connection
        for statement in _FOR_MANY_ROWS:
            connection.execute(statement)
        connection.execute(f"ATTACH {literal(str(self.folder / 'publish.duckdb'))} AS {_ON_DISK}")
        tables = connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = ? ORDER BY table_name", [_IN_MEMORY]
        ).fetchall()
        for (table,) in tables:
            connection.execute(f"CREATE TABLE {_ON_DISK}.{table} AS FROM {_IN_MEMORY}.{table}")
        connection.execute(f"USE {_ON_DISK}")
        connection.execute(f"DETACH {_IN_MEMORY}")


class _Engine:
    """A DuckDB instance that waits for the next publish of this process.

    Starting an instance takes longer than planning a small set, so one that has only worked in memory is used again by
    the next publish that may use as much memory.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._idle: tuple[str, DuckDBPyConnection] | None = None

    def take(self, memory: str) -> DuckDBPyConnection:
        """Return the idle instance, or else a new one. Nobody else uses it until it is given back."""
        with self._lock:
            idle, self._idle = self._idle, None
        if idle is not None:
            if idle[0] == memory:
                return idle[1]
            idle[1].close()
        instance = connect(memory=memory, threads=1)  # more cost more than they save while the rows are few
        instance.execute("PRAGMA disable_optimizer")  # to look for a better plan takes longer than a small one runs
        return instance

    def give_back(self, memory: str, instance: DuckDBPyConnection) -> None:
        """Keep an instance that has nothing in it, or close it if there is one already."""
        with self._lock:
            if self._idle is None:
                self._idle = memory, instance
                return
        instance.close()

    def close(self) -> None:
        """Close the idle instance."""
        with self._lock:
            idle, self._idle = self._idle, None
        if idle is not None:
            idle[1].close()


_engine = _Engine()
atexit.register(_engine.close)
if hasattr(os, "register_at_fork"):
    # The threads of an instance do not exist in a forked process, which would wait for them when it ends.
    os.register_at_fork(before=_engine.close)


@contextmanager
def planning_database(memory: str) -> Iterator[PlanningDatabase]:
    """Open an empty planning database. It and all that it spilled are removed at the end, whatever happens.

    Raises:
        InputError: `memory` is not an amount of memory.
        PublishError: The memory or the disk is not enough.
    """
    with interruptible(), _temporary() as folder:
        connection = _engine.take(memory)
        is_reusable = False
        try:
            with _errors_as_publish_errors(memory, folder):
                # DuckDB makes the folder when it first spills.
                connection.execute(f"SET temp_directory = {literal(str(_spilled(folder)))}")
                connection.execute(f"ATTACH ':memory:' AS {_IN_MEMORY}; USE {_IN_MEMORY}")
                database = PlanningDatabase(connection, folder)
                yield database
            if not database.is_on_disk and not _spilled(folder).exists():
                connection.execute(f"USE memory; DETACH {_IN_MEMORY}")
                is_reusable = True
        finally:
            if is_reusable:
                _engine.give_back(memory, connection)
            else:
                connection.close()


@contextmanager
def _errors_as_publish_errors(memory: str, folder: Path) -> Iterator[None]:
    import duckdb  # noqa: PLC0415

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise PublishError(f"the set cannot be planned in {memory}: give it more memory") from error
    except duckdb.IOException as error:
        if str(folder) not in str(error):  # the caller's own rows can come from DuckDB too
            raise
        raise PublishError(f"the temporary folder {folder} cannot be used: {error}") from error


def _spilled(folder: Path) -> Path:
    return folder / "spilled"


@contextmanager
def _temporary() -> Iterator[Path]:
    """Make a temporary folder.

    Raises:
        PublishError: The system does not allow one.
    """
    with ExitStack() as stack:
        with os_errors_as_publish_errors(Path("the temporary folder")):
            folder = stack.enter_context(temporary_folder())
        yield folder
