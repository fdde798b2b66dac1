"""Pages that the robots.txt of their host keeps crawlers from, into the table `disallowed`.

They are the listed pages, those that these lead to, and the images and videos of the entries.
What this client may not fetch proves nothing about a page. That a search engine may not fetch it is a finding, whether
this client may or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from urlset import _core
from urlset._util.duckdb import insert_rows
from urlset._util.urls import origin

if TYPE_CHECKING:
    from urlset._fetch.page_fetcher import PageFetcher
    from urlset._runs.file import RunFile

#: Pages that are checked at once.
_BATCH: Final = 10_000
_TABLE: Final = "CREATE OR REPLACE TEMP TABLE disallowed (loc VARCHAR, line VARCHAR, agents VARCHAR)"
#: The listed pages, what their redirects and canonical links lead to, which may be listed next, and images and videos.
_ASKED: Final = """
    CREATE OR REPLACE TEMP TABLE asked AS
    SELECT DISTINCT ON (loc) * FROM (
        SELECT loc, url FROM page_view
        UNION ALL SELECT final_url, normal_final FROM page_view WHERE is_ok AND redirects > 0
        UNION ALL SELECT chosen, canonical FROM page_view WHERE is_indexable AND canonical <> url
        UNION ALL SELECT url, url FROM media WHERE is_drawn
    )
"""
_NEXT: Final = "SELECT loc, url FROM asked WHERE loc > ? ORDER BY loc LIMIT ?"


def find_disallowed(file: RunFile, fetcher: PageFetcher | None, agents: Sequence[str]) -> None:
    """Make the table `disallowed` from the tables of `page_views`.

    Args:
        file: The file of the run.
        fetcher: Has the robots.txt of each host; without one, the table stays empty.
        agents: The crawlers that are asked about. One that no group names has the rules of `*`.

    Source: RFC 9309, 2.2.1 and 2.2.2.
    """
    file.connection.execute(_TABLE)
    if fetcher is None:
        return
    file.connection.execute(_ASKED)
    site: str | None = None
    robots, crawlers = _core.Robots(b""), dict[str, _core.RobotsCrawler]()
    last = ""
    while batch := file.connection.execute(_NEXT, [last, _BATCH]).fetchall():
        found: list[tuple[str, str, str]] = []
        for loc, url in batch:
            home = origin(url)
            if home is None:  # a sitemap may list anything
                continue
            if home != site:
                site = home
                robots = _robots_of(fetcher, home)
                crawlers = {agent: robots.crawler(agent) for agent in agents}
            deciding = {agent: crawler.disallowing(url) for agent, crawler in crawlers.items()}
            refused = {agent: line for agent, line in deciding.items() if line is not None}
            if refused:
                found.append((loc, robots.written(next(iter(refused.values()))) or "", ", ".join(refused)))
        insert_rows(file.connection, "disallowed", found)
        last = batch[-1][0]


def _robots_of(fetcher: PageFetcher, url: str) -> _core.Robots:
    """Return the robots.txt of a site."""
    # Once a bound of the run is reached, nothing more is requested.
    text = None if fetcher.spent() is not None else fetcher.robots_text(url)
    # Without one, nothing is disallowed, or nothing is known: each page then reports that the file cannot be read.
    return _core.Robots(text or b"")
