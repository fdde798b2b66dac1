"""The plan of a crawler: which of its pages are due. Whatever fetches by a plan asks here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias

from urlset._model.errors import InputError
from urlset._model.instants import micros_of
from urlset._util.given_rows import ArrowStream, GivenColumn, load_rows
from urlset._util.instances import in_memory

#: A plan: any table with the columns `loc` and `next`, such as a `Schedule`, or mappings.
Plan: TypeAlias = ArrowStream | Iterable[Mapping[str, object]]

_COLUMNS: Final = {"loc": GivenColumn("VARCHAR", why=""), "next": GivenColumn("TIMESTAMPTZ", why="")}
#: Pages that are taken from the plan at once.
_FETCHED: Final = 10_000


class PlannedPage(NamedTuple):
    """A page of a plan.

    Attributes:
        loc: The page.
        overdue: For how many days it has been due; below 0 if it is taken before its time, and None if it is not taken.
    """

    loc: str
    overdue: float | None


def planned_pages(plan: Plan, now: datetime, *, take: int | None = None) -> Iterator[PlannedPage]:
    """Yield the pages of a plan: those that are due, the most overdue first, and then all others.

    A page whose `next` is NULL is never due.

    Args:
        plan: The plan.
        now: The present.
        take: How many pages are due: the first ones, whether their time has come or not. Those whose time has come if
            None.

    Raises:
        InputError: The plan has no column `loc` or `next`, or a value of another type in it.
    """
    with in_memory(threads=1) as connection:
        load_rows(connection, plan, _COLUMNS, table="plan", what="plan row")
        nameless = connection.execute("SELECT place FROM plan WHERE loc IS NULL ORDER BY place LIMIT 1").fetchone()
        if nameless is not None:
            raise InputError(f"row {nameless[0]:,} of the plan: loc must be a text, got None")
        is_due = "next <= now" if take is None else f"next IS NOT NULL AND turn <= {take}"
        due = f"CASE WHEN {is_due} THEN date_diff('second', next, now) / 86400 END"
        connection.execute(
            f"SELECT loc, {due} FROM (SELECT *, make_timestamptz(?) AS now,"  # noqa: S608
            " row_number() OVER (ORDER BY next NULLS LAST, place) AS turn FROM plan) ORDER BY turn",
            [micros_of(now)],
        )
        while rows := connection.fetchmany(_FETCHED):
            yield from map(PlannedPage._make, rows)
