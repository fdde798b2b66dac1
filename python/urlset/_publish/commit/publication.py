"""What a publish has done, for its caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final

from urlset._model.errors import EntryError
from urlset._model.instants import rfc3339
from urlset._model.plan import Plan
from urlset._publish.rows.ingest import IngestReport
from urlset._publish.stored.transaction import FileChanges
from urlset._publish.values.header import ShardRecord, moment
from urlset._publish.values.options import PublishOptions
from urlset._read.entry_points import ENTRY_POINT
from urlset._stores.store import Store

#: Refused rows and corrected values that a summary lists.
SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class Shard:
    """One document of a published set.

    Attributes:
        name: The name of its file.
        url: Its URL.
        entries: How many entries it has.
        bytes: The bytes of its XML.
        size: The bytes that are stored.
        lastmod: When these bytes were made; None for a document of another program that did not say.

    Example:
        >>> import urlset
        >>> published = urlset.publish(["/", "/tea"], "public", base_url="https://shop.example/")
        >>> [(shard.name, shard.entries) for shard in published.shards]
        [('sitemap.xml', 2)]
    """

    name: str
    url: str
    entries: int
    bytes: int
    size: int
    lastmod: datetime | None


@dataclass(frozen=True, slots=True)
class Publication:
    """What `publish` has done. After a dry run, only the plan and the counts of rows are filled.

    Attributes:
        location: The path or URL at which the entry point is stored.
        url: The URL of the entry point, to submit to search engines.
        urls: The URLs of the entry point and of further indexes, if one index cannot name all documents.
        entries: How many entries the set has, without derived documents.
        shards: The documents, without indexes.
        written: The names of the files that were written.
        unchanged: The names of the files that stayed as they were.
        removed: The names of the files that were removed.
        refused: How many rows were left out.
        refused_by_code: The same by the code of the rule that the row breaks.
        refusals: The first 10,000 of them.
        corrected: How many invalid values of published rows were left out or repaired.
        corrected_by_code: The same by the code of the rule that the value breaks.
        corrections: The first 10,000 of them.
        unused_columns: The columns of the rows that were not used.
        plan: What was planned.

    Example:
        >>> import urlset
        >>> published = urlset.publish(["/", "/tea"], "public", base_url="https://shop.example/")
        >>> published.written, published.plan.added
        (('sitemap.xml',), 2)
    """

    location: str
    url: str
    urls: tuple[str, ...]
    entries: int
    shards: tuple[Shard, ...]
    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    refused: int
    refused_by_code: dict[str, int]
    refusals: tuple[EntryError, ...] = field(repr=False)
    corrected: int
    corrected_by_code: dict[str, int]
    corrections: tuple[EntryError, ...] = field(repr=False)
    unused_columns: tuple[str, ...]
    plan: Plan = field(repr=False)

    def as_dict(self) -> dict[str, Any]:
        """Return it as values of JSON, with the first 10 refusals and corrections; moments are RFC 3339 text."""
        return {
            "location": self.location,
            "url": self.url,
            "urls": self.urls,
            "entries": self.entries,
            "bytes": sum(shard.bytes for shard in self.shards),
            "size": sum(shard.size for shard in self.shards),
            "shards": [asdict(each) | {"lastmod": each.lastmod and rfc3339(each.lastmod)} for each in self.shards],
            "written": self.written,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "refused": self.refused,
            "refused_by_code": self.refused_by_code,
            "refusals": [error.as_dict() for error in self.refusals[:SHOWN]],
            "corrected": self.corrected,
            "corrected_by_code": self.corrected_by_code,
            "corrections": [error.as_dict() for error in self.corrections[:SHOWN]],
            "plan": self.plan.as_dict(),
        }


def publication_of(
    store: Store,
    options: PublishOptions,
    report: IngestReport,
    plan: Plan,
    records: Sequence[ShardRecord],
    urls: Sequence[str],
    changes: FileChanges,
) -> Publication:
    """Return what a publish has done, from its documents, the URLs of its indexes, and the changed files."""
    return Publication(
        location=f"{store.location}/{ENTRY_POINT}",
        url=options.base + ENTRY_POINT,
        urls=tuple(urls),
        entries=plan.entries,
        shards=tuple(
            Shard(record.name, record.url, record.entries, record.bytes, record.size, moment(record.lastmod))
            for record in records
        ),
        written=tuple(changes.written),
        unchanged=tuple(changes.unchanged),
        removed=tuple(changes.removed),
        refused=report.refused,
        refused_by_code=dict(report.refused_by_code),
        refusals=tuple(report.refusals),
        corrected=report.corrected,
        corrected_by_code=dict(report.corrected_by_code),
        corrections=tuple(report.corrections),
        unused_columns=tuple(sorted(report.unused_columns)),
        plan=plan,
    )
