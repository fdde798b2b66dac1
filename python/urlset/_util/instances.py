"""Databases in memory that are lent for a while: the process keeps instances of DuckDB for the next ones.

Opening an instance takes longer than most work over a few rows. `in_memory` lends an empty database of an instance that
nobody else uses, `cursor_of` returns another connection to its tables, and `spill_into` gives it a folder.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from urlset._model.errors import InputError
from urlset._util.duckdb import IN_MEMORY, connect, literal, parsed, scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Instances that are kept: a publish reads its rows with one, and plans with another.
_MAX_IDLE = 2
#: The name under which the database is attached.
NAME = "lent"


@contextmanager
def in_memory(
    *, memory: str | None = None, threads: int | None = None, spill: Path | None = None, **settings: Any
) -> Iterator[DuckDBPyConnection]:
    """Lend an empty database in memory. Whatever is in it at the end is gone.

    Args:
        memory: How much it may hold, such as `"512MB"`; DuckDB's own limit if None.
        threads: How many threads work on a query; all cores if None.
        spill: Folder for what does not fit into memory, which then is all there is. DuckDB makes it when it first needs
            it.
        **settings: Further settings of DuckDB, by their names.

    Raises:
        InputError: `memory` is not an amount.
    """
    wanted = {"memory_limit": memory, "threads": threads, "temp_directory": "" if spill is None else str(spill)}
    instance = _take({name: value for name, value in (wanted | settings).items() if value is not None})
    is_reusable = False
    try:
        with instance.root.cursor() as connection:
            connection.execute(parsed(f"ATTACH '{IN_MEMORY}' AS {NAME}"))
            connection.execute(parsed(f"USE {NAME}"))
            _lent[id(connection)] = instance
            try:
                yield connection
            finally:
                del _lent[id(connection)]
        # An instance that has spilled cannot spill into another folder.
        is_reusable = not instance.is_spilling and (spill is None or not spill.exists())
    finally:
        _give_back(instance, is_reusable=is_reusable)


def spill_into(connection: DuckDBPyConnection, folder: Path) -> None:
    """Let a lent database spill into a folder from now on. Its instance is not kept for the next one.

    It costs as much as a query over a few rows, so it is for work that turns out to be large.
    """
    connection.execute(f"SET GLOBAL temp_directory = {literal(str(folder))}")
    _lent[id(connection)].is_spilling = True


def cursor_of(connection: DuckDBPyConnection) -> DuckDBPyConnection:
    """Return another connection to the tables of the database that a connection of `in_memory` uses."""
    cursor = connection.cursor()
    cursor.execute(parsed(f"USE {scalar(connection, 'SELECT current_database()')}"))
    return cursor


class _Instance:
    """An instance of DuckDB, and those of its settings that are not DuckDB's own."""

    def __init__(self) -> None:
        self.root = connect(threads=1)
        self.is_spilling = False
        self._settings: dict[str, Any] = {"threads": 1, "temp_directory": ""}
        # Its further connections have the settings of the instance and not those of the first one.
        self.root.execute("SET GLOBAL TimeZone = 'UTC'")

    def configure(self, wanted: Mapping[str, Any]) -> None:
        """Change the settings to these; what they do not name becomes DuckDB's own.

        Raises:
            InputError: The memory is not an amount.
        """
        import duckdb  # noqa: PLC0415  (see connect)

        for name in self._settings.keys() - wanted.keys():
            self.root.execute(f"RESET {name}")
            del self._settings[name]
        for name, value in wanted.items():
            if self._settings.get(name) == value:
                continue
            try:
                self.root.execute(f"SET GLOBAL {name} = {literal(value) if isinstance(value, str) else value}")
            except duckdb.Error as error:
                if name != "memory_limit":
                    raise
                raise InputError(f"memory must be an amount such as '512MB', got {value!r}") from error
            self._settings[name] = value


_lock = Lock()
_idle: list[_Instance] = []
#: The instance of each connection that is lent now.
_lent: dict[int, _Instance] = {}


def _take(wanted: Mapping[str, Any]) -> _Instance:
    """Return an idle instance, or else a new one. Nobody else uses it until it is given back."""
    with _lock:
        instance = _idle.pop() if _idle else None
    instance = instance or _Instance()
    try:
        instance.configure(wanted)
    except BaseException:
        instance.root.close()
        raise
    return instance


def _give_back(instance: _Instance, *, is_reusable: bool) -> None:
    """Keep an instance that has nothing in it, or close it if it cannot be used again or there are enough."""
    import duckdb  # noqa: PLC0415  (see connect)

    if is_reusable:
        try:
            instance.root.execute(parsed(f"DETACH {NAME}"))
        except duckdb.Error:  # its user has moved to another database
            is_reusable = False
    with _lock:
        if is_reusable and len(_idle) < _MAX_IDLE:
            _idle.append(instance)
            return
    instance.root.close()


def _close() -> None:
    """Close the idle instances."""
    with _lock:
        idle, _idle[:] = _idle[:], []
    for instance in idle:
        instance.root.close()


atexit.register(_close)
if hasattr(os, "register_at_fork"):
    # The threads of an instance do not exist in a forked process, which would wait for them when it ends.
    os.register_at_fork(before=_close)
