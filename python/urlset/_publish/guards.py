"""Guards: what a set may be that is right in form and still is a mistake. A publish that trips over one is refused."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from urlset._model.errors import InputError
from urlset._model.plan import Guard
from urlset._util.duckdb import scalar
from urlset._util.text import did_you_mean

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._publish.ingest import Intake

#: The percentage of entries that a set may lose at once.
MOST_LOST = 20
#: The percentage of one lastmod among all, from so many entries on, that says it is the time of a build.
MOST_ALIKE = 90
_ALIKE_FROM = 20
#: Entries that are looked at for such a lastmod, about.
_LOOKED_AT = 10_000
#: A lastmod may be so much later than now: somewhere it is tomorrow already.
_TOMORROW = timedelta(days=1)
#: The percentage of rows of another host that says that the base URL is wrong.
MOST_FOREIGN = 10

NAMES = ("empty", "shrunk", "one-lastmod", "future", "foreign", "oversize")


def check_names(allow: Collection[str]) -> None:
    """Raises InputError for a name that no guard has."""
    if isinstance(allow, str):
        raise InputError(f"allow is a list of guards, such as [{allow!r}]")
    for name in allow:
        if name not in NAMES:
            raise InputError(f"there is no guard {name!r}{did_you_mean(str(name), NAMES, or_all=True)}")


def ask(
    connection: DuckDBPyConnection,
    intake: Intake,
    *,
    entries: int,
    before: int,
    oversize: Sequence[str],
    now: datetime,
    allow: Collection[str],
) -> tuple[Guard, ...]:
    """The guards that a plan trips over. `before` is how many entries the set in force has."""
    found: list[tuple[str, str]] = []
    if entries == 0:
        found.append(("empty", f"there is no entry to publish; {intake.refused} rows were refused"))
    elif (before - entries) * 100 > before * MOST_LOST:
        lost = 1 - entries / before
        found.append(("shrunk", f"{entries:,} entries are {lost:.0%} fewer than the {before:,} of the set in force"))
    found += _lastmods(connection, entries, now)
    foreign = intake.refused_by_code["LOC011"] + intake.refused_by_code["LOC012"]
    if foreign and foreign * 100 >= intake.rows * MOST_FOREIGN:
        found.append(("foreign", f"{foreign:,} of {intake.rows:,} rows are not of the base URL's site"))
    if oversize:
        found.append(("oversize", f"over the protocol's limits: {', '.join(oversize[:5])}"))
    return tuple(Guard(name, reason, name in allow) for name, reason in found)


def _lastmods(connection: DuckDBPyConnection, entries: int, now: datetime) -> list[tuple[str, str]]:
    found = []
    # What nearly all have is what most of a few have: to count every lastmod of many would take too much memory.
    for (lastmod,) in connection.execute(
        "SELECT lastmod FROM placed WHERE lastmod IS NOT NULL AND hash(loc) % ? = 0"
        " GROUP BY lastmod ORDER BY count(*) DESC, lastmod LIMIT 1",
        [max(1, entries // _LOOKED_AT)],
    ).fetchall():
        times = scalar(connection, "SELECT count(*) FROM placed WHERE lastmod = ?", [lastmod])
        if entries >= _ALIKE_FROM and times * 100 >= entries * MOST_ALIKE:
            reason = f"{times:,} of {entries:,} entries have the lastmod {lastmod}: the time of a build, it seems"
            found.append(("one-lastmod", reason))
    latest = int((now + _TOMORROW).timestamp() * 1_000_000)
    [later] = connection.execute(
        "SELECT count(*), min(loc) FROM placed WHERE instant > ? AND lastmod IS NOT NULL", [latest]
    ).fetchall()
    if later[0]:
        found.append(("future", f"{later[0]:,} lastmods are in the future, as that of {later[1]}"))
    return found
