"""The planning database: one temporary DuckDB database per publish that needs SQL, bounded in memory.

A small set is planned in memory alone. With more rows, what exceeds the configured memory may spill to a temporary
folder; with many, the tables move into a file there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from urlset._model.errors import InputError, PublishError
from urlset._stores.errors import os_errors_as_publish_errors
from urlset._util.duckdb import interruptible, literal, parsed, scalar
from urlset._util.instances import NAME, in_memory, spill_into
from urlset._util.tempdirs import temporary_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: The name under which the database in a file is attached.
_ON_DISK = "planning"
#: Rows, and bytes of them, that are planned without a folder to spill to: making one takes as long as some queries.
SMALL_ROWS, SMALL_BYTES = 1_000, 1 << 20
#: An amount of memory, and how many bytes its units have.
_AMOUNT = re.compile(r"(\d{1,15}(?:\.\d{1,15})?) ?([KMGT]i?B)", re.IGNORECASE)
_UNITS = {
    unit: base**power
    for base, suffix in ((1000, "b"), (1024, "ib"))
    for power, unit in enumerate((f"{letter}{suffix}" for letter in "kmgt"), 1)
}
#: Rows that are planned in memory.
MAX_ROWS_IN_MEMORY = 10_000


class PlanningDatabase:
    """The database of one publish. Most sets are planned without any SQL, and open none."""

    def __init__(self, memory: str, stack: ExitStack, threads: int | None = None) -> None:
        self.is_on_disk = False
        self._limit = memory
        self._folders = stack.enter_context(ExitStack())
        # Closed first: the database may have files in the folder.
        self._connections = stack.enter_context(ExitStack())
        self._connection: DuckDBPyConnection | None = None
        self._folder: Path | None = None
        self._threads = threads
        self._rows = self._bytes = self._files = 0
        self._is_spilling = False

    @property
    def connection(self) -> DuckDBPyConnection:
        """Runs the statements; all tables are in its current database. It is opened when it is first asked for."""
        if self._connection is None:
            # More threads cost more than they save while the rows are few.
            self._connection = self._connections.enter_context(in_memory(memory=self._limit, threads=1))
            # To look for a better plan takes longer than a small one runs.
            self._connection.execute(parsed("PRAGMA disable_optimizer"))
        return self._connection

    @property
    def folder(self) -> Path:
        """A temporary folder, which lives as long as the database. It is made when it is first asked for.

        Raises:
            PublishError: The system does not allow one.
        """
        if self._folder is None:
            with os_errors_as_publish_errors(Path("the temporary folder")):
                self._folder = self._folders.enter_context(temporary_folder())
        return self._folder

    @cached_property
    def memory(self) -> int:
        """Bytes of memory that the database may hold.

        Raises:
            InputError: That is not an amount of memory.
        """
        refused = InputError(f"memory must be an amount such as '512MB', got {self._limit!r}")
        if not isinstance(self._limit, str):
            raise refused
        found = _AMOUNT.fullmatch(self._limit)
        if found is not None:
            return int(float(found[1]) * _UNITS[found[2].lower()])
        # DuckDB knows more ways to write one. Of some that it takes, such as -1, it cannot say what they mean.
        held = scalar(self.connection, "SELECT TRY(parse_formatted_bytes(current_setting('memory_limit')))")
        if held is None:
            raise refused
        return int(held)

    def new_file(self) -> Path:
        """Return the path of a file in the temporary folder that is not there yet.

        Raises:
            PublishError: The system does not allow a temporary folder.
        """
        self._files += 1
        return self.folder / f"rows-{self._files}"

    def owns(self, problem: str) -> bool:
        """Return whether a problem is one of the temporary folder."""
        return self._folder is not None and str(self._folder) in problem

    def let_spill(self, rows: int, size: int = 0) -> None:
        """Let them spill before they are many, if so many more rows, of so many bytes, are read but not kept here.

        Raises:
            PublishError: The system does not allow a temporary folder.
        """
        self._rows += rows
        self._bytes += size
        if not self._is_spilling and (self._rows > SMALL_ROWS or self._bytes > SMALL_BYTES):
            self._is_spilling = True
            spill_into(self.connection, self.folder / "spilled")

    def expect(self, rows: int, size: int = 0) -> None:
        """Prepare for so many more rows, of so many bytes: let them spill and move them to a file before they are many.

        Raises:
            PublishError: The system does not allow a temporary folder.
        """
        self.let_spill(rows, size)
        if self._rows <= MAX_ROWS_IN_MEMORY or self.is_on_disk:
            return
        self.is_on_disk = True
        connection = self.connection
        connection.execute("RESET threads" if self._threads is None else f"SET threads = {self._threads:d}")
        connection.execute("PRAGMA enable_optimizer")
        connection.execute(f"ATTACH {literal(str(self.folder / 'publish.duckdb'))} AS {_ON_DISK}")
        tables = connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = ? ORDER BY table_name", [NAME]
        ).fetchall()
        for (table,) in tables:
            connection.execute(f"CREATE TABLE {_ON_DISK}.{table} AS FROM {NAME}.{table}")
        connection.execute(f"USE {_ON_DISK}")
        connection.execute(f"DETACH {NAME}")


@contextmanager
def planning_database(memory: str, threads: int | None = None) -> Iterator[PlanningDatabase]:
    """Open an empty planning database. It and all that it spilled are removed at the end, whatever happens.

    Args:
        memory: How much it may hold.
        threads: How many threads plan a set of many rows; all cores if None.

    Raises:
        InputError: `memory` is not an amount of memory.
        PublishError: The memory or the disk is not enough.
    """
    with interruptible(), ExitStack() as stack:
        database = PlanningDatabase(memory, stack, threads)
        with _errors_as_publish_errors(memory, database):
            if not database.memory:
                raise InputError(f"memory must be more than 0, got {memory!r}")
            yield database


@contextmanager
def _errors_as_publish_errors(memory: str, database: PlanningDatabase) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        problem = _problem(error, memory, database)
        if problem is None:
            raise
        raise PublishError(problem) from error


def _problem(error: Exception, memory: str, database: PlanningDatabase) -> str | None:
    """Return what is wrong with the memory or the temporary folder, if an error of DuckDB says that."""
    if (duckdb := sys.modules.get("duckdb")) is None:  # nobody has opened a database
        return None
    if isinstance(error, duckdb.OutOfMemoryException):
        return f"the set cannot be planned in {memory}: give it more memory"
    if isinstance(error, duckdb.IOException) and database.owns(
        str(error)
    ):  # the caller's rows can come from DuckDB too
        return f"the temporary folder {database.folder} cannot be used: {error}"
    return None
