"""A set of which nothing was known, planned in the core: its rows fill one shard after the other, sorted by loc."""

from __future__ import annotations

from collections.abc import Sequence

from urlset._model.limits import PROTOCOL
from urlset._publish.plan.guards import LastmodCounts, tomorrow
from urlset._publish.plan.in_core_plan import assignment_of, is_in_core
from urlset._publish.rows.ingest import IngestedSection
from urlset._publish.stored.recall import KnownSet
from urlset._publish.values.assignment import Assignment, InCoreRows, ShardDraft
from urlset._publish.values.options import PublishOptions, SectionRows
from urlset._publish.values.shards import prefix, stem


def assign_new(
    sections: Sequence[SectionRows], ingested: Sequence[IngestedSection], known: KnownSet, options: PublishOptions
) -> tuple[Assignment, LastmodCounts] | None:
    """Assign the rows of a set of which nothing was known.

    Args:
        sections: The sections.
        ingested: Their rows.
        known: What is known of the current set.
        options: The options of the publish.

    Returns:
        The assignment, and what the guards look at; None if the rows have to be planned with SQL.
    """
    if known.records or known.header is not None or not is_in_core(sections, ingested, options):
        return None
    [section], rows, layout = sections, ingested[0].rows, options.layout
    planned = rows.plan(PROTOCOL.entries, layout, tomorrow(options.now))
    if planned is None:  # a loc is repeated
        return None
    series = prefix(section.name, "")
    shards = {
        number: ShardDraft(
            number,
            stem(series, number + 1),
            section.name,
            "",
            number + 1,
            new=count,
            moved_in=count,
            added=count,
            bytes=size,
        )
        for number, (count, size) in enumerate(planned.shards)
    }
    lastmods = planned.lastmods
    return assignment_of(shards, lastmods, InCoreRows(rows), changed=0, manifest_differs=lastmods.dated > 0)
