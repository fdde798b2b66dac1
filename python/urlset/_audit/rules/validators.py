"""Rules for ETag and Last-Modified, by which crawlers fetch only what has changed."""

from __future__ import annotations

from typing import Final

from urlset._audit.rules.declaration import Draw, LiveRule, Probe, Words
from urlset._audit.rules.lastmods import SINCE
from urlset._audit.rules.needs import CHANGES

MAX_VALIDATORS: Final = 2_000

VALIDATORS: Final = Probe(
    kind="validator",
    draws=(
        Draw(
            questions="""
                SELECT loc, loc, etag FROM page_view
                WHERE is_direct AND etag IS NOT NULL AND body_hash IS NOT NULL""",
            most=MAX_VALIDATORS,
        ),
    ),
)

#: Pages that are sent in full, and unchanged, to a client that has them, with the same ETag or with another one.
_SENT_AGAIN: Final = """
    FROM page_view JOIN asked_validator AS again USING (loc)
    WHERE is_direct AND again.status = 200 AND again.body_hash = page_view.body_hash
        AND replace(again.etag, 'W/', '') {0} replace(page_view.etag, 'W/', '')"""

#: A page without an ETag has no wrong one.
_ASKED: Final = """
    SELECT loc FROM asked_validator WHERE refused IS NULL
    UNION SELECT loc FROM page_view WHERE refused IS NULL AND etag IS NULL"""

RULES: Final = (
    LiveRule(
        code="LIVE018",
        words=Words(
            "answers 304 Not Modified although its content has changed",
            "answer 304 Not Modified although their content has changed",
            "make the ETag from the bytes of the answer, and look for a cache that keeps old ones",
        ),
        found="""
            SELECT loc, below(loc) AS pattern, 'it has changed since ' || strftime(before.fetched, '%Y-%m-%d') AS detail
            FROM page_view JOIN before USING (loc) JOIN changes_now USING (loc)
                JOIN asked_since AS since USING (loc)
            WHERE is_direct AND since.status = 304 AND is_changed""",
        needs=(CHANGES,),
        probes=(SINCE,),
        judged="SELECT loc FROM changes_now JOIN asked_since USING (loc) WHERE is_changed AND refused IS NULL",
        known="SELECT loc FROM changes_now WHERE is_changed IS NOT NULL",
    ),
    LiveRule(
        code="LIVE019",
        words=Words(
            "has another ETag for the same bytes",
            "have another ETag for the same bytes",
            "make the ETag from the content",
        ),
        found="SELECT loc, below(loc) AS pattern, page_view.etag || ', then ' || again.etag AS detail"
        + _SENT_AGAIN.format("<>"),
        probes=(VALIDATORS,),
        judged=_ASKED,
    ),
    LiveRule(
        code="LIVE020",
        words=Words(
            "answers 200 instead of 304 although the ETag matches",
            "answer 200 instead of 304 although the ETags match",
            "answer 304 if If-None-Match has the current ETag",
        ),
        found="SELECT loc, below(loc) AS pattern, page_view.etag AS detail" + _SENT_AGAIN.format("="),
        probes=(VALIDATORS,),
        judged=_ASKED,
    ),
    LiveRule(
        code="LIVE021",
        words=Words(
            "has neither ETag nor Last-Modified",
            "have neither ETag nor Last-Modified",
            "send an ETag made from the content",
        ),
        found="""
            SELECT loc, below(loc) AS pattern, NULL AS detail
            FROM page_view WHERE is_direct AND etag IS NULL AND last_modified IS NULL""",
    ),
)
