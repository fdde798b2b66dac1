"""The run file: runs of one site, written in batches, each of which is a transaction."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from urlset import _core
from urlset._model.errors import InputError, UrlsetError
from urlset._model.instants import instant_of, micros_of
from urlset._runs.schema import COLUMNS, create
from urlset._util.duckdb import connect, first_line, interruptible, scalar
from urlset._util.tempdirs import temporary_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Verb = Literal["crawl", "audit"]
RunState = Literal["running", "complete", "planned", "bounded", "interrupted"]

#: SQL for whether a run is a crawl that follows all links, and not only those from what a plan says is due.
WHOLE_CRAWL: Final = "verb = 'crawl' AND (settings->>'$.plan') IS NULL"

#: How much DuckDB holds in memory.
_MEMORY: Final = "512MB"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a file: its row of the table `runs`."""

    run: int
    verb: Verb
    number: int
    site: str
    started: datetime
    ended: datetime | None
    state: RunState
    reason: str | None
    compared: str | None
    settings: Mapping[str, Any]
    version: str

    @property
    def is_by_plan(self) -> bool:
        """Whether it is a crawl of what a plan says is due, and not of the whole site."""
        return bool(self.settings.get("plan"))

    @property
    def name(self) -> str:
        """What people call it, such as `audit 2 of 2026-11-01`. The first audit is 1, whatever crawls there were."""
        return f"{self.verb} {self.number} of {self.started:%Y-%m-%d}"


class _ForgottenError(Exception):
    """Ends a rehearsal."""


class RunFile:
    """The runs of one site, in a file, or in a temporary one if there is no path.

    Rows are written by `insert` within `transaction`. A kill loses at most the transaction that was open.

    Args:
        path: The file, which is created if it does not exist; None for a temporary one.
        read_only: Whether it is only read, which several processes may do at once.
        memory: How much of it is held in memory.

    Raises:
        InputError: The file is something else, is in use, or does not exist and is only to be read.
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, *, read_only: bool = False, memory: str = _MEMORY
    ) -> None:
        self._resources = ExitStack()
        try:
            self._open(path, read_only=read_only, memory=memory)
        except BaseException:
            self._resources.close()
            raise

    def _open(self, path: str | os.PathLike[str] | None, *, read_only: bool, memory: str) -> None:
        import duckdb  # noqa: PLC0415  (it takes a moment, see connect)

        folder = self._resources.enter_context(temporary_folder())
        self.path = folder / "run.duckdb" if path is None else Path(path)
        if read_only and not self.path.is_file():
            raise InputError(f"{self.path} must be a file that a crawl or an audit has written")
        self._resources.enter_context(_reserved(self.path, read_only=read_only))
        try:
            settings = {"access_mode": "READ_ONLY"} if read_only else {}
            self.connection = connect(self.path, memory=memory, threads=2, spill=folder / "spill", **settings)
            self._resources.callback(self.connection.close)
            if read_only:
                _check(self.connection, self.path)
            else:
                self._prepare()
        except duckdb.IOException as error:
            if "lock" in str(error):
                raise InputError(f"another process works with {self.path}: wait for its end, or name another") from None
            raise InputError(f"{self.path} cannot be used as a run file: {first_line(error)}") from None
        except duckdb.Error as error:
            raise InputError(f"{self.path} cannot be used as a run file: {first_line(error)}") from None

    def _prepare(self) -> None:
        found = {name for (name,) in self.connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
        if found and not COLUMNS.keys() >= found:
            raise InputError(f"{self.path} has tables of another program: name a new file")
        with self.transaction():
            for table in COLUMNS:
                self.connection.execute(create(table))
        _check(self.connection, self.path)

    def begin(self, verb: Verb, site: str, *, settings: Mapping[str, Any], now: datetime, version: str) -> int:
        """Write down that a run begins, and return its number.

        Raises:
            InputError: The file is about another site.
        """
        others = self.connection.execute("SELECT DISTINCT site FROM runs WHERE site <> ?", [site]).fetchall()
        if others:
            raise InputError(f"{self.path} is about {others[0][0]}: name another file for {site}")
        with self.transaction():
            run = int(scalar(self.connection, "SELECT coalesce(max(run), 0) + 1 FROM runs"))
            row = {
                "run": run,
                "verb": verb,
                "number": int(scalar(self.connection, "SELECT count(*) + 1 FROM runs WHERE verb = ?", [verb])),
                "site": site,
                "started": now,
                "state": "running",
                "settings": json.dumps(settings, separators=(",", ":")),
                "version": version,
            }
            self.insert("runs", [row])
        return run

    def note(self, run: int, **facts: Any) -> None:
        """Add to the settings of a run what was known only once it had begun."""
        (settings,) = self.connection.execute("SELECT settings FROM runs WHERE run = ?", [run]).fetchall()[0]
        with self.transaction():
            self.connection.execute(
                "UPDATE runs SET settings = ? WHERE run = ?",
                [json.dumps(json.loads(settings) | facts, separators=(",", ":")), run],
            )

    def end(
        self, run: int, state: RunState, *, now: datetime, reason: str | None = None, compared: str | None = None
    ) -> None:
        """Write down how a run has ended, and which run it was compared with."""
        with self.transaction():
            self.connection.execute(
                "UPDATE runs SET state = ?, reason = ?, compared = ?, ended = make_timestamptz(?) WHERE run = ?",
                [state, reason, compared, micros_of(now), run],
            )

    def runs(self) -> list[Run]:
        """Return all runs, the first one first."""
        return runs_of(self.connection, "runs")

    def insert(self, table: str, rows: Sequence[dict[str, Any]]) -> None:
        """Insert rows into a table. A column that a row does not have is NULL, a datetime has a time zone."""
        self.insert_batch(f"INSERT INTO {table} FROM batch", _core.records(COLUMNS[table], rows))

    def insert_batch(self, statement: str, batch: _core.Batches) -> None:
        """Insert the rows of a batch by a statement that reads it by the name `batch`.

        They go from memory to memory: parameters would take ten times as long, and JSON twice.
        """
        if len(batch):
            self.connection.execute(statement)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all of what the block does, or nothing, whatever happens.

        Raises:
            UrlsetError: The file failed, such as a full disk.
        """
        import duckdb  # noqa: PLC0415

        self.connection.execute("BEGIN")
        try:
            with interruptible():
                yield
            self.connection.execute("COMMIT")
        except BaseException as error:
            with suppress(duckdb.Error):  # it may have been rolled back already
                self.connection.execute("ROLLBACK")
            if isinstance(error, duckdb.Error):
                raise UrlsetError(f"the run file {self.path} failed: {first_line(error)}") from error
            raise

    @contextmanager
    def rehearsal(self) -> Iterator[None]:
        """Forget all of what the block does to the tables, also to temporary ones.

        Raises:
            UrlsetError: The file failed, such as a full disk.
        """
        with suppress(_ForgottenError), self.transaction():
            yield
            raise _ForgottenError

    def close(self) -> None:
        """Close the file, and remove it if it is temporary."""
        self._resources.close()

    def __enter__(self) -> RunFile:
        """Return the file, which is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def runs_of(connection: DuckDBPyConnection, table: str) -> list[Run]:
    """Return all runs of a table `runs`, the first one first."""
    rows = connection.execute(
        "SELECT run, verb, number, site, epoch_us(started), epoch_us(ended), state, reason, compared, settings, version"
        f" FROM {table} ORDER BY run"
    ).fetchall()
    return [
        Run(
            run=run,
            verb=verb,
            number=number,
            site=site,
            started=instant_of(started),
            ended=None if ended is None else instant_of(ended),
            state=state,
            reason=reason,
            compared=compared,
            settings=json.loads(settings),
            version=version,
        )
        for run, verb, number, site, started, ended, state, reason, compared, settings, version in rows
    ]


def _check(connection: DuckDBPyConnection, path: Path) -> None:
    """Raise InputError for a file without the tables of a run file, or with those of another version.

    Whoever made the file may be a stranger. A view or a macro is a query of theirs, which could read any file of this
    machine, so a file that has one is not used.
    """
    queries = scalar(
        connection,
        "SELECT (SELECT count(*) FROM duckdb_views() WHERE NOT internal)"
        " + (SELECT count(*) FROM duckdb_functions() WHERE NOT internal)",
    )
    if queries:
        raise InputError(f"{path} has views or macros, which no run file of urlset has: do not use it")
    found = connection.execute("SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal").fetchall()
    known: dict[str, set[str]] = {}
    for table, column in found:
        known.setdefault(table, set()).add(column)
    if {name: set(columns) for name, columns in COLUMNS.items()} != known:
        raise InputError(f"{path} is not a run file of this version of urlset: name a new file")


#: The files that this process writes to: DuckDB keeps other processes away, but not this one.
_open: set[Path] = set()


@contextmanager
def _reserved(path: Path, *, read_only: bool) -> Iterator[None]:
    """Keep others in this process from a file that one of them writes to.

    Raises:
        InputError: It is in use.
    """
    absolute = path.absolute()
    if absolute in _open:
        raise InputError(f"{path} is in use: close its crawl or audit first")
    if not read_only:
        _open.add(absolute)
    try:
        yield
    finally:
        if not read_only:
            _open.discard(absolute)
