"""The metadata of a manifest: what it says of its set, and whether a publish can have written that.

A manifest is read as strictly as any stranger's file. What it names is deleted, kept and put into an index, so
a file that names anything but documents of the set is as good as none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from urlset._model.errors import InputError, PublishError
from urlset._publish.values.robots_txt import is_index_name
from urlset._read.entry_points import ENTRY_POINT
from urlset._stores.store import check_name
from urlset._util.arguments import folder_url
from urlset._util.manifest_parts import parts_in

_DIGEST = re.compile(r"[0-9a-f]{64}")
_LAYOUT = re.compile(r"(?:gzip|none) (?:dense|pretty)(?: stable)?(?: \S+)?")
#: How the name of a document goes on after that of its shard.
_END = re.compile(r"(?:-[0-9a-f]{16})?\.xml(?:\.gz)?")
#: The most of anything that is counted, and the most parts of a series.
_MAX_NUMBER, _MAX_PARTS = 1 << 62, 1 << 31


@dataclass(frozen=True, slots=True)
class ShardRecord:
    """A document as it was published.

    Attributes:
        shard: The name of its shard, such as `products_2026-11-0001`.
        section: The name of its section.
        group: The value that its series is sharded by.
        part: Its number in its series.
        name: The name of its file.
        url: Its URL.
        entries: How many entries it has.
        bytes: The bytes of its XML; 0 if another program has made it and it cannot stay as it is.
        size: The bytes that are stored.
        sha256: The hash of the bytes that are stored.
        lastmod: When these bytes were made, if that is known.
        fingerprint: A hash of its rows, where their order counts or they are made anew each time.
        is_ours: Whether `publish` has made it. A document of another program is never removed.
    """

    shard: str
    section: str
    group: str
    part: int
    name: str
    url: str
    entries: int
    bytes: int
    size: int
    sha256: str
    lastmod: str | None
    fingerprint: str | None = None
    is_ours: bool = True

    @property
    def series(self) -> str:
        """The name of its series: the shard's name without its part."""
        return self.shard.rpartition("-")[0]


@dataclass(frozen=True, slots=True)
class Header:
    """The metadata of a manifest, which describes its set.

    Attributes:
        base_url: Where the set is served.
        published: When it was published.
        entry_point: The SHA-256 of `sitemap.xml`.
        layout: How all documents are laid out; empty in a manifest that was recovered from the set.
        shards: The documents.
        indexes: The names of the indexes after the first.
        parts: The names of the files that hold the rows of the manifest, if it has none of its own.
        rows: The fingerprint of options and rows, by which a rerun is recognised; empty if more than these decided.
        lastmod_sources: How many lastmods come from where.
    """

    base_url: str
    published: str
    entry_point: str
    layout: str
    shards: tuple[ShardRecord, ...]
    indexes: tuple[str, ...] = ()
    rows: str = ""
    lastmod_sources: Mapping[str, int] = field(default_factory=dict)
    parts: tuple[str, ...] = ()

    def is_same_set(self, other: Header) -> bool:
        """Whether both describe the same documents."""
        return (self.entry_point, self.shards, self.indexes) == (other.entry_point, other.shards, other.indexes)


def moment(text: str | None) -> datetime | None:
    """Return the lastmod of a shard record as a datetime."""
    return None if text is None else datetime.fromisoformat(text)


def header_from(said: Mapping[str, str]) -> Header:
    """Return the metadata of a manifest.

    Args:
        said: The key and value pairs of the file.

    Raises:
        ValueError: They are not what a publish writes.
        KeyError: One of them is missing.
        TypeError: One of them has another type.
    """
    base = said["urlset.base_url"]
    try:
        _check(folder_url(base) == base)
        shards = tuple(_records(json.loads(said["urlset.shards"]), base))
    except (InputError, PublishError) as error:
        raise ValueError(str(error)) from error
    indexes, lastmod_sources = (json.loads(said[f"urlset.{name}"]) for name in ("indexes", "lastmod_sources"))
    _check(isinstance(indexes, list) and all(isinstance(name, str) and is_index_name(name) for name in indexes))
    _check(isinstance(lastmod_sources, dict) and all(_is_count(count) for count in lastmod_sources.values()))
    header = Header(
        base_url=base,
        published=said["urlset.published"],
        entry_point=said["urlset.entry_point"],
        layout=said["urlset.layout"],
        shards=shards,
        indexes=tuple(indexes),
        rows=said["urlset.rows"],
        lastmod_sources=lastmod_sources,
        parts=parts_in(said) or (),
    )
    _check(_is_moment(header.published) and _DIGEST.fullmatch(header.entry_point) is not None)
    _check(not header.layout or _LAYOUT.fullmatch(header.layout) is not None)
    for names in ([record.name for record in shards], [record.shard for record in shards]):
        _check(len(set(names)) == len(names))
    return header


def _records(listed: Any, base: str) -> Iterator[ShardRecord]:
    _check(isinstance(listed, list))
    for values in listed:
        record = ShardRecord(**values)
        _check_types(record)
        _check(record.url.startswith(base))
        _check_name(record, base)
        yield record


def _check_types(record: ShardRecord) -> None:
    texts = (record.shard, record.section, record.group, record.name, record.url, record.sha256)
    _check(all(isinstance(text, str) for text in texts) and isinstance(record.is_ours, bool))
    "".join(texts).encode()  # half a character is an error here, and not where it is written
    _check(all(map(_is_count, (record.part, record.entries, record.bytes, record.size))))
    _check(record.part <= _MAX_PARTS and _DIGEST.fullmatch(record.sha256) is not None)
    _check(record.lastmod is None or (isinstance(record.lastmod, str) and _is_moment(record.lastmod)))
    _check(record.fingerprint is None or isinstance(record.fingerprint, str))


def _check_name(record: ShardRecord, base: str) -> None:
    """Check that a document can be in the set under its name, and at its URL."""
    _check("/" not in check_name(record.name))
    if not record.is_ours:
        _check(record.name == ENTRY_POINT or not is_index_name(record.name))
        return
    _check(record.url == base + record.name)
    # A shard ends with its number, so no other sitemap of the site has such a name, not even a stable one.
    _check(record.shard.endswith(f"{record.part:04}"))
    begin = f"sitemap-{record.shard}"
    is_own = record.name.startswith(begin) and _END.fullmatch(record.name, len(begin)) is not None
    _check(record.name == ENTRY_POINT or is_own)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MAX_NUMBER


def _is_moment(text: str) -> bool:
    return datetime.fromisoformat(text).tzinfo is not None


def _check(is_fine: bool) -> None:
    if not is_fine:
        raise ValueError("this is not the manifest of a set")
