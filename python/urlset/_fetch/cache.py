"""The cache: what servers sent before, in one SQLite file, so that they can answer that nothing has changed.

A document is kept as it was received, compressed or not, with its validators. Two runs can use the file at once: each
document is written in one transaction.

Source: RFC 9111, 4.3, validation; RFC 9110, 13, conditional requests.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from urlset._model.errors import FetchError, InputError

#: Marks a file as a cache of urlset, and the form that its table has.
_APPLICATION, _VERSION = 0x75726C73, 1
#: Bytes of the largest document that is kept, and of all of them. Those that were not used for longest go first.
MOST_EACH, MOST_IN_ALL = 64 << 20, 4 << 30
#: Seconds to wait for another run that is writing.
_WAIT = 30

_TABLE = """
    CREATE TABLE IF NOT EXISTS documents (
        url TEXT PRIMARY KEY,
        etag TEXT,
        last_modified TEXT,
        content_type TEXT,
        content_encoding TEXT,
        sha256 TEXT NOT NULL,
        size INTEGER NOT NULL,
        body BLOB NOT NULL,
        stored TEXT NOT NULL,
        used TEXT NOT NULL
    ) STRICT
"""


@dataclass(frozen=True, slots=True)
class Cached:
    """A document that was received before, without its body. `validators` are the headers of a conditional request."""

    url: str
    content_type: str | None
    content_encoding: str | None
    sha256: str
    validators: dict[str, str]


class Cache:
    """The documents in a cache file, which is created if it does not exist. Several threads may use it.

    Args:
        path: The file.

    Raises:
        InputError: The file is something else, or cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._lock = threading.Lock()
        try:
            self._connection = sqlite3.connect(self._path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
            self._prepare()
        except sqlite3.Error as error:
            raise InputError(f"{self._path} cannot be used as a cache: {error}") from None

    def find(self, url: str) -> Cached | None:
        """Return what is known of a document. It is called by its URL, or by more where that is not enough."""
        query = "SELECT etag, last_modified, content_type, content_encoding, sha256 FROM documents WHERE url = ?"
        with self._used() as connection:
            row = connection.execute(query, [url]).fetchone()
        if row is None:
            return None
        etag, last_modified, content_type, content_encoding, sha256 = row
        validators = {"If-None-Match": etag, "If-Modified-Since": last_modified}
        named = {name: value for name, value in validators.items() if value}
        return Cached(url, content_type, content_encoding, sha256, named)

    def body(self, cached: Cached) -> bytes | None:
        """Return the body of a document; None if it is not there any more, or not the one that was received."""
        with self._used() as connection:
            row = connection.execute("SELECT body FROM documents WHERE url = ?", [cached.url]).fetchone()
            now = datetime.now(UTC).isoformat()
            connection.execute("UPDATE documents SET used = ? WHERE url = ?", [now, cached.url])
        if row is None or hashlib.sha256(row[0]).hexdigest() != cached.sha256:
            return None
        return bytes(row[0])

    def store(
        self,
        url: str,
        body: bytes,
        *,
        etag: str | None,
        last_modified: str | None,
        content_type: str | None,
        content_encoding: str | None,
    ) -> None:
        """Keep a document in place of what was known of its URL."""
        now = datetime.now(UTC).isoformat()
        sha256 = hashlib.sha256(body).hexdigest()
        row = (url, etag, last_modified, content_type, content_encoding, sha256, len(body), body, now, now)
        with self._used() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.execute("REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
                self._make_room(connection)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _prepare(self) -> None:
        connection = self._connection
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if application != _APPLICATION and tables:
            raise InputError(f"{self._path} is a database of something else: name another file for the cache")
        if application == _APPLICATION and version != _VERSION:
            raise InputError(f"{self._path} is the cache of another version of urlset: remove it, or name another file")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {_VERSION}")
        connection.execute(_TABLE)

    def _make_room(self, connection: sqlite3.Connection) -> None:
        size = connection.execute("SELECT coalesce(sum(size), 0) FROM documents").fetchone()[0]
        for url, each in connection.execute("SELECT url, size FROM documents ORDER BY used").fetchall():
            if size <= MOST_IN_ALL:
                return
            connection.execute("DELETE FROM documents WHERE url = ?", [url])
            size -= each

    @contextmanager
    def _used(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._lock:
                yield self._connection
        except sqlite3.Error as error:
            raise FetchError(f"the cache {self._path} failed: {error}; remove it, or go on without it") from None
