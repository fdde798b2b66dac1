"""The pages to plan: any table with rates of change, as a table of DuckDB that the policies compute with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, cast

from urlset._model.errors import InputError
from urlset._util.duckdb import first_line, identifier, insert_rows, scalar
from urlset._util.text import did_you_mean

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._write.rows import ArrowTable

#: The columns that count, each with its type and what a page has that leaves it out; None where it must not.
_COLUMNS: Mapping[str, tuple[str, str | None]] = {
    "loc": ("VARCHAR", None),
    "change_rate": ("DOUBLE", None),
    "importance": ("DOUBLE", "1"),
    "bytes": ("DOUBLE", None),
}
#: Those that all pages need, and the others.
NEEDED, OPTIONAL = ("loc", "change_rate"), ("importance", "bytes")
#: The least and the greatest number that counts, so that products of them are numbers too.
LEAST, MOST = 1e-12, 1e12
#: Rows that are inserted at once.
_BATCH = 10_000


class _Stream:
    """A table as nothing but an Arrow stream: DuckDB refuses a relation of another database, which has one, too."""

    def __init__(self, table: ArrowTable) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def load(connection: DuckDBPyConnection, pages: ArrowTable | Iterable[Mapping[str, object]], *, by_bytes: bool) -> int:
    """Create the table `pages` with the columns place, loc, d, m and c; return how many pages there are.

    Args:
        connection: Where.
        pages: A table, or rows as mappings, with `loc` and `change_rate`, and maybe `importance` and `bytes`.
        by_bytes: Whether a fetch takes as much of the budget as the page has bytes, and not 1.

    Raises:
        InputError: A column is missing, or a value is not a number that can be planned with.
    """
    import duckdb  # noqa: PLC0415  (0.15 s, for which the verbs without it should not wait)

    needed = [*NEEDED, *(["bytes"] if by_bytes else [])]
    try:
        if hasattr(pages, "__arrow_c_stream__"):
            given = connection.from_arrow(_Stream(cast("ArrowTable", pages)))
            _check_names(given.columns, needed)
            given.project(_chosen(given.columns)).create("given")
        else:
            _insert(connection, pages, needed)
    except duckdb.ConversionException as error:
        raise InputError(f"a column of the pages has a value of another type: {first_line(error)}") from error
    _check_values(connection, needed)
    cost = "bytes" if by_bytes else "1::DOUBLE"
    connection.execute(
        f"CREATE TABLE pages AS SELECT place, loc, change_rate AS d, importance AS m, {cost} AS c FROM given"
        " ORDER BY place"
    )
    connection.execute("DROP TABLE given")
    return int(scalar(connection, "SELECT count(*) FROM pages"))


def _chosen(names: Sequence[str]) -> str:
    """Return the columns to take, in SQL."""
    chosen = []
    for name, (kind, default) in _COLUMNS.items():
        value = f"CAST({identifier(name)} AS {kind})" if name in names else f"CAST(NULL AS {kind})"
        chosen.append(f"{value if default is None else f'coalesce({value}, {default})'} AS {name}")
    return ", ".join(["row_number() OVER () AS place", *chosen])


def _insert(connection: DuckDBPyConnection, pages: Iterable[Mapping[str, object]], needed: Sequence[str]) -> None:
    """Insert rows that are mappings. A column is there if one of the rows has it."""
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in _COLUMNS.items())
    connection.execute(f"CREATE TABLE rows ({columns})")
    names: set[str] = set()
    for batch in _batches(pages):
        for page in batch:
            if not isinstance(page, Mapping):
                raise InputError(f"a page must be a mapping with loc and change_rate, got {type(page).__name__}")
            names.update(map(str, page))
        insert_rows(connection, "rows", [tuple(page.get(name) for name in _COLUMNS) for page in batch])
    if names:
        _check_names(sorted(names), needed)
    connection.sql("FROM rows").project(_chosen(list(_COLUMNS))).create("given")
    connection.execute("DROP TABLE rows")


def _batches(pages: Iterable[Mapping[str, object]]) -> Iterator[list[Mapping[str, object]]]:
    rest = iter(pages)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def _check_names(names: Sequence[str], needed: Sequence[str]) -> None:
    for name in needed:
        if name not in names:
            why = ", which a budget in bytes needs" if name in OPTIONAL else ""
            raise InputError(f"the pages have no column {name}{why}{did_you_mean(name, names)}")


def _check_values(connection: DuckDBPyConnection, needed: Sequence[str]) -> None:
    """Raise InputError for the first row with a value that is missing, or a number that no page can have."""
    for name in [*needed, *(["importance"] if "importance" not in needed else [])]:
        kind, _ = _COLUMNS[name]
        wrong = f"{name} IS NULL"
        if kind == "DOUBLE":
            # Not a number is the greatest of all for DuckDB.
            wrong += f" OR NOT ({name} BETWEEN {LEAST} AND {MOST}" + f" OR {name} = 0" * (name != "bytes") + ")"
        found = connection.execute(f"SELECT place, {name} FROM given WHERE {wrong} ORDER BY place LIMIT 1").fetchone()
        if found is not None:
            wanted = {"change_rate": "changes per day: 0, or from", "importance": "0, or from", "bytes": "from"}
            what = f"{wanted[name]} {LEAST:g} to {MOST:g}" if name in wanted else "a text"
            raise InputError(f"row {found[0]:,} of the pages: {name} must be {what}, got {found[1]}")
