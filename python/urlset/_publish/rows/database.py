"""The planning database: one temporary DuckDB database per publish, bounded in memory.

A small set is planned in memory alone. With more rows, what exceeds the configured memory may spill to a temporary
folder; with many, the tables move into a file there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from urlset._model.errors import PublishError
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
#: Rows that are planned in memory.
MAX_ROWS_IN_MEMORY = 10_000


class PlanningDatabase:
    """The database of one publish.

    Attributes:
        connection: Runs the statements; all tables are in its current database.
    """

    def __init__(self, connection: DuckDBPyConnection, stack: ExitStack, threads: int | None = None) -> None:
        self.connection = connection
        self.is_on_disk = False
        self._stack = stack
        self._folder: Path | None = None
        self._threads = threads
        self._rows = self._bytes = self._files = 0
        self._is_spilling = False
        self._memory: int | None = None

    @property
    def folder(self) -> Path:
        """A temporary folder, which lives as long as the database. It is made when it is first asked for.

        Raises:
            PublishError: The system does not allow one.
        """
        if self._folder is None:
            with os_errors_as_publish_errors(Path("the temporary folder")):
                self._folder = self._stack.enter_context(temporary_folder())
        return self._folder

    @property
    def memory(self) -> int:
        """Bytes of memory that the database may hold."""
        if self._memory is None:
            self._memory = int(scalar(self.connection, "SELECT parse_formatted_bytes(current_setting('memory_limit'))"))
        return self._memory

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
    with (
        interruptible(),
        ExitStack() as stack,
        # More threads cost more than they save while the rows are few.
        in_memory(memory=memory, threads=1) as connection,
    ):
        # To look for a better plan takes longer than a small one runs.
        connection.execute(parsed("PRAGMA disable_optimizer"))
        database = PlanningDatabase(connection, stack, threads)
        with _errors_as_publish_errors(memory, database):
            yield database


@contextmanager
def _errors_as_publish_errors(memory: str, database: PlanningDatabase) -> Iterator[None]:
    import duckdb  # noqa: PLC0415

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise PublishError(f"the set cannot be planned in {memory}: give it more memory") from error
    except duckdb.IOException as error:
        if not database.owns(str(error)):  # the caller's own rows can come from DuckDB too
            raise
        raise PublishError(f"the temporary folder {database.folder} cannot be used: {error}") from error
