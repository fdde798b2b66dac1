"""The files of a published set that are served, and under which validators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from urlset import _core
from urlset._model.limits import PROTOCOL
from urlset._publish.values.header import Header
from urlset._stores.headers import FOREVER, headers_for, is_content_named

#: Smaller files are hardly smaller when they are compressed.
_MIN_COMPRESSED = 256


@dataclass(frozen=True, slots=True)
class ServedFile:
    """A file of a set.

    Attributes:
        name: Its name.
        sha256: The hash of its bytes, in hexadecimal; of an index after the first, how that begins.
        size: How many bytes it has, if that is known before it is read.
        made: When its bytes were made, in seconds since 1970, if that is known.
        data: Its bytes, if they are held in memory for as long as the set is served.
        is_kept: Whether only the previous set needs it, so that it may be gone.
    """

    name: str
    sha256: str
    size: int | None = None
    made: int | None = None
    data: bytes | None = field(default=None, repr=False)
    is_kept: bool = False

    @property
    def content_type(self) -> str:
        """The value of Content-Type."""
        return _fixed(self.name)[0]

    @property
    def cache_control(self) -> str:
        """The value of Cache-Control: what is named by its content never changes, and all else is asked for anew."""
        return _fixed(self.name)[1]

    @property
    def has_codings(self) -> bool:
        """Whether it is served compressed to those who accept that. What is stored compressed is so for everybody."""
        size = PROTOCOL.bytes if self.size is None else self.size
        return not self.name.endswith(".gz") and _MIN_COMPRESSED <= size <= PROTOCOL.bytes

    def tag(self, *, is_gzip: bool) -> str:
        """Return the entity tag: one for the bytes as they are, and one for their compressed form.

        A strong tag says that all bytes are the same, so the second one changes with the version that compresses.
        """
        return f'"{self.sha256[:32]}-gzip-{_core.VERSION}"' if is_gzip else f'"{self.sha256[:32]}"'


@dataclass(frozen=True, slots=True)
class ServedSet:
    """What is served until the next check: files by their names, and why there are no sitemaps, if there are none.

    Attributes:
        files: The files of the current set, and those of the previous one that are still there.
        base_path: The path of the URL at which the set is served, between its slashes; empty at the root of a host.
        problem: Why the set cannot be served, in a sentence.
        header: What the manifest says of the set, if it can be served.
    """

    files: Mapping[str, ServedFile]
    base_path: str = ""
    problem: str | None = None
    header: Header | None = None


@lru_cache(1 << 12)
def _fixed(name: str) -> tuple[str, str]:
    """Return the headers that follow from a name alone: Content-Type and Cache-Control."""
    return headers_for(name, {})["Content-Type"], FOREVER if is_content_named(name) else "no-cache"
