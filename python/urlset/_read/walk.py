"""The walk from an index or a robots.txt on disk to its children: each document once, none outside the folder."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import unquote, urlsplit

from urlset._model.diagnostics import BYTES
from urlset._model.errors import FetchError
from urlset._read.source import Source

T = TypeVar("T")


class Walk(Generic[T]):
    """Documents that wait to be read, in the order in which they were found, each path once.

    What waits is whatever its user knows of a document.
    """

    def __init__(self) -> None:
        #: How many documents were added in all.
        self.added = 0
        self._waiting: deque[T] = deque()
        self._known: dict[tuple[str, str], T] = {}

    def add(self, source: Source, document: T, *, group: str = "") -> T:
        """Add a document, unless one with its path was added to its group before.

        Returns:
            The document that is known for the path: this one, or the earlier one.
        """
        if isinstance(source.opened, str):
            known = self._known.setdefault((group, source.opened), document)
            if known is not document:
                return known
        self._waiting.append(document)
        self.added += 1
        return document

    def next(self) -> T | None:
        """Take the next document, or None if none waits."""
        return self._waiting.popleft() if self._waiting else None

    def __len__(self) -> int:
        """Return how many documents wait."""
        return len(self._waiting)


def child_source(index: Source, loc: str, line: int) -> Source:
    """Return the source of a child that an index, or a robots.txt, lists in a line.

    Raises:
        FetchError: No file with the child's name is in the folder of the index.
    """
    path = child_path(index.path, loc) if index.path is not None else None
    if path is None or not _is_file(path):
        raise FetchError(f"{index.location}:{line}: the child {loc} was not found in the same folder")
    return Source(str(path), str(path))


def not_followed(location: str | None, children: int, *, is_optional: bool) -> FetchError:
    """Return the failure of an index, or a robots.txt, that has no folder in which its children could be.

    Args:
        location: Location of the index.
        children: How many sitemaps it lists.
        is_optional: Whether the caller can choose not to follow.
    """
    alone = ", or do not follow them (follow=False, --no-follow)" if is_optional else ""
    what = "1 sitemap" if children == 1 else f"{children:,} sitemaps"
    return FetchError(
        f"{location or BYTES}: it lists {what}, which could not be followed, because it was not read from a folder: "
        f"pass the path of a copy that has them beside it{alone}"
    )


def child_path(index: Path, loc: str) -> Path | None:
    """Return the path of the child of an index: its own name in the index's folder, and nowhere else."""
    try:
        name = unquote(urlsplit(loc).path.rpartition("/")[2])
    except ValueError:  # an invalid host
        return None
    if name in ("", ".", "..") or any(character in name for character in "/\\\0:"):
        return None
    return index.parent / name


def _is_file(path: Path) -> bool:
    """Return whether there is a file, whatever the path."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name too long for the system, or one with a NUL
        return False
