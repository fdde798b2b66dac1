"""Rules for the versions of pages in other languages: what they answer, and whether they link back."""

from __future__ import annotations

from typing import Final

from urlset._audit.rules.declaration import Draw, LiveRule, Probe, Words

MAX_VERSIONS: Final = 1_000

#: The versions that listed pages name, in their heads, their headers or their entries.
_VERSIONS: Final = """
    written AS (
        SELECT loc, url, unnest(hreflang) AS link, true AS in_page FROM page_view WHERE is_indexable
        UNION ALL SELECT loc, url, unnest(listed_hreflang), false FROM page_view WHERE is_indexable
    ), versions AS (
        SELECT DISTINCT loc, url, in_page, lower(link.hreflang) AS code,
            split_part(coalesce(normal, link.href), '#', 1) AS href
        FROM written LEFT JOIN href_forms ON written = link.href
    )"""
VERSIONS: Final = Probe(
    kind="hreflang",
    draws=(
        Draw(
            questions=f"""
                WITH {_VERSIONS}
                SELECT min(loc), href FROM versions
                WHERE regexp_matches(href, '^https?://[^/?#]', 'i') AND href NOT IN (SELECT url FROM page_view)
                GROUP BY href""",
            most=MAX_VERSIONS,
            by="url",
        ),
    ),
)
#: What each of them is: a listed page, or the answer to a question. One that refused this client proves nothing.
_TARGETS: Final = f"""
    WITH {_VERSIONS}, answers AS (
        SELECT url AS href, status, redirects > 0 AS is_redirect, has_noindex AS is_noindex,
            CASE WHEN has_several OR has_conflict THEN NULL ELSE canonical END AS canonical,
            list_concat(coalesce(list_transform(hreflang, lambda each: each.href), []),
                coalesce(list_transform(listed_hreflang, lambda each: each.href), [])) AS back
        FROM page_view WHERE refused IS NULL
        UNION ALL BY NAME
        SELECT url AS href, status, final_url <> url AS is_redirect, is_noindex, canonical,
            list_transform(hreflang, lambda each: each.href) AS back
        FROM asked_hreflang WHERE refused IS NULL
    ), answered AS (
        SELECT href, any_value(status) AS status, bool_or(is_redirect) AS is_redirect,
            bool_or(is_noindex) AS is_noindex, any_value(canonical) AS canonical, any_value(back) AS back
        FROM answers GROUP BY href
    ), targets AS (
        SELECT versions.*, CASE WHEN is_redirect THEN 'redirects' WHEN status <> 200 THEN status::VARCHAR
            WHEN is_noindex THEN 'noindex' WHEN canonical <> href THEN 'names another canonical URL' END AS fault,
            back, status
        FROM versions JOIN answered USING (href) WHERE status IS NOT NULL
    )"""

RULES: Final = (
    LiveRule(
        code="LIVE032",
        words=Words(
            "names a language version that cannot be indexed",
            "name language versions that cannot be indexed",
            "name pages that answer 200, may be indexed and are their own canonical URLs",
        ),
        found=f"""
            {_TARGETS}
            SELECT DISTINCT ON (loc) loc, fault || ' ' || below(href) AS pattern, code || ' ' || href AS detail
            FROM targets WHERE fault IS NOT NULL ORDER BY loc, href""",
        probes=(VERSIONS,),
    ),
    LiveRule(
        code="LIVE033",
        words=Words(
            "names a language version that does not name it",
            "name language versions that do not name them",
            "have each version name all versions, itself among them",
        ),
        # That sitemaps do not link back, lint says. A version that states its languages in the sitemap alone does.
        found=f"""
            {_TARGETS}
            SELECT DISTINCT ON (loc) loc, below(href) AS pattern, code || ' ' || href AS detail
            FROM targets
            WHERE in_page AND fault IS NULL AND href <> url AND NOT list_contains(back, url) AND code <> 'x-default'
            ORDER BY loc, href""",
        probes=(VERSIONS,),
    ),
    LiveRule(
        code="LIVE034",
        extent="group",
        judged="SELECT loc FROM entries UNION SELECT url FROM asked_hreflang WHERE refused IS NULL",
        words=Words(
            "is not listed",
            "are not listed",
            "list each version of a page",
            subject="language version",
        ),
        found=f"""
            {_TARGETS}
            SELECT DISTINCT ON (href) href AS loc, code || ' ' || below(href) AS pattern, loc AS detail
            FROM targets WHERE fault IS NULL AND href NOT IN (SELECT url FROM normalized)
                AND host_of(href) IN (SELECT host_of(url) FROM normalized)
            ORDER BY href, loc""",
        probes=(VERSIONS,),
    ),
)
