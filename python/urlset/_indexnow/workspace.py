"""Where a ledger lies: in the published folder itself, or in an object store, of which a copy is worked on here."""

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
#: Files of a journal: a submit that is killed leaves one for each batch of up to 10,000 locs.
_MOST_PIECES: Final = 100_000


class Place:
    """A folder with what a submit reads and writes; what is written to it also goes to the store, if it is a copy."""

    def __init__(self, folder: Path, store: Store | None) -> None:
        self.folder = folder
        self._store = store

    @classmethod
    @contextmanager
    def open(cls, store: Store) -> Iterator[Place]:
        """Takes a place for one submit.

        Raises:
            InputError: nothing was published there.
            PublishError: another submit has it, or a store fails.
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

    def put(self, path: Path) -> None:
        """Makes a file that was written last, as it is now."""
        if self._store is not None:
            # A store may move away what it is given.
            given = path.with_suffix(".given")
            copyfile(path, given)
            self._store.put_file(path.relative_to(self.folder).as_posix(), given)
            given.unlink(missing_ok=True)

    def end_journal(self) -> None:
        """Makes it last that there is none."""
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
    return InputError(f"{location} is no published folder: it has no {STATE}/{_FILES[0]}; publish first")


def _copy(store: Store, folder: Path) -> None:
    pieces = store.list(f"{STATE}/{JOURNAL}/")
    if len(pieces) > _MOST_PIECES:
        raise PublishError(f"{store.location} has a journal of {len(pieces):,} files: remove it, and submit again")
    (folder / STATE / JOURNAL).mkdir(parents=True)
    for name in (*(f"{STATE}/{name}" for name in _FILES), *pieces):
        store.fetch(name, folder / name)
