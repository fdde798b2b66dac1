"""The entries of all documents as tables of a DuckDB database, which spills into a temporary folder.

`entries` has a row for every entry of a document that lists pages, `links` one for every alternate that leads to
another page, with its language if there is a single document. `document` is the index in the sequence of documents.
URLs are in their normal form, and `written` is their text where that differs. They are compared by their hashes first,
which are an eighth of the size; whatever a hash finds is compared as text before it is reported.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from urlset import _core
from urlset._lint.set.findings import SetDocument
from urlset._model.core_types import EntryRows
from urlset._util.cores import cores
from urlset._util.duckdb import insert_batches, insert_rows, interruptible, scalar
from urlset._util.instances import cursor_of, in_memory
from urlset._util.tempdirs import temporary_folder

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from duckdb import DuckDBPyConnection

#: How many rows are inserted at once, and how many batches at most: small documents share one statement.
ROWS: Final = 65_536
BATCHES: Final = 256
_TABLES: Final = {
    "documents": "document INTEGER, kind VARCHAR, modified BIGINT",
    "entries": (
        "document INTEGER, line UINTEGER, loc VARCHAR, hash UBIGINT, lastmod BIGINT, news BOOLEAN, written VARCHAR"
    ),
    "links": (
        "document INTEGER, line UINTEGER, hash UBIGINT, href VARCHAR, href_hash UBIGINT, written VARCHAR,"
        " language VARCHAR"
    ),
    # Of pages that link to themselves as translations: in which languages they are.
    "languages": "language VARCHAR",
    # The URLs of both tables that are not in their normal form.
    "forms": "written VARCHAR, normal VARCHAR",
}


class EntryColumns(NamedTuple):
    """What the enabled rules need of an entry."""

    locs: bool
    lastmods: bool
    links: bool

    @property
    def columns(self) -> list[str]:
        """The columns to read. The column `news` shows which entries are articles."""
        named = {"loc": self.locs or self.links, "lastmod": self.lastmods, "alternates": self.links}
        return ["document", "line", "news", *(name for name, wanted in named.items() if wanted)]


class EntryTables:
    """The tables of a set, which are filled while its documents are read.

    Rows are held until there are enough of them for a statement: a small set that needs no check has no database. A
    thread inserts them. Neither it nor the reader holds the interpreter, so that both work at once.

    Args:
        wanted: What the enabled rules need of an entry.
        memory: How much DuckDB may hold.
        threads: How many threads work on a query; as many as there are cores if None.
    """

    def __init__(self, wanted: EntryColumns, *, memory: str, threads: int | None) -> None:
        self._wanted = wanted
        self._memory = memory
        self._workers = threads or cores()
        self._held: list[_core.Batches] = []
        self._rows = 0
        #: The documents that have rows.
        self._numbers: set[int] = set()
        self._resources = ExitStack()
        self._connection: DuckDBPyConnection | None = None
        self._inserter: ThreadPoolExecutor | None = None
        self._pending: deque[Future[None]] = deque()

    def rows_of(self, document: int) -> EntryRows:
        """Return what the core hands the entries of a document to, which is checked next."""
        # As such the column `document` is the number of the document.
        return EntryRows(str(document), self._wanted.columns, partial(self._take, document))

    def _take(self, document: int, rows: _core.Batches) -> None:
        self._numbers.add(document)
        self._held.append(rows)
        self._rows += len(rows)
        if self._rows >= ROWS or len(self._held) >= BATCHES:
            self._flush()

    def _flush(self) -> None:
        """Have the rows that are held inserted. Waits only if the last ones but one are not inserted yet."""
        connection = self._open()
        held, self._held, self._rows = self._held, [], 0
        if not held:
            return
        # A document of one language alone has nothing to show; with several documents, nobody asks.
        has_languages = self._wanted.links and len(self._numbers) == 1
        if self._inserter is None:
            from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  (a single document seldom needs it)

            self._inserter = self._resources.enter_context(ThreadPoolExecutor(1))
        self._pending.append(self._inserter.submit(_insert, connection, held, self._wanted, has_languages))
        while len(self._pending) > 1:
            self._pending.popleft().result()

    def _open(self) -> DuckDBPyConnection:
        if self._connection is None:
            self._resources.enter_context(interruptible())
            folder = self._resources.enter_context(temporary_folder())
            # Findings are sorted at the end; keeping the order of the rows would be work for nothing.
            self._connection = self._resources.enter_context(
                in_memory(
                    memory=self._memory,
                    threads=self._workers,
                    spill=folder / "spilled",
                    preserve_insertion_order=False,
                )
            )
            for table, columns in _TABLES.items():
                self._connection.execute(f"CREATE TABLE {table} ({columns})")
        return self._connection

    def finished(self, documents: Sequence[SetDocument]) -> DuckDBPyConnection:
        """Return the database with the rows of all these documents, as far as they list pages."""
        with interruptible():
            connection = self._open()
            self._flush()
            while self._pending:
                self._pending.popleft().result()
            rows = [(at, document.kind, _micros(document.modified)) for at, document in enumerate(documents)]
            insert_rows(connection, "documents", rows)
            others = [number for number in self._numbers if not documents[number].has_pages]
            for table in ("entries", "links") if others else ():
                connection.execute(f"DELETE FROM {table} WHERE document IN (SELECT unnest(?))", [others])  # noqa: S608
            if self._wanted.locs:
                _normalize(connection)
        return connection

    def close(self) -> None:
        """Remove the database and what it spilled, whatever happened."""
        for job in self._pending:
            job.cancel()
        self._resources.close()


def _normalize(connection: DuckDBPyConnection) -> None:
    """Bring the URLs of both tables into their normal form, and keep how the others were written."""
    if not scalar(connection, "SELECT count(*) FROM forms"):
        return
    connection.execute("CREATE OR REPLACE TABLE forms AS SELECT DISTINCT written, normal FROM forms")
    connection.execute(
        "UPDATE entries SET loc = normal, hash = hash(normal), written = forms.written FROM forms"
        " WHERE entries.loc = forms.written"
    )
    connection.execute("UPDATE links SET hash = hash(normal) FROM forms WHERE links.hash = hash(forms.written)")
    connection.execute(
        "UPDATE links SET href = normal, href_hash = hash(normal), written = forms.written FROM forms"
        " WHERE links.href = forms.written"
    )
    # A link of a page to itself was taken for one to another page if it is written in another way than the loc.
    connection.execute(
        "INSERT INTO languages SELECT DISTINCT language FROM links WHERE hash = href_hash AND language <> 'x-default'"
    )
    connection.execute("DELETE FROM links WHERE hash = href_hash")


def _micros(seconds: float | None) -> int | None:
    return None if seconds is None else int(seconds * 1_000_000)


def _insert(
    connection: DuckDBPyConnection, held: list[_core.Batches], wanted: EntryColumns, has_languages: bool
) -> None:
    """Insert batches of entries into the tables."""
    loc = "loc" if wanted.locs else "NULL"
    hashed = "hash(loc)" if wanted.locs or wanted.links else "NULL"
    lastmod = "epoch_us(lastmod)" if wanted.lastmods else "NULL"
    entries = (
        f"INSERT INTO entries SELECT CAST(document AS INTEGER), line, {loc}, {hashed}, {lastmod}, news IS NOT NULL,"  # noqa: S608
        " NULL FROM rows"
    )
    forms = [found for batches in held if len(found := batches.normal_forms())] if wanted.locs else []
    # Which of the links lead to the page itself shows once all are in their normal form, if any is not.
    language = "lower(link.hreflang)" if has_languages and forms else "NULL"
    # A page in another language, or for another region: Google names rel and hreflang as what makes it one.
    links = f"""
        INSERT INTO links
        SELECT CAST(document AS INTEGER), line, hash(loc), link.href, hash(link.href), NULL, {language}
        FROM (SELECT document, line, loc, unnest(alternates) AS link FROM rows WHERE loc IS NOT NULL)
        WHERE link.href IS NOT NULL AND link.hreflang IS NOT NULL AND lower(link.rel) = 'alternate'
            AND link.href <> loc
    """  # noqa: S608
    languages = """
        INSERT INTO languages
        SELECT DISTINCT lower(link.hreflang) FROM (SELECT loc, unnest(alternates) AS link FROM rows)
        WHERE link.href = loc AND lower(link.rel) = 'alternate' AND lower(link.hreflang) <> 'x-default'
    """
    further = [links] * wanted.links + [languages] * has_languages
    with cursor_of(connection) as cursor:
        insert_batches(cursor, held, wanted.columns, entries, *further)
        for odd in forms:  # noqa: B007  (DuckDB finds it by its name)
            cursor.execute("INSERT INTO forms FROM odd")


def first_of(
    connection: DuckDBPyConnection, found: str, by: str, fold: int
) -> tuple[list[tuple[Any, ...]], dict[int, int]]:
    """Return the first `fold` rows of each document in a table of findings, and how many each document has.

    Rows of one line are ordered by the column `by`, so that the same findings are kept every time.
    """
    totals = connection.execute(f"SELECT document, count(*) FROM {found} GROUP BY document").fetchall()  # noqa: S608
    rows = connection.execute(
        f"FROM {found} QUALIFY row_number() OVER (PARTITION BY document ORDER BY line, {by}) <= {fold}"
    ).fetchall()
    return rows, dict(totals)
