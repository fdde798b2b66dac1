"""Rows, and what is known of their locs, as they travel between the tasks of a job: which columns, and in which types.

    route           the series of the row, by which rows are brought together; null if it does not matter
    loc, ...        a row, rendered: the columns of `incoming`
    known_loc, ...  what the current manifest says of a loc: the columns of `known`
    known_normal    the normal form of that loc, if that is another text
    tally           the counts of one task's rows, pickled

A travelling row has a rendered row, or a known one, or both if their locs are equal URLs; or only a tally. Engines know
no unsigned numbers, so those of 64 bits are signed here, and times are microseconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from urlset._publish.rows.schema import columns_of
from urlset._publish.values.shards import ShardBy, prefix

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: The columns of a row and of what is known of a loc, with their types in SQL that DuckDB and Spark share.
ROW = {
    "loc": "STRING",
    "normal": "STRING",
    "lastmod": "STRING",
    "instant": "BIGINT",
    "xml_after_lastmod": "STRING",
    "news": "STRING",
    "namespace_bits": "INT",
    "size": "BIGINT",
    "entry_hash": "BIGINT",
    "loc_hash": "BIGINT",
    "lastmod_source": "STRING",
    "content": "STRING",
    "grp": "STRING",
}
KNOWN = {
    "known_loc": "STRING",
    "known_normal": "STRING",
    "known_section": "STRING",
    "known_shard": "STRING",
    "known_entry_hash": "BIGINT",
    "known_lastmod": "STRING",
    "known_lastmod_source": "STRING",
    "known_content": "STRING",
    "known_first_seen": "BIGINT",
    "known_last_seen": "BIGINT",
    "known_gone": "BIGINT",
}
_UNSIGNED, _TIMES = ("entry_hash", "loc_hash"), ("first_seen", "last_seen", "gone")
_WRAP, _HALF = 1 << 64, 1 << 63


def create_routes(connection: DuckDBPyConnection, shard_by: ShardBy) -> None:
    """Create `routes`: the name of the series of each value that rows of `incoming` are sharded by."""
    values = connection.execute(f"SELECT DISTINCT {shard_by.sql} FROM incoming").fetchall()
    connection.execute("CREATE TABLE routes (value VARCHAR, route VARCHAR)")
    names = [value for (value,) in values]
    if names:
        rows = [names, [prefix("", name) for name in names]]
        connection.execute("INSERT INTO routes SELECT unnest(?), unnest(?)", rows)


def rows_sql(shard_by: ShardBy) -> str:
    """Return the query for the rows of `incoming`, with `routes`, as they travel."""
    columns = ", ".join(f"{_leaving(name, f'incoming.{name}', kind)} AS {name}" for name, kind in ROW.items())
    matches = f"routes.value = {shard_by.sql}"
    return f"SELECT route, {columns}, NULL::BLOB AS tally FROM incoming JOIN routes ON {matches}"


def known_sql(shard_by: ShardBy) -> str:
    """Return the query for the rows of `known` as they travel: to where a row of the same page would go.

    Where rows are sharded by their locs, `incoming` has those of `known` in the same order, with `routes`. Elsewhere
    the row says where it goes, what is known of a loc without a row goes to its own shard, and `forms` has the normal
    forms.
    """
    names = {name: f"known.{name.removeprefix('known_')}" for name in KNOWN}
    names["known_normal"] = "incoming.normal" if shard_by.kind == "hash" else "forms.normal"
    columns = ", ".join(f"{_leaving(name, names[name], kind)} AS {name}" for name, kind in KNOWN.items())
    if shard_by.kind != "hash":
        route = "CASE WHEN known.gone IS NULL THEN regexp_extract(known.shard, '^(?:(.*)-)?[0-9]+$', 1) END"
        return f"SELECT {route} AS route, {columns} FROM known LEFT JOIN forms ON forms.written = known.loc"
    return (
        f"SELECT route, {columns} FROM known"
        " LEFT JOIN incoming ON incoming.row = known.rowid"
        f" LEFT JOIN routes ON routes.value = {shard_by.sql}"
    )


def together_sql(shard_by: ShardBy, rows: str, known: str) -> str:
    """Return the query for all that travels, in SQL that DuckDB and Spark share; what has one `route` belongs together.

    Args:
        shard_by: How rows are sharded. Where that is by their locs, a row and what is known of its page have the same
            route. Elsewhere they are joined by the normal forms of their locs, and one row is left for each of these,
            as `check_incoming` does.
        rows: The name of the table of rendered rows.
        known: The name of the table of known rows.
    """
    mine, theirs = ", ".join([*ROW, "tally"]), ", ".join(KNOWN)
    if shard_by.kind == "hash":
        no_row = ", ".join([*_nulls(ROW), "CAST(NULL AS BINARY) AS tally"])
        return (
            f"SELECT route, {mine}, {', '.join(_nulls(KNOWN))} FROM {rows}"
            f" UNION ALL SELECT route, {no_row}, {theirs} FROM {known}"
        )
    # The hash counts as what it is, without a sign.
    ascending = ("lastmod", "entry_hash < 0", "entry_hash", "grp", "content", "lastmod_source", "loc")
    order = ", ".join(["instant DESC NULLS LAST", *(f"{each} ASC NULLS LAST" for each in ascending)])
    place = f"row_number() OVER (PARTITION BY coalesce(normal, loc) ORDER BY {order}) AS place"
    once = f"SELECT * FROM (SELECT *, {place} FROM {rows}) AS numbered WHERE place = 1 OR loc IS NULL"
    return (
        f"SELECT coalesce(mine.route, theirs.route) AS route, {mine}, {theirs}"
        f" FROM ({once}) AS mine FULL OUTER JOIN {known} AS theirs"
        " ON coalesce(mine.normal, mine.loc) = coalesce(theirs.known_normal, theirs.known_loc)"
    )


def _nulls(columns: Mapping[str, str]) -> list[str]:
    return [f"CAST(NULL AS {kind}) AS {name}" for name, kind in columns.items()]


def arrive(connection: DuckDBPyConnection, arrived: Any) -> tuple[set[str], list[bytes]]:
    """Insert what has arrived in an Arrow table into `incoming` and `known`; return its routes, and the tallies in it.

    DuckDB finds `arrived` among the local variables by its name.
    """
    rows = ", ".join(f"{_arriving(name, name, 'incoming')} AS {name}" for name in ROW)
    connection.execute(
        f"INSERT INTO incoming (section, row, {', '.join(ROW)}) SELECT 0, 0, {rows} FROM arrived WHERE loc IS NOT NULL"
    )
    known = {name.removeprefix("known_"): name for name in KNOWN if name != "known_normal"}
    values = ", ".join(f"{_arriving(name, column, 'known')} AS {name}" for name, column in known.items())
    connection.execute(
        f"INSERT INTO known ({', '.join(known)}) SELECT {values} FROM arrived WHERE known_loc IS NOT NULL"
    )

    routes = connection.execute("SELECT DISTINCT route FROM arrived WHERE route IS NOT NULL").fetchall()
    tallies = connection.execute("SELECT tally FROM arrived WHERE tally IS NOT NULL").fetchall()
    return {route for (route,) in routes}, [tally for (tally,) in tallies]


def _leaving(name: str, value: str, kind: str) -> str:
    plain = name.removeprefix("known_")
    if plain in _UNSIGNED:
        return f"({value}::HUGEINT - CASE WHEN {value} >= {_HALF} THEN {_WRAP}::HUGEINT ELSE 0 END)::BIGINT"
    if plain in _TIMES:
        return f"epoch_us({value})"
    return f"{value}::{kind}"


def _arriving(name: str, value: str, table: str) -> str:
    if name in _UNSIGNED:
        return f"({value}::HUGEINT + CASE WHEN {value} < 0 THEN {_WRAP}::HUGEINT ELSE 0 END)::UBIGINT"
    if name in _TIMES:
        return f"make_timestamptz({value})"
    return f"{value}::{columns_of(table)[name]}"
