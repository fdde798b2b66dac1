"""The plan: what a publish would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from urlset._model.notebook import SHOWN, as_html, bars, shown_in_notebook

Action = Literal["keep", "rewrite", "new", "remove"]


@dataclass(frozen=True, slots=True)
class Guard:
    """A guard that a plan trips, because the set is most likely a mistake.

    Attributes:
        name: The name of the guard, which `allow` takes.
        reason: What is suspicious about the set.
        is_allowed: Whether `allow` names it.

    Example:
        >>> import urlset
        >>> plan = urlset.publish([], "public", base_url="https://shop.example/", dry_run=True).plan
        >>> [(guard.name, guard.is_allowed) for guard in plan.guards]
        [('empty', False)]
    """

    name: str
    reason: str
    is_allowed: bool


@dataclass(frozen=True, slots=True)
class PlannedShard:
    """What a plan makes of one shard.

    Attributes:
        shard: The name of the shard without the hash of its content.
        section: The name of its section; empty if the set has no sections.
        action: `keep`, `rewrite`, `new` or `remove`.
        entries: How many entries it will have.
        previous: How many entries it has now.
        added: How many of its entries are new to the set.
        changed: How many of its entries say something else than before.
        moved_out: How many entries have left it.
        bytes: The bytes of its entries; of its document if it is kept.

    Example:
        >>> import urlset
        >>> plan = urlset.publish(["/", "/tea"], "public", base_url="https://shop.example/", dry_run=True).plan
        >>> [(shard.shard, shard.action, shard.added) for shard in plan.shards]
        [('0001', 'new', 2)]
    """

    shard: str
    section: str
    action: Action
    entries: int
    previous: int
    added: int
    changed: int
    moved_out: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What a publish would do, or has done.

    Attributes:
        entries: How many entries the set will have.
        added: How many of them are new.
        changed: How many of them say something else than before.
        removed: How many entries are gone.
        moved: How many entries have moved from one shard to another.
        same: How many entries are the same as before.
        rows: How many rows there were.
        duplicates: How many rows have the loc of another row.
        normalized: How many rows have a loc that is relative, or not spelled as the URL standard does.
        refused: How many rows were left out.
        refused_by_code: The same by the code of the rule that the row breaks.
        lastmod_sources: How many lastmods come from where: `column`, `page`, `front matter`, `git`, `content`,
            `publication` (of the page, which may have changed since), `published` (taken from the set itself) or
            `none`.
        shards: The documents without the indexes.
        guards: The guards that the set trips.
        corrected: How many invalid values were left out of rows that were not, or repaired.
        corrected_by_code: The same by the code of the rule that the value breaks.
        outside: How many rows are not below `base_url`. Search engines ignore their locs, unless the robots.txt of the
            host names the set.
        recovered: Whether what is known of the current set was recovered from its documents, because its manifest is
            missing or damaged, or because another program has made it.

    Example:
        >>> import urlset
        >>> first = urlset.publish(["/", "/tea"], "public", base_url="https://shop.example/")
        >>> plan = urlset.publish(["/", "/tea", "/new"], "public", base_url="https://shop.example/", dry_run=True).plan
        >>> plan.added, plan.same, plan.count("rewrite")
        (1, 2, 1)
    """

    entries: int
    added: int
    changed: int
    removed: int
    moved: int
    same: int
    rows: int
    duplicates: int
    normalized: int
    refused: int
    refused_by_code: Mapping[str, int]
    lastmod_sources: Mapping[str, int]
    shards: tuple[PlannedShard, ...]
    guards: tuple[Guard, ...]
    corrected: int = 0
    corrected_by_code: Mapping[str, int] = field(default_factory=dict)
    outside: int = 0
    recovered: bool = False

    @property
    def is_blocked(self) -> bool:
        """Whether it trips a guard that is not allowed."""
        return any(not guard.is_allowed for guard in self.guards)

    def count(self, action: Action) -> int:
        """Return how many shards have this action."""
        return sum(shard.action == action for shard in self.shards)

    def _repr_html_(self) -> str:
        """Return what it would do as a picture and tables, for a notebook."""
        counts = {name: getattr(self, name) for name in ("added", "changed", "removed", "moved", "same")}
        touched = [each for each in self.shards if each.action != "keep"]
        shards = [
            (each.section, each.shard, each.action, each.previous, each.entries, each.added, each.changed)
            for each in touched[:SHOWN]
        ]
        guards = [(each.name, each.reason, "allowed" if each.is_allowed else "blocks it") for each in self.guards]
        heads = ("section", "shard", "action", "entries before", "entries then", "added", "changed")
        return shown_in_notebook(
            f"Plan: {self.entries:,} entries, {len(touched):,} of {len(self.shards):,} documents to write or remove",
            bars("entries", counts),
            as_html("guards", ("guard", "what is suspicious", "verdict"), guards) if guards else "",
            as_html(f"the first of {len(touched):,}" if len(touched) > SHOWN else "documents", heads, shards)
            if shards
            else "",
        )

    def as_dict(self) -> dict[str, Any]:
        """Return it as values of JSON."""
        return {"is_blocked": self.is_blocked} | asdict(self)
