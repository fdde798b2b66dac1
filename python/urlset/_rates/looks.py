"""Looks at pages, from run files of crawls and audits, states of watches, and tables, into the tables of this room.

`looks` has each look at a page: when, what its content was (`hash`), whether that is known to have changed since the
look before (`changed`), which lastmod its sitemap had then, and how large it was. `source` numbers where a look comes
from: looks of several sources are never compared with each other. `is_told` is false if an audit cannot tell whether a
difference is one of the content, and `counts` is its word on whether the lastmod should have moved with it. `is_day`
says that the lastmod is a date, without a time. Moments are microseconds since the epoch: arithmetic with time zones
takes ten times as long.

`facts` has what the newest source says of a page besides: a section that is given, changefreq, priority, and the links
to it; `left_out` counts what is no look, by reason; `watches` are the sources that are watches.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from urlset._audit.sql import define
from urlset._model.errors import InputError
from urlset._runs.file import RunFile
from urlset._util.duckdb import first_line, insert_rows, literal, scalar
from urlset._util.given_rows import GivenColumn, load_rows

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._write.rows import ArrowTable

#: Moments that Python can hold, and whose distances DuckDB can compute with.
_POSSIBLE: Final = "{0} BETWEEN TIMESTAMPTZ '0001-01-02 00:00:00Z' AND TIMESTAMPTZ '9999-12-30 00:00:00Z'"
#: What rates are estimated of.
Subject = Literal["pages", "sitemaps"]

_TABLES: Final = (
    "CREATE TABLE looks (source UTINYINT, loc VARCHAR, time BIGINT, hash UBIGINT, changed BOOLEAN, is_told BOOLEAN,"
    " counts BOOLEAN, lastmod BIGINT, is_day BOOLEAN, bytes DOUBLE)",
    "CREATE TABLE facts (source UTINYINT, loc VARCHAR, section VARCHAR, changefreq VARCHAR, priority DOUBLE,"
    " inlinks BIGINT)",
    "CREATE TABLE left_out (why VARCHAR, count BIGINT)",
    "CREATE TABLE watches (source UTINYINT)",
)
#: The name under which a run file is attached.
_ATTACHED: Final = "run_file"
#: When a page was looked at. A run that was told another time than the clock's is taken at its word.
_LOOKED: Final = (
    "epoch_us(CASE WHEN fetched BETWEEN started AND coalesce(ended, fetched) THEN fetched ELSE started END)"
)
#: Looks of the audits of a run file. An audit knows which differences count.
_AUDITED: Final = f"""
    INSERT INTO looks
    SELECT {{source}}, pages.loc, {_LOOKED}, content_hash, changes.is_changed,
        changes.run IS NULL OR changes.is_changed IS NOT NULL, changes.is_judged, epoch_us(lastmod),
        length(trim(raw)) <= 10, bytes
    FROM {_ATTACHED}.pages JOIN {_ATTACHED}.runs USING (run)
        LEFT JOIN (
            SELECT run, loc, max(lastmod) AS lastmod, max_by(lastmod_raw, lastmod) AS raw
            FROM {_ATTACHED}.listed GROUP BY run, loc
        ) AS named USING (run, loc)
        LEFT JOIN {_ATTACHED}.changes ON changes.run = pages.run AND changes.loc = pages.loc
    WHERE verb = 'audit' AND {{counts}}
"""
_CRAWLED: Final = f"""
    INSERT INTO looks
    SELECT {{source}}, loc, {_LOOKED}, content_hash, NULL, true, NULL, NULL, NULL, bytes
    FROM {_ATTACHED}.pages JOIN {_ATTACHED}.runs USING (run) WHERE verb = 'crawl' AND {{counts}}
"""
_COUNTS: Final = "status = 200 AND refused IS NULL AND content_hash IS NOT NULL AND fetched IS NOT NULL"
_FAILED: Final = f"""
    INSERT INTO left_out
    SELECT 'the page was not read', count(*) FROM {_ATTACHED}.pages
    WHERE trap IS NULL AND NOT coalesce({_COUNTS}, false)
"""
#: Pages that are there now: what the sitemaps list, or else what crawls have found. A sitemap that could not be read, a
#: crawl that came to a bound and one by a plan have not seen all pages, so what was there before them counts, too.
_NAMED: Final = f"""
    INSERT INTO facts
    WITH whole AS (
        SELECT coalesce(max(run) FILTER (verb = 'audit' AND run NOT IN (SELECT run FROM {_ATTACHED}.failures)), 0)
                AS audit,
            coalesce(max(run) FILTER (verb = 'crawl' AND state = 'complete'), 0) AS crawl
        FROM {_ATTACHED}.runs WHERE state NOT IN ('running', 'interrupted')
    ), listed AS (
        SELECT loc, arg_max(changefreq, run) AS changefreq, arg_max(priority, run) AS priority
        FROM {_ATTACHED}.listed WHERE run >= (SELECT audit FROM whole) GROUP BY loc
    ), found AS (
        SELECT loc FROM {_ATTACHED}.pages JOIN {_ATTACHED}.runs USING (run)
        WHERE verb = 'crawl' AND run >= (SELECT crawl FROM whole) GROUP BY loc HAVING arg_max({_COUNTS}, run)
    ), named AS (FROM listed UNION ALL SELECT loc, NULL, NULL FROM found ANTI JOIN listed USING (loc)),
    linked AS (
        SELECT target, count(DISTINCT source) AS inlinks FROM {_ATTACHED}.links WHERE kind = 'a' GROUP BY target
    ), forms AS (SELECT loc, any_value(normal_loc) AS form FROM {_ATTACHED}.pages GROUP BY loc)
    SELECT {{source}}, loc, NULL, changefreq, priority, inlinks
    FROM named LEFT JOIN forms USING (loc) LEFT JOIN linked ON target = form
"""

_SQLITE: Final = b"SQLite format 3\0"
_DUCKDB: Final = (8, b"DUCK")
#: The state of a watch, as tables of DuckDB.
_WATCH_TABLES: Final = {
    "watch_runs": ("run BIGINT, began VARCHAR", "SELECT run, began FROM runs"),
    "watch_changes": (
        "run BIGINT, change VARCHAR, loc VARCHAR, lastmod VARCHAR, old_lastmod VARCHAR, sitemap VARCHAR,"
        " old_sitemap VARCHAR",
        "SELECT run, change, loc, lastmod, old_lastmod, sitemap, old_sitemap FROM changes WHERE kind = 'page'",
    ),
    "watch_entries": (
        "loc VARCHAR, moment BIGINT, run BIGINT",
        "SELECT loc, max(moment), max(whole_look) FROM entries JOIN sitemaps USING (sitemap) GROUP BY loc",
    ),
    "watch_sitemaps": (
        "loc VARCHAR, url VARCHAR, first BIGINT, last BIGINT",
        "SELECT url, coalesce(final_url, url), first_look, whole_look FROM sitemaps",
    ),
}
#: Rows that are read from a state at once.
_BATCH: Final = 10_000
#: A page is looked at in each run that reads its sitemap. Of looks that found the same lastmod, the first and the last
#: say all that is needed: when it was first seen, the run before each change and that of the change, and the last run.
#: A date of four, seven or ten characters is a day at best.
_WATCHED: Final = """
    INSERT INTO looks
    WITH first AS (SELECT min(run) AS run FROM watch_runs WHERE run > (SELECT max(run) FROM watch_runs) - {kept}),
    moves AS (SELECT * FROM watch_changes WHERE change IN ('added', 'lastmod')),
    seen AS (
        SELECT loc, run, lastmod FROM moves
        UNION ALL SELECT loc, run - 1, old_lastmod FROM moves WHERE change = 'lastmod'
        UNION ALL SELECT loc, run, lastmod_text(moment) FROM watch_entries
        UNION ALL
        SELECT loc, (SELECT run FROM first), coalesce(old_lastmod, lastmod_text(moment))
        FROM watch_entries LEFT JOIN (
            SELECT loc, min_by(change, run) AS change, min_by(old_lastmod, run) AS old_lastmod FROM moves GROUP BY loc
        ) AS firsts USING (loc) WHERE change IS DISTINCT FROM 'added'
    )
    SELECT DISTINCT ON (loc, run) {source}, loc, lastmod_moment(began), NULL, NULL, true, NULL,
        lastmod_moment(lastmod), length(lastmod) <= 10, NULL
    FROM seen JOIN watch_runs USING (run) WHERE loc IN (SELECT loc FROM watch_entries)
"""
_WATCHED_FACTS: Final = (
    "INSERT INTO watches VALUES ({source});"
    " INSERT INTO facts SELECT {source}, loc, NULL, NULL, NULL, NULL FROM watch_entries"
)
#: A sitemap has changed in a run if one of its pages has.
_WATCHED_SITEMAPS: Final = """
    INSERT INTO looks
    WITH changed AS (
        SELECT DISTINCT run, unnest([sitemap, old_sitemap]) AS url FROM watch_changes
    )
    SELECT {source}, loc, lastmod_moment(began), NULL, changed.url IS NOT NULL, true, NULL, NULL, NULL, NULL
    FROM watch_sitemaps JOIN watch_runs ON run BETWEEN first AND last LEFT JOIN changed USING (run, url)
    WHERE first > 0 AND run > (SELECT max(run) FROM watch_runs) - {kept}
"""
_SITEMAP_FACTS: Final = "INSERT INTO facts SELECT {source}, loc, NULL, NULL, NULL, NULL FROM watch_sitemaps"

#: The columns of a table of looks.
COLUMNS: Final[Mapping[str, GivenColumn]] = {
    "loc": GivenColumn("VARCHAR", why=""),
    "time": GivenColumn("TIMESTAMPTZ", why=", the moment of the look"),
    "hash": GivenColumn("VARCHAR"),
    "changed": GivenColumn("BOOLEAN"),
    "lastmod": GivenColumn("VARCHAR"),
    "bytes": GivenColumn("DOUBLE"),
    "section": GivenColumn("VARCHAR"),
    "changefreq": GivenColumn("VARCHAR"),
    "priority": GivenColumn("DOUBLE"),
}
#: The columns of which one says whether a page has changed.
EVIDENCE: Final = ("hash", "changed", "lastmod")
NO_EVIDENCE: Final = "the looks need a column hash, changed or lastmod, which tells of changes"
_GIVEN: Final = (
    """
    INSERT INTO looks
    SELECT {source}, loc, epoch_us(time), CASE WHEN hash IS NOT NULL THEN hash(hash) END, changed, true, NULL,
        lastmod_moment(lastmod), length(trim(lastmod)) <= 10,
        CASE WHEN bytes BETWEEN 1 AND 1e12 THEN bytes END
    FROM given
    """,
    """
    INSERT INTO facts
    SELECT {source}, loc, max_by(section, time), max_by(changefreq, time),
        max_by(priority, time), NULL
    FROM given GROUP BY loc
    """,
)

#: Looks at contents with the lastmod that a watch knew then. Until its next look, or for a day after its last one, a
#: lastmod stays what it was.
_NAMED_BY_WATCH: Final = """
    CREATE OR REPLACE TABLE looks AS
    WITH named AS (
        SELECT loc, time, lastmod, is_day,
            coalesce(lead(time) OVER (PARTITION BY loc ORDER BY time), time + 86_400_000_000) AS until
        FROM looks SEMI JOIN watches USING (source)
    )
    SELECT looks.* EXCLUDE (lastmod, is_day),
        CASE WHEN looks.lastmod IS NOT NULL OR looks.time > until THEN looks.lastmod ELSE named.lastmod END AS lastmod,
        CASE WHEN looks.lastmod IS NOT NULL OR looks.time > until THEN looks.is_day ELSE named.is_day END AS is_day
    FROM looks ASOF LEFT JOIN named ON looks.loc = named.loc AND looks.time >= named.time
"""


def name_by_watches(connection: DuckDBPyConnection) -> None:
    """Give looks at contents the lastmods that a watch of the same site knew at the time, if there are both."""
    nameless = "SELECT count(*) FROM looks WHERE lastmod IS NULL AND source NOT IN (FROM watches)"
    if scalar(connection, "SELECT count(*) FROM watches") and scalar(connection, nameless):
        connection.execute(_NAMED_BY_WATCH)


def prepare(connection: DuckDBPyConnection) -> None:
    """Create the tables, and the macros that they are filled with."""
    define(connection)
    connection.execute(
        "CREATE TEMP MACRO lastmod_text(moment) AS strftime(make_timestamptz((moment >> 2)::BIGINT),"
        " CASE WHEN moment & 3 = 3 THEN '%Y-%m-%dT%H:%M:%S.%fZ' ELSE '%Y-%m-%d' END)"
    )
    connection.execute(
        "CREATE TEMP MACRO lastmod_moment(written) AS CASE WHEN"
        f" {_POSSIBLE.format('try_cast(written AS TIMESTAMPTZ)')} THEN epoch_us(try_cast(written AS TIMESTAMPTZ)) END"
    )
    for table in _TABLES:
        connection.execute(table)


def is_state(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a run file, or the state of a watch, by its first bytes.

    Raises:
        OSError: It cannot be read.
    """
    with Path(path).open("rb") as file:
        head = file.read(16)
    at, magic = _DUCKDB
    return head.startswith(_SQLITE) or head[at:].startswith(magic)


def load_state(connection: DuckDBPyConnection, source: int, path: str | os.PathLike[str], subject: Subject) -> None:
    """Add the looks of a run file or of a watch.

    Raises:
        InputError: The file is neither.
        OSError: It cannot be read.
    """
    if not is_state(path):
        raise InputError(
            f"{os.fspath(path)} is no run file and no state of a watch: read a table of looks first, for example with"
            " urlset.sources.files.rows"
        )
    with Path(path).open("rb") as file:
        is_watch = file.read(len(_SQLITE)) == _SQLITE
    if is_watch:
        _load_watch(connection, source, path, subject)
    elif subject == "sitemaps":
        raise InputError(f"{os.fspath(path)} has looks at pages: only the state of a watch has some at sitemaps")
    else:
        _load_run_file(connection, source, path)


def load_table(connection: DuckDBPyConnection, source: int, looks: ArrowTable | Iterable[Mapping[str, object]]) -> None:
    """Add the looks of a table.

    Raises:
        InputError: A column is missing, or a value has another type.
    """
    names = load_rows(connection, looks, COLUMNS, table="given", what="look")
    if scalar(connection, "SELECT count(*) FROM given") and not names & set(EVIDENCE):
        raise InputError(NO_EVIDENCE)
    found = connection.execute(
        f"SELECT place FROM given WHERE loc IS NULL OR NOT coalesce({_POSSIBLE.format('time')}, false)"
        " ORDER BY place LIMIT 1"
    ).fetchone()
    if found is not None:
        raise InputError(f"row {found[0]:,} of the looks has no loc, or no time in the years 1 to 9999")
    for statement in _GIVEN:
        connection.execute(statement.format(source=source))
    connection.execute("DROP TABLE given")


def _load_run_file(connection: DuckDBPyConnection, source: int, path: str | os.PathLike[str]) -> None:
    """Add the looks of a run file: those of its audits are one source, and those of its crawls another."""
    with RunFile(path, read_only=True):
        pass  # it is a run file, and nobody writes to it
    connection.execute(f"ATTACH {literal(os.fspath(path))} AS {_ATTACHED} (READ_ONLY)")
    try:
        with _told(path, "a run file"):
            connection.execute(_AUDITED.format(source=source, counts=_COUNTS))
            connection.execute(_CRAWLED.format(source=source + 1, counts=_COUNTS))
            connection.execute(_FAILED)
            connection.execute(_NAMED.format(source=source))
    finally:
        connection.execute(f"DETACH {_ATTACHED}")


@contextmanager
def _told(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Raise what goes wrong with the values of a file as an error that names it: a stranger may have written them.

    Raises:
        InputError: A value is not what it has to be there.
    """
    import duckdb  # noqa: PLC0415

    try:
        yield
    except (sqlite3.Error, duckdb.Error) as error:
        raise InputError(f"{os.fspath(path)} cannot be read as {what}: {first_line(error)}") from error


def _load_watch(connection: DuckDBPyConnection, source: int, path: str | os.PathLike[str], subject: Subject) -> None:
    from urlset._watch.compare import KEPT  # noqa: PLC0415  (with what reads sitemaps)

    with _told(path, "the state of a watch"):
        with closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)) as state:
            # A view is a query of whoever made the file.
            known = {name for (name,) in state.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not known >= {"runs", "changes", "entries", "sitemaps"}:
                raise InputError(f"{os.fspath(path)} is not the state of a watch")
            for name, (columns, query) in _WATCH_TABLES.items():
                connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} ({columns})")
                cursor = state.execute(query)
                while rows := cursor.fetchmany(_BATCH):
                    insert_rows(connection, name, rows)
        if scalar(connection, "SELECT count(*) FROM watch_runs WHERE lastmod_moment(began) IS NULL"):
            raise InputError(f"{os.fspath(path)} cannot be read as the state of a watch: a run has no moment")
        statements = (_WATCHED, _WATCHED_FACTS) if subject == "pages" else (_WATCHED_SITEMAPS, _SITEMAP_FACTS)
        for statement in statements:
            connection.execute(statement.format(source=source, kept=KEPT))
        for name in _WATCH_TABLES:
            connection.execute(f"DROP TABLE temp.{name}")
