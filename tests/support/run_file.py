"""A file of runs as `audit` leaves it, of generated rows: a site of any size with a known number of everything.

Titles, URLs, patterns and messages are those of a hostile site where the number of a row says so.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
from urlset._runs.schema import COLUMNS, create
from urlset._util.duckdb import literal

HOSTILE = "<script>document.title='run'</script><img src=x onerror=alert(1)>\"'&</noscript><!--\u202e\x1b[31m\0"
"""What a title, a URL or a message could say to a browser."""

SECTIONS = ("/products/", "/blog/", "/docs/", "/help/", "/news/", "/de/", "/fr/", "/events/")

#: Of a thousand listed pages: what each answers. The rest is right.
_STATUS = """CASE WHEN n % 1000 < 40 THEN 301 WHEN n % 1000 < 70 THEN 404 WHEN n % 1000 < 76 THEN 503
    WHEN n % 1000 BETWEEN 76 AND 90 THEN NULL ELSE 200 END"""
_RULES = (
    ("LOC011", "error"),
    ("MOD005", "error"),
    ("HTTP001", "error"),
    ("MOD009", "warning"),
    ("IDX008", "warning"),
    ("ROB004", "warning"),
    ("ALT008", "info"),
    ("PRI003", "info"),
)


def make_run_file(path: Path, *, pages: int = 2000, findings: int = 400, runs: int = 3, hostile: bool = False) -> Path:
    """Write a file of runs.

    Args:
        path: The file, which must not exist.
        pages: How many pages a sitemap lists; a tenth more are linked and not listed.
        findings: How many findings the last run has; the ones before it have a tenth more each.
        runs: How many runs there are, one a week.
        hostile: Whether every seventh text is hostile.
    """
    with duckdb.connect(str(path)) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for table in COLUMNS:
            connection.execute(create(table))
        connection.execute(f"CREATE TEMP TABLE names AS SELECT {list(SECTIONS)!r} AS sections")
        for run in range(1, runs + 1):
            bad = literal(HOSTILE.replace("\0", "")) if hostile else "''"
            _pages(connection, run, runs, pages, bad)
            _findings(connection, run, findings * (10 + runs - run) // 10, bad)
    return path


def _pages(connection: duckdb.DuckDBPyConnection, run: int, runs: int, pages: int, bad: str) -> None:
    days = 7 * (runs - run)
    connection.execute(
        f"""INSERT INTO runs SELECT {run}, 'audit', 'https://shop.example/', now, now + INTERVAL 754 SECOND,
        'complete', NULL, '{{}}', '0.1.0'
        FROM (SELECT TIMESTAMPTZ '2026-11-23 05:00:00Z' - INTERVAL {days} DAY AS now)"""
    )
    connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE numbers AS
        SELECT n, n < {pages} AS is_listed,
            -- The first sections are the largest.
            sections[1 + (sqrt((n * 7919) % 64))::INTEGER % 8] AS section,
            'https://shop.example' || section || 'page-' || n || CASE WHEN n % 7 = 3 THEN {bad} ELSE '' END AS loc,
            {_STATUS} AS status,
            TIMESTAMPTZ '2026-11-23 05:00:00Z' - INTERVAL 1 HOUR * ((n * 7919 + (n * 31) % 977 * n) % 17000) AS changed,
            n % 11 = 0 AND {run} > 1 AS has_changed
        FROM range({pages * 11 // 10}) AS numbers(n), names
        """
    )
    connection.execute(
        f"""
        INSERT INTO listed BY NAME SELECT {run} AS run, 'https://shop.example/sitemap.xml' AS location, section, loc,
            CASE WHEN n % 10 = 9 THEN NULL WHEN n % 10 < 6 THEN changed WHEN n % 10 = 6 THEN changed - INTERVAL 20 DAY
                 WHEN n % 10 = 7 THEN changed + INTERVAL 3 DAY ELSE changed - INTERVAL 90 DAY END
                + CASE WHEN has_changed OR n % 13 = 0 THEN INTERVAL {run} HOUR ELSE INTERVAL 0 HOUR END AS lastmod,
            lastmod::VARCHAR AS lastmod_raw
        FROM numbers WHERE is_listed
        """
    )
    connection.execute(
        f"""
        INSERT INTO pages BY NAME SELECT {run} AS run, loc,
            CASE WHEN status = 301 THEN loc || '/' ELSE loc END AS final_url,
            CASE WHEN status = 301 THEN 200 ELSE status END AS status,
            CASE WHEN status IS NULL THEN 'wall' END AS refused, 'GET' AS method,
            CASE WHEN n % 17 <> 5 OR NOT is_listed
                 THEN greatest((log2((n * 7919) % 4001 + 1) / 1.7)::INTEGER - (n % 3), 0) END AS depth,
            'page ' || n || CASE WHEN n % 7 = 3 THEN {bad} ELSE '' END AS title,
            n % 50 = 1 AS is_noindex, CASE WHEN n % 40 = 2 THEN ['https://shop.example/'] ELSE [loc] END AS canonicals,
            CASE WHEN n % 3 = 0 THEN changed END AS json_modified, changed AS last_modified,
            n * 1000 + CASE WHEN has_changed THEN {run} ELSE 0 END AS content_hash
        FROM numbers
        """
    )
    if run == runs:
        connection.execute(
            """INSERT INTO links SELECT $run, 'https://shop.example/', loc, 'a', false
            FROM numbers WHERE n % 17 <> 5 OR NOT is_listed""",
            {"run": run},
        )


def _findings(connection: duckdb.DuckDBPyConnection, run: int, findings: int, bad: str) -> None:
    codes, severities = [code for code, _ in _RULES], [severity for _, severity in _RULES]
    hostile = f"CASE WHEN n % 7 = 3 THEN {bad} ELSE '' END"
    connection.execute(
        f"""
        INSERT INTO findings BY NAME SELECT {run} AS run, 'key-' || n AS key, ({codes!r})[1 + rule] AS code,
            ({severities!r})[1 + rule] AS severity,
            CASE WHEN n % 29 = 0 THEN 'inconclusive' ELSE 'found' END AS verdict,
            'https://shop.example/sitemap.xml' AS location,
            'https://shop.example' || sections[1 + (n * 7919) % 8] || 'page-' || n || {hostile} AS loc,
            sections[1 + (n * 7919) % 8] || n || '/{{number}}' || {hostile} AS pattern,
            1 + (n * 31) % 17 * (1 + ((n * 7919) % 8) // 2) AS count,
            ['https://shop.example/example-' || n || {hostile}] AS examples,
            'the page answers 301, and leads to https://shop.example/other/' || n || {hostile} AS message,
            'list the URL that it leads to' AS help,
            CASE WHEN {run} = 1 OR n % 19 = 0 THEN 'new' WHEN n % 23 = 0 THEN 'mended' ELSE 'still' END AS state
        FROM (SELECT n, least((n * 7919) % 8, (n * 31) % 8) AS rule FROM range({findings}) AS numbers(n)), names
        """
    )
    connection.execute(
        """
        INSERT INTO hits BY NAME SELECT run, key, code, verdict, loc || '?page=' || number AS loc, pattern,
            'the page answers 301, number ' || number AS detail
        FROM (SELECT *, unnest(range(count)) AS number FROM findings WHERE run = $run AND state <> 'mended')
        """,
        {"run": run},
    )
