"""The rows of one query, from SQLite or PostgreSQL. Nothing is written to the database.

How types are read:

    SQLite       Each value has its own type, and is read as None, int, float, str or bytes.
                 datetime() does not return what a sitemap needs: use strftime('%Y-%m-%dT%H:%M:%SZ', updated_at), and
                 add 'unixepoch' for a number of seconds. Cast a blob: CAST(loc AS TEXT).
    PostgreSQL   text, varchar, an enum, or a domain of these: text. char(n): text padded with blanks: use rtrim().
                 date: a day. timestamptz: an instant in UTC, whatever the time zone of the session.
                 timestamp: a time without a zone, which is refused: use updated_at AT TIME ZONE 'UTC'.
                 smallint, integer, bigint, real, double precision: numbers. numeric: its text.
                 json and jsonb: their text. text[]: a list of texts. An array of a composite type: a list of structs.
                 An array of untyped row() values: an error; give it a type.
                 citext, xml, bytea, inet and other types without an Arrow type: bytes; cast them: slug::text.
                 infinity: a day in the far future, which is refused.

SQLite is read with the standard library, not with ADBC: two copies of SQLite in one process cancel each other's locks,
and whoever publishes may well have the same file open. Source: sqlite.org, "How to corrupt a database file".
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
from urlset.sources._database_url import PostgreSQLServer, SQLiteFile, parse_url
from urlset.sources._sql import single_query

if TYPE_CHECKING:
    from adbc_driver_manager import ArrowArrayStreamHandle, ArrowSchemaHandle

T = TypeVar("T")

#: Seconds for which SQLite waits while another connection writes.
_BUSY = 5.0
#: Approximate bytes of a batch from PostgreSQL; the driver's default of 16 MiB is not faster.
_BATCH_BYTES = 4 << 20

_ONCE = "the rows of a query can be read only once, inside its `with` block"
# What ADBC puts before and after the database's message, and the line in which PostgreSQL points into the query.
_BEFORE = re.compile(
    r"(?:[A-Z_]+: )?(?:\[libpq\] )?"
    r"(?:(?:Failed to (?:connect|(?:prepare|execute) query(?: '.*')?)|could not begin COPY): )*"
    r"(?:Execution error \[\w+\]: )?",
    re.DOTALL,
)
_AFTER = re.compile(r"\s*(?:\nQuery was: .*|\. (?:SQLSTATE|Vendor code): \w+)*\Z", re.DOTALL)
_POINTER = re.compile(r"\n[^\n]*\n[ \t]*\^[ \t]*(?=\n|\Z)")
# What our Arrow reader and that of DuckDB put before an error of the stream.
_STREAM_ERROR = re.compile(
    r"(?:Producer error|reading the (?:Arrow source|stream of the Python object '[^']*') failed): "
)


class SQLiteRows:
    """Rows of SQLite as dicts. They can be read once, inside their `with` block.

    Attributes:
        columns: The names of the columns, in order.
    """

    def __init__(self, columns: tuple[str, ...], rows: Iterator[dict[str, object]]) -> None:
        self.columns = columns
        self._rows: Iterator[dict[str, object]] | None = rows

    def __iter__(self) -> Iterator[dict[str, object]]:
        """Iterate the rows, once."""
        rows = self._rows
        if rows is None:
            raise InputError(_ONCE)
        self._rows = None
        return rows

    def _end(self) -> None:
        self._rows = None


class PostgreSQLRows:
    """Rows of PostgreSQL as an Arrow stream in batches of about 4 MiB. It can be read once, inside its `with` block.

    Attributes:
        columns: The names of the columns, in order.
    """

    def __init__(self, columns: tuple[str, ...], stream: ArrowArrayStreamHandle) -> None:
        self.columns = columns
        self._stream: ArrowArrayStreamHandle | None = stream

    def __arrow_c_schema__(self) -> object:
        """Hand out the schema of the rows."""
        return self._unread_stream().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the rows as an Arrow stream, once."""
        # The protocol lets a producer ignore the request: the consumer casts.
        stream = self._unread_stream()
        self._stream = None
        return stream.__arrow_c_stream__(None)

    def _unread_stream(self) -> ArrowArrayStreamHandle:
        if self._stream is None:
            raise InputError(_ONCE)
        return self._stream

    def _end(self) -> None:
        if self._stream is not None:
            self._stream.release()
            self._stream = None


@contextmanager
def query(url: str, sql: str) -> Iterator[SQLiteRows | PostgreSQLRows]:
    """Run one query and yield its rows. The connection is closed at the end of the `with` block.

    The docstring of this module says how types are read.

    Args:
        url: `sqlite:///file.db`, `sqlite:////absolute/file.db`, or `postgresql://user:password@host:port/name?…` with
            the parameters of libpq. What the URL leaves out, libpq takes from its usual places, such as ~/.pgpass.
        sql: A single SELECT, WITH, VALUES or TABLE statement.

    Yields:
        The rows as dicts from SQLite, or as an Arrow stream from PostgreSQL. They can be read once.

    Raises:
        InputError: The URL or the query cannot be used, or the database cannot be reached or refuses the query, with
            its own message. An error while the rows are read is raised from inside the block.

    Example:
        >>> import sqlite3
        >>> shop = sqlite3.connect("shop.db")
        >>> _ = shop.execute("CREATE TABLE pages AS SELECT '/tea' AS slug")
        >>> shop.close()
        >>> from urlset.sources import database
        >>> with database.query("sqlite:///shop.db", "SELECT 'https://shop.example' || slug AS loc FROM pages") as rows:
        ...     print(list(rows))
        [{'loc': 'https://shop.example/tea'}]
    """
    statement = single_query(sql)
    database = parse_url(url)
    run = _sqlite(database, statement) if isinstance(database, SQLiteFile) else _postgres(database, statement)
    with run as rows:
        try:
            yield rows
        finally:
            rows._end()


@contextmanager
def _sqlite(file: SQLiteFile, sql: str) -> Iterator[SQLiteRows]:
    def refuse(what: str, error: Exception) -> InputError:
        return InputError(f"{file.shown} {what}: {file.quote(str(error))}")

    uri = f"{file.path.as_uri()}?mode=ro"
    try:
        connection = sqlite3.connect(uri, timeout=_BUSY, uri=True, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise refuse("cannot be opened", error) from None
    # An open cursor keeps the file open even when its connection is closed.
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

        yield SQLiteRows(columns, rows())


@contextmanager
def _postgres(server: PostgreSQLServer, sql: str) -> Iterator[PostgreSQLRows]:
    """Run the query in a read-only transaction. A setting of the session could be lost in a connection pooler."""
    try:
        import adbc_driver_manager as manager  # noqa: PLC0415  (an extra)

        driver = import_module("adbc_driver_postgresql")  # it ships no type hints
    except ImportError:
        raise InputError("PostgreSQL needs the extra: pip install 'urlset[postgresql]'") from None

    def run(failure: str, action: Callable[[], T]) -> T:
        try:
            return action()
        except manager.Error as error:
            message = str(error)
        # Raised here, so that the driver's error is not chained to it: that may contain the password.
        raise _refusal(server, failure, message)

    with ExitStack() as opened:
        database = opened.enter_context(run("cannot be reached", lambda: driver.connect(server.uri)))
        connection = opened.enter_context(run("cannot be reached", lambda: manager.AdbcConnection(database)))
        run("refuses a transaction", lambda: connection.set_autocommit(False))
        statement = opened.enter_context(manager.AdbcStatement(connection))
        statement.set_sql_query("SET TRANSACTION READ ONLY")
        run("refuses a transaction", statement.execute_update)
        statement.set_options(**{driver.StatementOptions.BATCH_SIZE_HINT_BYTES.value: _BATCH_BYTES})
        statement.set_sql_query(sql)
        columns = _distinct(_names(run("refuses the query", statement.execute_schema)))
        stream, _ = run("refuses the query", statement.execute_query)
        try:
            yield PostgreSQLRows(columns, stream)
        except EntryError:
            raise
        except Exception as error:
            _, *messages = _STREAM_ERROR.split(str(error))
            if not messages:
                raise
            raise _refusal(server, "failed while its rows were read", messages[-1]) from None


def _refusal(server: PostgreSQLServer, failure: str, message: str) -> InputError:
    text = _POINTER.sub("", _AFTER.sub("", _BEFORE.sub("", message, count=1)))
    return InputError(f"{server.shown} {failure}: {server.quote(text)}")


class _Schema(ctypes.Structure):
    """The schema structure of the Arrow C data interface, which never changes. Source: Arrow C data interface."""


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
]


def _names(handle: ArrowSchemaHandle) -> list[str]:
    """Return the names of the columns of a schema, which Python can read in no other way without pyarrow."""
    schema = _Schema.from_address(handle.address)
    return [(schema.children[index].contents.name or b"").decode() for index in range(schema.n_children)]


def _distinct(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the names, and raise InputError for two that differ at most in case, which SQL ignores."""
    if not columns:
        raise InputError("the query returns no columns: it needs one that is loc, or is mapped to it")
    seen: set[str] = set()
    for name in columns:
        if name.lower() in seen:
            raise InputError(f"two columns of the query are named {escape_controls(name)}: rename one, with … AS other")
        seen.add(name.lower())
    return tuple(columns)
