"""Rules for lastmods, beside the dates of the pages and beside how their content has changed since the last audit."""

from __future__ import annotations

from typing import Final

from urlset._audit.rules.declaration import Correction, Draw, LiveRule, Probe, Words
from urlset._audit.rules.needs import CHANGES

#: How much older or newer a lastmod may be than the page says. Source: squirrelscan, Sitemap Lastmod Drift.
MAX_BEHIND: Final = "INTERVAL 7 DAY"
MAX_AHEAD: Final = "INTERVAL 30 DAY"
MAX_SINCE: Final = 2_000

#: Pages whose content has changed, or whose lastmod has moved: does the server say so?
SINCE: Final = Probe(
    kind="since",
    draws=(
        Draw(
            questions="""
                SELECT page_view.loc, page_view.loc, before.etag, epoch_us(before.last_modified)
                FROM page_view JOIN before USING (loc) JOIN changes_now USING (loc)
                WHERE is_direct AND (is_changed OR page_view.lastmod > before.lastmod)
                    AND (before.etag IS NOT NULL OR before.last_modified IS NOT NULL)""",
            most=MAX_SINCE,
        ),
    ),
)

#: Pages of which it cannot be told whether they have changed.
_UNJUDGED: Final = """
    SELECT loc, why || ' ' || below(loc) AS pattern, NULL AS detail
    FROM page_view JOIN changes_now USING (loc) WHERE is_indexable AND why IS NOT NULL AND {0}"""
#: Pages that have changed, or not; and those that were to tell of a change, or did.
_COMPARED: Final = "SELECT loc FROM changes_now WHERE is_changed IS NOT NULL"
_REASONS: Final = {
    "": (
        "it cannot be told whether they have changed",
        "leave out what is another at each fetch: --boilerplate SELECTOR, --mask TEXT",
    )
}

RULES: Final = (
    LiveRule(
        code="LIVE008",
        words=Words(
            "has a lastmod more than 7 days older than the page says",
            "have lastmods more than 7 days older than the pages say",
            "take the lastmod from the source of the page's date",
        ),
        found=f"""
            SELECT loc, below(loc) AS pattern, 'lastmod ' || lastmod_raw || ', the page says '
                || strftime(coalesce(page_date, header_date), '%Y-%m-%d') AS detail
            FROM page_view WHERE is_indexable AND lastmod < coalesce(page_date, header_date) - {MAX_BEHIND}
                AND coalesce(page_date, header_date) <= fetched""",
        correction=Correction(lastmod="coalesce(page_date, header_date)"),
    ),
    LiveRule(
        code="LIVE015",
        words=Words(
            "has a lastmod more than 30 days newer than the page says",
            "have lastmods more than 30 days newer than the pages say",
            "set the lastmod to the time of the change, not of a build",
        ),
        found=f"""
            SELECT loc, below(loc) AS pattern, 'lastmod ' || lastmod_raw || ', the page says '
                || strftime(coalesce(greatest(json_modified, modified), header_date), '%Y-%m-%d') AS detail
            FROM page_view WHERE is_indexable AND coalesce(json_modified, modified, header_date) IS NOT NULL
                AND lastmod > greatest(coalesce(greatest(json_modified, modified), header_date), published)
                    + {MAX_AHEAD}""",
        correction=Correction(lastmod="coalesce(greatest(json_modified, modified), header_date)"),
    ),
    LiveRule(
        code="LIVE016",
        is_of_asked=False,
        words=Words(
            "has a newer lastmod and the same content",
            "have newer lastmods and the same content",
            "move the lastmod only when the content changes",
        ),
        found="""
            SELECT loc, below(loc) AS pattern, 'lastmod ' || lastmod_raw || ', the content is as on '
                    || strftime(before.fetched, '%Y-%m-%d')
                    || CASE WHEN since.status = 304 THEN ', and the server answers 304' ELSE '' END AS detail
            FROM page_view JOIN before USING (loc) JOIN changes_now USING (loc)
                LEFT JOIN asked_since AS since USING (loc)
            WHERE is_indexable AND is_moved AND page_view.lastmod > before.lastmod AND NOT is_changed""",
        inconclusive=_UNJUDGED.format("is_moved AND page_view.lastmod > old_lastmod"),
        needs=(CHANGES,),
        probes=(SINCE,),
        judged=f"{_COMPARED} AND is_moved",
        known=_COMPARED,
        reasons=_REASONS,
    ),
    LiveRule(
        code="LIVE017",
        words=Words(
            "has changed, and its lastmod is the same",
            "have changed, and their lastmods are the same",
            "move the lastmod whenever the content changes",
        ),
        found="""
            SELECT loc, below(loc) AS pattern, 'lastmod is still ' || lastmod_raw AS detail
            FROM page_view JOIN changes_now USING (loc)
            WHERE is_indexable AND NOT is_moved AND NOT is_of_day AND is_changed AND page_view.lastmod = old_lastmod""",
        inconclusive=_UNJUDGED.format("NOT is_moved AND page_view.lastmod IS NOT NULL"),
        needs=(CHANGES,),
        judged=f"{_COMPARED} AND (is_moved OR NOT is_of_day) AND is_changed",
        known=_COMPARED,
        reasons=_REASONS,
    ),
)
