"""Where each row goes: the rows against what is known of them, and the series of shards that they fill.

The tables that come of it:

    series    every series of shards, by number
    placed    all rows with all that is to be said of them; `old` is the number of the shard that a row stays in
    gone      the locs that are known and no longer there
    fresh     the rows that go to a new place, in the order in which shards are filled with them; of a section that is
              split in the order of its rows, all are
    marks     the number of the shard of each row of `fresh`, in the same order
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from urlset import _core
from urlset._model.errors import PublishError
from urlset._model.limits import PROTOCOL
from urlset._publish.database import instant_sql, key_sql, news_size_sql
from urlset._publish.manifest import ShardRecord
from urlset._publish.shards import MOST_SERIES, ShardBy, prefix, stem
from urlset._util.duckdb import insert_rows, literal, scalar

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: What a document has beside its entries is never more than this: the declarations of all extensions.
_AROUND = 1024
#: Rows of `marks` that are made at once.
_MARKED_AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True)
class Look:
    """How the documents look: one element a line or one entry, the href of a stylesheet, and how they are stored."""

    is_pretty: bool = False
    stylesheet: str | None = None
    compression: str = "gzip"

    def __str__(self) -> str:
        return " ".join([self.compression, "pretty" if self.is_pretty else "dense", self.stylesheet or ""]).rstrip()


@dataclass(slots=True)
class Shard:
    """A shard of the set that is planned: `kept` rows that stay where they are, and `fresh` ones that were placed anew.

    `old` is what was published of it. Of its rows `changed` were in it and say something else now, `came` were not in
    it, and `added` of these not in the set at all; `lost` have left it. `bytes` are those of its entries.
    """

    number: int
    shard: str
    section: str
    group: str
    part: int
    old: ShardRecord | None = None
    kept: int = 0
    fresh: int = 0
    changed: int = 0
    came: int = 0
    added: int = 0
    lost: int = 0
    bytes: int = 0
    fingerprint: str | None = None

    @property
    def entries(self) -> int:
        return self.kept + self.fresh

    @property
    def is_same(self) -> bool:
        """Every row of it is in it already, and says the same."""
        return self.old is not None and not (self.came or self.changed or self.lost)


@dataclass(slots=True)
class Placement:
    """All shards by number, how many rows are what beside what was known, and what their lastmods rest on.

    `is_learnt` says that of a row something is to be remembered that its entry does not show.
    """

    shards: dict[int, Shard] = field(default_factory=dict)
    added: int = 0
    changed: int = 0
    moved: int = 0
    same: int = 0
    removed: int = 0
    evidence: dict[str, int] = field(default_factory=dict)
    is_learnt: bool = False

    @property
    def entries(self) -> int:
        return self.added + self.changed + self.moved + self.same


def place(
    connection: DuckDBPyConnection,
    sections: Sequence[tuple[str, ShardBy]],
    records: Sequence[ShardRecord],
    look: Look,
    *,
    is_news_apart: bool,
    now: datetime,
) -> Placement:
    """Places the rows of `incoming`, beside those of `known`, which lie in the shards of `records`.

    `sections` are names and ways of splitting, by number. Raises PublishError for more series than a set may have.
    """
    found = Placement()
    is_known = bool(scalar(connection, "SELECT count(*) FROM known"))
    _number_series(connection, sections)
    _number_old(connection, sections, records, found)
    _join(connection, sections, look, is_known=is_known, is_news_apart=is_news_apart, now=now)
    if is_known:
        _shrink(connection, found, look)
        order = f"series, {order_within(sections)}"
        connection.execute(f"CREATE TABLE fresh AS FROM placed WHERE old IS NULL ORDER BY {order}")
    _fill(connection, sections, found, look)
    _count(connection, found)
    if not all(shard_by.is_sticky for _, shard_by in sections):
        _take_prints(connection, sections, found)
    return found


def _number_series(connection: DuckDBPyConnection, sections: Sequence[tuple[str, ShardBy]]) -> None:
    groups = " UNION ALL ".join(
        f"SELECT DISTINCT {number}::UTINYINT AS section, {shard_by.sql} AS grp FROM incoming WHERE section = {number}"
        for number, (_, shard_by) in enumerate(sections)
    )
    connection.execute(
        "CREATE TABLE series AS"
        " SELECT (row_number() OVER (ORDER BY section, grp) - 1)::UINTEGER AS series, section, grp"
        f" FROM ({groups})"
    )
    if scalar(connection, "SELECT count(*) FROM series") > MOST_SERIES:
        raise PublishError(f"the rows make more than {MOST_SERIES:,} series of shards: split them by something else")


def _number_old(
    connection: DuckDBPyConnection,
    sections: Sequence[tuple[str, ShardBy]],
    records: Sequence[ShardRecord],
    found: Placement,
) -> None:
    """Makes `olds`, the shards in force. Those of a series that there is still have its number: their rows can stay."""
    names = {
        prefix(sections[section][0], group): (sections[section], group, series)
        for section, group, series in _series(connection)
    }
    rows = []
    for number, record in enumerate(records):
        # By its name: where the manifest was lost, that is all that tells of the series.
        name, group, can_stay, series = record.section, record.group, False, None
        if record.series in names:
            (name, shard_by), group, series = names[record.series]
            can_stay = shard_by.is_sticky
        found.shards[number] = Shard(number, record.shard, name, group, record.part, old=record)
        rows.append((record.shard, number, series if can_stay else None, record.part))
    connection.execute("CREATE TABLE olds (shard VARCHAR, number UINTEGER, series UINTEGER, part UINTEGER)")
    insert_rows(connection, "olds", rows)


def _join(
    connection: DuckDBPyConnection,
    sections: Sequence[tuple[str, ShardBy]],
    look: Look,
    *,
    is_known: bool,
    is_news_apart: bool,
    now: datetime,
) -> None:
    """Makes `placed`; where nothing was known, `fresh` is all of it."""
    groups = " ".join(f"WHEN {number} THEN {shard_by.sql}" for number, (_, shard_by) in enumerate(sections))
    seen = literal(now.isoformat(timespec="seconds").replace("+00:00", "Z"))
    indent = 5 if look.is_pretty else 0
    mask = 7 if is_news_apart else 15
    around = len("<lastmod></lastmod>") + indent
    # What a row says of itself comes first, then what its content tells, and a commit of its file last.
    is_said = "incoming.lastmod IS NOT NULL AND incoming.evidence IS DISTINCT FROM 'git'"
    # The content of a page says that it has changed, and not when: that it has been seen now is all that is known. Of a
    # page that was never seen before not even that is.
    differs = "incoming.content <> known.content"
    stays = "incoming.content IS NOT NULL AND (incoming.lastmod IS NULL OR known.evidence = 'content')"
    # What the core has hashed is what the row says itself.
    is_other = f"(uses & 4) <> 0 OR links.links IS NOT NULL{' OR incoming.news IS NOT NULL' if is_news_apart else ''}"
    news = "NULL::VARCHAR" if is_news_apart else "incoming.news"
    apart = f"coalesce({news_size_sql('incoming.news', is_pretty=look.is_pretty)}, 0)" if is_news_apart else "0"
    known = [f"known_{name}" for name in ("shard", "key", "lastmod", "content", "evidence")]
    query = f"""
        SELECT series.series, rows.section, rows.* EXCLUDE (section, grp, size, instant, said, {", ".join(known)}),
            CASE WHEN said = rows.lastmod THEN rows.instant ELSE {instant_sql("rows.lastmod")} END AS instant,
            (rows.size + coalesce(strlen(rows.lastmod) + {around}, 0))::UBIGINT AS size,
            CASE WHEN olds.series = series.series THEN olds.number END AS old, olds.number AS was,
            CASE
                WHEN rows.known_shard IS NULL THEN 'added'
                WHEN rows.key <> rows.known_key OR rows.lastmod IS DISTINCT FROM rows.known_lastmod THEN 'changed'
                ELSE 'same'
            END AS state,
            rows.content IS DISTINCT FROM rows.known_content OR rows.evidence IS DISTINCT FROM rows.known_evidence
                AS learnt
        FROM (
            SELECT incoming.section, incoming.row, loc, incoming.lastmod AS said, incoming.instant, incoming.content,
                incoming.tail, links.links,
                {news} AS news, incoming.news AS article,
                (CASE WHEN links.links IS NULL THEN uses ELSE uses | 4 END & {mask})::UTINYINT AS uses,
                CASE WHEN {is_other} THEN {key_sql("incoming.tail", "links.links", news)} ELSE incoming.key END AS key,
                incoming.size - {apart}
                    + coalesce(strlen(links.links) + {indent} * links.pages, 0) AS size,
                CASE
                    WHEN {is_said} THEN incoming.lastmod
                    WHEN {differs} THEN {seen}
                    WHEN {stays} THEN known.lastmod
                    ELSE incoming.lastmod
                END AS lastmod,
                CASE
                    WHEN {is_said} THEN coalesce(incoming.evidence, 'column')
                    WHEN {differs} THEN 'content'
                    WHEN {stays} THEN CASE WHEN known.lastmod IS NOT NULL THEN known.evidence END
                    WHEN incoming.lastmod IS NOT NULL THEN incoming.evidence
                END AS evidence,
                CASE incoming.section {groups} END AS grp,
                CASE WHEN known.gone IS NULL THEN known.shard END AS known_shard,
                known.key AS known_key, known.lastmod AS known_lastmod, known.content AS known_content,
                known.evidence AS known_evidence, known.first_seen
            FROM incoming LEFT JOIN links USING (page) LEFT JOIN known USING (loc)
        ) AS rows
        JOIN series ON series.section = rows.section AND series.grp = rows.grp
        LEFT JOIN olds ON olds.shard = rows.known_shard
    """
    if is_known:
        connection.execute(f"CREATE TABLE placed AS {query}")
        connection.execute("CREATE TABLE gone AS SELECT * FROM known ANTI JOIN incoming USING (loc)")
    else:
        connection.execute(f"CREATE TABLE fresh AS FROM ({query}) ORDER BY series, {order_within(sections)}")
        connection.execute("CREATE VIEW placed AS FROM fresh")
        connection.execute("CREATE TABLE gone AS FROM known")
    connection.execute("DROP TABLE incoming")


def order_within(sections: Sequence[tuple[str, ShardBy]]) -> str:
    """The order in which shards are filled: of the locs' texts, so that rows in any order make the same shards."""
    by_row = [str(number) for number, (_, shard_by) in enumerate(sections) if not shard_by.is_sticky]
    return f"CASE WHEN section IN ({', '.join(by_row)}) THEN row ELSE 0 END, loc" if by_row else "loc"


def _shrink(connection: DuckDBPyConnection, found: Placement, look: Look) -> None:
    """Sends on the rows that their shard has no room for any more, because others of it have grown: the latest ones."""
    connection.execute(
        "CREATE TEMP TABLE filled AS SELECT row_number() OVER () - 1 AS place, * FROM ("
        "  SELECT old AS series, size, uses, loc FROM placed WHERE old IN"
        "  (SELECT old FROM placed WHERE old IS NOT NULL GROUP BY old HAVING count(*) > ? OR sum(size) + ? > ?)"
        "  ORDER BY old, first_seen, loc)",
        [PROTOCOL.entries, _AROUND, PROTOCOL.bytes],
    )
    begin, sent_on, last = 0, [], None
    for number, _, count in _core.cut(
        connection.table("filled"), PROTOCOL.entries, {}, look.is_pretty, look.stylesheet
    ):
        if number == last:
            sent_on.append((begin, begin + count))
        begin, last = begin + count, number
    if sent_on:
        connection.execute("CREATE TEMP TABLE ranges (begin BIGINT, stop BIGINT)")
        insert_rows(connection, "ranges", sent_on)
        connection.execute(
            "UPDATE placed SET old = NULL WHERE loc IN"
            " (SELECT loc FROM filled JOIN ranges ON place >= begin AND place < stop)"
        )


def _fill(
    connection: DuckDBPyConnection, sections: Sequence[tuple[str, ShardBy]], found: Placement, look: Look
) -> None:
    """Makes `marks`: the newest shard of each series is filled up first, then come new ones."""
    begun, newest = {}, {}
    if found.shards:
        kept = connection.execute(
            "SELECT olds.series, olds.part, olds.number, count(*), sum(size)::UBIGINT, bit_or(uses)"
            " FROM placed JOIN olds ON olds.number = placed.old GROUP BY olds.series, olds.part, olds.number"
            " QUALIFY row_number() OVER (PARTITION BY olds.series ORDER BY olds.part DESC) = 1"
        ).fetchall()
        begun = {series: (entries, size, uses) for series, _, _, entries, size, uses in kept}
        newest = {series: number for series, _, number, *_ in kept}
    # The number of a shard that is gone is not used again at once: a part of that name may be held somewhere still.
    parts = dict(
        connection.execute("SELECT series, max(part) FROM olds WHERE series IS NOT NULL GROUP BY series").fetchall()
    )
    names = {number: (section, group) for section, group, number in _series(connection)}
    there = {shard.shard: shard for shard in found.shards.values()}
    cuts = _core.cut(
        connection.sql("SELECT series, size, uses FROM fresh"), PROTOCOL.entries, begun, look.is_pretty, look.stylesheet
    )
    marks = []
    for series, is_begun, count in cuts:
        if is_begun:
            shard = found.shards[newest[series]]
        else:
            section, group = names[series]
            part = parts[series] = parts.get(series, 0) + 1
            name = sections[section][0]
            called = stem(prefix(name, group), part)
            # In the order of rows the shards are filled anew each time.
            shard = there.get(called) or Shard(len(found.shards), called, name, group, part)
            found.shards[shard.number] = shard
        shard.fresh += count
        marks.append((shard.number, count))
    _mark(connection, marks)


def _mark(connection: DuckDBPyConnection, marks: Sequence[tuple[int, int]]) -> None:
    """Makes `marks` of the numbers of shards and how many rows go into each."""
    connection.execute("CREATE TABLE marks (number UINTEGER)")
    some: list[tuple[int, int]] = []
    left = _MARKED_AT_ONCE
    for place, mark in enumerate(marks, 1):
        some.append(mark)
        left -= mark[1]
        # DuckDB holds all lists of a query at once.
        if left <= 0 or place == len(marks):
            connection.execute("CREATE OR REPLACE TEMP TABLE counted (number UINTEGER, rows BIGINT)")
            insert_rows(connection, "counted", some)
            connection.execute("INSERT INTO marks SELECT number FROM (SELECT number, unnest(range(rows)) FROM counted)")
            some, left = [], _MARKED_AT_ONCE


def _series(connection: DuckDBPyConnection) -> list[tuple[int, str, int]]:
    return connection.execute("SELECT section, grp, series FROM series ORDER BY series").fetchall()


def _count(connection: DuckDBPyConnection, found: Placement) -> None:
    columns = "was, state, learnt, size"
    for number, is_kept, was, state, is_learnt, rows, size in connection.execute(f"""
        SELECT number, is_kept, was, state, bool_or(learnt), count(*), sum(size)::UBIGINT FROM (
            SELECT old AS number, TRUE AS is_kept, {columns} FROM placed WHERE old IS NOT NULL
            UNION ALL
            SELECT number, FALSE, {columns} FROM fresh POSITIONAL JOIN marks
        ) GROUP BY ALL
    """).fetchall():
        shard = found.shards[number]
        shard.bytes += size
        found.is_learnt |= is_learnt
        shard.kept += rows if is_kept else 0
        if was == number:
            shard.changed += rows if state == "changed" else 0
        else:
            shard.came += rows
            shard.added += rows if state == "added" else 0
            if was is not None:
                found.shards[was].lost += rows
        kind = state if state == "added" or was == number else "moved"
        setattr(found, kind, getattr(found, kind) + rows)
    for number, rows in connection.execute(
        "SELECT number, count(*) FROM gone LEFT JOIN olds USING (shard) WHERE gone.gone IS NULL GROUP BY number"
    ).fetchall():
        found.removed += rows
        if number is not None:
            found.shards[number].lost += rows
    found.evidence = dict(
        connection.execute(
            "SELECT coalesce(evidence, 'none'), count(*) FROM placed GROUP BY ALL ORDER BY ALL"
        ).fetchall()
    )


def _take_prints(connection: DuckDBPyConnection, sections: Sequence[tuple[str, ShardBy]], found: Placement) -> None:
    """Fingerprints of the shards that are in the order of their rows: the same rows in another order are others."""
    ordered = ", ".join(str(number) for number, (_, shard_by) in enumerate(sections) if not shard_by.is_sticky)
    for number, fingerprint in connection.execute(f"""
        SELECT number, sum(md5_number_lower(concat_ws(' ', loc, lastmod, key, place - first)))::VARCHAR FROM (
            SELECT *, min(place) OVER (PARTITION BY number) AS first FROM (
                SELECT number, section, loc, lastmod, key, row_number() OVER () AS place
                FROM fresh POSITIONAL JOIN marks
            ) WHERE section IN ({ordered})
        ) GROUP BY number
    """).fetchall():
        found.shards[number].fingerprint = fingerprint
