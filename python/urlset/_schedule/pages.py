"""The pages to plan: any table with rates of change, as a table of DuckDB that the policies compute with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, cast

from urlset._lint.set.sql import host_sql
from urlset._model.errors import InputError
from urlset._schedule.amounts import LEAST, MOST
from urlset._schedule.hosts import make_hosts
from urlset._util.duckdb import first_line, identifier, insert_rows
from urlset._util.text import did_you_mean

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._write.rows import ArrowTable


@dataclass(frozen=True, slots=True)
class _Column:
    """A column that counts.

    Attributes:
        kind: Its type.
        default: SQL for what a page has that leaves it out; None where a missing value is one that means something.
        valid: SQL for whether a value that is there can be planned with; empty if its type says it all.
        wanted: What it must be, for messages.
    """

    kind: str
    default: str | None = None
    valid: str = ""
    wanted: str = ""


_POSITIVE = f"{{0}} BETWEEN {LEAST} AND {MOST}"
_NOT_NEGATIVE = f"{{0}} = 0 OR {_POSITIVE}"
_BOUNDS = f"{LEAST:g} to {MOST:g}"
_COLUMNS: Mapping[str, _Column] = {
    "loc": _Column("VARCHAR", wanted="a text"),
    "change_rate": _Column("DOUBLE", None, _NOT_NEGATIVE, f"changes per day: 0, or from {_BOUNDS}"),
    "importance": _Column("DOUBLE", "1", _NOT_NEGATIVE, f"0, or from {_BOUNDS}"),
    "bytes": _Column("DOUBLE", None, _POSITIVE, f"from {_BOUNDS}"),
    "host_budget": _Column("DOUBLE", None, _NOT_NEGATIVE, f"what the host may be asked in a day: 0, or from {_BOUNDS}"),
}
#: Those that all pages need, and the others.
NEEDED = ("loc", "change_rate")
OPTIONAL = tuple(name for name in _COLUMNS if name not in NEEDED)
#: Rows that are inserted at once.
_BATCH = 10_000


class _Stream:
    """A table as nothing but an Arrow stream: DuckDB refuses a relation of another database, which has one, too."""

    def __init__(self, table: ArrowTable) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def load(
    connection: DuckDBPyConnection,
    pages: ArrowTable | Iterable[Mapping[str, object]],
    *,
    by_bytes: bool,
    host_budget: float | None = None,
) -> bool:
    """Create the table `pages` with the columns place, loc, d, m, c and most, and `hosts` if hosts have budgets.

    Args:
        connection: Where.
        pages: A table, or rows as mappings, with `loc` and `change_rate`, and maybe more columns.
        by_bytes: Whether a fetch takes as much of the budget as the page has bytes, and not 1.
        host_budget: What each host may be asked for that has no budget of its own.

    Returns:
        Whether there are hosts with a budget; then `pages` has a column `host` too.

    Raises:
        InputError: A column is missing, or a value is not a number that can be planned with.
    """
    needed = [*NEEDED, *(["bytes"] if by_bytes else [])]
    given = _take(connection, pages, needed)
    _check_values(connection, given, needed)

    def value(name: str) -> str:
        default = _COLUMNS[name].default or f"NULL::{_COLUMNS[name].kind}"
        return f"coalesce({name}, {default})" if name in given else default

    has_hosts = (host_budget is not None or "host_budget" in given) and make_hosts(
        connection, value("host_budget"), host_budget
    )
    columns = f"place, loc, change_rate AS d, {value('importance')}::DOUBLE AS m"
    columns += f", {'bytes' if by_bytes else '1::DOUBLE'} AS c, 'inf'::DOUBLE AS most"
    if has_hosts:
        columns += ", host"
    joined = f"LEFT JOIN hosts ON hosts.name = {host_sql('loc')}" if has_hosts else ""
    connection.execute(f"CREATE TABLE pages AS SELECT {columns} FROM given {joined} ORDER BY place")
    connection.execute("DROP TABLE given")
    return has_hosts


def _take(
    connection: DuckDBPyConnection, pages: ArrowTable | Iterable[Mapping[str, object]], needed: Sequence[str]
) -> Collection[str]:
    """Create the table `given` of the columns that count, and `place`; return their names."""
    import duckdb  # noqa: PLC0415  (0.15 s, for which the verbs without it should not wait)

    try:
        if hasattr(pages, "__arrow_c_stream__"):
            table = connection.from_arrow(_Stream(cast("ArrowTable", pages)))
            names: Collection[str] = table.columns
            _check_names(names, needed)
        else:
            names = _insert(connection, pages)
            if names:
                _check_names(sorted(names), needed)
            else:  # no rows, so no columns are missing
                names = needed
            table = connection.sql("FROM rows")
        chosen = [name for name in _COLUMNS if name in names]
        casts = (f"CAST({identifier(name)} AS {_COLUMNS[name].kind}) AS {name}" for name in chosen)
        table.project(", ".join(["row_number() OVER () AS place", *casts])).create("given")
    except duckdb.ConversionException as error:
        raise InputError(f"a column of the pages has a value of another type: {first_line(error)}") from error
    connection.execute("DROP TABLE IF EXISTS rows")
    return chosen


def _insert(connection: DuckDBPyConnection, pages: Iterable[Mapping[str, object]]) -> set[str]:
    """Insert rows that are mappings into the table `rows`. A column is there if one of the rows has it."""
    columns = ", ".join(f"{name} {column.kind}" for name, column in _COLUMNS.items())
    connection.execute(f"CREATE TABLE rows ({columns})")
    names: set[str] = set()
    for batch in _batches(pages):
        for page in batch:
            if not isinstance(page, Mapping):
                raise InputError(f"a page must be a mapping with loc and change_rate, got {type(page).__name__}")
            names.update(map(str, page))
        insert_rows(connection, "rows", [tuple(page.get(name) for name in _COLUMNS) for page in batch])
    return names


def _batches(pages: Iterable[Mapping[str, object]]) -> Iterator[list[Mapping[str, object]]]:
    rest = iter(pages)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def _check_names(names: Collection[str], needed: Sequence[str]) -> None:
    for name in needed:
        if name not in names:
            why = ", which a budget in bytes needs" if name in OPTIONAL else ""
            raise InputError(f"the pages have no column {name}{why}{did_you_mean(name, list(names))}")


def _check_values(connection: DuckDBPyConnection, names: Collection[str], needed: Collection[str]) -> None:
    """Raise InputError for the first row with a value that is missing, or one that no page can have."""
    for name in names:
        column = _COLUMNS[name]
        if name == "bytes" and name not in needed:
            continue
        wrong = f"{name} IS NULL" if name in needed else "false"
        if column.valid:
            # Not a number is the greatest of all for DuckDB.
            wrong += f" OR NOT ({column.valid.format(name)})"
        found = connection.execute(f"SELECT place, {name} FROM given WHERE {wrong} ORDER BY place LIMIT 1").fetchone()
        if found is not None:
            raise InputError(f"row {found[0]:,} of the pages: {name} must be {column.wanted}, got {found[1]}")
