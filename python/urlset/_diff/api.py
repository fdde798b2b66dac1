"""The diff: two sets compared by loc, in bounded memory.

Both sets become tables of a temporary DuckDB database, which keeps to its share of memory and spills the rest, and one
FULL JOIN on the text of the loc finds what differs. The result stays in that database until the Diff is closed.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Literal, get_args

from urlset import _core
from urlset._diff.tables import KEPT, SIDES, Database, Progress, Reading, is_parquet, unite
from urlset._model.errors import InputError, UrlsetError
from urlset._model.limits import Budget
from urlset._read.source import SourceLike, resolve
from urlset._util.arguments import OnError, check_on_error

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Kind = Literal["added", "removed", "changed"]
KINDS: tuple[Kind, ...] = get_args(Kind)

#: What two entries of one loc can differ in; the last is what a manifest knows of all the others but the lastmod.
FIELDS = ("lastmod", "changefreq", "priority", "images", "videos", "alternates", "news", "content")
#: Which of them there are, by how many of the two sets are manifests.
_KNOWN = (FIELDS[:-1], ("lastmod",), ("lastmod", "content"))

#: Changes that are fetched at once.
_FETCHED = 10_000


@dataclass(frozen=True, slots=True)
class Change:
    """One loc that is not the same in both sets.

    `change` is added, removed or changed. A lastmod is W3C text: an instant in UTC, or a date as it stands; None where
    there is none. `fields` names what differs of what was compared, where the loc is in both.
    """

    loc: str
    change: Kind
    old_lastmod: str | None
    new_lastmod: str | None
    fields: tuple[str, ...]


def diff(
    old: SourceLike,
    new: SourceLike,
    *,
    compare: Sequence[str] = ("lastmod",),
    on_error: OnError = "raise",
    memory: str = "1GB",
    content_encoding: str | None = None,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Diff:
    """Compares two sets by loc: what was added, what was removed, and what has changed.

    `old` and `new` are each whatever `scan` takes, an index with its children, or the manifest of a published set, such
    as `public/.urlset/manifest.parquet`; of that the pages which are gone do not count. `compare` names what makes two
    entries of a loc differ: lastmod, changefreq, priority, images, videos, alternates, news, or "all" for all of them.
    A manifest has the lastmod and, where both sets are manifests, `content`: all that an entry says but its lastmod.

    Locs are compared as text. Lastmods are compared by what they mean: an instant is the same in any zone, a date is
    that date alone and differs from an instant of the day, and text that is no date is that text. Of entries with one
    loc in one set the latest lastmod counts, whatever their order.

    `memory` bounds what DuckDB holds, and less than 200MB can be too little; the rest goes to a temporary folder until
    the Diff is closed or forgotten.
    `content_encoding` and `budget` are as in `scan`. `progress` is called with the number of entries read so far, from
    the threads that read, one at a time.

    A set that is not read to its end would make pages look removed or added: raises what `read` does. With
    `on_error="collect"` the rest is compared, and the Diff lists what went wrong among its `failures`. Raises
    InputError for an argument without a meaning, a Parquet file that is no manifest, and too little memory.
    """
    check_on_error(on_error)
    _core.check_content_encoding(content_encoding)
    sources = [resolve(side) for side in (old, new)]
    if sources[0].opened is sources[1].opened and not sources[0].reopens:
        raise InputError("both sets are one source that can be read only once: pass a path or bytes")
    manifests = [source.path if source.path is not None and is_parquet(source.path) else None for source in sources]
    fields = _fields(compare, sum(path is not None for path in manifests))
    names = [name for name in fields if name in KEPT]
    with ExitStack() as stack:
        database = Database(memory, stack)
        reading = Reading(
            database, names, on_error=on_error, content_encoding=content_encoding, budget=budget, progress=progress
        )
        for side, source, manifest in zip(SIDES, sources, manifests, strict=True):
            if manifest is None:
                database.create_side(side, names)
                reading.add(side, source)
            else:
                [entries] = database.run([partial(database.create_side_of_manifest, side, manifest, names)])
                reading.count(side, entries)
        reading.run()
        [counts] = database.run([partial(_compare, database.connection, fields, names)])
        return Diff(database, fields, reading, counts, stack.pop_all())


def _fields(compare: Sequence[str], manifests: int) -> tuple[str, ...]:
    """What is compared, in the order of FIELDS. Raises InputError for what is no field, or none of a manifest's."""
    if compare == "all":
        # With one manifest there is no telling: what it does not know is named below.
        compare = _KNOWN[manifests if manifests == len(SIDES) else 0]
    if isinstance(compare, str):
        raise InputError(f"compare is one str, {compare!r}: put it into a list")
    for name in compare:
        if name not in FIELDS:
            raise InputError(f"compare has {name!r}; it can have {', '.join(FIELDS)}, or be 'all'")
        if name not in _KNOWN[manifests]:
            if name == "content":
                raise InputError("content is compared between two manifests, and one of these is none")
            raise InputError(f"a manifest does not say its {name}: compare the published folders")
    return tuple(name for name in FIELDS if name in compare)


def _compare(connection: DuckDBPyConnection, fields: Sequence[str], names: Sequence[str]) -> dict[str, int]:
    """Makes the table `changes` of the two sides, which go.

    Says how many changes of each kind there are, how many rows each side had, and how many locs.
    """
    counts = {}
    for side in SIDES:
        counts[f"{side} rows"], counts[f"{side} locs"] = unite(connection, side, names)
    differences = [_difference(name) for name in fields]
    bits = [f"CAST({each} AS INTEGER) * {1 << bit}" for bit, each in enumerate(differences)]
    connection.execute(f"""
        CREATE TABLE changes AS
        SELECT coalesce(o.loc, n.loc) AS loc,
            CASE WHEN o.loc IS NULL THEN 'added' WHEN n.loc IS NULL THEN 'removed' ELSE 'changed' END AS change,
            o.lastmod AS old_lastmod, o.raw AS old_raw, n.lastmod AS new_lastmod, n.raw AS new_raw,
            CASE WHEN o.loc IS NULL OR n.loc IS NULL THEN 0 ELSE {" + ".join(bits) or 0} END AS fields
        FROM sides.old_once AS o FULL JOIN sides.new_once AS n ON o.loc = n.loc
        WHERE {" OR ".join(["o.loc IS NULL", "n.loc IS NULL", *differences])}
    """)  # noqa: S608
    connection.execute("DROP SCHEMA sides CASCADE")
    return counts | dict(connection.execute("SELECT change, count(*) FROM changes GROUP BY change").fetchall())


def _difference(name: str) -> str:
    """SQL for whether the two entries of a loc differ in a field."""
    columns = ("lastmod", "raw") if name == "lastmod" else (name,)
    return f"({' OR '.join(f'o.{column} IS DISTINCT FROM n.{column}' for column in columns)})"


class Changes:
    """Changes of a diff, sorted by loc: iterate them, or take them as a table, for as long as the diff is open.

    The table has the columns of `Change`: text, and `fields` as a list of text.
    """

    def __init__(self, diff: Diff, kinds: Sequence[Kind]) -> None:
        self._diff = diff
        self._kinds = kinds

    def __len__(self) -> int:
        return sum(getattr(self._diff, kind) for kind in self._kinds)

    def __iter__(self) -> Iterator[Change]:
        return self._diff._changes(self._diff._in_order(self._kinds))

    def first(self, count: int) -> list[Change]:
        """The first so many of them, for which the others need not be sorted."""
        return list(self._diff._changes(f"{self._diff._query(self._kinds)} ORDER BY loc LIMIT {max(0, count):d}"))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        query = self._diff._in_order(self._kinds)
        return self._diff._cursor().sql(query).__arrow_c_stream__(requested_schema)


class Diff:
    """How two sets differ. True where they do; iterates its changes, sorted by loc, and is a table of them.

    `added`, `removed` and `changed` count locs, `same` those that are in both sets and alike in `compared`, the fields
    that were. `old_entries` and `new_entries` count the entries that were read; of them `duplicates_old` and
    `duplicates_new` have a loc that another one has, which counted instead, and `without_loc_old` and `without_loc_new`
    have none. `failures` has what could not be read, where that was to be collected.

    Its rows lie in a temporary folder. Close it, or use it in a `with` block; a forgotten one is closed, too.
    """

    def __init__(
        self,
        database: Database,
        fields: tuple[str, ...],
        reading: Reading,
        counts: dict[str, int],
        resources: ExitStack,
    ) -> None:
        rows, locs = ([counts[f"{side} {what}"] for side in SIDES] for what in ("rows", "locs"))
        self.compared = fields
        self.failures: tuple[UrlsetError, ...] = reading.failures
        self.added, self.removed, self.changed = (counts.get(kind, 0) for kind in KINDS)
        self.same = locs[0] - self.removed - self.changed
        self.old_entries, self.new_entries = entries = [reading.entries[side] for side in SIDES]
        self.duplicates_old, self.duplicates_new = (many - few for many, few in zip(rows, locs, strict=True))
        self.without_loc_old, self.without_loc_new = (many - few for many, few in zip(entries, rows, strict=True))
        self._database = database
        self._table = "changes"
        self._sorting = Lock()
        self._finalizer = weakref.finalize(self, resources.close)

    def __len__(self) -> int:
        return self.added + self.removed + self.changed

    def __bool__(self) -> bool:
        return len(self) > 0

    def __repr__(self) -> str:
        return f"<Diff: {self.added} added, {self.removed} removed, {self.changed} changed, {self.same} same>"

    def only(self, *kinds: Kind) -> Changes:
        """The changes of these kinds: added, removed, changed. Raises InputError for another one, or none."""
        if not kinds or not set(kinds) <= set(KINDS):
            raise InputError(f"the kinds are {', '.join(map(repr, kinds)) or 'none'}; there are {', '.join(KINDS)}")
        return Changes(self, [kind for kind in KINDS if kind in kinds])

    def first(self, count: int) -> list[Change]:
        """The first so many changes by loc, for which the others need not be sorted."""
        return self.only(*KINDS).first(count)

    def __iter__(self) -> Iterator[Change]:
        return iter(self.only(*KINDS))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.only(*KINDS).__arrow_c_stream__(requested_schema)

    def close(self) -> None:
        """Forgets the changes, and what of them lies on disk; the counts stay."""
        self._finalizer()

    def __enter__(self) -> Diff:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if not self._finalizer.alive:
            raise InputError("the diff is closed: take what you need of it before")

    def _cursor(self) -> DuckDBPyConnection:
        self._check_open()
        return self._database.connection.cursor()

    def _query(self, kinds: Sequence[Kind]) -> str:
        """SQL for the changes of these kinds, as they are told."""
        told = ", ".join(f"{_told(side)} AS {side}_lastmod" for side in SIDES)
        names = [f"CASE WHEN fields & {1 << bit} > 0 THEN '{name}' END" for bit, name in enumerate(self.compared)]
        fields = f"list_filter(CAST([{', '.join(names)}] AS VARCHAR[]), lambda name: name IS NOT NULL)"
        wanted = ", ".join(f"'{kind}'" for kind in kinds)
        return f"SELECT loc, change, {told}, {fields} AS fields FROM {self._table} WHERE change IN ({wanted})"  # noqa: S608

    def _in_order(self, kinds: Sequence[Kind]) -> str:
        """The same of a table in order: it is sorted once, for the first who asks, as many look at the counts only."""
        with self._sorting:
            if self._table == "changes":
                with self._cursor() as cursor:
                    # From here on the order of a table is kept, when it is made and when it is read.
                    cursor.execute("SET preserve_insertion_order = true")
                    put = "CREATE OR REPLACE TABLE in_order AS FROM changes ORDER BY loc"
                    self._database.run([partial(cursor.execute, put)], cursor.interrupt)
                    self._table = "in_order"
                    cursor.execute("DROP TABLE changes")
        self._check_open()
        return self._query(kinds)

    def _changes(self, query: str) -> Iterator[Change]:
        with self._cursor() as cursor:
            rows = cursor.execute(query).fetchmany(_FETCHED)
            while rows:
                for loc, change, old, new, fields in rows:
                    yield Change(loc, change, old, new, tuple(fields))
                self._check_open()
                rows = cursor.fetchmany(_FETCHED)


def _told(side: str) -> str:
    """SQL for a lastmod as text: an instant in UTC, with a fraction only where there is one, or the date it is."""
    number = f"{side}_lastmod"
    moment = f"make_timestamp(({number} - ({number} & 3)) // 4)"
    fraction = f"CASE WHEN microsecond({moment}) % 1000000 > 0 THEN rtrim(strftime({moment}, '.%f'), '0') ELSE '' END"
    dates = [f"WHEN {at} THEN strftime({moment}, '{form}')" for at, form in enumerate(("%Y", "%Y-%m", "%Y-%m-%d"))]
    instant = f"strftime({moment}, '%Y-%m-%dT%H:%M:%S') || {fraction} || 'Z'"
    return f"CASE WHEN {number} IS NULL THEN {side}_raw ELSE CASE {number} & 3 {' '.join(dates)} ELSE {instant} END END"
