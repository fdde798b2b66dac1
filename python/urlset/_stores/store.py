"""Where a set is published: a folder, or an object store under a prefix, with the same few operations.

    .urlset/lock           held while a publish runs
    .urlset/stage/         in a folder: the new files, until each is whole

Both of these are the store's own. Every other name is the caller's, and so is the order of steps: a store promises
only that a name has its old content or its new one, never a part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeAlias

from urlset._model.errors import PublishError

LOCK = ".urlset/lock"
STAGE = ".urlset/stage"
#: Names that a listing holds at most. A set has 50,000 documents in its index.
MOST_NAMES = 1_000_000
#: Bytes of a name. Source: Amazon S3, object key names (1,024 with the prefix).
_LONGEST_NAME = 1024

Names: TypeAlias = list[str]
#: HTTP headers by glob of names: {"*.xml": {"Cache-Control": "no-cache"}}.
Headers: TypeAlias = Mapping[str, Mapping[str, str]]


class Store(Protocol):
    """A place that holds the files of one set, by relative names with forward slashes.

    Every operation raises PublishError where the place fails, and for a name that is absolute, leads out of the place
    or is one of the store's own. An absent file is None or False, never an error, and an error never looks absent.
    """

    #: Where it is, for messages; without secrets.
    location: str

    def read(self, name: str, most: int) -> bytes | None:
        """The content, or None where there is none. Raises LimitError beyond `most` bytes."""

    def fetch(self, name: str, path: Path) -> bool:
        """Copies a file of any size to a local path, whole or not at all; False where there is none."""

    def size(self, name: str) -> int | None:
        """Bytes as stored, or None where there is none."""

    def put(self, name: str, data: bytes) -> None:
        """Stores the content, whole or not at all; on return it lasts. It skips nothing: the caller knows hashes."""

    def put_file(self, name: str, path: Path) -> None:
        """`put` for a local file of any size. The caller is done with it: it may be moved."""

    def delete(self, names: Iterable[str]) -> None:
        """Removes files. Absent ones are fine."""

    def list(self, prefix: str) -> Names:
        """The names that begin with `prefix`, such as "sitemap" or ".urlset/", sorted; at most MOST_NAMES."""

    def lock(self) -> AbstractContextManager[None]:
        """Keeps the place for one publish. Raises PublishError where another one has it."""


def check_name(name: str) -> str:
    """Gives the name back where it stays inside of its place, in any file system and any store."""
    if not isinstance(name, str) or not name.isprintable() or len(name.encode()) > _LONGEST_NAME:
        raise PublishError(f"{str(name)[:80]!r} is no name for a file of a set: it is a short, printable text")
    if "\\" in name or ":" in name or any(part in ("", ".") or part[-1] in ". " for part in name.split("/")):
        raise PublishError(f"{name[:80]!r} is no name for a file of a set: it is relative, with forward slashes")
    if name in (LOCK, STAGE) or name.startswith((LOCK + "/", STAGE + "/")):
        raise PublishError(f"{name} is the store's own")
    return name


def check_prefix(prefix: str) -> str:
    """Gives back what names can begin with: a part of one, a folder with its slash, or nothing."""
    check_name(prefix + "x")
    return prefix
