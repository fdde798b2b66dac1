"""Rows of a database: one query's, as they come, from SQLite or PostgreSQL. Nothing is written there.

What comes of the types:

    SQLite       a column has no type but each value its own, so each comes as what it is: None, int, float, str, bytes.
                 SQLite's datetime() is not what a sitemap writes: strftime('%Y-%m-%dT%H:%M:%SZ', updated_at), and with
                 'unixepoch' behind it for a number of seconds. A blob has to be cast: CAST(loc AS TEXT).
    PostgreSQL   text, varchar, an enum, a domain of these: text. char(n): text with its blanks, so rtrim() it.
                 date: a day. timestamptz: an instant in UTC, whatever the session's zone.
                 timestamp: a time without a zone, which is refused: updated_at AT TIME ZONE 'UTC'.
                 smallint, integer, bigint, real, double precision: numbers. numeric: its text.
                 json and jsonb: their text. text[]: a list of texts. An array of a composite type: a list of structs;
                 of a row() without a type: an error, so give it one.
                 citext, xml, bytea, inet and what else has no type in Arrow: bytes, so cast it: slug::text.
                 infinity: a day far off, which is refused.

SQLite goes through the standard library and not through ADBC. Two copies of SQLite in one process cancel each other's
locks, and whoever publishes may well have the same file open; source: sqlite.org, "How to corrupt a database file".
"""

from __future__ import annotations

import ctypes
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from urlset._model.errors import EntryError, InputError
from urlset._util.text import escape_controls
from urlset.sources._address import File, Server, parse
from urlset.sources._sql import one_query

if TYPE_CHECKING:
    from adbc_driver_manager import ArrowArrayStreamHandle, ArrowSchemaHandle

T = TypeVar("T")

#: Seconds that SQLite waits for whoever is writing.
_BUSY = 5.0
#: Bytes of a batch of PostgreSQL, about; the driver's own 16 MiB are no faster.
_BATCH_BYTES = 4 << 20

_ONCE = "the rows of a query can be taken once, and within its block"
# What ADBC puts before and behind what a database says, and where in a query PostgreSQL points.
_BEFORE = re.compile(
    r"(?:[A-Z_]+: )?(?:\[libpq\] )?"
    r"(?:(?:Failed to (?:connect|(?:prepare|execute) query(?: '.*')?)|could not begin COPY): )*"
    r"(?:Execution error \[\w+\]: )?",
    re.DOTALL,
)
_BEHIND = re.compile(r"\s*(?:\nQuery was: .*|\. (?:SQLSTATE|Vendor code): \w+)*\Z", re.DOTALL)
_PLACE = re.compile(r"\n[^\n]*\n[ \t]*\^[ \t]*(?=\n|\Z)")
# What a reader of Arrow, ours or DuckDB's, puts before what a stream says.
_MIDWAY = re.compile(r"(?:Producer error|reading the (?:Arrow source|stream of the Python object '[^']*') failed): ")


class Records:
    """Rows of SQLite as dicts, to be taken once and within their block. `columns` are the names, in order."""

    def __init__(self, columns: tuple[str, ...], rows: Iterator[dict[str, object]]) -> None:
        self.columns = columns
        self._rows: Iterator[dict[str, object]] | None = rows

    def __iter__(self) -> Iterator[dict[str, object]]:
        rows = self._rows
        if rows is None:
            raise InputError(_ONCE)
        self._rows = None
        return rows

    def _end(self) -> None:
        self._rows = None


class Table:
    """Rows of PostgreSQL as a stream of Arrow, to be taken once and within their block.

    `columns` are the names, in order. A batch is about 4 MiB.
    """

    def __init__(self, columns: tuple[str, ...], stream: ArrowArrayStreamHandle) -> None:
        self.columns = columns
        self._stream: ArrowArrayStreamHandle | None = stream

    def __arrow_c_schema__(self) -> object:
        return self._untaken().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        # The protocol lets a producer ignore the request: the consumer casts.
        stream = self._untaken()
        self._stream = None
        return stream.__arrow_c_stream__(None)

    def _untaken(self) -> ArrowArrayStreamHandle:
        if self._stream is None:
            raise InputError(_ONCE)
        return self._stream

    def _end(self) -> None:
        if self._stream is not None:
            self._stream.release()
            self._stream = None


@contextmanager
def query(url: str, sql: str) -> Iterator[Records | Table]:
    """The rows of one query, for as long as the block lasts; with it the connection is closed, read to the end or not.

    `url` is `sqlite:///file.db` (`sqlite:////absolute/file.db`) or `postgresql://user:password@host:port/name?…` with
    the parameters that libpq knows. What that leaves out libpq takes from where it always does, as a password from
    ~/.pgpass. `sql` is one SELECT, WITH, VALUES or TABLE. This module says which types come as what.

    Raises InputError for a URL or a query that cannot be used, for a database that cannot be reached, and with the
    database's own words for what it refuses; also from inside the block, for what only shows while the rows are read.
    """
    statement = one_query(sql)
    database = parse(url)
    run = _sqlite(database, statement) if isinstance(database, File) else _postgres(database, statement)
    with run as rows:
        try:
            yield rows
        finally:
            rows._end()


@contextmanager
def _sqlite(file: File, sql: str) -> Iterator[Records]:
    def refuse(what: str, error: Exception) -> InputError:
        return InputError(f"{file.shown} {what}: {file.quote(str(error))}")

    uri = f"{file.path.as_uri()}?mode=ro"
    try:
        connection = sqlite3.connect(uri, timeout=_BUSY, uri=True, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise refuse("cannot be opened", error) from None
    # A cursor that is open keeps the file open behind a connection that is closed.
    with closing(connection), closing(connection.cursor()) as cursor:
        try:
            cursor.execute(sql)
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise refuse("refuses the query", error) from None
        columns = _distinct([name for name, *_ in cursor.description or ()])

        def rows() -> Iterator[dict[str, object]]:
            try:
                for row in cursor:
                    yield dict(zip(columns, row, strict=True))
            except sqlite3.Error as error:
                raise refuse("failed while its rows were read", error) from None

        yield Records(columns, rows())


@contextmanager
def _postgres(server: Server, sql: str) -> Iterator[Table]:
    """A transaction says itself that it is read-only: of a session's settings a pooler between may know nothing."""
    try:
        import adbc_driver_manager as manager  # noqa: PLC0415  (an extra)

        driver = import_module("adbc_driver_postgresql")  # which has no types
    except ImportError:
        raise InputError("PostgreSQL needs the extra: pip install 'urlset[postgresql]'") from None

    def ask(what: str, action: Callable[[], T]) -> T:
        try:
            return action()
        except manager.Error as error:
            said = str(error)
        # The driver's own error is let go of before: it may hold the password.
        raise _refusal(server, what, said)

    with ExitStack() as opened:
        database = opened.enter_context(ask("cannot be reached", lambda: driver.connect(server.uri)))
        connection = opened.enter_context(ask("cannot be reached", lambda: manager.AdbcConnection(database)))
        ask("cannot be asked", lambda: connection.set_autocommit(False))
        statement = opened.enter_context(manager.AdbcStatement(connection))
        statement.set_sql_query("SET TRANSACTION READ ONLY")
        ask("cannot be asked", statement.execute_update)
        statement.set_options(**{driver.StatementOptions.BATCH_SIZE_HINT_BYTES.value: _BATCH_BYTES})
        statement.set_sql_query(sql)
        columns = _distinct(_names(ask("refuses the query", statement.execute_schema)))
        stream, _ = ask("refuses the query", statement.execute_query)
        try:
            yield Table(columns, stream)
        except EntryError:
            raise
        except Exception as error:
            _, *said = _MIDWAY.split(str(error))
            if not said:
                raise
            raise _refusal(server, "failed while its rows were read", said[-1]) from None


def _refusal(server: Server, what: str, said: str) -> InputError:
    words = _PLACE.sub("", _BEHIND.sub("", _BEFORE.sub("", said, count=1)))
    return InputError(f"{server.shown} {what}: {server.quote(words)}")


class _Schema(ctypes.Structure):
    """Source: the Arrow C data interface, whose structures are fixed for good."""


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
]


def _names(handle: ArrowSchemaHandle) -> list[str]:
    """The columns of a schema, for which Python alone has no other way."""
    schema = _Schema.from_address(handle.address)
    return [(schema.children[index].contents.name or b"").decode() for index in range(schema.n_children)]


def _distinct(columns: Sequence[str]) -> tuple[str, ...]:
    """The names, no two of which may be one where case does not count, as it does not in SQL."""
    if not columns:
        raise InputError("the query has no columns: it needs one that is, or stands for, loc")
    seen: set[str] = set()
    for name in columns:
        if name.lower() in seen:
            raise InputError(
                f"two columns of the query are named {escape_controls(name)}: give one another name: … AS other"
            )
        seen.add(name.lower())
    return tuple(columns)
