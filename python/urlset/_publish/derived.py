"""Sitemaps beside the others that are made anew each time: what changed lately, news, and what is gone.

recent     the entries whose lastmod is of the last days, so that a crawler finds them in one small document
news       the articles of the last 48 hours, 1,000 a document. Source: Google Search Central, news sitemaps
removed    the locs that were there and are gone, so that crawlers ask for them and find out
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from urlset import _core
from urlset._model.limits import PROTOCOL
from urlset._publish.assign import Look, Shard
from urlset._publish.database import instant_sql, news_size_sql
from urlset._publish.hreflang import HREF
from urlset._publish.manifest import ShardRecord
from urlset._publish.shards import EXPIRING, stem

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

RECENT, NEWS, REMOVED = NAMES = EXPIRING
_ARTICLES = 1_000
_FRESH = timedelta(hours=48)
#: The last moment of a day, in microseconds from its first one.
_DAY = 24 * 60 * 60 * 1_000_000 - 1
_PRETTY = "  <url>\n    <loc></loc>\n    <lastmod></lastmod>\n  </url>\n"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of them are wanted: the days of two of them."""

    recent: int | None = None
    news: bool = False
    removed: int | None = None


def place(
    connection: DuckDBPyConnection,
    wanted: Wanted,
    records: Sequence[ShardRecord],
    look: Look,
    now: datetime,
    first: int,
) -> list[Shard]:
    """The shards of them, numbered from `first` on; their rows are in tables of their names, in order."""
    old = {(record.section, record.part): record for record in records if record.section in NAMES}
    queries = {}
    if wanted.recent is not None:
        queries[RECENT] = _recent(now - timedelta(days=wanted.recent))
    if wanted.news:
        queries[NEWS] = _news(now - _FRESH, look)
    if wanted.removed is not None:
        queries[REMOVED] = _removed(now, now - timedelta(days=wanted.removed), look)
    shards: list[Shard] = []
    for name, query in queries.items():
        connection.execute(f"CREATE TABLE {name}_rows AS SELECT row_number() OVER () - 1 AS place, * FROM ({query})")
        most = _ARTICLES if name == NEWS else PROTOCOL.entries
        rows = connection.sql(f"SELECT 0::UINTEGER AS series, size, uses FROM {name}_rows ORDER BY place")
        cuts = _core.cut(rows, most, {}, look.is_pretty, look.stylesheet)
        begin = 0
        for part, (_, _, count) in enumerate(cuts, 1):
            shard = Shard(first + len(shards), stem(name, part), name, "", part, old.get((name, part)), fresh=count)
            shard.fingerprint, shard.bytes = connection.execute(
                "SELECT md5(string_agg(concat_ws(' ', loc, lastmod, tail, links, news), '\n' ORDER BY place)),"
                f" sum(size)::UBIGINT FROM {name}_rows WHERE place BETWEEN ? AND ?",
                [begin, begin + count - 1],
            ).fetchall()[0]
            begin += count
            shards.append(shard)
    return shards


def rows_sql(shards: Sequence[Shard]) -> str:
    """The rows of these shards, in order."""
    begins: dict[str, int] = {}
    parts = []
    for shard in shards:
        begin = begins.get(shard.section, 0)
        begins[shard.section] = begin + shard.fresh
        parts.append(
            f"SELECT {shard.number}::UINTEGER AS shard, place, loc, lastmod, tail, links, news, uses"
            f" FROM {shard.section}_rows WHERE place BETWEEN {begin} AND {begin + shard.fresh - 1}"
        )
    return f"SELECT * EXCLUDE (place) FROM ({' UNION ALL '.join(parts)}) ORDER BY shard, place"


def _micros(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000)


def _recent(since: datetime) -> str:
    return f"""
        SELECT loc, lastmod, tail, links, news, uses, size FROM placed
        WHERE instant >= {_micros(since)} ORDER BY instant DESC, loc
    """


def _news(since: datetime, look: Look) -> str:
    # A date without a time is all of that day.
    return f"""
        SELECT loc, lastmod, tail, links, article AS news, (uses | 8)::UTINYINT AS uses,
            (size + {news_size_sql("article", is_pretty=look.is_pretty)})::UBIGINT AS size
        FROM (
            SELECT *, {instant_sql("said")} + CASE WHEN strlen(said) <= 10 THEN {_DAY} ELSE 0 END AS until
            FROM (
                SELECT *, regexp_extract(article, '<news:publication_date>([^<]*)<', 1) AS said
                FROM placed WHERE article IS NOT NULL
            )
        )
        WHERE until >= {_micros(since)} ORDER BY until DESC, loc
    """


def _removed(now: datetime, since: datetime, look: Look) -> str:
    seen = f"coalesce(gone, make_timestamptz({_micros(now)}))"
    around = len(_PRETTY if look.is_pretty else "<url><loc></loc><lastmod></lastmod></url>\n")
    return f"""
        SELECT loc, strftime({seen}, '%Y-%m-%dT%H:%M:%SZ') AS lastmod, NULL::VARCHAR AS tail, NULL::VARCHAR AS links,
            NULL::VARCHAR AS news, 0::UTINYINT AS uses,
            (strlen({HREF}) + {around + len("2026-11-21T12:00:00Z")})::UBIGINT AS size
        FROM gone WHERE {seen} >= make_timestamptz({_micros(since)}) ORDER BY {seen} DESC, loc
    """
