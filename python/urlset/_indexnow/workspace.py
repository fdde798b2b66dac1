"""The folder in which a submit works: the published folder itself, or a local copy of the files of an object store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfile
from typing import Final

from urlset._model.errors import InputError, PublishError
from urlset._stores.folder import FolderStore
from urlset._stores.store import Store
from urlset._util.tempdirs import temporary_folder

STATE: Final = ".urlset"
JOURNAL: Final = "indexnow.journal"
_FILES: Final = ("manifest.parquet", "previous.parquet", "indexnow.parquet")
#: The most files in a journal: a submit that is killed leaves one for each batch of up to 10,000 locs.
_MAX_PIECES: Final = 100_000


class Workspace:
    """A folder with the files that a submit reads and writes. If it is a copy, changes also go to the store."""

    def __init__(self, folder: Path, store: Store | None) -> None:
        self.folder = folder
        self._store = store

    @classmethod
    @contextmanager
    def open(cls, store: Store) -> Iterator[Workspace]:
        """Lock a published set for one submit, and copy its files if it is in an object store.

        Raises:
            InputError: Nothing was published there.
            PublishError: Another submit is running, or the store fails.
        """
        if isinstance(store, FolderStore):
            with _locked(store.folder):
                yield cls(store.folder, None)
            return
        if store.size(f"{STATE}/{_FILES[0]}") is None:
            raise _nothing_published(store.location)
        with store.lock(), temporary_folder() as folder:
            _copy(store, folder)
            yield cls(folder, store)

    def part(self, name: str) -> Path:
        """Return the path of a part of a manifest. A part that is missing has a path too, at which there is nothing."""
        path = self.folder / name
        if self._store is not None and not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._store.fetch(name, path)
        return path

    def put(self, path: Path) -> None:
        """Store a file that was written to the workspace."""
        if self._store is not None:
            # A store may move the file that it is given.
            given = path.with_suffix(".given")
            copyfile(path, given)
            self._store.put_file(path.relative_to(self.folder).as_posix(), given)
            given.unlink(missing_ok=True)

    def delete_journal(self) -> None:
        """Delete the journal in the store."""
        if self._store is not None:
            self._store.delete(self._store.list(f"{STATE}/{JOURNAL}/"))


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout  # noqa: PLC0415  (with asyncio, half the time of importing urlset)

    if not (folder / STATE / _FILES[0]).is_file():
        raise _nothing_published(str(folder))
    try:
        with FileLock(folder / STATE / "indexnow.lock", timeout=0):
            yield
    except Timeout:
        raise PublishError(f"another submit from {folder} is running") from None


def _nothing_published(location: str) -> InputError:
    return InputError(f"{location} has no published set, because {STATE}/{_FILES[0]} is missing: publish first")


def _copy(store: Store, folder: Path) -> None:
    pieces = store.list(f"{STATE}/{JOURNAL}/")
    if len(pieces) > _MAX_PIECES:
        raise PublishError(f"{store.location} has a journal of {len(pieces):,} files: delete it, and submit again")
    (folder / STATE / JOURNAL).mkdir(parents=True)
    for name in (*(f"{STATE}/{name}" for name in _FILES), *pieces):
        store.fetch(name, folder / name)
