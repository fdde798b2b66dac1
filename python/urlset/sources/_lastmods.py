"""Lastmods for rows without one, taken from the source file of the page: its front matter, else git.

A date of publication, of the page or of its front matter, counts only if neither says when it has changed.

A row names its file in the column `file`. For a built page that is its path in the build, and `generators` knows its
source; a page without a source of its own, or with several that it may be made of, gets no lastmod here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from urlset._util.text import plural
from urlset.sources import front_matter, git
from urlset.sources._walk import list_files
from urlset.sources.front_matter import FrontMatter
from urlset.sources.generators import Sources


class Lastmods:
    """Finds lastmods for rows that have none.

    Args:
        folder: The folder with the source files.
        origins: Where to look: "front-matter", "git", both or neither.
        on_note: Called with a sentence about front matter with an invalid date, about uncommitted files, and about
            pages whose source is not certain.
        sources: The sources of built pages; None if rows name their source themselves.
        on_draft: Called with the page and its source for each page whose source is a draft, which is left out then.

    Raises:
        InputError: The folder cannot be used; see also `git.dates`.
    """

    def __init__(
        self,
        folder: Path,
        origins: Collection[str],
        on_note: Callable[[str], object],
        *,
        sources: Sources | None = None,
        on_draft: Callable[[str, str], object] | None = None,
    ) -> None:
        self._folder = folder
        self._on_note = on_note
        self._sources = sources
        self._on_draft = on_draft
        self._reads_front_matter = "front-matter" in origins
        self._files = frozenset(list_files(folder) if sources is None else sources)
        self._dates: Mapping[str, datetime] = self._git_dates() if "git" in origins else {}
        self._bad = self._uncertain = self._found = self._pages = 0
        self._first_bad = self._first_uncertain = ""

    def add_to(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield the rows without `file`, and with a lastmod and its source where they had none and one was found."""
        for given in rows:
            row = dict(given)
            file = row.pop("file", None)
            source = self._source_of(file) if isinstance(file, str) else None
            if source is not None:
                if self._on_draft is not None and front_matter.of_file(self._folder / source).is_draft:
                    self._on_draft(str(file), source)
                    continue
                if row.get("lastmod") is None or row.get("lastmod_source") == "publication":
                    row |= self._lastmod(source)
            yield row
        self._conclude()

    def _source_of(self, file: str) -> str | None:
        """Return the source of a file, which has been listed in the folder and so cannot lead out of it."""
        if self._sources is None:
            return file if file in self._files else None
        self._pages += 1
        found = self._sources.of_page(file)
        if len(found) > 1:
            self._uncertain += 1
            self._first_uncertain = self._first_uncertain or f"{file}, which may be made of {' or '.join(found[:3])}"
        self._found += len(found) == 1
        return found[0] if len(found) == 1 else None

    def _git_dates(self) -> git.GitDates:
        dates = git.dates(self._folder, paths=None if self._sources is None else sorted(self._files))
        if dates.dirty:
            files = plural(dates.dirty, "file")
            self._on_note(f"{self._folder}: {files} with uncommitted changes: no lastmod from git")
        return dates

    def _lastmod(self, source: str) -> dict[str, Any]:
        """Return the lastmod of a source and where it comes from, or an empty dict.

        A date of publication counts last: the page may have changed since.
        """
        found = front_matter.of_file(self._folder / source) if self._reads_front_matter else FrontMatter()
        if found.bad is not None:
            self._bad += 1
            self._first_bad = self._first_bad or f"{source}: {found.bad}"
        if found.lastmod is not None and not found.is_publication:
            return {"lastmod": found.lastmod, "lastmod_source": "front matter"}
        if source in self._dates:
            return {"lastmod": self._dates[source], "lastmod_source": "git"}
        if found.lastmod is not None:
            return {"lastmod": found.lastmod, "lastmod_source": "publication"}
        return {}

    def _conclude(self) -> None:
        """Say what may be wrong with the sources."""
        if self._bad:
            self._on_note(self._first_bad + _and_more(self._bad))
        if self._uncertain:
            self._on_note(f"no lastmod from the source of {self._first_uncertain}{_and_more(self._uncertain)}")
        if self._sources is not None and self._pages and not self._found and not self._uncertain:
            generator = self._sources.generator
            rule = f"by the naming rules of {generator}" if generator else "of the same name"
            self._on_note(f"none of {plural(self._pages, 'page')} has a source {rule} in {self._folder}")


def _and_more(number: int) -> str:
    return f", and {number - 1:,} more like it" if number > 1 else ""
