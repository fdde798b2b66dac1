"""Rows of tables that may be those of the last time: they are held as they are given until that is known.

To read what a table says costs a quarter of what it costs to render it. Only if the rows turn out to be others are they
rendered, from what is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from urlset import _core
from urlset._model.progress import Progress
from urlset._publish.rows.database import PlanningDatabase
from urlset._publish.rows.ingest import IngestReport, checked_source, given_by
from urlset._publish.rows.known_input import KnownInput, given_rows, is_decided
from urlset._publish.values.options import PublishOptions, SectionRows
from urlset._stores.errors import os_errors_as_publish_errors

#: Bytes of rows that are held in memory.
_HELD = 8 << 20


@dataclass(frozen=True, slots=True)
class HeldRows:
    """The rows of the first sections, or of all of them.

    Attributes:
        sources: The rows of each section that was opened. Taken from here, they are as if they had not been held.
        input: All rows, as they are given; None if not all are held.
    """

    sources: Sequence[_core.Rows]
    input: KnownInput | None


def may_be_held(options: PublishOptions, sections: Sequence[SectionRows]) -> bool:
    """Return whether it can be known what the rows come to before they are rendered."""
    return is_decided(options, sections) and all(hasattr(each.entries, "__arrow_c_stream__") for each in sections)


def hold(
    database: PlanningDatabase, options: PublishOptions, sections: Sequence[SectionRows], report: IngestReport
) -> HeldRows:
    """Hold the rows of all sections: in memory, or else in the folder of the database.

    Args:
        database: The planning database.
        options: The options of the publish.
        sections: The sections.
        report: Whoever waits is told how many rows were read.

    Raises:
        InputError: They are not rows, or a column of theirs is missing, unknown or of a wrong type.
        PublishError: The disk is full.
    """
    sources: list[_core.Rows] = []
    given: list[str | None] = []
    rows = 0
    for section in sections:
        source = checked_source(section, options, is_given=True)
        sources.append(source)
        while source.hold():
            _progress(report, rows, source)
            if sum(each.held for each in sources) > _HELD:
                path = database.new_file()
                with os_errors_as_publish_errors(path):
                    source.spill_held(str(path))
        if not source.is_held:
            return HeldRows(sources, None)  # an open table may end when the next one is opened
        given.append(given_by(source))
        rows += 0 if source.given is None else source.given.rows
    return HeldRows(sources, given_rows(options, sections, given, rows))


def _progress(report: IngestReport, before: int, source: _core.Rows) -> None:
    if report.progress is not None and source.given is not None:
        report.progress(Progress("rows", before + source.given.rows))
