"""Rows, and what is known of their locs, as they travel between the tasks of a job: which columns, and in which types.

    route           the series of the row, by which rows are brought together; null if it does not matter
    loc, ...        a row, rendered: the columns of `incoming`
    known_loc, ...  what the current manifest says of a loc: the columns of `known`
    known_normal    the normal form of that loc, if that is another text
    tally           the counts of one task's rows, pickled

A travelling row has a rendered row, or a known one, or both if their locs are equal URLs; or only a tally. Times are
microseconds since the epoch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from urlset._publish.rows.schema import columns_of
from urlset._publish.values.shards import ShardBy, prefix

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: The columns of a row and of what is known of a loc, with their types in DuckDB.
ROW = {
    "loc": "STRING",
    "normal": "STRING",
    "lastmod": "STRING",
    "instant": "BIGINT",
    "xml_after_lastmod": "STRING",
    "news": "STRING",
    "namespace_bits": "INT",
    "size": "BIGINT",
    "entry_hash": "UBIGINT",
    "loc_hash": "UBIGINT",
    "lastmod_source": "STRING",
    "content": "STRING",
    "grp": "STRING",
}
KNOWN = {
    "known_loc": "STRING",
    "known_normal": "STRING",
    "known_section": "STRING",
    "known_shard": "STRING",
    "known_entry_hash": "UBIGINT",
    "known_lastmod": "STRING",
    "known_lastmod_source": "STRING",
    "known_content": "STRING",
    "known_first_seen": "BIGINT",
    "known_last_seen": "BIGINT",
    "known_gone": "BIGINT",
}
_TIMES = ("first_seen", "last_seen", "gone")
#: Rows as they are in `incoming`, from the stream `rendered`, if they bring nothing beside their entries.
RENDERED = "(SELECT *, NULL AS lastmod_source, NULL AS content, NULL AS grp FROM rendered)"


def create_routes(connection: DuckDBPyConnection, shard_by: ShardBy) -> None:
    """Create `routes`: the name of the series of each value that rows of `incoming` are sharded by."""
    values = connection.execute(f"SELECT DISTINCT {shard_by.sql} FROM incoming").fetchall()
    connection.execute("CREATE TABLE routes (value VARCHAR, route VARCHAR)")
    names = [value for (value,) in values]
    if names:
        rows = [names, [prefix("", name) for name in names]]
        connection.execute("INSERT INTO routes SELECT unnest(?), unnest(?)", rows)


def rows_sql(shard_by: ShardBy, table: str = "incoming") -> str:
    """Return the query for rows as they travel: those of `incoming`, or of another table with its columns.

    Rows that are not sharded by their locs need `routes`. The others have the name of their series as it is.
    """
    columns = ", ".join(f"{_leaving(name, f'incoming.{name}', kind)} AS {name}" for name, kind in ROW.items())
    if shard_by.kind == "hash":
        return f"SELECT {shard_by.sql} AS route, {columns} FROM {table} AS incoming"
    return f"SELECT route, {columns} FROM {table} AS incoming JOIN routes ON routes.value = {shard_by.sql}"


def known_sql(shard_by: ShardBy) -> str:
    """Return the query for the rows of `known` as they travel: to where a row of the same page would go.

    Where rows are sharded by their locs, `incoming` has those of `known` in the same order. Elsewhere the row says
    where it goes, what is known of a loc without a row goes to its own shard, and `forms` has the normal forms.
    """
    names = {name: f"known.{name.removeprefix('known_')}" for name in KNOWN}
    names["known_normal"] = "incoming.normal" if shard_by.kind == "hash" else "forms.normal"
    columns = ", ".join(f"{_leaving(name, names[name], kind)} AS {name}" for name, kind in KNOWN.items())
    if shard_by.kind != "hash":
        route = "CASE WHEN known.gone IS NULL THEN regexp_extract(known.shard, '^(?:(.*)-)?[0-9]+$', 1) END"
        return f"SELECT {route} AS route, {columns} FROM known LEFT JOIN forms ON forms.written = known.loc"
    return f"SELECT {shard_by.sql} AS route, {columns} FROM known LEFT JOIN incoming ON incoming.row = known.rowid"


def joined_sql(rows: str, known: str) -> str:
    """Return the query for all that travels, in SQL that DuckDB and Spark share; what has one `route` belongs together.

    It is for rows that are not sharded by their locs: they are joined with what is known of their pages by the normal
    forms of their locs, and one row is left for each of these, as `check_incoming` does. The others have the same route
    as what is known of their pages.

    Args:
        rows: The name of the table of rendered rows.
        known: The name of the table of known rows.
    """
    mine, theirs = ", ".join([*ROW, "tally"]), ", ".join(KNOWN)
    # The hash counts as what it is, also in an engine that takes it for a signed number.
    ascending = ("lastmod", "entry_hash < 0", "entry_hash", "grp", "content", "lastmod_source", "loc")
    order = ", ".join(["instant DESC NULLS LAST", *(f"{each} ASC NULLS LAST" for each in ascending)])
    place = f"row_number() OVER (PARTITION BY coalesce(normal, loc) ORDER BY {order}) AS place"
    once = f"SELECT * FROM (SELECT *, {place} FROM {rows}) AS numbered WHERE place = 1 OR loc IS NULL"
    return (
        f"SELECT coalesce(mine.route, theirs.route) AS route, {mine}, {theirs}"
        f" FROM ({once}) AS mine FULL OUTER JOIN {known} AS theirs"
        " ON coalesce(mine.normal, mine.loc) = coalesce(theirs.known_normal, theirs.known_loc)"
    )


def arrive(connection: DuckDBPyConnection, arrived: Any) -> tuple[set[str], list[bytes]]:
    """Insert what has arrived in an Arrow table into `incoming` and `known`; return its routes, and the tallies in it.

    The table may have the route, the columns of rows, of known rows, and the tally. DuckDB finds `arrived` among the
    local variables by its name.
    """
    names = set(arrived.schema.names)
    if "loc" in names:
        rows = ", ".join(f"{_arriving(name, name, 'incoming')} AS {name}" for name in ROW)
        columns = f"section, row, {', '.join(ROW)}"
        connection.execute(f"INSERT INTO incoming ({columns}) SELECT 0, 0, {rows} FROM arrived WHERE loc IS NOT NULL")
    if "known_loc" in names:
        known = {name.removeprefix("known_"): name for name in KNOWN if name != "known_normal"}
        values = ", ".join(f"{_arriving(name, column, 'known')} AS {name}" for name, column in known.items())
        connection.execute(
            f"INSERT INTO known ({', '.join(known)}) SELECT {values} FROM arrived WHERE known_loc IS NOT NULL"
        )
    routes: list[Any] = []
    if "route" in names:
        routes = connection.execute("SELECT DISTINCT route FROM arrived WHERE route IS NOT NULL").fetchall()
    tallies: list[Any] = []
    if "tally" in names:
        tallies = connection.execute("SELECT tally FROM arrived WHERE tally IS NOT NULL").fetchall()
    return {route for (route,) in routes}, [tally for (tally,) in tallies]


def _leaving(name: str, value: str, kind: str) -> str:
    return f"epoch_us({value})" if name.removeprefix("known_") in _TIMES else f"{value}::{kind}"


def _arriving(name: str, value: str, table: str) -> str:
    return f"make_timestamptz({value})" if name in _TIMES else f"{value}::{columns_of(table)[name]}"
