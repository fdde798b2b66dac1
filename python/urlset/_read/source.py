"""What a source is: the only place that guesses what somebody meant."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast
from urllib.parse import unquote, urlsplit

from urlset._model.errors import InputError

#: What a folder stands for: the entry point that robots.txt and people know.
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
    """One document's bytes, as the core takes them: `bytes`, a path, an object with `read`, an iterable of bytes."""

    location: str | None
    opened: bytes | str | Readable | Iterable[bytes]

    @property
    def path(self) -> Path | None:
        """Where it lies on disk, if it does."""
        return Path(self.opened) if isinstance(self.opened, str) else None

    @property
    def reopens(self) -> bool:
        """Whether it can be read more than once."""
        return isinstance(self.opened, (bytes, str, list, tuple))


def resolve(source: SourceLike, location: str | None = None) -> Source:
    """The source that was meant. A folder stands for its `sitemap.xml`.

    Raises InputError for a URL or for text instead of bytes, FileNotFoundError for a path with nothing there.
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
    raise InputError(f"a source is a path, bytes, a binary file or an iterable of bytes, not {type(source).__name__}")


def resolve_all(source: SourceLike | SourcesLike) -> list[Source]:
    """The sources that were meant: one, or those of a list of paths. Of a folder it is its `sitemap.xml`, or, without
    one, every file there that is named as sitemaps are; indexes come first, because they say where the others live.

    Raises what `resolve` does, and InputError for an empty list.
    """
    if isinstance(source, list | tuple) and not source:
        raise InputError("the list of sources is empty")
    is_list = isinstance(source, list | tuple) and not isinstance(source[0], bytes)
    paths = cast("Sequence[SourceLike]", source if is_list else [source])
    return [resolved for path in paths for resolved in _resolved(path)]


def _resolved(source: SourceLike) -> list[Source]:
    """One source, or those of a folder."""
    folder = Path(source) if isinstance(source, str | os.PathLike) else None
    if folder is None or not folder.is_dir() or (folder / ENTRY_POINT).is_file():
        return [resolve(source)]
    names = sorted(path.name for path in folder.iterdir() if path.name.endswith(SITEMAPS) and path.is_file())
    if not names:
        raise InputError(f"{folder} holds no {ENTRY_POINT}, and no other file with the name of a sitemap")
    names.sort(key=lambda name: "index" not in name)
    return [resolve(folder / name) for name in names]


def is_url(text: str) -> bool:
    """Whether a text begins as a URL that documents live at."""
    return text.lower().startswith(("http://", "https://"))


def _path(text: str) -> Path:
    if is_url(text):
        raise InputError(f"{text} is a URL, and this version does not fetch: pass its bytes, or the path of a copy")
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        raise InputError("the source is XML text, where a path was expected: pass bytes, as in text.encode()")
    path = Path(text)
    if path.is_dir():
        path /= ENTRY_POINT
    path.stat()  # says at once, and with the path, that there is nothing
    return path


def beside(index: Path, loc: str) -> Path | None:
    """Where the child of an index on disk would lie: under its own name, in the index's folder, nowhere else."""
    try:
        name = unquote(urlsplit(loc).path.rpartition("/")[2])
    except ValueError:  # a host that is none
        return None
    if name in ("", ".", "..") or any(character in name for character in "/\\\0:"):
        return None
    return index.parent / name
