"""Rows that a caller gives, as a table of DuckDB: any table with an Arrow stream, or mappings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

from urlset._model.errors import InputError
from urlset._util.duckdb import first_line, identifier, insert_rows
from urlset._util.text import did_you_mean

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Rows that are inserted at once.
_BATCH = 10_000


class ArrowStream(Protocol):
    """Whatever hands out an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the capsule of a stream."""
        ...


@dataclass(frozen=True, slots=True)
class GivenColumn:
    """A column that counts.

    Attributes:
        kind: Its type in DuckDB.
        default: SQL for the value of a row that has none.
        why: What needs it, as the end of a sentence, such as `", which a budget in bytes needs"`; None if a table may
            be without it.
    """

    kind: str
    default: str = "NULL"
    why: str | None = None


class _Stream:
    """A table as nothing but an Arrow stream: DuckDB refuses a relation of another database, which has one, too."""

    def __init__(self, table: ArrowStream) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def load_rows(
    connection: DuckDBPyConnection,
    rows: ArrowStream | Iterable[Mapping[str, object]],
    columns: Mapping[str, GivenColumn],
    *,
    table: str,
    what: str,
    is_whole: bool = True,
) -> frozenset[str]:
    """Create a table of rows with the columns that count, and `place`, the number of the row from 1 up.

    Args:
        connection: Where.
        rows: A table with an Arrow stream, or mappings.
        columns: The columns that count, by name. A row may have others.
        table: The name of the new table.
        what: What one row is, and what all are, for messages, such as `"page"`.
        is_whole: Whether the table has all columns, and not only those that the rows have.

    Returns:
        The columns of these that the rows have. A column of mappings is there if one of them has it.

    Raises:
        InputError: A column is missing, or a value has another type.
    """
    import duckdb  # noqa: PLC0415  (0.15 s, for which the verbs without it should not wait)

    try:
        if isinstance(rows, Iterable) and not hasattr(rows, "__arrow_c_stream__"):
            return _insert(connection, rows, columns, table, what, is_whole=is_whole)
        given = connection.from_arrow(_Stream(rows))  # type: ignore[arg-type]
        _check_names(given.columns, columns, what)
        given.project(_chosen(given.columns, columns, is_whole=is_whole)).create(table)
    except (duckdb.ConversionException, duckdb.InvalidInputException) as error:
        raise InputError(f"a column of the {what}s has a value of another type: {first_line(error)}") from error
    return frozenset(given.columns) & columns.keys()


def _chosen(names: Collection[str], columns: Mapping[str, GivenColumn], *, is_whole: bool) -> str:
    """Return the columns to take, in SQL."""
    chosen = []
    for name, column in columns.items():
        if name not in names and not is_whole:
            continue
        value = f"CAST({identifier(name)} AS {column.kind})" if name in names else f"CAST(NULL AS {column.kind})"
        chosen.append(
            f"{value if column.default == 'NULL' else f'coalesce({value}, {column.default})'} AS {identifier(name)}"
        )
    return ", ".join(["row_number() OVER () AS place", *chosen])


def _insert(
    connection: DuckDBPyConnection,
    rows: Iterable[Mapping[str, object]],
    columns: Mapping[str, GivenColumn],
    table: str,
    what: str,
    *,
    is_whole: bool,
) -> frozenset[str]:
    connection.execute(
        f"CREATE TABLE rows ({', '.join(f'{identifier(name)} {column.kind}' for name, column in columns.items())})"
    )
    names: set[str] = set()
    for batch in _batches(rows):
        for row in batch:
            if not isinstance(row, Mapping):
                needed = " and ".join(name for name, column in columns.items() if column.why is not None)
                raise InputError(f"a {what} must be a mapping with {needed}, got {type(row).__name__}")
            names.update(map(str, row))
        insert_rows(connection, "rows", [tuple(row.get(name) for name in columns) for row in batch])
    if names:
        _check_names(sorted(names), columns, what)
    else:  # without rows, no column is missing
        names.update(name for name, column in columns.items() if column.why is not None)
    connection.sql("FROM rows").project(_chosen(columns if is_whole else names, columns, is_whole=is_whole)).create(
        table
    )
    connection.execute("DROP TABLE rows")
    return frozenset(names) & columns.keys()


def _batches(rows: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(rows)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def _check_names(names: Sequence[str], columns: Mapping[str, GivenColumn], what: str) -> None:
    for name, column in columns.items():
        if column.why is not None and name not in names:
            raise InputError(f"the {what}s have no column {name}{column.why}{did_you_mean(name, names)}")
