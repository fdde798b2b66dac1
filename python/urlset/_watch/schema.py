"""The tables of a watch.

They are in the file of the state, next to those of the cache, and change only in the one transaction that ends a run:

    watched    the sources that are watched, as the caller named them
    runs      each run: when it began, and how much it saw. `is_confirmed` once its changes have arrived
    sitemaps   each document of the last run: the URL that lists it and the one that answered, its kind, the hash of
               its body if it was read whole, what the hashes of its entries depend on, the run in which it was listed
               first and that in which it was read whole last (0: never), whether it is a root, how many pages it
               lists, those without a loc and repeated ones among them, and whether it was held back at the last run
    listings   which document lists which
    entries    what each document lists: the loc, its lastmod (as text, and as a number: four times the microseconds
               since the epoch, plus its precision: year 0, month, day, instant 3), and a hash of its other fields
    changes    what the runs have found

A run collects what it sees in temporary tables, which are no part of that file:

    seen       each document that was listed. `state` is `whole`, `same` (whole, and known by its hash, so that its
               entries are not staged; an index never is), `part`, or `unread`; `is_late` if it belongs to the first
               run, but could not be read then
    listed     which document lists which now
    staged     the entries of the documents that were read
    later      the pages of a plan that are not due, by the normal forms of their URLs
"""

from __future__ import annotations

from typing import Final

TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS watched (source TEXT PRIMARY KEY) STRICT",
    """
    CREATE TABLE IF NOT EXISTS runs (
        run INTEGER PRIMARY KEY,
        began TEXT NOT NULL,
        sitemaps INTEGER NOT NULL,
        entries INTEGER NOT NULL,
        failures INTEGER NOT NULL,
        is_confirmed INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE IF NOT EXISTS sitemaps (
        sitemap INTEGER PRIMARY KEY,
        url TEXT NOT NULL UNIQUE,
        final_url TEXT,
        kind TEXT,
        sha256 TEXT,
        form TEXT,
        first_look INTEGER NOT NULL,
        whole_look INTEGER NOT NULL,
        is_root INTEGER NOT NULL,
        size INTEGER,
        is_held INTEGER NOT NULL DEFAULT 0
    ) STRICT
    """,
    """
    CREATE TABLE IF NOT EXISTS listings (
        parent INTEGER NOT NULL,
        child INTEGER NOT NULL,
        PRIMARY KEY (child, parent)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS entries (
        sitemap INTEGER NOT NULL,
        loc TEXT NOT NULL,
        moment INTEGER,
        lastmod TEXT,
        fields INTEGER,
        PRIMARY KEY (sitemap, loc)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS changes (
        run INTEGER NOT NULL,
        change TEXT NOT NULL,
        kind TEXT NOT NULL,
        loc TEXT NOT NULL,
        how TEXT,
        lastmod TEXT,
        old_lastmod TEXT,
        sitemap TEXT,
        old_sitemap TEXT
    ) STRICT
    """,
    "CREATE INDEX IF NOT EXISTS changes_of_run ON changes (run)",
)
#: Made when the entries of the first run are there: sorting them once is faster than keeping them sorted.
BY_LOC: Final = "CREATE INDEX IF NOT EXISTS entries_by_loc ON entries (loc)"

SCRATCH: Final = (
    """
    CREATE TEMP TABLE seen (
        sitemap INTEGER PRIMARY KEY,
        url TEXT NOT NULL UNIQUE,
        final_url TEXT,
        kind TEXT,
        sha256 TEXT,
        form TEXT,
        state TEXT NOT NULL DEFAULT 'unread',
        is_root INTEGER NOT NULL DEFAULT 0,
        is_late INTEGER NOT NULL DEFAULT 0,
        size INTEGER
    )
    """,
    "CREATE TEMP TABLE listed (parent INTEGER, child INTEGER, PRIMARY KEY (child, parent)) WITHOUT ROWID",
    """
    CREATE TEMP TABLE staged (
        sitemap INTEGER, loc TEXT, moment INTEGER, lastmod TEXT, fields INTEGER, PRIMARY KEY (sitemap, loc)
    ) WITHOUT ROWID
    """,
    "CREATE TEMP TABLE later (form TEXT PRIMARY KEY) WITHOUT ROWID",
)
#: The temporary tables that the comparison makes of them.
COMPARISON: Final = (
    "CREATE TEMP TABLE held (sitemap INTEGER PRIMARY KEY, url TEXT, before INTEGER, now INTEGER)",
    "CREATE TEMP TABLE gone (sitemap INTEGER PRIMARY KEY)",
    "CREATE TEMP TABLE dropped (sitemap INTEGER, loc TEXT, PRIMARY KEY (sitemap, loc)) WITHOUT ROWID",
    "CREATE TEMP TABLE touched (loc TEXT PRIMARY KEY) WITHOUT ROWID",
    "CREATE TEMP TABLE forms (loc TEXT PRIMARY KEY, form TEXT, is_staged INTEGER) WITHOUT ROWID",
    "CREATE INDEX temp.by_form ON forms (form)",
    "CREATE TEMP TABLE rewritten (old TEXT PRIMARY KEY, new TEXT UNIQUE) WITHOUT ROWID",
    "CREATE TEMP TABLE before_sitemaps (loc TEXT, sitemap INTEGER, PRIMARY KEY (loc, sitemap)) WITHOUT ROWID",
    *(
        f"CREATE TEMP TABLE {name} (loc TEXT PRIMARY KEY, moment INTEGER, lastmod TEXT, fields INTEGER,"
        " url TEXT, form TEXT) WITHOUT ROWID"
        for name in ("before", "after")
    ),
)
