"""One row of the table `pages` of a run file: what came of asking for a page, and what it says."""

from __future__ import annotations

from typing import Any

from urlset._model.fetched_pages import FetchedPage
from urlset._page.facts import PageFacts
from urlset._runs.schema import MOST_ITEMS, MOST_URL, cut


def page_row(run: int, page: FetchedPage, facts: PageFacts | None, *, depth: int | None = None) -> dict[str, Any]:
    """Return the row of a page, with its texts cut to what is kept.

    Args:
        run: The number of the run.
        page: What came of asking for it.
        facts: What it says; None if there is no answer.
        depth: How many clicks lead to it; None if it was not reached by links.
    """
    row: dict[str, Any] = {
        "run": run,
        "loc": page.url,
        "final_url": cut(page.final_url, MOST_URL),
        "status": page.status,
        "problem": cut(page.problem),
        "refused": page.refused,
        "hops": [{"url": cut(url, MOST_URL), "status": status} for url, status in page.hops],
        "method": page.method,
        "depth": depth,
        "content_type": cut(page.header("content-type"), 200),
        "bytes": None if page.status is None else len(page.body),
        "seconds": round(page.seconds, 6),
        "fetched": page.fetched,
        "etag": cut(page.header("etag"), 200),
    }
    return row if facts is None else row | _said(facts)


def _said(facts: PageFacts) -> dict[str, Any]:
    return {
        "title": cut(facts.title),
        "language": cut(facts.language, 100),
        "robots": [cut(each, 200) for each in facts.robots[:MOST_ITEMS]],
        "is_noindex": facts.is_noindex,
        "is_nofollow": facts.is_nofollow,
        "canonicals": _urls(facts.canonicals),
        "header_canonicals": _urls(facts.header_canonicals),
        "hreflang": [
            {"hreflang": cut(language, 100), "href": cut(href, MOST_URL)}
            for language, href in facts.hreflang[:MOST_ITEMS]
        ],
        "images": _urls(facts.images),
        "last_modified": facts.last_modified,
        "modified": facts.modified,
        "published": facts.published,
        "json_modified": facts.json_modified,
        "content_hash": facts.content_hash,
        "body_hash": facts.body_hash,
        "words": facts.words,
        "needs_browser": facts.needs_browser,
    }


def _urls(urls: tuple[str, ...]) -> list[str | None]:
    return [cut(url, MOST_URL) for url in urls[:MOST_ITEMS]]
