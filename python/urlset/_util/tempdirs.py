"""Temporary folders: removed when the work ends, and those of a killed process by the next one."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, gettempdir
from typing import Final

try:
    import fcntl
except ImportError:  # Windows: those of killed processes stay until somebody removes them
    fcntl = None  # type: ignore[assignment]

_PREFIX: Final = "urlset-"
#: The file that is locked while its folder is used. The lock ends with its process.
_HELD: Final = ".held"
#: Seconds for which a new folder is left alone: it is locked a moment after it is created.
_NEW: Final = 60


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Create a temporary folder, and remove it afterwards. Raises OSError if the system does not allow it."""
    _tidy()
    with TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with (folder / _HELD).open("wb") as held:
            if fcntl is not None:
                fcntl.flock(held, fcntl.LOCK_EX)
            try:
                yield folder
            finally:
                with suppress(OSError):
                    _clear(folder)


def _tidy() -> None:
    """Remove the folders of this user that no process uses any more."""
    if fcntl is None:
        return
    with os.scandir(gettempdir()) as entries:
        folders = [entry for entry in entries if entry.name.startswith(_PREFIX)]
    for folder in folders:
        # A folder that cannot be removed must not stop the work.
        with suppress(OSError):
            # Other users can create a folder of that name here.
            if not folder.is_symlink() and folder.stat().st_uid == os.getuid():
                _remove_unused(Path(folder))


def _remove_unused(folder: Path) -> None:
    """Remove a folder unless a process uses it or has just created it. Raises OSError if that fails."""
    try:
        with (folder / _HELD).open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if time.time() - os.fstat(held.fileno()).st_mtime > _NEW:
                _clear(folder)
                rmtree(folder)
    except FileNotFoundError:
        # Its process was killed just after it created the folder, or while it removed it. A folder with something
        # else in it is not one of these, and `rmdir` leaves it alone.
        if time.time() - folder.stat().st_mtime > _NEW:
            folder.rmdir()


def _clear(folder: Path) -> None:
    """Remove what is in a folder except the locked file, which shows until the end whose folder it is."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                rmtree(entry)
            elif entry.name != _HELD:
                Path(entry).unlink()
