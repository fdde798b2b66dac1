"""The pages to simulate: what `schedule` takes of a table, and how their lastmods move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from urlset._model.errors import InputError
from urlset._schedule.amounts import LEAST, MOST
from urlset._schedule.pages import given_columns
from urlset._simulate.model import PageModel, page_model
from urlset._util.duckdb import identifier, scalar
from urlset._util.given_rows import GivenColumn, load_rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

    from urlset._write.rows import ArrowTable

#: The most pages: each has an object in memory.
MOST_PAGES = 1_000_000
#: How lastmods move. Each has SQL for a value that counts, and what that is.
_SIGNALS = {
    "recall": ("recall BETWEEN 0 AND 1", "from 0 to 1"),
    # Moves of which none goes with a change are no signals, and how many there are is not known.
    "precision": (
        "precision BETWEEN 0 AND 1 AND (precision > 0 OR coalesce(recall, 0) = 0)",
        "above 0, and up to 1, where recall is above 0",
    ),
    "stamps": (f"stamps = 0 OR stamps BETWEEN {LEAST} AND {MOST}", f"0, or from {LEAST:g} to {MOST:g} a day"),
}
#: The columns that a simulation takes beside those of `schedule`.
MORE = ("stamps",)
_COLUMNS = given_columns() | dict.fromkeys(MORE, GivenColumn("DOUBLE"))


class SimulatedPages:
    """The pages, as a table for `schedule` and as models.

    Args:
        connection: Where they are held.
        pages: A table, or rows as mappings.
        importance: The column with the importance.

    Attributes:
        has_bytes: Whether they have sizes.
        left_out: How many have no rate of change, so that nothing is known of what to simulate.

    Raises:
        InputError: There are too many, a column is missing, or the lastmod of a page moves as none can. All else is
            judged by `schedule`.
    """

    def __init__(
        self, connection: DuckDBPyConnection, pages: ArrowTable | Iterable[Mapping[str, object]], importance: str
    ) -> None:
        self._connection = connection
        columns = {importance: GivenColumn("DOUBLE")} | _COLUMNS
        self._columns = load_rows(connection, pages, columns, table="given", what="page")
        (self.left_out,) = connection.execute("SELECT count(*) FROM given WHERE change_rate IS NULL").fetchall()[0]
        if self.left_out:
            connection.execute("DELETE FROM given WHERE change_rate IS NULL")
        count, sizes = connection.execute("SELECT count(*), count(bytes) FROM given").fetchall()[0]
        self.has_bytes = sizes > 0
        if count > MOST_PAGES:
            raise InputError(f"a simulation has at most {MOST_PAGES:,} pages, got {count:,}: take a sample of them")
        for name, (valid, wanted) in _SIGNALS.items():
            found = connection.execute(
                f"SELECT place, {name} FROM given WHERE NOT ({valid}) ORDER BY place LIMIT 1"
            ).fetchone()
            if found is not None:
                raise InputError(f"row {found[0]:,} of the pages: {name} must be {wanted}, got {found[1]}")

    def table(self) -> DuckDBPyRelation:
        """Return the pages as `schedule` takes them."""
        columns = ", ".join(map(identifier, sorted(self._columns - {*MORE})))
        return self._connection.sql(f"SELECT {columns} FROM given ORDER BY place")

    def have_moves(self) -> bool:
        """Return whether any lastmod moves."""
        moves = "change_rate * recall > 0 OR stamps > 0"
        return bool(scalar(self._connection, f"SELECT coalesce(bool_or({moves}), false) FROM given"))

    def models(self, importances: Sequence[float]) -> list[PageModel]:
        """Return what happens to each page. `schedule` has found nothing wrong with them."""
        rows = self._connection.execute(
            "SELECT change_rate, bytes, recall, precision, stamps FROM given ORDER BY place"
        ).fetchall()
        return [page_model(importance, *row) for importance, row in zip(importances, rows, strict=True)]
