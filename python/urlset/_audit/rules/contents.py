"""Rules for what an entry says of the content of its page: its images, its videos and its languages."""

from __future__ import annotations

from typing import Final

from urlset._audit.page_views import MAX_MEDIA
from urlset._audit.rules.declaration import ANSWERED, Draw, LiveRule, Probe, Words
from urlset._audit.rules.needs import DISALLOWED
from urlset._util.duckdb import literal

MEDIA: Final = Probe(
    kind="media",
    draws=(Draw(questions="SELECT min(loc), url FROM media GROUP BY url", most=MAX_MEDIA, by="url"),),
    method="HEAD",
)

#: What no video is. Of a player, the type says nothing: it may be a page.
#: Source: Google Search Central, video sitemaps, content_loc.
_NO_VIDEO: Final = "^(text/html|application/(xhtml[+]xml|x-shockwave-flash)|image/.*)$"
_MEDIA: Final = f"""
    WITH typed AS (
        SELECT media.loc, url, kinds, status, refused, line, agents, final_url,
            lower(trim(split_part(content_type, ';', 1))) AS kind
        FROM media JOIN asked_media USING (url) LEFT JOIN disallowed ON disallowed.loc = url
    ), judged AS (
        SELECT *, CASE
            WHEN status IS NULL THEN 'redirect loop'
            WHEN status NOT IN (200, 206) THEN status::VARCHAR
            WHEN list_has_any(kinds, ['image', 'thumbnail']) AND coalesce(kind, '') NOT LIKE 'image/%'
                OR list_contains(kinds, 'video') AND regexp_matches(kind, {literal(_NO_VIDEO)})
                THEN coalesce(nullif(kind, ''), 'no type') END AS fault
        FROM typed
    )
    SELECT DISTINCT ON (loc) loc, {{0}} AS pattern,
        concat_ws(', ', url, nullif(array_to_string(kinds, ' and '), 'image'),
            CASE WHEN final_url <> url THEN 'leads to ' || final_url END, 'for ' || agents) AS detail
    FROM judged WHERE {{1}} ORDER BY loc, pattern"""

RULES: Final = (
    LiveRule(
        code="LIVE009",
        words=Words(
            "lists an image or a video that cannot be shown",
            "list images or videos that cannot be shown",
            "correct the URLs of the files, or allow crawlers to fetch them",
        ),
        # Source: Google Search Central, video sitemaps: all files must be accessible, and not disallowed.
        found=_MEDIA.format(
            "coalesce(line, fault || ' ' || below(url))", "line IS NOT NULL OR (refused IS NULL AND fault IS NOT NULL)"
        ),
        inconclusive=_MEDIA.format("refused || ' ' || below(url)", "line IS NULL AND refused IS NOT NULL"),
        needs=(DISALLOWED,),
        probes=(MEDIA,),
        judged=f"""{ANSWERED} AND loc NOT IN (
            SELECT media.loc FROM media JOIN asked_media USING (url) WHERE refused IS NOT NULL)""",
    ),
    LiveRule(
        code="LIVE010",
        words=Words(
            "states other languages in its hreflang than in the sitemap",
            "state other languages in their hreflang than in the sitemap",
            "make both from the same data, or state them in one place",
        ),
        found="""
            WITH listed_links AS (
                SELECT loc, unnest(listed_hreflang) AS link FROM page_view WHERE is_indexable AND len(hreflang) > 0
            ), stated AS (
                SELECT loc, list_sort(list(DISTINCT
                    lower(link.hreflang) || ' ' || coalesce(normal, link.href))) AS in_entry
                FROM listed_links LEFT JOIN href_forms ON written = link.href GROUP BY loc
            ), pairs AS (
                SELECT loc, in_entry, list_sort(list_distinct(list_transform(hreflang,
                    lambda each: lower(each.hreflang) || ' ' || each.href))) AS in_page
                FROM page_view JOIN stated USING (loc)
            ), differing AS (
                SELECT loc, list_filter(in_page, lambda each: NOT list_contains(in_entry, each)) AS only_page,
                    list_filter(in_entry, lambda each: NOT list_contains(in_page, each)) AS only_entry FROM pairs
            )
            SELECT loc, below(loc) AS pattern, concat_ws('; ',
                CASE WHEN len(only_page) > 0 THEN 'only in the page: ' || only_page[1] END,
                CASE WHEN len(only_entry) > 0 THEN 'only in the sitemap: ' || only_entry[1] END) AS detail
            FROM differing WHERE len(only_page) > 0 OR len(only_entry) > 0""",
    ),
    LiveRule(
        code="LIVE050",
        words=Words(
            "has its content only in a browser",
            "have their content only in a browser",
            "send the content with the page",
        ),
        found="""
            SELECT loc, below(loc) AS pattern, rendered AS detail
            FROM page_view WHERE is_ok AND rendered IS NOT NULL AND needs_browser IS NULL""",
    ),
)
