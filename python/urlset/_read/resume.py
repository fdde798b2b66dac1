"""How far a scan is, in a small file, so that a later run goes on where this one ended.

A document is done once all its rows were handed out and its caller has said that they are safe (`checkpoint`). So
the rows of the documents that are done, and those of a later run, are all there are, and none is there twice.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from urlset._model.errors import InputError
from urlset._read.frontier import Frontier, Step
from urlset._read.source import Remote, Source, is_url
from urlset._read.stored import Stored

#: Marks a file as one of these, and the form that its tables have.
_APPLICATION, _VERSION = 0x75726C72, 1

#: Seconds to wait for another run that is writing.
_WAIT = 30
_TABLES = (
    "CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT) STRICT",
    """
    CREATE TABLE documents (
        key TEXT PRIMARY KEY,
        number INTEGER NOT NULL,
        state TEXT NOT NULL,
        via TEXT,
        depth INTEGER,
        unwanted TEXT,
        weight REAL NOT NULL,
        is_drawn INTEGER NOT NULL,
        rows INTEGER NOT NULL
    ) STRICT
    """,
)


class ResumeFile:
    """The state of a run in a file, which is created if it does not exist.

    Args:
        path: The file.
        run: What the run reads. A file that belongs to another run is refused.

    Raises:
        InputError: The file is something else, cannot be written, or belongs to another run.
    """

    def __init__(self, path: str | os.PathLike[str], run: Sequence[object]) -> None:
        self._path = Path(path)
        self._run = json.dumps(run, default=str)
        #: Counts the checkpoints of the file, so that two runs at the same time are noticed.
        self._checkpoints = 0
        self._settle()
        with self._opened() as connection:
            self._prepare(connection)

    @property
    def mark(self) -> str | None:
        """What the caller said with the last checkpoint."""
        with self._opened() as connection:
            return _value(connection, "mark")

    def restore(self, frontier: Frontier, roots: Sequence[Source]) -> None:
        """Put a new frontier where the last checkpoint left the run."""
        query = "SELECT key, state, via, depth, unwanted, weight, is_drawn, rows FROM documents ORDER BY number"
        named = {root.key: root for root in roots}
        with self._opened() as connection:
            self._checkpoints = int(_value(connection, "checkpoints") or 0)
            for key, state, via, depth, unwanted, weight, is_drawn, rows in connection.execute(query):
                source = named.get(key) or _source(key, via, depth, unwanted, weight, bool(is_drawn), roots)
                frontier.restore(Step(source, state, rows))

    def save(self, steps: Iterable[Step], mark: str | None) -> None:
        """Keep what has become of documents since the last checkpoint.

        Raises:
            InputError: Another run has used the file meanwhile, or it cannot be written.
        """
        with self._opened() as connection:
            self._write(connection, steps, mark)

    def save_with(self, output: Path, target: Path, steps: Iterable[Step]) -> None:
        """Put a finished output in its place together with this state: both, or neither, whenever the process dies.

        The state is written next to the file first, with the inode of the output. Whoever opens the file then can tell
        from it whether the output came to its place.

        Raises:
            InputError: Another run has used the file meanwhile, or it cannot be written.
        """
        with output.open("rb") as file:
            os.fsync(file.fileno())
        self._upcoming.unlink(missing_ok=True)
        with self._opened() as connection, self._opened(self._upcoming) as copy:
            connection.backup(copy)
            self._write(copy, steps, None)
            _put(copy, "output", json.dumps([str(target.absolute()), output.stat().st_ino]))
        output.replace(target)
        self._upcoming.replace(self._path)

    @property
    def _upcoming(self) -> Path:
        return self._path.with_name(f"{self._path.name}.next")

    def _settle(self) -> None:
        """End what a run that died has begun: its state counts if its output came to its place."""
        if not self._upcoming.exists():
            return
        try:
            with self._opened(self._upcoming) as connection:
                target, inode = json.loads(_value(connection, "output") or "")
            is_there = Path(target).stat().st_ino == inode
        except (InputError, OSError, ValueError):  # it was not written to its end, or there is no output
            is_there = False
        if is_there:
            self._upcoming.replace(self._path)
        else:
            self._upcoming.unlink()

    @contextmanager
    def _opened(self, path: Path | None = None) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(path or self._path, timeout=_WAIT, isolation_level=None)) as connection:
                yield connection
        except sqlite3.Error as error:
            raise InputError(f"{self._path} cannot be used to resume: {error}") from None

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        [application] = connection.execute("PRAGMA application_id").fetchone()
        [version] = connection.execute("PRAGMA user_version").fetchone()
        [tables] = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if tables and (application, version) != (_APPLICATION, _VERSION):
            raise InputError(f"{self._path} is not a file to resume from that this version of urlset wrote")
        if not tables:
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")
            for table in _TABLES:
                connection.execute(table)
            _put(connection, "run", self._run)
        connection.execute("COMMIT")
        if _value(connection, "run") != self._run:
            raise InputError(
                f"{self._path} belongs to a run over other sources, or with another filter: "
                "name another file, or delete it to begin again"
            )

    def _write(self, connection: sqlite3.Connection, steps: Iterable[Step], mark: str | None) -> None:
        """Write what has become of documents, in one transaction."""
        connection.execute("BEGIN IMMEDIATE")
        if int(_value(connection, "checkpoints") or 0) != self._checkpoints:
            raise InputError(f"{self._path} was used by another run meanwhile: each run needs a file of its own")
        [number] = connection.execute("SELECT coalesce(max(number), 0) FROM documents").fetchone()
        for step in steps:
            number += 1
            source = step.source
            remote = source.opened if isinstance(source.opened, Remote) else Remote("")
            values = (source.key, number, step.state, remote.via, remote.depth, source.unwanted)
            connection.execute(
                "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [*values, source.weight, source.is_drawn, step.rows],
            )
        _put(connection, "mark", mark)
        _put(connection, "checkpoints", str(self._checkpoints + 1))
        connection.execute("COMMIT")
        self._checkpoints += 1


def _value(connection: sqlite3.Connection, name: str) -> str | None:
    row = connection.execute("SELECT value FROM run WHERE name = ?", [name]).fetchone()
    return None if row is None else row[0]


def _put(connection: sqlite3.Connection, name: str, value: str | None) -> None:
    connection.execute("INSERT OR REPLACE INTO run VALUES (?, ?)", [name, value])


def _source(
    key: str, via: str, depth: int, unwanted: str | None, weight: float, is_drawn: bool, roots: Sequence[Source]
) -> Source:
    """Return the document that has a key."""
    opened: str | Remote | Stored = key
    if is_url(key):
        opened = Remote(key, via, depth)
    for root in roots:
        folder = root.opened.url.removesuffix(root.opened.name) if isinstance(root.opened, Stored) else None
        if folder is not None and key.startswith(folder) and isinstance(root.opened, Stored):
            opened = root.opened.sibling(key.removeprefix(folder), root.opened.url)
    return Source(key, opened, unwanted, weight, is_drawn)
