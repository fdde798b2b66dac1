"""Guards: they stop a publish whose set is valid and still most likely a mistake."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from urlset._model.plan import Guard
from urlset._util.duckdb import scalar
from urlset._util.text import plural

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset import _core
    from urlset._publish.rows.ingest import IngestReport

#: Percentage of entries that a set may lose at once.
MAX_LOST = 20
#: Percentage of entries with the same lastmod, from so many entries on, that shows a time of a build.
MAX_ALIKE = 90
_ALIKE_FROM = 20
#: About how many entries are sampled for such a lastmod.
_SAMPLED = 10_000
#: How far a lastmod may be in the future: in some time zone it is tomorrow already.
_TOMORROW = timedelta(days=1)
#: Percentage of rows of other sites that shows a wrong base URL.
MAX_FOREIGN = 10


@dataclass(frozen=True, slots=True)
class LastmodCounts:
    """What guards look at in the lastmods of the rows that are published.

    Attributes:
        commonest: How many entries have the commonest lastmod; of a set in parts, that of each part.
        later: How many lastmods are in the future.
        example: The first loc of these, or None.
    """

    commonest: Mapping[str, int]
    later: int
    example: str | None


def tomorrow(now: datetime) -> int:
    """Return the moment after which a lastmod is in the future, in microseconds since the epoch."""
    return int((now + _TOMORROW).timestamp() * 1_000_000)


def lastmods_of(found: _core.Lastmods, entries: int) -> LastmodCounts:
    """Return what guards look at in the lastmods of rows that the core has planned."""
    commonest = dict([found.commonest]) if found.commonest and entries >= _ALIKE_FROM else {}
    return LastmodCounts(commonest, found.later, found.example)


def count_lastmods(
    connection: DuckDBPyConnection, entries: int, latest: int | None, now: datetime, *, is_part: bool = False
) -> LastmodCounts:
    """Count the lastmods in `assigned` that guards look at.

    Args:
        connection: The planning database.
        entries: How many rows `assigned` has.
        latest: Their latest lastmod, in microseconds since the epoch, if there is any.
        now: The present moment.
        is_part: These are not all rows of the set, so even a few count.
    """
    # The lastmod of nearly all entries is the commonest of a sample too. Counting every lastmod would take much memory.
    query = (
        "SELECT lastmod FROM assigned WHERE lastmod IS NOT NULL AND hash(loc) % ?::UBIGINT = 0"
        " GROUP BY lastmod ORDER BY count(*) DESC, lastmod LIMIT 1"
    )
    counts = is_part or entries >= _ALIKE_FROM
    sample = connection.execute(query, [max(1, entries // _SAMPLED)]).fetchall() if counts else []
    times = "SELECT count(*) FROM assigned WHERE lastmod = ?"
    commonest = {lastmod: int(scalar(connection, times, [lastmod])) for (lastmod,) in sample}
    later, example = 0, None
    if latest is not None and latest > tomorrow(now):
        query = "SELECT count(*), min(loc) FROM assigned WHERE instant > ? AND lastmod IS NOT NULL"
        [(later, example)] = connection.execute(query, [tomorrow(now)]).fetchall()
    return LastmodCounts(commonest, later, example)


def check(
    report: IngestReport,
    lastmods: LastmodCounts,
    *,
    entries: int,
    previous: int,
    served_at: str | None,
    base: str,
    oversize: Sequence[str],
    sources: Mapping[str, int],
    allow: Collection[str],
) -> tuple[Guard, ...]:
    """Return the guards that a plan trips.

    Args:
        report: The counts of the rows.
        lastmods: The counts of their lastmods.
        entries: How many entries the set will have.
        previous: How many entries the current set has.
        served_at: The URL at which the current set is served, if it is another one.
        base: The URL at which the set will be served.
        oversize: The shards that exceed a limit of the protocol.
        sources: How many lastmods come from where.
        allow: The guards that are allowed.
    """
    found: list[tuple[str, str]] = []
    if entries == 0:
        found.append(("empty", f"there are no entries to publish; {plural(report.refused, 'row')} refused"))
    elif (previous - entries) * 100 > previous * MAX_LOST:
        lost = 1 - entries / previous
        found.append(("shrunk", f"{entries:,} entries are {lost:.0%} fewer than the {previous:,} of the current set"))
    if served_at is not None:
        reason = (
            f"the current set, of {plural(previous, 'entry', 'entries')}, is served at {served_at} and not at {base}"
        )
        found.append(("base-url", reason))
    found += _of_lastmods(lastmods, entries, sources)
    foreign = report.refused_by_code["LOC011"] + report.refused_by_code["LOC012"]
    if foreign and foreign * 100 >= report.rows * MAX_FOREIGN:
        example = next((each.loc for each in report.refusals if each.code in ("LOC011", "LOC012")), None)
        found.append(
            ("foreign", f"{foreign:,} of {report.rows:,} rows are of another site than the base URL, such as {example}")
        )
    if oversize:
        found.append(("oversize", f"these documents exceed a limit of the protocol: {', '.join(oversize[:5])}"))
    return tuple(Guard(name, reason, name in allow) for name, reason in found)


def _of_lastmods(lastmods: LastmodCounts, entries: int, sources: Mapping[str, int]) -> list[tuple[str, str]]:
    found = []
    lastmod, times = max(lastmods.commonest.items(), key=lambda each: each[1], default=("", 0))
    # One commit may have dated all pages, as the import of a site does: that is when git has seen them change.
    by_git = sources.get("git", 0)
    if by_git * 100 < entries * MAX_ALIKE and entries >= _ALIKE_FROM and times * 100 >= entries * MAX_ALIKE:
        reason = f"{times:,} of {entries:,} entries have the lastmod {lastmod}, which looks like the time of a build"
        found.append(("one-lastmod", reason))
    if lastmods.later:
        found.append(("future", f"{lastmods.later:,} lastmods are in the future, such as that of {lastmods.example}"))
    return found
