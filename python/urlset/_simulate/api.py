"""The verb `simulate`: how fresh a crawler's copies are under each policy, measured event by event."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from statistics import mean, stdev
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, TypeAlias, get_args

from urlset._model.errors import InputError
from urlset._model.tables import _ArrowExport
from urlset._options.option import Option
from urlset._options.publish import Memory
from urlset._schedule.amounts import amount
from urlset._schedule.api import FetchCycle, Schedule, fetch_cycles, schedule
from urlset._schedule.options import BudgetAmount, HostBudget, ImportanceColumn
from urlset._schedule.policies import PolicyName
from urlset._simulate.drawn import Seed, check_whole
from urlset._simulate.model import PageModel
from urlset._simulate.pages import SimulatedPages
from urlset._simulate.refetching import ByNotice, ByThreshold, Evenly, Refetching
from urlset._simulate.runs import WARM_UP, Measured, believed, planned
from urlset._util.arguments import check_choice
from urlset._util.duckdb import connect, insert_rows
from urlset._util.instances import in_memory
from urlset._util.tempdirs import temporary_folder
from urlset._util.text import plural

if TYPE_CHECKING:
    from urlset._write.rows import ArrowTable

SimulatedName: TypeAlias = PolicyName | Literal["moved"]
_NAMES: tuple[SimulatedName, ...] = (*get_args(PolicyName), "moved")

#: Runs of each policy. They are independent of each other, so that their differences tell how exact the mean is.
_RUNS = 10
#: The factor of an interval of 95 % for the mean of so many runs: Student's t with one degree of freedom less.
_T = 2.262
#: Steps of all runs of a policy, each a fetch or a move that is counted: up to some minutes of a core.
_MAX_STEPS = 20_000_000

_COLUMNS = {
    "policy": "VARCHAR",
    **dict.fromkeys(("freshness", "low", "high", "expected", "fetches", "bytes"), "DOUBLE"),
}


class PolicyOutcome(NamedTuple):
    """What was measured of one policy.

    Attributes:
        policy: The policy; `moved` fetches whatever has a new lastmod, in that order, and otherwise by importance.
        freshness: The share of time in which a copy was what the page is, over all pages by their importance; None if
            none is important.
        low: Lower end of the interval in which its mean over all time is with a chance of 95 %.
        high: Upper end of it.
        expected: The freshness that the plan has promised; None without a plan.
        fetches: Fetches per day.
        bytes: Their bytes per day; None if the pages have no `bytes`.
    """

    policy: str
    freshness: float | None
    low: float | None
    high: float | None
    expected: float | None
    fetches: float
    bytes: float | None


@dataclass(frozen=True, slots=True)
class Simulation(_ArrowExport):
    """What was measured of each policy: iterate it, or take it by `__arrow_c_stream__`. The freshest is first.

    Attributes:
        outcomes: The policies.
        pages: How many pages were simulated.
        days: How many days were measured, in all runs of a policy.
        left_out: How many pages were not, because they have no rate of change.
    """

    outcomes: tuple[PolicyOutcome, ...]
    pages: int
    days: int
    left_out: int = 0

    def __iter__(self) -> Iterator[PolicyOutcome]:
        """Iterate the policies."""
        return iter(self.outcomes)

    def __len__(self) -> int:
        """Return how many policies there are."""
        return len(self.outcomes)

    def __getitem__(self, policy: str) -> PolicyOutcome:
        """Return what was measured of a policy."""
        for outcome in self.outcomes:
            if outcome.policy == policy:
                return outcome
        raise KeyError(policy)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the policies as an Arrow stream, with a column for each attribute of `PolicyOutcome`."""
        connection = connect(threads=1)
        connection.execute(f"CREATE TABLE outcomes ({', '.join(f'{name} {kind}' for name, kind in _COLUMNS.items())})")
        insert_rows(connection, "outcomes", list(self.outcomes))
        return connection.sql("FROM outcomes").__arrow_c_stream__(requested_schema)


def simulate(
    pages: ArrowTable | Iterable[Mapping[str, object]],
    *,
    budget: BudgetAmount,
    policies: Annotated[
        Sequence[SimulatedName],
        Option("Policies to simulate; moved fetches whatever has a new lastmod.", default="all", choices=_NAMES),
    ] = (),
    host_budget: HostBudget = None,
    importance: ImportanceColumn = "importance",
    days: Annotated[int, Option("Days of each of the ten runs of a policy.", metavar="N")] = 30,
    seed: Seed = 1,
    memory: Memory = "512MB",
) -> Simulation:
    """Simulate a crawler, and measure how fresh its copies are under each policy.

    Pages change at random. Their lastmods move with some of these changes, and at other times. The crawler fetches
    pages as the plan of a policy says. Each policy has ten runs, and each begins as if the crawler had long been at
    work.

    Args:
        pages: Pages as `schedule` takes them, or those of `drawn_pages`. Lastmods move as `recall` and `precision` say,
            with changes and without. A further column, `stamps`, says how often a day a build moves the lastmod of a
            page at even intervals, whether it has changed or not. A page without these has no lastmod. One without a
            `change_rate` is left out.
        budget: What may be spent: fetches per day, or a text such as 10000/day, 5/second or 20GB/day.
        policies: Policies to simulate; moved fetches whatever has a new lastmod. All by default, `signals` and `moved`
            only if a lastmod moves.
        host_budget: What each host may be asked at most, as a budget: 1/second for a crawl-delay of one second. It goes
            for each host of which no page has a `host_budget` of its own. The policy `moved` knows no hosts.
        importance: Column of the importance, such as priority or inlinks.
        days: Days of each of the ten runs of a policy.
        seed: Number that decides chance; the same one gives the same result.
        memory: Memory limit; what does not fit goes to temporary files.

    Returns:
        What was measured, the freshest policy first.

    Raises:
        InputError: An argument is invalid, the pages cannot be planned with, or the simulation is too large: more than
            a million pages, or more than 20 million fetches, and moves that count, of one policy in all its runs.

    Example:
        >>> import urlset
        >>> pages = list(urlset.drawn_pages(100, recall=0.5, stamped=0.5))
        >>> found = urlset.simulate(pages, budget=20, policies=["azar", "uniform", "moved"])
        >>> [outcome.policy for outcome in found]
        ['azar', 'uniform', 'moved']
    """
    check_whole("days", days, 1)
    check_whole("seed", seed, 0)
    for policy in policies:
        check_choice("policies", policy, _NAMES)
    with temporary_folder() as folder, in_memory(memory=memory, spill=folder / "spill") as connection:
        given = SimulatedPages(connection, pages, importance)
        plan = partial(schedule, budget=budget, host_budget=host_budget, importance=importance, memory=memory)
        by_bytes = amount("budget", budget).is_bytes
        chosen = policies or [name for name in _NAMES if name not in ("signals", "moved") or given.have_moves()]
        rules = [_rule(given, policy, plan, by_bytes=by_bytes) for policy in dict.fromkeys(chosen)]
        models = given.models(rules[0].importances)
        outcomes = [_outcome(each, models, days, seed, has_bytes=given.has_bytes) for each in rules]
    outcomes.sort(key=lambda outcome: -(outcome.freshness or 0.0))
    return Simulation(tuple(outcomes), len(models), _RUNS * days, given.left_out)


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a crawler goes by.

    Attributes:
        policy: The policy.
        budget: What it may spend in a day.
        by_bytes: Whether that is a number of bytes.
        importances: The weight of each page.
        expected: The freshness that its plan promises; None without a plan.
        plan: When each page is fetched again, by its plan.
    """

    policy: SimulatedName
    budget: float
    by_bytes: bool
    importances: Sequence[float]
    expected: float | None = None
    plan: Sequence[Refetching | None] = ()

    def run(self, numbers: Random, pages: Sequence[PageModel], days: int) -> Measured:
        """Return what one run has measured."""
        if self.policy == "moved":
            return believed(numbers, pages, self.budget, days, by_bytes=self.by_bytes)
        return planned(numbers, pages, self.plan, days)

    def steps(self, pages: Sequence[PageModel], days: int) -> float:
        """Return about how many steps a run takes."""
        if self.policy == "moved":
            least = min((page.size for page in pages), default=1.0) if self.by_bytes else 1.0
            return self.budget * days / least + WARM_UP * len(pages)
        return math.fsum(how.steps(page, days) for page, how in zip(pages, self.plan, strict=True) if how)


def _rule(given: SimulatedPages, policy: SimulatedName, plan: Callable[..., Schedule], *, by_bytes: bool) -> _Rule:
    """Plan, which also judges the pages and the budget."""
    with plan(given.table(), policy="uniform" if policy == "moved" else policy) as made:
        cycles = list(fetch_cycles(made))
        importances = [cycle.importance for cycle in cycles]
        if policy == "moved":
            return _Rule(policy, made.budget, by_bytes, importances)
        return _Rule(policy, made.budget, by_bytes, importances, made.freshness, [*map(_refetching, cycles)])


def _refetching(cycle: FetchCycle) -> Refetching | None:
    """Return when a page is fetched again; None for never."""
    if cycle.gap is None:
        return None
    if cycle.is_held:
        return ByNotice(1 / cycle.rate)
    return ByThreshold(1 / cycle.rate, cycle.gap, cycle.saved) if cycle.saved else Evenly(cycle.gap)


def _outcome(rule: _Rule, pages: Sequence[PageModel], days: int, seed: int, *, has_bytes: bool) -> PolicyOutcome:
    """Return what the runs of a policy have measured.

    Raises:
        InputError: They take too many steps.
    """
    steps = _RUNS * rule.steps(pages, days)
    if steps > _MAX_STEPS:
        raise InputError(
            f"days must be fewer, or the budget smaller: {rule.policy} takes {steps:,.0f} steps in {_RUNS} runs of"
            f" {plural(days, 'day')}, and at most {_MAX_STEPS:,} are simulated"
        )
    runs = [rule.run(Random(f"{rule.policy} {seed} {number}"), pages, days) for number in range(_RUNS)]
    measured = days * _RUNS
    sizes = math.fsum(run.size for run in runs) / measured if has_bytes else None
    shown = (*_interval(runs, pages, days), rule.expected)
    return PolicyOutcome(rule.policy, *shown, sum(run.fetches for run in runs) / measured, sizes)


def _interval(
    runs: Sequence[Measured], pages: Sequence[PageModel], days: int
) -> tuple[float | None, float | None, float | None]:
    """Return the mean freshness of runs, and the interval around it."""
    whole = math.fsum(page.importance for page in pages) * days
    if not whole:
        return None, None, None
    shares = [run.fresh / whole for run in runs]
    middle, half = mean(shares), _T * stdev(shares) / math.sqrt(len(shares))
    return middle, max(middle - half, 0.0), min(middle + half, 1.0)
