"""Which pages are linked, by links of the crawl and of the listed pages that it did not reach: the table `linked`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: One row for each URL that a link leads to, after redirects. A link of a page to itself does not count.
_LINKED: Final = """
    CREATE OR REPLACE TEMP TABLE linked AS
    WITH ends AS (
        SELECT normal_loc, any_value(normal_final) AS url FROM pages
        WHERE run IN ({run}, (SELECT run FROM crawl_run)) GROUP BY normal_loc
    ), found AS (
        SELECT coalesce(target.url, links.target) AS url, coalesce(source.url, links.source) AS source,
            links.run <> {run} AS is_reached
        FROM links LEFT JOIN ends AS target ON target.normal_loc = links.target
            LEFT JOIN ends AS source ON source.normal_loc = links.source
        WHERE links.run IN ({run}, (SELECT run FROM crawl_run)) AND links.kind = 'a'
    )
    SELECT url, bool_or(is_reached) AS is_reached, min(source) AS source
    FROM found WHERE url <> source GROUP BY url
"""


def make_linked(connection: DuckDBPyConnection, run: int) -> None:
    """Make the table `linked`. The table `crawl_run` must be there.

    `is_reached` is whether a page that the crawl has reached links to the URL. The links of the other pages are known
    because a sitemap lists these: the pages of an island link only to each other.
    """
    connection.execute(_LINKED.format(run=int(run)))
