"""Rules for what search engines may fetch and index, and for what links lead to."""

from __future__ import annotations

from typing import Final

from urlset._audit.rules.declaration import Correction, LiveRule, Words
from urlset._audit.rules.needs import CRAWL, DISALLOWED, SOFT, WHOLE_CRAWL
from urlset._runs.pages import CANONICAL

#: What the crawl has an answer for, and what is listed; after the whole site, everything.
_CRAWLED: Final = """
    SELECT loc FROM pages WHERE run = (SELECT run FROM crawl_run) AND refused IS NULL
    UNION SELECT loc FROM entries UNION SELECT loc FROM previous WHERE (SELECT is_whole FROM crawl_run)"""

RULES: Final = (
    LiveRule(
        code="LIVE004",
        words=Words("has noindex", "have noindex", "remove the entries, or the noindex"),
        found="""
            SELECT loc, below(loc) AS pattern, array_to_string(
                list_filter(robots, lambda each: regexp_matches(each, ': (noindex|none)$')), ', ') AS detail
            FROM page_view WHERE is_direct AND has_noindex AND loc NOT IN (SELECT loc FROM soft)""",
        needs=(SOFT,),
        correction=Correction(removes=True),
    ),
    LiveRule(
        code="LIVE006",
        words=Words("has no link to it", "have no link to them", "link to the pages, or remove them and their entries"),
        # A link to a URL that redirects to the page counts; one of the page to itself does not.
        found="""
            WITH ends AS (
                SELECT normal_loc, any_value(normal_final) AS url FROM pages
                WHERE run = (SELECT run FROM crawl_run) GROUP BY normal_loc
            ), linked AS (
                SELECT DISTINCT coalesce(target.url, links.target) AS url
                FROM links LEFT JOIN ends AS target ON target.normal_loc = links.target
                    LEFT JOIN ends AS source ON source.normal_loc = links.source
                WHERE links.run = (SELECT run FROM crawl_run) AND links.kind = 'a'
                    AND coalesce(target.url, links.target) <> coalesce(source.url, links.source)
            )
            SELECT loc, below(loc) AS pattern, NULL AS detail
            FROM page_view WHERE is_indexable AND path_of(url) <> '/' AND (canonical IS NULL OR canonical = url)
                AND url NOT IN (FROM linked)""",
        needs=(WHOLE_CRAWL,),
    ),
    LiveRule(
        code="LIVE007",
        extent="set",
        judged=_CRAWLED,
        words=Words(
            "is not listed",
            "are not listed",
            "add the pages to the sitemap, or give them a noindex",
            subject="page",
        ),
        found=f"""
            SELECT final_url AS loc, below(final_url) AS pattern, NULL AS detail
            FROM pages
            WHERE run = (SELECT run FROM crawl_run)
                AND status = 200 AND refused IS NULL AND trap IS NULL AND coalesce(len(hops), 0) = 0
                AND content_type ILIKE '%html%' AND NOT coalesce(is_noindex, false)
                AND coalesce({CANONICAL}, normal_final) = normal_final
                AND host_of(normal_final) IN (SELECT host_of(url) FROM normalized)
                AND normal_final NOT IN (SELECT url FROM normalized)""",
        needs=(CRAWL,),
    ),
    LiveRule(
        code="LIVE027",
        words=Words(
            "is disallowed by robots.txt",
            "are disallowed by robots.txt",
            "remove the entries, or allow the pages in robots.txt",
        ),
        found="SELECT loc, line AS pattern, 'for ' || agents AS detail FROM disallowed",
        needs=(DISALLOWED,),
    ),
)
