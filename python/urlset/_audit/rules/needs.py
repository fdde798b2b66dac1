"""What rules need beside what this run knows of each listed page."""

from __future__ import annotations

from typing import Final

from urlset._audit.rules.declaration import Draw, Need, Probe

MAX_SECTIONS: Final = 10
MAX_MISSING: Final = 100
#: Pages of a section, and of a site, that are fetched twice in a run.
TWICE_EACH: Final = 5
MAX_TWICE: Final = 500

#: Pages that do not exist: of each host, at its root and in its largest sections. The names are the same in each run,
#: and nobody has chosen them.
MISSING: Final = Probe(
    kind="missing",
    draws=(
        Draw(
            questions=f"""
                WITH folders AS (
                    SELECT DISTINCT scheme_of(url) || '://' || host_of(url) AS site, '/' AS section
                    FROM page_view WHERE is_ok
                    UNION (
                        SELECT scheme_of(url) || '://' || host_of(url), section_of(url) FROM page_view WHERE is_ok
                        GROUP BY ALL ORDER BY count(*) DESC LIMIT {MAX_SECTIONS}
                    )
                )
                SELECT NULL, site || section || 'no-such-page-' || left(sha256(site || section), 16) FROM folders""",
            most=MAX_MISSING,
            by="url",
        ),
    ),
)
#: Pages that are most likely error pages, by what their hosts answer for pages that do not exist. A rule that reads
#: them has that asked, so that it finds the same whichever others are selected.
SOFT: Final = Need(name="signs of error pages", tables=frozenset({"soft"}), probe=MISSING)

#: Pages with nearly the text of another. Error pages do not count.
NEAR: Final = Need(name="near texts", tables=frozenset({"near", "texts"}), probe=MISSING)

#: The lines of robots.txt that keep crawlers from listed pages.
DISALLOWED: Final = Need(name="robots.txt", tables=frozenset({"disallowed"}))
#: The same if another rule reports them, and otherwise nothing.
FOUND_DISALLOWED: Final = Need(name="what LIVE027 reports", tables=frozenset({"disallowed"}))

#: Some pages of each section once more, first those that seem to have changed.
TWICE: Final = Probe(
    kind="twice",
    draws=(
        Draw(
            questions=f"""
                WITH known AS (
                    SELECT loc, row_number() OVER (
                            PARTITION BY section_of(loc)
                            ORDER BY page_view.content_hash <> before.content_hash DESC, md5_number_lower(loc)
                        ) AS number
                    FROM page_view JOIN before USING (loc) WHERE is_direct AND page_view.content_hash IS NOT NULL
                )
                SELECT loc, loc FROM known WHERE number <= {TWICE_EACH}
                ORDER BY number, loc LIMIT {MAX_TWICE}""",
            most=MAX_TWICE,
        ),
    ),
)
#: Whether each page of this run has changed since the last audit that saw it.
CHANGES: Final = Need(
    name="two audits of a page, and some pages twice",
    tables=frozenset({"before", "changes_now"}),
    is_met="SELECT count(*) > 0 FROM before",
    probe=TWICE,
)

_CRAWLED: Final = frozenset({"crawl_run", "pages", "links", "linked"})
_WHY: Final = "SELECT site AS loc, why AS pattern, NULL AS detail FROM crawl_run"
_REMEDY: Final = "crawl the whole site into the same file: urlset crawl SITE --state FILE"
#: A crawl that may have ended early: what it found is there.
CRAWL: Final = Need(
    name="a crawl",
    tables=_CRAWLED,
    is_met="SELECT run IS NOT NULL FROM crawl_run",
    otherwise=_WHY,
    remedy=_REMEDY,
)
#: A crawl that has seen all of the site: only then is what it did not find not there.
WHOLE_CRAWL: Final = Need(
    name="a complete crawl",
    tables=_CRAWLED,
    is_met="SELECT is_whole FROM crawl_run",
    otherwise=_WHY,
    remedy=_REMEDY,
)
_SAMPLED: Final = "a sample of the listed pages was fetched, and the others may link to pages, too"
#: The links of all listed pages: of a sample, nobody knows where the other pages link.
ALL_LISTED: Final = Need(
    name="the links of all listed pages",
    tables=frozenset({"linked"}),
    is_met="SELECT (SELECT count(DISTINCT loc) FROM entries) = (SELECT count(*) FROM page_view)",
    otherwise=f"SELECT site AS loc, '{_SAMPLED}' AS pattern, NULL AS detail FROM crawl_run",
    remedy="audit all pages: leave out --sample",
    reason=_SAMPLED,
)
