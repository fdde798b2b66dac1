"""Files that last: renames that survive a power cut, and no file left half written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Makes renames survive a power cut, where the system can sync a folder."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def whole(path: Path) -> Iterator[None]:
    """Leaves no part of a file behind."""
    try:
        yield
    except BaseException:
        path.unlink(missing_ok=True)
        raise
