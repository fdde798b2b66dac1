"""Which pages have nearly the text of another, in time that grows with the pages alone: the table `near`.

A page is known by the sketch of its text, see `PageFacts.sketch`: the share of its lanes that two pages have in common
is that of the sequences of three words which either has. Pages that agree in all lanes of a *band* are in one bucket of
that band, and each is compared with two others of its bucket: the first, and the one before it by the next band. So a
thousand pages of one template cost a thousand comparisons for each band, and not a million.

Source: Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.4: locality-sensitive hashing for documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: The share of the sequences of three words of two texts that both have, from which on one is nearly the other. It is
#: the usual one: Screaming Frog, Near Duplicates.
MIN_SHARE: Final = 0.9
#: Lanes of a band, and bands of a sketch. Of two pages with this share, 97 of 100 agree in a band.
_LANES: Final = 8
_BANDS: Final = 16
#: An empty lane. What two pages have in none of them says nothing about their texts.
_EMPTY: Final = 65_535
#: Pages without a main part from which on it is seen that so many of them are alike: it may be their menu.
_MIN_PAGES: Final = 10
_MENU: Final = 0.8

#: Pages that stand for themselves, and whose text is there.
OWN_TEXT: Final = """
    is_indexable AND content_hash IS NOT NULL AND needs_browser IS NULL AND NOT has_several AND NOT has_conflict
    AND (canonical IS NULL OR canonical = url) AND loc NOT IN (SELECT loc FROM soft)"""
#: The URLs that some pages name as their versions in other languages, in their heads or in their entries.
VERSIONS_OF: Final = """
    SELECT loc, unnest(hreflang).href AS href FROM page_view SEMI JOIN {0} USING (loc)
    UNION
    SELECT loc, coalesce(normal, link.href) FROM (
        SELECT loc, unnest(listed_hreflang) AS link FROM page_view SEMI JOIN {0} USING (loc)
    ) LEFT JOIN href_forms ON written = link.href"""

#: One page of each body: its copies are LIVE022.
_TEXTS: Final = f"""
    CREATE OR REPLACE TEMP TABLE texts AS
    SELECT (row_number() OVER (ORDER BY length(loc), loc))::INTEGER AS number, * FROM (
        SELECT DISTINCT ON (content_hash) loc, url, title, has_main, sketch
        FROM page_view WHERE len(sketch) > 0 AND {OWN_TEXT} ORDER BY content_hash, length(loc), loc
    )"""
_PAIRS: Final = "CREATE OR REPLACE TEMP TABLE pairs (number INTEGER, other INTEGER)"
_PAIRS_OF_A_BAND: Final = f"""
    INSERT INTO pairs
    WITH buckets AS (
        SELECT number, hash(sketch[{{first}}:{{first}} + {_LANES - 1}]) AS bucket,
            hash(sketch[{{next}}:{{next}} + {_LANES - 1}]) AS next
        FROM texts WHERE list_min(sketch[{{first}}:{{first}} + {_LANES - 1}]) < {_EMPTY}
    ), near AS (
        SELECT number, first_value(number) OVER (PARTITION BY bucket ORDER BY number) AS first,
            lag(number) OVER (PARTITION BY bucket ORDER BY next, number) AS before
        FROM buckets
    )
    SELECT number, first FROM near WHERE first < number
    UNION ALL SELECT greatest(number, before), least(number, before) FROM near WHERE before IS NOT NULL"""
#: Pages of one list, and versions of one page in several languages, may be nearly the same.
_NEAR: Final = f"""
    CREATE OR REPLACE TEMP TABLE near AS
    WITH compared AS (
        SELECT number, other,
            len(list_filter(list_zip(one.sketch, two.sketch), lambda each: each[1] = each[2] AND each[1] < {_EMPTY}))
                AS alike,
            len(list_filter(list_zip(one.sketch, two.sketch), lambda each: least(each[1], each[2]) < {_EMPTY})) AS used
        FROM (SELECT DISTINCT number, other FROM pairs) JOIN texts AS one USING (number)
            JOIN texts AS two ON two.number = other
    ), alike AS (
        SELECT one.loc, one.url, two.loc AS other, two.url AS other_url, other AS place,
            -- Of the sequences of both, and not of either: 2 J / (1 + J), which is Dice's coefficient.
            2 * alike / (used + alike) AS share,
            one.title IS NOT DISTINCT FROM two.title AS has_title, one.has_main OR two.has_main AS has_main
        FROM compared JOIN texts AS one USING (number) JOIN texts AS two ON two.number = other
        WHERE 2 * alike >= {MIN_SHARE} * (used + alike) AND NOT are_of_one_list(one.url, two.url)
    ), named AS (
        SELECT loc FROM alike UNION SELECT other FROM alike
    ), versions AS ({VERSIONS_OF.format("named")})
    SELECT loc, arg_max(other, (share, -place)) AS other, max(share) AS share,
        arg_max(has_title, (share, -place)) AS has_title, bool_or(has_main) AS has_main
    FROM alike WHERE NOT (
        (loc, other_url) IN (SELECT (loc, href) FROM versions) AND (other, url) IN (SELECT (loc, href) FROM versions)
    ) GROUP BY loc"""
#: Whether nearly all pages without a main part are nearly alike.
IS_MENU: Final = f"""
    (SELECT count(*) >= {_MIN_PAGES} AND {_MENU} * count(*) <= (SELECT count(*) FROM near WHERE NOT has_main)
    FROM texts WHERE NOT has_main)"""


def make_near(connection: DuckDBPyConnection) -> None:
    """Make the table `near`: pages with nearly the text of one whose URL is shorter, and how near; and `texts`.

    The tables of `page_views`, and `soft`, must be there.
    """
    connection.execute(_TEXTS)
    connection.execute(_PAIRS)
    for band in range(_BANDS):
        first, following = (1 + number % _BANDS * _LANES for number in (band, band + 1))
        connection.execute(_PAIRS_OF_A_BAND.format(first=first, next=following))
    connection.execute(_NEAR)
    connection.execute("DROP TABLE pairs")
