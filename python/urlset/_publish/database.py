"""The planning database: one temporary DuckDB database per publish, bounded in memory.

A small set is planned in memory. Once the rows are many, the tables move into a temporary file, and what exceeds the
configured memory spills to disk beside that file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from urlset._model.errors import PublishError
from urlset._stores.errors import os_errors_as_publish_errors
from urlset._util.duckdb import interruptible, literal
from urlset._util.instances import NAME, in_memory
from urlset._util.tempdirs import temporary_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: The name under which the database in a file is attached.
_ON_DISK = "planning"
#: Rows that are planned in memory.
FEW_ROWS = 10_000


class PlanningDatabase:
    """The database of one publish.

    Attributes:
        connection: Runs the statements; all tables are in its current database.
        folder: A temporary folder, which lives as long as the database.
    """

    def __init__(self, connection: DuckDBPyConnection, folder: Path, threads: int | None = None) -> None:
        self.connection = connection
        self.folder = folder
        self.is_on_disk = False
        self._threads = threads
        self._rows = 0

    def expect(self, rows: int) -> None:
        """Prepare for so many more rows: move to a file before they are too many for memory."""
        self._rows += rows
        if self._rows <= FEW_ROWS or self.is_on_disk:
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
        _temporary() as folder,
        _errors_as_publish_errors(memory, folder),
        # More threads cost more than they save while the rows are few.
        in_memory(memory=memory, threads=1, spill=folder / "spilled") as connection,
    ):
        connection.execute("PRAGMA disable_optimizer")  # to look for a better plan takes longer than a small one runs
        yield PlanningDatabase(connection, folder, threads)


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
