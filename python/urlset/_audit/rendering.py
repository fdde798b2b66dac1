"""A step of an audit that is made if it is asked for: pages that only a browser completes are shown in one."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from urlset import _core
from urlset._audit.sql import drawn
from urlset._render.pages import PageRenderer, ShownPage
from urlset._runs.pages import normal_form
from urlset._util.duckdb import scalar

if TYPE_CHECKING:
    from urlset._fetch.page_fetcher import PageFetcher
    from urlset._page.ignored import Ignored
    from urlset._runs.file import RunFile


def render_pages(file: RunFile, run: int, fetcher: PageFetcher, ignored: Ignored) -> None:
    """Show pages of this run that need a browser in one, and take down what they say then.

    Beside a crawl, the links of each page that it did not reach are kept, as those of the other pages are. The table
    `crawl_run` must be there.

    Raises:
        InputError: There is no browser, though a page needs one.
    """
    connection = file.connection
    has_crawl = bool(scalar(connection, "SELECT run IS NOT NULL FROM crawl_run"))
    columns = "loc, final_url, loc IN (SELECT loc FROM pages WHERE run = (SELECT run FROM crawl_run))"

    with closing(PageRenderer(file, run, fetcher, ignored, with_parts=True)) as renderer:
        for loc, final_url, is_crawled in renderer.waiting(columns=columns, order=drawn("loc")):

            def keep_links(page: ShownPage, source: str = final_url or loc, *, wanted: bool = not is_crawled) -> None:
                if not has_crawl or not wanted:
                    return
                links = _core.LinkRows()
                links.add_found(source, page.facts.found)
                connection.execute("DELETE FROM links WHERE run = ? AND source = ?", [run, normal_form(source)])
                file.insert_batch(f"INSERT INTO links SELECT {int(run)}, * FROM batch", links.take())

            renderer.show(loc, keep_links)
