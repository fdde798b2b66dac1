"""Documents in object stores: what a URL such as `s3://bucket/sitemaps/` means, and where an index there may lead."""

from __future__ import annotations

import glob
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from urlset import _core
from urlset._model.errors import FetchError, InputError
from urlset._read.entry_points import NAMES, ROBOTS, documents_among, names_sitemaps, no_sitemap

if TYPE_CHECKING:
    from urlset._stores.reading import Bucket, Object


@dataclass(frozen=True, slots=True)
class Stored:
    """A document in an object store.

    `listed` says where the index is that lists it, for the message if it is missing.
    """

    bucket: Bucket
    key: str
    listed: str | None = None

    @property
    def url(self) -> str:
        """Its URL."""
        return f"{self.bucket.location}/{self.key}"

    @property
    def name(self) -> str:
        """The last part of its key."""
        return self.key.rpartition("/")[2]

    def open(self) -> Object:
        """Begin to read it.

        Raises:
            FetchError: It does not exist, or the store does not give it.
        """
        try:
            return self.bucket.open(self.key)
        except FetchError as error:
            if self.listed is None:
                raise
            raise FetchError(f"{error} ({self.listed} lists it)") from None

    def sibling(self, name: str, listed: str) -> Stored:
        """Return the document of another name below the same prefix, which a document at `listed` lists."""
        return Stored(self.bucket, f"{self.key.removesuffix(self.name)}{name}", listed)


def stored(url: str, options: Mapping[str, Any] | None, *, any_document: bool = False) -> list[Stored]:
    """Return the documents that the URL of an object store means.

    That is one object, or what `entry_points` says if it ends with a slash or has only a bucket, or the objects that
    match, if it has `*` or `[`. As on disk, `*` stays below one slash, `**` matches any number of prefixes, and both
    leave out names that begin with a dot.

    Args:
        url: The URL.
        options: Options of the store.
        any_document: As for `entry_points`.

    Raises:
        InputError: The URL or an option is invalid, the extra is missing, or nothing is found there.
        FetchError: The store cannot be reached, or refuses.
    """
    from urlset._stores.reading import Bucket  # noqa: PLC0415  (most sources are elsewhere)

    scheme, _, rest = url.partition("://")
    authority, _, key = rest.partition("/")
    if "?" in rest or "#" in rest:
        # The rest is not shown, because it may contain a key.
        raise InputError(f"{scheme}:// must be followed by a bucket and a key, without a query; `*` can match names")
    bucket = Bucket(scheme.lower(), authority, options or {})
    if not key or key.endswith("/"):
        return [Stored(bucket, each) for each in _entry_points(bucket, key, any_document=any_document)]
    if not glob.has_magic(key) or bucket.has(key):
        return [Stored(bucket, key)]
    prefix, matches = pattern_of(key)
    found = sorted(filter(matches, bucket.keys(prefix)))
    if not found:
        raise InputError(f"no object matches {url}")
    return [Stored(bucket, each) for each in found]


def pattern_of(key: str) -> tuple[str, Callable[[str], bool]]:
    """Return the prefix of all keys that match a glob, which is empty or ends with a slash, and what tells them."""
    pattern = key.split("/")
    fixed = "/".join(_until_magic(pattern[:-1]))
    return (f"{fixed}/" if fixed else ""), lambda each: _matches(each.split("/"), pattern)


def _entry_points(bucket: Bucket, prefix: str, *, any_document: bool) -> list[str]:
    """Return the keys of the documents for which a prefix stands, as `entry_points` finds them in a folder."""
    for name in NAMES:
        if bucket.has(prefix + name):
            return [prefix + name]
    if bucket.has(prefix + ROBOTS) and names_sitemaps(_first(bucket, prefix + ROBOTS)):
        return [prefix + ROBOTS]
    names = bucket.names(prefix)
    found = documents_among(names, any_document=any_document)
    if not found:
        raise no_sitemap(f"{bucket.location}/{prefix}", "below this prefix", names)
    return [prefix + name for name in found]


def _first(bucket: Bucket, key: str) -> bytes:
    body = bucket.open(key)
    try:
        return body.read()[: _core.Robots.MAX_BYTES]
    finally:
        body.close()


def _until_magic(parts: Sequence[str]) -> list[str]:
    """Return the first parts of a pattern that have nothing to match."""
    found = []
    for part in parts:
        if glob.has_magic(part):
            break
        found.append(part)
    return found


def _matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Return whether the parts of a key match those of a pattern, of which `**` matches any number."""
    positions = _with_skips({0}, pattern)
    for part in parts:
        after = set()
        for position in positions:
            if position == len(pattern):
                continue
            expected = pattern[position]
            if part.startswith(".") and not expected.startswith("."):
                continue
            if expected == "**":
                after.add(position)
            elif fnmatchcase(part, expected):
                after.add(position + 1)
        positions = _with_skips(after, pattern)
    return len(pattern) in positions


def _with_skips(positions: set[int], pattern: Sequence[str]) -> set[int]:
    """Return the positions in a pattern, and those behind a `**`, which can match nothing."""
    found = set()
    for position in positions:
        found.add(position)
        while position < len(pattern) and pattern[position] == "**":
            position += 1  # noqa: PLW2901  (to the next part that has to match)
            found.add(position)
    return found
