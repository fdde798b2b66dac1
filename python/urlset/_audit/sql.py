"""What the statements of an audit share: the parts of URLs, and how two URLs differ, as macros of DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from urlset._util.duckdb import literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: The number of a further page of a list.
PAGINATION: Final = r"[?&](page|paged|p|pg|start|offset|query-\d+-page)=\d+|/(page|seite|p)/?\d+/?([?#]|$)"
#: The word for a page in the first folder of its path, such as `/tea/`; `/` for all others.
_MACROS: Final = (
    "scheme_of(url) AS lower(regexp_extract(url, '^([A-Za-z][A-Za-z0-9+.-]*)://', 1))",
    "host_of(url) AS lower(regexp_extract(url, '^[^:/?#]+://([^/?#]*)', 1))",
    "path_of(url) AS coalesce(nullif(regexp_extract(url, '^[^:/?#]+://[^/?#]*([^?#]*)', 1), ''), '/')",
    "query_of(url) AS regexp_extract(url, '[?]([^#]*)', 1)",
    "section_of(url) AS coalesce(nullif(regexp_extract(path_of(url), '^/[^/]+/'), ''), '/')",
    """fold_of(path) AS coalesce(
        (SELECT name FROM folds WHERE section = nullif(regexp_extract(path, '^/[^/]+/'), '')),
        CASE WHEN regexp_matches(path, '^/[^/]+/') THEN '/*/' ELSE '/' END)""",
    """path_change(a, b) AS CASE
        WHEN a = b THEN NULL
        WHEN a || '/' = b THEN 'a slash is added at the end'
        WHEN a = b || '/' THEN 'a slash is removed at the end'
        WHEN lower(a) = lower(b) THEN 'upper case becomes lower case, or the other way round'
        WHEN b = '/' THEN 'to the home page'
        ELSE fold_of(a) || '… → ' || fold_of(b) || '…' END""",
    """query_change(a, b) AS CASE
        WHEN a = b THEN NULL WHEN b = '' THEN 'the query is removed' WHEN a = '' THEN 'a query is added'
        ELSE 'the query is another' END""",
    """change_of(a, b) AS concat_ws(', ',
        CASE WHEN scheme_of(a) <> scheme_of(b) THEN scheme_of(a) || ' → ' || scheme_of(b) END,
        CASE WHEN host_of(a) <> host_of(b) THEN host_of(a) || ' → ' || host_of(b) END,
        path_change(path_of(a), path_of(b)), query_change(query_of(a), query_of(b)))""",
    f"is_further(url) AS regexp_matches(url, {literal(PAGINATION)}, 'i')",
    f"""list_of(url) AS rtrim(
        regexp_replace(regexp_replace(url, {literal(PAGINATION)}, '', 'i'), '[/?&]+', '/', 'g'), '/')""",
    "are_of_one_list(a, b) AS (is_further(a) OR is_further(b)) AND list_of(a) = list_of(b)",
    "below(url) AS fold_of(path_of(url)) || '…'",
)
#: Sections that findings name, and pages that one has if there are more.
_MOST_FOLDS: Final = 12
_MIN_PAGES: Final = 3
#: Sections that are named after a language are one, if there are so many.
_MIN_LANGUAGES: Final = 3
_FOLDS: Final = f"""
    INSERT INTO folds
    WITH sections AS (
        SELECT section_of(url) AS section, count(*) AS pages,
            regexp_matches(section_of(url), '^/[A-Za-z]{{2}}([-_][A-Za-z]{{2,4}})?/$') AS is_language
        FROM (
            SELECT url FROM normalized
            UNION SELECT normal_loc FROM pages WHERE run = (SELECT run FROM crawl_run) AND trap IS NULL
        ) GROUP BY ALL
    ), languages AS (
        SELECT section FROM sections
        WHERE is_language AND (SELECT count(*) FROM sections WHERE is_language) >= {_MIN_LANGUAGES}
    )
    SELECT section, '/{{language}}/' FROM languages
    UNION ALL (
        SELECT section, section FROM sections
        WHERE section <> '/' AND section NOT IN (FROM languages)
            AND (pages >= {_MIN_PAGES} OR (SELECT count(*) FROM sections) <= {_MOST_FOLDS})
        ORDER BY pages DESC, section LIMIT {_MOST_FOLDS}
    )"""


def define(connection: DuckDBPyConnection) -> None:
    """Define the macros for a connection, and the table `folds`, which `find_folds` fills."""
    connection.execute("CREATE OR REPLACE TEMP TABLE folds (section VARCHAR, name VARCHAR)")
    for macro in _MACROS:
        connection.execute(f"CREATE OR REPLACE TEMP MACRO {macro}")


def find_folds(connection: DuckDBPyConnection) -> None:
    """Find the sections that findings name. Pages of all others are folded into one.

    A site of posts has each in a folder of its own, and one of 17 languages each page 17 times: neither the name of the
    post nor the language is what the pages of one fault have in common. The tables `normalized` and `crawl_run` must be
    there. Which sections there are hardly changes from run to run, and so findings stay the same.
    """
    connection.execute(_FOLDS)


def drawn(column: str) -> str:
    """Return an order that takes from all sections of a site alike."""
    return f"row_number() OVER (PARTITION BY section_of({column}) ORDER BY md5_number_lower({column}))"
