"""The entries of all documents as tables of a DuckDB database, which spills into a temporary folder.

`entries` has a row for every entry of a document that lists pages, `links` one for every alternate that leads to
another page. `document` is the index in the sequence of documents. URLs are in their normal form, and `written` is
their text where that differs. They are compared by their hashes first, which are an eighth of the size; whatever a hash
finds is compared as text before it is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from urlset import _core
from urlset._lint.set.findings import SetDocument
from urlset._model.errors import FetchError
from urlset._model.limits import USUAL, Budget
from urlset._read.scan import Scan, ScanOptions
from urlset._read.source import Source
from urlset._util.cores import cores
from urlset._util.duckdb import insert_batches, insert_rows, interruptible
from urlset._util.identity import make_normal_forms
from urlset._util.instances import cursor_of, in_memory
from urlset._util.tempdirs import temporary_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: How many rows are inserted at once: small documents share one statement, a large one takes several.
ROWS = 65_536
#: How many documents share one statement at most.
DOCUMENTS = 256

Progress = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class EntryColumns:
    """What the enabled rules need of an entry."""

    locs: bool
    lastmods: bool
    links: bool
    #: Of pages that link to themselves as translations: in which languages they are.
    languages: bool = False

    @property
    def columns(self) -> list[str]:
        """The columns to read. The column `news` shows which entries are articles."""
        named = {"loc": self.locs or self.links, "lastmod": self.lastmods, "alternates": self.links}
        return ["document", "line", "news", *(name for name, wanted in named.items() if wanted)]


@contextmanager
def loaded(
    documents: Sequence[SetDocument],
    wanted: EntryColumns,
    *,
    memory: str,
    threads: int | None,
    progress: Progress | None,
    budget: Budget | None,
) -> Iterator[DuckDBPyConnection]:
    """Open a database with the tables. It and what it spilled are removed afterwards, whatever happens."""
    workers = threads or cores()
    with (
        interruptible(),
        temporary_folder() as folder,
        # Findings are sorted at the end; keeping the order of the rows would be work for nothing.
        in_memory(
            memory=memory, threads=workers, spill=folder / "spilled", preserve_insertion_order=False
        ) as connection,
    ):
        connection.execute("CREATE TABLE documents (document INTEGER, kind VARCHAR, modified BIGINT)")
        connection.execute(
            "CREATE TABLE entries (document INTEGER, line UINTEGER, loc VARCHAR, hash UBIGINT, lastmod BIGINT,"
            " news BOOLEAN, written VARCHAR)"
        )
        connection.execute(
            "CREATE TABLE links (document INTEGER, line UINTEGER, hash UBIGINT, href VARCHAR, href_hash UBIGINT,"
            " written VARCHAR)"
        )
        connection.execute("CREATE TABLE languages (language VARCHAR)")
        rows = [(at, document.kind, _micros(document.modified)) for at, document in enumerate(documents)]
        insert_rows(connection, "documents", rows)
        _load(connection, documents, wanted, workers, progress, budget or USUAL)
        if wanted.locs:
            _normalize(connection)
        yield connection


def _normalize(connection: DuckDBPyConnection) -> None:
    """Bring the URLs of both tables into their normal form, and keep how the others were written."""
    with cursor_of(connection) as cursor:
        if not make_normal_forms(connection, cursor, "forms", ("entries", "loc"), ("links", "href")):
            return
    connection.execute(
        "UPDATE entries SET loc = normal, hash = hash(normal), written = forms.written FROM forms"
        " WHERE entries.loc = forms.written"
    )
    connection.execute("UPDATE links SET hash = hash(normal) FROM forms WHERE links.hash = hash(forms.written)")
    connection.execute(
        "UPDATE links SET href = normal, href_hash = hash(normal), written = forms.written FROM forms"
        " WHERE links.href = forms.written"
    )


def _micros(seconds: float | None) -> int | None:
    return None if seconds is None else int(seconds * 1_000_000)


def _load(
    connection: DuckDBPyConnection,
    documents: Sequence[SetDocument],
    wanted: EntryColumns,
    workers: int,
    progress: Progress | None,
    budget: Budget,
) -> None:
    """Read the documents, as many at once as there are workers. Neither reader nor database holds the interpreter."""
    done = 0
    with ThreadPoolExecutor(workers) as pool:
        jobs = [pool.submit(_insert, connection, documents, job, wanted, budget) for job in _jobs(documents)]
        try:
            for job in as_completed(jobs):
                done += job.result()
                if progress is not None:
                    progress(done)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _jobs(documents: Sequence[SetDocument]) -> Iterator[list[int]]:
    """Yield groups of documents, with about as many entries each."""
    job: list[int] = []
    rows = 0
    for number, document in enumerate(documents):
        if not document.has_pages:
            continue
        job.append(number)
        rows += document.entries
        if rows >= ROWS or len(job) == DOCUMENTS:
            yield job
            job, rows = [], 0
    if job:
        yield job


def scan(document: SetDocument, location: str | None, columns: Sequence[str] | None, budget: Budget | None) -> Scan:
    """Scan one document alone, as far as it can be read. What ends its reading was reported when it was checked."""
    opened = document.path if document.data is None else document.data
    assert opened is not None
    options = ScanOptions(
        follow=False,
        columns=columns,
        on_error="collect",
        content_encoding=document.content_encoding,
        budget=budget,
        limits=None,
    )
    return Scan([Source(location, opened)], options)


def batches(document: SetDocument, reading: Scan) -> Iterator[_core.Batches]:
    """Yield the batches of a scan. Raises FetchError for a file that was removed after it was checked."""
    try:
        yield from reading.batches()
    except OSError as error:
        raise FetchError(f"{document.location}: {error.strerror or error}") from error


def _insert(
    connection: DuckDBPyConnection,
    documents: Sequence[SetDocument],
    job: list[int],
    wanted: EntryColumns,
    budget: Budget,
) -> int:
    """Insert the entries of some documents into the tables, and return how many there are."""
    done = rows = 0
    held: list[_core.Batches] = []
    with cursor_of(connection) as cursor:
        for number in job:
            # The location becomes the column `document`: as such it is the number of the document.
            for batch in batches(documents[number], scan(documents[number], str(number), wanted.columns, budget)):
                held.append(batch)
                rows += len(batch)
                if rows >= ROWS:
                    _insert_rows(cursor, held, wanted)
                    done, rows, held = done + rows, 0, []
        if rows:
            _insert_rows(cursor, held, wanted)
    return done + rows


def _insert_rows(cursor: DuckDBPyConnection, held: list[_core.Batches], wanted: EntryColumns) -> None:
    """Insert batches of entries into the tables."""
    loc = "loc" if wanted.locs else "NULL"
    hashed = "hash(loc)" if wanted.locs or wanted.links else "NULL"
    lastmod = "epoch_us(lastmod)" if wanted.lastmods else "NULL"
    entries = (
        f"INSERT INTO entries SELECT CAST(document AS INTEGER), line, {loc}, {hashed}, {lastmod}, news IS NOT NULL,"  # noqa: S608
        " NULL FROM rows"
    )
    # A page in another language, or for another region: Google names rel and hreflang as what makes it one.
    links = """
        INSERT INTO links
        SELECT CAST(document AS INTEGER), line, hash(loc), link.href, hash(link.href), NULL
        FROM (SELECT document, line, loc, unnest(alternates) AS link FROM rows WHERE loc IS NOT NULL)
        WHERE link.href IS NOT NULL AND link.hreflang IS NOT NULL AND lower(link.rel) = 'alternate'
            AND link.href <> loc
    """
    languages = """
        INSERT INTO languages
        SELECT DISTINCT lower(link.hreflang) FROM (SELECT loc, unnest(alternates) AS link FROM rows)
        WHERE link.href = loc AND lower(link.rel) = 'alternate' AND lower(link.hreflang) <> 'x-default'
    """
    further = [links] * wanted.links + [languages] * wanted.languages
    insert_batches(cursor, held, wanted.columns, entries, *further)


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
