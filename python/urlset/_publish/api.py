"""Publish rows as a whole set of sitemaps: planned, verified, and committed at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from urlset._model.errors import EntryError, InputError
from urlset._model.progress import OnProgress
from urlset._options.publish import (
    SHARD_BY,
    X_DEFAULT,
    BaseUrl,
    Checks,
    Derived,
    Dest,
    DryRun,
    Layout,
    Memory,
    RowColumns,
    Scope,
    UpdateRobots,
)
from urlset._options.shared import StoreOptions
from urlset._publish.values.shards import DERIVED, ShardBy

if TYPE_CHECKING:
    from urlset._publish.commit.publication import Publication
    from urlset._write.rows import RowsLike

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
    dest: Dest,
    *,
    base_url: BaseUrl,
    shard_by: Annotated[str | ShardBy, SHARD_BY] = "sticky",
    scope: Scope = None,
    columns: RowColumns = None,
    x_default: Annotated[str | None, X_DEFAULT] = None,
    layout: Layout | None = None,
    derived: Derived | None = None,
    checks: Checks | None = None,
    update_robots: UpdateRobots = False,
    dry_run: DryRun = False,
    memory: Memory = "512MB",
    now: datetime | None = None,
    progress: OnProgress | None = None,
    on_refusal: Callable[[EntryError], None] | None = None,
    on_corrected: Callable[[EntryError], None] | None = None,
    store: StoreOptions = None,
) -> Publication:
    """Publish rows as a set of sitemaps: one `sitemap.xml` if they fit, otherwise an index of shards.

    A shard ends at 50,000 entries or 52,428,800 bytes of XML, and a loc stays in its shard while it exists. The name of
    a shard contains a hash of its content, so a published file never changes. The entry point is replaced last, in one
    step: readers see the old set or the new one, even if the publish is interrupted. (`Layout.names` has the choice of
    stable names, which cannot promise that.) Every document is read back and compared before that. The same rows, in
    any order, give the same bytes, and then nothing is written. Shards of the set before the previous one are removed.

    Args:
        entries: Rows as in `write`, or sections by name. A loc may be relative to `base_url`.
        dest: Destination: a folder, or an object store as s3://, gs:// or az://BUCKET/PREFIX.
        base_url: Public URL of the destination.
        shard_by: How to split the rows into shards: sticky, hash:16, key:COLUMN, date:month, path:1 or sequence. See
            `ShardBy`.
        scope: URL prefix that every loc must have. By default it is the origin of `base_url`.
        columns: Columns of the rows that have other names, for loc, lastmod, changefreq, priority, images, videos,
            news, alternates, group, lang, lastmod_source, content, title, description, markdown or file. `group` and
            `lang` make the pages of a group link to each other as translations, `content` is a text that changes with
            the page, `lastmod_source` says where a lastmod comes from; the others are for `feed`, `llms` and
            `configured`.
        x_default: Language whose page is the x-default of its translations.
        layout: How documents are written; `Layout()` if None.
        derived: Which further sitemaps are made; `Derived()`, which is none, if None.
        checks: What is checked first, and what is let through; `Checks()` if None.
        update_robots: Add the set to robots.txt in the destination.
        dry_run: Show what would be done, and change nothing.
        memory: Memory limit; what does not fit goes to temporary files.
        now: The present moment; the clock's if None.
        progress: Called with how many rows were read, and then with how many shards were written, of those to write.
        on_refusal: Called with every row that is left out.
        on_corrected: Called with every value that is left out or repaired.
        store: Options of the object store, such as endpoint and region; secrets stay in the environment.

    Returns:
        What was published, with the plan.

    Raises:
        EntryError: A row is refused, and `Checks.on_error` is `raise`.
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
    from urlset._publish import stages  # noqa: PLC0415  (a help asks for the signature alone)

    options = stages.checked_options(
        base_url=base_url,
        scope=scope,
        x_default=x_default,
        layout=layout,
        derived=derived,
        checks=checks,
        update_robots=update_robots,
        now=now,
    )
    sections = [
        stages.SectionRows(
            name, ShardBy.parse(section.shard_by), stages.checked_columns(columns, section.columns), section.entries
        )
        for name, section in sections_of(entries, shard_by).items()
    ]
    destination = stages.open_store(dest, **(store or {}))
    report = stages.IngestReport(
        options.checks.on_error, [section.name for section in sections], on_refusal, progress, on_corrected
    )
    begin = stages.Transaction.read_only if dry_run else stages.Transaction.begin
    with stages.planning_database(memory) as database, begin(destination, database) as transaction:
        planned = stages.plan_publish(database, transaction, options, sections, report)

        def stage() -> stages.StagedSet:
            return stages.stage_set(database, transaction, options, planned, progress)

        known, plan = planned.shards.known, planned.plan
        return stages.commit_set(database, transaction, options, known, plan, report, stage, dry_run=dry_run)


def rollback(dest: Dest, *, memory: Memory = "512MB", store: StoreOptions = None) -> tuple[str, ...]:
    """Make the previous set the current one again. Rolling back twice undoes it.

    A robots.txt that names the set is updated.

    Args:
        dest: Destination: a folder, or an object store as s3://, gs:// or az://BUCKET/PREFIX.
        memory: Memory limit; what does not fit goes to temporary files.
        store: Options of the object store, such as endpoint and region; secrets stay in the environment.

    Returns:
        The names of the documents that are current now.

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
    from urlset._publish import stages  # noqa: PLC0415  (a help asks for the signature alone)

    destination = stages.open_store(dest, **(store or {}))
    with stages.planning_database(memory) as database, stages.Transaction.begin(destination, database) as transaction:
        header = transaction.roll_back()
        stages.robots_txt.update(destination, header.base_url, header.indexes, is_asked=False)
        return tuple(record.name for record in header.shards)


def sections_of(entries: RowsLike | Mapping[str, Section], shard_by: str | ShardBy = "sticky") -> dict[str, Section]:
    """Return sections by name; rows are one without a name.

    Raises:
        InputError: A name cannot be that of a section, or there are too many.
    """
    if isinstance(entries, Mapping) and entries and all(isinstance(each, Section) for each in entries.values()):
        if str(shard_by) != "sticky":
            raise InputError("shard_by must be given to each Section, not to publish, if entries are sections")
        for name in entries:
            if not isinstance(name, str) or not name or name in DERIVED:
                raise InputError(f"the name of a section must be a text other than {', '.join(DERIVED)}, got {name!r}")
        if len(entries) > _MAX_SECTIONS:
            raise InputError(f"entries must have at most {_MAX_SECTIONS} sections, got {len(entries)}")
        return dict(entries)
    return {"": Section(entries, shard_by)}  # whether these are rows is checked when they are read
