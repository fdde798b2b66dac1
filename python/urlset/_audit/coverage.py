"""What the sitemaps cover of a site, section by section."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from urlset._runs.file import WHOLE_CRAWL
from urlset._runs.pages import CANONICAL
from urlset._util.duckdb import literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset._runs.file import RunFile

#: Source: Schonfeld and Shivakumar, Sitemaps: Above and Beyond the Crawl of Duty (WWW 2009), 4: coverage, unique
#: coverage, signature coverage, and the lag of first seeing.
_COVERAGE: Final = f"""
    WITH crawled AS (
        SELECT normal_final AS url, any_value(content_hash) AS content_hash FROM pages
        WHERE run = (SELECT run FROM crawl_run) AND status = 200 AND refused IS NULL AND trap IS NULL
            AND content_hash IS NOT NULL AND NOT coalesce(is_noindex, false)
            AND coalesce({CANONICAL}, normal_final) = normal_final
        GROUP BY normal_final
    ), listed_urls AS (SELECT DISTINCT url FROM normalized),
    fetched AS (
        SELECT url, any_value(content_hash) AS content_hash, bool_or(is_indexable) AS is_indexable
        FROM page_view GROUP BY url
    ), firsts AS (
        -- What the first audit found listed may have been listed for long.
        SELECT url, CASE WHEN min(run) FILTER (is_listed) > (SELECT min(run) FROM runs WHERE verb = 'audit')
                THEN min(epoch(started)) FILTER (is_listed) END AS listed,
            min(epoch(started)) FILTER (NOT is_listed) AS seen
        FROM (
            SELECT run, normalized.url, true AS is_listed FROM listed JOIN normalized USING (loc)
            UNION ALL SELECT pages.run, normal_final, false FROM pages JOIN runs USING (run) WHERE verb = 'crawl'
        ) JOIN runs USING (run) GROUP BY url
    ), urls AS (
        SELECT section_of(url) AS section, url, crawled.url IS NOT NULL AS is_crawled,
            listed_urls.url IS NOT NULL AS is_listed, coalesce(fetched.is_indexable, false) AS is_indexable,
            coalesce(crawled.content_hash, fetched.content_hash) AS content_hash,
            firsts.listed - firsts.seen AS lag
        FROM crawled FULL JOIN listed_urls USING (url) LEFT JOIN fetched USING (url) LEFT JOIN firsts USING (url)
    )
    SELECT section,
        count(*) FILTER (is_listed), count(*) FILTER (is_listed AND is_indexable),
        count(*) FILTER (is_crawled), count(*) FILTER (is_crawled AND is_listed),
        count(*) FILTER (is_listed AND NOT is_crawled),
        count(DISTINCT content_hash), count(DISTINCT content_hash) FILTER (is_listed),
        median(lag) FILTER (lag > 0)
    FROM urls GROUP BY GROUPING SETS ((section), ())
    ORDER BY section IS NOT NULL, count(*) FILTER (is_listed) DESC, section
"""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a section of the site its sitemaps cover. What is not known without a crawl is None.

    Attributes:
        section: The first folder of the path, such as `"/blog/"`; `"/"` has the others, None is the whole site.
        listed: Pages that the sitemaps list.
        indexable: Those of them that answer 200 and may be indexed, among those that were looked at.
        linked: Indexable pages that links lead to, by the last crawl.
        both: Pages that are listed and linked.
        only_listed: Pages that are listed, and that links do not lead to.
        bodies: Different contents among all of these pages.
        listed_bodies: Different contents among those that are listed.
        lag: Seconds from the first crawl that saw a page to the first audit that found it listed, in the middle of
            those that were late; None if there are none.
    """

    section: str | None
    listed: int
    indexable: int
    linked: int | None
    both: int | None
    only_listed: int | None
    bodies: int
    listed_bodies: int
    lag: float | None

    @property
    def coverage(self) -> float | None:
        """Which share of the pages that links lead to is listed; None without a crawl."""
        return self.both / self.linked if self.linked and self.both is not None else None

    @property
    def unique_coverage(self) -> float | None:
        """Which share of the listed pages only the sitemaps know; None without a crawl."""
        return self.only_listed / self.listed if self.listed and self.only_listed is not None else None

    @property
    def signature_coverage(self) -> float | None:
        """Which share of the different contents is listed; None without a page that was read."""
        return self.listed_bodies / self.bodies if self.bodies else None

    def as_dict(self) -> dict[str, Any]:
        """Return it as values of JSON, with the three shares."""
        names = ("coverage", "unique_coverage", "signature_coverage")
        return asdict(self) | {name: getattr(self, name) for name in names}


def find_crawl(connection: DuckDBPyConnection, site: str) -> int | None:
    """Make the table `crawl_run`: the last crawl without a plan, whether it saw all of the site, or why not.

    Returns:
        Its number; None without such a crawl.
    """
    connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE crawl_run AS
        WITH last AS (SELECT * FROM runs WHERE {WHOLE_CRAWL} ORDER BY run DESC LIMIT 1),
        gaps AS (
            SELECT count(*) FILTER (refused IS NOT NULL AND refused <> 'robots') AS refused,
                count(*) FILTER (needs_browser IS NOT NULL AND coalesce(len(hops), 0) = 0) AS browser
            FROM pages WHERE run = (SELECT run FROM last)
        ), reasons AS (
            SELECT run, CASE
                WHEN state <> 'complete' THEN concat_ws(', ', 'the crawl did not come to its end', state, reason)
                WHEN refused > 0 THEN 'the crawl got no answer from ' || refused
                    || if(refused = 1, ' page', ' pages') || ', whose links are not known'
                WHEN browser > 0 THEN browser
                    || if(browser = 1, ' page needs a browser, so its', ' pages need a browser, so their')
                    || ' links are not known (--render)' END AS why
            FROM last, gaps
        )
        SELECT any_value(run) AS run, {literal(site)} AS site,
            CASE WHEN count(*) = 0 THEN 'there is no crawl of the site' ELSE any_value(why) END AS why,
            count(*) > 0 AND any_value(why) IS NULL AS is_whole
        FROM reasons
        """
    )
    run = connection.execute("SELECT run FROM crawl_run").fetchall()[0][0]
    return None if run is None else int(run)


def coverage_of(file: RunFile) -> tuple[Coverage, ...]:
    """Return the coverage of the whole site, then of each section, from the tables of `page_views` and `normalized`."""
    has_crawl = file.connection.execute("SELECT run IS NOT NULL FROM crawl_run").fetchall()[0][0]
    rows = file.connection.execute(_COVERAGE).fetchall()
    found = (Coverage(*row) for row in rows)
    return tuple(each if has_crawl else replace(each, linked=None, both=None, only_listed=None) for each in found)
