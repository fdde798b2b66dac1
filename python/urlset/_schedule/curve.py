"""Freshness against budget, by policy: what another budget would give, as figures and as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, get_args

from urlset._model.tables import _ArrowExport
from urlset._schedule.picture import draw
from urlset._schedule.policies import POLICIES, Policy, PolicyName
from urlset._schedule.rates import plan_all
from urlset._schedule.signal_tables import finish_signals
from urlset._util.duckdb import connect, insert_rows, scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._schedule.pages import LoadedPages

#: The budgets, as powers of two times that of the plan.
_POWERS = range(-4, 5)
_TABLE = "curve_plan"


class CurvePoint(NamedTuple):
    """The freshness of one policy with one budget.

    Attributes:
        policy: The policy.
        budget: What may be spent in a day.
        freshness: The mean freshness of all pages whose change rate is known, by their importance; None without such.
    """

    policy: PolicyName
    budget: float
    freshness: float | None


@dataclass(frozen=True, slots=True)
class FreshnessCurve(_ArrowExport):
    """How fresh copies are, by policy and budget: iterate the points, or take them by `__arrow_c_stream__`.

    Attributes:
        points: The points, policy by policy, by their budgets.
        budget: The budget of the plan.
    """

    points: tuple[CurvePoint, ...]
    budget: float

    def __iter__(self) -> Iterator[CurvePoint]:
        """Iterate the points."""
        return iter(self.points)

    def __len__(self) -> int:
        """Return how many points there are."""
        return len(self.points)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the points as an Arrow stream, with a column for each attribute of `CurvePoint`."""
        connection = connect(threads=1)
        connection.execute("CREATE TABLE points (policy VARCHAR, budget DOUBLE, freshness DOUBLE)")
        insert_rows(connection, "points", list(self.points))
        return connection.sql("FROM points").__arrow_c_stream__(requested_schema)

    def to_svg(self) -> str:
        """Return the curve as a picture, whose colors follow the light or dark of who looks."""
        lines: dict[str, list[tuple[float, float]]] = {}
        for point in self.points:
            if point.freshness is not None:
                lines.setdefault(point.policy, []).append((point.budget, point.freshness))
        return draw(lines, self.budget)


def points(
    connection: DuckDBPyConnection, loaded: LoadedPages, policy: PolicyName, budget: float
) -> Iterator[CurvePoint]:
    """Plan the pages by each policy with each budget, and yield how fresh they would be.

    Args:
        connection: Where the pages are.
        loaded: What is known of them.
        policy: The policy for which they were loaded: only for `signals` is there what that one needs.
        budget: The budget of the plan.
    """
    for name in get_args(PolicyName):
        if name == "signals" != policy:
            continue
        for power in _POWERS:
            amount = budget * 2.0**power
            chosen = loaded.policy if name == policy else POLICIES[name]
            plan_all(connection, loaded, chosen, amount, into=_TABLE)
            yield CurvePoint(name, amount, _freshness(connection, chosen, is_by_signals=name == "signals"))


def _freshness(connection: DuckDBPyConnection, policy: Policy, *, is_by_signals: bool) -> float | None:
    """Return the mean freshness of the table of a plan, which is dropped."""
    if is_by_signals:
        finish_signals(connection, _TABLE)
    found: float | None = scalar(
        connection,
        "SELECT sum(m * fresh) / nullif(sum(m) FILTER (fresh IS NOT NULL), 0)"
        f" FROM (SELECT m, {policy.freshness} AS fresh FROM {_TABLE})",
    )
    connection.execute(f"DROP TABLE {_TABLE}")
    return found
