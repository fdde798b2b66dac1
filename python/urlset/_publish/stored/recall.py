"""Recall what is known of the current set: from its manifest, or, if that is lost, from its documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from urlset._publish.documents import derived
from urlset._publish.rows.database import PlanningDatabase
from urlset._publish.rows.schema import create
from urlset._publish.stored import manifest
from urlset._publish.stored.recover import other_site, recover, unnamed_others
from urlset._publish.stored.transaction import Transaction, digest
from urlset._publish.values.header import Header, ShardRecord
from urlset._publish.values.options import PublishOptions


@dataclass(frozen=True, slots=True)
class KnownSet:
    """What is known of the current set, whose locs are in the table `known`.

    Attributes:
        live: The bytes of the entry point; None if there is none, or if a manifest shows that it is damaged.
        header: The metadata of the manifest, or None if all of this was recovered from the documents.
        records: The documents.
        has_rows: Whether any loc is known.
        served_at: The URL at which the set is served, if that is not the `base_url` of this publish.
        is_whole: Whether no document was found to be missing or malformed when this was recovered.
    """

    live: bytes | None
    header: Header | None
    records: Sequence[ShardRecord]
    has_rows: bool
    served_at: str | None = None
    is_whole: bool = True

    @property
    def lasting(self) -> list[ShardRecord]:
        """The documents that are not made anew each time."""
        return [record for record in self.records if record.section not in derived.NAMES]


@dataclass(frozen=True, slots=True)
class CurrentSet:
    """The current set.

    Attributes:
        live: The bytes of the entry point; None if there is none, or if the manifest shows that it is damaged.
        header: The metadata of the manifest, or None if it is lost.
        manifest: A local copy of the manifest, or None.
        served_at: The URL at which the set is served, if that is not the `base_url` of this publish.
    """

    live: bytes | None
    header: Header | None
    manifest: Path | None
    served_at: str | None = None

    def without_locs(self) -> KnownSet:
        """Return what is known of the set, but not its locs."""
        records = self.header.shards if self.header else ()
        return KnownSet(self.live, self.header, records, has_rows=False, served_at=self.served_at)


def find_set(transaction: Transaction, options: PublishOptions) -> CurrentSet:
    """Find the current set and its manifest. This reads no locs."""
    live = transaction.entry_point()
    found = transaction.current(live)
    if found is None:
        return CurrentSet(live, None, None)
    header, path = found
    if header.entry_point != digest(live):
        live = None
    others = unnamed_others(live, header.shards)
    if others:
        # Only an entry point puts a file of another program into the set. The pages of such a file go elsewhere.
        header = replace(header, shards=tuple(each for each in header.shards if each not in others), rows="")
    if header.base_url == options.base:
        return CurrentSet(live, header, path)
    # The same files, so nothing that is known of them is lost, but every one of them has another URL.
    shards = [replace(each, url=options.base + each.url.removeprefix(header.base_url)) for each in header.shards]
    moved = replace(header, base_url=options.base, shards=tuple(shards))
    return CurrentSet(live, moved, path, served_at=header.base_url)


def recall(
    database: PlanningDatabase, transaction: Transaction, options: PublishOptions, current: CurrentSet
) -> KnownSet:
    """Create and fill the table `known`, if there is the current set."""
    live, header = current.live, current.header
    if live is None and header is None:
        return KnownSet(None, None, (), has_rows=False)
    connection = database.connection
    create(connection, "known")
    if current.manifest is not None and header is not None:
        paths = transaction.files_with_rows(header, current.manifest)
        rows = manifest.count_rows(connection, paths)
        database.expect(rows)
        if manifest.load(connection, paths):
            return KnownSet(live, header, header.shards, has_rows=rows > 0, served_at=current.served_at)
    return _recovered(database, transaction, options, live)


def recall_from_documents(
    database: PlanningDatabase, transaction: Transaction, options: PublishOptions, current: CurrentSet
) -> KnownSet:
    """Fill the table `known` from the documents in place of a manifest that has turned out to be damaged.

    What `assign` has made of that manifest is dropped.
    """
    connection = database.connection
    for table in ("known", "series", "gone", "respelled", "resolved"):
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    create(connection, "known")
    return _recovered(database, transaction, options, current.live)


def _recovered(
    database: PlanningDatabase, transaction: Transaction, options: PublishOptions, live: bytes | None
) -> KnownSet:
    records, is_whole = recover(database, transaction, options)
    served_at = other_site(live, options)
    return KnownSet(live, None, records, has_rows=bool(records), served_at=served_at, is_whole=is_whole)
