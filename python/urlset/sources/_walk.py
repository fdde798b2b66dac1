"""The files of a folder in a fixed order, never one that lies outside."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """A file that is wanted, or a file or folder that is not gone into, with the reason and what is to say of it.

    `file` is its path in the folder, with slashes; a folder's ends with one. `path` is where it really lies.
    """

    file: str
    path: str
    reason: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class _Entry:
    file: str
    path: str
    is_folder: bool
    is_link: bool
    #: It was come to by a link to a folder.
    is_linked: bool
    depth: int


def walk(folder: str, wants: Callable[[str], bool], avoids: Callable[[str], bool], most_depth: int) -> Iterator[Found]:
    """The files that are wanted, sorted by path, and what was not gone into; the names of one folder at a time.

    `wants` is asked for a file's path, `avoids` for a folder's, with a slash at its end. A link inside the folder is
    followed, as a server does; but to a folder only where that is not one of those it lies in, and where no link led
    before, so that links cannot multiply. Raises OSError where the folder itself cannot be listed.
    """
    root = os.path.realpath(folder)
    waiting = _listed(root, _Entry("", root, True, False, False, 0), wants)
    while waiting:
        entry = waiting.pop()
        if entry.is_folder and avoids(entry.file):
            continue
        found = _judged(root, entry, most_depth)
        if found.reason is None and entry.is_folder:
            inside = _Entry(entry.file, found.path, True, False, entry.is_linked or entry.is_link, entry.depth + 1)
            try:
                waiting += _listed(root, inside, wants)
            except OSError as error:
                yield Found(entry.file, entry.path, "unreadable", f"the folder cannot be listed: {error.strerror}")
        else:
            yield found


def _judged(root: str, entry: _Entry, most_depth: int) -> Found:
    """Where an entry really lies, or why it is not gone into."""
    path = entry.path
    if entry.is_link:
        path = os.path.realpath(entry.path)
        if not _holds(root, path):
            return Found(entry.file, path, "outside", "it is a link that leads out of the folder")
        if entry.is_folder and entry.is_linked:
            return Found(entry.file, path, "link", "it is a link to a folder, in one that a link led to")
        if entry.is_folder and _holds(path, os.path.dirname(entry.path)):  # noqa: PTH120  (paths are texts here)
            return Found(entry.file, path, "link", "it is a link to a folder that it lies in")
    if entry.is_folder and entry.depth >= most_depth:
        return Found(entry.file, path, "deep", f"it lies more than {most_depth} folders deep")
    return Found(entry.file, path)


def _holds(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _listed(root: str, folder: _Entry, wants: Callable[[str], bool]) -> list[_Entry]:
    """What is wanted of a folder, last first. A folder is sorted as its path is, with the slash."""
    entries = []
    with os.scandir(folder.path) as listed:
        for each in listed:
            is_link = each.is_symlink()
            is_folder = _is_folder(each)
            file = folder.file + each.name + ("/" if is_folder else "")
            if is_folder or wants(file):
                entries.append(_Entry(file, each.path, is_folder, is_link, folder.is_linked, folder.depth))
    return sorted(entries, key=lambda entry: entry.file, reverse=True)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself; opening it says so
        return False
