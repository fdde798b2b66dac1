"""The pages to plan: any table with rates of change, as a table of DuckDB that the policies compute with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from urlset._model.errors import InputError
from urlset._util.duckdb import scalar
from urlset._util.given_rows import GivenColumn, load_rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._write.rows import ArrowTable

#: The columns that count.
_COLUMNS: Mapping[str, GivenColumn] = {
    "loc": GivenColumn("VARCHAR", why=""),
    "change_rate": GivenColumn("DOUBLE", why=""),
    "importance": GivenColumn("DOUBLE", "1"),
    "bytes": GivenColumn("DOUBLE"),
}
#: Those that all pages need, and the others.
NEEDED, OPTIONAL = ("loc", "change_rate"), ("importance", "bytes")
#: The least and the greatest number that counts, so that products of them are numbers too.
LEAST, MOST = 1e-12, 1e12


def load(connection: DuckDBPyConnection, pages: ArrowTable | Iterable[Mapping[str, object]], *, by_bytes: bool) -> int:
    """Create the table `pages` with the columns place, loc, d, m and c; return how many pages there are.

    Args:
        connection: Where.
        pages: A table, or rows as mappings, with `loc` and `change_rate`, and maybe `importance` and `bytes`.
        by_bytes: Whether a fetch takes as much of the budget as the page has bytes, and not 1.

    Raises:
        InputError: A column is missing, or a value is not a number that can be planned with.
    """
    needed, columns = [*NEEDED], dict(_COLUMNS)
    if by_bytes:
        needed.append("bytes")
        columns["bytes"] = GivenColumn("DOUBLE", why=", which a budget in bytes needs")
    load_rows(connection, pages, columns, table="given", what="page")
    _check_values(connection, needed)
    cost = "bytes" if by_bytes else "1::DOUBLE"
    connection.execute(
        f"CREATE TABLE pages AS SELECT place, loc, change_rate AS d, importance AS m, {cost} AS c FROM given"
        " ORDER BY place"
    )
    connection.execute("DROP TABLE given")
    return int(scalar(connection, "SELECT count(*) FROM pages"))


def _check_values(connection: DuckDBPyConnection, needed: Sequence[str]) -> None:
    """Raise InputError for the first row with a value that is missing, or a number that no page can have."""
    for name in [*needed, *(["importance"] if "importance" not in needed else [])]:
        wrong = f"{name} IS NULL"
        if _COLUMNS[name].kind == "DOUBLE":
            # Not a number is the greatest of all for DuckDB.
            wrong += f" OR NOT ({name} BETWEEN {LEAST} AND {MOST}" + f" OR {name} = 0" * (name != "bytes") + ")"
        found = connection.execute(f"SELECT place, {name} FROM given WHERE {wrong} ORDER BY place LIMIT 1").fetchone()
        if found is not None:
            wanted = {"change_rate": "changes per day: 0, or from", "importance": "0, or from", "bytes": "from"}
            what = f"{wanted[name]} {LEAST:g} to {MOST:g}" if name in wanted else "a text"
            raise InputError(f"row {found[0]:,} of the pages: {name} must be {what}, got {found[1]}")
