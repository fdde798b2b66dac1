"""Lastmods for rows without one, taken from the source file of the page: its front matter, else git.

A row names its file in the column `file`. For a built page that is its path in the build. Its source is searched under
the names that generators use: blog/tea/index.html is built from blog/tea.md, blog/tea/index.md or blog/tea/_index.md.
DIFFERENCE: where a generator names pages by other rules, as Jekyll does by date, no source is found, and the page gets
no lastmod.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from urlset._model.errors import InputError
from urlset._util.text import plural
from urlset.sources import front_matter, git

#: The most files that a folder may have.
_MAX_FILES = 1_000_000
#: Suffixes of source files. The first file that exists counts.
_SUFFIXES = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".org", ".ipynb", ".njk", ".astro", ".html", ".htm")
#: Names of the source file that becomes the index page of a folder.
_INDEXES = ("index", "_index", "README")


class Lastmods:
    """Finds lastmods for rows that have none.

    Args:
        folder: The folder with the source files.
        origins: Where to look: "front-matter", "git" or both.
        on_note: Called with a sentence about front matter with an invalid date, and about uncommitted files.

    Raises:
        InputError: The folder cannot be used; see also `git.dates`.
    """

    def __init__(self, folder: Path, origins: Collection[str], on_note: Callable[[str], object]) -> None:
        self._folder = folder
        self._on_note = on_note
        self._files = frozenset(_list_files(folder)) if "front-matter" in origins else None
        self._dates: Mapping[str, datetime] = self._git_dates() if "git" in origins else {}
        self._bad = 0
        self._first_bad = ""

    def add_to(self, rows: Iterable[Mapping[str, Any]], *, are_built: bool) -> Iterator[dict[str, Any]]:
        """Yield the rows without `file`, and with a lastmod and its source where they had none and one was found."""
        for given in rows:
            row = dict(given)
            file = row.pop("file", None)
            if row.get("lastmod") is None and isinstance(file, str):
                row |= self._lastmod(_source_names(file) if are_built else [file])
            yield row
        if self._bad:
            self._on_note(self._first_bad + (f", and {self._bad - 1:,} more like it" if self._bad > 1 else ""))

    def _git_dates(self) -> git.GitDates:
        dates = git.dates(self._folder)
        if dates.dirty:
            files = plural(dates.dirty, "file")
            self._on_note(f"{self._folder}: {files} with uncommitted changes: no lastmod from git")
        return dates

    def _lastmod(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the lastmod and its source from the first of the files that exists, or an empty dict."""
        for name in names:
            if self._files is not None and name in self._files:
                found = front_matter.of_file(self._folder / name)
                if found.bad is not None:
                    self._bad += 1
                    self._first_bad = self._first_bad or f"{name}: {found.bad}"
                if found.lastmod is not None:
                    return {"lastmod": found.lastmod, "lastmod_source": "front matter"}
            if name in self._dates:
                return {"lastmod": self._dates[name], "lastmod_source": "git"}
            if self._files is not None and name in self._files:
                break
        return {}


def _source_names(page: str) -> Iterator[str]:
    """Yield the names of the files that a page may be built from, and its own."""
    folder, slash, name = page.rpartition("/")
    stem = name.rpartition(".")[0] or name
    stems = [f"{folder}{slash}{stem}"]
    if stem == "index":
        stems = [f"{folder}{slash}{index}" for index in _INDEXES]
        if folder:
            stems.insert(0, folder)
    for each in stems:
        for suffix in _SUFFIXES:
            yield each + suffix
    yield page


def _list_files(folder: Path) -> Iterator[str]:
    """Yield the paths of the files below a folder, with forward slashes, without links and hidden folders."""
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
