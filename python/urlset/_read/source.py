"""What a source is: the only module that guesses what a caller means."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, cast
from urllib.parse import quote, urljoin

from urlset import _core
from urlset._model.errors import InputError
from urlset._model.fetches import Fetch
from urlset._read.entry_points import SUFFIXES, entry_points
from urlset._read.stored import Stored, stored
from urlset._stores.store import is_object_url
from urlset._util.globs import glob_files, is_glob


class Readable(Protocol):
    """A binary file object, as far as reading needs it."""

    def read(self, size: int = ..., /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Remote:
    """A document at an http or https URL.

    `via` says how it was found: `given`, `index` or `robots`. `depth` is how many documents have led to it. `index` is
    the URL of the document that did, and `lastmod` what it states for this one, as written.
    """

    url: str
    via: str = "given"
    depth: int = 0
    index: str | None = None
    lastmod: str | None = None


#: A host with a top-level domain, and perhaps a port.
_HOST = re.compile(r"([a-z0-9-]+\.)+[a-z]{2,}(:\d+)?", re.I)

SourcesLike = Sequence[str | os.PathLike[str] | Readable]
SourceLike = str | os.PathLike[str] | bytes | bytearray | memoryview | Readable | Iterable[bytes]


@dataclass(frozen=True, slots=True)
class Source:
    """One document: its bytes, its path or URL, an object with `read`, or an iterable of bytes.

    Of a filtered scan, `unwanted` is the field of the filter for which only the sitemaps that it names count, `weight`
    how many documents it stands for, and `is_drawn` says that it is of a sample.
    """

    location: str | None
    opened: bytes | str | Readable | Iterable[bytes] | Remote | Stored
    unwanted: str | None = None
    weight: float = 1.0
    is_drawn: bool = False

    @property
    def path(self) -> Path | None:
        """Its path, if it is a file."""
        return Path(self.opened) if isinstance(self.opened, str) else None

    @property
    def name(self) -> str | None:
        """Its name in its folder, if it is a file, or below its prefix, if it is in an object store."""
        if isinstance(self.opened, Stored):
            return self.opened.name
        return None if self.path is None else self.path.name

    @property
    def key(self) -> str | None:
        """What tells it from other documents: its path or URL, if it has one."""
        if isinstance(self.opened, Remote | Stored):
            return self.opened.url
        return self.opened if isinstance(self.opened, str) else None

    @property
    def has_children(self) -> bool:
        """Whether the children that it lists can be found: beside it, or at their URLs."""
        return isinstance(self.opened, str | Remote | Stored)

    @property
    def reopens(self) -> bool:
        """Whether it can be read more than once."""
        return isinstance(self.opened, (bytes, str, list, tuple, Remote, Stored))


@dataclass(slots=True)
class OpenDocument:
    """A document as the core takes it: its bytes or what hands them out, where they come from, and how they are packed.

    What is received by a thread of its own is a pipe. It knows where the document is in the end, and how it is packed,
    once its headers are there.
    """

    origin: Source
    source: bytes | str | Readable | Iterable[bytes] | _core.Pipe
    _content_encoding: str | None = None
    #: What is known of the fetch once the headers are there, if it is fetched over HTTP.
    fetch: Fetch | None = None
    #: The hash of its bytes, if they come from a cache; known with its headers.
    sha256: str | None = None

    @property
    def location(self) -> str | None:
        """Where it is, after redirects."""
        found = self.source.location if isinstance(self.source, _core.Pipe) else None
        return found or self.origin.location

    @property
    def content_encoding(self) -> str | None:
        """The Content-Encoding that came with it."""
        return self.source.content_encoding if isinstance(self.source, _core.Pipe) else self._content_encoding

    @property
    def skips_rows(self) -> bool:
        """Whether its entries are not rows: only the sitemaps that it names count."""
        return self.origin.unwanted is not None

    def take_fetch(self, fetch: Fetch, sha256: str | None) -> None:
        """Take what is known of the fetch once its headers are there."""
        self.fetch, self.sha256 = fetch, sha256

    def wait(self) -> None:
        """Wait for the headers of a document that is received.

        Raises:
            FetchError: It cannot be fetched.
        """
        if isinstance(self.source, _core.Pipe):
            self.source.wait()

    def close(self) -> None:
        """Receive no more of it."""
        if isinstance(self.source, _core.Pipe):
            self.source.close()


def resolve(source: SourceLike | SourcesLike, location: str | None = None) -> Source:
    """Return the one document that the caller means.

    Raises:
        InputError: There are several, or `resolve_all` raises it.
        FileNotFoundError: There is nothing at the path.
    """
    found = resolve_all(source)
    if len(found) > 1:
        raise InputError(f"the source must be one document, got {len(found):,}")
    return replace(found[0], location=location) if location else found[0]


def resolve_all(
    source: SourceLike | SourcesLike, *, any_document: bool = False, store: Mapping[str, Any] | None = None
) -> list[Source]:
    """Return the documents that the caller means: one, or those of a folder, a glob or a list.

    `entry_points` says what a folder stands for, and what `any_document` adds; `store` has options of object stores.

    Raises:
        InputError: The list is empty, a folder has no sitemap, a glob matches nothing, a URL is invalid, or a source is
            text instead of bytes.
        FileNotFoundError: There is nothing at a path.
        FetchError: An object store cannot be reached, or refuses.
    """
    if not isinstance(source, list | tuple):
        return _resolved(cast("SourceLike", source), store, any_document=any_document)
    if not source:
        raise InputError("the list of sources must not be empty")
    if not isinstance(source[0], str | os.PathLike) and not hasattr(source[0], "read"):
        return [Source(None, cast("Sequence[bytes]", source))]  # the pieces of one document
    paths = cast("Sequence[SourceLike]", source)
    return [found for path in paths for found in _resolved(path, store, any_document=any_document)]


def locate(sources: Sequence[Source], location: str | None) -> list[Source]:
    """Return the sources at the location that the caller gives: that of the document, or of the folder of several.

    Raises:
        InputError: It names one document, and there are several.
    """
    check_location(len(sources), location)
    if not location:
        return list(sources)
    if len(sources) == 1:
        return [replace(sources[0], location=location)]
    return [
        source if source.name is None else replace(source, location=urljoin(location, quote(source.name)))
        for source in sources
    ]


def check_location(documents: int, location: str | None) -> None:
    """Raise InputError for the location of one document if there are several."""
    if location is not None and documents > 1 and not location.endswith("/"):
        raise InputError(
            "location must be the URL of a folder, with a slash at its end, if there are several documents, "
            f"got {location!r}"
        )


def _resolved(source: SourceLike, store: Mapping[str, Any] | None, *, any_document: bool) -> list[Source]:
    """Return one source, or those of a folder or a glob."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return [Source(None, bytes(source))]
    if isinstance(source, str) and is_url(source):
        return [Source(source, Remote(_checked(source)))]
    if isinstance(source, str) and is_object_url(source):
        return [Source(each.url, each) for each in stored(source, store, any_document=any_document)]
    if isinstance(source, str | os.PathLike):
        return [Source(str(path), str(path)) for path in _paths(os.fspath(source), any_document=any_document)]
    if isinstance(source, io.TextIOBase):
        raise InputError("the source must be a binary file, got one that is open as text: open it with mode 'rb'")
    if hasattr(source, "read"):
        name = getattr(source, "name", None)
        return [Source(name if isinstance(name, str) else None, source)]
    if isinstance(source, Iterable):
        return [Source(None, source)]
    raise InputError(
        f"the source must be a path, a URL, bytes, a binary file or an iterable of bytes, got {type(source).__name__}"
    )


def _checked(url: str) -> str:
    """Return a URL that the caller names.

    Raises:
        InputError: It is invalid, or has a user name; the message does not repeat a password.
    """
    authority = re.split(r"[/?#]", url.partition("//")[2], maxsplit=1)[0]
    if "@" in authority:
        raise InputError(
            "the URL of a source must not have a user name or a password: pass them as the header Authorization"
            " (Http(headers=…), --headers)"
        )
    if _core.standard_url(url) is None:
        raise InputError(f"the source must be a valid URL, got {url!r}")
    return url


def is_url(text: str) -> bool:
    """Return whether a text begins as an http or https URL."""
    return text.lower().startswith(("http://", "https://"))


def _paths(text: str, *, any_document: bool) -> list[Path]:
    """Return the files that a path means: itself, the entry points of a folder, or the files that match a glob."""
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        raise InputError("the source must be a path or bytes, got XML text: pass bytes, as in text.encode()")
    if not text:
        raise InputError("the source must be a path, got an empty text: pass '.' for the current folder")
    path = Path(text)
    if path.is_dir():
        return entry_points(path, any_document=any_document)
    if is_glob(text) and not path.exists():
        found = glob_files(text)
        if not found:
            raise InputError(f"no file matches {text}")
        return found
    try:
        path.stat()
    except FileNotFoundError as error:
        if (meant := _meant(text)) is None:
            raise
        raise FileNotFoundError(error.errno, f"{error.strerror}; {meant}", text) from error
    return [path]


def _meant(text: str) -> str | None:
    """Return what a path at which there is nothing was meant to be, as a question, if it looks like something else."""
    if text.lower().startswith("file:"):
        return "write a path, without file://"
    host = text.partition("/")[0]
    is_host = _HOST.fullmatch(host) and (host != text or not text.lower().endswith(SUFFIXES))
    return f"did you mean https://{text}?" if is_host else None
