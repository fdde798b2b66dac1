"""Sitemaps that shrink by much at once are held back: what they listed counts until the next run confirms it.

A generator that fails for a moment writes a valid sitemap without entries. Taken at its word, it removes every page,
and the next run adds all of them again. So one look is not enough: what shrinks is taken for read in part, and if the
next run that reads it finds it as small, that counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from urlset._watch.state import State

#: A sitemap that loses more than this percentage of its entries is held back. A publish asks earlier, but about a whole
#: set: single sitemaps, such as those of news, often lose a fifth.
MAX_LOST: Final = 50
#: With fewer entries than this, only one that loses all of them is.
MIN_ENTRIES: Final = 10

_SHRUNK: Final = f"(now = 0 AND before > 0 OR before >= {MIN_ENTRIES} AND (before - now) * 100 > before * {MAX_LOST})"
#: Documents of pages.
_PAGES: Final = f"""
    INSERT INTO temp.held SELECT * FROM (
        SELECT new.sitemap, new.url, coalesce(old.size, 0) AS before, coalesce(new.size, 0) AS now
        FROM temp.seen AS new JOIN sitemaps AS old USING (sitemap)
        WHERE new.state = 'whole' AND NOT old.is_held AND new.kind NOT IN ('sitemapindex', 'robots')
    ) WHERE {_SHRUNK}
"""  # noqa: S608
#: Lists of documents, by the entries of these. One that could not be read has none that are known.
_LISTS: Final = f"""
    INSERT INTO temp.held SELECT * FROM (
        SELECT new.sitemap, new.url,
            (SELECT coalesce(sum(size), 0) FROM listings JOIN sitemaps ON sitemap = child
                WHERE parent = new.sitemap AND child <> parent) AS before,
            (SELECT coalesce(sum(coalesce(held.before, child.size, known.size)), 0) FROM temp.listed
                LEFT JOIN temp.seen AS child ON child.sitemap = temp.listed.child
                LEFT JOIN sitemaps AS known ON known.sitemap = temp.listed.child
                LEFT JOIN temp.held AS held ON held.sitemap = temp.listed.child
                WHERE parent = new.sitemap AND temp.listed.child <> parent) AS now
        FROM temp.seen AS new JOIN sitemaps AS old USING (sitemap)
        WHERE new.state = 'whole' AND NOT old.is_held AND new.kind IN ('sitemapindex', 'robots')
    ) WHERE {_SHRUNK}
"""  # noqa: S608
#: Without its hash, the next run reads it again.
_AS_PART: Final = """
    UPDATE temp.seen SET state = 'part', sha256 = NULL,
        size = max(coalesce(size, 0),
            (SELECT coalesce(old.size, 0) FROM sitemaps AS old WHERE old.sitemap = seen.sitemap))
    WHERE sitemap IN (SELECT sitemap FROM temp.held)
"""
#: What could not be read today is neither confirmed nor denied.
_MARK: Final = """
    UPDATE sitemaps SET is_held = sitemap IN (SELECT sitemap FROM temp.held)
    WHERE sitemap IN (SELECT sitemap FROM temp.held)
        OR (is_held AND sitemap IN (SELECT sitemap FROM temp.seen WHERE state IN ('whole', 'same')))
"""


@dataclass(frozen=True, slots=True)
class HeldSitemap:
    """A sitemap that has shrunk by much, and still counts as it was.

    Attributes:
        sitemap: Its URL.
        before: How many entries it had, of an index those of its sitemaps.
        now: How many it has.
    """

    sitemap: str
    before: int
    now: int

    def __str__(self) -> str:
        """Return what has happened, in a sentence."""
        return (
            f"{self.sitemap} has {self.now:,} of {self.before:,} entries: held back, and what it listed still counts;"
            " the next run confirms it"
        )


def hold_back(state: State) -> tuple[HeldSitemap, ...]:
    """Take what has shrunk by much for read in part, unless the run before has seen that already. Return it."""
    execute = state.connection.execute
    execute(_PAGES)
    execute(_LISTS)
    execute(_AS_PART)
    rows = execute("SELECT url, before, now FROM temp.held ORDER BY url").fetchall()
    return tuple(HeldSitemap(*row) for row in rows)


def mark_held(state: State) -> None:
    """Write down what is held back, once the sitemaps of this run are written."""
    state.connection.execute(_MARK)
