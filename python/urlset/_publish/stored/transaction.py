"""The transaction that takes a store from one whole set to the next.

    .urlset/next.parquet       the manifest of the set to come: until it is current, the plan of the commit
    .urlset/replaced.xml       the current entry point, from just before the commit until after it
    .urlset/manifest.parquet   the manifest of the current set
    .urlset/previous.parquet   the manifest and
    .urlset/previous.xml       the entry point of the set before it, whose shards are still kept

Safety rests on the order of the steps alone. The names of shards contain a hash of their content, so storing them
disturbs nothing. Replacing the entry point, which names them, is the commit. What comes before it can be thrown away,
and what comes after it can be done again; the next publish does either if this one is interrupted.

Shards with stable names are replaced before the entry point is. That cannot be undone, so an interrupted publish leaves
old and new documents under the old entry point, and a manifest with other hashes than theirs. The next publish finds
them damaged, and makes them anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from shutil import rmtree

from urlset._model.errors import PublishError
from urlset._model.limits import PROTOCOL
from urlset._publish.documents import index_documents
from urlset._publish.rows.database import PlanningDatabase
from urlset._publish.stored import integrity, manifest
from urlset._publish.stored.integrity import Integrity
from urlset._publish.stored.manifest import MANIFEST, NEXT, PREVIOUS
from urlset._publish.values.header import Header
from urlset._read.entry_points import ENTRY_POINT
from urlset._stores.errors import os_errors_as_publish_errors
from urlset._stores.folder import FolderStore
from urlset._stores.seal import is_sealed
from urlset._stores.store import STAGE, Store

REPLACED = ".urlset/replaced.xml"
PREVIOUS_ENTRY_POINT = ".urlset/previous.xml"
#: Bytes of an entry point that is kept for a rollback; another program's may exceed the protocol's limit.
_MAX_BYTES = 2 * PROTOCOL.bytes
#: Files that a commit moves at once.
_MOVES_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class FileChanges:
    """What a commit did, by the names of files."""

    written: Sequence[str] = ()
    unchanged: Sequence[str] = ()
    removed: Sequence[str] = ()


def digest(data: bytes | None) -> str:
    """Return the SHA-256 of an entry point; "" if there is none."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


class Transaction:
    """A store that is locked for one publish, and the manifests in it.

    Attributes:
        store: Where the set is stored.
        stage: The folder for files that wait for the commit.
        integrity: Compares what is stored with what was published.
    """

    def __init__(self, store: Store, database: PlanningDatabase, stage: Path) -> None:
        self.store = store
        self.stage = stage
        self._database = database
        self._headers: dict[str, tuple[Header, Path]] = {}
        self._fetched = count(1)
        self.integrity = Integrity(store)

    @classmethod
    @contextmanager
    def begin(cls, store: Store, database: PlanningDatabase) -> Iterator[Transaction]:
        """Lock the store for one publish, and first end or undo what an interrupted one has begun."""
        with store.lock():
            # A file in the folder's own stage only has to be renamed.
            stage = store.folder / STAGE if isinstance(store, FolderStore) else database.folder / "stage"
            with os_errors_as_publish_errors(stage):
                stage.mkdir(parents=True, exist_ok=True)
            transaction = cls(store, database, stage)
            transaction._recover()
            try:
                yield transaction
            finally:
                rmtree(stage, ignore_errors=True)

    @classmethod
    @contextmanager
    def read_only(cls, store: Store, database: PlanningDatabase) -> Iterator[Transaction]:
        """Read the store, and write nothing to it: neither a lock nor a stage."""
        yield cls(store, database, database.folder / "stage")

    def entry_point(self) -> bytes | None:
        """Return the current entry point, or None."""
        return self.store.read(ENTRY_POINT, _MAX_BYTES)

    def header(self, name: str) -> tuple[Header, Path] | None:
        """Return the metadata of a stored manifest and a local copy of it; None if there is none or it is damaged."""
        known = self._headers.get(name)
        # A large one is not fetched again.
        if known is not None and known[1].is_file():
            return known
        # Of a store that is only read, nothing makes the stage.
        folder = self.stage if self.stage.is_dir() else self._database.folder
        path = folder / f"{next(self._fetched)}.parquet"
        if not self.store.fetch(name, path):
            return None
        header = manifest.header_of(path)
        if header is None:
            return None
        self._headers[name] = (header, path)
        return header, path

    def current(self, live: bytes | None) -> tuple[Header, Path] | None:
        """Return the manifest of the current set, if it is not lost. Unless it is damaged, `live` is its entry point.

        A manifest proves itself. An entry point with other bytes than it says is damaged, or another program has
        written it: either way, what is known of the set is kept.
        """
        known = self.header(MANIFEST)
        if known is not None and known[0].entry_point == digest(live):
            return known
        # Without the lock, a commit under way cannot be ended first, so its manifest counts too.
        under_way = self.header(NEXT)
        return under_way if under_way is not None and under_way[0].entry_point == digest(live) else known

    def files_with_rows(self, header: Header, path: Path) -> list[Path]:
        """Return local paths of the files with the rows of a manifest: its own, or those of its parts.

        A part that is missing or damaged has a path too, at which there is nothing.
        """
        parts = [self.local(name, self._database.folder / name.rpartition("/")[2]) for name in header.parts]
        return [part if is_sealed(part) else self._database.folder / "damaged" for part in parts] or [path]

    def local(self, name: str, path: Path) -> Path:
        """Return the path of a file that never changes: its own in a folder, else `path`, to which it is copied."""
        if isinstance(self.store, FolderStore):
            self.store.size(name)  # no link leads out of the folder
            return self.store.folder / name
        if not path.is_file():
            self.store.fetch(name, path)
        return path

    def put_manifest(self, name: str, path: Path, header: Header) -> None:
        """Store a manifest."""
        self.store.put_file(name, path)
        self._headers[name] = (header, path)

    def _forget(self, *names: str) -> None:
        for name in names:
            self.store.delete([name])
            self._headers.pop(name, None)

    def commit(
        self,
        next_manifest: Path,
        header: Header,
        names: Sequence[str],
        *,
        is_new: bool,
        moves: Mapping[str, str] | None = None,
    ) -> FileChanges:
        """Store the staged documents, and then the staged entry point that names them, if it is a new one.

        Args:
            next_manifest: The manifest of the set to come.
            header: Its metadata.
            names: The staged documents to store.
            is_new: Whether the entry point differs from the current one.
            moves: Files that are in the store under names of a job, and the names that they get.
        """
        self.put_manifest(NEXT, next_manifest, header)
        self.move(moves or {})
        for name in names:
            self.store.put_file(name, self.stage / name)
        if is_new:
            replaced = self._published_entry_point()
            if replaced is not None:
                self.store.put(REPLACED, replaced)
            self.store.put_file(ENTRY_POINT, self.stage / ENTRY_POINT)
        return FileChanges([*names, *[ENTRY_POINT] * is_new], removed=self._finish(header))

    def move(self, moves: Mapping[str, str]) -> None:
        """Give files of the store other names."""
        with ThreadPoolExecutor(_MOVES_AT_ONCE) as pool:  # a copy takes an object store as long as a request
            list(pool.map(lambda move: self.store.rename(*move), moves.items()))

    def _published_entry_point(self) -> bytes | None:
        """Return the entry point of the current set as it was published.

        A damaged one is made again from the manifest. None if it cannot be, because it is the only document.
        """
        known, live = self.header(MANIFEST), self.entry_point()
        if known is None or known[0].entry_point == digest(live):
            return None if known is None else live
        made = index_documents.entry_point_of(known[0])
        return made if digest(made) == known[0].entry_point else None

    def _finish(self, header: Header) -> list[str]:
        """Make the set just replaced the previous one, and remove the shards of the one before; return their names.

        A set whose entry point is lost for good cannot be restored. It is removed, and the one before it stays.

        It can be interrupted anywhere and done again: what it reads is overwritten only after all that depends on it.
        """
        replaced, known, previous = self.store.read(REPLACED, _MAX_BYTES), self.header(MANIFEST), self.header(PREVIOUS)
        removed: list[str] = []
        if known and known[0].entry_point == header.entry_point:
            # The same documents with another manifest, whose parts nobody needs any more.
            self.store.delete(sorted({*known[0].parts} - {*header.parts, *(previous[0].parts if previous else ())}))
        elif known:
            is_whole = digest(replaced) == known[0].entry_point
            kept, left = (known, previous) if is_whole else (previous, known)
            stay = _names(header) | (_names(kept[0]) if kept else set())
            removed = sorted((_names(left[0]) if left else set()) - stay)
            self.store.delete(removed)
            if replaced is not None and is_whole:
                self.store.put(PREVIOUS_ENTRY_POINT, replaced)
                self.put_manifest(PREVIOUS, known[1], known[0])
            elif previous and previous[0].entry_point == header.entry_point:
                self._forget(PREVIOUS, PREVIOUS_ENTRY_POINT)  # it is the current set again
        self._forget(REPLACED)
        self.store.rename(NEXT, MANIFEST)
        self._headers.pop(MANIFEST, None)
        if NEXT in self._headers:
            self._headers[MANIFEST] = self._headers.pop(NEXT)
        return removed

    def _recover(self) -> None:
        self._finish_or_undo()
        known = self.header(MANIFEST)
        if known is not None and not known[0].layout:
            self._forget(MANIFEST)  # it was recovered for a commit that did not happen, and can be recovered again

    def _finish_or_undo(self) -> None:
        """End what an interrupted publish has begun: its entry point is current, or it is not."""
        found = self.header(NEXT)
        if found is None:
            self._forget(REPLACED, NEXT)
            return
        header, live = found[0], self.entry_point()
        if digest(live) == header.entry_point:
            self._finish(header)
            return
        known, previous = self.header(MANIFEST), self.header(PREVIOUS)
        is_known = known is not None and known[0].entry_point == digest(live)
        is_finishing = known is not None and previous is not None and known[0].entry_point == previous[0].entry_point
        if not is_known and (is_finishing or self.store.size(REPLACED) is not None):
            # All documents of the set to come are there, and its entry point may have been damaged since.
            self._finish(header)
            return
        if live is None or is_known:
            kept = (_names(known[0]) if known else set()) | (_names(previous[0]) if previous else set())
            self.store.delete(sorted(_names(header) - kept))
        # Otherwise it is not known which set is current, and all documents stay.
        self._forget(REPLACED, NEXT)

    def roll_back(self) -> Header:
        """Make the previous set the current one, and return the metadata of its manifest.

        Raises:
            PublishError: There is no previous set, or a document of it is missing or damaged.
        """
        previous, entry_point = self.header(PREVIOUS), self.store.read(PREVIOUS_ENTRY_POINT, _MAX_BYTES)
        if previous is None or entry_point is None or previous[0].entry_point != digest(entry_point):
            raise PublishError(f"there is no previous set to roll back to in {self.store.location}")
        header, path = previous
        # Whatever the stamps say: nobody would publish this set again, and so repair it.
        proof = Integrity(self.store, is_full=True)
        damaged = integrity.problems(proof, header.shards, header.indexes)
        current = self.header(MANIFEST)
        replaced = replaced_names(header, current[0]) if current else set()
        if replaced:
            raise PublishError(
                f"the previous set cannot be restored, and the current one stays: {min(replaced)} was"
                " replaced under its stable name. Publish the rows of the previous set instead"
            )
        if damaged:
            first = "; ".join(f"{name} {problem}" for name, problem in list(damaged.items())[:5])
            raise PublishError(
                f"the previous set cannot be restored, and the current one stays: {first}. Publish the rows of the"
                " previous set instead"
            )
        with os_errors_as_publish_errors(self.stage):
            (self.stage / ENTRY_POINT).write_bytes(entry_point)
        self.commit(path, header, [], is_new=True)
        self.integrity.learn(header.shards, header.indexes, written=[*_names(header, is_ours=False)])
        return header


def replaced_names(previous: Header, current: Header) -> set[str]:
    """Return the names under which the current set has other documents than the one before: stable ones."""
    hashes = {record.name: record.sha256 for record in current.shards if record.name != ENTRY_POINT}
    return {record.name for record in previous.shards if hashes.get(record.name, record.sha256) != record.sha256}


def _names(header: Header, *, is_ours: bool = True) -> set[str]:
    """Return the names of a set's files without the entry point, and with `is_ours` without other programs' files."""
    records = (record for record in header.shards if record.is_ours or not is_ours)
    files = {record.name for record in records if record.name != ENTRY_POINT}
    return files | set(header.indexes) | set(header.parts)
