"""What has to change in a set, by what an audit has found: the tables `changes`, `links_now` and `bare`.

What is inconclusive stays as it is. `corrected_rows` applies the changes to entries, `rehearsal` tries them out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from urlset._audit.rules import RULES
from urlset._audit.rules.declaration import Correction

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_CORRECTED: Final = [(rule.code, rule.correction) for rule in RULES.values() if rule.correction is not None]


def _by_code(part: Callable[[Correction], str]) -> str:
    """Return SQL for a part of the correction of the rule that has found a page."""
    return f"CASE code {' '.join(f'WHEN {code!r} THEN {part(each)}' for code, each in _CORRECTED)} END"


#: What the rules ask for, page by page. `is_fit` is whether the target may be listed; NULL if that is not known.
_WANTED: Final = f"""
    CREATE OR REPLACE TEMP TABLE wanted AS
    WITH found AS (
        SELECT page_view.loc, url,
            {_by_code(lambda each: f"{each.removes} AND NOT coalesce({each.unless}, false)")} AS is_removed,
            {_by_code(lambda each: each.loc)} AS target,
            {_by_code(lambda each: each.url)} AS target_url,
            {_by_code(lambda each: each.is_fit)} AS is_fit,
            {_by_code(lambda each: each.lastmod)} AS lastmod
        FROM page_findings JOIN page_view USING (loc)
        WHERE page_findings.run = {{run}} AND verdict = 'found' AND code IN {tuple(code for code, _ in _CORRECTED)}
    )
    SELECT loc, any_value(url) AS url, bool_or(is_removed) AS is_removed,
        any_value(target) AS target, any_value(target_url) AS target_url, bool_and(is_fit) AS is_fit,
        strftime(any_value(lastmod), '%Y-%m-%dT%H:%M:%SZ') AS lastmod
    FROM found GROUP BY loc
"""
#: The change for each entry that has one: it is left out, or lists its target, or states another lastmod. The entry of
#: a target itself, if there is one, says more of it than one that only leads there. What is in `held` stays as it is.
_CHANGES: Final = """
    CREATE OR REPLACE TEMP TABLE changes AS
    WITH asked AS (
        SELECT *, EXISTS (
                SELECT 1 FROM normalized WHERE normalized.url = target_url AND normalized.loc <> wanted.loc
            ) AS is_listed
        FROM wanted WHERE loc NOT IN (SELECT loc FROM held WHERE what = 'entry')
    ), decided AS (
        SELECT * EXCLUDE (is_removed, is_fit), coalesce(is_fit, false) AS is_fit,
            is_removed OR is_listed OR (target IS NOT NULL AND NOT coalesce(is_fit, true)) AS is_removed FROM asked
    ), placed AS (
        SELECT *, is_fit AND NOT is_removed AS is_moved,
            row_number() OVER (PARTITION BY target_url, is_removed ORDER BY loc) = 1 AS is_first FROM decided
    )
    SELECT loc, url, is_removed OR (is_moved AND NOT is_first) AS is_removed,
        CASE WHEN is_moved AND is_first THEN target END AS target,
        CASE WHEN is_moved AND is_first THEN target_url END AS target_url,
        CASE WHEN loc NOT IN (SELECT loc FROM held WHERE what = 'lastmod') THEN lastmod END AS lastmod
    FROM placed
"""
#: The links of entries to pages that are not listed any more, and what they become; NULL if they have to go. They
#: follow an entry to its target, and not to the entry of another page, which need not link back.
_LINKS: Final = """
    CREATE OR REPLACE TEMP TABLE links_now AS
    WITH gone AS (
        SELECT url, any_value(target) AS target, any_value(target_url) AS target_url FROM changes
        WHERE (is_removed OR target IS NOT NULL) AND url NOT IN (
            SELECT url FROM normalized WHERE loc NOT IN (SELECT loc FROM changes WHERE is_removed OR target IS NOT NULL)
        ) GROUP BY url
    ), named AS (
        SELECT loc, hreflang, href, coalesce(normal, href) AS url FROM (
            SELECT DISTINCT loc, link.hreflang, link.href FROM (SELECT loc, unnest(hreflang) AS link FROM entries)
        ) LEFT JOIN href_forms ON written = href
    )
    SELECT named.loc, hreflang, href, named.url,
        CASE WHEN NOT EXISTS (SELECT 1 FROM named AS other WHERE other.loc = named.loc AND other.url = target_url)
            THEN target END AS becomes
    FROM named JOIN gone USING (url)
"""
#: Entries that lose all of their links: those whose other languages are gone, and those in `held` for it.
_BARE: Final = """
    CREATE OR REPLACE TEMP TABLE bare AS
    WITH named AS (
        SELECT DISTINCT loc, link.hreflang AS hreflang, link.href AS href
        FROM (SELECT loc, unnest(hreflang) AS link FROM entries) SEMI JOIN links_now USING (loc)
    ), kept AS (
        SELECT loc, coalesce(becomes, named.href) AS href
        FROM named LEFT JOIN links_now USING (loc, hreflang, href)
        WHERE links_now.loc IS NULL OR becomes IS NOT NULL
    )
    SELECT loc FROM named GROUP BY loc
    HAVING (SELECT count(DISTINCT href) FROM kept WHERE kept.loc = named.loc) < 2
    UNION SELECT loc FROM held WHERE what = 'links'
"""


def begin_corrections(connection: DuckDBPyConnection, run: int) -> None:
    """Make the table `wanted`, and the empty table `held` of what a rehearsal keeps from changing."""
    connection.execute(_WANTED.format(run=int(run)))
    connection.execute("CREATE OR REPLACE TEMP TABLE held (loc VARCHAR, what VARCHAR)")


def make_corrections(connection: DuckDBPyConnection) -> None:
    """Make the tables `changes`, `links_now` and `bare`, from `wanted` and `held`."""
    for statement in (_CHANGES, _LINKS, _BARE):
        connection.execute(statement)


def corrections_of(connection: DuckDBPyConnection) -> dict[str, int]:
    """Return how many entries change in which way, and how many corrections were taken back."""
    row = connection.execute(
        "SELECT count(*) FILTER (is_removed), count(*) FILTER (NOT is_removed AND target IS NOT NULL),"
        " count(*) FILTER (NOT is_removed AND lastmod IS NOT NULL),"
        " (SELECT count(DISTINCT loc) FROM (SELECT loc FROM links_now UNION SELECT loc FROM bare)"
        "  WHERE loc NOT IN (SELECT loc FROM changes WHERE is_removed)),"
        " (SELECT count(*) FROM held WHERE what <> 'links') FROM changes"
    ).fetchall()[0]
    return dict(zip(("removed", "replaced", "dated", "relinked", "kept"), row, strict=True))
