"""The verb `schedule`: how often a crawler should ask for each page, with what it may spend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from datetime import datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self, get_args

from urlset._model.errors import InputError
from urlset._model.instants import instant_of, micros_of
from urlset._model.tables import _ArrowExport
from urlset._options import kinds
from urlset._options.option import Option
from urlset._options.publish import Memory
from urlset._schedule import pages as given
from urlset._schedule.amounts import amount
from urlset._schedule.curve import FreshnessCurve, points
from urlset._schedule.moments import Clock
from urlset._schedule.options import BudgetAmount, HostBudget, ImportanceColumn
from urlset._schedule.pages import LoadedPages, Wanted
from urlset._schedule.policies import PolicyName
from urlset._schedule.rates import plan_all
from urlset._schedule.signal_tables import finish_signals
from urlset._util.arguments import check_choice, moment_of
from urlset._util.durations import duration_of
from urlset._util.instances import cursor_of, in_memory

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._write.rows import ArrowTable

#: Rows that are fetched at once.
_FETCHED = 10_000


class Visits(NamedTuple):
    """How often one page is fetched.

    Attributes:
        loc: The page.
        rate: Fetches per day.
        freshness: The share of time in which the copy will be what the page is; None if its change rate is not known.
        next: When it is fetched next; None if it is not.
        why: Why then, in few words: `every 2.5 d`, `overdue by 3 h`, `never fetched`, `not worth a fetch`.
    """

    loc: str
    rate: float
    freshness: float | None
    next: datetime | None
    why: str


class DueVisit(NamedTuple):
    """One fetch of a page.

    Attributes:
        moment: When it is due.
        loc: The page.
    """

    moment: datetime
    loc: str


class DueVisits(_ArrowExport):
    """The fetches that are due, in the order of their moments. Iterate them, or take them by `__arrow_c_stream__`.

    They are there until the schedule is closed.
    """

    def __init__(self, connection: DuckDBPyConnection, query: str) -> None:
        self._connection = connection
        self._query = query

    def __iter__(self) -> Iterator[DueVisit]:
        """Iterate the fetches."""
        for moment, loc in _rows(self._connection, self._query):
            yield DueVisit(instant_of(moment), loc)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the fetches as an Arrow stream, with a column for each attribute of `DueVisit`."""
        query = f"SELECT make_timestamptz(moment) AS moment, loc FROM ({self._query})"
        return cursor_of(self._connection).sql(query).__arrow_c_stream__(requested_schema)


class Schedule(_ArrowExport):
    """How often each page is fetched: a row for each, in their order. Iterate it, or take it by `__arrow_c_stream__`.

    It holds a database in memory until it is closed.

    Attributes:
        policy: The policy.
        budget: What may be spent in a day: fetches, or bytes.
        spent: What the plan spends. It is nothing if no page changes, and less than the budget if the hosts may not be
            asked for so much.
        pages: How many pages there are.
        fetched: How many of them are fetched at all.
        freshness: The mean freshness of all pages whose change rate is known, by their importance.
    """

    def __init__(
        self,
        connection: DuckDBPyConnection,
        stack: ExitStack,
        policy: PolicyName,
        budget: float,
        loaded: LoadedPages,
        clock: Clock,
    ) -> None:
        self._connection = connection
        self._stack = stack
        self.policy = policy
        self.budget = budget
        self._loaded = loaded
        self._clock = clock
        found = connection.execute(
            "SELECT coalesce(sum(rate * c), 0), count(*), count(*) FILTER (rate > 0), sum(m * fresh) / nullif(sum(m)"
            f" FILTER (fresh IS NOT NULL), 0) FROM (SELECT rate, c, m, {clock.policy.freshness} AS fresh FROM plan)"
        ).fetchall()[0]
        self.spent, self.pages, self.fetched, self.freshness = float(found[0]), *map(int, found[1:3]), found[3]

    def __len__(self) -> int:
        """Return how many pages there are."""
        return self.pages

    def __iter__(self) -> Iterator[Visits]:
        """Iterate the pages."""
        for loc, rate, freshness, moment, why in _rows(self._connection, self._query()):
            yield Visits(loc, rate, freshness, None if moment is None else instant_of(moment), why)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the pages as an Arrow stream, with a column for each attribute of `Visits`."""
        query = f"SELECT * REPLACE (make_timestamptz(next) AS next) FROM ({self._query()})"
        return cursor_of(self._connection).sql(query).__arrow_c_stream__(requested_schema)

    def due(self, until: str | timedelta | datetime) -> DueVisits:
        """Return the fetches that are due up to a moment, each page as often as it is due, for a queue of a crawler.

        Args:
            until: An aware datetime, or how long from the moment of the plan: a timedelta, or a text such as 12h or 2d.

        Returns:
            The fetches in the order of their moments. Of those that are due at once, the one that was due first comes
            first.

        Raises:
            InputError: It is neither, or so far away that more than 100 million fetches are due.

        Example:
            >>> from datetime import UTC, datetime
            >>> import urlset
            >>> pages = [{"loc": "/news", "change_rate": 4.0, "fetched": datetime(2026, 11, 27, tzinfo=UTC)}]
            >>> with urlset.schedule(pages, budget=2, now=datetime(2026, 11, 27, 9, tzinfo=UTC)) as plan:
            ...     [visit.moment.isoformat() for visit in plan.due("1d")]
            ['2026-11-27T12:00:00+00:00', '2026-11-28T00:00:00+00:00']
        """
        if isinstance(until, datetime):
            end = micros_of(moment_of(until, "until"))
        else:
            end = self._clock.now + duration_of("until", until) // timedelta(microseconds=1)
        return DueVisits(self._connection, self._clock.due_sql(self._connection, end))

    def curve(self) -> FreshnessCurve:
        """Return how fresh the copies would be with other budgets and policies, from a sixteenth to sixteen times.

        Each point is a plan of its own, so it takes about 50 times as long as one.

        Example:
            >>> import urlset
            >>> pages = [{"loc": "/news", "change_rate": 4.0}, {"loc": "/about", "change_rate": 0.01}]
            >>> with urlset.schedule(pages, budget=2) as plan:
            ...     points = [point for point in plan.curve() if point.policy == "azar"]
            >>> [(point.budget, round(point.freshness, 2)) for point in points][::4]
            [(0.125, 0.48), (2.0, 0.69), (32.0, 0.97)]
        """
        return FreshnessCurve(tuple(points(self._connection, self._loaded, self.policy, self.budget)), self.budget)

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

    def _query(self) -> str:
        """Return the query of the rows, whose moments are in microseconds."""
        clock = self._clock
        columns = f"{clock.policy.freshness} AS freshness, {clock.next} AS next, {clock.why} AS why"
        return f"SELECT loc, rate, {columns} FROM {clock.plan} ORDER BY place"


class FetchCycle(NamedTuple):
    """When a page is fetched again.

    Attributes:
        importance: The weight of the page.
        rate: Fetches per day, on average.
        gap: The days between two fetches if nothing is heard of the page; None if it is never fetched.
        saved: By how many days each move of its lastmod brings the next fetch forward.
        is_held: Whether it is fetched only when it announces a change.
    """

    importance: float
    rate: float
    gap: float | None
    saved: float
    is_held: bool


def fetch_cycles(plan: Schedule) -> Iterator[FetchCycle]:
    """Yield for each page of a plan when it is fetched again, in their order."""
    policy = plan._clock.policy
    saved = "news" if "kind" in policy.columns else "0::DOUBLE"
    held = "notices" if "notices" in policy.columns else "false"
    query = f"SELECT m, rate, CASE WHEN rate > 0 THEN {policy.gap} END, {saved}, {held} FROM plan ORDER BY place"
    return map(FetchCycle._make, _rows(plan._connection, query))


def _rows(connection: DuckDBPyConnection, query: str) -> Iterator[tuple[Any, ...]]:
    cursor = cursor_of(connection)
    cursor.execute(query)
    while rows := cursor.fetchmany(_FETCHED):
        yield from rows


def schedule(
    pages: ArrowTable | Iterable[Mapping[str, object]],
    *,
    budget: BudgetAmount,
    policy: Annotated[
        PolicyName, Option("How pages are chosen: the freshest copies, or a simple rule to compare with.")
    ] = "azar",
    host_budget: HostBudget = None,
    explore: Annotated[
        float,
        Option(
            "Share of the budget for pages without a change rate, or with fewer than two looks, evenly by importance.",
            "What they do not take goes to the others.",
            kind=kinds.SHARE,
        ),
    ] = 0.0,
    importance: ImportanceColumn = "importance",
    memory: Memory = "512MB",
    now: datetime | None = None,
) -> Schedule:
    """Return how often a crawler should fetch each page, so that its copies are as fresh as the budget allows.

    Args:
        pages: A table (Arrow, a data frame, a relation), or mappings, with `loc` and `change_rate`, the changes per
            day. `importance` weighs a page against the others, and is 1 where it is missing; the priority of a sitemap
            compares pages of one site only. A budget in bytes needs `bytes`, the size of a page. `host_budget` is what
            the host of the page may be asked in a day; the least of a host's pages counts. `fetched` is the time of the
            last fetch, or None for a page that was never fetched. For the policy `signals`, `recall` is the share
            of its changes with which the lastmod of a page moves, and `precision` the share of its moves that go with a
            change. For `lambdacrawl`, `notices` says whether the page announces each change. `signals` is how often its
            lastmod has moved, or a change was announced, since it was fetched.
        budget: What may be spent: fetches per day, or a text such as 10000/day, 5/second or 20GB/day.
        policy: How pages are chosen: the freshest copies, or a simple rule to compare with. `azar` and `periodic` fetch
            only pages that are worth it, and so does `signals`, which goes by their lastmods as far as they tell the
            truth; `lambdacrawl` fetches every page that changes; `uniform`, `proportional` (to the changes) and
            `importance` optimize nothing.
        host_budget: What each host may be asked at most, as a budget: 1/second for a crawl-delay of one second. It goes
            for each host of which no page has a `host_budget` of its own.
        explore: Share of the budget for pages without a change rate, or with fewer than two looks, evenly by
            importance. What they do not take goes to the others.
        importance: Column of the importance, such as priority or inlinks. A page without a `priority` has 0.5, and
            `inlinks` count one more.
        memory: Memory limit; what does not fit goes to temporary files.
        now: Aware datetime from which on pages are fetched; the present if None.

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
    whole = amount("budget", budget)
    each = None if host_budget is None else amount("host_budget", host_budget)
    if each is not None and each.is_bytes != whole.is_bytes:
        unit = "bytes" if whole.is_bytes else "fetches"
        raise InputError(f"host_budget must be in {unit}, as the budget is, got {host_budget!r}")
    if isinstance(explore, bool) or not isinstance(explore, int | float) or not 0 <= explore <= 1:
        raise InputError(f"explore must be a share from 0 to 1, got {explore!r}")
    wanted = Wanted(policy, whole.is_bytes, None if each is None else each.per_day, importance, float(explore))
    moment = micros_of(moment_of(now))
    with ExitStack() as stack:
        connection = stack.enter_context(in_memory(memory=memory))
        loaded = given.load(connection, pages, wanted)
        clock = Clock(moment, loaded.policy, loaded.has_times)
        plan_all(connection, loaded, loaded.policy, whole.per_day)
        if policy == "signals":
            finish_signals(connection)
        clock.line_up(connection)
        return Schedule(connection, stack.pop_all(), policy, whole.per_day, loaded, clock)
