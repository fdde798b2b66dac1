"""A set of which nothing was known: its rows fill one shard after the other, in the order of their locs.

There is nothing to compare such rows with, so they never go into the planning database: the core, which holds them
sorted, plans their shards, makes their documents, and says what the manifest says of them. It does so for the rows of
one section in one series that bring nothing beside the entry itself. Other sets are planned with SQL (see assign),
which gives the same result for these too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from urlset._model.limits import PROTOCOL
from urlset._publish import manifest
from urlset._publish.assignment import Assignment, ShardDraft
from urlset._publish.guards import Lastmods, lastmods_of, tomorrow
from urlset._publish.header import Header
from urlset._publish.ingest import SectionStore
from urlset._publish.options import PublishOptions, SectionRows
from urlset._publish.recall import Known
from urlset._publish.shards import prefix, stem

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from urlset import _core

#: The bit of `uses` that says that an entry has links: the planning database hashes their text in its own way.
_LINKS = 4


def assign_new(
    sections: Sequence[SectionRows], stores: Sequence[SectionStore], known: Known, options: PublishOptions
) -> tuple[Assignment, Lastmods] | None:
    """Assign the rows of a set of which nothing was known, if they are as plain as this module asks.

    Args:
        sections: The sections.
        stores: Their rows.
        known: What is known of the set in force.
        options: The options of the publish.

    Returns:
        The assignment, and what the guards look at; None if the rows have to be planned with SQL.
    """
    if len(sections) != 1 or known.records or known.header is not None or options.has_derived:
        return None
    [section], rows = sections, stores[0].rows
    is_plain = not rows.has_extras and not rows.namespaces & _LINKS
    if not (is_plain and section.shard_by.is_sticky and section.shard_by.is_one_series):
        return None
    layout = options.layout
    planned = rows.plan(PROTOCOL.entries, layout.is_pretty, layout.stylesheet, tomorrow(options.now))
    if planned is None:  # a loc is repeated
        return None
    entries = len(rows)
    series = prefix(section.name, "")
    shards = {
        number: ShardDraft(
            number,
            stem(series, number + 1),
            section.name,
            "",
            number + 1,
            new=count,
            came=count,
            added=count,
            bytes=size,
        )
        for number, (count, size) in enumerate(planned.shards)
    }
    counts = {"added": entries, "changed": 0, "moved": 0, "same": 0}
    evidence = {"column": planned.dated, "none": entries - planned.dated}
    assignment = Assignment(
        shards,
        counts,
        removed=0,
        evidence={basis: count for basis, count in evidence.items() if count},
        is_learned=planned.dated > 0,
        latest=planned.latest,
        order="loc",
        rows=rows,
    )
    return assignment, lastmods_of(planned, entries)


def write_new_manifest(
    connection: DuckDBPyConnection,
    rows: _core.RowStore,
    shards: Sequence[ShardDraft],
    header: Header,
    path: Path,
) -> None:
    """Write the manifest of a set of which nothing was known.

    Args:
        connection: Any database, which writes the file.
        rows: The rows in the order of their shards.
        shards: The shards in the order in which they were filled.
        header: What the manifest says of its set.
        path: Where it is written.

    Raises:
        PublishError: The disk is full, or fails.
    """
    known = """
        SELECT loc, $section AS section, shard, content_hash, lastmod,
            CASE WHEN lastmod IS NOT NULL THEN 'column' END AS evidence, NULL::VARCHAR AS content,
            $now::TIMESTAMPTZ AS first_seen, $now::TIMESTAMPTZ AS last_seen, NULL::TIMESTAMPTZ AS gone
        FROM stored
    """
    names = [shard.shard for shard in shards]
    stored = rows.known_as([(shard.shard, shard.entries) for shard in shards])
    values = {"section": shards[0].section, "now": header.published}
    # Beyond 9,999 shards, the names sort in another way than the numbers in them.
    manifest.write(connection, known, header, path, values, stored, is_sorted=names == sorted(names))
