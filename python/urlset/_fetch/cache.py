"""The cache: what servers sent before, in one SQLite file, so that they can answer that nothing has changed.

A document is kept as it was received, compressed or not, with its validators. One without a validator cannot be asked
for conditionally: only its hash is kept, which tells whether it has changed, unless its body is wanted too. Two runs
can use the file at once: each document is written in one transaction.

    documents  what was received last from each URL: its validators, the hash of its body and the body itself, and what
               the index that led to it said of it
    history    each body that a URL had, and each lastmod that an index stated for it, since when. `is_wrong` marks a
               body that changed although its lastmod in the index did not

Source: RFC 9111, 4.3, validation; RFC 9110, 13, conditional requests.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from urlset import _core
from urlset._fetch.answers import is_sendable
from urlset._model.errors import FetchError, InputError
from urlset._model.instants import instant_of

#: Marks a file as a cache of urlset, and the form that its tables have.
_APPLICATION, _VERSION = 0x75726C73, 2
#: Bytes of the largest document that is kept, and of all of them. Those that were not used for longest go first.
MAX_EACH, MAX_IN_ALL = 64 << 20, 4 << 30
#: Seconds to wait for another run that is writing.
_WAIT = 30

_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS documents (
        url TEXT PRIMARY KEY,
        etag TEXT,
        last_modified TEXT,
        content_type TEXT,
        content_encoding TEXT,
        sha256 TEXT NOT NULL,
        size INTEGER NOT NULL,
        index_url TEXT,
        lastmod TEXT,
        asked TEXT NOT NULL,
        used TEXT NOT NULL,
        body BLOB
    ) STRICT
    """,
    "CREATE INDEX IF NOT EXISTS documents_by_index ON documents (index_url, asked) WHERE index_url IS NOT NULL",
    """
    CREATE TABLE IF NOT EXISTS history (
        url TEXT NOT NULL,
        seen TEXT NOT NULL,
        index_url TEXT,
        lastmod TEXT,
        sha256 TEXT NOT NULL,
        is_wrong INTEGER NOT NULL
    ) STRICT
    """,
    "CREATE INDEX IF NOT EXISTS history_by_url ON history (url)",
    "CREATE INDEX IF NOT EXISTS history_of_wrong ON history (index_url) WHERE is_wrong",
)
#: How long after its beginning a lastmod can still stand for a later change, by the length of its text. One without a
#: time has no zone either, so that it ends up to twelve hours later somewhere.
_LASTS: Final = {4: timedelta(days=367), 7: timedelta(days=32), 10: timedelta(hours=36)}
_MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class IndexClaim:
    """What led to a document: the URL of an index, and the lastmod that it states for the document, as written."""

    index: str
    lastmod: str | None


@dataclass(frozen=True, slots=True)
class Cached:
    """A document that was received before, without its body. `validators` are the headers of a conditional request.

    `asked` is when its server was last asked for it, and `listed` what led to it then.
    """

    url: str
    content_type: str | None
    content_encoding: str | None
    sha256: str
    size: int
    validators: dict[str, str]
    listed: IndexClaim | None
    asked: datetime

    def is_settled(self, listed: IndexClaim | None) -> bool:
        """Return whether an index still states the lastmod under which the document was received.

        A lastmod that was not over by then, such as the date of that day, could stand for a later change too.
        """
        if listed is None or self.listed != listed or listed.lastmod is None:
            return False
        micros = _core.lastmod_micros(listed.lastmod)
        if micros is None:
            return False
        lasts = _LASTS.get(len(listed.lastmod), _MINUTE)
        try:
            return instant_of(micros) + lasts <= self.asked
        except OverflowError:  # the year 9999
            return False


@dataclass(frozen=True, slots=True)
class Received:
    """What came with a document: the name that the cache has for it, its headers, and what led to it."""

    url: str
    etag: str | None
    last_modified: str | None
    content_type: str | None
    content_encoding: str | None
    listed: IndexClaim | None


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
        #: Bytes of all bodies in the file, as far as this run knows.
        self._held: int | None = None
        try:
            self._connection = opened(self._path)
        except sqlite3.Error as error:
            raise InputError(f"{self._path} cannot be used as a cache: {error}") from None

    def find(self, url: str) -> Cached | None:
        """Return what is known of a document. It is called by its URL, or by more where that is not enough."""
        query = (
            "SELECT etag, last_modified, content_type, content_encoding, sha256, size, index_url, lastmod, asked,"
            " body IS NOT NULL FROM documents WHERE url = ?"
        )
        with self._used() as connection:
            row = connection.execute(query, [url]).fetchone()
        if row is None:
            return None
        etag, last_modified, content_type, content_encoding, sha256, size, index, lastmod, asked, has_body = row
        validators = {"If-None-Match": etag, "If-Modified-Since": last_modified} if has_body else {}
        # A file of an older version may have some that cannot be sent.
        named = {name: value for name, value in validators.items() if value and is_sendable(value)}
        listed = None if index is None else IndexClaim(index, lastmod)
        moment = datetime.fromisoformat(asked)
        return Cached(url, content_type, content_encoding, sha256, size, named, listed, moment)

    def body(self, cached: Cached) -> bytes | None:
        """Return the body of a document; None if it is not there any more, or not the one that was received."""
        with self._used() as connection:
            row = connection.execute("SELECT body FROM documents WHERE url = ?", [cached.url]).fetchone()
            connection.execute("UPDATE documents SET used = ? WHERE url = ?", [_now(), cached.url])
        if row is None or row[0] is None or hashlib.sha256(row[0]).hexdigest() != cached.sha256:
            return None
        return bytes(row[0])

    def confirm(self, cached: Cached, listed: IndexClaim | None) -> None:
        """Take note that a server was asked for a document, and said that it has not changed.

        What an index said of it before stays, if nothing is said now.
        """
        listed = cached.listed if listed is None or listed.lastmod is None else listed
        with self._writing() as connection:
            self._remember(connection, cached.url, cached.sha256, listed, is_wrong=False)
            connection.execute(
                "UPDATE documents SET asked = ?, index_url = ?, lastmod = ? WHERE url = ?",
                [_now(), *_columns(listed), cached.url],
            )

    def store(self, received: Received, body: bytes, *, sha256: str, keeps_body: bool) -> None:
        """Keep a document in place of what was known of its URL; without its body, only its hash."""
        now, before, listed = _now(), self.find(received.url), received.listed
        is_changed = before is not None and before.sha256 != sha256
        is_wrong = before is not None and is_changed and before.is_settled(listed)
        if before is not None and not is_changed and (listed is None or listed.lastmod is None):
            listed = before.listed
        packed = (received.content_type, received.content_encoding)
        facts = (received.url, received.etag, received.last_modified, *packed, sha256, len(body))
        row = (*facts, *_columns(listed), now, now, body if keeps_body else None)
        with self._writing() as connection:
            self._remember(connection, received.url, sha256, listed, is_wrong=is_wrong)
            connection.execute("REPLACE INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            if keeps_body:
                self._make_room(connection, len(body))

    def is_proven_wrong(self, index: str) -> bool:
        """Return whether a document has changed although its lastmod in an index had not."""
        query = "SELECT 1 FROM history WHERE index_url = ? AND is_wrong LIMIT 1"
        with self._used() as connection:
            return connection.execute(query, [index]).fetchone() is not None

    def not_asked_for_longest(self, index: str, share: float) -> list[str]:
        """Return a share of the documents to which an index led, at least one: those that it is time to ask for."""
        with self._used() as connection:
            of_index = "FROM documents WHERE index_url = ?"
            count = connection.execute(f"SELECT count(*) {of_index}", [index]).fetchone()[0]
            query = f"SELECT url {of_index} ORDER BY asked, url LIMIT ?"
            return [url for (url,) in connection.execute(query, [index, max(1, round(count * share))])]

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _remember(
        self, connection: sqlite3.Connection, url: str, sha256: str, listed: IndexClaim | None, *, is_wrong: bool
    ) -> None:
        """Add to the history of a URL what is new."""
        last = "SELECT sha256, index_url, lastmod FROM history WHERE url = ? ORDER BY rowid DESC LIMIT 1"
        row = (sha256, *_columns(listed))
        if connection.execute(last, [url]).fetchone() != row:
            values = [url, _now(), *_columns(listed), sha256, int(is_wrong)]
            connection.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?)", values)

    def _make_room(self, connection: sqlite3.Connection, added: int) -> None:
        """Remove bodies until the rest fits. What is known of them stays."""
        if self._held is None:
            self._held = _held(connection)
        else:
            self._held += added
        if self._held <= MAX_IN_ALL:
            return
        self._held = _held(connection)  # what was replaced, and what other runs did
        oldest = "SELECT url, size FROM documents WHERE body IS NOT NULL ORDER BY used"
        for url, size in connection.execute(oldest).fetchall():
            if self._held <= MAX_IN_ALL:
                return
            connection.execute("UPDATE documents SET body = NULL WHERE url = ?", [url])
            self._held -= size

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._used() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _used(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._lock:
                yield self._connection
        except sqlite3.Error as error:
            raise FetchError(f"the cache {self._path} failed: {error}; remove it, or continue without it") from None


def opened(path: str) -> sqlite3.Connection:
    """Open a cache file. If it does not exist, it is made, and nobody but its owner can read it.

    Raises:
        InputError: It is a database of something else, or of another version.
        sqlite3.Error: It is not a database, or cannot be written.
    """
    # What was fetched with a secret is in it. The files that SQLite puts beside it have its mode.
    with suppress(OSError):  # SQLite says what is wrong
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
    try:
        _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: str) -> None:
    """Make a file a cache, if it is empty."""
    if not _is_cache(connection, path):
        # Another run may be doing the same.
        connection.execute("BEGIN IMMEDIATE")
        try:
            if not _is_cache(connection, path):
                connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                connection.execute(f"PRAGMA user_version = {_VERSION}")
                for table in _TABLES:
                    connection.execute(table)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
    _use_wal(connection)
    connection.execute("PRAGMA synchronous = NORMAL")


def _is_cache(connection: sqlite3.Connection, path: str) -> bool:
    """Return whether a database is a cache, and not an empty one.

    Raises:
        InputError: It is something else.
    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application == _APPLICATION:
        if version != _VERSION:
            raise InputError(f"{path} is the cache of another version of urlset: remove it, or name another file")
        return True
    # Read last: another run may have filled it in the meantime, in one transaction.
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] and connection.in_transaction:
        raise InputError(f"{path} is a database of something else: name another file for the cache")
    return False


def _use_wal(connection: sqlite3.Connection) -> None:
    """Let others read while one writes. SQLite does not wait for this by itself while others open the same file."""
    end = time.monotonic() + _WAIT
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _columns(listed: IndexClaim | None) -> tuple[str | None, str | None]:
    return (None, None) if listed is None else (listed.index, listed.lastmod)


def _held(connection: sqlite3.Connection) -> int:
    query = "SELECT coalesce(sum(size), 0) FROM documents WHERE body IS NOT NULL"
    return int(connection.execute(query).fetchone()[0])
