"""What search engines were told of a published set, and what has changed since.

    .urlset/indexnow.parquet    the ledger: one row a loc, as it was told
    .urlset/indexnow.journal/   a file for every acknowledged batch, until they are merged into the ledger
    .urlset/indexnow.lock       held while a submit runs; in an object store it is the lock of a publish

A batch is booked by the rename of its file into the journal, which costs the same however large the ledger is. At
the end, and at the beginning of the next submit after one that was killed, the journal is merged: a new ledger is
written aside and renamed over the old one, then the journal goes. Merging twice changes nothing, so every step may be
the last. A submit that is killed between an acknowledgement and its rename tells that batch again; none is lost.

A row whose `told` is NULL was there when the ledger began. A row with `gone` is a deletion that was told; it is kept
while the manifest remembers the loc too, so the ledger never outgrows the manifest by more than is to be told.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from urlset._indexnow.address import shown
from urlset._indexnow.workspace import JOURNAL, STATE, Place
from urlset._model.errors import DocumentError, InputError, PublishError
from urlset._stores.store import Store
from urlset._util.duckdb import connect, first_line, path_pattern
from urlset._util.files import rename_file
from urlset._util.tempdirs import temporary_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Baseline = Literal["ledger", "previous", "manifest"]

#: What a manifest says its version is, and the one that is understood here.
_VERSION: Final = ("urlset.manifest", "1")
_BASE_URL: Final = "urlset.base_url"
#: DuckDB's memory, above which it spills: measured with 10 million locs that all changed.
_MEMORY: Final = "1GB"
#: Each holds a piece of a Parquet file that is written, so more of them need more memory.
_THREADS: Final = 2
#: Hosts that are looked at together.
_SITES_AT_ONCE: Final = 1000

# The ledger as it stands: what the last merge knew, with the journal over it, without deletions that nobody
# remembers. `everything` also takes out what was never told and still lives, which makes it new.
_KNOWN: Final = """
CREATE OR REPLACE VIEW known AS
SELECT * FROM (SELECT * FROM base ANTI JOIN piece USING (loc) UNION ALL SELECT * FROM piece)
WHERE gone IS NULL OR loc IN (SELECT loc FROM manifest WHERE gone IS NOT NULL)
"""
_KNOWN_AS_TOLD: Final = """
CREATE OR REPLACE VIEW known AS
SELECT * FROM (SELECT * FROM base ANTI JOIN piece USING (loc) UNION ALL SELECT * FROM piece)
WHERE CASE
    WHEN gone IS NOT NULL THEN loc IN (SELECT loc FROM manifest WHERE gone IS NOT NULL)
    ELSE told IS NOT NULL OR NOT loc IN (SELECT loc FROM manifest WHERE gone IS NULL)
END
"""
_BEGUN: Final = "SELECT loc, key, lastmod, gone, NULL::TIMESTAMPTZ AS told, NULL::VARCHAR AS endpoint FROM begun"
_EMPTY: Final = "CREATE OR REPLACE VIEW piece AS SELECT * FROM base LIMIT 0"

# A loc that came and went between two submits is no change: nobody was told of it.
_CHANGED: Final = r"""
CREATE TABLE changed AS
SELECT
    coalesce(manifest.loc, known.loc) AS loc,
    manifest.key AS key,
    manifest.lastmod AS lastmod,
    CASE WHEN manifest.loc IS NULL THEN $now ELSE manifest.gone END AS gone,
    CASE
        WHEN manifest.loc IS NULL OR manifest.gone IS NOT NULL THEN 'removed'
        WHEN known.loc IS NULL OR known.gone IS NOT NULL THEN 'added'
        ELSE 'changed'
    END AS change,
    coalesce(regexp_extract(coalesce(manifest.loc, known.loc), '^[^:/?#]+://[^/?#]*'), '') AS site
FROM manifest FULL JOIN known ON manifest.loc = known.loc
WHERE CASE
    WHEN manifest.loc IS NULL OR manifest.gone IS NOT NULL THEN known.loc IS NOT NULL AND known.gone IS NULL
    ELSE known.loc IS NULL OR known.gone IS NOT NULL
        OR manifest.key IS DISTINCT FROM known.key OR manifest.lastmod IS DISTINCT FROM known.lastmod
END
"""
_SITES: Final = "SELECT DISTINCT site FROM changed"
_OURS: Final = "CREATE TABLE ours (site VARCHAR)"
# A path with dots in it says that it lies in a folder in which it does not.
_OUTGOING: Final = r"""
CREATE TABLE outgoing AS
SELECT loc, key, lastmod, gone, change FROM changed SEMI JOIN ours USING (site)
WHERE $scope = '/' OR (
    starts_with(loc[length(site) + 1:], $scope)
    AND NOT regexp_matches(regexp_extract(loc[length(site) + 1:], '^[^?#]*'), '/(\.|%2[eE]){1,2}(/|$)')
)
ORDER BY loc
"""
_COUNTS: Final = """
SELECT
    (SELECT count(*) FROM changed ANTI JOIN ours USING (site)),
    (SELECT count(*) FROM changed SEMI JOIN ours USING (site)),
    count(*) FILTER (change = 'added'), count(*) FILTER (change = 'changed'), count(*) FILTER (change = 'removed')
FROM outgoing
"""
_FIRST: Final = "SELECT change, loc FROM outgoing WHERE rowid < $many ORDER BY rowid"
_LOCS: Final = "SELECT loc FROM outgoing WHERE rowid >= $start AND rowid < $stop ORDER BY rowid"
_PIECE: Final = """
SELECT loc, key, lastmod, gone, $told::TIMESTAMPTZ AS told, $endpoint AS endpoint
FROM outgoing WHERE rowid >= $start AND rowid < $stop
"""


@dataclass(frozen=True, slots=True)
class Changes:
    """Counts of locs: what is to be told, and what is left out.

    `other_host` are those of another host than the set's, `outside` those that the key does not cover.
    """

    added: int
    changed: int
    removed: int
    other_host: int
    outside: int
    first: tuple[tuple[str, str], ...]

    @property
    def pages(self) -> int:
        """All that is to be told."""
        return self.added + self.changed + self.removed


@dataclass(frozen=True, slots=True)
class Batch:
    """Locs that are told at once; the rows `start` to `stop` of what is to be told."""

    start: int
    stop: int
    locs: list[str]


class Ledger:
    """The ledger of one set, and its manifest beside it; see the top for how they are kept.

    `baseline` is what changes are told against: the ledger, or, where it has to begin, the manifest before the one
    in force, else the one in force.
    """

    def __init__(self, place: Place, connection: DuckDBPyConnection, *, everything: bool) -> None:
        self._place = place
        self._connection = connection
        self._known = _KNOWN_AS_TOLD if everything else _KNOWN
        self._rewrites = everything
        state = place.folder / STATE
        self._ledger = state / "indexnow.parquet"
        self._journal = state / JOURNAL
        manifest = state / "manifest.parquet"
        previous = state / "previous.parquet"
        self.base_url = self._look_at_manifest(manifest)
        columns = "loc, key, lastmod, gone"
        self._view("manifest", [manifest], columns)
        self.baseline: Baseline = "manifest"
        if self._ledger.is_file():
            self.baseline = "ledger"
        elif previous.is_file():
            self._look_at_manifest(previous)
            self.baseline = "previous"
            self._view("begun", [previous], columns)
        else:
            self._view("begun", [manifest], columns)
        self._look()

    @classmethod
    @contextmanager
    def open(cls, store: Store, *, everything: bool) -> Iterator[Ledger]:
        """Takes a published set for one submit.

        Raises:
            InputError: nothing was published there, or by a newer urlset.
            DocumentError: the manifest or the ledger cannot be read.
            PublishError: another submit has it, or the ledger cannot be worked out or written.
        """
        import duckdb  # noqa: PLC0415  (0.15 s, for which importing urlset should not wait)

        try:
            with (
                Place.open(store) as place,
                temporary_folder() as spilled,
                # The ledger is replaced under its name, and has to be read anew.
                connect(
                    memory=_MEMORY, threads=_THREADS, spill=spilled, enable_external_file_cache=False
                ) as connection,
            ):
                yield cls(place, connection, everything=everything)
        except duckdb.Error as error:
            message = f"the ledger of {store.location} could not be worked out: {first_line(error)}"
            raise PublishError(message) from error

    def _look_at_manifest(self, path: Path) -> str:
        """The base URL that a manifest is of."""
        import duckdb  # noqa: PLC0415  (see open)

        try:
            rows = self._connection.execute(
                "SELECT key, value FROM parquet_kv_metadata(?)", [path_pattern(path)]
            ).fetchall()
        except duckdb.Error as error:
            raise DocumentError(f"cannot be read: {first_line(error)}; publish again", location=str(path)) from None
        facts = {bytes(key).decode(): bytes(value).decode(errors="replace") for key, value in rows}
        name, version = _VERSION
        if facts.get(name) != version:
            raise InputError(f"{path} is no manifest of version {version}: publish, and submit with the same urlset")
        if _BASE_URL not in facts:
            raise DocumentError("it does not say its base_url; publish again", location=str(path))
        return facts[_BASE_URL]

    def _view(self, name: str, paths: list[Path], columns: str) -> None:
        """A view of some columns of Parquet files, all of which have to be there."""
        import duckdb  # noqa: PLC0415  (see open)

        try:
            relation = self._connection.read_parquet([path_pattern(path) for path in paths])
            relation.select(columns).create_view(name, replace=True)
        except duckdb.Error as error:
            remedy = "publish again" if name in ("manifest", "begun") else "remove it, and the ledger begins anew"
            raise DocumentError(f"cannot be read: {first_line(error)}; {remedy}", location=str(paths[0])) from None

    def _look(self) -> None:
        """Defines the ledger as it stands by the files that are there now."""
        columns = "loc, key, lastmod, gone, told, endpoint"
        if self._ledger.is_file():
            self._view("base", [self._ledger], columns)
        else:
            self._connection.execute("CREATE OR REPLACE VIEW base AS " + _BEGUN)
        if pieces := self._pieces():
            self._view("piece", pieces, columns)
        else:
            self._connection.execute(_EMPTY)
        self._connection.execute(self._known)

    def _pieces(self) -> list[Path]:
        return sorted(self._journal.glob("*.parquet"))

    def begin(self) -> None:
        """Brings the files to where a submit starts from: the ledger is there, and the journal is not."""
        if self._rewrites or self._pieces() or not self._ledger.is_file():
            self.merge()
        self._end_journal()

    def merge(self) -> None:
        """Writes what stands as the new ledger, and ends the journal."""
        self._look()
        self._write("FROM known", {}, self._ledger)
        self._end_journal()
        self._look()

    def _end_journal(self) -> None:
        # A piece that stayed would stand over what is booked after it, so that a failure is none to pass over.
        if self._journal.exists():
            shutil.rmtree(self._journal)
        self._place.end_journal()

    def compare(self, is_ours: Callable[[str], bool], scope: str, now: datetime, many: int) -> Changes:
        """Finds what is to be told, in the order of locs.

        Args:
            is_ours: whether a scheme and authority is of the set's host.
            scope: the path below which the key counts.
            now: when a loc went that the manifest has forgotten.
            many: how many changes to show.
        """
        execute = self._connection.execute
        execute(_CHANGED, {"now": now})
        execute(_OURS)
        with self._connection.cursor() as sites:
            sites.execute(_SITES)
            while rows := sites.fetchmany(_SITES_AT_ONCE):
                ours = [site for (site,) in rows if is_ours(site)]
                execute("INSERT INTO ours SELECT unnest($ours::VARCHAR[])", {"ours": ours})
        execute(_OUTGOING, {"scope": scope})
        other_host, covered, added, changed, removed = self._row(_COUNTS)
        execute("DROP TABLE changed")
        first = execute(_FIRST, {"many": many}).fetchall()
        outside = covered - added - changed - removed
        return Changes(added, changed, removed, other_host, outside, tuple((change, loc) for change, loc in first))

    def batches(self, size: int) -> Iterator[Batch]:
        """What is to be told, in batches of so many locs at most. The same changes give the same batches."""
        start = 0
        while rows := self._connection.execute(_LOCS, {"start": start, "stop": start + size}).fetchall():
            yield Batch(start, start + len(rows), [loc for (loc,) in rows])
            start += len(rows)

    def book(self, batch: Batch, endpoint: str, told: datetime) -> None:
        """Makes a batch one that was told, whatever happens from here on."""
        self._journal.mkdir(exist_ok=True)
        piece = self._journal / f"{batch.start:012}.parquet"
        values = {"told": told, "endpoint": shown(endpoint), "start": batch.start, "stop": batch.stop}
        self._write(_PIECE, values, piece)

    def booked(self) -> int:
        """How many locs the ledger knows."""
        return int(self._row("SELECT count(*) FROM base")[0])

    def _row(self, query: str) -> tuple[Any, ...]:
        """The one row of an aggregate."""
        return self._connection.execute(query).fetchall()[0]

    def _write(self, query: str, values: dict[str, Any], path: Path) -> None:
        """A file that is whole once it has its name."""
        aside = path.with_suffix(".part")
        self._connection.sql(query, params=values).write_parquet(str(aside), compression="zstd", overwrite=True)
        rename_file(aside, path)
        self._place.put(path)
