"""A set on disk that changes at random, and what has changed of it, by sets of Python."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import urlset

BASE = "https://shop.example/"
#: A change as a test compares it: what, the loc, and how.
Change = tuple[str, str, str | None]
DAYS = ("2026-01-01", "2026-02-01", "2026-03-01T10:00:00Z", None)


@dataclass(slots=True)
class Shop:
    """The sitemaps of a shop: the entries of each, by its name, as loc and (lastmod, priority)."""

    folder: Path
    sitemaps: dict[str, dict[str, tuple[str | None, float | None]]] = field(default_factory=dict)

    @property
    def index(self) -> Path:
        """The entry point."""
        return self.folder / "sitemap.xml"

    def write(self) -> None:
        """Write all documents."""
        self.folder.mkdir(exist_ok=True)
        for old in self.folder.glob("*.xml"):
            old.unlink()
        for name, entries in self.sitemaps.items():
            rows = [urlset.UrlEntry(loc, lastmod, priority=priority) for loc, (lastmod, priority) in entries.items()]
            urlset.write(rows, self.folder / name)
        urlset.write([urlset.SitemapEntry(f"{BASE}{name}") for name in self.sitemaps], self.index)

    def facts(self) -> dict[str, tuple[str | None, float | None]]:
        """Return what each loc is: its latest entry; of several, that of the first sitemap. None is the earliest."""
        best: dict[str, tuple[str | None, float | None]] = {}
        for entries in self.sitemaps.values():
            for loc, fact in entries.items():
                if loc not in best or (fact[0] or "") > (best[loc][0] or ""):
                    best[loc] = fact
        return best

    def listing(self) -> dict[str, set[str]]:
        """Return the sitemaps that list each loc."""
        found: dict[str, set[str]] = {}
        for name, entries in self.sitemaps.items():
            for loc in entries:
                found.setdefault(loc, set()).add(name)
        return found

    def change(self, chance: random.Random) -> None:
        """Change some entries, and move some to other sitemaps."""
        for entries in self.sitemaps.values():
            for loc in list(entries):
                kind = chance.random()
                if kind < 0.1:
                    del entries[loc]
                elif kind < 0.2:
                    entries[loc] = (chance.choice(DAYS), entries[loc][1])
                elif kind < 0.25:
                    entries[loc] = (entries[loc][0], chance.choice((0.1, 0.9, None)))
                elif kind < 0.35:
                    other = self.sitemaps[chance.choice(list(self.sitemaps))]
                    other[loc] = entries.pop(loc)
            for _ in range(chance.randrange(3)):
                entries[f"{BASE}{chance.randrange(60)}"] = (chance.choice(DAYS), None)


def changes(
    old: Mapping[str, tuple[str | None, float | None]],
    new: Mapping[str, tuple[str | None, float | None]],
    was: Mapping[str, set[str]],
    now: Mapping[str, set[str]],
) -> set[Change]:
    """Return what has changed of the pages."""
    found: set[Change] = {("added", loc, None) for loc in new.keys() - old.keys()}
    found |= {("removed", loc, None) for loc in old.keys() - new.keys()}
    for loc in old.keys() & new.keys():
        (before, other), (after, another) = old[loc], new[loc]
        if before != after:
            how = "forward" if (after or "") > (before or "") else "backward"
            found.add(("lastmod", loc, "appeared" if before is None else "vanished" if after is None else how))
        if other != another:
            found.add(("fields", loc, None))
        if not was[loc] & now[loc]:
            found.add(("moved", loc, None))
    return found
