"""The links to translations that rows of a group bring besides: said once, and never against the group."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import TYPE_CHECKING

from urlset import _core
from urlset._options.publish import Layout
from urlset._publish.rows.ingest import IngestReport
from urlset._publish.rows.schema import create_with

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: A link as the core renders it.
_LINK = re.compile(
    r'<xhtml:link rel="(?P<rel>[^"]*)"(?: hreflang="(?P<lang>[^"]*)")?(?P<media> media="[^"]*")?'
    r' href="(?P<href>[^"]*)"/>'
)
#: The bit of rows with links of their own.
_LINKS = 4


def merge(connection: DuckDBPyConnection, report: IngestReport, layout: Layout) -> None:
    """Take the links out of `incoming` that the group of their page has too, and refuse those that contradict it.

    Links in other languages than those of the group stay. A refused row leaves `incoming` and `pages`.

    Args:
        connection: The planning database, with `incoming` and `pages`.
        report: Counts the refused rows.
        layout: Decides how many bytes a link has.
    """
    rows = connection.execute(
        "SELECT rowid, section, row, loc, page, xml_after_lastmod FROM incoming"
        f" WHERE page IS NOT NULL AND (namespace_bits & {_LINKS}) <> 0 ORDER BY section, row"
    ).fetchall()
    if not rows:
        return
    groups: dict[str, dict[str, str]] = {}
    found = connection.execute(
        "SELECT page, lang, href FROM pages WHERE page IN"
        f" (SELECT page FROM incoming WHERE page IS NOT NULL AND (namespace_bits & {_LINKS}) <> 0)"
    ).fetchall()
    for page, lang, href in found:
        groups.setdefault(page, {})[lang] = unescape(href)
    changed, refused = [], []
    for rowid, section, row, loc, page, xml_after_lastmod in rows:
        group = groups[page]
        if len(set(group.values())) < 2:  # a page alone gets no links from its group
            continue
        against = _contradiction(xml_after_lastmod, group)
        if against is not None:
            lang, href = against
            reason = f"the row links to {href} in {lang}, and its group {page!r} to {group[lang]}"
            report.refuse(section, row, loc, "ALT006", reason)
            refused.append((rowid, None, 0))
            continue
        kept = _LINK.sub(lambda link, group=group: "" if _language(link, group) else link[0], xml_after_lastmod)  # type: ignore[misc]
        links = len(_LINK.findall(xml_after_lastmod)) - len(_LINK.findall(kept))
        if links:
            less = len(xml_after_lastmod.encode()) - len(kept.encode()) + links * layout.indent
            changed.append((rowid, kept, less))
    create_with(connection, "own_links", [*changed, *refused])
    connection.execute(
        "UPDATE incoming SET xml_after_lastmod = own_links.xml_after_lastmod, size = size - less FROM own_links"
        " WHERE incoming.rowid = rowid_of AND own_links.xml_after_lastmod IS NOT NULL"
    )
    if refused:
        connection.execute(
            "DELETE FROM pages WHERE (page, lang) IN (SELECT page, lang FROM incoming WHERE rowid IN"
            " (SELECT rowid_of FROM own_links WHERE xml_after_lastmod IS NULL))"
        )
        connection.execute(
            "DELETE FROM incoming WHERE rowid IN (SELECT rowid_of FROM own_links WHERE xml_after_lastmod IS NULL)"
        )


def _contradiction(xml_after_lastmod: str, group: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the language and the href of the first link that the group has with another href."""
    for link in _LINK.finditer(xml_after_lastmod):
        lang, href = _language(link, group), unescape(link["href"])
        if lang is not None and group[lang] != href:
            return lang, href
    return None


def _language(link: re.Match[str], group: Mapping[str, str]) -> str | None:
    """Return the language of a link if the group has a page in it; None for a link of another kind."""
    if link["lang"] is None or link["media"] is not None or link["rel"].strip().lower() != "alternate":
        return None
    lang = _core.usual_hreflang(unescape(link["lang"]))
    return lang if lang in group else None
