"""One publish from rows to a set: planned, and then made."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from urlset import _core
from urlset._model.errors import PublishError
from urlset._model.limits import PROTOCOL
from urlset._model.plan import Action, Guard, Plan, PlannedShard
from urlset._publish import assign, derived, guards, hreflang, index_documents, ingest, manifest, robots_txt
from urlset._publish.assign import Look, Placement, Shard
from urlset._publish.database import PlanningDatabase
from urlset._publish.documents import Staged, assembled, rows_of, stage
from urlset._publish.ingest import Intake
from urlset._publish.manifest import MANIFEST, Header, ShardRecord
from urlset._publish.recover import rebuild
from urlset._publish.shards import ShardBy
from urlset._publish.transaction import Place, Switched, digest
from urlset._read.source import ENTRY_POINT
from urlset._util.duckdb import insert_rows
from urlset._write.rows import RowsLike

#: Of what is made of rows: another one makes another set of the same rows.
_FORM = 1
#: The columns of the database by the names that they have for everybody.
_EXTRAS = {"page": "group", "lang": "lang", "evidence": "evidence", "content": "content"}
#: How long a loc that is gone is remembered.
REMEMBERED = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked of a publish, checked; the words are those of `publish`."""

    base: str
    scope: str | None
    look: Look
    x_default: str | None
    recent: int | None
    news: bool
    removed: int | None
    robots: bool
    allow: frozenset[str]
    now: datetime

    def told(self, sections: Sequence[Rows], taken: Sequence[str]) -> str:
        """All that decides where the rows of some sections go and what is said of them, as a text."""
        ways = [
            [each.name, str(each.shard_by), sorted(each.columns.items()), rows]
            for each, rows in zip(sections, taken, strict=True)
        ]
        asked = [_FORM, self.base, self.scope, str(self.look), self.x_default]
        return json.dumps([*asked, self.recent, self.news, self.removed, ways])


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a section, checked: how they are split, and what their further columns are called."""

    name: str
    shard_by: ShardBy
    columns: Mapping[str, str]
    entries: RowsLike

    @property
    def extras(self) -> dict[str, str]:
        """The columns that are to be brought along, by what they are called in the database."""
        # A table can have columns of these names that mean something else; a dict is made for us.
        is_table = hasattr(self.entries, "__arrow_c_stream__")
        named = {
            ours: self.columns.get(name, name) for ours, name in _EXTRAS.items() if name in self.columns or not is_table
        }
        return {"grp": self.shard_by.column, **named} if self.shard_by.column else named


class Run:
    """One publish, step by step. Nothing in the place changes before `apply`."""

    def __init__(self, database: PlanningDatabase, place: Place, options: Options, intake: Intake) -> None:
        self._database = database
        self._connection = database.connection
        self._place = place
        self._options = options
        self._intake = intake
        self._found = Placement()
        self._order = ""
        self._expiring: list[Shard] = []
        self._known: Path | None = None
        self._rows = ""
        self._is_again = False
        self._kept: set[int] = set()
        self._live: bytes | None = None
        self._header: Header | None = None
        self._records: list[ShardRecord] = []
        #: Of the set to come, once it was made.
        self.records: list[ShardRecord] = []
        self.urls: list[str] = []

    def plan(self, rows: Sequence[Rows]) -> Plan:
        """Takes the rows in, and finds out what is to be done with them."""
        self._recall()
        sections = [(each.name, each.shard_by) for each in rows]
        taken = [
            ingest.take(self._database, number, each.entries, self._intake, preparer=self._preparer, extras=each.extras)
            for number, each in enumerate(rows)
        ]
        is_sticky = all(shard_by.is_sticky for _, shard_by in sections)
        self._rows = self._options.told(rows, taken) if is_sticky else ""
        if self._is_same_again():
            return self._told()
        self._remember()
        lasting = [record for record in self._records if record.section not in derived.NAMES]
        refused = self._intake.refused
        ingest.fold(self._connection, self._intake)
        hreflang.link(self._connection, self._intake, self._options.x_default)
        if self._intake.duplicates or self._intake.refused > refused:
            self._rows = ""
        options = self._options
        self._found = assign.place(
            self._connection, sections, lasting, options.look, is_news_apart=options.news, now=options.now
        )
        self._order = assign.order_within(sections)
        self._expiring = derived.place(
            self._connection,
            derived.Wanted(options.recent, options.news, options.removed),
            self._records,
            options.look,
            options.now,
            len(self._found.shards),
        )
        return self._told()

    def _is_same_again(self) -> bool:
        """Whether the same was asked of the same rows the last time, and all that was made then is there.

        Then nothing has to be looked at: every row is where it is.
        """
        header, options = self._header, self._options
        if header is None or self._live is None or not header.rows or header.rows != self._rows:
            return False
        # What is made anew each time depends on the day.
        if options.recent is not None or options.news or options.removed is not None:
            return False
        store = self._place.store
        if any(store.size(record.name) != record.size for record in header.shards):
            return False
        if any(store.size(name) is None for name in header.indexes):
            return False
        for number, record in enumerate(header.shards):
            shard = Shard(number, record.shard, record.section, record.group, record.part, record)
            shard.kept = record.entries
            self._found.shards[number] = shard
        self._found.same = sum(record.entries for record in header.shards)
        self._found.evidence = dict(header.evidence)
        self._is_again = True
        return True

    def _preparer(self, extras: list[str]) -> _core.Preparer:
        return _core.Preparer(self._options.base, self._options.scope, extras, self._options.look.is_pretty)

    def _recall(self) -> None:
        """What is known of the set in force: by its manifest, or, where that is lost or of another set, by itself."""
        manifest.create_known(self._connection)
        self._live = self._place.entry_point()
        found = self._place.set_in_force(self._live, self._options.base)
        if found is not None:
            self._header, self._known = found
            self._records = list(self._header.shards)

    def _remember(self) -> None:
        """Puts what is known into its table, once it is needed."""
        if self._known is not None:
            self._database.expect(manifest.rows(self._connection, self._known))
            if manifest.load(self._connection, self._known):
                return
        self._header = None
        options = self._options
        self._records = rebuild(self._database, self._place, options.base, partial(self._preparer, []), options.now)

    @property
    def _all(self) -> list[Shard]:
        """Every shard of the set to come, in the order of their names."""
        shards = [shard for shard in self._found.shards.values() if shard.entries]
        return sorted([*shards, *self._expiring], key=lambda shard: (shard.section, shard.group, shard.part))

    def _is_kept(self, shard: Shard, *, is_alone: bool) -> bool:
        """Whether the document in force stays as it is."""
        old = shard.old
        if old is None or (old.name == ENTRY_POINT) != is_alone or old.entries != shard.entries:
            return False
        if old.is_ours:
            is_fine = self._header is not None and self._header.layout == str(self._options.look)
        else:
            is_fine = 0 < old.bytes <= PROTOCOL.bytes and old.entries <= PROTOCOL.entries
        is_same = shard.fingerprint == old.fingerprint if shard.fingerprint else shard.is_same
        return is_fine and is_same and self._place.store.size(old.name) == old.size

    def _told(self) -> Plan:
        shards = self._all
        is_alone = len(shards) == 1
        self._kept = {shard.number for shard in shards if self._is_kept(shard, is_alone=is_alone)}
        planned = [_planned(shard, "keep" if shard.number in self._kept else None) for shard in shards]
        there = {shard.shard for shard in shards}
        gone = [record for record in self._records if record.shard not in there]
        planned += [
            PlannedShard(record.shard, record.section, "remove", 0, record.entries, 0, 0, record.entries, 0)
            for record in gone
        ]
        found, intake = self._found, self._intake
        return Plan(
            entries=found.entries,
            added=found.added,
            changed=found.changed,
            removed=found.removed,
            moved=found.moved,
            same=found.same,
            rows=intake.rows,
            duplicates=intake.duplicates,
            respelled=intake.respelled,
            refused=intake.refused,
            refused_by_code=dict(intake.refused_by_code),
            evidence=found.evidence,
            shards=tuple(planned),
            guards=() if self._is_again else self._guards(shards),
        )

    def _guards(self, shards: Sequence[Shard]) -> tuple[Guard, ...]:
        lasting = (record for record in self._records if record.section not in derived.NAMES)
        most = PROTOCOL
        return guards.ask(
            self._connection,
            self._intake,
            entries=self._found.entries,
            before=sum(record.entries for record in lasting),
            oversize=[shard.shard for shard in shards if shard.entries > most.entries or shard.bytes > most.bytes],
            now=self._options.now,
            allow=self._options.allow,
        )

    def apply(self) -> Switched:
        """Makes the documents, and switches to them. Raises PublishError where there is nothing to publish."""
        place, options, shards = self._place, self._options, self._all
        if not shards:
            raise PublishError("there is no entry to publish, and no sitemap without one: remove the set by hand")
        if options.robots:
            place.store.read(robots_txt.ROBOTS, robots_txt.MOST)  # what cannot be read could not be added to later
        index_documents.check_stylesheet(place.store, options.look)
        is_alone = len(shards) == 1
        staged = dict(self._stage([shard for shard in shards if shard.number not in self._kept], is_alone=is_alone))
        self.records = [self._record(shard, staged.get(shard.number)) for shard in shards]
        indexes = [] if is_alone else index_documents.stage_indexes(self.records, place.stage, options.look)
        self.urls = robots_txt.urls_of(options.base, indexes)
        # Before the documents that name it.
        dressed = index_documents.put_stylesheet(place.store, options.look)
        done = self._switch(shards, staged, indexes)
        done.written[:0] = dressed
        if options.robots and robots_txt.tell(place.store, options.base, indexes, is_asked=True):
            done.written.append(robots_txt.ROBOTS)
        return done

    def _stage(self, shards: Sequence[Shard], *, is_alone: bool) -> Sequence[tuple[int, Staged]]:
        """Puts the documents of these shards into the stage."""
        look, names = self._options.look, {shard.number: shard.shard for shard in shards}
        suffix = ".xml.gz" if look.compression == "gzip" else ".xml"

        def name(number: int, content: str) -> str:
            return ENTRY_POINT if is_alone else f"sitemap-{names[number]}-{content}{suffix}"

        done: list[tuple[int, Staged]] = []
        lasting = [shard for shard in shards if shard.section not in derived.NAMES]
        if lasting:
            is_all = len(lasting) == sum(shard.entries > 0 for shard in self._found.shards.values())
            rows = rows_of(self._connection, lasting, self._order, is_all=is_all)
            done += stage(assembled(rows, look), name, self._place.stage, look)
        expiring = [shard for shard in shards if shard.section in derived.NAMES]
        if expiring:
            rows = self._connection.sql(derived.rows_sql(self._expiring))
            wanted = {shard.number for shard in expiring}
            documents = (document for document in assembled(rows, look) if document[0] in wanted)
            done += stage(documents, name, self._place.stage, look)
        return done

    def _record(self, shard: Shard, staged: Staged | None) -> ShardRecord:
        old = shard.old
        if staged is None:
            assert old is not None
            return old
        # The protocol: the lastmod of a sitemap is when that document was modified, not any page of it.
        is_same = old is not None and old.name == staged.name and old.sha256 == staged.sha256
        now = self._options.now.isoformat(timespec="seconds")
        return ShardRecord(
            shard=shard.shard,
            section=shard.section,
            group=shard.group,
            part=shard.part,
            name=staged.name,
            url=self._options.base + staged.name,
            entries=staged.entries,
            bytes=staged.bytes,
            size=staged.size,
            sha256=staged.sha256,
            lastmod=old.lastmod if is_same and old is not None else now,
            fingerprint=shard.fingerprint,
        )

    def _switch(self, shards: Sequence[Shard], staged: Mapping[int, Staged], indexes: Sequence[str]) -> Switched:
        place = self._place
        path = place.stage / ENTRY_POINT
        entry_point = path.read_bytes() if path.is_file() else self._live
        is_new = entry_point != self._live
        there = {record.name: record.sha256 for record in self._records}
        put = {
            one.name
            for one in staged.values()
            if one.name != ENTRY_POINT and (there.get(one.name) != one.sha256 or place.store.size(one.name) != one.size)
        }
        put |= {name for name in indexes if place.store.size(name) != (place.stage / name).stat().st_size}
        names = [record.name for record in self.records if record.name != ENTRY_POINT] + list(indexes)
        done = Switched(unchanged=[name for name in names if name not in put] + [ENTRY_POINT] * (not is_new))
        header = self._header_of(entry_point, self.records, indexes)
        if self._header is not None and not self._found.is_learnt and self._header.is_same_set(header):
            # What was lost is put back.
            done.written = [name for name in names if name in put] + [ENTRY_POINT] * is_new
            for name in done.written:
                place.store.put_file(name, place.stage / name)
            return done
        if is_new and self._header is None and self._live is not None and self._records:
            self._recover_manifest(self._live)
        path = place.stage / "next.parquet"
        manifest.write(self._connection, self._manifest_rows(shards), header, path)
        switched = place.switch(path, header, [name for name in names if name in put], is_new=is_new)
        return replace(switched, unchanged=done.unchanged)

    def _recover_manifest(self, live: bytes) -> None:
        """Writes down what was found out of the set in force, so that it is replaced as any other is."""
        path = self._place.stage / "known.parquet"
        header = self._header_of(live, self._records, (), is_made=False)
        manifest.write(self._connection, "FROM known", header, path)
        self._place.put_manifest(MANIFEST, path, header)

    def _header_of(
        self, entry_point: bytes | None, records: Sequence[ShardRecord], indexes: Sequence[str], *, is_made: bool = True
    ) -> Header:
        return Header(
            base_url=self._options.base,
            published=self._options.now.isoformat(timespec="seconds"),
            entry_point=digest(entry_point),
            layout=str(self._options.look) if is_made else "",
            shards=tuple(records),
            indexes=tuple(indexes),
            rows=self._rows if is_made else "",
            evidence=self._found.evidence if is_made else {},
        )

    def _manifest_rows(self, shards: Sequence[Shard]) -> str:
        """Every loc that is there, and those that were there not long ago."""
        connection = self._connection
        connection.execute("CREATE TABLE named (number UINTEGER, shard VARCHAR, section VARCHAR)")
        insert_rows(connection, "named", [(shard.number, shard.shard, shard.section) for shard in shards])
        now = self._options.now
        since = now - max(REMEMBERED, timedelta(days=self._options.removed or 0))
        connection.execute(
            "CREATE TABLE moments AS SELECT ?::TIMESTAMPTZ AS now, ?::TIMESTAMPTZ AS since", [now, since]
        )
        columns = "loc, key, lastmod, evidence, content, first_seen"
        return f"""
            SELECT loc, section, shard, key, lastmod, evidence, content, coalesce(first_seen, now) AS first_seen,
                now AS last_seen, NULL::TIMESTAMPTZ AS gone
            FROM (
                SELECT old AS number, {columns} FROM placed WHERE old IS NOT NULL
                UNION ALL
                SELECT number, {columns} FROM fresh POSITIONAL JOIN marks
            ) JOIN named USING (number), moments
            UNION ALL
            SELECT loc, section, NULL, key, lastmod, evidence, content, first_seen, last_seen, coalesce(gone, now)
            FROM gone, moments WHERE coalesce(gone, now) > since
        """


def _planned(shard: Shard, action: Action | None) -> PlannedShard:
    before = shard.old.entries if shard.old else 0
    action = action or ("new" if shard.old is None else "rewrite")
    size = shard.old.bytes if action == "keep" and shard.old else shard.bytes
    counts = (shard.entries, before, shard.added, shard.changed, shard.lost, size)
    return PlannedShard(shard.shard, shard.section, action, *counts)
