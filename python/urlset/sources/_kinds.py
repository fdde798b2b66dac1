"""Kinds of built pages that a site may not want in its sitemap, told by their paths.

Source: what the generators write. Hugo, Docusaurus: `page/2`; Jekyll: `page2`; Astro: `blog/2`; Pelican: `index2` and
`tag/tea2`. Versions of documentation are folders, as Docusaurus and mike (for MkDocs) write them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Literal

from urlset.sources._generators.claims import page_key

#: Kinds of pages that can be left out. A draft is told by its source.
PageKind = Literal["archives", "drafts", "pagination", "versions"]

_TAIL = r"(?:/(?:[^/]+/|page[-_]?)\d+)?"
_ARCHIVE = re.compile(
    rf"(?:.*/)?(?:(?:tags?|categor(?:y|ies)|authors?)(?:/[^/]+)?|archives?){_TAIL}", re.DOTALL | re.IGNORECASE
)
_DATES = re.compile(rf"(?:.*/)?(?:19|20)\d\d(?:/\d\d){{0,2}}{_TAIL}", re.DOTALL)
_PAGE = re.compile(r"(?:.*/)?page[-_/]?\d+", re.DOTALL | re.IGNORECASE)
_NUMBERED = re.compile(r"(?P<list>(?:.*/)?)(?P<number>[1-9]\d{0,2})", re.DOTALL)
_JOINED = re.compile(r"(?P<list>(?:.*/)?(?:index|archives?|(?:tag|category|author)s?/.*?\D))[1-9]\d{0,3}", re.DOTALL)
#: A number alone is a year or a page of a list more often than a version.
_VERSION = re.compile(
    r"(?:v(\d+(?:\.\d+)*)|(\d+(?:\.\d+)+)|(\d+)(?=\.x))(?:\.x|[-.]?(?:alpha|beta|rc|dev|pre)[-.]?\d*)?", re.IGNORECASE
)
#: Names of the folder with the version that most people use, and of those with one that is not released.
_CURRENT = ("stable", "latest", "current")
_NEXT = ("next", "dev", "develop", "nightly", "main", "master", "unreleased", "canary")
#: The least folders that are versions of each other, if none of them has one of the names above.
_MIN_VERSIONS = 2
#: The most characters of the name of a version, and folders above one.
_MAX_NAME, _MAX_DEPTH = 30, 8


def kind_of(pages: Iterable[str], kinds: Collection[str]) -> Callable[[str], tuple[str, str] | None]:
    """Return a function that says of which of the kinds a page is.

    Args:
        pages: The paths of all pages of the site.
        kinds: The kinds that count.

    Returns:
        It takes the path of a page, and returns the kind in one word with a detail, or None.
    """
    keys = frozenset(map(page_key, pages))
    old = _old_versions(keys) if "versions" in kinds else {}

    def kind(page: str) -> tuple[str, str] | None:
        key = page_key(page)
        if "pagination" in kinds and _is_further(key, keys):
            return "pagination", "it is a further page of a list"
        if "archives" in kinds and (_ARCHIVE.fullmatch(key) or _DATES.fullmatch(key)):
            return "archive", "it lists the pages of a tag, a category, an author or a time"
        for folder in _folders(key) if old else ():
            if folder in old:
                return "version", f"the version to find is in {old[folder] or '/'}"
        return None

    return kind


def _is_further(key: str, keys: Collection[str]) -> bool:
    """Whether a page is one of a list after the first. A number alone says so only where the pages before are there."""
    if _PAGE.fullmatch(key):
        return True
    if found := _NUMBERED.fullmatch(key):
        number, before = int(found["number"]), found["list"]
        return f"{before}{number - 1}" in keys if number > 2 else number == 2 and before.rstrip("/") in keys
    if found := _JOINED.fullmatch(key):
        start = found["list"]
        return start in keys or (start.endswith("index") and start[:-5].rstrip("/") in keys)
    return False


def _folders(key: str) -> Iterable[str]:
    """Yield the folders that a page is in, and the page itself, which may be the first one of a folder."""
    parts = key.split("/")
    return ("/".join(parts[:length]) for length in range(1, len(parts) + 1))


def _old_versions(keys: Collection[str]) -> Mapping[str, str]:
    """Return the folders of old and of coming versions, each with the folder of the version that is to be found.

    That is the one with a name such as stable or latest; else the folder around the versions, if it has one of their
    pages; else the highest number.
    """
    # By the folder around them and their names: the pages in there.
    found: dict[str, dict[str, list[str]]] = {}
    for key in keys:
        parts = key.split("/")
        for place, name in enumerate(parts[:_MAX_DEPTH]):
            if _number(name) or name.lower() in (*_CURRENT, *_NEXT):
                inside = found.setdefault("/".join(parts[:place]), {}).setdefault(name, [])
                inside.append("/".join(parts[place + 1 :]))
    old: dict[str, str] = {}
    for parent, versions in found.items():
        at = f"{parent}/" if parent else ""
        current = _current(parent, at, versions, keys)
        if current is not None:
            old |= {at + name: current for name in versions if at + name != current}
    return old


def _current(parent: str, at: str, versions: Mapping[str, Sequence[str]], keys: Collection[str]) -> str | None:
    """Return the folder with the version that is to be found; None if these folders are not versions."""
    named = sorted((_CURRENT.index(name.lower()), name) for name in versions if name.lower() in _CURRENT)
    if named and len(versions) > 1:
        return at + named[0][1]
    if any(page and at + page in keys for inside in versions.values() for page in inside):
        return parent
    numbers = [name for name in versions if _number(name)]
    return at + max(numbers, key=lambda name: (_number(name), name)) if len(numbers) >= _MIN_VERSIONS else None


def _number(name: str) -> tuple[int, ...]:
    """Return the number of a version; nothing for any other name."""
    found = _VERSION.fullmatch(name) if len(name) <= _MAX_NAME else None
    return tuple(int(part) for part in (found[1] or found[2] or found[3]).split(".")) if found else ()
