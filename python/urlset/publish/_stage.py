"""Stage, verify, switch: how a folder goes from one whole set to the next.

    .urlset/lock           held while a publish runs
    .urlset/stage/         the new files, until each has been read back
    .urlset/replaced.xml   the index in force, from just before the switch until the cleaning after it
    .urlset/previous.xml   the index before the one in force, whose shards are still kept

The order of steps is the whole of the safety. Shards have names that say their content, so renaming them into the
folder disturbs nothing. The rename of the entry point is the switch. What comes before it can be thrown away, and
what comes after it can be done again, which the next publish does.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from pathlib import Path

from urlset import _core
from urlset._errors import DocumentError, PublishError
from urlset._models import SitemapEntry
from urlset._scan import Options, Scan
from urlset._source import ENTRY_POINT, resolve
from urlset._write import GZIP_LEVEL, write

#: The only names that are ever removed from a published folder.
_SHARD = re.compile(r"sitemap-\d{4,}-[0-9a-f]{16}\.xml(\.gz)?")


@dataclass(frozen=True, slots=True)
class Staged:
    """A verified document that waits: `bytes` of XML, `size` as stored."""

    name: str
    entries: int
    bytes: int
    size: int


@dataclass(frozen=True, slots=True)
class Switched:
    """What a switch did, by names of files."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]


class Staging:
    """The new set of one folder, from its first shard to the switch."""

    entry_point = ENTRY_POINT

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._state = folder / ".urlset"
        self._stage = self._state / "stage"
        self._replaced = self._state / "replaced.xml"
        self._previous = self._state / "previous.xml"
        self._staged: list[str] = []
        self._unchanged: list[str] = []
        self._switching = False

    @classmethod
    @contextmanager
    def open(cls, folder: Path) -> Iterator[Staging]:
        """Takes the folder for one publish. Raises PublishError where another one has it."""
        staging = cls(folder)
        from filelock import FileLock, Timeout  # noqa: PLC0415  (with asyncio, half the time of importing urlset)

        staging._state.mkdir(parents=True, exist_ok=True)
        lock = FileLock(staging._state / "lock", timeout=0)
        try:
            with lock:
                staging._recover()
                try:
                    yield staging
                finally:
                    # A switch that failed halfway leaves its plan behind: the next publish cleans up by it.
                    if not staging._switching:
                        shutil.rmtree(staging._stage, ignore_errors=True)
        except Timeout:
            raise PublishError(f"another publish into {folder} is running") from None

    def add_shard(self, number: int, xml: bytes, entries: int, *, compress: bool) -> Staged:
        """Stages a shard under the name that its content gives it."""
        digest = hashlib.sha256(xml).hexdigest()[:16]
        name = f"sitemap-{number:04}-{digest}.xml" + (".gz" if compress else "")
        stored = _core.gzip(xml, GZIP_LEVEL) if compress else xml
        return self._add(name, stored, xml, entries)

    def add_entry_point(self, xml: bytes, entries: int) -> Staged:
        """Stages the entry point, which has a name that everybody knows and is never compressed."""
        return self._add(self.entry_point, xml, xml, entries)

    def add_index(self, children: list[SitemapEntry]) -> Staged:
        """Stages the index of the shards as the entry point."""
        buffer = BytesIO()
        write(children, buffer, compression="none")
        return self.add_entry_point(buffer.getvalue(), len(children))

    def _add(self, name: str, stored: bytes, xml: bytes, entries: int) -> Staged:
        live = self.folder / name
        if live.is_file() and live.stat().st_size == len(stored) and live.read_bytes() == stored:
            self._unchanged.append(name)
        else:
            path = self._stage / name
            _write(path, stored)
            _verify(path, xml, entries)
            self._staged.append(name)
        return Staged(name, entries, len(xml), len(stored))

    def lastmods(self) -> dict[str, datetime]:
        """When the bytes of the shards in force came to be, by their URLs."""
        children = _children(self.folder / self.entry_point)
        return {entry.loc: entry.lastmod for entry in children if entry.loc and entry.lastmod}

    def switch(self) -> Switched:
        """Makes the staged set the one in force, entry point last, and removes what nobody can know any more."""
        live = self.folder / self.entry_point
        self._switching = True
        for name in self._staged:
            if name != self.entry_point:
                (self._stage / name).replace(self.folder / name)
        removed: tuple[str, ...] = ()
        if self.entry_point in self._staged:
            _sync_folder(self.folder)
            if live.is_file():
                aside = self._stage / self._replaced.name
                _write(aside, live.read_bytes())
                aside.replace(self._replaced)
            (self._stage / self.entry_point).replace(live)
            _sync_folder(self.folder)
            removed = self._clean()
        self._switching = False
        return Switched(tuple(self._staged), tuple(self._unchanged), removed)

    def _clean(self) -> tuple[str, ...]:
        """After a switch: the shards of the set before the last go, the set just replaced becomes the previous one."""
        kept = self._names(self.folder / self.entry_point) | self._names(self._replaced)
        removed = sorted(self._names(self._previous) - kept)
        for name in removed:
            (self.folder / name).unlink(missing_ok=True)
        if self._replaced.is_file():
            self._replaced.replace(self._previous)
        return tuple(removed)

    def _recover(self) -> None:
        """Ends what a publish that was killed had begun, and clears the staging area."""
        live = self.folder / self.entry_point
        if self._replaced.is_file():
            if not _is_whole(self._replaced) or (live.is_file() and live.read_bytes() == self._replaced.read_bytes()):
                self._replaced.unlink()  # it was killed before its switch
            else:
                self._clean()  # it was killed after
        # Shards that a killed publish had renamed into the folder, and that no index ever named.
        known = self._names(live) | self._names(self._previous)
        for name in self._names(self._stage / self.entry_point) - known:
            (self.folder / name).unlink(missing_ok=True)
        shutil.rmtree(self._stage, ignore_errors=True)
        self._stage.mkdir()

    def _names(self, index: Path) -> set[str]:
        """Names of the shards of ours that an index names."""
        names = ((entry.loc or "").rpartition("/")[2] for entry in _children(index))
        return {name for name in names if _SHARD.fullmatch(name)}


def _children(index: Path) -> list[SitemapEntry]:
    """The entries of an index; none where there is no index, or something that cannot be read as one."""
    if not index.is_file():
        return []
    try:
        scan = Scan(resolve(index), Options(follow=False, columns=["loc", "lastmod"]))
        return [entry for entry in scan if isinstance(entry, SitemapEntry)]
    except DocumentError:
        return []


def _is_whole(document: Path) -> bool:
    try:
        collected = Scan(resolve(document), Options(follow=False, columns=[])).collect()
    except DocumentError:
        return False
    return collected.documents[0].completeness == "complete"


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _verify(path: Path, xml: bytes, entries: int) -> None:
    """What is on the disk, read by our own reader and written again, has to be what was meant, byte for byte."""
    try:
        found = _core.verify(path.read_bytes(), xml)
    except ValueError as error:
        raise PublishError(f"{path.name} does not read back as it was written: {error}") from error
    if found != entries:
        raise PublishError(f"{path.name} has {found} entries, and {entries} were written")


def _sync_folder(folder: Path) -> None:
    """Makes renames survive a power cut, where the system can sync a folder."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
