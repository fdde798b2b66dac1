"""Rules for what a server answers: errors, redirects, error pages that say 200, and answers that prove nothing."""

from __future__ import annotations

from typing import Final

from urlset._audit.rules.declaration import Correction, Draw, LiveRule, Probe, Words
from urlset._audit.rules.needs import FOUND_DISALLOWED, SOFT
from urlset._runs.schema import MAX_URL
from urlset._util.duckdb import literal

MAX_AGAIN: Final = 1_000

ERRORS_AGAIN: Final = Probe(
    kind="again",
    draws=(Draw(questions="SELECT loc, loc FROM page_view WHERE status >= 400 AND refused IS NULL", most=MAX_AGAIN),),
)
SOFT_AGAIN: Final = Probe(kind="again", draws=(Draw(questions="SELECT loc, loc FROM soft", most=MAX_AGAIN),))

#: Types of documents that are not pages. Search engines index others beside HTML, such as PDF.
#: Source: Google Search Central, file types indexable by Google.
_NO_PAGES: Final = (
    r"^(application/(rss\+xml|atom\+xml|xml|json|ld\+json|javascript|zip|gzip|octet-stream)"
    r"|text/(xml|css|javascript|plain)|(image|audio|font)/.*)$"
)

#: An error is found if the second answer is one of the same class, or if there is none.
_ERROR: Final = """
    SELECT page_view.loc, page_view.status || ' ' || below(page_view.loc) AS pattern,
        page_view.status::VARCHAR AS detail
    FROM page_view LEFT JOIN asked_again AS again USING (loc)
    WHERE page_view.refused IS NULL AND page_view.status // 100 = {0}
        AND (again.status IS NULL OR again.refused IS NOT NULL OR again.status // 100 = {0})"""

#: Whether the target of a redirect may be listed: it is a page of the site, may be indexed, stands for itself, and is
#: not where one signs in, often with the way back in its query. What has as many characters as are kept may be cut.
_IS_FIT: Final = rf"""
    length(final_url) < {MAX_URL} AND NOT has_noindex
    AND NOT has_several AND NOT has_conflict AND coalesce(canonical, normal_final) = normal_final
    AND host_of(normal_final) IN (SELECT host_of(url) FROM normalized)
    AND NOT regexp_matches(path_of(final_url), '(^|[/_-])(sign|log)[-_]?(in|on)([/._-]|$)', 'i')
    AND NOT regexp_matches(query_of(final_url), '=(https?(:|%3a)|/|%2f)', 'i')"""

RULES: Final = (
    LiveRule(
        code="LIVE001",
        is_of_asked=False,
        words=Words("is", "are", "remove the entries, or bring the pages back", takes_status=True),
        found=_ERROR.format(4),
        probes=(ERRORS_AGAIN,),
        correction=Correction(removes=True),
    ),
    LiveRule(
        code="LIVE002",
        is_of_asked=False,
        words=Words("is", "are", "look for the error in the log of the server", takes_status=True),
        found=_ERROR.format(5),
        probes=(ERRORS_AGAIN,),
    ),
    LiveRule(
        code="LIVE003",
        words=Words("redirects to another URL", "redirect to other URLs", "list the URLs that they redirect to"),
        found="""
            SELECT loc, coalesce(nullif(change_of(sent, final_url), ''), 'another spelling of the URL') AS pattern,
                final_url || CASE WHEN redirects > 1 THEN ', after ' || redirects || ' redirects'
                        WHEN hops[1].status = 200 THEN ', by a refresh' ELSE ', by ' || hops[1].status END
                    || CASE WHEN normal_final <> url AND normal_final IN (SELECT url FROM normalized)
                        THEN ', which is listed too' ELSE '' END AS detail
            FROM page_view WHERE is_ok AND redirects > 0""",
        correction=Correction(loc="final_url", url="normal_final", is_fit=_IS_FIT),
    ),
    LiveRule(
        code="LIVE011",
        words=Words("cannot be judged", "cannot be judged", "see what the detail says"),
        # That robots.txt disallows a page is a reason that needs no detail. That it cannot be read has another remedy.
        inconclusive="""
            WITH unjudged AS (
                SELECT *, CASE WHEN refused = 'robots' AND contains(problem, 'cannot be read') THEN 'robots unread'
                    ELSE refused END AS reason
                FROM page_view
                WHERE refused IS NOT NULL OR (status IS NULL AND redirects = 0) OR status >= 600
                    OR (is_ok AND needs_browser IS NOT NULL)
            )
            SELECT loc, coalesce(reason, CASE WHEN needs_browser IS NOT NULL THEN 'browser' ELSE 'not usable' END)
                    || CASE WHEN status IS NULL THEN '' WHEN needs_browser IS NOT NULL THEN ''
                        ELSE ' ' || status END AS pattern,
                CASE WHEN reason IS DISTINCT FROM 'robots'
                    THEN coalesce(problem, needs_browser, 'status ' || status) END AS detail
            FROM unjudged WHERE NOT (coalesce(refused, '') = 'robots' AND loc IN (SELECT loc FROM disallowed))""",
        needs=(FOUND_DISALLOWED,),
        reasons={
            "robots": (
                "robots.txt disallows it for this client",
                "allow it, or pass --ignore-robots on a site of your own",
            ),
            "robots unread": (
                "robots.txt cannot be read",
                "answer 200 or 404 for robots.txt: crawlers stay away until then",
            ),
            "bot challenge": (
                "the server blocks this client",
                "allow the client, or name one that is allowed: --user-agent, --headers",
            ),
            "timeout": ("the server took too long", "try again when the server is less busy"),
            "dns": (
                "the host name has no address",
                "check the name, and whether this network can resolve it",
            ),
            "tls": ("the certificate is not valid for this client", "renew it, or name its authority: --ca-file"),
            "private address": ("the address is private", "name a location on that host yourself"),
            "connection": ("the connection failed", "check whether the server is up"),
            "bound": ("the run has reached a bound", "raise the bound that the detail names"),
            "browser": (
                "the page needs a browser",
                "send the content with the page, or have it shown in a browser: --render",
            ),
            "": ("the answer cannot be used", "see what the detail says"),
        },
    ),
    LiveRule(
        code="LIVE012",
        words=Words(
            "has a redirect loop",
            "have redirect loops",
            "correct the redirects of the server",
        ),
        found="""
            SELECT loc, below(loc) AS pattern, coalesce(problem, 'status ' || status || ' without a location') AS detail
            FROM page_view WHERE refused IS NULL
                AND (status IN (300, 301, 302, 303, 307, 308) OR (status IS NULL AND redirects > 0))""",
        correction=Correction(removes=True),
    ),
    LiveRule(
        code="LIVE013",
        extent="group",
        words=Words(
            "is most likely an error page", "are most likely error pages", "answer 404 for what does not exist"
        ),
        found="""
            SELECT loc, below(loc) AS pattern, signs AS detail
            FROM soft JOIN page_view USING (loc) JOIN asked_again AS again USING (loc)
            WHERE redirects = 0 AND again.status = 200 AND again.refused IS NULL
                AND again.content_hash = page_view.content_hash""",
        needs=(SOFT,),
        probes=(SOFT_AGAIN,),
        correction=Correction(removes=True),
    ),
    LiveRule(
        code="LIVE014",
        words=Words(
            "answers differently when requested again",
            "answer differently when requested again",
            "compare the servers behind the address",
        ),
        found="""
            SELECT loc, below(loc) AS pattern, page_view.status || ', then ' || again.status AS detail
            FROM page_view JOIN asked_again AS again USING (loc)
            WHERE page_view.refused IS NULL AND again.refused IS NULL
                AND page_view.status // 100 <> again.status // 100""",
        needs=(SOFT,),
        probes=(ERRORS_AGAIN, SOFT_AGAIN),
    ),
    LiveRule(
        code="LIVE031",
        words=Words("is not a page", "are not pages", "list pages only, and answer 200 for them"),
        found=f"""
            WITH typed AS (
                SELECT *, lower(trim(split_part(coalesce(content_type, ''), ';', 1))) AS kind FROM page_view
            ), judged AS (
                SELECT loc, CASE WHEN status BETWEEN 201 AND 299 THEN 'status ' || status
                    WHEN is_ok AND method = 'GET' AND bytes = 0 THEN 'nothing in the answer'
                    WHEN is_ok AND regexp_matches(kind, {literal(_NO_PAGES)}) THEN kind END AS why
                FROM typed WHERE refused IS NULL AND redirects = 0
            )
            SELECT loc, why || ' ' || below(loc) AS pattern, why AS detail FROM judged WHERE why IS NOT NULL""",
        correction=Correction(removes=True),
    ),
    LiveRule(
        code="LIVE037",
        words=Words(
            "leads to another page by a script",
            "lead to other pages by a script",
            "redirect with status 301, and list the targets",
        ),
        found="""
            SELECT loc, coalesce(nullif(change_of(url, script_target), ''), 'another spelling of the URL') AS pattern,
                script_target AS detail
            FROM page_view WHERE is_direct AND script_target IS NOT NULL""",
    ),
)
