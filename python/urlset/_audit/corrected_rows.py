"""The entries of a set without what an audit has found wrong with them, as rows for `publish`."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from urlset import _core
from urlset._model.entries import UrlEntry

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Entries that are looked up at once.
_BATCH: Final = 5_000


class Corrector:
    """Applies the tables `changes`, `links_now` and `bare` to the entries of a set, in their order.

    Each loc is listed once. What no change names stays: images, videos, news, and the links to other languages.
    """

    def __init__(self, connection: DuckDBPyConnection) -> None:
        self._connection = connection
        self._listed: set[bytes] = set()

    def rows(self, entries: Iterable[UrlEntry]) -> Iterator[UrlEntry]:
        """Yield the entries as they should be."""
        for batch in _batches(entries):
            yield from self._corrected(batch)

    def _corrected(self, batch: list[UrlEntry]) -> Iterator[UrlEntry]:
        changes, links, bare = self._changes([entry.loc for entry in batch])
        for entry in batch:
            is_removed, target, lastmod = changes.get(entry.loc, (False, None, None))
            loc = target or entry.loc or ""
            key = _key(loc)
            if is_removed or key in self._listed:
                continue
            self._listed.add(key)
            changed = entry if target is None else replace(entry, loc=loc)
            if entry.loc in bare:
                changed = replace(changed, alternates=())
            elif entry.loc in links:
                becomes = links[entry.loc]
                hrefs = ((each, becomes.get((each.hreflang, each.href), each.href)) for each in entry.alternates)
                kept = tuple(replace(each, href=href) for each, href in hrefs if href is not None)
                changed = replace(changed, alternates=kept)
            yield changed if lastmod is None else replace(changed, lastmod=lastmod, lastmod_raw=lastmod)

    def _changes(
        self, locs: list[str | None]
    ) -> tuple[
        dict[str | None, tuple[bool, str | None, Any]],
        dict[str | None, dict[tuple[str | None, str | None], str | None]],
        set[str | None],
    ]:
        """Return what is known of some locs: their changes, what becomes of their links, and which lose all of them."""

        def asked(columns: str, table: str) -> list[tuple[str, ...]]:
            query = f"SELECT {columns} FROM {table} WHERE loc IN (SELECT unnest(?))"
            return self._connection.execute(query, [locs]).fetchall()

        changes: dict[str | None, tuple[bool, str | None, Any]] = {
            loc: (bool(is_removed), target, lastmod)
            for loc, is_removed, target, lastmod in asked("loc, is_removed, target, lastmod", "changes")
        }
        links: dict[str | None, dict[tuple[str | None, str | None], str | None]] = defaultdict(dict)
        for loc, hreflang, href, becomes in asked("loc, hreflang, href, becomes", "links_now"):
            links[loc][hreflang, href] = becomes
        return changes, links, {loc for (loc,) in asked("loc", "bare")}


def pages_of(entries: Iterable[object]) -> Iterator[UrlEntry]:
    """Yield the entries that list pages."""
    return (entry for entry in entries if isinstance(entry, UrlEntry) and entry.loc is not None)


def _batches(entries: Iterable[UrlEntry]) -> Iterator[list[UrlEntry]]:
    batch: list[UrlEntry] = []
    for entry in entries:
        batch.append(entry)
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    yield batch


def _key(loc: str) -> bytes:
    """Return what is remembered of each loc: 16 bytes, the same for all its spellings."""
    return hashlib.blake2b(_core.normalized_url(loc).encode("utf-8", "surrogatepass"), digest_size=16).digest()
