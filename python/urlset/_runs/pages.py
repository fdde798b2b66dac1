"""One row of the table `pages` of a run file: what came of asking for a page, and what it says."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from urlset import _core
from urlset._model.fetched_pages import FetchedPage
from urlset._page.facts import PageFacts
from urlset._runs.schema import MAX_ITEMS, MAX_URL, cut

_OK: Final = 200
_NAMED: Final = "list_distinct(list_concat(coalesce(canonicals, []), coalesce(header_canonicals, [])))"
#: SQL for `PageFacts.canonical` of a row: the one URL that the page calls canonical; NULL without one, and for several.
CANONICAL: Final = f"CASE WHEN len({_NAMED}) = 1 THEN {_NAMED}[1] END"


def page_row(run: int, page: FetchedPage, facts: PageFacts | None, *, depth: int | None = None) -> dict[str, Any]:
    """Return the row of a page, with its texts cut to what is kept.

    Args:
        run: The number of the run.
        page: What came of asking for it.
        facts: What it says; None if there is no answer.
        depth: How many clicks lead to it; None if it was not reached by links.

    A refresh to another page is a redirect, so what the page says besides does not count.
    Source: Google Search Central, redirects and Google Search.
    """
    hops, final_url = page.hops, page.final_url
    if facts is not None and facts.refresh is not None and page.status == _OK:
        hops, final_url, facts = (*hops, (final_url, page.status)), facts.refresh, None
    row: dict[str, Any] = {
        "run": run,
        "loc": page.url,
        "normal_loc": normal_form(page.url),
        "final_url": cut(final_url, MAX_URL),
        "normal_final": None if final_url is None else normal_form(final_url),
        "status": page.status,
        "problem": cut(page.problem),
        "refused": page.refused,
        "hops": [{"url": cut(url, MAX_URL), "status": status} for url, status in hops],
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
        "robots": [cut(each, 200) for each in facts.robots[:MAX_ITEMS]],
        "is_noindex": facts.is_noindex,
        "is_nofollow": facts.is_nofollow,
        "canonicals": _urls(map(normal_form, facts.canonicals)),
        "header_canonicals": _urls(map(normal_form, facts.header_canonicals)),
        "body_canonical": cut(facts.body_canonical, MAX_URL),
        "canonical_written": cut(next(iter((*facts.canonicals, *facts.header_canonicals)), None), MAX_URL),
        "hreflang": hreflang_rows(facts),
        "unavailable": facts.unavailable,
        "script_target": cut(facts.script_target, MAX_URL),
        "images": _urls(facts.images),
        "last_modified": facts.last_modified,
        "modified": facts.modified,
        "published": facts.published,
        "json_modified": facts.json_modified,
        "content_hash": facts.content_hash,
        "parts": facts.parts,
        "sketch": facts.sketch,
        "has_main": facts.has_main,
        "body_hash": facts.body_hash,
        "words": facts.words,
        "needs_browser": facts.needs_browser,
    }


def hreflang_rows(facts: PageFacts) -> list[dict[str, str | None]]:
    """Return the versions of a page in other languages as they are kept, with the normal forms of their URLs."""
    return [
        {"hreflang": cut(language, 100), "href": cut(normal_form(href), MAX_URL)}
        for language, href in facts.hreflang[:MAX_ITEMS]
    ]


def normal_form(url: str) -> str:
    """Return the normal form of a URL without its fragment, as run files compare URLs."""
    return _core.page_form(url)


def _urls(urls: Iterable[str]) -> list[str | None]:
    return [cut(url, MAX_URL) for url in islice(dict.fromkeys(urls), MAX_ITEMS)]
