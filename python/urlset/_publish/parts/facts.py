"""The values that travel between the driver of a job and its tasks. All of them can be pickled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from urlset._model.plan import PlannedShard
from urlset._publish.plan.totals import Totals
from urlset._publish.values.header import Header, ShardRecord
from urlset._publish.values.options import PublishOptions

#: The file with a part's rows of the manifest, in the folder of the attempt.
ROWS = "manifest.parquet"


@dataclass(frozen=True, slots=True)
class PartOptions:
    """How each part of a set is made.

    Attributes:
        publish: The options of the publish.
        columns: The columns of the rows that have other names.
        memory: How much memory each task, and the driver, may use for planning.
        threads: How many threads each task may use for planning.
    """

    publish: PublishOptions
    columns: Mapping[str, str]
    memory: str
    threads: int


@dataclass(frozen=True, slots=True)
class PartTarget:
    """A part, by its number, and the name of the folder in the store into which one attempt at it writes."""

    part: int
    name: str


@dataclass(frozen=True, slots=True)
class CurrentPart:
    """The current documents where a part will be, whose locs its rows may have.

    Attributes:
        header: The metadata of the manifest without its documents, or None if it is lost.
        records: The documents.
        sha256: The hash of the entry point of the set, or None if there is no set.
    """

    header: Header | None = None
    records: Sequence[ShardRecord] = ()
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class PartFacts:
    """What one task wrote. It is small, can be pickled, and is all that a commit needs.

    Attributes:
        part: The number of the part.
        folder: The folder of the attempt that wrote it, below the destination.
        first: The first of the normal forms of its locs by text, or None.
        last: The last of them, or None.
        has_unnormalized: Whether any of its locs is not in its normal form.
        records: Its documents, each with its `name`, `entries`, `bytes` of XML, stored `size` and `sha256`.
        made: The names of those that were made; the others are there already.
        manifest_rows: How many rows its part of the manifest has.
        planned: What becomes of each of its shards.
        totals: What became of its rows, with the first refusals.
        is_compared: Whether its rows were compared with the current set; otherwise only its documents can be.

    Example:
        >>> from urlset.jobs import WriteJob
        >>> job = WriteJob("public", base_url="https://shop.example/")
        >>> facts = job.write_part(["/tea", "/"], part=0)
        >>> facts.entries, facts.first, len(facts.records)
        (2, 'https://shop.example/', 1)
        >>> job.abort()
    """

    part: int
    folder: str
    first: str | None
    last: str | None
    has_unnormalized: bool
    records: tuple[ShardRecord, ...]
    made: frozenset[str]
    manifest_rows: int
    planned: tuple[PlannedShard, ...]
    totals: Totals
    is_compared: bool

    @property
    def entries(self) -> int:
        """How many entries it has."""
        return self.totals.entries

    @property
    def refused(self) -> int:
        """How many of its rows were left out because they break a rule."""
        return self.totals.report.refused
