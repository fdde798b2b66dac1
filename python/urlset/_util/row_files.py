"""Which files the rows of a table come from: whether they are the same as last time, and where a row stands in them.

`stamped` looks at files before they are read. `provenance` notes for a while that a table is made of them, and
`files_of` and `places_of` return what was noted. A table of anything else is not known here.
"""

from __future__ import annotations

import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

#: A file that was written so many nanoseconds ago can be written again without a newer time. Source: FAT keeps times of
#: writing in steps of two seconds, no usual file system keeps them in longer ones.
_JUST_WRITTEN = 2_000_000_000

_Stamp = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class RowFiles:
    """Files, and what they looked like before they were read.

    Attributes:
        paths: Their paths.
        way: All that decides how rows are made of their bytes.
        size: How many bytes they have together.
    """

    paths: tuple[Path, ...]
    way: str
    size: int
    _stamps: tuple[_Stamp, ...]
    _seen: int

    def hashes(self) -> list[str] | None:
        """Return the SHA-256 of each file; None if a file is not what it was when it was stamped."""
        try:
            found = [_sha256(path) for path in self.paths]
        except OSError:
            return None  # whoever reads the rows says what is wrong
        return found if self._look_the_same() else None

    def still_have(self, hashes: Sequence[str]) -> bool:
        """Return whether nobody has written the files since they were stamped, so that all readers saw these bytes."""
        if not self._look_the_same():
            return False
        last = max(max(written, changed) for *_, written, changed in self._stamps)
        return last < self._seen - _JUST_WRITTEN or self.hashes() == list(hashes)

    def _look_the_same(self) -> bool:
        try:
            return tuple(map(_stamp, self.paths)) == self._stamps
        except OSError:
            return False


def stamped(paths: Sequence[Path], way: str) -> RowFiles | None:
    """Look at files that are about to be read. Return None if one is not a regular file, which may be read only once.

    Args:
        paths: The files.
        way: All that decides how rows are made of their bytes.
    """
    seen = time.time_ns()
    try:
        if not all(stat.S_ISREG(path.stat().st_mode) for path in paths):
            return None
        stamps = tuple(map(_stamp, paths))
    except OSError:
        return None
    return RowFiles(tuple(paths), way, sum(size for _, _, size, _, _ in stamps), stamps, seen)


def _stamp(path: Path) -> _Stamp:
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _sha256(path: Path) -> str:
    import hashlib  # noqa: PLC0415  (only large files are hashed)

    with path.open("rb", buffering=0) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Place(NamedTuple):
    """Where a row stands: the name of its file, and the line from 1 up, if the file has lines."""

    file: str
    line: int | None


#: The place of a row by its index, from 0 up; None if it is not known.
PlaceOf = Callable[[int], Place | None]
#: Tables that are in use, and the files that they were made of, each under a key of its own.
_provenances: dict[object, tuple[object, RowFiles | None, PlaceOf]] = {}


@contextmanager
def provenance(table: object, files: RowFiles | None, place_of: PlaceOf) -> Iterator[None]:
    """Note for as long as the `with` block lasts that the rows of a table are those of some files.

    Args:
        table: The table.
        files: The files as they were before they were read; None if they cannot be compared with those of another time.
        place_of: Finds the places of rows.
    """
    key = object()
    _provenances[key] = table, files, place_of
    try:
        yield
    finally:
        _provenances.pop(key, None)


def files_of(table: object) -> RowFiles | None:
    """Return the files that all rows of a table come from, if that was noted."""
    return next((files for known, files, _ in tuple(_provenances.values()) if known is table), None)


def places_of(table: object) -> PlaceOf | None:
    """Return what finds the places of the rows of a table, if that was noted."""
    return next((place_of for known, _, place_of in tuple(_provenances.values()) if known is table), None)
