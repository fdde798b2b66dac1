"""The tables that the rules of an audit read: the pages of this run, beside what is listed and what was seen before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from urlset._audit.sql import drawn
from urlset._util.duckdb import literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Words of a page that hardly has any.
MIN_WORDS: Final = 30
#: Pages with a Last-Modified from which on it is seen that most have that of one deployment.
_MIN_DATES: Final = 5
#: Listed pages with one body that are a sign of an error page.
_MIN_ALIKE: Final = 3
#: What error pages say in their titles.
_NOT_FOUND: Final = (
    r"(\b404\b|(page|file|product|article|content|nothing) (was |could )?(not|n.t) (be )?found|not found"
    r"|no longer (available|exists)"
    r"|does ?n[o’']t exist|nicht gefunden|existiert nicht|introuvable|n.existe (pas|plus)|no encontrad[ao]|no existe"
    r"|non trovat[ao]|niet gevonden|n[aã]o encontrad[ao]|nie znaleziono|не найден|見つかりません|找不到|не існує)"
)

#: One row for each listed page that was requested. `sent` is its loc as it was sent and `url` the normal form of that;
#: `chosen` is the canonical URL that it names as it was written, and `canonical` the normal form of that.
_PAGE_VIEW: Final = """
    CREATE OR REPLACE TEMP TABLE page_view AS
    WITH stated AS (
        SELECT loc, max(lastmod) AS lastmod, max_by(lastmod_raw, lastmod) AS lastmod_raw,
            any_value(hreflang) FILTER (len(hreflang) > 0) AS listed_hreflang
        FROM entries GROUP BY loc
    ), hours AS (
        SELECT date_trunc('hour', last_modified) AS hour, count(*) AS pages, sum(count(*)) OVER () AS dated
        FROM pages WHERE run = {run} AND last_modified IS NOT NULL GROUP BY hour
    ), stamped AS (
        -- The hour of a deployment: most pages have it.
        SELECT hour FROM hours WHERE dated >= {few} AND pages * 2 >= dated
    ), seen AS (
        SELECT * EXCLUDE (run), coalesce(len(hops), 0) AS redirects,
            CASE WHEN coalesce(len(hops), 0) > 0 THEN hops[1].url ELSE final_url END AS sent, normal_loc AS url,
            list_distinct(canonicals) AS in_head, list_distinct(header_canonicals) AS in_header
        FROM pages WHERE run = {run}
    )
    SELECT seen.*, stated.* EXCLUDE (loc),
        status = 200 AND refused IS NULL AS is_ok,
        status = 200 AND refused IS NULL AND redirects = 0 AS is_direct,
        status = 200 AND refused IS NULL AND redirects = 0 AND NOT {noindex} AS is_indexable,
        {noindex} AS has_noindex,
        len(in_head) > 1 AS has_several,
        len(in_head) = 1 AND len(in_header) > 0 AND NOT list_contains(in_header, in_head[1]) AS has_conflict,
        CASE WHEN len(in_head) = 1 THEN in_head[1] WHEN len(in_head) = 0 THEN in_header[1] END AS canonical,
        coalesce(canonical_written, canonical) AS chosen,
        greatest(json_modified, modified, published) AS page_date,
        -- A date that is only the time of the answer, or that of a deployment, says nothing about the page.
        CASE WHEN last_modified < fetched - INTERVAL 1 HOUR
            AND date_trunc('hour', last_modified) NOT IN (FROM stamped) THEN last_modified END AS header_date
    FROM seen JOIN stated USING (loc)
"""

#: Files that are requested of those that the entries name, from all sections alike.
MAX_MEDIA: Final = 1_000
#: The images and videos that entries name, and what each is in an entry.
_MEDIA: Final = f"""
    CREATE OR REPLACE TEMP TABLE media AS
    WITH named AS (
        FROM (SELECT loc, unnest(media, recursive := true) FROM entries SEMI JOIN page_view USING (loc))
        WHERE regexp_matches(url, '^https?://[^/?#]', 'i')
    ), asked AS (
        SELECT url, true AS is_drawn FROM named GROUP BY url ORDER BY {drawn("url")}, url LIMIT {MAX_MEDIA}
    )
    SELECT loc, url, list_sort(list(DISTINCT kind)) AS kinds, coalesce(any_value(is_drawn), false) AS is_drawn
    FROM named LEFT JOIN asked USING (url) GROUP BY loc, url
"""

#: What the last earlier audit that saw a page knows of it.
_BEFORE: Final = """
    CREATE OR REPLACE TEMP TABLE before AS
    SELECT loc, max(run) AS run, arg_max(content_hash, run) AS content_hash, arg_max(body_hash, run) AS body_hash,
        arg_max(etag, run) AS etag, arg_max(fetched, run) AS fetched, arg_max(last_modified, run) AS last_modified,
        arg_max(lastmod, run) AS lastmod
    FROM (
        SELECT pages.loc, pages.run, content_hash, body_hash, etag, fetched, last_modified, listed.lastmod
        FROM pages
        JOIN (SELECT run, loc, max(lastmod) AS lastmod FROM listed GROUP BY ALL) AS listed USING (run, loc)
        JOIN runs USING (run)
        WHERE run < {run} AND verb = 'audit' AND status = 200 AND refused IS NULL AND content_hash IS NOT NULL
            AND needs_browser IS NULL AND rendered IS NULL
            AND settings->>'mask' = (SELECT settings->>'mask' FROM runs WHERE run = {run})
            AND settings->>'boilerplate' = (SELECT settings->>'boilerplate' FROM runs WHERE run = {run})
    ) GROUP BY loc
"""

#: Signs that a page is an error page. Those that a browser must finish have no text yet, and prove nothing.
_SOFT: Final = f"""
    CREATE OR REPLACE TEMP TABLE soft AS
    WITH pages AS (
        SELECT loc, url, title, words, content_hash, count(*) OVER (PARTITION BY content_hash) AS alike
        FROM page_view WHERE is_ok AND content_hash IS NOT NULL AND needs_browser IS NULL
    ), missing AS (
        SELECT DISTINCT host_of(url) AS host, content_hash FROM asked_missing
        WHERE status = 200 AND refused IS NULL AND content_hash IS NOT NULL
    ), signs AS (
        SELECT pages.loc,
            CASE WHEN missing.host IS NOT NULL
                THEN 'its content is that of a page that does not exist' END AS same,
            CASE WHEN regexp_matches(lower(coalesce(title, '')), {literal(_NOT_FOUND)})
                THEN 'its title says that nothing was found' END AS named,
            CASE WHEN words < {MIN_WORDS} THEN 'it has hardly any text' END AS few,
            CASE WHEN alike >= {_MIN_ALIKE} THEN alike || ' listed pages have this content' END AS many
        FROM pages LEFT JOIN missing ON missing.host = host_of(pages.url)
            AND missing.content_hash = pages.content_hash
    )
    SELECT loc, concat_ws(', ', same, named, few, many) AS signs FROM signs
    WHERE (same IS NOT NULL OR named IS NOT NULL)
        AND (same IS NOT NULL)::INT + (named IS NOT NULL)::INT + (few IS NOT NULL)::INT + (many IS NOT NULL)::INT >= 2
"""


def make_page_views(connection: DuckDBPyConnection, run: int, agents: Sequence[str]) -> None:
    """Make the tables `entries`, `page_view`, `media` and `before`.

    `agents` are the crawlers whose instructions count, beside those for all.
    """
    bots = ("robots", *(agent.lower() for agent in agents if agent != "*"))
    words = ", ".join(literal(f"{bot}: {word}") for bot in bots for word in ("noindex", "none"))
    noindex = f"list_has_any(coalesce(robots, []), [{words}])"
    connection.execute(f"CREATE OR REPLACE TEMP VIEW entries AS SELECT * FROM listed WHERE run = {int(run)}")
    connection.execute(_PAGE_VIEW.format(run=int(run), noindex=noindex, few=_MIN_DATES))
    connection.execute(_MEDIA)
    connection.execute(_BEFORE.format(run=int(run)))


def make_soft(connection: DuckDBPyConnection) -> None:
    """Make the table `soft`: pages with two signs or more of an error page."""
    connection.execute(_SOFT)
