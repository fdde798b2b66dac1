"""What the statements of an audit share: the parts of URLs, and how two URLs differ, as macros of DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: The word for a page in the first folder of its path, such as `/tea/`; `/` for all others.
_MACROS: Final = (
    "scheme_of(url) AS lower(regexp_extract(url, '^([A-Za-z][A-Za-z0-9+.-]*)://', 1))",
    "host_of(url) AS lower(regexp_extract(url, '^[^:/?#]+://([^/?#]*)', 1))",
    "path_of(url) AS coalesce(nullif(regexp_extract(url, '^[^:/?#]+://[^/?#]*([^?#]*)', 1), ''), '/')",
    "query_of(url) AS regexp_extract(url, '[?]([^#]*)', 1)",
    "section_of(url) AS coalesce(nullif(regexp_extract(path_of(url), '^/[^/]+/'), ''), '/')",
    """path_change(a, b) AS CASE
        WHEN a = b THEN NULL
        WHEN a || '/' = b THEN 'a slash is added at the end'
        WHEN a = b || '/' THEN 'a slash is removed at the end'
        WHEN lower(a) = lower(b) THEN 'upper case becomes lower case, or the other way round'
        WHEN b = '/' THEN 'to the home page'
        ELSE coalesce(nullif(regexp_extract(a, '^/[^/]+/'), ''), '/') || '… → '
            || coalesce(nullif(regexp_extract(b, '^/[^/]+/'), ''), '/') || '…' END""",
    """query_change(a, b) AS CASE
        WHEN a = b THEN NULL WHEN b = '' THEN 'the query is removed' WHEN a = '' THEN 'a query is added'
        ELSE 'the query is another' END""",
    """change_of(a, b) AS concat_ws(', ',
        CASE WHEN scheme_of(a) <> scheme_of(b) THEN scheme_of(a) || ' → ' || scheme_of(b) END,
        CASE WHEN host_of(a) <> host_of(b) THEN host_of(a) || ' → ' || host_of(b) END,
        path_change(path_of(a), path_of(b)), query_change(query_of(a), query_of(b)))""",
    "below(url) AS section_of(url) || '…'",
)


def define(connection: DuckDBPyConnection) -> None:
    """Define the macros for a connection."""
    for macro in _MACROS:
        connection.execute(f"CREATE OR REPLACE TEMP MACRO {macro}")
