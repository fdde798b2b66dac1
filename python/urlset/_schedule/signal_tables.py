"""The curves of noisy signals as tables of DuckDB: the rate of each page by a join, whatever the number of pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from urlset._schedule.policies import FRESHNESS, PERIODS, VALUE, Policy
from urlset._schedule.signals import CYCLES, MOST_RECALL, VALUES, Grid, Signal, curve_of
from urlset._util.duckdb import insert_rows, scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: How exactly recall and precision count. They are estimates, and a coarse step bounds the number of curves.
_STEP, _COARSE, _MOST_CURVES = 0.01, 0.05, 400


def make_signals(connection: DuckDBPyConnection) -> None:
    """Give the table `pages` the column `kind`, the number of its signal, in place of recall and precision.

    Pages without a signal, or one that says little, have none. The tables `kinds`, `signal_values` and `signal_cycles`
    have the curves.
    """
    step = _STEP
    if scalar(connection, f"SELECT count(*) FROM (SELECT DISTINCT {_rounded(step)} FROM pages)") > _MOST_CURVES:
        step = _COARSE
    found = connection.execute(f"SELECT DISTINCT {_rounded(step)} FROM pages ORDER BY ALL").fetchall()
    pairs = [(recall, precision) for recall, precision in found if recall is not None and precision is not None]
    signals = [(pair, signal) for pair in pairs if (signal := Signal.of(*pair)) is not None]
    curves = [curve_of(signal) for _, signal in signals]
    connection.execute("CREATE TABLE kinds (recall DOUBLE, precision DOUBLE, kind INTEGER, worth DOUBLE)")
    insert_rows(connection, "kinds", [(*pair, kind, signal.worth) for kind, (pair, signal) in enumerate(signals)])
    _table(connection, "signal_values", VALUES, {"cycle": [curve.cycles for curve in curves]})
    columns = {"fresh": [curve.fresh for curve in curves], "threshold": [curve.thresholds for curve in curves]}
    _table(connection, "signal_cycles", CYCLES, columns)
    connection.execute(
        f"""
        CREATE OR REPLACE TABLE pages AS
        SELECT pages.* EXCLUDE (recall, precision), kinds.kind
        FROM (SELECT *, {_rounded(step, "near_")} FROM pages) AS pages
        LEFT JOIN kinds ON kinds.recall = near_recall AND kinds.precision = near_precision
        """
    )
    connection.execute("ALTER TABLE pages DROP near_recall")
    connection.execute("ALTER TABLE pages DROP near_precision")


def _rounded(step: float, prefix: str = "") -> str:
    """Return SQL for recall and precision in steps."""
    steps = round(1 / step)
    most = math.floor(MOST_RECALL * steps)
    return (
        f"least(round(recall * {steps}), {most}) / {steps} AS {prefix}recall,"
        f" round(precision * {steps}) / {steps} AS {prefix}precision"
    )


def _table(
    connection: DuckDBPyConnection, name: str, grid: Grid, columns: Mapping[str, Sequence[Sequence[float]]]
) -> None:
    """Create a table with a row for each cell of each curve: its number, its place, and what a line through it needs.

    Args:
        connection: Where.
        name: The name of the table.
        grid: The grid of the curves.
        columns: The curves, by the name of their column; `NAME_rise` is by how much a cell ends higher than it begins.
    """
    kinds = len(next(iter(columns.values())))
    lists: list[list[float]] = [list(range(kinds * grid.cells))]
    for curves in columns.values():
        lists.append([value for curve in curves for value in curve[:-1]])
        lists.append([after - before for curve in curves for before, after in pairwise(curve)])
    chosen = ", ".join(f"unnest(?::DOUBLE[]) AS {column}, unnest(?::DOUBLE[]) AS {column}_rise" for column in columns)
    connection.execute(
        f"CREATE TABLE {name} AS SELECT *, cell % {grid.cells} AS start"
        f" FROM (SELECT unnest(?::INTEGER[]) AS cell, {chosen})",
        lists,
    )


def _cell(grid: Grid) -> str:
    """Return SQL for the cell in which `spot` is; NULL without one."""
    cell = f"kind * {grid.cells} + least(greatest(floor(spot), 0), {grid.cells - 1})::INTEGER"
    return f"CASE WHEN spot IS NOT NULL THEN {cell} END AS cell"


def _spot(place: str, grid: Grid) -> str:
    """Return SQL for where a value is on a grid, in cells from its start."""
    return f"({place} - {grid.start!r}) / {grid.step!r} AS spot"


# ln(-ln(1 - y)), without the loss of digits where y is small.
_PLACE = "ln(CASE WHEN y < 1e-5 THEN y * (1 + y / 2) ELSE -ln(1 - least(y, 1 - 1e-15)) END)"
# The logarithm of a cycle, in units of 1/d.
_LENGTH = "CASE WHEN rate > 0 AND d > 0 THEN ln(d / rate) END"
_CYCLE = (
    f"CASE WHEN spot < 0 THEN cycle + spot * {VALUES.step / 2!r}"
    f" ELSE cycle + cycle_rise * (least(spot, {VALUES.cells}) - start) END"
)

SIGNALS = Policy(
    f"CASE WHEN y >= 1 THEN 0 WHEN kind IS NULL THEN d / ({PERIODS}) ELSE d * exp(-({_CYCLE})) END",
    source=(
        f"(SELECT * FROM (SELECT *, {_cell(VALUES)} FROM (SELECT *, {_spot(_PLACE, VALUES)}"
        f" FROM (SELECT *, {VALUE} AS y FROM {{pages}}))) LEFT JOIN signal_values USING (cell))"
    ),
    columns=("kind", "moves"),
    freshness="fresh",
    gap="gap",
    saved="CASE WHEN moves > 0 THEN moves * news ELSE 0 END",
    news="its lastmod moved",
)


def finish_signals(connection: DuckDBPyConnection, plan: str = "plan") -> None:
    """Give the table of a plan the columns `fresh`, `gap` and `news`.

    `gap` is after how many days a page is fetched whose lastmod does not move, and `news` by how many days each move
    brings that forward.
    """
    beyond = f"greatest(spot - {CYCLES.cells}, 0) * {CYCLES.step!r}"
    inside = f"(least(spot, {CYCLES.cells}) - start)"
    fresh = (
        f"CASE WHEN spot < 0 THEN 1 - (1 - fresh) * exp(spot * {CYCLES.step!r})"
        f" ELSE (fresh + fresh_rise * {inside}) * exp(-{beyond}) END"
    )
    threshold = (
        f"CASE WHEN spot < 0 THEN threshold + spot * {CYCLES.step!r}"
        f" ELSE threshold + threshold_rise * {inside} + {beyond} END"
    )
    connection.execute(
        f"""
        CREATE OR REPLACE TABLE {plan} AS
        SELECT plan.* EXCLUDE (spot),
            CASE WHEN cell IS NULL THEN {FRESHNESS} ELSE {fresh} END AS fresh,
            CASE WHEN cell IS NULL THEN 1 / rate ELSE exp({threshold}) / d END AS gap, coalesce(worth / d, 0) AS news
        FROM (SELECT *, {_cell(CYCLES)} FROM (SELECT *, {_spot(_LENGTH, CYCLES)} FROM {plan})) AS plan
        LEFT JOIN signal_cycles USING (cell) LEFT JOIN kinds USING (kind)
        """
    )
