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
from urlset._util.duckdb import identifier
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
#: What a page has that has no value in a column of importance. That of `priority` is the protocol's; a page that is
#: listed counts as one more link.
#: Source: https://www.sitemaps.org/protocol.html, priority.
_MISSING = {"priority": "0.5", "inlinks": "0"}
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
    "looks": _PlannedColumn("DOUBLE", valid=_NOT_NEGATIVE, wanted=f"0, or up to {MOST:g}"),
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
        explore: The share of the budget for pages that are hardly known. If it is more than 0, there is a column
            `is_unknown`.
        policy: The policy for such pages.
    """

    has_hosts: bool
    has_times: bool
    has_notices: bool
    explore: float
    policy: Policy


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a plan takes of the pages.

    Attributes:
        policy: The policy by which they are planned.
        by_bytes: Whether a fetch takes as much of the budget as the page has bytes, and not 1.
        host_budget: What each host may be asked for that has no budget of its own.
        importance: The column with the importance.
        explore: The share of the budget for pages that are hardly known.
    """

    policy: PolicyName
    by_bytes: bool
    host_budget: float | None = None
    importance: str = "importance"
    explore: float = 0.0

    def columns(self) -> dict[str, GivenColumn]:
        """Return the columns to take.

        Raises:
            InputError: The importance is in a column that means something else.
        """
        if self.importance != "importance" and self.importance in _COLUMNS:
            raise InputError(
                f"importance must name a column such as priority or inlinks; {self.importance!r} means something else"
            )
        needed = {"loc": ""} | ({} if self.explore else {"change_rate": ""})
        needed |= {"bytes": ", which a budget in bytes needs"} if self.by_bytes else {}
        needed |= {self.importance: ", which importance names"} if self.importance != "importance" else {}
        found = {
            name: GivenColumn(column.kind, column.default, needed.get(name))
            for name, column in _COLUMNS.items()
            if _OF_POLICY.get(name, self.policy) == self.policy
            and name not in {*["bytes"] * (not self.by_bytes), *["looks"] * (not self.explore), "importance"}
        }
        default = _MISSING.get(self.importance, "1")
        return found | {self.importance: GivenColumn("DOUBLE", default, needed.get(self.importance))}


def load(
    connection: DuckDBPyConnection, pages: ArrowTable | Iterable[Mapping[str, object]], wanted: Wanted
) -> LoadedPages:
    """Create the table `pages` with the columns place, loc, d, m, c and most, and `hosts` if hosts have budgets.

    Args:
        connection: Where.
        pages: A table, or rows as mappings, with `loc` and `change_rate`, and maybe more columns.
        wanted: What a plan takes of them.

    Returns:
        What else is known of them.

    Raises:
        InputError: A column is missing, or a value is not a number that can be planned with.
    """
    columns = wanted.columns()
    given = load_rows(connection, pages, columns, table="given", what="page", is_whole=False)
    # A file without a column has one here, without a value.
    counts = ", ".join(f"count({identifier(name)})" for name in given)
    [found] = connection.execute(f"SELECT {counts} FROM given").fetchall()
    given = frozenset(name for name, count in zip(given, found, strict=True) if count)
    _check_values(connection, wanted)

    has_hosts = (wanted.host_budget is not None or "host_budget" in given) and make_hosts(
        connection, "host_budget" if "host_budget" in given else "NULL::DOUBLE", wanted.host_budget
    )
    known = LoadedPages(
        has_hosts=has_hosts,
        has_times="fetched" in given,
        has_notices="notices" in given,
        explore=wanted.explore,
        policy=_policy_for(wanted.policy, has_notices="notices" in given),
    )
    _create_pages(connection, wanted, known, given)
    if wanted.policy == "signals":
        make_signals(connection)
    return known


def _create_pages(connection: DuckDBPyConnection, wanted: Wanted, known: LoadedPages, given: Collection[str]) -> None:
    """Create the table `pages` of the table `given`, which has values in the given columns."""

    def value(name: str) -> str:
        default = f"{_COLUMNS[name].default}::{_COLUMNS[name].kind}"
        return f"coalesce({name}, {default})" if name in given else default

    is_unknown = f"{value('change_rate')} IS NULL" + " OR coalesce(looks, 0) < 2" * ("looks" in given)
    is_noticed = "notices" + f" AND NOT ({is_unknown})" * bool(known.explore)
    importance = identifier(wanted.importance) if wanted.importance in given else _MISSING.get(wanted.importance, "1")
    more = [
        *["host"] * known.has_hosts,
        *["epoch_us(fetched) AS fetched"] * known.has_times,
        *[f"({is_noticed}) AS notices"] * known.has_notices,
        *[f"({is_unknown}) AS is_unknown"] * bool(known.explore),
        *[f"{value('signals')} AS moves"] * ("moves" in known.policy.columns),
        *[f"{value(name)} AS {name}" for name in ("recall", "precision")] * (wanted.policy == "signals"),
    ]
    # All that a page with notices can be fetched is once for each of its changes.
    most = f"CASE WHEN {is_noticed} THEN change_rate ELSE {_FREE} END" if known.has_notices else _FREE
    hosts = f"LEFT JOIN hosts ON hosts.name = {host_sql('loc')}" if known.has_hosts else ""
    connection.execute(
        f"CREATE TABLE pages AS SELECT place, loc, {value('change_rate')} AS d,"
        f" ({importance})::DOUBLE{' + 1' * (wanted.importance == 'inlinks')} AS m,"
        f" {'bytes' if wanted.by_bytes else '1::DOUBLE'} AS c, {most} AS most"
        f" {''.join(f', {each}' for each in more)} FROM given {hosts} ORDER BY place"
    )
    connection.execute("DROP TABLE given")


def _policy_for(name: PolicyName, *, has_notices: bool) -> Policy:
    return SIGNALS if name == "signals" else NOTICED if has_notices else POLICIES[name]


def _check_values(connection: DuckDBPyConnection, wanted: Wanted) -> None:
    """Raise InputError for the first row with a value that is missing, or one that no page can have."""
    names = [row[0] for row in connection.execute("DESCRIBE given").fetchall()]
    needed = {"loc", *["change_rate"] * (not wanted.explore), *["bytes"] * wanted.by_bytes}
    for name in (each for each in names if each != "place"):
        column = _COLUMNS["importance" if name == wanted.importance else name]
        value = identifier(name)
        wrong = f"{value} IS NULL" if name in needed else "false"
        if column.valid:
            # Not a number is the greatest of all for DuckDB.
            wrong += f" OR NOT ({column.valid.format(value)})"
        found = connection.execute(f"SELECT place, {value} FROM given WHERE {wrong} ORDER BY place LIMIT 1").fetchone()
        if found is not None:
            raise InputError(
                f"row {found[0]:,} of the pages: {name} must be {column.wanted}, got {found[1]}{_hint(name, found[1])}"
            )


def _hint(name: str, value: object) -> str:
    """Return what to do about a value."""
    is_unknown = name == "change_rate" and value is None
    return "; explore gives a share of the budget to pages without one" if is_unknown else ""
