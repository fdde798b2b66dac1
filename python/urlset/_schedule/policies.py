"""The policies: how often each page is fetched, given its rate of change, its importance and what a fetch costs.

A policy is a rate of fetches in SQL, so that a plan needs no more memory than DuckDB is given, and Spark can use the
same text. The columns are d, changes per day; m, importance; c, what a fetch takes of the budget; most, the greatest
rate that the page may have; and l. For policies that optimize, l is the value of the last unit of the budget: what
every page with a rate above 0 gains by it. For all of them a smaller l spends more, and `solve` finds the l that spends
the budget.

periodic    The freshest copies with fetches at even intervals: F(f) = (1 - e^-x)/x with x = d/f. A page is fetched so
            often that its gain m/d (1 - (1 + x) e^-x) is l c. Source: Cho and Garcia-Molina, Effective page refresh
            policies for Web crawlers, 2003.
azar        The freshest copies with fetches at random times: F(f) = f/(f + d). Run at even intervals, it has 99 % of
            the freshness of `periodic`, and it is a formula. Source: Azar and others, Tractable near-optimal policies
            for crawling, PNAS 2018.
lambdacrawl The least harm of copies that are out of date, by m ln(f/(f + d)), so that no page starves. Source:
            Kolobov and others, Staying up to date with online content changes using reinforcement learning for
            scheduling, NeurIPS 2019. For pages with change notices it is m ln(f/d), with f at most d.
signals     As `periodic`, for pages whose lastmods tell of some of their changes: see `signals.py`.
uniform, proportional, importance   The same rate for all pages, a rate by changes, a rate by importance: to compare.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

PolicyName = Literal["azar", "periodic", "lambdacrawl", "signals", "uniform", "proportional", "importance"]

#: Steps of Newton's method for `periodic`: with the first guess below, 5 give the last digits of a double.
STEPS = 5
#: Steps of a search, of which each reads all pages once. 20 are usual.
MAX_STEPS = 200
#: What a search may leave of a budget, as a part of it.
EXACT = 1e-13
#: What stands for a part of a budget that is nothing, since that has no logarithm.
TINY = 1e-300

#: Freshness of a page with fetches at even intervals: the share of time in which the copy is what the page is.
FRESHNESS = (
    "CASE WHEN d = 0 THEN 1 WHEN rate = 0 THEN 0 WHEN d / rate < 1e-6 THEN 1 - d / rate / 2"
    " ELSE (1 - exp(-d / rate)) / (d / rate) END"
)
#: The most days that anything waits, so that every moment is one of the calendar.
LONGEST = 36_525

_OPTIMAL_WORTH = "CASE WHEN d > 0 AND m > 0 THEN m ELSE 0 END"


def share_of(text: str) -> str:
    """Return SQL for a number from 0 up to 1 that a text decides, by a hash of 64 bits."""
    return f"(hash({text}) / 18446744073709551616.0)"


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy.

    Attributes:
        free_rate: SQL for the fetches per day of a page with the columns of `source`, without its bound.
        worth: SQL for what rate * c is at most, times l; 0 for a page that is never fetched.
        source: SQL for a table with what `free_rate` needs, of `{pages}` with the columns d, m, c and l.
        columns: Columns of the pages that the plan needs too.
        freshness: SQL for the freshness of a page of the plan.
        gap: SQL for the days between two fetches of a page of which nothing is heard.
        saved: SQL for the days by which what was heard of a page brings its next fetch forward.
        held: SQL for whether a page is not fetched before something is heard of it.
        news: What it is that is heard.
    """

    free_rate: str
    worth: str = _OPTIMAL_WORTH
    source: str = "{pages}"
    columns: tuple[str, ...] = ()
    freshness: str = FRESHNESS
    gap: str = "1 / rate"
    saved: str = "0"
    held: str = "false"
    news: str = ""

    @property
    def bounds(self) -> str:
        """SQL for the greatest rate of a page: 0 if it is never fetched."""
        return f"CASE WHEN ({self.worth}) > 0 THEN most ELSE 0 END"

    @property
    def rate(self) -> str:
        """SQL for the fetches per day of a page, which has the column `most` too."""
        return f"least({self.free_rate}, most)"

    def select(self, columns: str, pages: str) -> str:
        """Return a query of columns that name `rate`.

        Args:
            columns: The columns, in SQL.
            pages: SQL for a table of pages with the columns d, m, c, most and l.
        """
        return f"SELECT {columns} FROM {self.source.format(pages=pages)}"


def _simple(weight: str) -> Policy:
    """Return a policy whose rates are in proportion to a weight: the smaller l, the larger they are."""
    return Policy(f"({weight}) / l", worth=f"({weight}) * c")


def _folded(start: str, step: str) -> str:
    """Return DuckDB's SQL for a value `x` after some steps."""
    return f"list_reduce([{start}{', 0' * STEPS}], lambda x, step: {step})"


def periods(folded: Callable[[str, str], str]) -> str:
    """Return SQL for x, the changes between two fetches, of which 1 - (1 + x) e^-x is y; y must be below 1.

    For small y, x is about the root of 2y. Near 1, 1 + x is -W(-(1 - y)/e) with the lower branch of Lambert's function,
    of which the first terms are taken. Newton's method does the rest, in a lambda: a subquery for each step would be
    put into the next one by DuckDB, again and again.

    Args:
        folded: Returns SQL for a value `x` that begins at the first text and becomes the second one so many times.
    """
    tail = "ln((1 - y) / exp(1))"
    guess = f"CASE WHEN y < 0.5 THEN sqrt(2 * y) * (1 + sqrt(2 * y) / 3) ELSE ln(-({tail})) - {tail} - 1 END"
    # Below 1e-8, the square of x over 2 is all that a double can tell of the difference.
    step = "CASE WHEN x > 1e-8 THEN greatest(x - (1 - (1 + x) * exp(-x) - y) / (x * exp(-x)), x / 8) ELSE x END"
    return folded(guess, step)


#: What the next fetch of a page is worth, as a part of the most that it can be; 1 or more if it is not worth one.
VALUE = "CASE WHEN d > 0 AND m > 0 THEN l * c * d / m ELSE 1 END"
PERIODS = periods(_folded)
_LAMBDA = "CASE WHEN m * d > 0 THEN 2 * (m * d / (l * c)) / (d + sqrt(d * d + 4 * m * d / (l * c))) ELSE 0 END"

POLICIES: dict[PolicyName, Policy] = {
    "periodic": Policy(
        f"CASE WHEN y < 1 THEN d / ({PERIODS}) ELSE 0 END", source=f"(SELECT *, {VALUE} AS y FROM {{pages}})"
    ),
    "azar": Policy("CASE WHEN d > 0 THEN greatest(0, sqrt(m * d / (l * c)) - d) ELSE 0 END"),
    # The usual formula for the root loses all digits where m is small, since it subtracts two numbers that are alike.
    "lambdacrawl": Policy(_LAMBDA),
    "uniform": _simple("1"),
    "proportional": _simple("d"),
    "importance": _simple("m"),
}

#: `lambdacrawl` for pages of which some announce their changes, in the column `notices`. Such a page is fetched after a
#: part of its notices, so its rate is at most d, and its copy is fresh for the same part of the time.
NOTICED = Policy(
    f"CASE WHEN notices THEN CASE WHEN m * d > 0 THEN m / (l * c) ELSE 0 END ELSE {_LAMBDA} END",
    columns=("notices", "moves"),
    freshness=f"CASE WHEN notices AND d > 0 THEN rate / d ELSE {FRESHNESS} END",
    gap=f"CASE WHEN notices THEN {LONGEST} ELSE 1 / rate END",
    saved=f"CASE WHEN notices AND moves > 0 THEN {LONGEST} ELSE 0 END",
    # The same notice is always judged alike, however often a plan is made.
    held=f"notices AND (moves = 0 OR {share_of('loc || moves')} >= rate / d)",
    news="a change was announced",
)


def solve(spent: Callable[[float], float], budget: float, first: float) -> tuple[float, float]:
    """Return two neighbours between which the budget is spent: an l that spends as much or more, and one that does not.

    `spent` falls as l rises. It is a search by the false position on the logarithms of both, which depend on each other
    nearly in a line; the end that stays is halved (Illinois).

    Args:
        spent: What is spent at an l.
        budget: What there is to spend.
        first: An l at which less is spent.
    """

    def excess(multiplier: float) -> float:
        return math.log(max(spent(multiplier) / budget, TINY))

    high, at_high = first, excess(first)
    low, at_low = high, at_high
    while at_low < 0:
        high, at_high = low, at_low
        low /= 16
        at_low = excess(low)
    stayed, left = 0, at_low
    for _ in range(MAX_STEPS):
        if left < EXACT or high / low - 1 < EXACT:
            break
        share = at_low / (at_low - at_high)
        middle = low * (high / low) ** min(max(share, 0.001), 0.999)
        found = excess(middle)
        if found >= 0:
            low, at_low, left = middle, found, found
            at_high /= 2 if stayed > 0 else 1
            stayed = 1
        else:
            high, at_high = middle, found
            at_low /= 2 if stayed < 0 else 1
            stayed = -1
    return low, high
