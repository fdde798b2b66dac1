"""A set in a folder of this machine."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from shutil import copyfile, rmtree

from urlset._model.errors import LimitError, PublishError
from urlset._stores.store import LOCK, MOST_NAMES, STAGE, Names, check_name, check_prefix
from urlset._util.files import remove_on_error, rename_file, sync_folder

#: What to do, by what the system says. Anything else speaks for itself.
_REMEDIES = {
    errno.ENOSPC: "free some space and publish again",
    errno.EDQUOT: "the quota is used up: free some space and publish again",
    errno.EROFS: "its file system is read-only: publish elsewhere, or mount it for writing",
    errno.EACCES: "let the user that publishes read and write there",
    errno.EPERM: "let the user that publishes read and write there",
    errno.ENOTDIR: "a part of its path is a file: move that away",
    errno.EEXIST: "a part of its path is a file: move that away",
}


class FolderStore:
    """A folder of this machine. What it needs is made with the first file."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder).absolute()
        self.location = str(self.folder)

    def __repr__(self) -> str:
        return f"FolderStore({self.location!r})"

    def read(self, name: str, most: int) -> bytes | None:
        """See Store."""
        path = self._path(check_name(name))
        with _told(path):
            if _size(path) is None:
                return None
            with path.open("rb") as file:
                data = file.read(most + 1)
        if len(data) > most:
            raise LimitError(f"it has more than {most:,} bytes", location=str(path))
        return data

    def fetch(self, name: str, path: Path) -> bool:
        """See Store."""
        source = self._path(check_name(name))
        with _told(source):
            if _size(source) is None:
                return False
        with _told(path), remove_on_error(path):
            copyfile(source, path)
        return True

    def size(self, name: str) -> int | None:
        """See Store."""
        path = self._path(check_name(name))
        with _told(path):
            return _size(path)

    def put(self, name: str, data: bytes) -> None:
        """See Store."""
        path = self._path(check_name(name))
        with _told(path), self._aside() as aside:
            aside.write_bytes(data)
            _settle(aside, path)

    def put_file(self, name: str, path: Path) -> None:
        """See Store. On the same file system the file is moved."""
        target = self._path(check_name(name))
        with _told(path):
            source = path.resolve(strict=True)
        with _told(target), self._aside() as aside:
            mode = stat.S_IMODE(aside.stat().st_mode)
            try:
                source.replace(aside)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                copyfile(source, aside)
            aside.chmod(mode)  # a temporary file is its owner's alone
            _settle(aside, target)

    def delete(self, names: Iterable[str]) -> None:
        """See Store."""
        folders = set()
        for path in [self._path(check_name(name)) for name in names]:
            with _told(path):
                if _size(path) is not None or path.is_symlink():
                    path.unlink(missing_ok=True)
                    folders.add(path.parent)
        for folder in folders:
            with _told(folder):
                sync_folder(folder)

    def list(self, prefix: str) -> Names:
        """See Store. Links are left out: none is made here."""
        names: Names = []
        # What the prefix leads to is looked at too: it could be a link.
        self._path(check_prefix(prefix).rpartition("/")[0])
        with _told(self.folder):
            for name in _walk(self.folder, prefix):
                if len(names) == MOST_NAMES:
                    raise PublishError(f"{self.folder} has more than {MOST_NAMES:,} files named {prefix}…")
                names.append(name)
        return sorted(names)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """See Store. The lock is one of the system's: it ends with the process."""
        from filelock import FileLock, Timeout  # noqa: PLC0415  (with asyncio, half the time of importing urlset)

        path = self._path(LOCK)
        held = FileLock(path, timeout=0)
        with _told(path):
            _make(path.parent)
            try:
                held.acquire()
            except Timeout:
                raise PublishError(f"another publish into {self.folder} is running") from None
        try:
            stage = self._path(STAGE)
            with _told(stage):
                if stage.exists():
                    rmtree(stage)  # what a publish that was killed had begun
            yield
        finally:
            held.release()

    def _path(self, name: str) -> Path:
        """Where the name lies, unless a link leads out of the folder."""
        path = self.folder / name
        with _told(path):
            try:
                is_inside = path.resolve().is_relative_to(self.folder.resolve())
            except RuntimeError:  # links in a circle, before Python 3.13
                is_inside = False
        if not is_inside:
            raise PublishError(f"{path} leads out of {self.folder} through a link: remove the link")
        return path

    @contextmanager
    def _aside(self) -> Iterator[Path]:
        """A new empty file, on the file system that the folder is on, with the mode that a published file has."""
        aside = self._path(STAGE) / token_hex(8)
        _make(aside.parent)
        os.close(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
        try:
            yield aside
        finally:
            aside.unlink(missing_ok=True)


def _settle(aside: Path, path: Path) -> None:
    """Gives a finished file its name, so that both last."""
    _size(path)
    _make(path.parent)
    rename_file(aside, path)


def _make(folder: Path) -> None:
    """Makes a folder and what is missing above it, so that they last."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(exist_ok=True)
        sync_folder(one.parent)


def _size(path: Path) -> int | None:
    """Bytes of a file, or None where there is none. Nothing but a file can be there: a pipe would be waited on."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(found.st_mode):
        kind = "a folder" if stat.S_ISDIR(found.st_mode) else "no regular file"
        raise PublishError(f"{path} is {kind}, and a file of the set belongs there: move it away")
    return found.st_size


def _walk(root: Path, prefix: str) -> Iterator[str]:
    """Names of files that begin with the prefix; folders that cannot have any are not opened."""
    waiting = [""]
    while waiting:
        inside = waiting.pop()
        try:
            entries = os.scandir(root / inside)
        except FileNotFoundError:
            continue
        with entries:
            for entry in entries:
                name = inside + entry.name
                if entry.is_dir(follow_symlinks=False):
                    below = name + "/"
                    if name != STAGE and (below.startswith(prefix) or prefix.startswith(below)):
                        waiting.append(below)
                elif name.startswith(prefix) and name != LOCK and entry.is_file(follow_symlinks=False):
                    yield name


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Says of what the system refuses where it was, and what to do."""
    try:
        yield
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0)
        raise PublishError(f"{path}: {error.strerror or error}{f'; {remedy}' if remedy else ''}") from error
