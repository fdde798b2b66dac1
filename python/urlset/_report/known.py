"""What a run knows of each page, as one table of DuckDB that all figures count.

An audit requests what is listed, a crawl what is linked. So an audit is shown with the last crawl before it,
and a crawl with the last audit before it. They are joined by the normal form of what was requested, because a loc
can be spelled in many ways.

| column | meaning |
|---|---|
| url | the page |
| section | the section that the sitemap is divided into, or else the first folder of the path |
| is_listed | whether a sitemap lists it |
| is_linked | whether links lead to it; NULL without a crawl |
| is_now | whether this run has requested it |
| is_indexable | whether it answers 200, may be indexed and names no other page canonical; NULL if nobody knows |
| answer | one of `ANSWERS`, or `unseen` |
| lastmod | what the sitemap says, as a moment |
| lastmod_raw | the same as it was written |
| dated | the date that the page itself gives, or else its Last-Modified |
| depth | how many clicks it is away from where the crawl began |
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING

from urlset._runs.pages import CANONICAL
from urlset._util.identity import make_normal_forms

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._runs.file import Run

#: What a page answered: a class of color and its name on the page, the good ones first.
ANSWERS: Mapping[str, tuple[str, str]] = {
    "ok": ("c-ok", "200"),
    "redirect": ("c-redirect", "redirect"),
    "client": ("c-client", "4xx"),
    "server": ("c-server", "5xx"),
    "silent": ("c-silent", "no answer"),
    "refused": ("c-refused", "inconclusive"),
}
UNSEEN = "unseen"
#: Pages with a Last-Modified from which on it is seen that most have that of one deployment.
MIN_DATES = 5

_PATH = "regexp_extract({}, '^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*(/[^?#]*)', 1)"


def folder_of(column: str) -> str:
    """Return SQL for the first folder of the path of a URL, such as `/blog/`."""
    return f"coalesce(nullif(regexp_extract({_PATH.format(column)}, '^/[^/]+/'), ''), '/')"


_TABLE = f"""
CREATE OR REPLACE TEMP TABLE known AS
WITH
    deployments AS (
        SELECT run, date_trunc('hour', last_modified) AS hour FROM pages
        WHERE run IN ($audit, $crawl) AND last_modified IS NOT NULL GROUP BY 1, 2
        QUALIFY sum(count(*)) OVER (PARTITION BY run) >= {MIN_DATES}
            AND count(*) * 2 >= sum(count(*)) OVER (PARTITION BY run)
    ),
    asked AS (
        SELECT pages.run, loc, depth, trap, refused, status, coalesce(len(hops), 0) > 0 AS is_redirected,
            normal_loc AS url,
            -- A date that is only the time of the answer, or that of a deployment, says nothing about the page.
            coalesce(greatest(json_modified, modified, published),
                CASE WHEN last_modified < fetched - INTERVAL 1 HOUR AND hour IS NULL THEN last_modified END) AS dated,
            coalesce(is_noindex, false) OR coalesce({CANONICAL}, url) <> url AS is_elsewhere
        FROM pages
        LEFT JOIN deployments ON deployments.run = pages.run AND hour = date_trunc('hour', last_modified)
        WHERE pages.run IN ($audit, $crawl)
    ),
    listing AS (
        SELECT coalesce(normal, listed.loc) AS url, min(section) AS section, max(lastmod) AS lastmod,
            max(lastmod_raw) AS lastmod_raw
        FROM listed LEFT JOIN forms ON written = listed.loc
        WHERE listed.run = $audit GROUP BY ALL
    ),
    answers AS (SELECT * FROM asked QUALIFY row_number() OVER (PARTITION BY url ORDER BY run = $run DESC, run) = 1),
    linked AS (SELECT url, min(depth) AS depth FROM asked WHERE run = $crawl AND depth IS NOT NULL GROUP BY url),
    joined AS (
        SELECT
            url,
            coalesce(listing.section, {folder_of("url")}) AS section,
            listing.url IS NOT NULL AS is_listed,
            CASE WHEN $crawl IS NOT NULL THEN linked.url IS NOT NULL END AS is_linked,
            coalesce(answers.run = $run AND trap IS NULL, false) AS is_now,
            CASE
                WHEN answers.url IS NULL OR trap IS NOT NULL THEN '{UNSEEN}'
                WHEN refused IS NOT NULL THEN 'refused'
                WHEN status IS NULL THEN 'silent'
                WHEN status BETWEEN 300 AND 399 OR is_redirected THEN 'redirect'
                WHEN status < 300 THEN 'ok'
                WHEN status < 500 THEN 'client'
                ELSE 'server'
            END AS answer,
            lastmod,
            lastmod_raw,
            dated,
            linked.depth AS depth,
            is_elsewhere
        FROM listing FULL JOIN answers USING (url) LEFT JOIN linked USING (url)
    )
SELECT
    * EXCLUDE (is_elsewhere),
    CASE
        WHEN answer IN ('{UNSEEN}', 'refused', 'silent') THEN NULL
        ELSE answer = 'ok' AND NOT is_elsewhere
    END AS is_indexable
FROM joined
"""


def load_known(connection: DuckDBPyConnection, run: Run, audit: Run | None, crawl: Run | None) -> None:
    """Make the table `known` for a run, with what an audit knows of listed and a crawl of linked pages."""
    with closing(connection.cursor()) as cursor:
        make_normal_forms(connection, cursor, "forms", ("listed", "loc"))
    connection.execute(_TABLE, {"run": run.run, "audit": audit and audit.run, "crawl": crawl and crawl.run})
