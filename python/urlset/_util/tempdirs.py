"""Temporary folders, which can be large: gone when the work ends, and after a killed process with the next one."""

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
except ImportError:  # Windows; there they stay until somebody removes them
    fcntl = None  # type: ignore[assignment]

_PREFIX: Final = "urlset-"
#: Locked for as long as its folder is used, by a lock that ends with its process.
_HELD: Final = ".held"
#: Seconds that a folder is left alone for after it was made: a moment passes until it is held.
_NEW: Final = 60


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A temporary folder. Raises OSError where there can be none."""
    _tidy()
    with TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with (folder / _HELD).open("wb") as held:
            if fcntl is not None:
                fcntl.flock(held, fcntl.LOCK_EX)
            yield folder


def _tidy() -> None:
    """Removes the folders of this user that nobody holds any more."""
    if fcntl is None:
        return
    for held in Path(gettempdir()).glob(f"{_PREFIX}*/{_HELD}"):
        folder = held.parent
        # Whatever is odd about it is none of ours to mend.
        with suppress(OSError):
            # In a folder for all users, others can make one that looks like ours.
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            with held.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if time.time() - held.stat().st_mtime > _NEW:
                    rmtree(folder)
