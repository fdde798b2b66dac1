"""The same page as Markdown, in a file beside a built page."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from urlset.sources._locs import INDEX, Locs


def twin_of(folder: str, file: str, locs: Locs) -> str | None:
    """Return the URL of the Markdown twin of a page; None without one.

    Args:
        folder: The folder of built pages.
        file: The path of the page in it, with slashes.
        locs: The URLs of its files.
    """
    for name in _names(file):
        try:
            found = os.lstat(os.path.join(folder, *name.split("/")))  # noqa: PTH118  (names of any bytes)
        except (OSError, ValueError):
            continue
        if stat.S_ISREG(found.st_mode):  # a link may lead out of the folder
            return locs.loc_for(name)
    return None


def _names(file: str) -> Iterator[str]:
    """Yield the names that a twin can have. Source for `a.html.md`: llmstxt.org, proposal; the others are habits."""
    above, _, name = file.rpartition("/")
    yield f"{file.rpartition('.')[0]}.md"
    yield f"{file}.md"
    if name in INDEX and above:
        yield f"{above}.md"
