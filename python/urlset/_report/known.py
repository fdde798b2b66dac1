"""What a run knows of each page, as one table of DuckDB that all figures count.

| column | meaning |
|---|---|
| loc | the page |
| section | the section that the sitemap is divided into, or else the first folder of the path |
| is_listed | whether a sitemap lists it |
| is_linked | whether another page links to it, or it was reached by links |
| is_indexable | whether it answers 200, may be indexed and names no other page canonical; NULL if nobody knows |
| answer | one of `ANSWERS`, or `unseen` |
| lastmod | what the sitemap says, as a moment |
| lastmod_raw | the same as it was written |
| dated | the date that the page itself gives, or else its Last-Modified |
| depth | how many clicks it is away from where the crawl began |
| content_hash | the hash of its visible content |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

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

_PATH = "regexp_extract({}, '^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*(/[^?#]*)', 1)"


def folder_of(column: str) -> str:
    """Return SQL for the first folder of the path of a URL, such as `/blog/`."""
    return f"coalesce(nullif(regexp_extract({_PATH.format(column)}, '^/[^/]+/'), ''), '/')"


_TABLE = f"""
CREATE OR REPLACE TEMP TABLE known AS
WITH
    listing AS (
        SELECT loc, min(section) AS section, max(lastmod) AS lastmod, max(lastmod_raw) AS lastmod_raw
        FROM listed WHERE run = $run GROUP BY loc
    ),
    answers AS (SELECT * FROM pages WHERE run = $run),
    linked AS (SELECT DISTINCT target FROM links WHERE run = $run AND kind = 'a' AND source <> target),
    joined AS (
        SELECT
            coalesce(listing.loc, answers.loc) AS loc,
            coalesce(listing.section, {folder_of("coalesce(listing.loc, answers.loc)")}) AS section,
            listing.loc IS NOT NULL AS is_listed,
            linked.target IS NOT NULL OR answers.depth IS NOT NULL AS is_linked,
            CASE
                WHEN answers.loc IS NULL OR answers.trap IS NOT NULL THEN '{UNSEEN}'
                WHEN answers.refused IS NOT NULL THEN 'refused'
                WHEN answers.status IS NULL THEN 'silent'
                WHEN answers.status BETWEEN 300 AND 399 OR answers.final_url <> answers.loc THEN 'redirect'
                WHEN answers.status < 300 THEN 'ok'
                WHEN answers.status < 500 THEN 'client'
                ELSE 'server'
            END AS answer,
            listing.lastmod,
            listing.lastmod_raw,
            coalesce(answers.json_modified, answers.modified, answers.last_modified) AS dated,
            answers.depth,
            answers.content_hash,
            coalesce(answers.is_noindex, false) AS is_noindex,
            list_concat(coalesce(answers.canonicals, []), coalesce(answers.header_canonicals, [])) AS canonicals
        FROM listing FULL JOIN answers USING (loc)
        LEFT JOIN linked ON linked.target = coalesce(listing.loc, answers.loc)
    )
SELECT
    * EXCLUDE (is_noindex, canonicals),
    CASE
        WHEN answer IN ('{UNSEEN}', 'refused', 'silent') THEN NULL
        ELSE answer = 'ok' AND NOT is_noindex AND len(list_filter(canonicals, lambda other: other <> loc)) = 0
    END AS is_indexable
FROM joined
"""


def load_known(connection: DuckDBPyConnection, run: int) -> None:
    """Make the table `known` for a run of the file that is open."""
    connection.execute(_TABLE, {"run": run})
