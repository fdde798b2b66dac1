"""When each page is due: the moment of its next fetch, why then, and all fetches up to a moment in their order.

A page is due again one period after its last fetch, and now if that is over. Pages that were never fetched would all be
due now, and together they may take the budget of many days. They come in a line, those with the highest rates first, at
the pace at which the plan spends on them, so the first fetches take no more of a day than their share. None waits
longer than its period: all pages before it in the line have higher rates, and so they take less than that together.

Without times of fetches, each page starts at a place of its period that a hash of its loc decides: no moment has more
fetches than another, and plans of the same pages agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from urlset._model.errors import InputError
from urlset._schedule.policies import LONGEST, Policy, share_of
from urlset._util.duckdb import scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_DAY: Final = 86_400_000_000
#: The most fetches up to a moment, of all pages and of one.
_MOST_DUE: Final = 100_000_000
_MOST_OF_ONE: Final = 1_000_000


def _number(value: str) -> str:
    """Return SQL for a number as people write it: a digit after the point below 10."""
    return (
        f"CASE WHEN {value} < 10 THEN rtrim(rtrim(printf('%.1f', {value}), '0'), '.') ELSE printf('%.0f', {value}) END"
    )


def _span(days: str) -> str:
    """Return SQL for a time as people write it."""
    units = ((1, "d"), (24, "h"), (1_440, "min"), (86_400, "s"))
    cases = (
        f"WHEN {days} * {size} >= 0.95 OR {size} = 86400 THEN {_number(f'({days} * {size})')} || ' {unit}'"
        for size, unit in units
    )
    return f"CASE {' '.join(cases)} END"


@dataclass(frozen=True, slots=True)
class Clock:
    """When the pages of a plan are due.

    Attributes:
        now: The present, in microseconds.
        policy: The policy of the plan.
        has_times: Whether the plan has a column `fetched`. A page without one was never fetched then.
    """

    now: int
    policy: Policy
    has_times: bool

    @property
    def gap(self) -> str:
        """SQL for the days between two fetches of a page."""
        return f"least({self.policy.gap}, {LONGEST})"

    @property
    def next(self) -> str:
        """SQL for the moment of the next fetch of a page, in microseconds; NULL if it is not fetched again."""
        return f"CASE WHEN due < {self.now} THEN {self.now}::BIGINT ELSE due END"

    @property
    def plan(self) -> str:
        """SQL for the plan with the columns `due`, in microseconds, and `is_new`: whether it was never fetched."""
        if self.has_times:
            again = f"greatest({self.gap} - {self.policy.saved}, 0)"
            start, is_new = f"coalesce(fetched, {self.now})", "fetched IS NULL"
            wait = f"CASE WHEN fetched IS NULL THEN least(ahead, {LONGEST}) ELSE {again} END"
        else:
            start, is_new, wait = f"{self.now}", "false", f"{share_of('loc')} * {self.gap}"
        is_due = f"rate > 0 AND (({is_new}) OR NOT ({self.policy.held}))"
        due = f"CASE WHEN {is_due} THEN {start} + (({wait}) * {_DAY})::BIGINT END"
        return f"(SELECT *, {is_new} AS is_new, {due} AS due FROM plan)"

    def line_up(self, connection: DuckDBPyConnection) -> None:
        """Give the table `plan` the column `ahead` if it has times: how many days a new page waits."""
        if not self.has_times:
            return
        if not scalar(connection, "SELECT count(*) FROM plan WHERE fetched IS NULL AND rate > 0"):
            connection.execute("ALTER TABLE plan ADD COLUMN ahead DOUBLE")
            return
        connection.execute(
            """
            CREATE OR REPLACE TABLE plan AS
            SELECT plan.*, ahead FROM plan LEFT JOIN (
                SELECT place, (sum(c) OVER (
                    ORDER BY rate DESC, hash(loc), place ROWS UNBOUNDED PRECEDING
                ) - c) / sum(c * rate) OVER () AS ahead
                FROM plan WHERE fetched IS NULL AND rate > 0
            ) USING (place)
            """
        )

    @property
    def why(self) -> str:
        """SQL for why a page is fetched when it is, in few words."""
        late = _span(f"(({self.now} - due) / {_DAY})")
        return f"""
            CASE
                WHEN rate = 0 THEN CASE
                    WHEN d = 0 THEN 'never changes' WHEN m = 0 THEN 'not important'
                    WHEN is_bound THEN 'its host has no budget for it' ELSE 'not worth a fetch' END
                WHEN due IS NULL THEN 'waits for a notice'
                WHEN is_new THEN 'never fetched'
                WHEN due <= {self.now} AND ({self.policy.saved}) > 0 THEN '{self.policy.news}'
                WHEN due < {self.now} THEN 'overdue by ' || {late}
                ELSE 'every ' || {_span(f"({self.gap})")}
                    || CASE WHEN is_unknown THEN ', to learn how often it changes' ELSE '' END
            END || CASE WHEN is_bound AND rate > 0 THEN ', as its host allows' ELSE '' END
        """

    def due_sql(self, connection: DuckDBPyConnection, until: int) -> str:
        """Return a query of the fetches that are due up to a moment, in their order.

        Its columns are `moment`, in microseconds, and `loc`.

        Raises:
            InputError: There are too many.
        """
        times = f"(floor(({until} - ({self.next})) / {_DAY} / {self.gap}) + 1)"
        chosen = f"FROM {self.plan} WHERE ({self.next}) <= {until}"
        [(whole, most)] = connection.execute(
            f"SELECT coalesce(sum({times}), 0), coalesce(max({times}), 0) {chosen}"
        ).fetchall()
        if whole > _MOST_DUE or most > _MOST_OF_ONE:
            raise InputError(
                f"until must be nearer: {whole:,.0f} fetches are due by then, {most:,.0f} of one page; at most"
                f" {_MOST_DUE:,} and {_MOST_OF_ONE:,} can be listed"
            )
        moment = f"({self.next}) + (time * {self.gap} * {_DAY})::BIGINT"
        return (
            f"SELECT moment, loc FROM (SELECT {moment} AS moment, due, place, loc"
            f" FROM (SELECT *, unnest(range({times}::BIGINT)) AS time {chosen})) ORDER BY moment, due, place"
        )
