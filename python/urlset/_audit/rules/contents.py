"""Rules for what an entry says of the content of its page: its images and its languages."""

from __future__ import annotations

from typing import Final

from urlset._audit.rules.declaration import ANSWERED, LiveRule, Probe, Words, drawn

MAX_MEDIA: Final = 1_000

MEDIA: Final = Probe(
    kind="media",
    questions=f"""
        SELECT min(loc), image
        FROM (SELECT loc, unnest(entries.images) AS image FROM entries JOIN page_view USING (loc))
        WHERE regexp_matches(image, '^https?://[^/?#]', 'i')
        GROUP BY image ORDER BY {drawn("image")} LIMIT {MAX_MEDIA}""",
    method="HEAD",
)

RULES: Final = (
    LiveRule(
        code="LIVE009",
        words=Words(
            "lists an image that cannot be shown",
            "list images that cannot be shown",
            "correct the URLs of the images",
        ),
        found="""
            SELECT DISTINCT loc, CASE WHEN status <> 200 THEN status || ' '
                    ELSE coalesce(content_type, 'no type') || ' ' END || below(url) AS pattern, url AS detail
            FROM asked_media
            WHERE refused IS NULL AND (status <> 200 OR NOT coalesce(content_type, '') ILIKE 'image/%')""",
        inconclusive="""
            SELECT DISTINCT loc, refused || ' ' || below(url) AS pattern, url AS detail
            FROM asked_media WHERE refused IS NOT NULL""",
        probes=(MEDIA,),
        judged=f"{ANSWERED} AND loc NOT IN (SELECT loc FROM asked_media WHERE refused IS NOT NULL)",
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
