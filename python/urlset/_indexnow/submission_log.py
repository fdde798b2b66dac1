"""The submission log: what was submitted of a published set, and with it what has changed since.

    .urlset/indexnow.parquet    the submission log: one row per loc, as it was submitted
    .urlset/indexnow.journal/   one file per acknowledged batch, until they are merged into the submission log
    .urlset/indexnow.lock       held while a submit runs; in an object store it is the lock of a publish

A batch is recorded by renaming its file into the journal, which costs the same however large the log is. At the end,
and at the beginning of the next submit after one that was killed, the journal is merged: a new log is written aside
and renamed over the old one, then the journal is deleted. Merging twice changes nothing, so a submit can be killed at
any step. If that happens between an acknowledgement and its rename, the batch is submitted again; no batch is lost.

A row whose `told`, the time of submission, is NULL was there when the log began. A row with `gone` is a submitted
deletion; it is kept while the manifest has the loc as well, so the log never outgrows the manifest by more than what
is pending.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from urlset._indexnow.address import without_query
from urlset._indexnow.workspace import JOURNAL, STATE, Workspace
from urlset._model.errors import DocumentError, InputError, PublishError
from urlset._stores.seal import DAMAGED, is_sealed
from urlset._stores.store import Store
from urlset._util.duckdb import first_line, interruptible, path_pattern
from urlset._util.files import rename_file
from urlset._util.instances import cursor_of, in_memory
from urlset._util.manifest_parts import IN_PARTS, WHOLE, parts_in
from urlset._util.tempdirs import temporary_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Baseline = Literal["log", "previous", "manifest"]

_BASE_URL: Final = "urlset.base_url"
#: The memory of DuckDB, above which it spills: measured with 10 million locs that all changed.
_MEMORY: Final = "1GB"
#: Each thread holds a piece of a Parquet file while it is written, so more threads need more memory.
_THREADS: Final = 2
#: Hosts that are compared together.
_SITES_AT_ONCE: Final = 1000

# The current log: the last merge, overridden by the journal, without deletions that the manifest has forgotten.
# `everything` also leaves out live pages that were never submitted, which makes them new.
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
_BEGUN: Final = "SELECT loc, entry_hash, lastmod, gone, NULL::TIMESTAMPTZ AS told, NULL::VARCHAR AS endpoint FROM begun"
_EMPTY: Final = "CREATE OR REPLACE VIEW piece AS SELECT * FROM base LIMIT 0"

# A loc that was added and removed between two submits is not a change: it was never submitted.
_CHANGED: Final = r"""
CREATE TABLE changed AS
SELECT
    coalesce(manifest.loc, known.loc) AS loc,
    manifest.entry_hash AS entry_hash,
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
        OR manifest.entry_hash IS DISTINCT FROM known.entry_hash OR manifest.lastmod IS DISTINCT FROM known.lastmod
END
"""
_SITES: Final = "SELECT DISTINCT site FROM changed"
_OWN_SITES: Final = "CREATE TABLE own_sites (site VARCHAR)"
# A path with dot segments can begin with the scope and still lead out of it.
_OUTGOING: Final = r"""
CREATE TABLE outgoing AS
SELECT loc, entry_hash, lastmod, gone, change FROM changed SEMI JOIN own_sites USING (site)
WHERE $scope = '/' OR (
    starts_with(loc[length(site) + 1:], $scope)
    AND NOT regexp_matches(regexp_extract(loc[length(site) + 1:], '^[^?#]*'), '/(\.|%2[eE]){1,2}(/|$)')
)
ORDER BY loc
"""
_COUNTS: Final = """
SELECT
    (SELECT count(*) FROM changed ANTI JOIN own_sites USING (site)),
    (SELECT count(*) FROM changed SEMI JOIN own_sites USING (site)),
    count(*) FILTER (change = 'added'), count(*) FILTER (change = 'changed'), count(*) FILTER (change = 'removed')
FROM outgoing
"""
_FIRST: Final = "SELECT change, loc FROM outgoing WHERE rowid < $many ORDER BY rowid"
_LOCS: Final = "SELECT loc FROM outgoing WHERE rowid >= $start AND rowid < $stop ORDER BY rowid"
_PIECE: Final = """
SELECT loc, entry_hash, lastmod, gone, $told::TIMESTAMPTZ AS told, $endpoint AS endpoint
FROM outgoing WHERE rowid >= $start AND rowid < $stop
"""


@dataclass(frozen=True, slots=True)
class PendingChanges:
    """The numbers of locs to submit and of those left out.

    `other_host` counts locs on another host than the set, `outside` those that the key does not cover.
    """

    added: int
    changed: int
    removed: int
    other_host: int
    outside: int
    first: tuple[tuple[str, str], ...]

    @property
    def pages(self) -> int:
        """The number of locs to submit."""
        return self.added + self.changed + self.removed


@dataclass(frozen=True, slots=True)
class Batch:
    """Locs that are submitted together: the rows from `start` up to `stop` of the pending changes."""

    start: int
    stop: int
    locs: list[str]


class SubmissionLog:
    """The submission log of one set, with its manifest; the docstring of this module says how they are stored.

    `baseline` is what the manifest is compared with: the log, or if there is none yet, the previous manifest, else
    the current one.
    """

    def __init__(self, workspace: Workspace, connection: DuckDBPyConnection, *, everything: bool) -> None:
        self._workspace = workspace
        self._connection = connection
        self._known = _KNOWN_AS_TOLD if everything else _KNOWN
        self._rewrites = everything
        state = workspace.folder / STATE
        self._log = state / "indexnow.parquet"
        self._journal = state / JOURNAL
        manifest = state / "manifest.parquet"
        previous = state / "previous.parquet"
        self.base_url, parts = self._read_metadata(manifest)
        columns = "loc, entry_hash, lastmod, gone"
        self._view("manifest", parts or [manifest], columns)
        self.baseline: Baseline = "manifest"
        if self._log.is_file():
            self.baseline = "log"
        elif previous.is_file():
            self.baseline = "previous"
            self._view("begun", self._read_metadata(previous)[1] or [previous], columns)
        else:
            self._view("begun", parts or [manifest], columns)
        self._define_views()

    @classmethod
    @contextmanager
    def open(cls, store: Store, *, everything: bool) -> Iterator[SubmissionLog]:
        """Open a published set for one submit.

        Raises:
            InputError: Nothing was published there, or by a newer urlset.
            DocumentError: The manifest or the submission log cannot be read.
            PublishError: Another submit is running, or the submission log cannot be computed or written.
        """
        import duckdb  # noqa: PLC0415  (0.15 s, for which importing urlset should not wait)

        try:
            with (
                interruptible(),
                Workspace.open(store) as workspace,
                temporary_folder() as spilled,
                # The submission log is replaced under its name, and must be read anew.
                in_memory(
                    memory=_MEMORY, threads=_THREADS, spill=spilled / "spilled", enable_external_file_cache=False
                ) as connection,
            ):
                yield cls(workspace, connection, everything=everything)
        except duckdb.Error as error:
            message = f"the submission log of {store.location} could not be computed: {first_line(error)}"
            raise PublishError(message) from error

    def _read_metadata(self, path: Path) -> tuple[str, list[Path]]:
        """Return the base URL in a manifest and the paths of its parts, if it has any, and check its version."""
        import duckdb  # noqa: PLC0415  (see open)

        try:
            rows = self._connection.execute(
                "SELECT key, value FROM parquet_kv_metadata(?)", [path_pattern(path)]
            ).fetchall()
        except duckdb.Error as error:
            raise DocumentError(f"cannot be read: {first_line(error)}; publish again", location=str(path)) from None
        metadata = {bytes(key).decode(): bytes(value).decode(errors="replace") for key, value in rows}
        try:
            parts = parts_in(metadata)
        except ValueError as error:
            raise DocumentError(f"{error}; publish again", location=str(path)) from None
        if parts is None:
            raise InputError(
                f"{path} is not a manifest of version {WHOLE} or {IN_PARTS}: publish and submit with the same version"
                " of urlset"
            )
        if _BASE_URL not in metadata:
            raise DocumentError("the manifest has no base_url; publish again", location=str(path))
        files = [self._workspace.part(name) for name in parts]
        for file in (path, *files):
            if file.is_file() and not is_sealed(file):  # `_view` says which one is missing
                raise DocumentError(f"damaged: {DAMAGED}", location=str(file))
        return metadata[_BASE_URL], files

    def _view(self, name: str, paths: list[Path], columns: str) -> None:
        """Create a view of some columns of Parquet files, which must all exist."""
        import duckdb  # noqa: PLC0415  (see open)

        try:
            relation = self._connection.read_parquet([path_pattern(path) for path in paths])
            relation.select(columns).create_view(name, replace=True)
        except duckdb.Error as error:
            remedy = (
                "publish again" if name in ("manifest", "begun") else "delete it, and the submission log begins anew"
            )
            raise DocumentError(f"cannot be read: {first_line(error)}; {remedy}", location=str(paths[0])) from None

    def _define_views(self) -> None:
        """Define the views of the current submission log from the files that exist now."""
        columns = "loc, entry_hash, lastmod, gone, told, endpoint"
        if self._log.is_file():
            self._view("base", [self._log], columns)
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
        """Prepare the files for a submit: the submission log must exist, and the journal must not."""
        if self._rewrites or self._pieces() or not self._log.is_file():
            self.merge()
        self._end_journal()

    def merge(self) -> None:
        """Write the current submission log with the journal merged in, and delete the journal."""
        self._define_views()
        self._write("FROM known", {}, self._log)
        self._end_journal()
        self._define_views()

    def _end_journal(self) -> None:
        # A remaining file would override what is recorded later, so a failure must not be ignored.
        if self._journal.exists():
            shutil.rmtree(self._journal)
        self._workspace.delete_journal()

    def compare(self, is_own: Callable[[str], bool], scope: str, now: datetime, many: int) -> PendingChanges:
        """Find the changes to submit, in the order of locs.

        Args:
            is_own: Whether a scheme and authority is that of the set's host.
            scope: The path below which the key is valid.
            now: The time of removal of a loc that the manifest has forgotten.
            many: The number of changes to return in `first`.
        """
        execute = self._connection.execute
        execute(_CHANGED, {"now": now})
        execute(_OWN_SITES)
        with cursor_of(self._connection) as sites:
            sites.execute(_SITES)
            while rows := sites.fetchmany(_SITES_AT_ONCE):
                own = [site for (site,) in rows if is_own(site)]
                execute("INSERT INTO own_sites SELECT unnest($own::VARCHAR[])", {"own": own})
        execute(_OUTGOING, {"scope": scope})
        other_host, covered, added, changed, removed = self._row(_COUNTS)
        execute("DROP TABLE changed")
        first = execute(_FIRST, {"many": many}).fetchall()
        outside = covered - added - changed - removed
        pairs = tuple((change, loc) for change, loc in first)
        return PendingChanges(added, changed, removed, other_host, outside, pairs)

    def batches(self, size: int) -> Iterator[Batch]:
        """Yield the changes to submit in batches of at most `size` locs. The same changes give the same batches."""
        start = 0
        while rows := self._connection.execute(_LOCS, {"start": start, "stop": start + size}).fetchall():
            yield Batch(start, start + len(rows), [loc for (loc,) in rows])
            start += len(rows)

    def record(self, batch: Batch, endpoint: str, submitted: datetime) -> None:
        """Record durably that a batch was submitted."""
        self._journal.mkdir(exist_ok=True)
        piece = self._journal / f"{batch.start:012}.parquet"
        values = {
            "told": submitted,
            "endpoint": without_query(endpoint),
            "start": batch.start,
            "stop": batch.stop,
        }
        self._write(_PIECE, values, piece)

    def recorded(self) -> int:
        """Return the number of locs in the submission log."""
        return int(self._row("SELECT count(*) FROM base")[0])

    def _row(self, query: str) -> tuple[Any, ...]:
        """Return the single row of an aggregate."""
        return self._connection.execute(query).fetchall()[0]

    def _write(self, query: str, values: dict[str, Any], path: Path) -> None:
        """Write a Parquet file aside, and rename it when it is complete."""
        aside = path.with_suffix(".part")
        self._connection.sql(query, params=values).write_parquet(str(aside), compression="zstd", overwrite=True)
        rename_file(aside, path)
        self._workspace.put(path)
