"""DuckDB for every room: one way to open it, to quote for it, and to put rows into it.

`connect` opens a private database with its settings. `parsed` parses a statement once. `literal` and `identifier` quote
for SQL, `path_pattern` for a path. `insert_rows` and `insert_batches` fill tables, `scalar` reads one value,
`first_line` is what an error says, `interruptible` passes Ctrl-C on.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from urlset import _core
from urlset._model.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, Statement

IN_MEMORY = ":memory:"
#: Statements that are kept parsed. A publish has about thirty.
_PARSED = 128
#: Each instance would start four more threads for each core, which read files. The threads of a query read local files
#: as fast, and every thread takes memory. Source: DuckDB 2.0, I/O: it should be set in processes with many instances.
_NO_ASYNC: Any = {"async_threads": 0}


def connect(
    database: str | Path = IN_MEMORY,
    *,
    memory: str | None = None,
    threads: int | None = None,
    spill: Path | None = None,
    **settings: Any,
) -> DuckDBPyConnection:
    """Open a private DuckDB database that computes times in UTC and installs no extensions.

    Args:
        database: Path of its file, or in memory.
        memory: How much it may hold, such as `"512MB"`; DuckDB's own limit if None.
        threads: How many threads work on a query; all cores if None.
        spill: Folder for what does not fit into memory. Without one, a database in memory keeps to it: DuckDB's own
            choice is a folder wherever the process happens to be.
        **settings: Further settings of DuckDB, by their names.

    Raises:
        InputError: `memory` is not an amount.
    """
    import duckdb  # noqa: PLC0415  (0.15 s, for which the verbs without it should not wait)

    config: dict[str, Any] = {"autoinstall_known_extensions": False, **_NO_ASYNC, **settings}
    if threads is not None:
        config["threads"] = threads
    if spill is not None or str(database) == IN_MEMORY:
        config.setdefault("temp_directory", "" if spill is None else str(spill))
    connection = duckdb.connect(str(database), config=config)
    # What a time without a zone means must not depend on the machine.
    connection.execute("SET TimeZone = 'UTC'")
    # In an interactive Python it would print to standard output. In a notebook without ipywidgets it is off, and DuckDB
    # refuses to set it at all.
    if scalar(connection, "SELECT current_setting('enable_progress_bar')"):
        connection.execute("SET enable_progress_bar = false")
    if memory is not None:
        try:
            connection.execute("SET memory_limit = $memory", {"memory": memory})
        except duckdb.Error as error:
            connection.close()
            raise InputError(f"memory must be an amount such as '512MB', got {memory!r}") from error
    return connection


_parsing = Lock()


@lru_cache(maxsize=_PARSED)
def parsed(sql: str) -> Statement:
    """Parse one statement, or return it as it was parsed before.

    Over a few rows, parsing takes as long as running. Use it for texts that come back: what differs from one run to the
    next, such as a path or a time, is a parameter there.
    """
    with _parsing:
        [statement] = _parser().extract_statements(sql)
    return statement


@cache
def _parser() -> DuckDBPyConnection:
    """Return a connection that only parses: DuckDB's own default is the caller's, and refuses while that works."""
    import duckdb  # noqa: PLC0415

    return duckdb.connect(IN_MEMORY, config=_NO_ASYNC)


def literal(text: str) -> str:
    """Return a text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Return a name as an identifier of SQL, whatever it contains.

    Source: SQL-92, delimited identifiers.
    """
    return '"' + name.replace('"', '""') + '"'


def path_pattern(path: str | os.PathLike[str]) -> str:
    """Return the pattern that matches this path alone: DuckDB takes some characters of a path for wildcards."""
    return glob.escape(os.fspath(path))


def insert_rows(connection: DuckDBPyConnection, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows into a table, in their order. `executemany` would take 0.6 ms for each row."""
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        connection.execute(f"INSERT INTO {table} SELECT {', '.join('unnest(?)' for _ in columns)}", columns)


def insert_batches(
    cursor: DuckDBPyConnection, batches: list[_core.Batches], columns: list[str], *statements: str
) -> None:
    """Run INSERT statements that read batches of entries by the name `rows`.

    DuckDB finds `rows` among the local variables. Registering it would create a view, which takes longer. One table is
    made of the batches first, because DuckDB opens what it reads more than once.
    """
    rows = _core.Batches.concat(batches, columns)  # noqa: F841
    for statement in statements:
        cursor.execute(statement)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt if a query is interrupted, in place of the RuntimeError that DuckDB raises."""
    try:
        yield
    except RuntimeError as error:
        if str(error) != "Query interrupted":
            raise
        raise KeyboardInterrupt from error


def scalar(connection: DuckDBPyConnection, query: str, values: list[Any] | None = None) -> Any:
    """Return the first column of a query's only row."""
    # Fetched to its end: a result that is still open keeps the connection from other work.
    return connection.execute(parsed(query), values or []).fetchall()[0][0]


def first_line(error: BaseException) -> str:
    """Return the first line of an error of DuckDB; the others quote the statement."""
    return str(error).partition("\n")[0]


def moment_text(column: str) -> str:
    """Return SQL for a TIMESTAMP WITH TIME ZONE as RFC 3339 text in UTC, with a fraction only if there is one."""
    fraction = f"CASE epoch_us({column}) % 1000000 WHEN 0 THEN '' ELSE rtrim(strftime({column}, '.%f'), '0') END"
    return f"(strftime({column}, '%Y-%m-%dT%H:%M:%S') || {fraction} || 'Z')"
