"""One change of a site, and its columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

#: What has changed of a page or a sitemap.
WhatChanged = Literal["added", "removed", "lastmod", "fields", "moved"]
#: The columns of a table of changes, with their types in DuckDB.
COLUMNS: Final = {
    "run": "UINTEGER",
    "seen": "TIMESTAMPTZ",
    **dict.fromkeys(("change", "kind", "loc", "how", "lastmod", "old_lastmod", "sitemap", "old_sitemap"), "VARCHAR"),
}


@dataclass(frozen=True, slots=True)
class SiteChange:
    """What has changed of one page or sitemap from one run to the next.

    Attributes:
        run: Number of the run that has found it, from 2 up: the first one has nothing to compare with.
        seen: When that run began.
        change: `"added"`; `"removed"`, which is stated only if every sitemap that listed it was read whole, or is not
            listed itself any more; `"lastmod"`; `"fields"`: any other field of the entry; or `"moved"`: a page is
            listed by another sitemap, or a sitemap is found at another URL.
        kind: `"page"` or `"sitemap"`.
        loc: The loc of the page, or the URL of the sitemap.
        how: Of a lastmod: `"forward"`, `"backward"`, `"appeared"`, `"vanished"`, or `"rewritten"` if it is no later
            or earlier moment, but more precise, less precise, or not a date. Of a sitemap that has moved, how that is
            known: by a `"redirect"`, by the same `"body"`, or by most of its `"entries"`. Else None.
        lastmod: Its lastmod now, as written; None if it has none.
        old_lastmod: Its lastmod at the run before.
        sitemap: URL of the sitemap that lists the page now, or of the sitemap after all redirects.
        old_sitemap: URL of the sitemap that listed the page, or of the sitemap, at the run before.
    """

    run: int
    seen: datetime
    change: WhatChanged
    kind: Literal["page", "sitemap"]
    loc: str
    how: str | None
    lastmod: str | None
    old_lastmod: str | None
    sitemap: str | None
    old_sitemap: str | None
