"""A set that is planned in the core: its rows are compared with what the manifest says of their locs.

The core holds both in the order of the locs, so one pass over them tells which rows stay in their shards, which are
new, and which locs are gone. Whatever is not as a publish leaves it, such as a loc that is known twice, ends that, and
so does a page whose loc may be written in another way now: then the set is planned with SQL, which decides what it
means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from urlset import _core
from urlset._model.limits import NEWS_PER_DOCUMENT, PROTOCOL
from urlset._publish.plan.guards import LastmodCounts, tomorrow
from urlset._publish.plan.in_core_plan import assignment_of, is_in_core
from urlset._publish.rows.database import PlanningDatabase
from urlset._publish.rows.ingest import IngestedSection, max_held
from urlset._publish.stored.recall import CurrentSet, KnownSet
from urlset._publish.stored.transaction import Transaction
from urlset._publish.values.assignment import AROUND, Assignment, InCoreRows, ShardDraft
from urlset._publish.values.options import PublishOptions, SectionRows
from urlset._publish.values.shards import prefix, stem
from urlset._stores.errors import os_errors_as_publish_errors


def assign_known(
    database: PlanningDatabase,
    transaction: Transaction,
    options: PublishOptions,
    sections: Sequence[SectionRows],
    ingested: Sequence[IngestedSection],
    current: CurrentSet,
) -> tuple[KnownSet, Assignment, LastmodCounts] | None:
    """Assign the rows of a set to the current shards and to new ones.

    Args:
        database: The planning database.
        transaction: The store, and the manifests in it.
        options: The options of the publish.
        sections: The sections.
        ingested: Their rows.
        current: The current set.

    Returns:
        What is known of the current set, the assignment, and what the guards look at; None if the rows have to be
        planned with SQL.

    Raises:
        PublishError: The disk is full.
    """
    header = current.header
    if header is None or current.manifest is None or not is_in_core(sections, ingested, options):
        return None
    known = KnownSet(current.live, header, header.shards, has_rows=True, served_at=current.served_at)
    series = prefix(sections[0].name, "")
    if any(record.series != series for record in known.lasting):
        return None
    paths = transaction.files_with_rows(header, current.manifest)
    section = sections[0].name
    old = [
        ShardDraft(number, record.shard, section, "", record.part, record)
        for number, record in enumerate(known.lasting)
    ]
    compared = _compare(database, options, section, ingested[0].rows, old, paths)
    if compared is None:
        return None
    kept = [
        replace(shard, kept=entries, bytes=size, changed=changed, moved_out=moved_out)
        for shard, (entries, _, size, changed, moved_out) in zip(old, compared.shards, strict=True)
    ]
    is_overfull = any(shard.kept > PROTOCOL.entries or shard.bytes + AROUND > PROTOCOL.bytes for shard in kept)
    if is_overfull or any(articles > NEWS_PER_DOCUMENT for _, articles, *_ in compared.shards):
        return None  # rows have to leave it
    shards, rows = _fill(section, kept, compared, paths)
    changed = sum(shard.changed for shard in kept)
    return known, *assignment_of(
        shards, compared.lastmods, rows, changed=changed, manifest_differs=compared.manifest_differs
    )


def _compare(
    database: PlanningDatabase,
    options: PublishOptions,
    section: str,
    rows: _core.RowStore,
    shards: Sequence[ShardDraft],
    paths: Sequence[Path],
) -> _core.Compared | None:
    """Compare the rows with what the manifest says of them; None if it says what no publish writes."""
    most = max_held(database) // 2  # few rows are new in most sets, and even fewer are gone
    names = [shard.shard for shard in shards]
    later = tomorrow(options.now)
    with os_errors_as_publish_errors(Path("the temporary folder")):
        try:
            return _core.compare_rows(rows, paths, section, names, options.layout, later, most, database.new_file)
        except ValueError:  # the manifest cannot be read, or not to its end
            return None


def _fill(
    section: str, kept: Sequence[ShardDraft], compared: _core.Compared, paths: Sequence[Path]
) -> tuple[dict[int, ShardDraft], InCoreRows]:
    """Fill the newest shard that has rows with the new ones, and then new shards."""
    begun = max((shard for shard in kept if shard.kept), key=lambda shard: shard.part, default=None)
    part = max((shard.part for shard in kept), default=0)
    with os_errors_as_publish_errors(Path("the temporary folder")):
        filled = compared.fill(None if begun is None else begun.number, len(kept), PROTOCOL.entries)
    shards = {shard.number: shard for shard in kept}
    for number, count, size in filled.shards:
        if number not in shards:
            part += 1
            shards[number] = ShardDraft(number, stem(prefix(section, ""), part), section, "", part)
        shard = shards[number]
        shards[number] = replace(shard, new=count, moved_in=count, added=count, bytes=shard.bytes + size)
    return shards, InCoreRows(filled.rows, filled.gone, tuple(paths))
