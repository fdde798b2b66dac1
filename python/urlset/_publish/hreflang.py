"""Pages that are each other's translations: one group, and every page of it links to all of them.

Source: Google Search Central, localized versions of a page: each version lists itself and all others, and these list
it; `x-default` is for everybody else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlset import _core
from urlset._model.errors import InputError
from urlset._model.limits import Budget
from urlset._publish.ingest import Intake
from urlset._util.duckdb import insert_rows, scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: As the core escapes what it writes.
HREF = (
    "replace(replace(replace(replace(replace(loc, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '\"', '&quot;'),"
    " '''', '&apos;')"
)
#: Languages that the pages of a set may be in, with all that is no language: more are a wrong column.
_MOST_CODES = 10_000
#: Bytes of an entry beside its links and what is known of its size: the lastmod, and what makes links pretty.
_ROOM = 100_000


def link(connection: DuckDBPyConnection, intake: Intake, x_default: str | None) -> bool:
    """Makes the table `links`, what every page of a group has to say of the others, if there are any groups.

    Pages whose language is none, the second of a group in one language, and those of a group whose links nobody could
    read back are refused. `x_default` is the language whose page is for everybody else, in groups that have none of
    their own. Raises InputError where the languages cannot be any.
    """
    usual = None if x_default is None else _core.usual_hreflang(x_default)
    if x_default is not None and usual is None:
        raise InputError(f"x_default is {x_default!r}; it is the hreflang code of a language, such as 'en'")
    connection.execute("CREATE TABLE links (page VARCHAR, links VARCHAR, pages UBIGINT)")
    if scalar(connection, "SELECT count(page) FROM incoming") == 0:
        return False
    _check_codes(connection, intake)
    _check_twice(connection, intake)
    connection.execute(
        f"CREATE TEMP TABLE pages AS SELECT page, lang, {HREF} AS href FROM incoming WHERE page IS NOT NULL"
    )
    if usual is not None:
        connection.execute(
            "INSERT INTO pages SELECT page, 'x-default', href FROM pages WHERE lang = ?"
            " AND page NOT IN (SELECT page FROM pages WHERE lang = 'x-default')",
            [usual],
        )
    connection.execute("""
        INSERT INTO links
        SELECT page,
            string_agg('<xhtml:link rel="alternate" hreflang="' || lang || '" href="' || href || '"/>', ''
                ORDER BY lang),
            count(*)
        FROM pages GROUP BY page HAVING count(DISTINCT href) > 1
    """)
    _check_sizes(connection, intake)
    return True


def _check_codes(connection: DuckDBPyConnection, intake: Intake) -> None:
    codes = connection.execute(
        f"SELECT DISTINCT lang FROM incoming WHERE page IS NOT NULL LIMIT {_MOST_CODES + 1}"
    ).fetchall()
    if len(codes) > _MOST_CODES:
        raise InputError(
            f"the pages are in more than {_MOST_CODES:,} languages: another column has their hreflang codes"
        )
    connection.execute("CREATE TEMP TABLE codes (lang VARCHAR, usual VARCHAR)")
    insert_rows(connection, "codes", [(code, _core.usual_hreflang(code) if code else None) for (code,) in codes])
    wrong = "page IS NOT NULL AND (lang IS NULL OR lang IN (SELECT lang FROM codes WHERE usual IS NULL))"
    for section, row, loc, lang in connection.execute(
        f"SELECT section, row, loc, lang FROM incoming WHERE {wrong} ORDER BY section, row"
    ).fetchall():
        reason = f"{lang!r} is no hreflang code" if lang else "a page of a group needs its language"
        intake.refuse(section, row, loc, "ALT002", reason)
    connection.execute(f"DELETE FROM incoming WHERE {wrong}")
    connection.execute("UPDATE incoming SET lang = codes.usual FROM codes WHERE incoming.lang = codes.lang")


def _check_twice(connection: DuckDBPyConnection, intake: Intake) -> None:
    connection.execute("""
        CREATE TEMP TABLE twice AS SELECT rowid AS place, section, row, loc, page, lang FROM incoming
        WHERE page IS NOT NULL QUALIFY row_number() OVER (PARTITION BY page, lang ORDER BY loc) > 1
    """)
    for section, row, loc, page, lang in connection.execute(
        "SELECT section, row, loc, page, lang FROM twice ORDER BY section, row"
    ).fetchall():
        intake.refuse(section, row, loc, "ALT006", f"the group {page!r} has another page in {lang}")
    connection.execute("DELETE FROM incoming WHERE rowid IN (SELECT place FROM twice)")


def _check_sizes(connection: DuckDBPyConnection, intake: Intake) -> None:
    budget = Budget()
    most = budget.piece_bytes - _ROOM
    pages, size = connection.execute("SELECT max(pages), max(strlen(links)) FROM links").fetchall()[0]
    if pages is None or (
        pages <= budget.items_per_entry and size + scalar(connection, "SELECT max(size) FROM incoming") <= most
    ):
        return
    connection.execute(
        "CREATE TEMP TABLE wrong AS SELECT page, any_value(pages) AS pages, any_value(strlen(links)) AS size"
        " FROM links JOIN incoming USING (page) GROUP BY page HAVING any_value(pages) > ?"
        " OR any_value(strlen(links)) + max(incoming.size) > ?",
        [budget.items_per_entry, most],
    )
    for section, row, loc, page, pages, size in connection.execute(
        "SELECT section, row, loc, page, pages, wrong.size FROM incoming JOIN wrong USING (page) ORDER BY section, row"
    ).fetchall():
        reason = f"the group {page!r} has {pages} links of {size} bytes, and an entry with all of them is not read back"
        intake.refuse(section, row, loc, "LIM007", reason)
    connection.execute("DELETE FROM incoming WHERE page IN (SELECT page FROM wrong)")
