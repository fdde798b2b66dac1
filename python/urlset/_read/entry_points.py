"""Where the sitemaps of a folder begin: the only place that knows under which names sites keep them."""

from __future__ import annotations

import re
from pathlib import Path

from urlset._model.errors import InputError

#: The name that urlset publishes, and that robots.txt and people know.
ENTRY_POINT = "sitemap.xml"
#: Names of entry points, the first that is there counts: those of the protocol's examples, of Astro, Yoast and Next.js,
#: and of WordPress.
NAMES = (
    ENTRY_POINT,
    "sitemap_index.xml",
    "sitemap-index.xml",
    "sitemapindex.xml",
    "wp-sitemap.xml",
    "sitemap.xml.gz",
    "sitemap_index.xml.gz",
    "sitemap-index.xml.gz",
    "sitemap.txt",
)
ROBOTS = "robots.txt"
#: How the names of documents end.
SUFFIXES = (".xml", ".xml.gz", ".txt", ".txt.gz", ".rss", ".atom")
#: How much of a robots.txt counts. Source: RFC 9309, 2.5.
_MOST = 500 << 10
_SITEMAP_LINE = re.compile(rb"^[ \t\xef\xbb\xbf]*sitemap[ \t]*:", re.IGNORECASE | re.MULTILINE)


def entry_points(folder: Path, *, any_document: bool = False) -> list[Path]:
    """Return the documents that a folder stands for.

    That is the first of `NAMES`, or else a robots.txt that names sitemaps, or else all documents with `sitemap` in
    their name, indexes first, because they have the URLs of the others.

    Args:
        folder: The folder.
        any_document: Whether, if none of these is there, all files with the suffix of a document count.

    Raises:
        InputError: Nothing was found.
    """
    for name in NAMES:
        if (folder / name).is_file():
            return [folder / name]
    if _is_robots(folder / ROBOTS):
        return [folder / ROBOTS]
    documents = [path for path in folder.iterdir() if path.name.lower().endswith(SUFFIXES) and path.is_file()]
    found = [path for path in documents if "sitemap" in path.name.lower()]
    if not found and any_document:
        found = [path for path in documents if path.name != ROBOTS]
    if not found:
        others = f"; it has {len(documents):,} other .xml or .txt files: name those to use" if documents else ""
        raise InputError(
            f"{folder}: no sitemap in this folder; looked for {', '.join(NAMES)}, a {ROBOTS} with a Sitemap line, "
            f"and files with sitemap in their name{others}"
        )
    return sorted(found, key=lambda path: ("index" not in path.name.lower(), path.name))


def names_sitemaps(robots: bytes) -> bool:
    """Return whether a robots.txt has a Sitemap line."""
    return _SITEMAP_LINE.search(robots[:_MOST]) is not None


def _is_robots(path: Path) -> bool:
    """Return whether there is a robots.txt with a Sitemap line."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return names_sitemaps(file.read(_MOST))
