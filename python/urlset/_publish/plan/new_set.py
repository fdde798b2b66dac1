"""A plain set of which nothing was known: its rows fill one shard after the other, in the order of their locs."""

from __future__ import annotations

from collections.abc import Sequence

from urlset._model.limits import PROTOCOL
from urlset._publish.plan.guards import Lastmods, tomorrow
from urlset._publish.plan.plain_set import assignment_of, is_plain
from urlset._publish.rows.ingest import SectionStore
from urlset._publish.stored.recall import Known
from urlset._publish.values.assignment import Assignment, PlainRows, ShardDraft
from urlset._publish.values.options import PublishOptions, SectionRows
from urlset._publish.values.shards import prefix, stem


def assign_new(
    sections: Sequence[SectionRows], stores: Sequence[SectionStore], known: Known, options: PublishOptions
) -> tuple[Assignment, Lastmods] | None:
    """Assign the rows of a plain set of which nothing was known.

    Args:
        sections: The sections.
        stores: Their rows.
        known: What is known of the set in force.
        options: The options of the publish.

    Returns:
        The assignment, and what the guards look at; None if the rows have to be planned with SQL.
    """
    if known.records or known.header is not None or not is_plain(sections, stores, options):
        return None
    [section], rows, layout = sections, stores[0].rows, options.layout
    planned = rows.plan(PROTOCOL.entries, layout.is_pretty, layout.stylesheet, tomorrow(options.now))
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
            came=count,
            added=count,
            bytes=size,
        )
        for number, (count, size) in enumerate(planned.shards)
    }
    lastmods = planned.lastmods
    return assignment_of(shards, lastmods, PlainRows(rows), changed=0, is_learned=lastmods.dated > 0)
