"""The rules of an audit: one statement for each, over the tables that `looks` and `probing` have filled.

Each statement selects the pages that it finds: `loc`, the `pattern` that they are folded by, a `detail` of this page,
and the `verdict`: `found`, or `inconclusive` where the answers prove nothing. A page has at most one of the
findings that exclude each other: an answer is an error, or leads elsewhere, or is a page whose content can be judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from urlset._audit.looks import FEW_WORDS

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: How much older or newer a lastmod may be than the page says. Source: squirrelscan, Sitemap Lastmod Churn.
BEHIND: Final = "INTERVAL 7 DAY"
AHEAD: Final = "INTERVAL 30 DAY"

_PROBE: Final = "SELECT * FROM probes WHERE run = {run} AND kind = '%s'"
#: The canonical URL of a page that may be indexed, and is another one. What its target answers is in `target`.
_CANONICAL: Final = f"""
    WITH known AS (
        SELECT url, status, redirects > 0 AS is_redirect, refused,
            CASE WHEN has_several OR has_conflict THEN NULL ELSE canonical END AS canonical FROM look
        UNION ALL BY NAME
        SELECT url, status, final_url <> url AS is_redirect, refused, canonical FROM ({_PROBE % "canonical"})
    ), target AS (
        SELECT url, any_value(status) AS status, bool_or(is_redirect) AS is_redirect, any_value(refused) AS refused,
            any_value(canonical) AS canonical FROM known GROUP BY url
    ), chosen AS (
        SELECT look.loc, look.url, look.canonical AS chosen, target.status, target.is_redirect, target.refused,
            target.canonical AS third,
            CASE WHEN target.refused IS NULL AND target.status IS NOT NULL
                    AND (target.status <> 200 OR target.is_redirect) THEN 'broken'
                WHEN target.refused IS NULL AND target.canonical NOT IN (look.canonical, look.url) THEN 'chain'
                ELSE 'elsewhere' END AS kind
        FROM look LEFT JOIN target ON target.url = look.canonical
        WHERE is_indexable AND NOT has_several AND NOT has_conflict AND look.canonical <> look.url
    )
"""
#: Pages of the last crawl. `crawl_run` has its number and whether it came to its end.
_LINKED: Final = """
    WITH crawled AS (SELECT * FROM pages WHERE run = (SELECT run FROM crawl_run)),
    ends AS (SELECT loc, any_value(final_url) AS final_url FROM crawled GROUP BY loc),
    linked AS (
        SELECT DISTINCT coalesce(target.final_url, links.target) AS url
        FROM links LEFT JOIN ends AS target ON target.loc = links.target
            LEFT JOIN ends AS source ON source.loc = links.source
        WHERE links.run = (SELECT run FROM crawl_run) AND links.kind = 'a'
            AND coalesce(target.final_url, links.target) <> coalesce(source.final_url, links.source)
    )
"""

RULES: Final[Mapping[str, str]] = {
    "LIVE001": f"""
        SELECT look.loc, look.status || ' ' || below(look.loc) AS pattern, look.status::VARCHAR AS detail
        FROM look LEFT JOIN ({_PROBE % "again"}) AS again USING (loc)
        WHERE look.refused IS NULL AND look.status BETWEEN 400 AND 499
            AND (again.status IS NULL OR again.refused IS NOT NULL OR again.status BETWEEN 400 AND 499)""",
    "LIVE002": f"""
        SELECT look.loc, look.status || ' ' || below(look.loc) AS pattern, look.status::VARCHAR AS detail
        FROM look LEFT JOIN ({_PROBE % "again"}) AS again USING (loc)
        WHERE look.refused IS NULL AND look.status BETWEEN 500 AND 599
            AND (again.status IS NULL OR again.refused IS NOT NULL OR again.status BETWEEN 500 AND 599)""",
    "LIVE003": """
        SELECT loc, change_of(url, final_url) AS pattern,
            final_url || CASE WHEN redirects > 1 THEN ', after ' || redirects || ' redirects' ELSE '' END
                || CASE WHEN final_url IN (SELECT url FROM spelled) THEN ', which is listed too' ELSE '' END AS detail
        FROM look WHERE is_ok AND redirects > 0""",
    "LIVE004": """
        SELECT loc, below(loc) AS pattern,
            array_to_string(list_filter(robots, lambda each: regexp_matches(each, ': (noindex|none)$')), ', ') AS detail
        FROM look WHERE is_direct AND has_noindex AND loc NOT IN (SELECT loc FROM soft)""",
    "LIVE005": f"{_CANONICAL} SELECT loc, change_of(url, chosen) AS pattern, chosen AS detail"
    " FROM chosen WHERE kind = 'elsewhere'",
    "LIVE006": f"""{_LINKED}
        SELECT loc, below(loc) AS pattern, NULL AS detail, 'found' AS verdict
        FROM look WHERE is_indexable AND (SELECT is_whole FROM crawl_run) AND path_of(url) <> '/'
            AND (canonical IS NULL OR canonical = url)
            AND url NOT IN (FROM linked)
        UNION ALL
        SELECT site, why, NULL, 'inconclusive' FROM crawl_run WHERE NOT is_whole""",
    "LIVE007": f"""{_LINKED}
        SELECT final_url AS loc, below(final_url) AS pattern, NULL AS detail, 'found' AS verdict
        FROM crawled
        WHERE status = 200 AND refused IS NULL AND trap IS NULL AND coalesce(len(hops), 0) = 0
            AND content_type ILIKE '%html%' AND NOT coalesce(is_noindex, false)
            AND len(list_filter(list_concat(coalesce(canonicals, []), coalesce(header_canonicals, [])),
                lambda each: each <> final_url)) = 0
            AND host_of(final_url) IN (SELECT host_of(url) FROM spelled)
            AND final_url NOT IN (SELECT url FROM spelled)
        UNION ALL
        SELECT site, why, NULL, 'inconclusive' FROM crawl_run WHERE run IS NULL""",
    "LIVE008": f"""
        SELECT loc, below(loc) AS pattern,
            'lastmod ' || lastmod_raw || ', the page says ' || strftime(coalesce(page_date, header_date), '%Y-%m-%d')
                AS detail
        FROM look WHERE is_indexable AND lastmod < coalesce(page_date, header_date) - {BEHIND}
            AND coalesce(page_date, header_date) <= fetched""",
    "LIVE009": f"""
        SELECT DISTINCT loc, CASE WHEN refused IS NOT NULL THEN refused || ' ' WHEN status <> 200 THEN status || ' '
                ELSE coalesce(content_type, 'no type') || ' ' END || below(url) AS pattern, url AS detail,
            CASE WHEN refused IS NULL THEN 'found' ELSE 'inconclusive' END AS verdict
        FROM ({_PROBE % "media"})
        WHERE refused IS NOT NULL OR status <> 200 OR NOT coalesce(content_type, '') ILIKE 'image/%'""",
    "LIVE010": """
        WITH pairs AS (
            SELECT loc, list_sort(list_distinct(list_transform(hreflang,
                lambda each: lower(each.hreflang) || ' ' || each.href))) AS said,
                list_sort(list_distinct(list_transform(listed_hreflang,
                lambda each: lower(each.hreflang) || ' ' || each.href))) AS listed
            FROM look WHERE is_indexable AND len(hreflang) > 0 AND len(listed_hreflang) > 0
        ), differing AS (
            SELECT loc, list_filter(said, lambda each: NOT list_contains(listed, each)) AS only_page,
                list_filter(listed, lambda each: NOT list_contains(said, each)) AS only_listed FROM pairs
        )
        SELECT loc, below(loc) AS pattern, concat_ws('; ',
            CASE WHEN len(only_page) > 0 THEN 'only in the page: ' || only_page[1] END,
            CASE WHEN len(only_listed) > 0 THEN 'only in the sitemap: ' || only_listed[1] END) AS detail
        FROM differing WHERE len(only_page) > 0 OR len(only_listed) > 0""",
    "LIVE011": """
        SELECT loc, coalesce(refused, CASE WHEN needs_browser IS NOT NULL THEN 'browser' ELSE 'not usable' END)
                || CASE WHEN status IS NULL THEN '' WHEN needs_browser IS NOT NULL THEN ''
                    ELSE ' ' || status END AS pattern,
            coalesce(problem, needs_browser, 'status ' || status) AS detail, 'inconclusive' AS verdict
        FROM look WHERE (refused IS NOT NULL OR (status IS NULL AND redirects = 0)
                OR (is_ok AND needs_browser IS NOT NULL))
            AND NOT (coalesce(refused, '') = 'robots' AND loc IN (SELECT loc FROM disallowed))""",
    "LIVE012": """
        SELECT loc, below(loc) AS pattern, coalesce(problem, 'status ' || status || ' without a location') AS detail
        FROM look WHERE refused IS NULL
            AND (status IN (300, 301, 302, 303, 307, 308) OR (status IS NULL AND redirects > 0))""",
    "LIVE013": f"""
        SELECT loc, below(loc) AS pattern, signs AS detail
        FROM soft JOIN look USING (loc) LEFT JOIN ({_PROBE % "again"}) AS again USING (loc)
        WHERE redirects = 0 AND (again.status = 200 AND again.refused IS NULL
            AND again.content_hash = look.content_hash)""",
    "LIVE014": f"""
        SELECT loc, below(loc) AS pattern, look.status || ', then ' || again.status AS detail
        FROM look JOIN ({_PROBE % "again"}) AS again USING (loc)
        WHERE look.refused IS NULL AND again.refused IS NULL AND look.status IS NOT NULL AND again.status IS NOT NULL
            AND look.status // 100 <> again.status // 100""",
    "LIVE015": f"""
        SELECT loc, below(loc) AS pattern,
            'lastmod ' || lastmod_raw || ', the page says '
                || strftime(coalesce(greatest(json_modified, modified), header_date), '%Y-%m-%d') AS detail
        FROM look WHERE is_indexable AND coalesce(json_modified, modified, header_date) IS NOT NULL
            AND lastmod > greatest(coalesce(greatest(json_modified, modified), header_date), published) + {AHEAD}""",
    "LIVE016": f"""
        SELECT loc, below(loc) AS pattern, 'lastmod ' || lastmod_raw || ', the content is as on '
                || strftime(before.fetched, '%Y-%m-%d')
                || CASE WHEN since.status = 304 THEN ', and the server answers 304' ELSE '' END AS detail
        FROM look JOIN before USING (loc) LEFT JOIN ({_PROBE % "since"}) AS since USING (loc)
        WHERE is_indexable AND needs_browser IS NULL AND look.lastmod > before.lastmod
            AND look.content_hash = before.content_hash""",
    "LIVE017": """
        SELECT loc, below(loc) AS pattern, 'lastmod is still ' || lastmod_raw AS detail
        FROM look JOIN before USING (loc)
        WHERE is_indexable AND needs_browser IS NULL AND look.lastmod = before.lastmod
            AND look.content_hash <> before.content_hash""",
    "LIVE018": f"""
        SELECT loc, below(loc) AS pattern, 'it has changed since ' || strftime(before.fetched, '%Y-%m-%d') AS detail
        FROM look JOIN before USING (loc) JOIN ({_PROBE % "since"}) AS since USING (loc)
        WHERE is_direct AND since.status = 304 AND look.content_hash <> before.content_hash""",
    "LIVE019": f"""
        SELECT loc, below(loc) AS pattern, look.etag || ', then ' || again.etag AS detail
        FROM look JOIN ({_PROBE % "validator"}) AS again USING (loc)
        WHERE is_direct AND again.status = 200 AND again.body_hash = look.body_hash
            AND replace(again.etag, 'W/', '') <> replace(look.etag, 'W/', '')""",
    "LIVE020": f"""
        SELECT loc, below(loc) AS pattern, look.etag AS detail
        FROM look JOIN ({_PROBE % "validator"}) AS again USING (loc)
        WHERE is_direct AND again.status = 200 AND again.body_hash = look.body_hash
            AND replace(again.etag, 'W/', '') = replace(look.etag, 'W/', '')""",
    "LIVE021": """
        SELECT loc, below(loc) AS pattern, NULL AS detail
        FROM look WHERE is_direct AND etag IS NULL AND last_modified IS NULL""",
    "LIVE022": f"""
        WITH bodies AS (
            SELECT loc, first_value(loc) OVER (PARTITION BY content_hash ORDER BY length(loc), loc) AS first,
                count(*) OVER (PARTITION BY content_hash) AS alike
            FROM look WHERE is_indexable AND content_hash IS NOT NULL AND needs_browser IS NULL
                AND words >= {FEW_WORDS // 3} AND NOT has_several AND NOT has_conflict
                AND (canonical IS NULL OR canonical = url) AND loc NOT IN (SELECT loc FROM soft)
        )
        SELECT loc, change_of(loc, first) AS pattern, first AS detail FROM bodies WHERE alike > 1 AND loc <> first""",
    "LIVE023": """
        SELECT loc, below(loc) AS pattern, array_to_string(in_head[1:3], ', ') AS detail
        FROM look WHERE is_indexable AND has_several""",
    "LIVE024": f"{_CANONICAL} SELECT loc, CASE WHEN is_redirect THEN 'redirects ' ELSE status || ' ' END"
    " || below(chosen) AS pattern, chosen AS detail FROM chosen WHERE kind = 'broken'",
    "LIVE025": f"{_CANONICAL} SELECT loc, below(loc) AS pattern, chosen || ', which names ' || third AS detail"
    " FROM chosen WHERE kind = 'chain'",
    "LIVE026": """
        SELECT loc, below(loc) AS pattern, in_head[1] || ' in the head, ' || in_header[1] || ' in the header' AS detail
        FROM look WHERE is_indexable AND has_conflict""",
    "LIVE027": "SELECT loc, line AS pattern, 'for ' || agents AS detail FROM disallowed",
}
#: The rules of this module.
CODES: Final = tuple(RULES)

_HIT: Final = """
    INSERT INTO hits (run, key, code, verdict, loc, pattern, detail)
    SELECT {run}, md5('{code} ' || verdict || ' ' || pattern), '{code}', verdict, loc, left(pattern, 300),
        left(detail, 1000)
    FROM (SELECT loc, pattern, detail, {verdict} AS verdict FROM ({query}))
"""


def judge(connection: DuckDBPyConnection, run: int, codes: Mapping[str, object]) -> None:
    """Judge the rules that are enabled, into the table `hits`."""
    for code, query in RULES.items():
        if code in codes:
            verdict = "verdict" if "AS verdict" in query else "'found'"
            filled = query.format(run=int(run))
            connection.execute(_HIT.format(run=int(run), code=code, verdict=verdict, query=filled))
