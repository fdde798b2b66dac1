"""Publish rows as a whole set of sitemaps: planned, verified, and put into force at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from urlset._model.errors import EntryError, GuardError, InputError
from urlset._model.plan import Guard, Plan, PlannedShard
from urlset._publish import derived, guards, robots_txt
from urlset._publish.commit import PublishedSet, commit_set
from urlset._publish.database import planning_database
from urlset._publish.ingest import Intake
from urlset._publish.manifest import moment
from urlset._publish.options import Layout, PublishOptions, SectionRows
from urlset._publish.pipeline import plan_publish
from urlset._publish.shards import ShardBy
from urlset._publish.transaction import FileChanges, Transaction
from urlset._read.entry_points import ENTRY_POINT
from urlset._stores.open import open_store
from urlset._stores.store import Store
from urlset._util.arguments import OnError, check_choice, check_on_error, folder_url, moment_of
from urlset._util.text import did_you_mean
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
_MOST_SECTIONS = 200
#: The longest time, in days, that derived documents can look back.
_MOST_DAYS = 1_000
#: The further columns that rows can have, under names of their own.
_COLUMNS = ("group", "lang", "content", "evidence")


@dataclass(frozen=True, slots=True)
class Section:
    """The rows of a named part of a set, which is sharded in its own way.

    Attributes:
        entries: The rows.
        shard_by: How they are sharded; see `ShardBy`.
        columns: The names of their further columns, if these differ from the `columns` of `publish`.

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
        passed: The columns of the rows that were not used.
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
    passed: tuple[str, ...]
    plan: Plan = field(repr=False)


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
    pretty: bool = False,
    stylesheet: bool = False,
    robots: bool = False,
    allow: Collection[str] = (),
    on_error: OnError = "raise",
    dry_run: bool = False,
    memory: str = "512MB",
    now: datetime | None = None,
    progress: Callable[[int], None] | None = None,
    on_refusal: Callable[[EntryError], None] | None = None,
    store: Mapping[str, Any] | None = None,
) -> Publication:
    """Publish rows as a set of sitemaps: one `sitemap.xml` if they fit, otherwise an index of shards.

    A shard ends at 50,000 entries or 52,428,800 bytes of XML, and a loc stays in its shard while it exists. The name of
    a shard contains a hash of its content, so a published file never changes. The entry point is replaced last, in one
    step: readers see the old set or the new one, even if the publish is interrupted. Every document is read back and
    compared before that. The same rows, in any order, give the same bytes, and then nothing is written. Shards of the
    set before the previous one are removed.

    All options are flat keywords, because each has the same name on the command line and in `urlset.toml`, and most
    calls need none of them.

    Args:
        entries: Rows as in `write`, or sections by name. A loc may be relative to `base_url`.
        dest: A folder, or the URL of an object store such as `s3://bucket/sitemaps`.
        base_url: The URL at which `dest` is served.
        shard_by: How rows are divided into series of shards: `sticky`, `hash:16`, `key:COLUMN`, `date:month`, `path:1`
            or `sequence`; see `ShardBy`.
        scope: What every loc has to begin with; by default the origin of `base_url`.
        columns: The names of further columns of the rows, by what they mean: `group` and `lang` make the pages of a
            group link to each other as translations, `content` is a text that changes with the page, `evidence` is what
            a lastmod rests on.
        x_default: The language whose page is the `x-default` of each group of translations.
        recent: Add a sitemap of what has changed in so many days.
        news: Move news into a sitemap of their own, for 48 hours.
        removed: Add a sitemap of the locs that have been removed in so many days.
        compression: `gzip` or `none`; an index and a single document are never compressed.
        pretty: Write one element per line instead of one entry per line.
        stylesheet: Add a CSS stylesheet, with which browsers show a table.
        robots: Add the set to the robots.txt in `dest`.
        allow: The names of the guards that the set may trip.
        on_error: `raise` at the first refused row, or `collect` and leave such rows out.
        dry_run: Plan only, and write nothing.
        memory: How much memory the planning may use.
        now: The present moment; the clock's if None.
        progress: Called with the number of rows that are done.
        on_refusal: Called with every row that is left out.
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
    check_choice("compression", compression, ("gzip", "none"))
    check_on_error(on_error)
    guards.check_names(allow)
    for name, days in (("recent", recent), ("removed", removed)):
        if days is not None and not 1 <= days <= _MOST_DAYS:
            raise InputError(f"{name} must be a number of days from 1 to {_MOST_DAYS:,}, got {days!r}")
    base = folder_url(base_url)
    if robots:
        robots_txt.check(base)
    options = PublishOptions(
        base=base,
        scope=scope,
        layout=Layout(pretty, "sitemap.css" if stylesheet else None, compression),
        x_default=x_default,
        recent=recent,
        news=news,
        removed=removed,
        robots=robots,
        allow=frozenset(allow),
        now=moment_of(now).astimezone(UTC).replace(microsecond=0),
    )
    sections = [
        SectionRows(name, ShardBy.parse(section.shard_by), _columns(columns, section.columns), section.entries)
        for name, section in _sections(entries, shard_by).items()
    ]
    destination = open_store(dest, **(store or {}))
    intake = Intake(on_error, [section.name for section in sections], on_refusal, progress)
    begin = Transaction.read_only if dry_run else Transaction.begin
    with planning_database(memory) as database, begin(destination, database) as transaction:
        planned = plan_publish(database, transaction, options, sections, intake)
        plan = planned.plan
        if dry_run:
            return _publication(destination, options, intake, plan, PublishedSet((), (), FileChanges()))
        if plan.is_blocked:
            raise GuardError([guard for guard in plan.guards if not guard.is_allowed], plan)
        published = commit_set(database, transaction, options, planned)
        return _publication(destination, options, intake, plan, published)


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
        PublishError: There is no previous set, or some of its documents are missing.

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


def _columns(given: Mapping[str, str] | None, own: Mapping[str, str] | None) -> Mapping[str, str]:
    columns = dict(given or {}) if own is None else dict(own)
    for name, column in columns.items():
        if name not in _COLUMNS:
            raise InputError(f"columns has an unknown key {name!r}{did_you_mean(name, _COLUMNS, or_all=True)}")
        if not isinstance(column, str) or not column:
            raise InputError(f"columns[{name!r}] must be the name of a column of the rows, got {column!r}")
    if ("group" in columns) != ("lang" in columns):
        raise InputError("columns needs group and lang together: every page of a group has a language")
    return columns


def _sections(entries: RowsLike | Mapping[str, Section], shard_by: str | ShardBy) -> dict[str, Section]:
    if isinstance(entries, Mapping) and entries and all(isinstance(each, Section) for each in entries.values()):
        if str(shard_by) != "sticky":
            raise InputError("shard_by must be given to each Section, not to publish, if entries are sections")
        for name in entries:
            if not isinstance(name, str) or not name or name in derived.NAMES:
                raise InputError(
                    f"the name of a section must be a text other than {', '.join(derived.NAMES)}, got {name!r}"
                )
        if len(entries) > _MOST_SECTIONS:
            raise InputError(f"entries must have at most {_MOST_SECTIONS} sections, got {len(entries)}")
        return dict(entries)
    return {"": Section(entries, shard_by)}  # whether these are rows is checked when they are read


def _publication(
    store: Store, options: PublishOptions, intake: Intake, plan: Plan, published: PublishedSet
) -> Publication:
    changes = published.changes
    return Publication(
        location=f"{store.location}/{ENTRY_POINT}",
        url=options.base + ENTRY_POINT,
        urls=tuple(published.urls),
        entries=plan.entries,
        shards=tuple(
            Shard(record.name, record.url, record.entries, record.bytes, record.size, moment(record.lastmod))
            for record in published.records
        ),
        written=tuple(changes.written),
        unchanged=tuple(changes.unchanged),
        removed=tuple(changes.removed),
        refused=intake.refused,
        refused_by_code=dict(intake.refused_by_code),
        refusals=tuple(intake.refusals),
        passed=tuple(sorted(intake.passed)),
        plan=plan,
    )
