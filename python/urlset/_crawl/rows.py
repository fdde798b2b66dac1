"""The queries of a crawl: its pages as objects and as a table, and its rows for a sitemap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from urlset._model.instants import instant_of
from urlset._model.pages import Page
from urlset._runs.pages import CANONICAL
from urlset._runs.schema import COLUMNS
from urlset._util.duckdb import moment_text

_TIMES: Final = frozenset(name for name, kind in COLUMNS["pages"].items() if kind == "TIMESTAMPTZ")
_HASHES: Final = ("content_hash", "body_hash")
#: Seconds before its answer in which a Last-Modified is the time of the rendering, and no evidence.
_RENDERED: Final = 3_600

#: The rows that belong in a sitemap.
ROWS: Final = f"""
    SELECT loc, {moment_text("lastmod")} AS lastmod
    FROM (
        SELECT loc, coalesce(
            modified,
            json_modified,
            CASE WHEN last_modified < fetched - INTERVAL {_RENDERED} SECOND THEN last_modified END,
            published
        ) AS lastmod
        FROM pages
        WHERE run = ? AND status = 200 AND final_url = loc AND refused IS NULL AND trap IS NULL
            AND content_hash IS NOT NULL AND NOT is_noindex AND script_target IS NULL
            AND coalesce({CANONICAL}, normal_loc) = normal_loc
    )
    ORDER BY loc
"""


def pages_query(names: Sequence[str], *, times: bool) -> str:
    """Return the query for the pages of a run. Without `times`, they are microseconds, which need no package."""
    columns = ", ".join(_column(name, times=times) for name in names)
    return f"SELECT {columns} FROM pages WHERE run = ? ORDER BY depth NULLS LAST, loc"


def _column(name: str, *, times: bool) -> str:
    if name in _HASHES:
        # Source: RFC 7493, 2.2: a number of JSON beyond 2^53 may lose digits, and so does one in a spreadsheet.
        return f"lpad(lower(hex({name})), 16, '0') AS {name}"
    return f"epoch_us({name}) AS {name}" if name in _TIMES and not times else name


def page_of(row: tuple[Any, ...]) -> Page:
    """Return the page of a row."""
    values = dict(zip(Page.__dataclass_fields__, row, strict=True))
    for name in values.keys() & _TIMES:
        values[name] = None if values[name] is None else instant_of(values[name])
    for name in ("robots", "canonicals", "header_canonicals", "images"):
        values[name] = tuple(values[name] or ())
    values["hops"] = tuple((hop["url"], hop["status"]) for hop in values["hops"] or ())
    values["hreflang"] = tuple((each["hreflang"], each["href"]) for each in values["hreflang"] or ())
    return Page(**values)
