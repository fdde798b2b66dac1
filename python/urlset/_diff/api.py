"""The diff: two sets compared by loc, in bounded memory.

The core keeps the rows of both sets in files, and sorts out the locs of which both say the same, and those of which
nothing differs but the lastmod. A temporary DuckDB database, which keeps to its share of memory and spills the rest,
compares the others: one FULL JOIN on the normal form of the loc finds what differs. The result stays in that database
until the Diff is closed.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from urlset import _core
from urlset._diff.moved import Moved, find_moved
from urlset._diff.reading import SideReader
from urlset._diff.sql import changes_sql
from urlset._diff.tables import FIELD_COLUMNS, SIDES, DiffDatabase, is_parquet, once_sql
from urlset._model.errors import InputError, UrlsetError
from urlset._model.limits import Budget
from urlset._model.notebook import SHOWN, as_html, bars, shown_in_notebook
from urlset._model.progress import OnProgress
from urlset._model.tables import _ArrowExport
from urlset._options import kinds
from urlset._options.http import Http
from urlset._options.option import Option
from urlset._options.shared import Follow, StoreOptions, Strict
from urlset._read.opening import Opener
from urlset._read.source import Source, SourceLike, SourcesLike, resolve_all
from urlset._util.duckdb import interruptible

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

ChangeKind = Literal["added", "removed", "changed"]
KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)

#: What two entries of one loc can differ in. A manifest has only the lastmod and `content`, a hash of all the others.
FIELDS = ("lastmod", "changefreq", "priority", "images", "videos", "alternates", "news", "content")
#: Which of them can be compared, by how many of the two sets are manifests.
_KNOWN = (FIELDS[:-1], ("lastmod",), ("lastmod", "content"))

#: How many changes are fetched at once.
_FETCHED = 10_000


@dataclass(frozen=True, slots=True)
class Change:
    """One loc that is not the same in both sets.

    Attributes:
        loc: The loc.
        change: `"added"`, `"removed"` or `"changed"`.
        old_lastmod: Its lastmod in the old set, as W3C text: an instant in UTC, or a date; None if it has none.
        new_lastmod: Its lastmod in the new set, in the same form.
        fields: Names of the compared fields that differ, if the loc is in both sets.
    """

    loc: str
    change: ChangeKind
    old_lastmod: str | None
    new_lastmod: str | None
    fields: tuple[str, ...]


def diff(
    old: SourceLike | SourcesLike,
    new: SourceLike | SourcesLike,
    *,
    compare: Annotated[
        Sequence[str],
        Option(
            "Fields to compare: lastmod, changefreq, priority, images, videos, alternates, news, or all; between"
            " manifests also content.",
            kind=kinds.WORDS,
            choices=(*FIELDS, "content", "all"),
            default="lastmod",
            metavar="FIELDS",
        ),
    ] = ("lastmod",),
    follow: Follow = True,
    strict: Strict = False,
    memory: str = "1GB",
    content_encoding: str | None = None,
    http: Http | None = None,
    store: StoreOptions = None,
    budget: Budget | None = None,
    progress: OnProgress | None = None,
) -> Diff:
    """Compare two sets by loc: which were added, removed and changed.

    Locs are compared in their normal form by RFC 3986, lastmods by their meaning: an instant is the same in any zone, a
    date differs from any instant of its day, and an invalid lastmod is compared as text. Of several entries of one loc
    in a set, the one with the latest lastmod counts, whatever their order.

    Args:
        old: The set before: whatever `scan` takes, or the manifest of a published set, such as
            `public/.urlset/manifest.parquet`, without its pages that are gone.
        new: The set after, in the same form.
        compare: Fields to compare: lastmod, changefreq, priority, images, videos, alternates, news, or all; between
            manifests also content. That is everything about an entry but its lastmod.
        follow: Read the children of an index or a robots.txt too, or only what it lists itself.
        strict: Stop at the first document that fails, instead of going on with the others. Otherwise what could be
            read is compared, and the rest is among the `failures`: its pages can look removed or added. A set of which
            no entry was read raises.
        memory: How much DuckDB may hold; less than 200MB can be too little. The rest goes to a temporary folder.
        content_encoding: As in `scan`.
        http: As in `scan`.
        store: As in `scan`.
        budget: As in `scan`.
        progress: Called with how many documents were read so far, of those that are known, and of how many entries;
            from the threads that read, one call at a time.

    Returns:
        The differences. Close them, or use them in a `with` block, to remove their temporary folder.

    Raises:
        InputError: An argument is invalid, a Parquet file is not a manifest, or the memory is too small.
        FileNotFoundError: There is nothing at a path.
        DocumentError: A document cannot be read to its end.
        FetchError: A child is missing.

    Example:
        >>> import urlset
        >>> old, new = b"https://shop.example/\\n", b"https://shop.example/\\nhttps://shop.example/tea\\n"
        >>> with urlset.diff(old, new) as found:
        ...     print(found.added, found.removed, [(change.change, change.loc) for change in found])
        1 0 [('added', 'https://shop.example/tea')]
    """
    _core.check_content_encoding(content_encoding)
    sources = [resolve_all(side, store=store) for side in (old, new)]
    once = {id(source.opened) for source in sources[0] if not source.reopens}
    if any(id(source.opened) in once for source in sources[1]):
        raise InputError("old and new must be two sources, got one that can be read only once: pass a path or bytes")
    manifests = [_manifest(side) for side in sources]
    fields = _fields(compare, sum(path is not None for path in manifests))
    names = [name for name in fields if name in FIELD_COLUMNS]
    with interruptible(), ExitStack() as stack:
        database = DiffDatabase(memory, names, stack)
        opener = stack.enter_context(closing(Opener([*sources[0], *sources[1]], http, content_encoding)))
        reading = SideReader(
            database, names, follow=follow, strict=strict, opener=opener, budget=budget, progress=progress
        )
        for side, roots, manifest in zip(SIDES, sources, manifests, strict=True):
            if manifest is None:
                for root in roots:
                    reading.add(side, root, is_root=True)
            else:
                [entries] = database.run([partial(database.add_manifest, side, manifest, names)])
                reading.count(side, entries)
        reading.run()
        database.run([database.pair] * database.threads)
        [(counts, moved)] = database.run([partial(_compare, database, fields, names)])
        return Diff(database, fields, reading, counts, moved, stack.pop_all())


def _manifest(sources: Sequence[Source]) -> Path | None:
    """Return the path of a manifest, if one is all that a set is."""
    path = sources[0].path
    return path if len(sources) == 1 and path is not None and is_parquet(path) else None


def _fields(compare: Sequence[str], manifests: int) -> tuple[str, ...]:
    """Return what is compared, in the order of FIELDS. Raises InputError for an unknown or unavailable field."""
    if compare == "all":
        # With only one manifest, the message below names what it does not have.
        compare = _KNOWN[manifests if manifests == len(SIDES) else 0]
    if isinstance(compare, str):
        raise InputError(f"compare must be a list of fields or 'all', got {compare!r}")
    for name in compare:
        if name not in FIELDS:
            raise InputError(f"compare must name {', '.join(FIELDS)}, or be 'all', got {name!r}")
        if name not in _KNOWN[manifests]:
            if name == "content":
                raise InputError("compare can name content only if both sets are manifests")
            raise InputError(f"a manifest has no {name}: compare the published folders")
    return tuple(name for name in FIELDS if name in compare)


def _compare(
    database: DiffDatabase, fields: Sequence[str], names: Sequence[str]
) -> tuple[dict[str, int], Moved | None]:
    """Create the table `changes` from the rows that may differ.

    Returns:
        How many changes of each kind there are, and how many rows and locs each side had; and where the set was moved.
    """
    rows, counts = database.rows, {}
    for side in SIDES:
        counts[f"{side} rows"], counts[f"{side} locs"] = rows.counts(side == "new")
    # DuckDB finds the tables by their names.
    old, old_repeated, new, new_repeated = (rows.candidates(*each) for each in product((False, True), repeat=2))  # noqa: RUF059
    query = changes_sql(once_sql("old", names), once_sql("new", names), fields)
    if "lastmod" in fields:
        moved = rows.moved()  # noqa: F841
        bit = 1 << fields.index("lastmod")
        query += f"UNION ALL SELECT loc, 'changed', old_lastmod, NULL, new_lastmod, NULL, {bit} FROM moved"  # noqa: S608
    database.connection.execute(f"CREATE TABLE changes AS {query}")
    found = dict(database.connection.execute("SELECT change, count(*) FROM changes GROUP BY change").fetchall())
    return counts | found, find_moved(database.connection, found.get("removed", 0), found.get("added", 0))


class SelectedChanges(_ArrowExport):
    """Some changes of a diff, sorted by loc: iterate them or take them as a table, as long as the diff is open.

    The table has one row per change and the columns of `Change`: text, and `fields` as a list of text.
    """

    def __init__(self, diff: Diff, kinds: Sequence[ChangeKind]) -> None:
        self._diff = diff
        self._kinds = kinds

    def __len__(self) -> int:
        """Return how many changes there are."""
        return sum(getattr(self._diff, kind) for kind in self._kinds)

    def __iter__(self) -> Iterator[Change]:
        """Iterate the changes, sorted by loc."""
        return self._diff._changes(self._diff._in_order(self._kinds))

    def first(self, count: int) -> list[Change]:
        """Return the first `count` changes, without sorting the others."""
        return list(self._diff._changes(f"{self._diff._query(self._kinds)} ORDER BY loc LIMIT {max(0, count):d}"))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the changes as an Arrow stream."""
        query = self._diff._in_order(self._kinds)
        return self._diff._cursor().sql(query).__arrow_c_stream__(requested_schema)


class Diff(_ArrowExport):
    """How two sets differ. It is true if they do, iterates its changes sorted by loc, and is a table of them.

    Its changes are in a temporary folder. Close it, or use it in a `with` block; one that is forgotten is closed too.

    Attributes:
        compared: The fields that were compared.
        added: How many locs are in the new set only.
        removed: How many locs are in the old set only.
        changed: How many locs are in both and differ in `compared`.
        same: How many locs are in both and do not differ.
        old_entries: How many entries of the old set were read.
        new_entries: How many entries of the new set were read.
        duplicates_old: How many of the old entries do not count, because another entry of their loc does.
        duplicates_new: The same of the new entries.
        without_loc_old: How many of the old entries have no loc.
        without_loc_new: The same of the new entries.
        moved: Where the set is now, if most of the removed pages are among the added ones with the same paths under
            another host, scheme, port or folder; None else.
        failures: What could not be read and was collected.
    """

    def __init__(
        self,
        database: DiffDatabase,
        fields: tuple[str, ...],
        reading: SideReader,
        counts: dict[str, int],
        moved: Moved | None,
        resources: ExitStack,
    ) -> None:
        rows, locs = ([counts[f"{side} {what}"] for side in SIDES] for what in ("rows", "locs"))
        self.compared = fields
        self.moved = moved
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
        """Return how many changes there are."""
        return self.added + self.removed + self.changed

    def __bool__(self) -> bool:
        """Return whether the sets differ."""
        return len(self) > 0

    def __repr__(self) -> str:
        """Return the counts."""
        return f"<Diff: {self.added} added, {self.removed} removed, {self.changed} changed, {self.same} same>"

    def _repr_html_(self) -> str:
        """Return the counts and the first changes as a table, for a notebook; without changes once it is closed."""
        head = self.first(SHOWN) if self._finalizer.alive else []
        rows = [(each.change, each.loc, each.old_lastmod, each.new_lastmod, ", ".join(each.fields)) for each in head]
        counts = {name: getattr(self, name) for name in ("added", "removed", "changed", "same")}
        return shown_in_notebook(
            repr(self)[1:-1],
            bars("entries", counts),
            as_html("the first changes", ("change", "loc", "old lastmod", "new lastmod", "differs in"), rows),
        )

    def only(self, *kinds: ChangeKind) -> SelectedChanges:
        """Return the changes of some kinds.

        Args:
            *kinds: `"added"`, `"removed"`, `"changed"`.

        Raises:
            InputError: A kind is unknown, or none is given.
        """
        if not kinds or not set(kinds) <= set(KINDS):
            raise InputError(f"kinds must be of {', '.join(KINDS)}, got {', '.join(map(repr, kinds)) or 'none'}")
        return SelectedChanges(self, [kind for kind in KINDS if kind in kinds])

    def first(self, count: int) -> list[Change]:
        """Return the first `count` changes by loc, without sorting the others."""
        return self.only(*KINDS).first(count)

    def __iter__(self) -> Iterator[Change]:
        """Iterate the changes, sorted by loc."""
        return iter(self.only(*KINDS))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand out the changes as an Arrow stream."""
        return self.only(*KINDS).__arrow_c_stream__(requested_schema)

    def close(self) -> None:
        """Drop the changes and their temporary files. The counts stay."""
        self._finalizer()

    def __enter__(self) -> Diff:
        """Return the diff, which is closed at the end of the block."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close it."""
        self.close()

    def _check_open(self) -> None:
        if not self._finalizer.alive:
            raise InputError("the diff is closed: take its changes before that")

    def _cursor(self) -> DuckDBPyConnection:
        self._check_open()
        return self._database.connection.cursor()

    def _query(self, kinds: Sequence[ChangeKind]) -> str:
        """Return SQL for the changes of these kinds, with the columns of `Change`."""
        lastmods = ", ".join(f"{_lastmod_text(side)} AS {side}_lastmod" for side in SIDES)
        names = [f"CASE WHEN fields & {1 << bit} > 0 THEN '{name}' END" for bit, name in enumerate(self.compared)]
        fields = f"list_filter(CAST([{', '.join(names)}] AS VARCHAR[]), lambda name: name IS NOT NULL)"
        wanted = ", ".join(f"'{kind}'" for kind in kinds)
        return f"SELECT loc, change, {lastmods}, {fields} AS fields FROM {self._table} WHERE change IN ({wanted})"  # noqa: S608

    def _in_order(self, kinds: Sequence[ChangeKind]) -> str:
        """Return SQL for the changes in order. They are sorted when they are first needed: many need only counts."""
        with self._sorting:
            if self._table == "changes":
                with self._cursor() as cursor:
                    # From here on the order of a table is kept, when it is written and when it is read.
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


def _lastmod_text(side: str) -> str:
    """Return SQL for a lastmod as text: an instant in UTC, with a fraction only if there is one, or a date."""
    number = f"{side}_lastmod"
    moment = f"make_timestamp(({number} - ({number} & 3)) // 4)"
    fraction = f"CASE WHEN microsecond({moment}) % 1000000 > 0 THEN rtrim(strftime({moment}, '.%f'), '0') ELSE '' END"
    dates = [f"WHEN {at} THEN strftime({moment}, '{form}')" for at, form in enumerate(("%Y", "%Y-%m", "%Y-%m-%d"))]
    instant = f"strftime({moment}, '%Y-%m-%dT%H:%M:%S') || {fraction} || 'Z'"
    return f"CASE WHEN {number} IS NULL THEN {side}_raw ELSE CASE {number} & 3 {' '.join(dates)} ELSE {instant} END END"
