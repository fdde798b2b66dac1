"""The walk from an index or a robots.txt to its children: each document once, and none where it must not lead."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import unquote, urljoin, urlsplit

from urlset._fetch.hosts import may_lead
from urlset._model.diagnostics import BYTES
from urlset._model.errors import FetchError
from urlset._options.http import Http
from urlset._read.entry_points import is_site, requested
from urlset._read.source import Remote, Source, is_url
from urlset._read.stored import Stored
from urlset._util.text import plural

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
        if self.hold(source, document, group=group):
            self.wait(document)
            self.added += 1
            return document
        return self._known[group, _place(source) or ""]

    def hold(self, source: Source, document: T, *, group: str = "") -> bool:
        """Make a document known without having it read, and return whether it was not known before."""
        place = _place(source)
        if place is None:
            return True
        known = (group, place) in self._known
        self._known.setdefault((group, place), document)
        return not known

    def wait(self, document: T) -> None:
        """Have a document that is known read behind those that wait."""
        self._waiting.append(document)

    def next(self) -> T | None:
        """Take the next document, or None if none waits."""
        return self._waiting.popleft() if self._waiting else None

    def peek(self, documents: int) -> list[T]:
        """Return the next documents, which stay."""
        return list(islice(self._waiting, documents))

    def leave(self) -> int:
        """Drop all documents that wait, and return how many there were."""
        left = len(self._waiting)
        self._waiting.clear()
        return left

    def __len__(self) -> int:
        """Return how many documents wait."""
        return len(self._waiting)


def _place(source: Source) -> str | None:
    """Return what tells a document from others, if it has a name.

    The site that the caller gave is not one of its documents: an index may list its home page as one. Source: RFC 3986,
    6.2.3: an empty path is the same as `/`.
    """
    if not isinstance(source.opened, Remote):
        return source.key
    url = requested(source.opened.url)
    if not is_site(source.opened.url):
        return url
    home = urljoin(url, "/")
    return f"site {home}" if source.opened.via == "given" else home


def names_only_itself(index: Source, locs: Iterable[str]) -> bool:
    """Return whether an index, or a robots.txt, lists nothing but its own location."""
    is_remote = isinstance(index.opened, Remote)
    own = {_place(index), requested(index.location) if is_remote and index.location else index.location}
    locs = list(locs)
    return bool(locs) and all((requested(loc) if is_remote else child_key(index, loc)) in own for loc in locs)


def child_source(
    index: Source, loc: str, line: int, kind: str | None, http: Http, lastmod: str | None = None
) -> Source:
    """Return the source of a child that an index, or a robots.txt, lists in a line.

    Args:
        index: The index, at the location from which it was read.
        loc: What it lists.
        line: The line on which it does.
        kind: What the index is.
        http: Where an index at a URL may lead to.
        lastmod: What it states for the child, as written.

    Raises:
        FetchError: No file with the child's name is in the folder of the index, or an index must not lead there.
    """
    if isinstance(index.opened, Remote):
        is_robots, hosts, depth = kind == "robots", http.hosts, index.opened.depth + (kind != "robots")
        if not is_url(loc):
            raise FetchError(f"{index.location}:{line}: the child {loc} is not an http or https URL")
        if not may_lead(index.location or index.opened.url, loc, hosts, is_robots=is_robots):
            raise FetchError(
                f"{index.location}:{line}: the child {loc} is on a host that the index may not lead to "
                f"(hosts={hosts!r}, --hosts {hosts})"
            )
        if depth > http.max_depth:
            raise FetchError(
                f"{index.location}:{line}: the child {loc} is not read, because {http.max_depth} indexes have led to "
                "each other (max_depth)"
            )
        via = "robots" if is_robots else "index"
        return Source(loc, Remote(loc, via, depth, index.location, lastmod))
    name = child_name(loc)
    if isinstance(index.opened, Stored) and name is not None:
        child = index.opened.sibling(name, f"{index.location}:{line}")
        return Source(child.url, child)
    path = None if index.path is None or name is None else index.path.parent / name
    if path is None or not _is_file(path):
        raise FetchError(f"{index.location}:{line}: the child {loc} was not found in the same folder")
    return Source(str(path), str(path))


def child_key(index: Source, loc: str) -> str | None:
    """Return the key of the source that a child would have, whether it can be read or not; None if it has no name."""
    if isinstance(index.opened, Remote):
        return loc
    name = child_name(loc)
    if name is None:
        return None
    if isinstance(index.opened, Stored):
        return index.opened.sibling(name, "").url
    return None if index.path is None else str(index.path.parent / name)


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
        f"pass the path of a copy with the children in the same folder{alone}"
    )


def not_read(reason: str, left: int) -> FetchError:
    """Return the failure of a run that ended early, with how many documents were found and not read."""
    return FetchError(f"{reason}: {plural(left, 'sitemap that was found is', 'sitemaps that were found are')} not read")


def child_name(loc: str) -> str | None:
    """Return the name of the child of an index in the index's folder: it leads nowhere else. None if it has none."""
    try:
        name = unquote(urlsplit(loc).path.rpartition("/")[2])
    except ValueError:  # an invalid host
        return None
    if name in ("", ".", "..") or any(character in name for character in "/\\\0:"):
        return None
    return name


def _is_file(path: Path) -> bool:
    """Return whether there is a file, whatever the path."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name too long for the system, or one with a NUL
        return False
