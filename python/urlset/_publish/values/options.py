"""What a publish is asked for, checked: one frozen value for the set and one for the rows of each section."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from urlset import _core
from urlset._model.core_types import ValuePolicy
from urlset._model.instants import micros_of
from urlset._options.publish import Checks, Derived, Layout
from urlset._publish.values.shards import ShardBy
from urlset._util.zones import zone_offsets
from urlset._write.rows import RowsLike

#: Version of how documents are made from rows. Another version makes another set from the same rows.
_FORM = 1
#: The columns of `incoming` that rows can bring under names of their own, by the names that users know.
_EXTRA_COLUMNS = {"page": "group", "lang": "lang", "lastmod_source": "lastmod_source", "content": "content"}
#: The columns of an entry.
ENTRY_COLUMNS = ("loc", "lastmod", "changefreq", "priority", "images", "videos", "alternates", "news")
#: The columns that rows can have under names of their own.
COLUMNS = (*ENTRY_COLUMNS, *_EXTRA_COLUMNS.values())


@dataclass(frozen=True, slots=True)
class PublishOptions:
    """The options of one publish. The names are those of the arguments of `publish`; `base` ends with a slash."""

    base: str
    scope: str | None
    x_default: str | None
    layout: Layout
    derived: Derived
    checks: Checks
    update_robots: bool
    now: datetime

    @property
    def prefix(self) -> str:
        """What every loc begins with."""
        return self.scope or origin_of(self.base)

    @property
    def has_derived(self) -> bool:
        """Whether some documents are made anew each time, because they depend on the day."""
        return self.derived != Derived()

    def renderer(self) -> _core.Renderer:
        """Return what renders rows for this set."""
        values = ValuePolicy(self.checks.on_bad_value, zone_offsets(self.checks.zone), micros_of(self.now))
        return _core.Renderer(self.base, self.scope, self.layout, values)

    def fingerprint(self, sections: Sequence[SectionRows], rows: Sequence[str]) -> str:
        """Return a text of all that decides what is published: the options, and the fingerprint of each section's rows.

        The manifest holds it. Equal texts mean equal sets.
        """
        ways = [
            [section.name, str(section.shard_by), sorted(section.columns.items()), fingerprint]
            for section, fingerprint in zip(sections, rows, strict=True)
        ]
        options = [_FORM, self.base, self.scope, str(self.layout), self.x_default]
        return json.dumps([*options, self.derived.recent, self.derived.news, self.derived.removed, ways])


def origin_of(url: str) -> str:
    """Return the origin of an absolute URL, with a slash at its end."""
    return "/".join(url.split("/")[:3]) + "/"


@dataclass(frozen=True, slots=True)
class SectionRows:
    """The rows of a section, how they are sharded, and the names of their further columns."""

    name: str
    shard_by: ShardBy
    columns: Mapping[str, str]
    entries: RowsLike

    @property
    def names(self) -> dict[str, str]:
        """The columns of an entry that the rows have under other names: from our name to theirs."""
        return {name: column for name, column in self.columns.items() if name in ENTRY_COLUMNS and name != column}

    @property
    def extras(self) -> dict[str, str]:
        """The further columns to take in: from the name in `incoming` to the name in the rows."""
        named = {ours: self.columns.get(name, name) for ours, name in _EXTRA_COLUMNS.items()}
        return {"grp": self.shard_by.column, **named} if self.shard_by.column else named

    @property
    def optional(self) -> list[str]:
        """The further columns that a table need not have, by their names in the rows."""
        wanted = {self.shard_by.column, *self.columns.values()}
        return [name for name in _EXTRA_COLUMNS.values() if name not in wanted]
