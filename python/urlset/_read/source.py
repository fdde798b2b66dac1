"""What a source is: the only module that guesses what a caller means."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from urlset._model.errors import InputError

#: The document that a folder stands for: the entry point that robots.txt and people know.
ENTRY_POINT = "sitemap.xml"
#: Names of documents in a folder that has no entry point.
SITEMAPS = (".xml", ".xml.gz", ".txt", ".txt.gz", ".rss", ".atom")


class Readable(Protocol):
    """A binary file object, as far as reading needs it."""

    def read(self, size: int = ..., /) -> bytes: ...


SourcesLike = Sequence[str | os.PathLike[str] | Readable]
SourceLike = str | os.PathLike[str] | bytes | bytearray | memoryview | Readable | Iterable[bytes]


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of one document, as the core takes them: bytes, a path, an object with `read`, an iterable of bytes."""

    location: str | None
    opened: bytes | str | Readable | Iterable[bytes]

    @property
    def path(self) -> Path | None:
        """Its path, if it is a file."""
        return Path(self.opened) if isinstance(self.opened, str) else None

    @property
    def reopens(self) -> bool:
        """Whether it can be read more than once."""
        return isinstance(self.opened, (bytes, str, list, tuple))


def resolve(source: SourceLike, location: str | None = None) -> Source:
    """Return the source that the caller means. A folder stands for its `sitemap.xml`.

    Raises:
        InputError: It is a URL, or text instead of bytes.
        FileNotFoundError: There is nothing at the path.
    """
    if isinstance(source, bytes):
        return Source(location, source)
    if isinstance(source, (bytearray, memoryview)):
        return Source(location, bytes(source))
    if isinstance(source, str | os.PathLike):
        path = _path(os.fspath(source))
        return Source(location or str(path), str(path))
    if hasattr(source, "read"):
        name = getattr(source, "name", None)
        return Source(location or (name if isinstance(name, str) else None), source)
    if isinstance(source, Iterable):
        return Source(location, source)
    raise InputError(
        f"the source must be a path, bytes, a binary file or an iterable of bytes, got {type(source).__name__}"
    )


def resolve_all(source: SourceLike | SourcesLike) -> list[Source]:
    """Return the sources that the caller means: one, or those of a list of paths.

    A folder stands for its `sitemap.xml` or, without one, for every file in it with the name of a sitemap. Indexes come
    first, because they have the URLs of the others.

    Raises:
        InputError: The list is empty, or `resolve` raises it.
        FileNotFoundError: There is nothing at a path.
    """
    if isinstance(source, list | tuple) and not source:
        raise InputError("the list of sources must not be empty")
    is_list = isinstance(source, list | tuple) and not isinstance(source[0], bytes)
    paths = cast("Sequence[SourceLike]", source if is_list else [source])
    return [resolved for path in paths for resolved in _resolved(path)]


def _resolved(source: SourceLike) -> list[Source]:
    """Return one source, or those of a folder."""
    folder = Path(source) if isinstance(source, str | os.PathLike) else None
    if folder is None or not folder.is_dir() or (folder / ENTRY_POINT).is_file():
        return [resolve(source)]
    names = sorted(path.name for path in folder.iterdir() if path.name.endswith(SITEMAPS) and path.is_file())
    if not names:
        raise InputError(f"{folder} has neither a {ENTRY_POINT} nor another file with the name of a sitemap")
    names.sort(key=lambda name: "index" not in name)
    return [resolve(folder / name) for name in names]


def is_url(text: str) -> bool:
    """Return whether a text begins as an http or https URL."""
    return text.lower().startswith(("http://", "https://"))


def _path(text: str) -> Path:
    if is_url(text):
        raise InputError(f"{text} is a URL, and urlset does not fetch yet: pass its bytes, or the path of a copy")
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        raise InputError("the source must be a path or bytes, got XML text: pass bytes, as in text.encode()")
    path = Path(text)
    if path.is_dir():
        path /= ENTRY_POINT
    path.stat()  # raises FileNotFoundError with the path
    return path
