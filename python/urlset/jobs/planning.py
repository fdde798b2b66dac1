"""Planning a read: which documents there are, and groups of them that take about the same time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from urlset._model.errors import FetchError, InputError, UrlsetError
from urlset._options.filters import Filter
from urlset._read.failures import Failures
from urlset._read.frontier import INDEXES, Chosen, Frontier
from urlset._read.opening import Opener
from urlset._read.scan_pass import Hooks, ScanPass
from urlset._read.single import kind_of
from urlset._read.source import Source, locate, resolve_all
from urlset._read.stored import Stored
from urlset._read.walk import Walk
from urlset.jobs.parts import Listed, ReadPart, is_archive, own_path
from urlset.jobs.reading import check_entry_filter

#: The bytes of text that one task reads: with handing over the rows, which takes longest, that is a few seconds.
TARGET_BYTES = 128 << 20
#: What opening a document takes, in bytes that could be read meanwhile: many small documents are work too.
_OPENING_BYTES = 256 << 10
#: How much of a document is read to see what it is, and how often compressed text is longer than its bytes.
_HEAD, _RATIO = 32 << 10, 8
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
#: Documents of which the beginnings are read at once: most of the time goes to waiting for a store.
_THREADS = 16


def plan_partitions(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    target_bytes: int = TARGET_BYTES,
    min_partitions: int = 1,
    follow: bool = True,
    location: str | None = None,
    store: Mapping[str, Any] | None = None,
    filter: Filter | None = None,  # noqa: A002  (the usual word)
) -> list[ReadPart]:
    """Find the documents that a read is about, and group them by size, in the order in which `scan` reads them.

    Only the beginning of each document is read, and indexes as a whole. Documents that are missing stay in the plan, so
    that the task that meets them reports them.

    Args:
        paths: Files, folders, globs, objects or prefixes of object stores, as in `scan`, or a list of them.
        target_bytes: How many bytes of text a part has at most, unless one document has more.
        min_partitions: About how many parts to make if there are as many documents, however small they are.
        follow: Whether to read the sitemaps that an index or a robots.txt names. Otherwise each document that is
            named is read by itself, nothing of it is read here, and the entries of an index are rows.
        location: Public URL of the document, or of the folder of several, as in `scan`.
        store: Options of object stores, as in `scan`.
        filter: Which sitemaps of an index are read; all if None. Which entries are rows is for `scan_partition`.

    Returns:
        The parts, which can be pickled.

    Raises:
        InputError: An argument is invalid, or nothing is found.
        FileNotFoundError: There is nothing at a path.
        FetchError: An object store cannot be reached, or refuses.

    Example:
        >>> import pathlib
        >>> from urlset.jobs import plan_partitions
        >>> for name in ("a.txt", "b.txt", "c.txt"):
        ...     _ = pathlib.Path(name).write_text("https://shop.example/")
        >>> [[document.path for document in part.documents] for part in plan_partitions("*.txt", min_partitions=3)]
        [['a.txt'], ['b.txt'], ['c.txt']]
    """
    for name, number in (("target_bytes", target_bytes), ("min_partitions", min_partitions)):
        if number < 1:
            raise InputError(f"{name} must be a whole number from 1 up, got {number}")
    check_entry_filter(filter)
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    named = resolve_all([own_path(os.fspath(path)) for path in given], any_document=True, store=store)
    return group(_found(locate(named, location), follow, filter), target_bytes, min_partitions, follow=follow)


def group(
    documents: Iterable[Listed], target_bytes: int = TARGET_BYTES, min_partitions: int = 1, *, follow: bool = True
) -> list[ReadPart]:
    """Return documents in groups of about the same size, in their order. An archive has a part of its own."""
    found = list(documents)
    most = min(target_bytes, -(-sum(map(_weight, found)) // min_partitions))
    parts: list[list[Listed]] = []
    weight = 0
    for document in found:
        added = _weight(document)
        is_alone = is_archive(document.path) or (parts and is_archive(parts[-1][-1].path))
        if not parts or is_alone or weight + added > most:
            parts.append([])
            weight = 0
        parts[-1].append(document)
        weight += added
    return [ReadPart(number, tuple(part), follow and not is_archive(part[0].path)) for number, part in enumerate(parts)]


def _weight(document: Listed) -> int:
    return document.bytes + _OPENING_BYTES


@dataclass(frozen=True, slots=True)
class _Found:
    """A document that was found, and by which index under which URL."""

    source: Source
    listed_in: str | None = None
    url: str | None = None


def _found(roots: Sequence[Source], follow: bool, wanted: Filter | None) -> Iterator[Listed]:
    """Yield the documents that the roots lead to, each once, in the order in which a scan reads them."""
    walk: Walk[_Found] = Walk()
    for root in roots:
        walk.add(root, _Found(root))
    with ThreadPoolExecutor(_THREADS) as pool:
        while level := list(iter(walk.next, None)):
            for found, seen in zip(level, pool.map(lambda each: _look(each, follow, wanted), level), strict=True):
                for child in seen.children:
                    walk.add(child.source, child)
                if found.source.unwanted is None or seen.is_index:
                    yield _listed(found, seen)


def _listed(found: _Found, seen: _Seen) -> Listed:
    source = found.source
    path = source.key or ""
    return Listed(path, source.location or path, seen.bytes, seen.is_index, found.listed_in, found.url)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the beginning of a document shows: about how many bytes it has, and where it leads to if it is an index."""

    bytes: int
    is_index: bool = False
    children: tuple[_Found, ...] = ()


def _look(found: _Found, follow: bool, wanted: Filter | None) -> _Seen:
    source = found.source
    is_read = follow and not is_archive(source.key or "")
    try:
        head, size = _beginning(source, _HEAD if is_read else 0)
    except (OSError, FetchError):
        return _Seen(0)  # the task that reads it says what is wrong
    packed = head.startswith(_COMPRESSED) or (source.key or "").endswith(".gz")
    about = size * _RATIO if packed and not is_archive(source.key or "") else size
    if not is_read or not _may_be_index(source, head, size):
        return _Seen(about)
    children = _children(source, wanted)
    return _Seen(about) if children is None else _Seen(about, is_index=True, children=children)


def _beginning(source: Source, most: int) -> tuple[bytes, int]:
    """Return the first bytes of a document, and its size."""
    if isinstance(source.opened, Stored):
        return source.opened.bucket.beginning(source.opened.key, most)
    path = source.path
    assert path is not None
    with path.open("rb") as file:
        return file.read(most), os.fstat(file.fileno()).st_size


def _may_be_index(source: Source, head: bytes, size: int) -> bool:
    """Return whether a document is an index by its beginning, or begins so slowly that only all of it can tell."""
    kind = kind_of(head, location=source.location)
    return kind in INDEXES or (kind is None and size > len(head))


def _children(source: Source, wanted: Filter | None) -> tuple[_Found, ...] | None:
    """Return what an index leads to; None for another document. The task that reads it reports what is missing."""
    opener = Opener([source], None)
    urls: dict[str, str] = {}

    def note_url(child: Source, chosen: Chosen) -> bool:
        urls.setdefault(child.key or "", chosen.loc)
        return True

    reading = ScanPass(
        [source],
        Failures(),
        opener,
        follow=True,
        reads_children=False,
        frontier=Frontier(None if wanted is None else replace(wanted, kinds=())),
        is_part=True,
        hooks=Hooks(takes_child=note_url),
    )
    try:
        for _ in iter(reading.stream([], None, None).next_batch, None):
            pass
    except (OSError, UrlsetError):
        return None
    finally:
        opener.close()
    if not reading.documents or reading.documents[0].kind not in INDEXES:
        return None
    return tuple(_Found(child, source.location, urls.get(child.key or "")) for child in reading.take_children())
