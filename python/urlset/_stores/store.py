"""Where a set is published: a folder, or an object store under a prefix, with the same few operations.

    .urlset/lock           held while a publish runs
    .urlset/stage/         in a folder: new files until they are complete

These two belong to the store. All other names, and the order of the steps, are up to the caller. A store guarantees
only that a name has either its old content or its new one, never a part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeAlias

from urlset._model.errors import PublishError

LOCK = ".urlset/lock"
STAGE = ".urlset/stage"
#: The class of obstore for an object store, by the scheme of its URL.
CLASSES = {"s3": "S3Store", "gs": "GCSStore", "az": "AzureStore", "abfs": "AzureStore", "abfss": "AzureStore"}
#: The most names in a listing. A set has at most 50,000 documents in its index.
MAX_NAMES = 1_000_000
#: The most bytes of a name. Source: Amazon S3, object key names (1,024 with the prefix).
_LONGEST_NAME = 1024

Names: TypeAlias = list[str]
#: HTTP headers by glob of names: {"*.xml": {"Cache-Control": "no-cache"}}.
Headers: TypeAlias = Mapping[str, Mapping[str, str]]


class Store(Protocol):
    """Holds the files of one set, under relative names with forward slashes.

    Every operation raises PublishError if the store fails, and for a name that is absolute, leads out of the store or
    belongs to the store. A missing file is None or False, never an error, and an error never looks like a missing file.
    """

    #: Its folder or URL, for messages; without secrets.
    location: str
    #: Whether files with equal stamps have equal bytes. Otherwise that is likely, and no more.
    stamps_are_proof: bool

    def read(self, name: str, most: int) -> bytes | None:
        """Return the content; None if the file does not exist. Raises LimitError if it exceeds `most` bytes."""

    def fetch(self, name: str, path: Path) -> bool:
        """Copy a file of any size to a local path, completely or not at all. Return False if it does not exist."""

    def size(self, name: str) -> int | None:
        """Return the size in bytes, as stored; None if the file does not exist."""

    def sha256(self, name: str) -> str | None:
        """Return the hash of a file of any size, in hexadecimal; None if it does not exist."""

    def stamp(self, name: str) -> str | None:
        """Return a text that differs once the file was replaced, cheaply; None if the file does not exist."""

    def put(self, name: str, data: bytes) -> None:
        """Store the content durably, completely or not at all, even if it is the same as before."""

    def put_file(self, name: str, path: Path) -> None:
        """Store a local file of any size, as `put` does. The caller must not use the file again: it may be moved."""

    def rename(self, name: str, new_name: str) -> None:
        """Give a file another name, durably, replacing what has it. A missing file is ignored.

        In an object store, which cannot rename, both names exist for a moment, and the file keeps its headers.
        """

    def delete(self, names: Iterable[str]) -> None:
        """Remove files. Missing ones are ignored."""

    def list(self, prefix: str) -> Names:
        """Return the names that begin with `prefix`, such as "sitemap" or ".urlset/", sorted; at most MAX_NAMES."""

    def lock(self) -> AbstractContextManager[None]:
        """Reserve the store for one publish. Raises PublishError if another publish holds the lock."""


def is_object_url(text: str) -> bool:
    """Return whether a text begins as the URL of an object store."""
    scheme, separator, _ = text.partition("://")
    return bool(separator) and scheme.lower() in CLASSES


def check_name(name: str) -> str:
    """Return the name. Raises PublishError if it could leave the store, in any file system or object store."""
    if not isinstance(name, str) or not name.isprintable() or len(name.encode()) > _LONGEST_NAME:
        raise PublishError(f"the name of a file must be short and printable, got {str(name)[:80]!r}")
    if "\\" in name or ":" in name or any(part in ("", ".") or part[-1] in ". " for part in name.split("/")):
        raise PublishError(f"the name of a file must be relative, with forward slashes, got {name[:80]!r}")
    if name in (LOCK, STAGE) or name.startswith((LOCK + "/", STAGE + "/")):
        raise PublishError(f"the name {name} is reserved for the store itself")
    return name


def check_prefix(prefix: str) -> str:
    """Return the prefix: a part of a name, a folder with its slash, or nothing. Raises PublishError as `check_name`."""
    check_name(prefix + "x")
    return prefix
