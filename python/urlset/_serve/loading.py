"""Find out which set is the current one, from its manifest, and hold in memory what is asked for most."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

from urlset._model.errors import LimitError
from urlset._model.limits import PROTOCOL
from urlset._publish.documents.stylesheet import STYLESHEET
from urlset._publish.stored.integrity import index_hash
from urlset._publish.stored.manifest import MANIFEST, NEXT, PREVIOUS, header_of
from urlset._publish.values import robots_txt
from urlset._publish.values.header import Header
from urlset._publish.values.robots_txt import ROBOTS
from urlset._read.entry_points import ENTRY_POINT
from urlset._serve.served import ServedFile, ServedSet
from urlset._stores.folder import FolderStore
from urlset._stores.store import Store

#: Bytes of an entry point: those of an index, or of the only document.
_MAX_BYTES = 2 * PROTOCOL.bytes
#: How often the current set is looked for while publishes replace it.
_ATTEMPTS = 4

Stamps = tuple[str | None, ...]


def stamps_of(store: Store) -> Stamps:
    """Return texts of which one differs once another set is the current one, or its robots.txt was replaced.

    Raises:
        PublishError: The store fails.
    """
    return tuple(store.stamp(name) for name in (MANIFEST, ENTRY_POINT, ROBOTS))


def load(store: Store, *, makes_robots: bool) -> ServedSet:
    """Return the set that is the current one.

    Args:
        store: Where it is published.
        makes_robots: Whether a robots.txt with the `Sitemap` lines is made where the store has none.

    Raises:
        UrlsetError: The store fails.
    """
    robots = _robots(store)
    found = _current(store)
    if isinstance(found, str):
        return ServedSet(robots, problem=f"{store.location}: {found}")
    header, entry_point = found
    if not robots and makes_robots:
        robots = _in_memory(ROBOTS, robots_txt.merged(None, header.base_url, header.indexes))
    previous = _header(store, PREVIOUS)
    files = {file.name: file for file in _files_of(previous, is_kept=True)} if previous else {}
    files |= {file.name: file for file in _files_of(header)}
    known = files.get(ENTRY_POINT)
    made = _seconds(header.published) if known is None or known.is_kept else known.made
    files |= _in_memory(ENTRY_POINT, entry_point, made) | robots | _stylesheet(store, header)
    return ServedSet(files, unquote(urlsplit(header.base_url).path.strip("/")), header=header)


def under_way(store: Store) -> Mapping[str, ServedFile]:
    """Return the documents of a set that is being published. Those with stable names are replaced one by one."""
    header = _header(store, NEXT)
    return {file.name: file for file in _files_of(header)} if header else {}


def _current(store: Store) -> tuple[Header, bytes] | str:
    """Return the manifest and the entry point of the current set, or what is wrong with them."""
    for _ in range(_ATTEMPTS):
        live = store.read(ENTRY_POINT, _MAX_BYTES)
        known = _header(store, MANIFEST)
        if live is not None:
            digest = hashlib.sha256(live).hexdigest()
            if known is not None and known.entry_point == digest:
                return known, live
            under_way = _header(store, NEXT)  # its entry point is in force already
            if under_way is not None and under_way.entry_point == digest:
                return under_way, live
        if store.read(ENTRY_POINT, _MAX_BYTES) == live and _header(store, MANIFEST) == known:
            break
    if known is None:
        return f"its manifest, {MANIFEST}, is missing or damaged: publish into it"
    problem = "missing" if live is None else "not the one that was published"
    return f"{ENTRY_POINT} is {problem}: publish again, which writes it anew"


def _header(store: Store, name: str) -> Header | None:
    """Return what a manifest says; None if it is missing or damaged."""
    if isinstance(store, FolderStore):
        return header_of(store.folder / name) if store.size(name) is not None else None
    with tempfile.TemporaryDirectory(prefix="urlset-") as folder:
        path = Path(folder, "manifest.parquet")
        return header_of(path) if store.fetch(name, path) else None


def _files_of(header: Header, *, is_kept: bool = False) -> Iterator[ServedFile]:
    """Yield the documents that a manifest names. The entry point of a previous set is not served any more."""
    for record in header.shards:
        if not (is_kept and record.name == ENTRY_POINT):
            made = None if record.lastmod is None else _seconds(record.lastmod)
            yield ServedFile(record.name, record.sha256, record.size, made, is_kept=is_kept)
    for name in header.indexes:
        yield ServedFile(name, index_hash(name), is_kept=is_kept)


def _robots(store: Store) -> dict[str, ServedFile]:
    """Return the robots.txt of the site, which counts even where the set is damaged."""
    try:
        found = store.read(ROBOTS, robots_txt.MAX_BYTES)
    except LimitError:
        return {}
    return {} if found is None else _in_memory(ROBOTS, found)


def _stylesheet(store: Store, header: Header) -> dict[str, ServedFile]:
    """Return the stylesheet that the documents name, if it is published beside them."""
    if not header.layout.endswith(f" {STYLESHEET}"):
        return {}
    found = store.read(STYLESHEET, PROTOCOL.bytes)
    return {} if found is None else _in_memory(STYLESHEET, found)


def _in_memory(name: str, data: bytes, made: int | None = None) -> dict[str, ServedFile]:
    return {name: ServedFile(name, hashlib.sha256(data).hexdigest(), len(data), made, data)}


def _seconds(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp())
