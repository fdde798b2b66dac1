"""What a publish has to come to, in plain dicts: which loc is in which shard, and what a plan says of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from unittest.mock import patch

from hypothesis import strategies as st
from urlset._model.limits import Limits
from urlset._model.plan import Plan, PlannedShard
from urlset._publish.documents import derived, index_documents
from urlset._publish.plan import assign, known_set, new_set
from urlset._publish.values.shards import prefix, stem

from support.publish import BASE

#: Entries that a shard of the model has at most.
MAX_ENTRIES = 3


@contextmanager
def small(shard: int = MAX_ENTRIES, index: int = 50_000, expiring: int = 50_000) -> Iterator[None]:
    """Lower the limits, so that a small set has many documents.

    Args:
        shard: The entries of a shard.
        index: The shards of an index.
        expiring: The entries of a document of recent or removed ones.
    """
    with (
        patch.object(assign, "PROTOCOL", Limits(entries=shard)),
        patch.object(new_set, "PROTOCOL", Limits(entries=shard)),
        patch.object(known_set, "PROTOCOL", Limits(entries=shard)),
        patch.object(index_documents, "PROTOCOL", Limits(entries=index)),
        patch.object(derived, "PROTOCOL", Limits(entries=expiring)),
    ):
        yield


@dataclass(frozen=True, slots=True)
class Row:
    """A row, as the model knows it."""

    loc: str
    brand: str | None
    lastmod: str | None
    priority: float | None

    @property
    def said(self) -> tuple[str | None, float | None]:
        return self.lastmod, self.priority

    def as_dict(self, shard_by: str) -> dict[str, object]:
        """As it is given to publish."""
        brand = {"brand": self.brand} if shard_by == "key:brand" else {}
        return {"loc": self.loc, "lastmod": self.lastmod, "priority": self.priority, **brand}


Group = Callable[[Row], str]


def group_of(shard_by: str, hashes: dict[str, int]) -> Group:
    """How the rows of a set are grouped; `hashes` are those of the locs, as the core has them."""
    kind, _, argument = shard_by.partition(":")
    return {
        "sticky": lambda row: "",
        "hash": lambda row: f"{hashes[row.loc] % int(argument):0{len(argument)}}",
        "key": lambda row: row.brand or "",
        "date": lambda row: row.lastmod[:7] if row.lastmod else "undated",
        "path": lambda row: "/".join(row.loc.removeprefix(BASE).split("?")[0].split("/")[:-1][:1]),
    }[kind]


@dataclass(slots=True)
class Model:
    """A set, from one publish to the next."""

    group: Group
    #: Whether a set that had an index keeps it, as with stable names.
    keeps_index: bool = False
    has_index: bool = False
    #: Of each loc: its shard, and what it says.
    live: dict[str, tuple[str, tuple[str | None, float | None]]] = field(default_factory=dict)

    def shards(self) -> dict[str, list[str]]:
        """The locs of each current shard, in order."""
        found: dict[str, list[str]] = {}
        for loc in sorted(self.live):
            found.setdefault(self.live[loc][0], []).append(loc)
        return found

    def publish(self, rows: list[Row]) -> Plan:
        """Takes the next rows, and says what the plan has to be, except for its counts of rows and lastmods."""
        before, old = self.shards(), self.live
        wanted = {row.loc: row for row in rows}
        series_of = {loc: prefix("", self.group(row)) for loc, row in wanted.items()}
        placed = {loc: old[loc][0] for loc in wanted if loc in old and old[loc][0].rpartition("-")[0] == series_of[loc]}
        for series in set(series_of.values()):
            self._fill(series, [loc for loc in sorted(wanted) if series_of[loc] == series], placed, list(before))
        self.live = {loc: (placed[loc], wanted[loc].said) for loc in wanted}
        after, had_index = self.shards(), self.has_index
        self.has_index = len(after) > 1 or (self.keeps_index and had_index)
        state = {loc: _state(old.get(loc), self.live[loc]) for loc in wanted}
        counts = Counter(state.values())
        shards = []
        for name, locs in after.items():
            there = before.get(name, [])
            lost = len([loc for loc in there if placed.get(loc) != name])
            added, changed = (len([loc for loc in locs if state[loc] == kind]) for kind in ("added", "changed"))
            is_kept = there == locs and not changed and had_index == self.has_index
            action = "keep" if is_kept else "rewrite" if there else "new"
            shards.append(PlannedShard(name, "", action, len(locs), len(there), added, changed, lost, 0))  # type: ignore[arg-type]
        gone = {name: len(there) for name, there in before.items() if name not in after}
        shards += [PlannedShard(name, "", "remove", 0, size, 0, 0, size, 0) for name, size in gone.items()]
        return Plan(
            entries=len(wanted),
            added=counts["added"],
            changed=counts["changed"],
            removed=len(old.keys() - wanted.keys()),
            moved=counts["moved"],
            same=counts["same"],
            rows=0,
            duplicates=0,
            normalized=0,
            refused=0,
            refused_by_code={},
            lastmod_sources={},
            shards=tuple(sorted(shards, key=lambda shard: shard.shard)),
            guards=(),
        )

    @staticmethod
    def _fill(series: str, locs: list[str], placed: dict[str, str], before: list[str]) -> None:
        """Gives a shard to those that have none: the newest one that has rows, and then new ones."""
        taken = Counter(placed[loc] for loc in locs if loc in placed)
        current = max(taken, default=None)
        part = max((int(name[-4:]) for name in before if name.rpartition("-")[0] == series), default=0)
        for loc in locs:
            if loc in placed:
                continue
            if current is None or taken[current] == MAX_ENTRIES:
                part += 1
                current = stem(series, part)
            placed[loc] = current
            taken[current] += 1


def _state(old: tuple[str, object] | None, new: tuple[str, object]) -> str:
    if old is None:
        return "added"
    if old[0] != new[0]:
        return "moved"
    return "same" if old[1] == new[1] else "changed"


def comparable(plan: Plan) -> Plan:
    """A plan without what the model does not know."""
    shards = tuple(sorted((replace(shard, bytes=0) for shard in plan.shards), key=lambda shard: shard.shard))
    return replace(plan, rows=0, lastmod_sources={}, shards=shards, guards=(), normalized=0)


PATHS = [*(f"a/{number}" for number in range(5)), *(f"b/c/{number}" for number in range(4)), "", "d", "e?f=/g/"]


def rows() -> st.SearchStrategy[list[Row]]:
    """Some of a dozen pages, each with a few things to say."""
    row = st.builds(
        lambda loc, brand, lastmod, priority: Row(BASE + loc, brand, lastmod, priority),
        st.sampled_from(PATHS),
        st.sampled_from([None, "x", "Y z"]),
        st.sampled_from([None, "2024-01-01", "2023-12-31", "2023-12"]),
        st.sampled_from([None, 0.5]),
    )
    return st.lists(row, min_size=1, unique_by=lambda row: row.loc)


def histories(most: int) -> st.SearchStrategy[list[list[Row]]]:
    """Sets that are published one after the other; most rows of one are in the next one too."""

    def next_of(before: list[Row]) -> st.SearchStrategy[list[Row]]:
        kept = st.lists(st.sampled_from(before), unique_by=lambda row: row.loc, max_size=len(before))
        return st.builds(lambda some, new: list({row.loc: row for row in [*some, *new]}.values()), kept, rows())

    found = rows().map(lambda first: [first])
    for _ in range(most - 1):
        found = found.flatmap(lambda sets: next_of(sets[-1]).map(lambda new, sets=sets: [*sets, new]))  # type: ignore[misc]
    return found
