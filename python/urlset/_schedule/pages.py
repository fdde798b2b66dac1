"""The pages to plan: any table with rates of change, as a table of DuckDB that the policies compute with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from urlset._model.errors import InputError
from urlset._schedule.amounts import LEAST, MOST
from urlset._schedule.hosts import make_hosts
from urlset._schedule.policies import NOTICED, POLICIES, Policy, PolicyName
from urlset._schedule.signal_tables import SIGNALS, make_signals
from urlset._util.duckdb import scalar
from urlset._util.given_rows import GivenColumn, load_rows
from urlset._util.identity import host_sql

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._write.rows import ArrowTable


@dataclass(frozen=True, slots=True)
class _PlannedColumn:
    """A column that counts.

    Attributes:
        kind: Its type.
        default: SQL for what a page has that leaves it out.
        valid: SQL for whether a value that is there can be planned with; empty if its type says it all.
        wanted: What it must be, for messages.
    """

    kind: str
    default: str = "NULL"
    valid: str = ""
    wanted: str = ""


_POSITIVE = f"{{0}} BETWEEN {LEAST} AND {MOST}"
_NOT_NEGATIVE = f"{{0}} = 0 OR {_POSITIVE}"
_BOUNDS = f"{LEAST:g} to {MOST:g}"
_ASKED = f"what the host may be asked in a day: 0, or from {_BOUNDS}"
#: Years in which a page may have been fetched: its next fetch then has a year too.
_FIRST, _LAST = "1970-01-01", "2200-01-01"
_CALENDAR = f"isfinite({{0}}) AND {{0}} BETWEEN '{_FIRST}' AND '{_LAST}'"
_SHARE = "{0} BETWEEN 0 AND 1"
#: The bound of a page that may be fetched as often as it is worth it.
_FREE = "CAST('inf' AS DOUBLE)"
#: Columns that only one policy takes.
_OF_POLICY = {"recall": "signals", "precision": "signals", "notices": "lambdacrawl"}
_COLUMNS: Mapping[str, _PlannedColumn] = {
    "loc": _PlannedColumn("VARCHAR", wanted="a text"),
    "change_rate": _PlannedColumn("DOUBLE", valid=_NOT_NEGATIVE, wanted=f"changes per day: 0, or from {_BOUNDS}"),
    "importance": _PlannedColumn("DOUBLE", "1", _NOT_NEGATIVE, f"0, or from {_BOUNDS}"),
    "bytes": _PlannedColumn("DOUBLE", valid=_POSITIVE, wanted=f"from {_BOUNDS}"),
    "fetched": _PlannedColumn("TIMESTAMPTZ", valid=_CALENDAR, wanted=f"a time from {_FIRST} to {_LAST}"),
    "recall": _PlannedColumn("DOUBLE", valid=_SHARE, wanted="from 0 to 1"),
    "precision": _PlannedColumn("DOUBLE", valid=_SHARE, wanted="from 0 to 1"),
    "signals": _PlannedColumn("DOUBLE", "0", _NOT_NEGATIVE, f"0, or up to {MOST:g}"),
    "notices": _PlannedColumn("BOOLEAN", "false"),
    "host_budget": _PlannedColumn("DOUBLE", valid=_NOT_NEGATIVE, wanted=_ASKED),
}
#: Those that all pages need, and the others.
NEEDED = ("loc", "change_rate")
OPTIONAL = tuple(name for name in _COLUMNS if name not in NEEDED)


def given_columns() -> dict[str, GivenColumn]:
    """Return all columns that a plan takes of its pages."""
    return {
        name: GivenColumn(column.kind, column.default, "" if name in NEEDED else None)
        for name, column in _COLUMNS.items()
    }


@dataclass(frozen=True, slots=True)
class LoadedPages:
    """What is known of the pages to plan.

    Attributes:
        has_hosts: Whether there are hosts with a budget: `pages` has a column `host` then.
        has_times: Whether it has a column `fetched`, in microseconds.
        has_notices: Whether pages announce their changes: it has a column `notices` then.
        policy: The policy for such pages.
    """

    has_hosts: bool
    has_times: bool
    has_notices: bool
    policy: Policy


def load(
    connection: DuckDBPyConnection,
    pages: ArrowTable | Iterable[Mapping[str, object]],
    *,
    policy: PolicyName,
    by_bytes: bool,
    host_budget: float | None = None,
) -> LoadedPages:
    """Create the table `pages` with the columns place, loc, d, m, c and most, and `hosts` if hosts have budgets.

    Args:
        connection: Where.
        pages: A table, or rows as mappings, with `loc` and `change_rate`, and maybe more columns.
        policy: The policy by which they are planned.
        by_bytes: Whether a fetch takes as much of the budget as the page has bytes, and not 1.
        host_budget: What each host may be asked for that has no budget of its own.

    Returns:
        What else is known of them.

    Raises:
        InputError: A column is missing, or a value is not a number that can be planned with.
    """
    needed = dict.fromkeys(NEEDED, "") | ({"bytes": ", which a budget in bytes needs"} if by_bytes else {})
    columns = {
        name: GivenColumn(column.kind, column.default, needed.get(name))
        for name, column in _COLUMNS.items()
        if _OF_POLICY.get(name, policy) == policy and (name != "bytes" or by_bytes)
    }
    given = load_rows(connection, pages, columns, table="given", what="page", is_whole=False)
    _check_values(connection, given, needed)

    def value(name: str) -> str:
        return name if name in given else f"{_COLUMNS[name].default}::{_COLUMNS[name].kind}"

    has_hosts = (host_budget is not None or "host_budget" in given) and make_hosts(
        connection, value("host_budget"), host_budget
    )
    has_notices = "notices" in given
    known = LoadedPages(
        has_hosts,
        _has_times(connection, given),
        has_notices,
        SIGNALS if policy == "signals" else NOTICED if has_notices else POLICIES[policy],
    )
    more = [
        *["host"] * has_hosts,
        *["epoch_us(fetched) AS fetched"] * known.has_times,
        *["notices"] * has_notices,
        *[f"{value('signals')} AS moves"] * ("moves" in known.policy.columns),
        *[f"{value(name)} AS {name}" for name in ("recall", "precision")] * (policy == "signals"),
    ]
    hosts = f"LEFT JOIN hosts ON hosts.name = {host_sql('loc')}" if has_hosts else ""
    connection.execute(
        f"CREATE TABLE pages AS SELECT place, loc, change_rate AS d, {value('importance')} AS m,"
        f" {'bytes' if by_bytes else '1::DOUBLE'} AS c,"
        f" {f'CASE WHEN notices THEN change_rate ELSE {_FREE} END' if has_notices else _FREE} AS most"
        f" {''.join(f', {each}' for each in more)} FROM given {hosts} ORDER BY place"
    )
    connection.execute("DROP TABLE given")
    if policy == "signals":
        make_signals(connection)
    return known


def _has_times(connection: DuckDBPyConnection, names: Collection[str]) -> bool:
    # A file without the column has one here, without a value.
    return "fetched" in names and bool(scalar(connection, "SELECT count(fetched) FROM given"))


def _check_values(connection: DuckDBPyConnection, names: Collection[str], needed: Collection[str]) -> None:
    """Raise InputError for the first row with a value that is missing, or one that no page can have."""
    for name in (each for each in _COLUMNS if each in names):
        column = _COLUMNS[name]
        wrong = f"{name} IS NULL" if name in needed else "false"
        if column.valid:
            # Not a number is the greatest of all for DuckDB.
            wrong += f" OR NOT ({column.valid.format(name)})"
        found = connection.execute(f"SELECT place, {name} FROM given WHERE {wrong} ORDER BY place LIMIT 1").fetchone()
        if found is not None:
            raise InputError(f"row {found[0]:,} of the pages: {name} must be {column.wanted}, got {found[1]}")
