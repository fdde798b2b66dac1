"""Hreflang groups: pages that are translations of each other. Every page of a group links to all of them.

Source: Google Search Central, localized versions of a page: each version lists itself and all others; `x-default` is
the version for users of any other language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlset import _core
from urlset._model.errors import InputError
from urlset._model.limits import Budget
from urlset._options.publish import Layout
from urlset._publish.rows import own_links
from urlset._publish.rows.ingest import IngestReport
from urlset._publish.rows.schema import create_as, create_with
from urlset._util.duckdb import scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: As the core escapes what it writes.
HREF = (
    "replace(replace(replace(replace(replace(loc, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '\"', '&quot;'),"
    " '''', '&apos;')"
)
#: Different languages that the pages of a set may have, right or wrong. More mean that the column is the wrong one.
_MAX_CODES = 10_000
#: Bytes of an entry besides its links and its known size: the lastmod, and the indentation of pretty links.
_ROOM = 100_000
#: Languages that a message names.
_MAX_SHOWN = 20


def usual_code(x_default: str | None) -> str | None:
    """Return the hreflang code as it is usually spelled.

    Raises:
        InputError: It is not a hreflang code.
    """
    usual = None if x_default is None else _core.usual_hreflang(x_default)
    if x_default is not None and usual is None:
        raise InputError(f"x_default must be the hreflang code of a language, such as 'en', got {x_default!r}")
    return usual


def link(connection: DuckDBPyConnection, report: IngestReport, usual: str | None, layout: Layout) -> None:
    """Fill `links` with the links that every page of a group gets.

    Refused are pages without a valid language, the second page of a group in one language, pages whose own links
    contradict their group, and the pages of a group whose links are too many to be read back.

    Args:
        connection: The planning database.
        report: Counts the refused rows.
        usual: The language whose page is the `x-default` of groups that have no such page of their own.
        layout: How documents are laid out.

    Raises:
        InputError: The column of languages cannot hold languages, or no page is in the language of `usual`.
    """
    _check_codes(connection, report)
    _check_repeated_languages(connection, report)
    create_as(connection, "pages", f"SELECT page, lang, {HREF} AS href FROM incoming WHERE page IS NOT NULL")
    if usual is not None:
        _check_default(connection, usual)
        connection.execute(
            "INSERT INTO pages SELECT page, 'x-default', href FROM pages WHERE lang = ?"
            " AND page NOT IN (SELECT page FROM pages WHERE lang = 'x-default')",
            [usual],
        )
    own_links.merge(connection, report, layout)
    create_as(
        connection,
        "links",
        """
        SELECT page,
            string_agg('<xhtml:link rel="alternate" hreflang="' || lang || '" href="' || href || '"/>', ''
                ORDER BY lang) AS links,
            count(*) AS pages
        FROM pages GROUP BY page HAVING count(DISTINCT href) > 1
        """,
    )
    _check_sizes(connection, report)


def _check_default(connection: DuckDBPyConnection, usual: str) -> None:
    found = connection.execute("SELECT DISTINCT lang FROM pages ORDER BY lang").fetchall()
    languages = [lang for (lang,) in found]
    if languages and usual not in languages:
        more = f" and {len(languages) - _MAX_SHOWN} more" if len(languages) > _MAX_SHOWN else ""
        raise InputError(
            f"x_default must be the language of some page of a group, got {usual!r}; there are"
            f" {', '.join(languages[:_MAX_SHOWN])}{more}"
        )


def _check_codes(connection: DuckDBPyConnection, report: IngestReport) -> None:
    codes = connection.execute(
        f"SELECT DISTINCT lang FROM incoming WHERE page IS NOT NULL LIMIT {_MAX_CODES + 1}"
    ).fetchall()
    if len(codes) > _MAX_CODES:
        raise InputError(
            f"the pages are in more than {_MAX_CODES:,} languages: another column has their hreflang codes"
        )
    create_with(connection, "codes", [(code, _core.usual_hreflang(code) if code else None) for (code,) in codes])
    wrong = "page IS NOT NULL AND (lang IS NULL OR lang IN (SELECT lang FROM codes WHERE usual IS NULL))"
    for section, row, loc, lang in connection.execute(
        f"SELECT section, row, loc, lang FROM incoming WHERE {wrong} ORDER BY section, row"
    ).fetchall():
        reason = f"{lang!r} is not a hreflang code" if lang else "a page of a group needs its language"
        report.refuse(section, row, loc, "ALT002", reason)
    connection.execute(f"DELETE FROM incoming WHERE {wrong}")
    connection.execute("UPDATE incoming SET lang = codes.usual FROM codes WHERE incoming.lang = codes.lang")


def _check_repeated_languages(connection: DuckDBPyConnection, report: IngestReport) -> None:
    create_as(
        connection,
        "repeated_languages",
        """
        SELECT rowid AS rowid_of, section, row, loc, page, lang FROM incoming
        WHERE page IS NOT NULL QUALIFY row_number() OVER (PARTITION BY page, lang ORDER BY loc) > 1
        """,
    )
    for section, row, loc, page, lang in connection.execute(
        "SELECT section, row, loc, page, lang FROM repeated_languages ORDER BY section, row"
    ).fetchall():
        report.refuse(section, row, loc, "ALT006", f"the group {page!r} has another page in {lang}")
    connection.execute("DELETE FROM incoming WHERE rowid IN (SELECT rowid_of FROM repeated_languages)")


def _check_sizes(connection: DuckDBPyConnection, report: IngestReport) -> None:
    budget = Budget()
    most = budget.piece_bytes - _ROOM
    pages, size = connection.execute("SELECT max(pages), max(strlen(links)) FROM links").fetchall()[0]
    if pages is None or (
        pages <= budget.items_per_entry and size + scalar(connection, "SELECT max(size) FROM incoming") <= most
    ):
        return
    create_as(
        connection,
        "oversize_groups",
        "SELECT page, any_value(pages) AS pages, any_value(strlen(links)) AS size"
        " FROM links JOIN incoming USING (page) GROUP BY page HAVING any_value(pages) > ?"
        " OR any_value(strlen(links)) + max(incoming.size) > ?",
        [budget.items_per_entry, most],
    )
    for section, row, loc, page, pages, size in connection.execute(
        "SELECT section, row, loc, page, pages, wrong.size FROM incoming JOIN oversize_groups AS wrong USING (page)"
        " ORDER BY section, row"
    ).fetchall():
        reason = f"the group {page!r} has {pages} links of {size} bytes, too many for an entry to be read back"
        report.refuse(section, row, loc, "LIM007", reason)
    connection.execute("DELETE FROM incoming WHERE page IN (SELECT page FROM oversize_groups)")
