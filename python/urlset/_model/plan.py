"""The plan: what a publish would do, told before it is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Action = Literal["keep", "rewrite", "new", "remove"]


@dataclass(frozen=True, slots=True)
class Guard:
    """A guard that a plan trips over: what is so, and whether that was allowed."""

    name: str
    reason: str
    is_allowed: bool


@dataclass(frozen=True, slots=True)
class PlannedShard:
    """What becomes of one shard. `entries` are those that it will have, of so many `bytes`, `before` those that it has.

    Of them `added` are new to the set, `changed` say something else than before, and `lost` have left the shard.
    """

    shard: str
    section: str
    action: Action
    entries: int
    before: int
    added: int
    changed: int
    lost: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What a publish would do, or has done.

    `entries` are those of the set to come: `added`, `changed`, `moved` from one shard to another, or the `same` as
    before; `removed` are gone. `evidence` counts what the lastmods rest on: `column`, `page`, `front matter`, `git`,
    `content`, `published` (taken from the set itself) or `none`. `duplicates` are rows whose loc another row has too,
    `respelled` rows whose loc was relative or not spelled as the URL standard does, `refused` rows that were left out.
    `shards` are all documents but the indexes, `guards` those that the set trips over.
    """

    entries: int
    added: int
    changed: int
    removed: int
    moved: int
    same: int
    rows: int
    duplicates: int
    respelled: int
    refused: int
    refused_by_code: Mapping[str, int]
    evidence: Mapping[str, int]
    shards: tuple[PlannedShard, ...]
    guards: tuple[Guard, ...]

    @property
    def is_blocked(self) -> bool:
        """Whether it trips over a guard that was not allowed."""
        return any(not guard.is_allowed for guard in self.guards)

    def count(self, action: Action) -> int:
        """How many shards this becomes of."""
        return sum(shard.action == action for shard in self.shards)

    def as_dict(self) -> dict[str, Any]:
        """The same as plain values, for JSON."""
        return asdict(self)
