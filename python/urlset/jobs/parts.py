"""The parts of a read: the documents of each, as they travel from the machine that plans to the one that reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from urlset._model.documents import Document
from urlset._model.errors import InputError, UrlsetError
from urlset._read.source import Source, is_url
from urlset._read.stored import Stored
from urlset._stores.store import is_object_url

#: How the names of web archives end.
ARCHIVES = (".warc", ".warc.gz")


@dataclass(frozen=True, slots=True)
class Listed:
    """One document of a part.

    Attributes:
        path: Its path, or its URL in an object store.
        location: What its rows and messages call it: its path, unless the caller gave a public URL.
        bytes: How many bytes its text has, as far as that is known without reading it.
        is_followed: Whether it is an index, or a robots.txt, whose sitemaps are in the parts too.
        listed_in: The location of the index that lists it, or None.
        url: The URL by which that index lists it.
    """

    path: str
    location: str
    bytes: int = 0
    is_followed: bool = False
    listed_in: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class ReadPart:
    """Documents that one task reads. It can be pickled.

    Attributes:
        number: Its number, from 0 up.
        documents: Its documents, in the order of reading.
        follow: Whether the sitemaps that indexes name are not rows, because they are read by this part or another.
    """

    number: int
    documents: tuple[Listed, ...]
    follow: bool = False

    @property
    def bytes(self) -> int:
        """How many bytes its documents have, as far as that is known."""
        return sum(document.bytes for document in self.documents)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one document.

    Attributes:
        location: Where it is.
        document: What was read of it; None if it could not be opened.
        errors: Why it could not be opened, or not be read to its end; and for an index, the sitemaps that are missing.
    """

    location: str
    document: Document | None
    errors: tuple[UrlsetError, ...] = ()


def is_archive(path: str) -> bool:
    """Return whether a path is that of a web archive, which holds documents instead of being one."""
    return path.lower().endswith(ARCHIVES)


def own_path(path: str) -> str:
    """Return a path as urlset spells it. Engines for large data write `file:/data` and `s3a://bucket/data`.

    Raises:
        InputError: It is the URL of a site, or of a store that is not read.
    """
    scheme, colon, rest = path.partition(":")
    scheme = scheme.lower()
    if not colon or len(scheme) == 1:  # a drive
        return path
    if scheme == "file":
        return "/" + rest.lstrip("/")
    if scheme in ("s3a", "s3n"):
        return f"s3:{rest}"
    if is_url(path):
        raise InputError(
            f"a job reads files and objects, got the URL {path}: tasks do not fetch, because many of them would ask "
            "one server at the same time. Use urlset.scan() for a site, or store its sitemaps first"
        )
    if rest.startswith("//") and not is_object_url(path):
        raise InputError(f"a path must be a file, or begin with s3://, gs:// or az://, got {path}")
    return path


def sources_of(documents: Iterable[Listed], store: Mapping[str, Any] | None) -> list[Source]:
    """Return the documents of a part as the reader takes them. Nothing is opened.

    Raises:
        InputError: A URL or an option is invalid, or the extra is missing.
    """
    buckets: dict[str, Any] = {}
    found = []
    for document in documents:
        opened: str | Stored = document.path
        if is_object_url(document.path):
            base, _, key = document.path.partition("://")[2].partition("/")
            scheme = document.path.partition("://")[0].lower()
            if (bucket := buckets.get(f"{scheme}://{base}")) is None:
                from urlset._stores.reading import Bucket  # noqa: PLC0415  (most documents are files)

                bucket = buckets.setdefault(f"{scheme}://{base}", Bucket(scheme, base, store or {}))
            opened = Stored(bucket, key, document.listed_in)
        found.append(Source(document.location, opened))
    return found


def listed(locations: Sequence[str]) -> tuple[Listed, ...]:
    """Return documents by their paths, each of which is one document.

    Raises:
        InputError: One is not the path of a document.
    """
    if isinstance(locations, str):
        raise InputError(f"locations must be a list of paths, got one str, {locations!r}")
    return tuple(Listed(path, path) for path in map(own_path, locations))
