"""The pages that a feed or an llms.txt can list: rows that are in the published set, with its lastmods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from urlset import _core
from urlset._feeds.narrowing import narrowed
from urlset._model.core_types import ValuePolicy
from urlset._model.errors import DocumentError, InputError
from urlset._model.instants import micros_of
from urlset._options.publish import Layout
from urlset._publish.checked_options import checked_columns as checked_columns_of_publish
from urlset._publish.rows.database import PlanningDatabase, planning_database
from urlset._publish.rows.ingest import fill
from urlset._publish.rows.schema import create
from urlset._publish.stored import manifest
from urlset._publish.stored.transaction import Transaction
from urlset._util.arguments import moment_of
from urlset._util.text import plural
from urlset._write.rows import source_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._publish.api import Section
    from urlset._publish.values.header import Header
    from urlset._stores.store import Store

#: The columns of rows that say how a page is listed.
COLUMNS: Final = ("title", "description", "markdown")
#: A lastmod with a day, a time and a zone, which RFC 3339 asks for. What it leaves open is completed with its
#: beginning, in UTC, as for any other comparison of lastmods.
_MOMENT: Final = r"""
    CASE strlen(known.lastmod)
        WHEN 4 THEN known.lastmod || '-01-01T00:00:00Z'
        WHEN 7 THEN known.lastmod || '-01T00:00:00Z'
        WHEN 10 THEN known.lastmod || 'T00:00:00Z'
        ELSE regexp_replace(known.lastmod, '(T\d\d:\d\d)(Z|[+-])', '\1:00\2')
    END
"""
#: The rows that are in the set, each loc once: of several rows, the first one of the section that publishes it.
_LISTED: Final = f"""
    CREATE TABLE listed AS
    SELECT described.loc, sections.name AS section, described.section AS place, row, title, description, markdown,
        {_MOMENT} AS moment
    FROM described
    JOIN sections ON sections.place = described.section
    JOIN known ON known.loc = described.loc AND known.gone IS NULL
    QUALIFY row_number() OVER (
        PARTITION BY described.loc ORDER BY sections.name IS DISTINCT FROM known.section, described.section, row
    ) = 1
"""  # noqa: S608
_COLUMNS: Final = "section, loc, moment, title, description, markdown"
_LATEST: Final = (
    f"SELECT {_COLUMNS} FROM listed WHERE moment IS NOT NULL"  # noqa: S608
    " ORDER BY try_cast(moment AS TIMESTAMPTZ) DESC NULLS LAST, moment DESC, loc LIMIT $most"
)
_IN_ORDER: Final = f"SELECT {_COLUMNS} FROM listed ORDER BY place, row, loc LIMIT $most"  # noqa: S608


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page as it is to be listed. `moment` is its lastmod as RFC 3339 writes one."""

    section: str
    loc: str
    moment: str | None
    title: str | None
    description: str | None
    markdown: str | None


class ListedPages:
    """Rows that are in the published set.

    Attributes:
        header: What the manifest says of the set.
        rows: How many rows there were.
        unpublished: How many of their locs are not in the set.
        undated: How many of its pages have no lastmod.
        listed: How many pages there are.
    """

    def __init__(self, connection: DuckDBPyConnection, header: Header, rows: int, refused: int) -> None:
        self._connection = connection
        self.header = header
        self.rows = rows
        [(described,)] = connection.execute("SELECT count(DISTINCT loc) FROM described").fetchall()
        [(self.listed, dated)] = connection.execute("SELECT count(*), count(moment) FROM listed").fetchall()
        self.unpublished: int = described - self.listed + refused
        self.undated: int = self.listed - dated

    def latest(self, most: int) -> list[ListedPage]:
        """Return the pages that changed last, the latest first."""
        return self._pages(_LATEST, most)

    def in_order(self, most: int) -> list[ListedPage]:
        """Return the first pages in the order of the sections and of their rows."""
        return self._pages(_IN_ORDER, most)

    def has(self, loc: str) -> bool:
        """Return whether the set lists a page, whatever the rows are."""
        found = self._connection.execute("SELECT 1 FROM known WHERE loc = $loc AND gone IS NULL", {"loc": loc})
        return found.fetchone() is not None

    def _pages(self, query: str, most: int) -> list[ListedPage]:
        return [ListedPage(*row) for row in self._connection.execute(query, {"most": most}).fetchall()]


def checked_columns(columns: Mapping[str, str] | None) -> dict[str, str]:
    """Return the names of the columns of rows, by ours.

    Raises:
        InputError: One of them is unknown or invalid.
    """
    given = dict(columns or {})
    own: dict[str, str] = {name: given.pop(name) for name in COLUMNS if name in given}
    for name, column in own.items():
        if not isinstance(column, str) or not column:
            raise InputError(f"columns[{name!r}] must be the name of a column of the rows, got {column!r}")
    return {**checked_columns_of_publish(given), **own}


@contextmanager
def listed_pages(
    sections: Mapping[str, Section], store: Store, *, scope: str | None, memory: str
) -> Iterator[ListedPages]:
    """Compare rows with the set that is published in a store.

    Raises:
        InputError: The rows cannot be read, nothing was published there, or no row is in the set.
        DocumentError: The manifest is damaged.
        PublishError: The store or the temporary folder fails.
    """
    with planning_database(memory) as database, Transaction.read_only(store, database) as transaction:
        header = _known(database, transaction, store.location)
        connection = database.connection
        connection.execute("CREATE TABLE sections (place UTINYINT, name VARCHAR)")
        connection.execute(
            "CREATE TABLE described (section UTINYINT, row UBIGINT, loc VARCHAR, title VARCHAR, description VARCHAR,"
            " markdown VARCHAR)"
        )
        rows = refused = 0
        for place, (name, section) in enumerate(sections.items()):
            connection.execute("INSERT INTO sections VALUES (?, ?)", [place, name])
            of_section = _describe(database, header.base_url, scope, place, section)
            rows, refused = rows + of_section[0], refused + of_section[1]
        connection.execute(_LISTED)
        found = ListedPages(connection, header, rows, refused)
        if not found.listed:
            raise InputError(
                f"none of {plural(rows, 'row')} is in the set that is published in {store.location}: publish these rows"
                " first"
            )
        yield found


def _known(database: PlanningDatabase, transaction: Transaction, location: str) -> Header:
    """Insert what the manifest of the current set says of its locs into `known`, and return its header."""
    found = transaction.current(transaction.entry_point())
    if found is None:
        if transaction.store.size(manifest.MANIFEST) is not None:
            raise DocumentError("the manifest is damaged; publish again", location=f"{location}/{manifest.MANIFEST}")
        raise InputError(f"{location} has no published set, because {manifest.MANIFEST} is missing: publish first")
    header, path = found
    create(database.connection, "known")
    paths = transaction.files_with_rows(header, path)
    database.expect(manifest.count_rows(database.connection, paths))
    if not manifest.load(database.connection, paths):
        raise DocumentError("the manifest is damaged; publish again", location=f"{location}/{manifest.MANIFEST}")
    return header


def _describe(
    database: PlanningDatabase, base_url: str, scope: str | None, place: int, section: Section
) -> tuple[int, int]:
    """Insert the rows of a section into `described`. Return how many there were, and how many no publish would take.

    Of an entry, the loc alone counts here: the set has all else, and a value that was left out of it is not an error.
    """
    columns = section.columns or {}
    named = {name: columns.get(name, name) for name in COLUMNS}
    loc = columns.get("loc", "loc")
    with ExitStack() as stack:
        source = source_of(
            narrowed(section.entries, list(dict.fromkeys((loc, *named.values()))), stack),
            list(dict.fromkeys(named.values())),
            optional=[column for name, column in named.items() if name not in columns],
            names={"loc": loc} if loc != "loc" else {},
        )
        return _insert(database, base_url, scope, place, source, list(named.values()))


def _insert(
    database: PlanningDatabase, base_url: str, scope: str | None, place: int, source: _core.Rows, named: list[str]
) -> tuple[int, int]:
    policy = ValuePolicy("drop", None, micros_of(moment_of(None)))
    renderer = _core.Renderer(base_url, scope, Layout(), policy)
    store = _core.RowStore([f"extra{number}" for number in range(len(source.extras))])
    refused = 0

    def on_filled(filled: _core.Filled) -> None:
        nonlocal refused
        refused += len(filled.refused)

    fill(renderer, source, store, on_filled, database)
    store.sort()
    database.expect(len(store), store.bytes)
    places = {column: f"extra{place}" for place, column in enumerate(source.extras)}
    values = ", ".join(places.get(column, "NULL") for column in named)
    rendered = store.rendered()  # noqa: F841  (DuckDB finds it among the local variables by its name)
    database.connection.execute(f"INSERT INTO described SELECT {place:d}, row, loc, {values} FROM rendered")  # noqa: S608
    return source.index, refused
