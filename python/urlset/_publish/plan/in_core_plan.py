"""A set that is planned without SQL: the core holds its rows sorted, and does all that depends on a single row.

It does so for the rows of one section in one series that bring nothing beside the entry itself. If nothing was known
before (new_set), the rows fill one shard after the other. Else (known_set) they are compared with the manifest in
force. Other sets are planned with SQL (see assign), which gives the same result for these too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from urlset._model.instants import micros_of
from urlset._publish.plan.guards import LastmodCounts, lastmods_of
from urlset._publish.rows.database import PlanningDatabase
from urlset._publish.rows.ingest import IngestedSection
from urlset._publish.stored import manifest
from urlset._publish.values.assignment import Assignment, InCoreRows, ShardDraft
from urlset._publish.values.header import Header
from urlset._publish.values.options import PublishOptions, SectionRows
from urlset._util.duckdb import parsed, path_pattern

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

    from urlset import _core

#: Rows of a manifest that are worth a thread of their own.
_MANY = 50_000
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


@contextmanager
def manifest_beside(
    assignment: Assignment, rows: InCoreRows, options: PublishOptions, path: Path
) -> Iterator[Manifest]:
    """Begin the manifest of a set that is planned in the core. Many rows are written while the `with` block runs.

    Args:
        assignment: The shards of the set.
        rows: Its rows.
        options: The options of the publish.
        path: Where the manifest is written.

    Raises:
        PublishError: The disk is full, or fails.
    """
    shards = assignment.filled
    stored = rows.rows.manifest_rows(
        shards[0].section,
        [(each.shard, each.entries) for each in shards],
        micros_of(options.now.replace(microsecond=0)),
    )
    names = [shard.shard for shard in shards]
    # Beyond 9,999 shards, names sort in another way than the numbers in them.
    begun = Manifest(manifest.ManifestWriter(path), stored, rows, is_sorted=names == sorted(names))
    if not begun.is_sorted or len(rows.rows) < _MANY:
        yield begun
        return
    with ThreadPoolExecutor(1) as pool:
        try:
            writing = pool.submit(begun.write_rows)
            yield begun
            writing.result()
        except BaseException:
            begun.writer.cancel()
            raise


@dataclass(slots=True)
class Manifest:
    """A manifest that is begun.

    Attributes:
        writer: Writes it.
        stored: Its rows, as the core holds them.
        rows: The rows of the set.
        is_sorted: Whether the rows are in the order of a manifest.
        is_written: Whether they are written.
    """

    writer: manifest.ManifestWriter
    stored: object
    rows: InCoreRows
    is_sorted: bool
    is_written: bool = False

    def write_rows(self) -> None:
        """Write the rows, which must be sorted."""
        self.writer.write(self.stored)
        self.is_written = True

    def finish(self, database: PlanningDatabase, options: PublishOptions, header: Header) -> None:
        """Write what is not written yet, and end the manifest.

        Args:
            database: Reads what the manifest in force says of locs that are gone, if there are any.
            options: The options of the publish.
            header: What the manifest says of its set.

        Raises:
            PublishError: The disk is full, or fails.
        """
        if not self.is_sorted:
            stored = self.stored  # noqa: F841  (DuckDB finds it among the local variables by its name)
            self.writer.write(manifest.sorted_rows(database.connection, "FROM stored"))
        elif not self.is_written:
            self.write_rows()
        self.writer.write(*_gone(database, self.rows, options, header))
        self.writer.finish(header)


def _gone(
    database: PlanningDatabase, rows: InCoreRows, options: PublishOptions, header: Header
) -> Iterator[DuckDBPyRelation]:
    """Yield what the next manifest says of the locs that are gone."""
    if rows.gone is None or not len(rows.gone):
        return
    database.let_spill(len(rows.gone))
    lost = rows.gone.rendered()  # noqa: F841  (DuckDB finds it among the local variables by its name)
    values: dict[str, object] = {
        "now": header.published,
        "since": (options.now - manifest.REMEMBERED).isoformat(),
        "prefix": options.prefix,
        "files": [path_pattern(each) for each in rows.manifest],
    }
    yield database.connection.sql(parsed(manifest.GONE_SQL), params=values)
