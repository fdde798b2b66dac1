"""Publishing: rows to a whole set of sitemaps, planned, verified, and switched at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from urlset._model.errors import EntryError, GuardError, InputError
from urlset._model.plan import Guard, Plan, PlannedShard
from urlset._publish import derived, guards, robots_txt
from urlset._publish.assign import Look
from urlset._publish.database import planning_database
from urlset._publish.ingest import Intake
from urlset._publish.manifest import moment
from urlset._publish.pipeline import Options, Rows, Run
from urlset._publish.shards import ShardBy
from urlset._publish.transaction import Place, Switched
from urlset._read.source import ENTRY_POINT
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


#: Their numbers are held in a byte.
_MOST_SECTIONS = 200
#: Days that a publish can be asked to look back.
_MOST_DAYS = 1_000
#: Further columns that rows may have, under names of their own.
_COLUMNS = ("group", "lang", "content", "evidence")


@dataclass(frozen=True, slots=True)
class Section:
    """A named part of a set, split in its own way. Its name is a part of its documents' names.

    `columns` are those of its own rows, where they are other ones than `publish` is told of.
    """

    entries: RowsLike
    shard_by: str | ShardBy = "sticky"
    columns: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Shard:
    """One document of a published set: `bytes` of XML, `size` as stored; `lastmod` is when those bytes came to be."""

    name: str
    url: str
    entries: int
    bytes: int
    size: int
    lastmod: datetime | None


@dataclass(frozen=True, slots=True)
class Publication:
    """A published set. With `dry_run` nothing was written, and only the plan is filled.

    Attributes:
        location: Where its entry point is stored.
        url: URL of the entry point, which is the one to submit.
        urls: URLs of all entry points, if the set does not fit into one index.
        entries: How many entries the set has.
        shards: Its documents, without the indexes.
        written: Names of the files that were written.
        unchanged: Names of the files that stay as they were.
        removed: Names of the files that were removed.
        refused: How many rows were left out.
        refused_by_code: The same, by the rules that they break.
        refusals: The errors of the first 10,000 of them.
        passed: Columns of the rows that were not used.
        plan: What the publish did, or would do.
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
    """Publishes rows as `sitemap.xml`: one document where they fit, else an index of shards.

    A shard ends at exactly 50,000 entries or 52,428,800 bytes of XML, and a loc stays in its shard while it lives. A
    shard's name says its content, so a published file never changes, and the entry point is the one thing that is
    replaced: whatever happens, and whoever looks, the set is the old one or the new one. Every file is read back
    before. The same rows, in any order, give the same bytes, and nothing is written. Shards of the set before the
    last are removed, as nobody can know them any more but from there.

    `entries` are rows as in `write`, or sections by name; `dest` is a folder, or the URL of an object store such as
    `s3://bucket/sitemaps`, whose options are `store`. `base_url` is where that is served. A loc may be relative to it,
    and is spelled as the URL standard does; it has to begin with `scope`, by default the origin of `base_url`.

    `shard_by` is "sticky", "hash:16", "key:COLUMN", "date:month", "path:1" or "sequence". `columns` leads from our
    names of further columns to those of the rows: `group` and `lang` make the pages of a group link to each other as
    translations (`x_default` is the language for everybody else), `content` is a text that changes with the page,
    `evidence` says what a lastmod rests on. `recent` adds a sitemap of what changed in so many days, `news` moves news
    to one of its own for 48 hours, `removed` lists what is gone for so many days.

    `allow` names the guards that may be tripped over. `memory` bounds the planning. `now` stands in for the clock.
    `progress` is called with the number of rows done, `on_refusal` with every row that is left out.

    Raises EntryError for a refused row (unless collected), InputError for what cannot be used, GuardError for a set
    that is most likely a mistake, PublishError where the place fails or a file does not read back.
    Source: sitemaps.org protocol.
    """
    check_choice("compression", compression, ("gzip", "none"))
    check_on_error(on_error)
    guards.check_names(allow)
    for name, days in (("recent", recent), ("removed", removed)):
        if days is not None and not 1 <= days <= _MOST_DAYS:
            raise InputError(f"{name} is {days!r}; it is a number of days from 1 to {_MOST_DAYS:,}")
    base = folder_url(base_url)
    if robots:
        robots_txt.check(base)
    options = Options(
        base=base,
        scope=scope,
        look=Look(pretty, "sitemap.css" if stylesheet else None, compression),
        x_default=x_default,
        recent=recent,
        news=news,
        removed=removed,
        robots=robots,
        allow=frozenset(allow),
        now=moment_of(now).astimezone(UTC).replace(microsecond=0),
    )
    rows = [
        Rows(name, ShardBy.parse(section.shard_by), _columns(columns, section.columns), section.entries)
        for name, section in _sections(entries, shard_by).items()
    ]
    place_of = open_store(dest, **(store or {}))
    intake = Intake(on_error, [each.name for each in rows], on_refusal, progress)
    opened = Place.look if dry_run else Place.open
    with planning_database(memory) as database, opened(place_of, database) as place:
        run = Run(database, place, options, intake)
        plan = run.plan(rows)
        if dry_run:
            return _publication(place_of, run, options, intake, plan, Switched())
        if plan.is_blocked:
            raise GuardError([guard for guard in plan.guards if not guard.is_allowed], plan)
        return _publication(place_of, run, options, intake, plan, run.apply())


def rollback(
    dest: str | os.PathLike[str], *, memory: str = "512MB", store: Mapping[str, Any] | None = None
) -> tuple[str, ...]:
    """Makes the set before the one in force the one in force, and gives the names of its documents.

    Done twice, it is undone. A robots.txt that tells of the set tells of the other one then. Raises PublishError where
    there is no such set any more.
    """
    with planning_database(memory) as database, Place.open(open_store(dest, **(store or {})), database) as place:
        header = place.roll_back()
        robots_txt.tell(place.store, header.base_url, header.indexes, is_asked=False)
        return tuple(record.name for record in header.shards)


def _columns(given: Mapping[str, str] | None, own: Mapping[str, str] | None) -> Mapping[str, str]:
    columns = dict(given or {}) if own is None else dict(own)
    for name, column in columns.items():
        if name not in _COLUMNS:
            raise InputError(f"there is no column {name!r} of ours{did_you_mean(name, _COLUMNS, or_all=True)}")
        if not isinstance(column, str) or not column:
            raise InputError(f"columns[{name!r}] is {column!r}; it is the name of a column of the rows")
    if ("group" in columns) != ("lang" in columns):
        raise InputError("group and lang belong together: every page of a group says its language")
    return columns


def _sections(entries: RowsLike | Mapping[str, Section], shard_by: str | ShardBy) -> dict[str, Section]:
    if isinstance(entries, Mapping) and entries and all(isinstance(each, Section) for each in entries.values()):
        if str(shard_by) != "sticky":
            raise InputError("each section has its own shard_by; give it there")
        for name in entries:
            if not isinstance(name, str) or not name or name in derived.NAMES:
                raise InputError(f"a section cannot be called {name!r}")
        if len(entries) > _MOST_SECTIONS:
            raise InputError(f"there are {len(entries)} sections; a set can have {_MOST_SECTIONS}")
        return dict(entries)
    return {"": Section(entries, shard_by)}  # what is no rows is refused where they are taken


def _publication(store: Store, run: Run, options: Options, intake: Intake, plan: Plan, done: Switched) -> Publication:
    shards = tuple(
        Shard(record.name, record.url, record.entries, record.bytes, record.size, moment(record.lastmod))
        for record in run.records
    )
    return Publication(
        location=f"{store.location}/{ENTRY_POINT}",
        url=options.base + ENTRY_POINT,
        urls=tuple(run.urls),
        entries=plan.entries,
        shards=shards,
        written=tuple(done.written),
        unchanged=tuple(done.unchanged),
        removed=tuple(done.removed),
        refused=intake.refused,
        refused_by_code=dict(intake.refused_by_code),
        refusals=tuple(intake.refusals),
        passed=tuple(sorted(intake.passed)),
        plan=plan,
    )
