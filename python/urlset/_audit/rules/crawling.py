"""Rules for what search engines may fetch and index, and for where links lead."""

from __future__ import annotations

from typing import Final

from urlset._audit.rules.declaration import Correction, LiveRule, Words
from urlset._audit.rules.needs import ALL_LISTED, CRAWL, DISALLOWED, SOFT, WHOLE_CRAWL
from urlset._runs.pages import CANONICAL
from urlset._util.duckdb import literal

#: What the crawl has an answer for; after the whole site, everything.
_CRAWLED: Final = """
    SELECT loc FROM pages WHERE run = (SELECT run FROM crawl_run) AND refused IS NULL
    UNION SELECT loc FROM previous WHERE (SELECT is_whole FROM crawl_run)"""

#: Links of the crawl and of the listed pages that it did not reach count.
_MAY_BE_LINKED: Final = "is_indexable AND path_of(url) <> '/' AND (canonical IS NULL OR canonical = url)"

#: Further pages of a list, and archives, are often left out of a sitemap on purpose: they are findings of their own.
_ARCHIVE: Final = (
    r"/(19|20)\d\d(/(0?[1-9]|1[0-2])(/[0-3]?\d)?)?/?([?#]|$)"
    r"|/(tags?|categor(y|ies)|author|authors|archives?|kategorie|schlagwort)/"
)
_FIRST_PAGE: Final = r"[?](page|paged|p|pg)=1$|/page/1/?$"
_SERIES: Final = f"""CASE WHEN is_further(final_url) THEN 'further pages'
    WHEN regexp_matches(final_url, {literal(_ARCHIVE)}, 'i') THEN 'archives' END"""

#: Pages of the crawl that links lead to, by what they answer.
_LINKED_AS: Final = """
    SELECT pages.loc, {0} || below(pages.loc) AS pattern,
        'linked from ' || count(DISTINCT links.source) || CASE WHEN count(DISTINCT links.source) = 1
            THEN ' page, ' ELSE ' pages, such as ' END || min(links.source) AS detail
    FROM pages JOIN links ON links.run = pages.run AND links.target = pages.normal_loc AND links.kind = 'a'
    WHERE pages.run = (SELECT run FROM crawl_run) AND refused IS NULL AND trap IS NULL AND {1}
    GROUP BY pages.loc, pages.status, pages.final_url"""

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
        code="LIVE036",
        words=Words(
            "leaves the index by its own words",
            "leave the index by their own words",
            "remove the entries, or the unavailable_after",
        ),
        found="""
            SELECT loc, below(loc) AS pattern, 'unavailable_after ' || strftime(unavailable, '%Y-%m-%d') AS detail
            FROM page_view WHERE is_indexable AND unavailable <= fetched""",
        correction=Correction(removes=True),
    ),
    LiveRule(
        code="LIVE006",
        words=Words("has no link to it", "have no link to them", "link to the pages, or remove them and their entries"),
        found=f"""
            SELECT loc, below(loc) AS pattern, NULL AS detail
            FROM page_view WHERE {_MAY_BE_LINKED} AND url NOT IN (SELECT url FROM linked)""",
        needs=(WHOLE_CRAWL, ALL_LISTED),
    ),
    LiveRule(
        code="LIVE007",
        extent="set",
        judged=f"{_CRAWLED} UNION SELECT loc FROM entries",
        words=Words(
            "is not listed",
            "are not listed",
            "add the pages to the sitemap, or give them a noindex",
            subject="page",
        ),
        found=f"""
            WITH unlisted AS (
                SELECT final_url, content_hash, {_SERIES} AS series,
                    regexp_replace(final_url, {literal(_FIRST_PAGE)}, '') AS whole
                FROM pages
                WHERE run = (SELECT run FROM crawl_run)
                    AND status = 200 AND refused IS NULL AND trap IS NULL AND coalesce(len(hops), 0) = 0
                    AND content_type ILIKE '%html%' AND NOT coalesce(is_noindex, false)
                    AND coalesce({CANONICAL}, normal_final) = normal_final
                    AND host_of(normal_final) IN (SELECT host_of(url) FROM normalized)
                    AND normal_final NOT IN (SELECT url FROM normalized)
            )
            -- The first page of a list is the list itself, under another URL.
            SELECT final_url AS loc, concat_ws(' of ', series, below(final_url)) AS pattern, NULL AS detail
            FROM unlisted
            WHERE whole = final_url OR NOT EXISTS (
                FROM pages WHERE run = (SELECT run FROM crawl_run) AND pages.normal_final = unlisted.whole
                    AND pages.content_hash = unlisted.content_hash)""",
        needs=(CRAWL,),
    ),
    LiveRule(
        code="LIVE028",
        extent="group",
        words=Words(
            "cannot be reached from the home page",
            "cannot be reached from the home page",
            "link to one of them from a page that is reached",
        ),
        # Pages that link only to each other are an island. What no page links to is LIVE006.
        found=f"""
            SELECT loc, below(loc) AS pattern, 'linked only from pages like ' || source AS detail
            FROM page_view JOIN linked USING (url) WHERE {_MAY_BE_LINKED} AND NOT is_reached""",
        needs=(WHOLE_CRAWL,),
    ),
    LiveRule(
        code="LIVE029",
        extent="set",
        judged=_CRAWLED,
        words=Words(
            "is linked and does not exist",
            "are linked and do not exist",
            "correct the links, or bring the pages back",
            subject="page",
        ),
        found=_LINKED_AS.format("pages.status || ' '", "status >= 400"),
        needs=(CRAWL,),
    ),
    LiveRule(
        code="LIVE030",
        extent="set",
        judged=_CRAWLED,
        words=Words(
            "is linked and redirects",
            "are linked and redirect",
            "link to the URLs that they redirect to",
            subject="URL",
        ),
        found=_LINKED_AS.format(
            "coalesce(nullif(change_of(pages.loc, pages.final_url), ''), 'another spelling of the URL') || ', '",
            "status = 200 AND coalesce(len(hops), 0) > 0",
        ),
        needs=(CRAWL,),
    ),
    LiveRule(
        code="LIVE027",
        words=Words(
            "is disallowed by robots.txt",
            "are disallowed by robots.txt",
            "remove the entries, or allow the pages in robots.txt",
        ),
        found="""
            SELECT loc, line AS pattern, 'for ' || agents AS detail FROM disallowed SEMI JOIN page_view USING (loc)""",
        needs=(DISALLOWED,),
    ),
)
