"""A set that is planned without SQL: the core holds its rows sorted, and does all that depends on a single row.

It does so for the rows of one section in one series that bring nothing beside the entry itself. If nothing was known
before (new_set), the rows fill one shard after the other. Else (known_set) they are compared with the manifest in
force, from which DuckDB reads the known locs. Other sets are planned with SQL (see assign), which
gives the same result for these too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from urlset._publish.plan.guards import LastmodCounts, lastmods_of
from urlset._publish.rows.ingest import IngestedSection
from urlset._publish.stored import manifest
from urlset._publish.values.assignment import Assignment, InCoreRows, ShardDraft
from urlset._publish.values.header import Header
from urlset._publish.values.options import PublishOptions, SectionRows
from urlset._util.duckdb import path_pattern

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset import _core

#: The bit of `namespace_bits` that marks an entry with links: the planning database hashes their text in its own way.
_LINKS = 4


def is_in_core(sections: Sequence[SectionRows], ingested: Sequence[IngestedSection], options: PublishOptions) -> bool:
    """Return whether the rows of a set can be planned without SQL."""
    if len(sections) != 1 or options.has_derived:
        return False
    [section], rows = sections, ingested[0].rows
    is_one = section.shard_by.is_sticky and section.shard_by.is_one_series
    return is_one and not rows.has_extras and not rows.namespaces & _LINKS


def assignment_of(
    shards: dict[int, ShardDraft], lastmods: _core.Lastmods, rows: InCoreRows, *, changed: int, manifest_differs: bool
) -> tuple[Assignment, LastmodCounts]:
    """Return the assignment of a set that is planned in the core, and what the guards look at.

    Args:
        shards: All shards, by number.
        lastmods: The lastmods of the rows.
        rows: The rows.
        changed: How many rows say something else than before.
        manifest_differs: Whether the manifest learns something that no entry shows.
    """
    entries, added = len(rows.rows), sum(shard.added for shard in shards.values())
    counts = {"added": added, "changed": changed, "moved": 0, "same": entries - added - changed}
    lastmod_sources = {"column": lastmods.dated, "none": entries - lastmods.dated}
    assignment = Assignment(
        shards,
        counts,
        removed=sum(shard.moved_out for shard in shards.values()),
        lastmod_sources={source: count for source, count in lastmod_sources.items() if count},
        manifest_differs=manifest_differs,
        latest=lastmods.latest,
        order="loc",
        in_core=rows,
    )
    return assignment, lastmods_of(lastmods, entries)


def write_in_core_manifest(
    connection: DuckDBPyConnection,
    assignment: Assignment,
    rows: InCoreRows,
    options: PublishOptions,
    header: Header,
    path: Path,
) -> None:
    """Write the manifest of a set that is planned in the core.

    Args:
        connection: Any database, which writes the file.
        assignment: The shards of the set.
        rows: Its rows.
        options: The options of the publish.
        header: What the manifest says of its set.
        path: Where it is written.

    Raises:
        PublishError: The disk is full, or fails.
    """
    query = """
        SELECT loc, $section AS section, shard, entry_hash, lastmod,
            CASE WHEN lastmod IS NOT NULL THEN 'column' END AS lastmod_source, NULL::VARCHAR AS content,
            coalesce(make_timestamptz(nullif(first_seen, 0)::BIGINT), $now::TIMESTAMPTZ) AS first_seen,
            $now::TIMESTAMPTZ AS last_seen, NULL::TIMESTAMPTZ AS gone
        FROM stored
    """
    shards = assignment.filled
    values: dict[str, object] = {"section": shards[0].section, "now": header.published}
    lost = None
    if rows.gone is not None and len(rows.gone):
        lost = rows.gone.rendered()
        query = f"({query}) UNION ALL ({manifest.GONE_SQL})"
        since = options.now - manifest.REMEMBERED
        files = [path_pattern(each) for each in rows.manifest]
        values |= {"since": since.isoformat(), "prefix": options.prefix, "files": files}
    names = [shard.shard for shard in shards]
    stored = rows.rows.manifest_rows([(shard.shard, shard.entries) for shard in shards])
    # Beyond 9,999 shards, the names sort in another way than the numbers in them.
    manifest.write(connection, query, header, path, values, stored, lost, is_sorted=names == sorted(names))
