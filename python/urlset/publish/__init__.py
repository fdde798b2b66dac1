"""Publishing: rows to a whole set of sitemaps in a folder, verified, and switched at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Literal

from urlset import _core
from urlset._errors import EntryError, InputError, PublishError
from urlset._models import SitemapEntry
from urlset._rows import Packing, RowsLike
from urlset._scan import OnError
from urlset.publish._stage import Staged, Staging

#: Documents that one index can name. Source: sitemaps.org protocol, sitemap index files.
SHARDS_PER_INDEX = 50_000


@dataclass(frozen=True, slots=True)
class Shard:
    """One document of a published set: `bytes` of XML, `size` as stored; `lastmod` is when those bytes came to be."""

    name: str
    url: str
    entries: int
    bytes: int
    size: int
    lastmod: datetime | None


@dataclass(frozen=True, slots=True)
class Publication:
    """A published set. `location` is its entry point on disk and `url` the one to tell the world.

    `written`, `unchanged` and `removed` are names of files. `refused` counts the rows that were left out,
    `refused_by_code` the same by the rules they break; `refusals` has the first, 10,000 at most. `passed` names the
    columns that nothing was made of.
    """

    location: str
    url: str
    entries: int
    shards: tuple[Shard, ...]
    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    refused: int
    refused_by_code: dict[str, int]
    refusals: tuple[EntryError, ...] = field(repr=False)
    passed: tuple[str, ...] = ()


def publish(
    entries: RowsLike,
    dest_dir: str | os.PathLike[str],
    *,
    base_url: str,
    compression: Literal["gzip", "none"] = "gzip",
    on_error: OnError = "raise",
    now: datetime | None = None,
    progress: Callable[[int], None] | None = None,
    on_refusal: Callable[[EntryError], None] | None = None,
) -> Publication:
    """Publishes rows as `sitemap.xml` in a folder: one document where they fit, else an index of shards.

    A shard ends at exactly 50,000 entries or 52,428,800 bytes of XML. Its name carries a hash of its content, so a
    published file never changes, and the rename of the index is the one moment at which the set does: whatever
    happens, and whoever looks, the set is the old one or the new one. Every file is written aside and read back
    before. The same rows write nothing. Shards of the set before the last are removed, as nobody can know them
    any more but from there.

    `entries` as in `write`; `base_url` is where the folder is served, and a loc of another host is refused. `now`
    stands in for the clock in the index's lastmod, which moves only for shards whose bytes are new. `progress` is
    called with the number of rows done, `on_refusal` with every row that is left out.

    Raises EntryError for a refused row (unless collected), InputError for what cannot be used, PublishError where
    nothing is left to publish or a file does not read back. Source: sitemaps.org protocol.
    """
    if compression not in ("gzip", "none"):
        raise InputError(f"compression is {compression!r}; it is 'gzip' or 'none'")
    base = base_url if base_url.endswith("/") else base_url + "/"
    host = _core.host_name(base)
    if host is None or "?" in base or "#" in base:
        raise InputError(f"base_url is {base_url!r}; it is the folder's absolute http or https URL")
    now = now or datetime.now(UTC)
    if now.tzinfo is None:
        raise InputError("now has no time zone: use one, such as datetime.UTC")
    packing = Packing(entries, kind="urlset", host=host, on_error=on_error, progress=progress, on_refusal=on_refusal)
    with Staging.open(Path(dest_dir)) as staging:
        staged = list(_stage(packing, staging, compression == "gzip"))
        if not staged:
            raise PublishError(f"there is no entry to publish; {packing.refused} rows were refused")
        if len(staged) > SHARDS_PER_INDEX:
            raise PublishError(f"{len(staged)} shards are more than the {SHARDS_PER_INDEX} that an index can name")
        shards = _shards(staged, staging, base, now.astimezone(UTC).replace(microsecond=0))
        if staged[0].name != staging.entry_point:
            staging.add_index([SitemapEntry(shard.url, shard.lastmod) for shard in shards])
        switched = staging.switch()
    return Publication(
        location=str(staging.folder / staging.entry_point),
        url=base + staging.entry_point,
        entries=sum(shard.entries for shard in shards),
        shards=tuple(shards),
        written=switched.written,
        unchanged=switched.unchanged,
        removed=switched.removed,
        refused=packing.refused,
        refused_by_code=dict(packing.refused_by_code),
        refusals=tuple(packing.refusals),
        passed=packing.passed,
    )


def _stage(packing: Packing, staging: Staging, compress: bool) -> Iterator[Staged]:
    """Every document in the staging area; a single one is the entry point itself and needs no index."""
    documents = packing.documents()
    first = next(documents, None)
    second = next(documents, None)
    if first is not None and second is None:
        yield staging.add_entry_point(*first)
        return
    begun = [document for document in (first, second) if document is not None]
    for number, document in enumerate(chain(begun, documents), 1):
        yield staging.add_shard(number, *document, compress=compress)


def _shards(staged: list[Staged], staging: Staging, base: str, now: datetime) -> list[Shard]:
    """A shard that was there already keeps its lastmod: its bytes have not changed, as its name says."""
    before = staging.lastmods()
    return [
        Shard(one.name, base + one.name, one.entries, one.bytes, one.size, before.get(base + one.name, now))
        for one in staged
    ]
