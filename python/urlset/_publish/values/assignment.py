"""The result of the stage `assign`: which shards the set will have, and what became of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from urlset._publish.values.header import ShardRecord

if TYPE_CHECKING:
    from urlset import _core


#: More bytes than any document has around its entries: the declarations of all extensions.
AROUND = 1024


class RepeatedLocError(Exception):
    """What is known of the current set has a loc twice, so no publish wrote it."""


@dataclass(frozen=True, slots=True)
class ShardDraft:
    """A shard of the set to come.

    Attributes:
        number: Its number in the planning database.
        shard: Its name without the hash of its content.
        section: The name of its section.
        group: The value that its series is sharded by.
        part: Its number in its series.
        old: Its current document, if there is one.
        kept: How many rows stay in it.
        new: How many rows are assigned to it anew.
        changed: How many of its rows were in it and say something else now.
        moved_in: How many of its rows were not in it.
        added: How many of these were not in the set.
        moved_out: How many rows have left it.
        bytes: The bytes of its entries.
        fingerprint: A hash of its rows, where their order counts or they are made anew each time.
    """

    number: int
    shard: str
    section: str
    group: str
    part: int
    old: ShardRecord | None = None
    kept: int = 0
    new: int = 0
    changed: int = 0
    moved_in: int = 0
    added: int = 0
    moved_out: int = 0
    bytes: int = 0
    fingerprint: str | None = None

    @property
    def entries(self) -> int:
        """How many entries its document will have."""
        return self.kept + self.new

    @property
    def is_same(self) -> bool:
        """Whether each of its rows is in it already and says the same."""
        return self.old is not None and not (self.moved_in or self.changed or self.moved_out)


@dataclass(frozen=True, slots=True)
class InCoreRows:
    """The rows of a set that is planned without SQL.

    Attributes:
        rows: All rows, in the order of the numbers of their shards.
        gone: The known locs that are not among them, if any loc was known.
        manifest: The files that say the rest of what is known of these.
    """

    rows: _core.RowStore
    gone: _core.RowStore | None = None
    manifest: Sequence[Path] = ()


@dataclass(frozen=True, slots=True)
class Assignment:
    """Which shards there are, and how the rows compare with what was known.

    Attributes:
        shards: All shards by number, those that lose all rows among them.
        counts: How many rows are `added`, `changed`, `moved` and the `same`.
        removed: How many known locs are gone.
        lastmod_sources: How many lastmods come from where.
        manifest_differs: Whether the manifest learns something that no entry shows.
        latest: The latest lastmod, in microseconds since the epoch; None if no row has a lastmod.
        order: The SQL for the order of rows within a shard.
        in_core: The rows, if they are not in the planning database.
    """

    shards: Mapping[int, ShardDraft]
    counts: Mapping[str, int]
    removed: int
    lastmod_sources: Mapping[str, int]
    manifest_differs: bool
    latest: int | None
    order: str
    in_core: InCoreRows | None = None

    @property
    def filled(self) -> list[ShardDraft]:
        """The shards that have entries, by number."""
        return [shard for _, shard in sorted(self.shards.items()) if shard.entries]

    @property
    def entries(self) -> int:
        """How many entries the set will have, without derived documents."""
        return sum(self.counts.values())
