"""The verb `schedule`: how often a crawler should ask for each page, with what it may spend."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, NamedTuple, Self, get_args

from urlset._model.errors import InputError
from urlset._model.tables import _ArrowExport
from urlset._options import kinds
from urlset._options.option import Option
from urlset._options.publish import Memory
from urlset._schedule import pages as given
from urlset._schedule.pages import LEAST
from urlset._schedule.policies import FRESHNESS, PolicyName
from urlset._schedule.rates import plan
from urlset._util.arguments import check_choice
from urlset._util.instances import cursor_of, in_memory

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._write.rows import ArrowTable

_BUDGET = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[kMGT]?B)?(?:\s*/\s*(?P<time>day|hour|minute|second))?")
_UNITS = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_PER_DAY = {"day": 1, "hour": 24, "minute": 24 * 60, "second": 24 * 60 * 60}
#: The largest budget: of bytes, more than all networks carry.
_MOST = 1e21
#: Rows that are fetched at once.
_FETCHED = 10_000


class Visits(NamedTuple):
    """How often one page is fetched.

    Attributes:
        loc: The page.
        rate: Fetches per day.
        freshness: The share of time in which the copy will be what the page is, with fetches at even intervals.
    """

    loc: str
    rate: float
    freshness: float


class Schedule(_ArrowExport):
    """How often each page is fetched: a row for each, in their order. Iterate it, or take it by `__arrow_c_stream__`.

    It holds a database in memory until it is closed.

    Attributes:
        policy: The policy.
        budget: What may be spent in a day: fetches, or bytes.
        spent: What the plan spends. It is nothing if no page changes.
        pages: How many pages there are.
        fetched: How many of them are fetched at all.
        freshness: The mean freshness of all pages, by their importance.
    """

    def __init__(self, connection: DuckDBPyConnection, stack: ExitStack, policy: PolicyName, budget: float) -> None:
        self._connection = connection
        self._stack = stack
        self.policy = policy
        self.budget = budget
        found = connection.execute(
            "SELECT coalesce(sum(rate * c), 0), count(*), count(*) FILTER (rate > 0),"
            f" sum(m * ({FRESHNESS})) / nullif(sum(m), 0) FROM plan"
        ).fetchall()[0]
        self.spent, self.pages, self.fetched, self.freshness = float(found[0]), *map(int, found[1:3]), found[3]

    def __len__(self) -> int:
        """Return how many pages there are."""
        return self.pages

    def __iter__(self) -> Iterator[Visits]:
        """Iterate the pages."""
        cursor = cursor_of(self._connection)
        cursor.execute(self._query())
        while rows := cursor.fetchmany(_FETCHED):
            yield from map(Visits._make, rows)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the pages as an Arrow stream, with a column for each attribute of `Visits`."""
        return cursor_of(self._connection).sql(self._query()).__arrow_c_stream__(requested_schema)

    def close(self) -> None:
        """Free the memory."""
        self._stack.close()

    def __enter__(self) -> Self:
        """Return the schedule, and close it at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    @staticmethod
    def _query() -> str:
        return f"SELECT loc, rate, {FRESHNESS} AS freshness FROM plan ORDER BY place"


def schedule(
    pages: ArrowTable | Iterable[Mapping[str, object]],
    *,
    budget: Annotated[
        float | str,
        Option(
            "What may be spent: fetches per day, or a text such as 10000/day, 5/second or 20GB/day.",
            kind=kinds.STRING,
            metavar="AMOUNT",
        ),
    ],
    policy: Annotated[
        PolicyName, Option("How pages are chosen: the freshest copies, or a simple rule to compare with.")
    ] = "azar",
    memory: Memory = "512MB",
) -> Schedule:
    """Return how often a crawler should fetch each page, so that its copies are as fresh as the budget allows.

    Args:
        pages: A table (Arrow, a data frame, a relation), or mappings, with `loc` and `change_rate`, the changes per
            day. `importance` weighs a page against the others, and is 1 where it is missing; the priority of a sitemap
            compares pages of one site only. A budget in bytes needs `bytes`, the size of a page.
        budget: What may be spent: fetches per day, or a text such as 10000/day, 5/second or 20GB/day.
        policy: How pages are chosen: the freshest copies, or a simple rule to compare with. `azar` and `periodic` fetch
            only pages that are worth it, `lambdacrawl` every page that changes; `uniform`, `proportional` (to the
            changes) and `importance` optimize nothing.
        memory: Memory limit for planning; what does not fit goes to temporary files.

    Returns:
        The schedule. Close it when done with it, best by `with`.

    Raises:
        InputError: An argument is invalid, a column is missing, or a value cannot be planned with.

    Example:
        >>> import urlset
        >>> pages = [{"loc": "/news", "change_rate": 4.0}, {"loc": "/about", "change_rate": 0.01}]
        >>> with urlset.schedule(pages, budget=2) as plan:
        ...     [(page.loc, round(page.rate, 2), round(page.freshness, 2)) for page in plan]
        [('/news', 1.72, 0.39), ('/about', 0.28, 0.98)]
    """
    check_choice("policy", policy, get_args(PolicyName))
    amount, by_bytes = _amount(budget)
    with ExitStack() as stack:
        connection = stack.enter_context(in_memory(memory=memory))
        given.load(connection, pages, by_bytes=by_bytes)
        plan(connection, policy, amount)
        return Schedule(connection, stack.pop_all(), policy, amount)


def _amount(budget: float | str) -> tuple[float, bool]:
    """Return an amount per day, and whether it is one of bytes."""
    if isinstance(budget, str) and (found := _BUDGET.fullmatch(budget.strip())):
        amount = float(found["number"]) * _UNITS.get(found["unit"] or "B", 1) * _PER_DAY[found["time"] or "day"]
        is_bytes = found["unit"] is not None
    elif isinstance(budget, int | float) and not isinstance(budget, bool):
        amount, is_bytes = float(budget), False
    else:
        raise InputError(f"budget must be a number or a text such as '10000/day' or '20GB/day', got {budget!r}")
    if not LEAST <= amount <= _MOST:
        raise InputError(f"budget must be from {LEAST:g} to {_MOST:g} a day, got {budget!r}")
    return amount, is_bytes
