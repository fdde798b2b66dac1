"""The SQL that says everything about a row before shards are assigned: its lastmod, the source of it, XML, size, state.

`resolve_sql` puts the parts together. Each part reads the one before it:

    matched   each row with what is known of its loc and with the links of its group
    dated     with its final lastmod and lastmod source
    rendered  with the final columns of its XML and the bytes of that
    resolved  the columns of the table `resolved`
"""

from __future__ import annotations

from collections.abc import Sequence

from urlset._options.publish import Layout
from urlset._publish.values.options import SectionRows

#: The columns of `known` that a row is compared with, as they are.
_KNOWN = ("entry_hash", "lastmod", "content", "lastmod_source")
#: Bits of `namespace_bits`: see schema.
_LINKS, _NEWS, _ALL = 4, 8, 15
#: SQL for how many rows have an article.
ARTICLES = f"count_if((namespace_bits & {_NEWS}) <> 0)"


def resolve_sql(
    sections: Sequence[SectionRows],
    layout: Layout,
    *,
    is_known: bool,
    has_groups: bool,
    has_series: bool,
    has_respelled: bool,
    is_news_apart: bool,
) -> str:
    """Return the query for the table `resolved`.

    Its only parameter is the lastmod of a page that was seen to change: the present moment. If nothing is known, it has
    none. What cannot be there is left out of the query: to plan it takes longer than to run it over a few rows.

    Args:
        sections: The sections by number.
        layout: How documents are laid out, which decides sizes.
        is_known: Whether `known` has rows.
        has_groups: Whether there is a table `links`.
        has_series: Whether there is a table `series`; else there is one series.
        has_respelled: Whether there is a table `respelled`.
        is_news_apart: Whether news leave the entries for a sitemap of their own.
    """
    rows = _matched(is_known=is_known, has_groups=has_groups, has_respelled=has_respelled)
    rows = _dated(rows) if is_known else _first_dated(rows)
    rows = _rendered(rows, sections, layout, has_groups=has_groups, is_news_apart=is_news_apart)
    return _resolved(rows, layout, is_known=is_known, has_series=has_series, has_respelled=has_respelled)


def _matched(*, is_known: bool, has_groups: bool, has_respelled: bool) -> str:
    if is_known:
        # What is gone has no shard, and keeps the day on which it was first seen.
        known = ", ".join(f"known.{name} AS known_{name}" for name in _KNOWN)
        known += ", CASE WHEN known.gone IS NULL THEN known.shard END AS known_shard, known.first_seen"
        known += ", respelled.written IS NOT NULL AS is_respelled" * has_respelled
    else:
        known = "NULL::TIMESTAMPTZ AS first_seen"
    links = "links.links, links.pages" if has_groups else "NULL::VARCHAR AS links"
    loc = "coalesce(respelled.written, incoming.loc)" if has_respelled else "incoming.loc"
    return (
        f"SELECT incoming.*, {links}, {known} FROM incoming"
        + " LEFT JOIN links USING (page)" * has_groups
        + " LEFT JOIN respelled ON respelled.loc = incoming.loc" * has_respelled
        + f" LEFT JOIN known ON known.loc = {loc}" * is_known
    )


def _dated(rows: str) -> str:
    """Decide the lastmod and its source: the row's own comes first, then its content.

    Last come a commit of its file, and a date of publication, after which the page may have changed.

    That the content differs means that the page has changed, not when it did: the moment at which that was seen is all
    that is known. Of a page that was never seen before, not even that is known.
    """
    is_given = "rows.lastmod IS NOT NULL AND coalesce(rows.lastmod_source, 'column') NOT IN ('git', 'publication')"
    # What was once published with an empty content had none.
    differs = "rows.content <> nullif(known_content, '')"
    # Another program has written what has no source.
    stays = (
        "rows.content IS NOT NULL AND known_lastmod_source IS NOT NULL"
        " AND (rows.lastmod IS NULL OR known_lastmod_source = 'content')"
    )
    return f"""
        SELECT rows.* EXCLUDE (lastmod, lastmod_source), rows.lastmod AS given_lastmod,
            CASE
                WHEN {is_given} THEN rows.lastmod
                WHEN {differs} THEN ?::VARCHAR
                WHEN {stays} THEN known_lastmod
                ELSE rows.lastmod
            END AS lastmod,
            CASE
                WHEN {is_given} THEN coalesce(rows.lastmod_source, 'column')
                WHEN {differs} THEN 'content'
                WHEN {stays} THEN known_lastmod_source
                WHEN rows.lastmod IS NOT NULL THEN rows.lastmod_source
            END AS lastmod_source
        FROM ({rows}) AS rows
    """


def _first_dated(rows: str) -> str:
    """Decide the source of the lastmods of a first publish, by the same rule: there is only the row's own lastmod."""
    return f"""
        SELECT rows.* EXCLUDE (lastmod_source),
            CASE WHEN rows.lastmod IS NOT NULL THEN coalesce(rows.lastmod_source, 'column') END AS lastmod_source
        FROM ({rows}) AS rows
    """


def _rendered(
    rows: str, sections: Sequence[SectionRows], layout: Layout, *, has_groups: bool, is_news_apart: bool
) -> str:
    """Decide which XML the entry has, its hash and its bytes without the lastmod."""
    groups = " ".join(f"WHEN {number} THEN {section.shard_by.sql}" for number, section in enumerate(sections))
    news = "NULL::VARCHAR" if is_news_apart else "rows.news"
    apart = f" - coalesce({news_size_sql('rows.news', is_pretty=layout.pretty)}, 0)" if is_news_apart else ""
    # The core has hashed what the row brings, so another XML needs another hash.
    is_other = f"(rows.namespace_bits & {_LINKS}) <> 0" + " OR links IS NOT NULL" * has_groups
    is_other += " OR rows.news IS NOT NULL" * is_news_apart
    mask = _ALL - _NEWS if is_news_apart else _ALL
    namespace_bits, linked = "rows.namespace_bits", ""
    if has_groups:
        namespace_bits = f"CASE WHEN links IS NULL THEN rows.namespace_bits ELSE rows.namespace_bits | {_LINKS} END"
        linked = f" + coalesce(strlen(links) + {layout.indent} * pages, 0)"
    return f"""
        SELECT rows.* EXCLUDE (news, namespace_bits, entry_hash, size, grp),
            {news} AS news, rows.news AS article,
            ({namespace_bits} & {mask})::UTINYINT AS namespace_bits,
            CASE WHEN {is_other} THEN {entry_hash_sql("rows.xml_after_lastmod", "links", news)} ELSE rows.entry_hash END
                AS entry_hash,
            rows.size{apart}{linked} AS size,
            CASE rows.section {groups} END AS grp
        FROM ({rows}) AS rows
    """


def _resolved(rows: str, layout: Layout, *, is_known: bool, has_series: bool, has_respelled: bool) -> str:
    """Compare each row with what is known of it, and find its series and the shard that it can stay in."""
    size = f"(rows.size + coalesce(strlen(rows.lastmod) + {len('<lastmod></lastmod>') + layout.indent}, 0))::UBIGINT"
    series, in_series = "0", ""
    if has_series:
        series, in_series = "series.series", "JOIN series ON series.section = rows.section AND series.grp = rows.grp"
    if not is_known:
        return f"""
            SELECT {series} AS series, rows.* EXCLUDE (size), {size} AS size, NULL AS stays_in, NULL AS was_in,
                'added' AS state, rows.content IS NOT NULL OR rows.lastmod_source IS NOT NULL AS manifest_differs
            FROM ({rows}) AS rows {in_series}
        """
    # The loc is a part of the entry.
    respelled = " OR is_respelled" * has_respelled
    return f"""
        SELECT {series} AS series, rows.* EXCLUDE (instant, size),
            CASE WHEN given_lastmod = rows.lastmod THEN rows.instant ELSE {instant_sql("rows.lastmod")} END AS instant,
            {size} AS size,
            CASE WHEN old_shards.series = {series} THEN old_shards.number END AS stays_in,
            old_shards.number AS was_in,
            CASE
                WHEN known_shard IS NULL THEN 'added'
                WHEN rows.entry_hash <> known_entry_hash OR rows.lastmod IS DISTINCT FROM known_lastmod{respelled}
                    THEN 'changed'
                ELSE 'same'
            END AS state,
            rows.content IS DISTINCT FROM known_content
                OR rows.lastmod_source IS DISTINCT FROM known_lastmod_source AS manifest_differs
        FROM ({rows}) AS rows {in_series}
        LEFT JOIN old_shards ON old_shards.shard = known_shard
    """


def entry_hash_sql(xml_after_lastmod: str, links: str, news: str) -> str:
    """Return SQL for the hash of an entry's XML where the core cannot know all of it."""
    return f"md5_number_lower(concat({xml_after_lastmod}, {links}, {news}))"


def instant_sql(lastmod: str) -> str:
    """Return SQL for a W3C date in microseconds since the epoch; a year or a month counts as its first day."""
    first = f"CASE strlen({lastmod}) WHEN 4 THEN '-01-01' WHEN 7 THEN '-01' ELSE '' END"
    return f"epoch_us(TRY_CAST({lastmod} || {first} AS TIMESTAMPTZ))"


def news_size_sql(news: str, *, is_pretty: bool) -> str:
    """Return SQL for the bytes that a `news:news` element, stored densely, has in its document."""
    if not is_pretty:
        return f"strlen({news})"
    # Pretty layout puts a line feed and 4 or 6 blanks before each tag that opens or closes an element with children,
    # and before each element with a text; 8 blanks before the two elements in `news:publication`.
    tags = f"(strlen({news}) - strlen(replace({news}, '</', ''))) // 2"
    has = {name: f"contains({news}, '<news:{name}>')::INTEGER" for name in ("publication", "name", "language")}
    return f"(strlen({news}) + 3 + 7 * ({tags}) + 7 * {has['publication']} + 2 * ({has['name']} + {has['language']}))"
