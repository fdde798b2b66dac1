"""Publish rows as a set in parts, compared with the current set: an engine brings together what belongs together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from urlset._model.errors import InputError
from urlset._publish import parts
from urlset._publish.parts import AttemptFolder, CurrentPart, PartFacts, Publication, ShardBy
from urlset._write.rows import RowsLike
from urlset.jobs.writing import WriteJob

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

#: The number of the part under which the driver leaves what it has recovered: no task has it.
_RECOVERED = 999_999


class PublishJob(WriteJob):
    """Publishes rows as a set in parts, and compares them with the current set, as `publish` does.

    A loc stays in its shard while it lives, documents whose rows stay are not made again, and the same rows give the
    same bytes, whatever their order and their partitions are. For that, the engine has to bring rows of one series of
    shards together, with what is known of their locs. It runs, in this order:

    1. on the driver `begin`, which finds the current set, and returns the names of the files that know its locs;
    2. in tasks `rendered` over all rows, and `known` over those files; both yield Arrow tables with a column `route`;
    3. in tasks `write_arrived` over what has the same routes. With `hash`, rows and known locs of the same page have
       the same route. With `key`, the engine joins them by the normal forms of their locs (`normal` and `known_normal`,
       or the loc where they are null), and leaves one row for each of these;
    4. on the driver `commit`, with the facts of all parts, or `abort`.

    `urlset.contrib.spark.publish` does so on Spark.

    Args:
        dest: As in `WriteJob`.
        shard_by: `hash:N` or `key:COLUMN`.
        **options: The other arguments of `WriteJob`.

    Raises:
        InputError: An argument is invalid.
    """

    def __init__(self, dest: str | os.PathLike[str], *, shard_by: str | ShardBy, **options: Any) -> None:
        super().__init__(dest, **options)
        self.shard_by = ShardBy.parse(shard_by)
        if self.shard_by.kind not in ("hash", "key"):
            raise InputError(f"shard_by of a job must be hash:N or key:COLUMN, got {str(self.shard_by)!r}")
        self._current = CurrentPart()

    def begin(self) -> list[str]:
        """Find the current set, and return the names of the files that know its locs. This runs on the driver.

        If the manifest is lost, what it knew is recovered from the documents, into the folder of the job.
        """
        store = self._open()
        target, folder = self._attempt(store, _RECOVERED)
        self._current, files = parts.begin_parts(self._options, store, target.name, folder)
        return files

    def rendered(self, rows: RowsLike) -> Iterator[DuckDBPyRelation]:
        """Yield the rows of one task, rendered, as they travel; the last one carries their counts.

        Raises:
            EntryError: A row is refused, and `on_error` is `raise`.
            InputError: The rows cannot be used.
        """
        return parts.rendered(self._options, self.shard_by, rows)

    def known(self, name: str) -> Iterator[DuckDBPyRelation]:
        """Yield what one of the files of `begin` knows, as it travels.

        Raises:
            PublishError: The file is damaged, or is missing.
        """
        return parts.known(self._options, self.shard_by, self._open(), name)

    def write_arrived(self, tables: Iterable[Any], part: int, attempt: int = 0, *, dry_run: bool = False) -> PartFacts:
        """Make and verify the documents of the series that have arrived in one task, in the folder of the job.

        Args:
            tables: What has arrived: Arrow tables with the columns of `rendered` and `known`.
            part: The number of the part, from 0 up.
            attempt: A number that no other attempt at this part has.
            dry_run: Plan only.

        Raises:
            InputError: The rows cannot be used.
            PublishError: A document does not read back as it was written, or cannot be written.
        """
        store = self._open()
        target, folder = self._attempt(store, part, attempt)
        where: AttemptFolder = nullcontext() if dry_run else folder
        return parts.write_arrived(self._options, self.shard_by, store, self._current, tables, target, where)

    def commit(self, facts: Iterable[PartFacts], *, dry_run: bool = False) -> Publication:
        """Make the set the current one, as in `WriteJob`.

        Args:
            facts: The facts of all parts.
            dry_run: Plan only.

        Raises:
            GuardError: The set is most likely a mistake.
            PublishError: Another publish came in between, there is no entry, or the store fails.
        """
        return self._commit(facts, compared_with=self._current, dry_run=dry_run)
