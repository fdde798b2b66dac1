"""Dates of rows that have none, by the files that their pages are made of: front matter, else git.

A row says its file in a column `file`. A built page says where it lies in the build; the file that it is made of is
looked for under the same name, as generators have it: blog/tea/index.html comes of blog/tea.md, blog/tea/index.md or
blog/tea/_index.md. DIFFERENCE: where a generator names pages by other rules, as Jekyll does by date, none is found, and
the page stays without a date.
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

#: Files that a folder may have.
_MOST_FILES = 1_000_000
#: What pages are written in. The first that is there counts.
_SUFFIXES = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".org", ".ipynb", ".njk", ".astro", ".html", ".htm")
#: The page of a folder, beside the name that the build gives it.
_INDEXES = ("index", "_index", "README")


class Lastmods:
    """Where lastmods come from that rows do not have.

    `folder` has the files, `of` names what is asked: "front-matter", "git". `on_note` is told of front matter whose
    date is none. Raises InputError as `git.dates` does.
    """

    def __init__(self, folder: Path, of: Collection[str], on_note: Callable[[str], object]) -> None:
        self._folder = folder
        self._on_note = on_note
        self._files = frozenset(_listed(folder)) if "front-matter" in of else None
        self._dates: Mapping[str, datetime] = self._committed() if "git" in of else {}
        self._bad = 0
        self._first_bad = ""

    def dated(self, rows: Iterable[Mapping[str, Any]], *, are_built: bool) -> Iterator[dict[str, Any]]:
        """The rows without their file, and with a lastmod and its evidence where they had none and one was found."""
        for given in rows:
            row = dict(given)
            file = row.pop("file", None)
            if row.get("lastmod") is None and isinstance(file, str):
                row |= self._of(_candidates(file) if are_built else [file])
            yield row
        if self._bad:
            self._on_note(self._first_bad + (f", and {self._bad - 1:,} more like it" if self._bad > 1 else ""))

    def _committed(self) -> git.GitDates:
        dates = git.dates(self._folder)
        if dates.dirty:
            self._on_note(f"{self._folder}: {plural(dates.dirty, 'file')} with changes in no commit: no date of git's")
        return dates

    def _of(self, names: Iterable[str]) -> dict[str, Any]:
        """What the first of the files that is there says of its page."""
        for name in names:
            if self._files is not None and name in self._files:
                said = front_matter.of_file(self._folder / name)
                if said.bad is not None:
                    self._bad += 1
                    self._first_bad = self._first_bad or f"{name}: {said.bad}"
                if said.lastmod is not None:
                    return {"lastmod": said.lastmod, "evidence": "front matter"}
            if name in self._dates:
                return {"lastmod": self._dates[name], "evidence": "git"}
            if self._files is not None and name in self._files:
                break
        return {}


def _candidates(page: str) -> Iterator[str]:
    """The files that a built page may be made of, and itself."""
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


def _listed(folder: Path) -> Iterator[str]:
    """The files below a folder, by their paths with forward slashes, but for links and what is hidden."""
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder")
    count = 0
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "node_modules"]
        inside = Path(place)
        for name in files:
            path = inside / name
            if path.is_symlink():
                continue
            count += 1
            if count > _MOST_FILES:
                raise InputError(f"{folder} has more than {_MOST_FILES:,} files: give the folder of the pages alone")
            yield path.relative_to(folder).as_posix()
