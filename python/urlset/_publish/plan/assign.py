"""Assign shards: compare the rows with what is known of them, and decide which shard each row is in.

A row stays in its shard if it can. The others, in a fixed order, fill the newest shard of their series and then new
ones. This makes the tables `series`, `old_shards`, `gone`, `respelled`, `resolved`, `new_rows` and `new_shards`; see
schema.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from urlset import _core
from urlset._model.errors import PublishError
from urlset._model.limits import NEWS_PER_DOCUMENT, PROTOCOL
from urlset._options.publish import Layout
from urlset._publish.plan.respelled import find_respelled
from urlset._publish.rows.resolve_sql import ARTICLES, resolve_sql
from urlset._publish.rows.schema import (
    ASSIGNED_NEW_ROWS,
    create,
    create_as,
    create_assigned,
    create_constant,
    create_with,
)
from urlset._publish.values.assignment import AROUND, Assignment, RepeatedLocError, ShardDraft
from urlset._publish.values.header import ShardRecord
from urlset._publish.values.options import PublishOptions, SectionRows
from urlset._publish.values.shards import MAX_SERIES, prefix, stem
from urlset._util.duckdb import parsed

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Rows of `new_shards` that are made at once: DuckDB holds all lists of a query in memory.
_ROWS_AT_ONCE = 1_000_000


#: Counts of rows and bytes by the number of the shard and the name of the attribute of `ShardDraft`.
_Tallies = defaultdict[int, Counter[str]]


@dataclass(frozen=True, slots=True)
class _Series:
    """A series of shards: the number of its section, the value that it is sharded by, and its own number."""

    section: int
    group: str
    number: int


def assign(
    connection: DuckDBPyConnection,
    sections: Sequence[SectionRows],
    records: Sequence[ShardRecord],
    options: PublishOptions,
    *,
    is_known: bool,
    has_groups: bool,
) -> Assignment:
    """Assign the rows of `incoming` to shards.

    Args:
        connection: The planning database.
        sections: The sections by number.
        records: The current documents, without derived ones.
        options: The options of the publish.
        is_known: Whether `known` has rows.
        has_groups: Whether there are groups of translations, and so a table `links`.

    Raises:
        PublishError: The rows need more series of shards than a set may have.
        RepeatedLocError: A loc is known twice. The tables that were made so far are left.
    """
    series = _number_series(connection, sections)
    shards, newest_parts, old_shards = _number_old_shards(sections, series, records)
    order = _order_within(sections)
    has_respelled = False
    if is_known:
        create_as(connection, "gone", "SELECT * FROM known ANTI JOIN incoming USING (loc)")
        has_respelled = find_respelled(connection)
    query = resolve_sql(
        sections,
        options.layout,
        is_known=is_known,
        has_groups=has_groups,
        has_series=not _is_one_series(sections),
        has_respelled=has_respelled,
        is_news_apart=options.derived.news,
    )
    seen = [options.now.isoformat(timespec="seconds").replace("+00:00", "Z")]
    if is_known:
        create_with(connection, "old_shards", old_shards)
        create_as(connection, "resolved", query, seen)
        _check_known(connection)
        _shrink(connection, options.layout)
        create_as(connection, "new_rows", "FROM resolved WHERE stays_in IS NULL", order=f"series, {order}")
    else:
        create_as(connection, "new_rows", query, order=f"series, {order}")
        if options.derived.removed is not None:  # the list of removed pages reads it
            create(connection, "gone")
    connection.execute(parsed("DROP TABLE incoming"))
    tallies = _fill(connection, sections, series, shards, newest_parts, options.layout, is_known=is_known)
    create_assigned(connection, is_known=is_known)
    counts, lastmod_sources, manifest_differs, latest = _count(connection, tallies, is_known=is_known)
    removed = _count_gone(connection, tallies) if is_known else 0
    fingerprints = {}
    if any(not section.shard_by.is_sticky for section in sections):
        fingerprints = _fingerprints(connection, sections)
    final = {number: _counted(shard, tallies[number], fingerprints.get(number)) for number, shard in shards.items()}
    return Assignment(final, counts, removed, lastmod_sources, manifest_differs, latest, order)


def _number_series(connection: DuckDBPyConnection, sections: Sequence[SectionRows]) -> list[_Series]:
    """Create `series`, and return it by number; no table if there is one series."""
    if _is_one_series(sections):
        return [_Series(0, "", 0)]
    groups = " UNION ALL ".join(
        f"SELECT DISTINCT {number}::UTINYINT AS section, {section.shard_by.sql} AS grp"
        f" FROM incoming WHERE section = {number}"
        for number, section in enumerate(sections)
    )
    found = connection.execute(
        parsed(f"SELECT section, grp FROM ({groups}) ORDER BY section, grp LIMIT {MAX_SERIES + 1}")
    ).fetchall()
    if len(found) > MAX_SERIES:
        raise PublishError(
            f"the rows need more than {MAX_SERIES:,} series of shards: use another shard_by or another column"
        )
    create_with(connection, "series", [(number, *row) for number, row in enumerate(found)])
    return [_Series(section, group, number) for number, (section, group) in enumerate(found)]


def _is_one_series(sections: Sequence[SectionRows]) -> bool:
    return len(sections) == 1 and sections[0].shard_by.is_one_series


def _number_old_shards(
    sections: Sequence[SectionRows], series: Sequence[_Series], records: Sequence[ShardRecord]
) -> tuple[dict[int, ShardDraft], dict[int, int], list[tuple[str, int, int | None, int]]]:
    """Number the current shards. Those of a series that still exists get its number, and can keep rows.

    Returns:
        The shards by number, the highest part of each series, and the rows of `old_shards`.
    """
    names = {prefix(sections[each.section].name, each.group): each for each in series}
    shards: dict[int, ShardDraft] = {}
    newest_parts: dict[int, int] = {}
    rows = []
    for number, record in enumerate(records):
        # By its name: where the manifest was lost, only that shows the series.
        section, group, stays_in = record.section, record.group, None
        found = names.get(record.series)
        if found is not None:
            section, group = sections[found.section].name, found.group
            if sections[found.section].shard_by.is_sticky:
                stays_in = found.number
                newest_parts[found.number] = max(record.part, newest_parts.get(found.number, 0))
        shards[number] = ShardDraft(number, record.shard, section, group, record.part, old=record)
        rows.append((record.shard, number, stays_in, record.part))
    return shards, newest_parts, rows


def _check_known(connection: DuckDBPyConnection) -> None:
    """Check that no loc is known twice. The joins have shown that, without another look at each of the known locs."""
    [(is_joined_twice, is_gone_twice)] = connection.execute(
        "SELECT (SELECT count(*) FROM resolved) > (SELECT count(*) FROM incoming),"
        " (SELECT count(*) > count(DISTINCT loc) FROM gone)"
    ).fetchall()
    if is_joined_twice or is_gone_twice:
        raise RepeatedLocError


def _order_within(sections: Sequence[SectionRows]) -> str:
    """Return the order in which shards are filled: by the locs' text, so that rows in any order fill them alike."""
    by_row = _by_row(sections)
    return f"CASE WHEN section IN ({by_row}) THEN row ELSE 0 END, loc" if by_row else "loc"


def _by_row(sections: Sequence[SectionRows]) -> str:
    """Return the numbers of the sections whose shards are filled in the order of their rows."""
    return ", ".join(str(number) for number, section in enumerate(sections) if not section.shard_by.is_sticky)


def _shrink(connection: DuckDBPyConnection, layout: Layout) -> None:
    """Make the latest rows leave the shards that have no room for them any more, because others have grown."""
    too_large = (
        f"SELECT stays_in FROM resolved WHERE stays_in IS NOT NULL GROUP BY stays_in"
        f" HAVING count(*) > {PROTOCOL.entries} OR sum(size) + {AROUND} > {PROTOCOL.bytes}"
        f" OR {ARTICLES} > {NEWS_PER_DOCUMENT}"
    )
    create_as(
        connection,
        "overfull",
        "SELECT row_number() OVER () - 1 AS place, * FROM ("
        f" SELECT stays_in AS series, size, namespace_bits, loc FROM resolved WHERE stays_in IN ({too_large})"
        " ORDER BY stays_in, first_seen, loc)",
    )
    begin, leaving, last = 0, [], None
    for shard in _core.pack(
        connection.table("overfull").project("series, size, namespace_bits"),
        PROTOCOL.entries,
        {},
        layout,
    ):
        if shard.series == last:
            leaving.append((begin, begin + shard.rows))
        begin, last = begin + shard.rows, shard.series
    if leaving:
        create_with(connection, "leaving", leaving)
        connection.execute(
            "UPDATE resolved SET stays_in = NULL WHERE loc IN"
            " (SELECT loc FROM overfull JOIN leaving ON place >= leaving.first AND place < leaving.stop)"
        )


def _fill(
    connection: DuckDBPyConnection,
    sections: Sequence[SectionRows],
    series: Sequence[_Series],
    shards: dict[int, ShardDraft],
    parts: dict[int, int],
    layout: Layout,
    *,
    is_known: bool,
) -> _Tallies:
    """Create `new_shards`: the newest shard of each series is filled up first, then come new ones.

    `shards` and `parts` are continued with the new shards. The part of a shard that is gone is not used again at once,
    because somebody may still hold a shard of that name.

    Returns:
        How many rows each shard gets.
    """
    tallies: _Tallies = defaultdict(Counter)
    begun, newest = _newest_shards(connection) if is_known else ({}, {})
    by_name = {shard.shard: shard for shard in shards.values()}
    filled = []
    for packed in _core.pack(
        connection.sql(parsed("SELECT series, size, namespace_bits FROM new_rows")),
        PROTOCOL.entries,
        begun,
        layout,
    ):
        number, count = packed.series, packed.rows
        if packed.is_begun:
            shard = shards[newest[number]]
        else:
            group, section = series[number].group, sections[series[number].section].name
            part = parts[number] = parts.get(number, 0) + 1
            name = stem(prefix(section, group), part)
            # In the order of rows, the shards are filled anew each time.
            shard = by_name.get(name) or ShardDraft(len(shards), name, section, group, part)
            shards[shard.number] = shard
        tallies[shard.number]["new"] += count
        filled.append((shard.number, count))
    _create_new_shards(connection, filled)
    return tallies


def _newest_shards(connection: DuckDBPyConnection) -> tuple[dict[int, _core.ShardContent], dict[int, int]]:
    """Return, by series, what its newest shard holds and the number of that shard."""
    query = (
        f"SELECT old_shards.series, old_shards.number, count(*), {ARTICLES}, sum(size)::UBIGINT, bit_or(namespace_bits)"
        " FROM resolved JOIN old_shards ON old_shards.number = resolved.stays_in"
        " GROUP BY old_shards.series, old_shards.part, old_shards.number"
        " QUALIFY row_number() OVER (PARTITION BY old_shards.series ORDER BY old_shards.part DESC) = 1"
    )
    kept = connection.execute(parsed(query)).fetchall()
    return {row[0]: _core.ShardContent(*row[2:]) for row in kept}, {row[0]: row[1] for row in kept}


def _create_new_shards(connection: DuckDBPyConnection, filled: Sequence[tuple[int, int]]) -> None:
    """Create `new_shards` from the numbers of shards and how many rows go into each."""
    repeated = (
        "SELECT number FROM (SELECT number, unnest(range(rows)) FROM (SELECT unnest(?) AS number, unnest(?) AS rows))"
    )
    if not filled:
        create(connection, "new_shards")
    if len(filled) == 1:
        create_constant(connection, "new_shards", filled[0][0], "new_rows")
        return
    begin, rows = 0, 0
    for end, (_, count) in enumerate(filled, 1):
        rows += count
        if rows >= _ROWS_AT_ONCE or end == len(filled):
            numbers, counts = (list(column) for column in zip(*filled[begin:end], strict=True))
            if begin:
                connection.execute(parsed(f"INSERT INTO new_shards {repeated}"), [numbers, counts])
            else:
                create_as(connection, "new_shards", repeated, [numbers, counts])
            begin, rows = end, 0


def _count(
    connection: DuckDBPyConnection, tallies: _Tallies, *, is_known: bool
) -> tuple[dict[str, int], dict[str, int], bool, int | None]:
    """Count the rows of each shard by what became of them.

    Returns:
        How many rows of the set are added, changed, moved and the same; how many lastmods come from where; whether the
        manifest learns something; and the latest lastmod, in microseconds since the epoch.
    """
    counts = dict.fromkeys(("added", "changed", "moved", "same"), 0)
    lastmod_sources: dict[str, int] = {}
    manifest_differs, latest = False, None
    change, rows_of = ("stays, was_in, state", "assigned") if is_known else ("FALSE, NULL, 'added'", ASSIGNED_NEW_ROWS)
    query = (
        f"SELECT number, {change}, manifest_differs, coalesce(lastmod_source, 'none') AS source, count(*),"
        f" sum(size)::UBIGINT, max(CASE WHEN lastmod IS NOT NULL THEN instant END) FROM {rows_of} GROUP BY ALL"
    )
    for number, stays, was_in, state, learned, source, rows, size, instant in connection.execute(
        parsed(query)
    ).fetchall():
        tally = tallies[number]
        tally["bytes"] += size
        tally["kept"] += rows if stays else 0
        if was_in == number:
            tally["changed"] += rows if state == "changed" else 0
        else:
            tally["moved_in"] += rows
            tally["added"] += rows if state == "added" else 0
            if was_in is not None:
                tallies[was_in]["moved_out"] += rows
        counts[state if state == "added" or was_in == number else "moved"] += rows
        lastmod_sources[source] = lastmod_sources.get(source, 0) + rows
        manifest_differs |= learned
        if instant is not None:
            latest = instant if latest is None else max(latest, instant)
    return counts, dict(sorted(lastmod_sources.items())), manifest_differs, latest


def _counted(shard: ShardDraft, tally: Counter[str], fingerprint: str | None) -> ShardDraft:
    """Return the shard with what was counted of it."""
    return replace(
        shard,
        kept=tally["kept"],
        new=tally["new"],
        changed=tally["changed"],
        moved_in=tally["moved_in"],
        added=tally["added"],
        moved_out=tally["moved_out"],
        bytes=tally["bytes"],
        fingerprint=fingerprint,
    )


def _count_gone(connection: DuckDBPyConnection, tallies: _Tallies) -> int:
    """Count the known locs that are gone: in all, and of each shard."""
    removed = 0
    query = (
        "SELECT number, count(*) FROM gone LEFT JOIN old_shards USING (shard) WHERE gone.gone IS NULL GROUP BY number"
    )
    for number, rows in connection.execute(parsed(query)).fetchall():
        removed += rows
        if number is not None:
            tallies[number]["moved_out"] += rows
    return removed


def _fingerprints(connection: DuckDBPyConnection, sections: Sequence[SectionRows]) -> dict[int, str]:
    """Return the fingerprints of the shards in the order of their rows: the same rows in another order differ."""
    found = connection.execute(f"""
        SELECT number, sum(md5_number_lower(concat_ws(' ', loc, lastmod, entry_hash, place - first)))::VARCHAR FROM (
            SELECT *, min(place) OVER (PARTITION BY number) AS first FROM (
                SELECT number, section, loc, lastmod, entry_hash, row_number() OVER () AS place
                FROM {ASSIGNED_NEW_ROWS}
            ) WHERE section IN ({_by_row(sections)})
        ) GROUP BY number
    """).fetchall()
    return dict(found)
