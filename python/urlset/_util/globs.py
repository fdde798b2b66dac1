"""The files that a glob means."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator
from fnmatch import filter as matching
from pathlib import Path


def is_glob(text: str) -> bool:
    """Return whether a path has a wildcard."""
    return glob.has_magic(text)


def glob_files(pattern: str) -> list[Path]:
    """Return the files that a glob means, in the order of their paths.

    It means what it means to `glob`, but `**` goes through no link to a folder: two links of a folder to itself would
    lead to as many paths as a chess board has grains.

    Args:
        pattern: A path with `*`, `?`, `[…]`, or `**` for any number of folders.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "a.xml").write_text(""), Path(folder, "b.txt").write_text("")
        ...     [path.name for path in glob_files(f"{folder}/**/*.xml")]
        ['a.xml']
    """
    path = Path(pattern)
    if pattern.endswith(("/", os.sep)):  # folders alone
        return []
    parts = [part for at, part in enumerate(path.parts) if part != "**" or path.parts[at - 1 : at] != ("**",)]
    found = _matches(Path(path.anchor), tuple(parts[1:] if path.anchor else parts))
    return sorted((each for each in found if _is(Path.is_file, each)), key=str)


def _matches(folder: Path, parts: tuple[str, ...]) -> set[Path]:
    """Return what the parts of a glob match inside of a folder."""
    found: set[Path] = set()
    waiting = [(folder, parts)]
    seen = set(waiting)  # several `**` may lead to one folder in many ways
    while waiting:
        folder, parts = waiting.pop()
        if not parts:
            found.add(folder)
        fresh = set(_steps(folder, parts)) - seen
        seen |= fresh
        waiting += fresh
    return found


def _steps(folder: Path, parts: tuple[str, ...]) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Yield what the first part of a glob matches in a folder, with the parts that are left."""
    if not parts:
        return
    first, rest = parts[0], parts[1:]
    if first == "**":
        yield folder, rest or ("*",)  # at the end it means every file, too
        for name in _names(folder):
            inside = folder / name
            if not name.startswith(".") and _is(Path.is_dir, inside) and not _is(Path.is_symlink, inside):
                yield inside, parts
    elif is_glob(first):
        shown = [name for name in _names(folder) if first.startswith(".") or not name.startswith(".")]
        yield from ((folder / name, rest) for name in matching(shown, first))
    else:
        yield folder / first, rest


def _is(question: Callable[[Path], bool], path: Path) -> bool:
    """Return whether something is true of a path; not of one whose name or permissions let nobody look."""
    try:
        return question(path)
    except OSError:
        return False


def _names(folder: Path) -> list[str]:
    """Return the names in a folder; none if it cannot be listed, or is a file."""
    try:
        return [each.name for each in folder.iterdir()]
    except OSError:
        return []
