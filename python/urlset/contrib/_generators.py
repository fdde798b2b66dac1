"""What the plugins for generators share: a set of the pages that were built, with the dates of their sources.

A generator knows which source became which page, so nothing has to be guessed. A page without a source, such as one of
search results or a list of articles, is not listed unless it was asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from re import Pattern
from typing import Any

import urlset
from urlset._options.publish import GuardName
from urlset._rules.selection import glob_pattern
from urlset._util.text import plural
from urlset.sources import git, html
from urlset.sources._locs import IndexPages

__all__ = ["BuiltPage", "Messages", "publish_build"]

#: It is beside every sitemap that urlset has published: see docs/manifest.md.
_MANIFEST = ".urlset/manifest.parquet"


@dataclass(frozen=True, slots=True)
class BuiltPage:
    """What a generator knows of a page that it has built.

    Attributes:
        source: The path of its source in the folder of sources; "" if it has none.
        columns: Values for its row, which count more than what its HTML says.
    """

    source: str = ""
    columns: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Messages:
    """Where a plugin reports.

    Attributes:
        warn: Called with what makes the set poorer, and can be repaired.
        note: Called with what the build should say.
    """

    warn: Callable[[str], object]
    note: Callable[[str], object]


def publish_build(
    folder: Path,
    pages: Mapping[str, BuiltPage],
    messages: Messages,
    *,
    base_url: str,
    dated: Path | None,
    index_pages: IndexPages = "slash",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    allow: Collection[GuardName] = (),
) -> None:
    """Publish the pages of a build into its folder.

    Args:
        folder: The folder of the build.
        pages: The pages to list, by their paths in that folder.
        messages: Where to report.
        base_url: The URL at which the folder is served.
        dated: The folder of the sources, which git knows; None if git is not to be asked.
        index_pages: Whether `a/index.html` is `a/`; see `urlset.sources.html.pages`.
        include: Globs of pages to list that are not in `pages`.
        exclude: Globs of pages not to list.
        allow: Guards that may not stop the publish.

    Raises:
        UrlsetError: The settings, the pages or the folder cannot be used, or a guard stops the set.
        OSError: A file cannot be read or written.
    """
    included, excluded = _patterns("include", include), _patterns("exclude", exclude)

    def is_listed(file: str) -> bool:
        return not _fits(excluded, file) and (file in pages or _fits(included, file))

    skipped = Counter[str]()
    built = html.pages(
        folder,
        base_url=base_url,
        index_pages=index_pages,
        on_skip=lambda file, reason, _: skipped.update([reason] if is_listed(file) else []),
    )
    dates = {} if dated is None else _dates(dated, messages)
    rows = list(_rows((row for row in built if is_listed(row["file"])), pages, dates))
    # A sitemap of the generator itself, or of the plugin before, may list what nobody looks for.
    foreign: set[GuardName] = set() if (folder / _MANIFEST).exists() else {"shrunk", "base-url"}
    published = urlset.publish(rows, folder, base_url=base_url, checks=urlset.Checks(allow=foreign | {*allow}))
    left_out = ", ".join(f"{count} {reason}" for reason, count in sorted(skipped.items()))
    listed = plural(published.entries, "page")
    messages.note(f"{published.url} lists {listed}" + (f"; left out: {left_out}" if left_out else ""))


def _rows(
    built: Iterator[dict[str, Any]], pages: Mapping[str, BuiltPage], dates: Mapping[str, datetime]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of pages with what is known of them, and the dates of the sources of those without one."""
    for found in built:
        page = pages.get(found.pop("file"), BuiltPage())
        row = {**found, **page.columns}
        # A page may have changed since it was published.
        is_weak = row.get("lastmod") is None or row.get("lastmod_source") == "publication"
        if is_weak and page.source in dates:
            row |= {"lastmod": dates[page.source], "lastmod_source": "git"}
        yield row


def _patterns(name: str, globs: Sequence[str]) -> list[Pattern[str]]:
    if isinstance(globs, str):
        raise urlset.InputError(f"{name} must be a list of strings, got the string {globs!r}")
    return [glob_pattern(glob) for glob in globs]


def _fits(patterns: Sequence[Pattern[str]], file: str) -> bool:
    return any(pattern.fullmatch(file) for pattern in patterns)


def _dates(folder: Path, messages: Messages) -> Mapping[str, datetime]:
    """Return when each source was last changed, by its path; nothing if git cannot say."""
    try:
        found = git.dates(folder)
    except (urlset.UrlsetError, OSError) as error:
        messages.warn(f"no lastmod from git: {error}")
        return {}
    if found.dirty:
        messages.note(f"{plural(found.dirty, 'file')} with uncommitted changes: no lastmod from git")
    return found
