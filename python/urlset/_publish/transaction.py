"""How a place goes from one whole set to the next.

    .urlset/next.parquet       the manifest of the set to come: until it is in force, the plan of the switch
    .urlset/replaced.xml       the entry point in force, from just before the switch until after it
    .urlset/manifest.parquet   the manifest of the set in force
    .urlset/previous.parquet   the manifest and
    .urlset/previous.xml       the entry point of the set before it, whose shards are still kept

The order of steps is the whole of the safety. Shards have names that say their content, so putting them into the place
disturbs nothing. The entry point that names them is the switch. What comes before it can be thrown away, and what comes
after it can be done again, which the next publish does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from shutil import rmtree

from urlset._model.errors import PublishError
from urlset._model.limits import PROTOCOL
from urlset._publish import manifest
from urlset._publish.database import PlanningDatabase
from urlset._publish.manifest import MANIFEST, NEXT, PREVIOUS, Header
from urlset._read.source import ENTRY_POINT
from urlset._stores.errors import os_errors_as_publish_errors
from urlset._stores.folder import FolderStore
from urlset._stores.store import STAGE, Store

REPLACED = ".urlset/replaced.xml"
PREVIOUS_ENTRY_POINT = ".urlset/previous.xml"
#: Bytes of an entry point that is kept for a way back; another program's may be over the protocol's limit.
_MOST = 2 * PROTOCOL.bytes


@dataclass(slots=True)
class Switched:
    """What a switch did, by names of files."""

    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)


def digest(data: bytes | None) -> str:
    """What an entry point is told by; "" where there is none."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


class Place:
    """A store that is locked for one publish, and what is known of the set in it."""

    def __init__(self, store: Store, database: PlanningDatabase, stage: Path) -> None:
        self.store = store
        self.stage = stage
        self._connection = database.connection
        self._aside = database.folder
        self._headers: dict[str, tuple[Header, Path]] = {}
        self._fetched = count(1)

    @classmethod
    @contextmanager
    def open(cls, store: Store, database: PlanningDatabase) -> Iterator[Place]:
        """Takes the place for one publish, and first ends what one that was killed had begun."""
        with store.lock():
            # A file in the folder's own stage only has to be renamed.
            stage = store.folder / STAGE if isinstance(store, FolderStore) else database.folder / "stage"
            with os_errors_as_publish_errors(stage):
                stage.mkdir(parents=True, exist_ok=True)
            place = cls(store, database, stage)
            place._recover()
            try:
                yield place
            finally:
                rmtree(stage, ignore_errors=True)

    @classmethod
    @contextmanager
    def look(cls, store: Store, database: PlanningDatabase) -> Iterator[Place]:
        """Looks at the place, and writes nothing to it: neither lock nor stage."""
        yield cls(store, database, database.folder / "stage")

    def entry_point(self) -> bytes | None:
        """The entry point in force."""
        return self.store.read(ENTRY_POINT, _MOST)

    def header(self, name: str) -> tuple[Header, Path] | None:
        """A manifest that is there and can be read: what it says of its set, and the file."""
        known = self._headers.get(name)
        # A large one is not fetched again.
        if known is not None and known[1].is_file():
            return known
        path = self._aside / f"{next(self._fetched)}.parquet"
        if not self.store.fetch(name, path):
            return None
        header = manifest.header_of(self._connection, path)
        if header is None:
            return None
        self._headers[name] = (header, path)
        return header, path

    def set_in_force(self, live: bytes | None, base_url: str) -> tuple[Header, Path] | None:
        """The manifest of the set in force, whose entry point is `live`, if it is one of ours for that URL."""
        # That of a switch under way counts where there was no lock to end it by.
        for name in (MANIFEST, NEXT):
            found = self.header(name)
            if found is None or found[0].base_url != base_url:
                continue
            # An entry point that was lost leads nowhere else.
            if found[0].entry_point == digest(live) or (live is None and name == MANIFEST):
                return found
        return None

    def put_manifest(self, name: str, path: Path, header: Header) -> None:
        """Stores a manifest."""
        self.store.put_file(name, path)
        self._headers[name] = (header, path)

    def _forget(self, *names: str) -> None:
        for name in names:
            self.store.delete([name])
            self._headers.pop(name, None)

    def switch(self, next_manifest: Path, header: Header, shards: Sequence[str], *, is_new: bool) -> Switched:
        """Puts the staged shards into the place, and makes the staged entry point lead to them, if it is a new one."""
        done = Switched()
        self.put_manifest(NEXT, next_manifest, header)
        for name in shards:
            self.store.put_file(name, self.stage / name)
            done.written.append(name)
        if is_new:
            live = self.entry_point()
            if live is not None:
                self.store.put(REPLACED, live)
            self.store.put_file(ENTRY_POINT, self.stage / ENTRY_POINT)
            done.written.append(ENTRY_POINT)
        done.removed = self._settle(header)
        return done

    def _settle(self, header: Header) -> list[str]:
        """After a switch: the set just replaced becomes the previous one, and the shards of the one before that go.

        It can end anywhere and be done again: what is read here is written over only when all that rests on it is done.
        """
        replaced, known = self.store.read(REPLACED, _MOST), self.header(MANIFEST)
        removed: list[str] = []
        if replaced is not None and not (known and known[0].entry_point == header.entry_point):
            before = self.header(PREVIOUS)
            kept = _names(header) | (_names(known[0]) if known else set())
            removed = sorted((_names(before[0]) if before else set()) - kept)
            self.store.delete(removed)
            self.store.put(PREVIOUS_ENTRY_POINT, replaced)
            if known:
                self.put_manifest(PREVIOUS, known[1], known[0])
            else:
                self._forget(PREVIOUS)
        found = self.header(NEXT)
        if found is not None:
            self.put_manifest(MANIFEST, found[1], found[0])
        self._forget(REPLACED, NEXT)
        return removed

    def _recover(self) -> None:
        self._end_switch()
        known = self.header(MANIFEST)
        if known is not None and not known[0].layout:
            self._forget(MANIFEST)  # it was found out for a switch that did not come about, and can be found out again

    def _end_switch(self) -> None:
        """Ends what a publish that was killed had begun: its switch was made, or it was not."""
        found = self.header(NEXT)
        if found is None:
            self._forget(REPLACED, NEXT)
            return
        header, live = found[0], self.entry_point()
        if digest(live) == header.entry_point:
            self._settle(header)
            return
        known, before = self.header(MANIFEST), self.header(PREVIOUS)
        if live is None or (known is not None and known[0].entry_point == digest(live)):
            kept = (_names(known[0]) if known else set()) | (_names(before[0]) if before else set())
            self.store.delete(sorted(_names(header) - kept))
        # Else nobody knows which set is in force, and its documents stay.
        self._forget(REPLACED, NEXT)

    def roll_back(self) -> Header:
        """Makes the set before the one in force the one in force. Raises PublishError where there is none."""
        before, entry_point = self.header(PREVIOUS), self.store.read(PREVIOUS_ENTRY_POINT, _MOST)
        if before is None or entry_point is None or before[0].entry_point != digest(entry_point):
            raise PublishError(f"there is no set before the one in force in {self.store.location}")
        header, path = before
        names = sorted(_names(header, is_ours=False))
        missing = [name for name in names if self.store.size(name) is None]
        if missing:
            raise PublishError(f"the set before the one in force lacks {', '.join(missing[:5])}")
        with os_errors_as_publish_errors(self.stage):
            (self.stage / ENTRY_POINT).write_bytes(entry_point)
        self.switch(path, header, [], is_new=True)
        return header


def _names(header: Header, *, is_ours: bool = True) -> set[str]:
    """The files that only this set has: all but the entry point, and those that another program has made."""
    records = (record for record in header.shards if record.is_ours or not is_ours)
    return {record.name for record in records if record.name != ENTRY_POINT} | set(header.indexes)
