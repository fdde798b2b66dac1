"""Publish rows as a whole set of sitemaps: planned, verified, and put into force at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from urlset._model.errors import EntryError, GuardError, InputError
from urlset._model.plan import Guard, Plan, PlannedShard
from urlset._publish.checked_options import checked_columns, checked_options
from urlset._publish.commit.commit import StagedSet, commit_set
from urlset._publish.commit.publication import Publication, Shard
from urlset._publish.commit.staging import stage_set
from urlset._publish.documents import derived
from urlset._publish.pipeline import plan_publish
from urlset._publish.rows.database import planning_database
from urlset._publish.rows.ingest import IngestReport
from urlset._publish.stored.transaction import Transaction
from urlset._publish.values import robots_txt
from urlset._publish.values.options import Names, OnBadValue, SectionRows
from urlset._publish.values.shards import ShardBy
from urlset._stores.open import open_store
from urlset._util.arguments import OnError, check_on_error
from urlset._write.rows import RowsLike

__all__ = [
    "Guard",
    "GuardError",
    "Plan",
    "PlannedShard",
    "Publication",
    "Section",
    "Shard",
    "ShardBy",
    "publish",
    "rollback",
]


#: Sections are numbered in one byte.
_MAX_SECTIONS = 200


@dataclass(frozen=True, slots=True)
class Section:
    """The rows of a named part of a set, which is sharded in its own way.

    Attributes:
        entries: The rows.
        shard_by: How they are sharded; see `ShardBy`.
        columns: The names of their columns, if these differ from the `columns` of `publish`.

    Example:
        >>> import urlset
        >>> sections = {
        ...     "pages": urlset.Section(["/about"]),
        ...     "posts": urlset.Section([{"loc": "/1", "lastmod": "2026-11-20"}], shard_by="date:month"),
        ... }
        >>> published = urlset.publish(sections, "public", base_url="https://shop.example/")
        >>> [shard.shard for shard in published.plan.shards]
        ['pages-0001', 'posts_2026-11-0001']
    """

    entries: RowsLike
    shard_by: str | ShardBy = "sticky"
    columns: Mapping[str, str] | None = None


def publish(
    entries: RowsLike | Mapping[str, Section],
    dest: str | os.PathLike[str],
    *,
    base_url: str,
    shard_by: str | ShardBy = "sticky",
    scope: str | None = None,
    columns: Mapping[str, str] | None = None,
    x_default: str | None = None,
    recent: int | None = None,
    news: bool = False,
    removed: int | None = None,
    compression: Literal["gzip", "none"] = "gzip",
    names: Names = "content",
    pretty: bool = False,
    stylesheet: bool = False,
    robots: bool = False,
    allow: Collection[str] = (),
    on_error: OnError = "raise",
    zone: str | None = None,
    on_bad_value: OnBadValue = "refuse",
    verify: bool = False,
    dry_run: bool = False,
    memory: str = "512MB",
    now: datetime | None = None,
    progress: Callable[[int], None] | None = None,
    on_refusal: Callable[[EntryError], None] | None = None,
    on_dropped: Callable[[EntryError], None] | None = None,
    store: Mapping[str, Any] | None = None,
) -> Publication:
    """Publish rows as a set of sitemaps: one `sitemap.xml` if they fit, otherwise an index of shards.

    A shard ends at 50,000 entries or 52,428,800 bytes of XML, and a loc stays in its shard while it exists. The name of
    a shard contains a hash of its content, so a published file never changes. The entry point is replaced last, in one
    step: readers see the old set or the new one, even if the publish is interrupted. (`names` has the choice of stable
    names, which cannot promise that.) Every document is read back and compared before that. The same rows, in any
    order, give the same bytes, and then nothing is written. Shards of the set before the previous one are removed.

    All options are flat keywords, because each has the same name on the command line and in `urlset.toml`, and most
    calls need none of them.

    Args:
        entries: Rows as in `write`, or sections by name. A loc may be relative to `base_url`.
        dest: A folder, or the URL of an object store such as `s3://bucket/sitemaps`.
        base_url: The URL at which `dest` is served.
        shard_by: How rows are divided into series of shards: `sticky`, `hash:16`, `key:COLUMN`, `date:month`, `path:1`
            or `sequence`; see `ShardBy`.
        scope: What every loc has to begin with; by default the origin of `base_url`.
        columns: The names of the columns of the rows, where they differ: from `loc`, `lastmod` or another field of an
            entry, or from one of four further ones. `group` and `lang` make the pages of a group link to each other as
            translations, `content` is a text that changes with the page, `evidence` is what a lastmod rests on.
        x_default: The language whose page is the `x-default` of each group of translations.
        recent: Add a sitemap of what has changed in so many days.
        news: Move news into a sitemap of their own, for 48 hours.
        removed: Add a sitemap of the locs that have been removed in so many days.
        compression: `gzip` or `none`; an index and a single document are never compressed.
        names: `content` puts a hash of its content into the name of every shard, so that a published file never
            changes and the set changes in one step. With `stable` the names stay, and shards are replaced one by one:
            a reader can see new and old shards at once, and a rollback is refused once a shard was replaced.
        pretty: Write one element per line instead of one entry per line.
        stylesheet: Add a CSS stylesheet, with which browsers show a table.
        robots: Add the set to the robots.txt in `dest`.
        allow: The names of the guards that the set may trip.
        on_error: `raise` at the first refused row, or `collect` and leave such rows out.
        zone: The zone of lastmods that state none: `Z`, or an offset such as `+01:00`. Dates of news and videos are
            texts, and are published as they are given.
        on_bad_value: `refuse` a row whose lastmod, priority or changefreq is invalid, or `drop` that value and publish
            the page without it.
        verify: Compare every document of the set in force with its hash first, and make damaged ones anew.
        dry_run: Plan only, and write nothing.
        memory: How much memory the planning may use.
        now: The present moment; the clock's if None.
        progress: Called with the number of rows that are done.
        on_refusal: Called with every row that is left out.
        on_dropped: Called with every value that is left out.
        store: Options of the object store.

    Returns:
        What was published, with the plan.

    Raises:
        EntryError: A row is refused, and `on_error` is `raise`.
        InputError: An argument or the rows cannot be used.
        GuardError: The set is most likely a mistake.
        PublishError: The store fails, or a document does not read back as it was written.

    Example:
        >>> import urlset
        >>> rows = ["/", {"loc": "/tea", "lastmod": "2026-11-20"}]
        >>> published = urlset.publish(rows, "public", base_url="https://shop.example/")
        >>> published.url, published.entries
        ('https://shop.example/sitemap.xml', 2)
        >>> urlset.publish(reversed(rows), "public", base_url="https://shop.example/").written
        ()

    Source: sitemaps.org protocol.
    """
    check_on_error(on_error)
    options = checked_options(
        base_url=base_url,
        scope=scope,
        x_default=x_default,
        recent=recent,
        news=news,
        removed=removed,
        compression=compression,
        names=names,
        pretty=pretty,
        stylesheet=stylesheet,
        robots=robots,
        allow=allow,
        zone=zone,
        on_bad_value=on_bad_value,
        verify=verify,
        now=now,
    )
    sections = [
        SectionRows(name, ShardBy.parse(section.shard_by), checked_columns(columns, section.columns), section.entries)
        for name, section in _sections(entries, shard_by).items()
    ]
    destination = open_store(dest, **(store or {}))
    report = IngestReport(on_error, [section.name for section in sections], on_refusal, progress, on_dropped)
    begin = Transaction.read_only if dry_run else Transaction.begin
    with planning_database(memory) as database, begin(destination, database) as transaction:
        planned = plan_publish(database, transaction, options, sections, report)

        def stage() -> StagedSet:
            return stage_set(database, transaction, options, planned)

        known, plan = planned.known, planned.plan
        return commit_set(database, transaction, options, known, plan, report, stage, dry_run=dry_run)


def rollback(
    dest: str | os.PathLike[str], *, memory: str = "512MB", store: Mapping[str, Any] | None = None
) -> tuple[str, ...]:
    """Put the previous set back into force. Rolling back twice undoes it.

    A robots.txt that names the set is updated.

    Args:
        dest: The folder or the URL of the object store to which the set was published.
        memory: How much memory may be used.
        store: Options of the object store.

    Returns:
        The names of the documents that are in force now.

    Raises:
        PublishError: There is no previous set, or a document of it is missing or damaged.

    Example:
        >>> import urlset
        >>> first = urlset.publish(["/"], "public", base_url="https://shop.example/")
        >>> second = urlset.publish(["/", "/tea"], "public", base_url="https://shop.example/")
        >>> urlset.rollback("public")
        ('sitemap.xml',)
        >>> [entry.loc for entry in urlset.read("public")]
        ['https://shop.example/']
    """
    destination = open_store(dest, **(store or {}))
    with planning_database(memory) as database, Transaction.begin(destination, database) as transaction:
        header = transaction.roll_back()
        robots_txt.update(destination, header.base_url, header.indexes, is_asked=False)
        return tuple(record.name for record in header.shards)


def _sections(entries: RowsLike | Mapping[str, Section], shard_by: str | ShardBy) -> dict[str, Section]:
    if isinstance(entries, Mapping) and entries and all(isinstance(each, Section) for each in entries.values()):
        if str(shard_by) != "sticky":
            raise InputError("shard_by must be given to each Section, not to publish, if entries are sections")
        for name in entries:
            if not isinstance(name, str) or not name or name in derived.NAMES:
                raise InputError(
                    f"the name of a section must be a text other than {', '.join(derived.NAMES)}, got {name!r}"
                )
        if len(entries) > _MAX_SECTIONS:
            raise InputError(f"entries must have at most {_MAX_SECTIONS} sections, got {len(entries)}")
        return dict(entries)
    return {"": Section(entries, shard_by)}  # whether these are rows is checked when they are read
