"""Files that survive a power cut, and are never seen half written.

`rename_file` gives a finished file its name, and `replace_file` writes it too: readers see the old file or the new one.
`sync_file` makes the content of a file durable, and `sync_folder` other changes of names. `remove_on_error` leaves no
part of a file behind.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Make renames in a folder survive a power cut, if the system can sync a folder."""
    if os.name == "nt":
        return
    _sync(folder, os.O_RDONLY)


def sync_file(path: Path) -> None:
    """Make the content of a file survive a power cut."""
    _sync(path, os.O_RDWR)


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def rename_file(aside: Path, path: Path) -> None:
    """Give a finished file its name, replacing what has it, so that both the data and the name survive a power cut."""
    sync_file(aside)
    aside.replace(path)
    sync_folder(path.parent)


def replace_file(path: Path, *data: bytes | memoryview, keep_mode: bool = False) -> None:
    """Write a file aside and rename it, so that nobody ever sees half of it.

    Args:
        path: The file. A device or a pipe has nothing to replace and is written to.
        data: What it will hold, piece by piece.
        keep_mode: Give it the permissions of the file that it replaces, and not those of a new file, `rw-r--r--`.
    """
    if path.exists() and not path.is_file():
        _write(path, data)
        return
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(descriptor)
    aside = Path(name)
    with remove_on_error(aside):
        _write(aside, data)
        if keep_mode:
            shutil.copymode(path, aside)
        else:
            aside.chmod(0o644)
        rename_file(aside, path)


def _write(path: Path, data: Iterable[bytes | memoryview]) -> None:
    with path.open("wb") as file:
        file.writelines(data)


@contextmanager
def remove_on_error(path: Path) -> Iterator[None]:
    """Remove a file if it could not be finished."""
    try:
        yield
    except BaseException:
        path.unlink(missing_ok=True)
        raise
