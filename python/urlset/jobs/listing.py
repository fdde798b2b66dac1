"""All documents below a folder or a prefix, and what tells their versions apart: for reading what is new or changed."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from urlset._model.errors import InputError
from urlset._read.entry_points import SUFFIXES
from urlset._read.stored import pattern_of
from urlset._stores.store import is_object_url
from urlset._util.globs import glob_files, is_glob
from urlset.jobs.parts import ARCHIVES, own_path

#: The most documents that are watched. Every batch carries the version of each.
MAX_DOCUMENTS = 100_000


class Version(NamedTuple):
    """A version of a document: a text that differs once it is written again, with its size, and when it was written."""

    stamp: str
    bytes: int
    modified: float


def list_versions(path: str, store: Mapping[str, Any] | None = None) -> dict[str, Version]:
    """Return the version of each document below a folder or a prefix, or of each that matches a glob, by its path.

    Documents are what is called like one: `.xml`, `.xml.gz`, `.txt`, `.txt.gz`, `.rss`, `.atom` and archives.

    Raises:
        InputError: The path has another form, or there are too many documents.
        FetchError: A store cannot be reached, or refuses.
    """
    path = own_path(path)
    files = _objects(path, store or {}) if is_object_url(path) else _files(path)
    found: dict[str, Version] = {}
    for name, version in files:
        if not name.lower().endswith((*SUFFIXES, *ARCHIVES)):
            continue
        found[name] = version
        if len(found) > MAX_DOCUMENTS:
            raise InputError(f"{path} has more than {MAX_DOCUMENTS:,} documents: name a part of them")
    return found


def _files(path: str) -> Iterator[tuple[str, Version]]:
    folder = Path(path)
    if not folder.is_dir() and not is_glob(path):
        raise InputError(f"what is watched must be a folder, a prefix or a glob, got {path}")
    pattern = str(Path(glob.escape(path)) / "**" / "*") if folder.is_dir() else path
    for each in glob_files(pattern):
        try:
            found = each.stat()
        except FileNotFoundError:  # removed meanwhile
            continue
        yield (
            str(each),
            Version(f"{found.st_size}:{found.st_mtime_ns}:{found.st_ino}", found.st_size, found.st_mtime),
        )


def _objects(url: str, store: Mapping[str, Any]) -> Iterator[tuple[str, Version]]:
    from urlset._stores.reading import Bucket  # noqa: PLC0415  (an extra)

    scheme, _, rest = url.partition("://")
    authority, _, key = rest.partition("/")
    bucket = Bucket(scheme.lower(), authority, store)
    if key and not key.endswith("/") and not is_glob(key):
        raise InputError(f"what is watched must be a prefix with a slash at its end, or a glob, got {url}")
    prefix, matches = pattern_of(key) if is_glob(key) else (key, lambda _: True)
    for each in bucket.listing(prefix):
        if matches(each.key):
            stamp = f"{each.bytes}:{each.version}"
            yield f"{bucket.location}/{each.key}", Version(stamp, each.bytes, each.modified)
