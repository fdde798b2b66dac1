"""Where the sitemaps of a folder begin: the only place that knows under which names sites keep them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from urlset import _core
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
    files = [path.name for path in folder.iterdir() if _is_document(path.name) and path.is_file()]
    found = documents_among(files, any_document=any_document)
    if not found:
        raise no_sitemap(str(folder), "in this folder", files)
    return [folder / name for name in found]


def documents_among(names: Iterable[str], *, any_document: bool) -> list[str]:
    """Return the names of documents with `sitemap` in them, indexes first, or else all if `any_document`."""
    documents = [name for name in names if _is_document(name)]
    found = [name for name in documents if "sitemap" in name.lower()]
    if not found and any_document:
        found = [name for name in documents if name != ROBOTS]
    return sorted(found, key=lambda name: ("index" not in name.lower(), name))


def no_sitemap(place: str, where: str, names: Sequence[str]) -> InputError:
    """Return the error of a folder or a prefix without a sitemap."""
    documents = sum(map(_is_document, names))
    others = f"; it has {documents:,} other .xml or .txt files: name those to use" if documents else ""
    return InputError(
        f"{place}: no sitemap {where}; looked for {', '.join(NAMES)}, a {ROBOTS} with a Sitemap line, "
        f"and files with sitemap in their name{others}"
    )


def _is_document(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


def is_site(url: str) -> bool:
    """Return whether a URL is that of a site, and not of one document of it: it has no path and no query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.path in ("", "/") and not parts.query


def names_sitemaps(robots: bytes, url: str | None = None) -> bool:
    """Return whether a robots.txt at a URL names a sitemap that is not itself."""
    named = _core.Robots(robots).sitemaps
    return bool(named) if url is None else any(requested(each, url) != requested(url) for each in named)


def requested(url: str, base: str | None = None) -> str:
    """Return what a client requests for a URL, or the text as it is if nothing is.

    Args:
        url: The URL, however it is spelled.
        base: What it may be relative to.
    """
    try:
        whole = url if base is None else urljoin(base, url)
    except ValueError:  # an invalid host
        return url
    return (_core.standard_url(whole) or whole).partition("#")[0]


def _is_robots(path: Path) -> bool:
    """Return whether there is a robots.txt that names a sitemap."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return names_sitemaps(file.read(_core.Robots.MAX_BYTES))
