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


#: What the audits of two weeks say of the pages that both have seen.
_CHANGES = """
    INSERT INTO changes
    WITH seen AS (
        SELECT run, loc, section, lastmod, content_hash FROM pages JOIN listed USING (run, loc)
        WHERE status = 200 AND refused IS NULL
    )
    SELECT now.run, now.section, loc, now.lastmod IS NOT NULL AND now.lastmod IS DISTINCT FROM old.lastmod,
        now.content_hash <> old.content_hash, true
    FROM seen AS now JOIN seen AS old USING (loc) WHERE old.run = now.run - 2
"""


def make_run_file(path: Path, *, pages: int = 2000, findings: int = 400, runs: int = 3, hostile: bool = False) -> Path:
    """Write a file of runs.

    Args:
        path: The file, which must not exist.
        pages: How many pages a sitemap lists; a tenth more are linked and not listed.
        findings: How many findings the last audit has; the ones before it have a tenth more each.
        runs: How many audits there are, one a week, each after a crawl.
        hostile: Whether every seventh text is hostile.
    """
    with duckdb.connect(str(path)) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for table in COLUMNS:
            connection.execute(create(table))
        connection.execute(f"CREATE TEMP TABLE names AS SELECT {list(SECTIONS)!r} AS sections")
        for week in range(1, runs + 1):
            bad = literal(HOSTILE.replace("\0", "")) if hostile else "''"
            _pages(connection, week, runs - week, pages, bad)
            _findings(connection, 2 * week, findings * (10 + runs - week) // 10, bad)
        connection.execute(_CHANGES)
    return path


def _pages(connection: duckdb.DuckDBPyConnection, week: int, weeks_ago: int, pages: int, bad: str) -> None:
    crawl, audit = 2 * week - 1, 2 * week
    connection.execute(
        f"""
        INSERT INTO runs BY NAME SELECT run, verb, {week} AS number, 'https://shop.example/' AS site, started,
            started + INTERVAL 754 SECOND AS ended, 'complete' AS state, '{{}}' AS settings, '0.1.0' AS version,
            CASE WHEN {week} > 1 AND verb = 'audit' THEN 'audit ' || ({week} - 1) END AS compared
        FROM (SELECT run, verb,
                  TIMESTAMPTZ '2026-11-23 05:00:00Z' - INTERVAL (168 * {weeks_ago} + hours) HOUR AS started
              FROM (VALUES ({crawl}, 'crawl', 1), ({audit}, 'audit', 0)) AS verbs(run, verb, hours))
        """
    )
    connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE numbers AS
        SELECT n, n < {pages} AS is_listed, n % 17 <> 5 OR n >= {pages} AS is_linked,
            -- The first sections are the largest.
            sections[1 + (sqrt((n * 7919) % 64))::INTEGER % 8] AS section,
            section || 'page-' || n || CASE WHEN n % 7 = 3 THEN {bad} ELSE '' END AS path,
            'https://shop.example' || path AS url,
            -- A loc can be spelled in another way than the URL that is sent. One with a control character, as a hostile
            -- one has, is not a URL, so it has no other spelling.
            CASE WHEN n % 13 = 1 AND n % 7 <> 3 THEN 'HTTPS://Shop.example:443' ELSE 'https://shop.example' END
                || path AS loc,
            {_STATUS} AS status,
            TIMESTAMPTZ '2026-11-23 05:00:00Z' - INTERVAL 1 HOUR * (24 + (n * 7919 + (n * 31) % 977 * n) % 17000)
                AS changed,
            n % 11 = 0 AND {week} > 1 AS has_changed
        FROM range({pages * 11 // 10}) AS numbers(n), names
        """
    )
    connection.execute(
        f"""
        INSERT INTO listed BY NAME SELECT {audit} AS run, 'https://shop.example/sitemap.xml' AS location, section, loc,
            CASE WHEN n % 10 = 9 THEN NULL WHEN n % 10 < 6 THEN changed WHEN n % 10 = 6 THEN changed - INTERVAL 20 DAY
                 WHEN n % 10 = 7 THEN changed + INTERVAL 3 DAY ELSE changed - INTERVAL 90 DAY END
                + CASE WHEN has_changed OR n % 13 = 0 THEN INTERVAL {week} HOUR ELSE INTERVAL 0 HOUR END AS lastmod,
            lastmod::VARCHAR AS lastmod_raw
        FROM numbers WHERE is_listed
        """
    )
    columns = f"""
        url AS normal_loc, CASE WHEN status = 301 THEN url || '/' ELSE url END AS final_url, final_url AS normal_final,
        CASE WHEN status = 301 THEN [{{'url': url, 'status': 301::SMALLINT}}] ELSE [] END AS hops,
        CASE WHEN status = 301 THEN 200 ELSE status END AS status,
        CASE WHEN status IS NULL THEN 'bot challenge' END AS refused, 'GET' AS method,
        TIMESTAMPTZ '2026-11-23 05:00:00Z' - INTERVAL ({weeks_ago}) WEEK AS fetched,
        'page ' || n || CASE WHEN n % 7 = 3 THEN {bad} ELSE '' END AS title,
        n % 50 = 1 AS is_noindex, CASE WHEN n % 40 = 2 THEN ['https://shop.example/'] ELSE [url] END AS canonicals,
        CASE WHEN n % 3 = 0 THEN changed END AS json_modified, changed AS last_modified,
        n * 1000 + CASE WHEN has_changed THEN {week} ELSE 0 END AS content_hash
    """
    connection.execute(
        f"""
        INSERT INTO pages BY NAME SELECT {crawl} AS run, url AS loc, {columns},
            greatest((log2((n * 7919) % 4001 + 1) / 1.7)::INTEGER - (n % 3), 0) AS depth
        FROM numbers WHERE is_linked
        """
    )
    connection.execute(f"INSERT INTO pages BY NAME SELECT {audit} AS run, loc, {columns} FROM numbers WHERE is_listed")
    connection.execute("DELETE FROM links")
    connection.execute(
        f"INSERT INTO links SELECT {crawl}, 'https://shop.example/', url, 'a', false FROM numbers WHERE is_linked"
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
            CASE WHEN {run} = 2 OR n % 19 = 0 THEN 'new' WHEN n % 23 = 0 THEN 'fixed' ELSE 'open' END AS state
        FROM (SELECT n, least((n * 7919) % 8, (n * 31) % 8) AS rule FROM range({findings}) AS numbers(n)), names
        """
    )
    connection.execute(
        """
        INSERT INTO page_findings BY NAME SELECT run, key, code, verdict, loc || '?page=' || number AS loc, pattern,
            'the page answers 301, number ' || number AS detail
        FROM (SELECT *, unnest(range(count)) AS number FROM findings WHERE run = $run AND state <> 'fixed')
        """,
        {"run": run},
    )
