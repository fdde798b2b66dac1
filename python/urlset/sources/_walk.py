"""The files of a folder in a fixed order, never a file outside it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from urlset._model.errors import InputError

#: The most files that a folder of sources may have.
_MAX_FILES = 1_000_000


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A matching file, or a file or folder that was skipped, with a reason in one word and a detail.

    `file` is its path in the folder, with slashes; that of a folder ends with one. `path` is its real path.
    """

    file: str
    path: str
    reason: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class _FolderEntry:
    file: str
    path: str
    is_folder: bool
    is_link: bool
    #: It was reached through a link to a folder.
    is_linked: bool
    depth: int


def walk(
    folder: str, wants: Callable[[str], bool], avoids: Callable[[str], bool], most_depth: int
) -> Iterator[FoundFile]:
    """Yield the matching files, sorted by path, and what was skipped. The names of one folder are held at a time.

    A link inside the folder is followed, as a server does. A link to a folder is followed only if it was not itself
    reached through such a link, and does not lead to a folder that contains it, so that links cannot multiply.

    Args:
        folder: The folder to walk.
        wants: Called with the path of a file; whether to yield it.
        avoids: Called with the path of a folder, ending with a slash; whether to pass it over.
        most_depth: The most folders inside each other.

    Raises:
        OSError: The folder itself cannot be listed.
    """
    root = os.path.realpath(folder)
    waiting = _list_folder(_FolderEntry("", root, True, False, False, 0), wants)
    while waiting:
        entry = waiting.pop()
        if entry.is_folder and avoids(entry.file):
            continue
        found = _resolve(root, entry, most_depth)
        if found.reason is None and entry.is_folder:
            is_linked = entry.is_linked or entry.is_link
            inside = _FolderEntry(entry.file, found.path, True, False, is_linked, entry.depth + 1)
            try:
                waiting += _list_folder(inside, wants)
            except OSError as error:
                yield FoundFile(entry.file, entry.path, "unreadable", f"the folder cannot be listed: {error.strerror}")
        else:
            yield found


def _resolve(root: str, entry: _FolderEntry, most_depth: int) -> FoundFile:
    """Return the real path of an entry, or why it is skipped."""
    path = entry.path
    if entry.is_link:
        path = os.path.realpath(entry.path)
        if not _holds(root, path):
            return FoundFile(entry.file, path, "outside", "it is a link that leads out of the folder")
        if entry.is_folder and entry.is_linked:
            return FoundFile(entry.file, path, "link", "it is a link to a folder, in a folder reached by a link")
        if entry.is_folder and _holds(path, os.path.dirname(entry.path)):  # noqa: PTH120  (paths are texts here)
            return FoundFile(entry.file, path, "link", "it is a link to a folder that contains it")
    if entry.is_folder and entry.depth >= most_depth:
        return FoundFile(entry.file, path, "deep", f"it is more than {most_depth} folders deep")
    return FoundFile(entry.file, path)


def _holds(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _list_folder(folder: _FolderEntry, wants: Callable[[str], bool]) -> list[_FolderEntry]:
    """Return the matching entries of a folder, last first. A folder is sorted by its path with the slash."""
    entries = []
    with os.scandir(folder.path) as listed:
        for each in listed:
            is_link = each.is_symlink()
            is_folder = _is_folder(each)
            file = folder.file + each.name + ("/" if is_folder else "")
            if is_folder or wants(file):
                entries.append(_FolderEntry(file, each.path, is_folder, is_link, folder.is_linked, folder.depth))
    return sorted(entries, key=lambda entry: entry.file, reverse=True)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself; the error comes when it is opened
        return False


def list_files(folder: Path) -> Iterator[str]:
    """Yield the paths of the files below a folder, with slashes, without links, hidden folders and packages of Node."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder")
    count = 0
    for inside, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "node_modules"]
        for name in files:
            path = Path(inside) / name
            if path.is_symlink():
                continue
            count += 1
            if count > _MAX_FILES:
                raise InputError(f"{folder} has more than {_MAX_FILES:,} files: name the folder with only the pages")
            yield path.relative_to(folder).as_posix()
