"""Derived documents, made anew each time besides the shards: what changed lately, news, and what is gone.

recent     the entries whose lastmod is of the last days, so that a crawler finds them in one small document
news       the articles of the last 48 hours, 1,000 per document. Source: Google Search Central, news sitemaps
removed    the locs that were published and are gone, so that crawlers request them and learn it
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from urlset import _core
from urlset._model.limits import NEWS_PER_DOCUMENT, PROTOCOL
from urlset._options.publish import Layout
from urlset._publish.rows.hreflang import HREF
from urlset._publish.rows.resolve_sql import instant_sql, news_size_sql
from urlset._publish.rows.schema import create_as
from urlset._publish.values.assignment import ShardDraft
from urlset._publish.values.header import ShardRecord
from urlset._publish.values.options import PublishOptions
from urlset._publish.values.shards import DERIVED, stem
from urlset._util.duckdb import literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

RECENT, NEWS, REMOVED = NAMES = DERIVED
_NEWS_LASTS = timedelta(hours=48)
#: The last moment of a day, in microseconds after its first one.
_DAY = 24 * 60 * 60 * 1_000_000 - 1
_PRETTY = "  <url>\n    <loc></loc>\n    <lastmod></lastmod>\n  </url>\n"


def derive(
    connection: DuckDBPyConnection, options: PublishOptions, records: Sequence[ShardRecord], first: int
) -> tuple[ShardDraft, ...]:
    """Create a table of rows for each kind of derived documents that is wanted.

    Args:
        connection: The planning database, with `assigned` and `gone`.
        options: The options of the publish.
        records: The current documents.
        first: The number of the first shard.

    Returns:
        The shards of the derived documents.
    """
    shards: list[ShardDraft] = []
    for name, query in _queries(options).items():
        create_as(
            connection, f"{name}_rows", f"SELECT row_number() OVER () - 1 AS place, * FROM ({query})", order="place"
        )
        shards += _shards(connection, name, options.layout, records, first + len(shards))
    return tuple(shards)


def _queries(options: PublishOptions) -> dict[str, str]:
    now, queries = options.now, {}
    if options.derived.recent is not None:
        queries[RECENT] = _recent(now - timedelta(days=options.derived.recent))
    if options.derived.news:
        queries[NEWS] = _news(now - _NEWS_LASTS, options.layout)
    if options.derived.removed is not None:
        queries[REMOVED] = _removed(now, now - timedelta(days=options.derived.removed), options)
    return queries


def _shards(
    connection: DuckDBPyConnection, name: str, layout: Layout, records: Sequence[ShardRecord], first: int
) -> list[ShardDraft]:
    """Return the shards of one kind of derived documents."""
    old = {record.part: record for record in records if record.section == name}
    most = NEWS_PER_DOCUMENT if name == NEWS else PROTOCOL.entries
    rows = connection.sql(f"SELECT 0::UINTEGER AS series, size, namespace_bits FROM {name}_rows ORDER BY place")
    shards: list[ShardDraft] = []
    begin = 0
    for part, packed in enumerate(_core.pack(rows, most, {}, layout), 1):
        count = packed.rows
        fingerprint, size = connection.execute(
            "SELECT md5(string_agg(concat_ws(' ', loc, lastmod, xml_after_lastmod, links, news), '\n' ORDER BY place)),"
            f" sum(size)::UBIGINT FROM {name}_rows WHERE place BETWEEN ? AND ?",
            [begin, begin + count - 1],
        ).fetchall()[0]
        begin += count
        shards.append(
            ShardDraft(
                first + len(shards),
                stem(name, part),
                name,
                "",
                part,
                old.get(part),
                new=count,
                bytes=size,
                fingerprint=fingerprint,
            )
        )
    return shards


def rows_sql(shards: Sequence[ShardDraft]) -> str:
    """Return the query for the rows of all these shards, in order."""
    begins: dict[str, int] = {}
    parts = []
    for shard in shards:
        begin = begins.get(shard.section, 0)
        begins[shard.section] = begin + shard.new
        parts.append(
            f"SELECT {shard.number}::UINTEGER AS shard, place, loc, lastmod, xml_after_lastmod, links, news,"
            " namespace_bits"
            f" FROM {shard.section}_rows WHERE place BETWEEN {begin} AND {begin + shard.new - 1}"
        )
    return f"SELECT * EXCLUDE (place) FROM ({' UNION ALL '.join(parts)}) ORDER BY shard, place"


def _micros(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000)


def _recent(since: datetime) -> str:
    return f"""
        SELECT loc, lastmod, xml_after_lastmod, links, news, namespace_bits, size FROM assigned
        WHERE instant >= {_micros(since)} ORDER BY instant DESC, loc
    """


def _news(since: datetime, layout: Layout) -> str:
    # A date without a time is all of that day.
    return f"""
        SELECT loc, lastmod, xml_after_lastmod, links, article AS news,
            (namespace_bits | 8)::UTINYINT AS namespace_bits,
            (size + {news_size_sql("article", is_pretty=layout.pretty)})::UBIGINT AS size
        FROM (
            SELECT *, {instant_sql("said")} + CASE WHEN strlen(said) <= 10 THEN {_DAY} ELSE 0 END AS until
            FROM (
                SELECT *, regexp_extract(article, '<news:publication_date>([^<]*)<', 1) AS said
                FROM assigned WHERE article IS NOT NULL
            )
        )
        WHERE until >= {_micros(since)} ORDER BY until DESC, loc
    """


def _removed(now: datetime, since: datetime, options: PublishOptions) -> str:
    seen = f"coalesce(gone, make_timestamptz({_micros(now)}))"
    around = len(_PRETTY if options.layout.pretty else "<url><loc></loc><lastmod></lastmod></url>\n")
    return f"""
        SELECT loc, strftime({seen}, '%Y-%m-%dT%H:%M:%SZ') AS lastmod, NULL::VARCHAR AS xml_after_lastmod,
            NULL::VARCHAR AS links, NULL::VARCHAR AS news, 0::UTINYINT AS namespace_bits,
            (strlen({HREF}) + {around + len("2026-11-21T12:00:00Z")})::UBIGINT AS size
        FROM gone WHERE {seen} >= make_timestamptz({_micros(since)}) AND starts_with(loc, {literal(options.prefix)})
        ORDER BY {seen} DESC, loc
    """
