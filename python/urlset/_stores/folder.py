"""A folder of this machine as a store."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from itertools import accumulate
from pathlib import Path
from secrets import token_hex
from shutil import copyfile, rmtree

from urlset._model.errors import LimitError, PublishError
from urlset._stores.errors import os_errors_as_publish_errors
from urlset._stores.store import LOCK, MAX_NAMES, STAGE, Names, check_name, check_prefix
from urlset._util.files import remove_on_error, rename_file, sync_folder


class FolderStore:
    """A folder of this machine. Missing folders are made with the first file."""

    stamps_are_proof = False

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder).absolute()
        self.location = str(self.folder)

    def __repr__(self) -> str:
        return f"FolderStore({self.location!r})"

    def read(self, name: str, most: int) -> bytes | None:
        """See Store."""
        path = self._path(check_name(name))
        with os_errors_as_publish_errors(path):
            if _size(path) is None:
                return None
            with path.open("rb") as file:
                data = file.read(most + 1)
        if len(data) > most:
            raise LimitError(f"the file has more than {most:,} bytes", location=str(path))
        return data

    def fetch(self, name: str, path: Path) -> bool:
        """See Store."""
        source = self._path(check_name(name))
        with os_errors_as_publish_errors(source):
            if _size(source) is None:
                return False
        with os_errors_as_publish_errors(path), remove_on_error(path):
            copyfile(source, path)
        return True

    def open(self, name: str) -> BufferedReader | None:
        """Open a file to read it; None if it does not exist. It stays as it is while it is open, if it is replaced."""
        path = self._path(check_name(name))
        with os_errors_as_publish_errors(path):
            return None if _size(path) is None else path.open("rb")

    def size(self, name: str) -> int | None:
        """See Store."""
        path = self._path(check_name(name))
        with os_errors_as_publish_errors(path):
            return _size(path)

    def sha256(self, name: str) -> str | None:
        """See Store."""
        path = self._path(check_name(name))
        with os_errors_as_publish_errors(path):
            if _size(path) is None:
                return None
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()

    def stamp(self, name: str) -> str | None:
        """See Store. The time and the inode of a file differ once it was written again."""
        path = self._path(check_name(name))
        with os_errors_as_publish_errors(path):
            if _size(path) is None:
                return None
            found = path.stat()
        return f"{found.st_size}:{found.st_mtime_ns}:{found.st_ino}"

    def put(self, name: str, data: bytes) -> None:
        """See Store."""
        path = self._path(check_name(name))
        with os_errors_as_publish_errors(path), self._aside() as aside:
            aside.write_bytes(data)
            _finish(aside, path)

    def put_file(self, name: str, path: Path) -> None:
        """See Store. On the same file system the file is moved."""
        target = self._path(check_name(name))
        with os_errors_as_publish_errors(path):
            source = path.resolve(strict=True)
        with os_errors_as_publish_errors(target), self._aside() as aside:
            mode = stat.S_IMODE(aside.stat().st_mode)
            try:
                source.replace(aside)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                copyfile(source, aside)
            aside.chmod(mode)  # only its owner can read a temporary file
            _finish(aside, target)

    def rename(self, name: str, new_name: str) -> None:
        """See Store."""
        source, target = self._path(check_name(name)), self._path(check_name(new_name))
        with os_errors_as_publish_errors(target):
            _size(target)
            if _size(source) is not None:
                _make_folders(target.parent)
                source.replace(target)
                for folder in {source.parent, target.parent}:
                    sync_folder(folder)

    def delete(self, names: Iterable[str]) -> None:
        """See Store."""
        folders = set()
        for path in [self._path(check_name(name)) for name in names]:
            with os_errors_as_publish_errors(path):
                if _size(path) is not None or path.is_symlink():
                    path.unlink(missing_ok=True)
                    folders.add(path.parent)
        for folder in folders:
            with os_errors_as_publish_errors(folder):
                sync_folder(folder)

    def list(self, prefix: str) -> Names:
        """See Store. Links are left out, because this store never makes one."""
        names: Names = []
        # The folder of the prefix is checked as well, because it could be a link.
        self._path(check_prefix(prefix).rpartition("/")[0])
        with os_errors_as_publish_errors(self.folder):
            for name in _walk(self.folder, prefix):
                if len(names) == MAX_NAMES:
                    raise PublishError(f"{self.folder} has more than {MAX_NAMES:,} files named {prefix}…")
                names.append(name)
        return sorted(names)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """See Store. This is a lock of the operating system, which ends with the process."""
        from filelock import FileLock, Timeout  # noqa: PLC0415  (with asyncio, half the time of importing urlset)

        path = self._path(LOCK)
        held = FileLock(path, timeout=0)
        with os_errors_as_publish_errors(path):
            _make_folders(path.parent)
            try:
                held.acquire()
            except Timeout:
                raise PublishError(f"another publish into {self.folder} is running") from None
        try:
            stage = self._path(STAGE)
            with os_errors_as_publish_errors(stage):
                if stage.exists():
                    rmtree(stage)  # left behind by a publish that was killed
            yield
        finally:
            held.release()

    def _path(self, name: str) -> Path:
        """Return the path of a name. Raises PublishError if a link leads out of the folder."""
        path = self.folder / name
        # Only a link leads out, because a name has no "..". Looking for one is much cheaper than resolving the path.
        if not self._has_link(name):
            return path
        with os_errors_as_publish_errors(path):
            try:
                is_inside = path.resolve().is_relative_to(self.folder.resolve())
            except RuntimeError:  # circular links, before Python 3.13
                is_inside = False
        if not is_inside:
            raise PublishError(f"{path} leads out of {self.folder} through a link: remove the link")
        return path

    def _has_link(self, name: str) -> bool:
        """Return whether the name, or a folder in it, is a link."""
        paths = accumulate(name.split("/"), os.path.join, initial=self.location)
        next(paths)  # the folder itself, which may be a link
        return any(map(os.path.islink, paths))

    @contextmanager
    def _aside(self) -> Iterator[Path]:
        """Make a new empty file on the same file system as the folder, with the mode of a published file."""
        aside = self._path(STAGE) / token_hex(8)
        _make_folders(aside.parent)
        os.close(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
        try:
            yield aside
        finally:
            aside.unlink(missing_ok=True)


def _finish(aside: Path, path: Path) -> None:
    """Give a finished file its name, durably."""
    _size(path)
    _make_folders(path.parent)
    rename_file(aside, path)


def _make_folders(folder: Path) -> None:
    """Make a folder and the missing ones above it, durably."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(exist_ok=True)
        sync_folder(one.parent)


def _size(path: Path) -> int | None:
    """Return the size of a file in bytes; None if it does not exist. Raises PublishError for anything but a file."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(found.st_mode):
        kind = "a folder" if stat.S_ISDIR(found.st_mode) else "not a regular file"
        raise PublishError(f"{path} is {kind}, but a file of the set belongs there: move it away")
    return found.st_size


def _walk(root: Path, prefix: str) -> Iterator[str]:
    """Yield the names of files that begin with the prefix. Folders that cannot contain any are not opened."""
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
