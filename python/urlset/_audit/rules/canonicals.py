"""Rules for the canonical URLs that pages name."""

from __future__ import annotations

from typing import Final

from urlset._audit.rules.declaration import Correction, Draw, LiveRule, Probe, Words
from urlset._runs.schema import MAX_URL

MAX_CANONICALS: Final = 2_000
#: Servers answer all spellings of a URL alike, or none: a few questions show which.
MAX_SPELLINGS: Final = 50

_UNKNOWN: Final = """
    WITH unknown AS (
        SELECT min(loc) AS loc, chosen, any_value(canonical) IN (SELECT url FROM page_view) AS is_listed
        FROM page_view
        WHERE is_indexable AND NOT has_several AND NOT has_conflict AND canonical IS NOT NULL
            AND chosen NOT IN (SELECT sent FROM page_view WHERE sent IS NOT NULL)
        GROUP BY chosen
    )"""
#: What is a listed page itself is known already. If the page writes the URL of a listed page in another way, the server
#: may answer that differently.
CANONICALS: Final = Probe(
    kind="canonical",
    draws=(
        Draw(
            questions=f"{_UNKNOWN} SELECT loc, chosen FROM unknown WHERE NOT is_listed", most=MAX_CANONICALS, by="url"
        ),
        Draw(
            questions=f"{_UNKNOWN} SELECT loc, chosen FROM unknown WHERE is_listed",
            most=MAX_SPELLINGS,
            by="url",
            is_enough=True,
        ),
    ),
)

#: The canonical URL of each page that may be indexed, and what it answers, if it is not the page itself as it was sent.
#: The answer of a listed page stands for each spelling of its URL that was not requested.
_CHOSEN: Final = """
    WITH known AS (
        SELECT sent AS asked, url, status, redirects > 0 AS is_redirect, refused, has_noindex AS is_noindex,
            CASE WHEN has_several OR has_conflict THEN NULL ELSE canonical END AS canonical FROM page_view
        UNION ALL BY NAME
        SELECT url AS asked, status, final_url <> url AS is_redirect, refused, canonical, is_noindex
        FROM asked_canonical
    ), answers AS (
        FROM known UNION ALL
        SELECT * REPLACE (url AS asked) FROM known WHERE url <> asked AND url NOT IN (SELECT asked FROM known)
    ), target AS (
        SELECT asked, any_value(status) AS status, bool_or(is_redirect) AS is_redirect, any_value(refused) AS refused,
            any_value(canonical) AS canonical, bool_or(is_noindex) AS is_noindex
        FROM answers WHERE asked IS NOT NULL GROUP BY asked
    ), named AS (
        SELECT *, CASE WHEN chosen IN (SELECT asked FROM target) THEN chosen ELSE canonical END AS asked
        FROM page_view WHERE is_indexable AND NOT has_several AND NOT has_conflict AND chosen <> sent
    ), chosen AS (
        SELECT named.loc, named.url, named.canonical, named.chosen, target.status, target.is_redirect,
            target.refused, target.canonical AS third,
            CASE WHEN target.refused IS NULL AND target.status IS NOT NULL
                    AND (target.status <> 200 OR target.is_redirect) THEN 'broken'
                WHEN named.canonical = named.url THEN 'itself'
                WHEN target.refused IS NULL AND target.is_noindex THEN 'hidden'
                WHEN target.refused IS NULL AND target.canonical NOT IN (named.canonical, named.url) THEN 'chain'
                ELSE 'elsewhere' END AS kind
        FROM named LEFT JOIN target ON target.asked = named.asked
    )"""

#: Whether the canonical URL of a page may be listed: it is a page of the site that answers 200 and stands for itself.
_IS_FIT: Final = f"""
    CASE WHEN length(chosen) >= {MAX_URL} THEN false
        WHEN scheme_of(canonical) NOT IN ('http', 'https') THEN NULL
        WHEN host_of(canonical) NOT IN (SELECT host_of(url) FROM normalized) THEN false
        ELSE (
            SELECT bool_and(asked.status = 200 AND asked.final_url = asked.url AND NOT coalesce(asked.is_noindex, false)
                AND coalesce(asked.canonical, page_view.canonical) = page_view.canonical)
            FROM asked_canonical AS asked WHERE asked.url = page_view.chosen AND asked.refused IS NULL
        ) END"""

RULES: Final = (
    LiveRule(
        code="LIVE005",
        is_of_asked=False,
        words=Words("names another canonical URL", "name another canonical URL", "list the canonical URLs"),
        found=f"""{_CHOSEN}
            SELECT loc, change_of(url, canonical) AS pattern, chosen AS detail FROM chosen WHERE kind = 'elsewhere'""",
        probes=(CANONICALS,),
        correction=Correction(loc="chosen", url="canonical", is_fit=_IS_FIT),
    ),
    LiveRule(
        code="LIVE023",
        words=Words("names several canonical URLs", "name several canonical URLs", "keep one canonical link"),
        found="""
            SELECT loc, below(loc) AS pattern, array_to_string(in_head[1:3], ', ') AS detail
            FROM page_view WHERE is_indexable AND has_several""",
    ),
    LiveRule(
        code="LIVE024",
        words=Words(
            "names a canonical URL that does not answer 200",
            "name a canonical URL that does not answer 200",
            "name a URL that answers 200",
        ),
        found=f"""{_CHOSEN}
            SELECT loc, CASE WHEN is_redirect THEN 'redirects ' ELSE status || ' ' END || below(chosen) AS pattern,
                chosen AS detail
            FROM chosen WHERE kind = 'broken'""",
        probes=(CANONICALS,),
    ),
    LiveRule(
        code="LIVE025",
        words=Words(
            "names a canonical URL that names another",
            "name a canonical URL that names another",
            "name the last URL of the chain",
        ),
        found=f"""{_CHOSEN}
            SELECT loc, below(loc) AS pattern, chosen || ', which names ' || third AS detail
            FROM chosen WHERE kind = 'chain'""",
        probes=(CANONICALS,),
    ),
    LiveRule(
        code="LIVE026",
        words=Words(
            "names one canonical URL in its head and another in its header",
            "name one canonical URL in their heads and another in their headers",
            "state it in one place",
        ),
        found="""
            SELECT loc, below(loc) AS pattern,
                in_head[1] || ' in the head, ' || in_header[1] || ' in the header' AS detail
            FROM page_view WHERE is_indexable AND has_conflict""",
    ),
    LiveRule(
        code="LIVE035",
        words=Words(
            "leads to a page that must not be indexed",
            "lead to pages that must not be indexed",
            "remove the noindex of the target, or name another target",
        ),
        found=f"""
            {_CHOSEN}
            SELECT loc, 'canonical URL, ' || below(loc) AS pattern, chosen AS detail FROM chosen WHERE kind = 'hidden'
            UNION ALL
            SELECT loc, 'redirect, ' || below(loc), final_url FROM page_view
            WHERE is_ok AND redirects > 0 AND has_noindex""",
        probes=(CANONICALS,),
    ),
    LiveRule(
        code="LIVE039",
        words=Words(
            "has its canonical link in the body",
            "have their canonical links in the body",
            "move the link to the head, where it counts",
        ),
        found="""
            SELECT loc, below(loc) AS pattern, body_canonical AS detail
            FROM page_view WHERE is_indexable AND body_canonical IS NOT NULL AND len(in_head) = 0""",
    ),
)
