"""Rules for pages with the text of others."""

from __future__ import annotations

from typing import Final

from urlset._audit.near_texts import IS_MENU, OWN_TEXT, VERSIONS_OF
from urlset._audit.page_views import MIN_WORDS
from urlset._audit.rules.declaration import Correction, LiveRule, Words
from urlset._audit.rules.needs import NEAR, SOFT

_NEAR: Final = """
    SELECT loc, coalesce(nullif(change_of(loc, other), ''), 'another spelling of the URL') AS pattern,
        other || ', about ' || floor(100 * share)::INTEGER || ' % of the text, '
            || CASE WHEN has_title THEN 'the same title' ELSE 'another title' END AS detail
    FROM near WHERE {0}"""

RULES: Final = (
    LiveRule(
        code="LIVE022",
        extent="group",
        words=Words(
            "has the text of another listed page",
            "have the text of another listed page",
            "list one of them, and name it as the canonical URL on the others",
        ),
        # One body in several languages is what hreflang is for: pages that name each other are one place.
        # Source: Google Search Central, localized versions of your pages.
        found=f"""
            WITH bodies AS (
                SELECT loc, url, content_hash, first_value(loc) OVER each AS first, row_number() OVER each AS place,
                    count(*) OVER (PARTITION BY content_hash) AS alike
                FROM page_view WHERE words >= {MIN_WORDS // 3} AND {OWN_TEXT}
                WINDOW each AS (PARTITION BY content_hash ORDER BY length(loc), loc)
            ), copies AS (
                FROM bodies WHERE alike > 1
            ), links AS ({VERSIONS_OF.format("copies")}), named AS (
                SELECT copies.loc, other.loc AS other, other.place
                FROM links JOIN copies USING (loc) JOIN copies AS other ON other.url = links.href
                WHERE other.content_hash = copies.content_hash
            ), languages AS (
                SELECT named.loc, min(named.place) AS place
                FROM named JOIN named AS back ON back.loc = named.other AND back.other = named.loc GROUP BY named.loc
            )
            SELECT loc, change_of(loc, first) AS pattern, first AS detail
            FROM copies LEFT JOIN languages USING (loc)
            WHERE least(copies.place, coalesce(languages.place, copies.place)) > 1""",
        needs=(SOFT,),
        # A page that is a version of another in its language, by its own words, is never left out for its text.
        correction=Correction(
            removes=True, unless="len(coalesce(hreflang, [])) > 0 OR len(coalesce(listed_hreflang, [])) > 0"
        ),
    ),
    LiveRule(
        code="LIVE038",
        extent="group",
        words=Words(
            "has nearly the text of another listed page",
            "have nearly the text of another listed page",
            "make one page of them, or give each a text of its own",
        ),
        found=_NEAR.format(f"has_main OR NOT {IS_MENU}"),
        inconclusive=_NEAR.format(f"NOT has_main AND {IS_MENU}"),
        needs=(NEAR,),
        reasons={
            "": (
                "nearly all pages without a main part are alike, which may be their menu",
                "put the text of each page into a main element",
            )
        },
    ),
)
