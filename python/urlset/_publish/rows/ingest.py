"""Ingest: the core makes each row ready by itself and holds it; rows that need SQL go into the table `incoming`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from urlset import _core
from urlset._model.errors import EntryError, InputError
from urlset._model.progress import OnProgress, Progress
from urlset._options.publish import OnError
from urlset._publish.rows.database import PlanningDatabase
from urlset._publish.rows.schema import create, create_as
from urlset._publish.values.options import PublishOptions, SectionRows
from urlset._stores.errors import os_errors_as_publish_errors
from urlset._util.duckdb import literal, parsed, scalar
from urlset._util.row_files import PlaceOf, places_of
from urlset._write.rows import KEPT, source_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Bytes up to which a content is kept as it is, such as a hash.
_LONGEST_CONTENT = 64
#: Rows that are fetched at once.
_FETCHED_AT_ONCE = 10_000
#: Bytes of rows that are always held in memory, and which part of the memory they may take beyond that. As many may be
#: on their way to a file.
_ALWAYS_HELD, _HELD_PART = 8 << 20, 24
#: Of very many rows, a file has so large a part that they come to a few hundred files, which are read at once. But no
#: more than so many times what may be held otherwise.
_FILE_PART, _MOST_HELD = 64, 2
#: The columns of `incoming` that a row can bring, by their names there.
_EXTRAS = ("lastmod_source", "content", "grp", "page", "lang")
#: What a lastmod can rest on.
LASTMOD_SOURCES = ("column", "page", "front matter", "git", "content", "published", "publication")
#: The columns of `incoming` that the core makes.
_OWN = "row, loc, normal, lastmod, instant, xml_after_lastmod, news, namespace_bits, size, entry_hash, loc_hash"


@dataclass(slots=True)
class IngestReport:
    """The counts of one publish: how many rows there were, how many were refused, repeated or normalized.

    `sections` are the names of the sections by their numbers.
    """

    on_error: OnError
    sections: Sequence[str] = ("",)
    on_refusal: Callable[[EntryError], None] | None = None
    progress: OnProgress | None = None
    on_corrected: Callable[[EntryError], None] | None = None
    rows: int = 0
    normalized: int = 0
    duplicates: int = 0
    outside: int = 0
    refused_by_code: Counter[str] = field(default_factory=Counter)
    refusals: list[EntryError] = field(default_factory=list)
    corrected_by_code: Counter[str] = field(default_factory=Counter)
    corrections: list[EntryError] = field(default_factory=list)
    #: What finds the places of the rows of each section, by its number.
    places: dict[int, PlaceOf] = field(default_factory=dict)
    unused_columns: set[str] = field(default_factory=set)

    @property
    def refused(self) -> int:
        """How many rows were left out because they break a rule."""
        return self.refused_by_code.total()

    @property
    def corrected(self) -> int:
        """How many invalid values were left out or repaired."""
        return self.corrected_by_code.total()

    def error(self, section: int, row: int, loc: str | None, code: str, reason: str) -> EntryError:
        """Return the error of a row. The places of rows are found fastest in their order."""
        place_of = self.places.get(section)
        place = None if place_of is None else place_of(row)
        return EntryError(row, loc, code, reason, self.sections[section], *(place or ()))

    def correct(self, section: int, row: int, loc: str | None, code: str, reason: str) -> None:
        """Count a value that is left out or repaired, while its page is published."""
        self.corrected_by_code[code] += 1
        if self.on_corrected is None and len(self.corrections) >= KEPT:
            return
        error = self.error(section, row, loc, code, reason)
        if self.on_corrected is not None:
            self.on_corrected(error)
        if len(self.corrections) < KEPT:
            self.corrections.append(error)

    def refuse(self, section: int, row: int, loc: str | None, code: str, reason: str) -> None:
        """Count a row that is left out.

        Raises:
            EntryError: `on_error` is `raise`.
        """
        if self.on_error == "raise":
            raise self.error(section, row, loc, code, reason)
        self.refused_by_code[code] += 1
        if self.on_refusal is None and len(self.refusals) >= KEPT:
            return
        error = self.error(section, row, loc, code, reason)
        if self.on_refusal is not None:
            self.on_refusal(error)
        if len(self.refusals) < KEPT:
            self.refusals.append(error)


@dataclass(frozen=True, slots=True)
class IngestedSection:
    """The rows of a section, made ready and sorted.

    Attributes:
        rows: The rows.
        fingerprint: The same for any order of the same rows.
        given: The same for any order of rows that are given alike; None if it is not known.
        extras: The SQL for each of `_EXTRAS`, in terms of the extra columns of the rows.
    """

    rows: _core.RowStore
    fingerprint: str
    given: str | None
    extras: str


def collect(
    database: PlanningDatabase,
    options: PublishOptions,
    sections: Sequence[SectionRows],
    report: IngestReport,
    *,
    sources: Sequence[_core.Rows] = (),
    is_given: bool = False,
    may_be_unread: bool = False,
) -> tuple[IngestedSection, ...]:
    """Make the rows of all sections ready, and hold them: in memory, or else in the folder of the database.

    Args:
        database: The planning database.
        options: The options of the publish.
        sections: The sections.
        report: Counts the rows.
        sources: The rows of the first sections, if they are open already.
        is_given: Whether somebody asks for the fingerprints of the rows as they are given.
        may_be_unread: Their fingerprint may show that nothing has to be done with them.

    Raises:
        EntryError: A row is refused, and `on_error` is `raise`.
        InputError: The rows cannot be read.
        PublishError: The disk is full.
    """
    ingested: list[IngestedSection] = []
    for number, section in enumerate(sections):
        held = sum(store.rows.size for store in ingested)
        source = sources[number] if number < len(sources) else checked_source(section, options, is_given=is_given)
        ingested.append(_collect(database, options, number, section, source, report, held, may_be_unread=may_be_unread))
    return tuple(ingested)


def _collect(
    database: PlanningDatabase,
    options: PublishOptions,
    number: int,
    section: SectionRows,
    source: _core.Rows,
    report: IngestReport,
    held: int,
    *,
    may_be_unread: bool,
) -> IngestedSection:
    columns = source.extras
    sources = {name: f"extra{columns.index(column)}" for name, column in section.extras.items() if column in columns}
    if "content" in sources:
        sources["content"] = _hashed_sql(sources["content"])

    if (place_of := places_of(section.entries)) is not None:
        report.places[number] = place_of

    def on_filled(filled: _core.Filled) -> None:
        reports = [(each, report.refuse) for each in filled.refused]
        reports += [(each, report.correct) for each in filled.corrected]
        for each, tell in sorted(reports, key=lambda found: found[0].index):
            tell(number, each.index, each.loc, each.code, each.message)
        if report.progress is not None:
            report.progress(Progress("rows", report.rows + source.index))

    renderer = options.renderer()
    # Numbered, because their own names could be those of other columns here.
    rows = _core.RowStore([f"extra{place}" for place in range(len(columns))])
    fill(renderer, source, rows, on_filled, database, held, may_be_unread=may_be_unread)
    report.rows += source.index
    report.normalized += renderer.normalized
    report.outside += renderer.outside
    report.unused_columns.update(source.unused_columns)
    extras = ", ".join(sources.get(name, "NULL") for name in _EXTRAS)
    return IngestedSection(rows, _text(renderer.fingerprint), given_by(source), extras)


def given_by(source: _core.Rows) -> str | None:
    """Return the fingerprint of rows as they are given, and what is known of their columns; None if it is not known."""
    return source.given and json.dumps([_text(source.given), source.extras, source.unused_columns])


def _text(fingerprint: _core.Fingerprint) -> str:
    return "{}:{:x}:{:x}".format(fingerprint.rows, *fingerprint.sums)


def checked_source(section: SectionRows, options: PublishOptions, *, is_given: bool = False) -> _core.Rows:
    """Return the rows of a section, of which nothing is read yet but their columns.

    Args:
        section: The section.
        options: The options of the publish.
        is_given: Whether somebody asks for the fingerprint of the rows as they are given.

    Raises:
        InputError: They are not rows, or a column of theirs is missing, unknown or of a wrong type.
    """
    extras = section.extras
    source = source_of(
        section.entries,
        list(dict.fromkeys(extras.values())),
        optional=section.optional,
        names=section.names,
        is_local=options.checks.zone is not None,
        is_given=is_given,
    )
    if extras["page"] in source.extras and extras["lang"] not in source.extras:
        raise InputError(
            f"there is a column {extras['page']!r} and no column {extras['lang']!r}, and every page of a group has a"
            " language: name its column with columns, or leave the groups out"
        )
    return source


def fill(
    renderer: _core.Renderer,
    source: _core.Rows,
    rows: _core.RowStore,
    on_filled: Callable[[_core.Filled], object],
    database: PlanningDatabase,
    held: int = 0,
    *,
    may_be_unread: bool = False,
) -> None:
    """Put all rows of a source into a store. What exceeds the memory goes into the folder of the database.

    Args:
        renderer: Renders the rows.
        source: The rows.
        rows: The store.
        on_filled: Called every few thousand rows with what was refused of them.
        database: The planning database.
        held: Bytes of memory that other sections take.
        may_be_unread: The rows may never be read, so what goes into the folder is not sorted yet.

    Raises:
        PublishError: The disk is full.
    """
    status = _core.FillStatus.MORE
    while status != _core.FillStatus.END:
        filled = renderer.fill(source, rows)
        status = filled.status
        on_filled(filled)
        # Few rows wait in memory, unless others do: many sections may have few rows each.
        is_few = rows.size <= _ALWAYS_HELD and (status != _core.FillStatus.END or held <= _ALWAYS_HELD)
        room = database.memory // _HELD_PART
        room = min(max(room, rows.bytes // _FILE_PART), _MOST_HELD * room)
        if rows.size and not is_few and held + rows.size > room:
            path = database.new_file()
            with os_errors_as_publish_errors(path):
                rows.spill(str(path), may_be_unread)


def max_held(database: PlanningDatabase) -> int:
    """Return how many bytes of rows may be held in memory."""
    return max(_ALWAYS_HELD, database.memory // _HELD_PART)


def ingest(
    database: PlanningDatabase, options: PublishOptions, sections: Sequence[SectionRows], report: IngestReport
) -> None:
    """Put the rows of all sections into `incoming`.

    Raises:
        EntryError: A row is refused, and `on_error` is `raise`.
        InputError: The rows cannot be read.
        PublishError: The disk is full.
    """
    ingested = collect(database, options, sections, report)
    sort(ingested)
    insert(database, ingested)


def sort(ingested: Sequence[IngestedSection]) -> None:
    """Sort the rows, which are needed.

    Raises:
        PublishError: The disk is full.
    """
    with os_errors_as_publish_errors(Path("the temporary folder")):
        for store in ingested:
            store.rows.sort()


def insert(database: PlanningDatabase, ingested: Sequence[IngestedSection]) -> None:
    """Create `incoming` with the rows of all sections."""
    create(database.connection, "incoming")
    for number, store in enumerate(ingested):
        database.expect(len(store.rows), store.rows.bytes)
        rendered = store.rows.rendered()  # noqa: F841  (DuckDB finds it among the local variables by its name)
        database.connection.execute(
            parsed(
                f"INSERT INTO incoming (section, {_OWN}, {', '.join(_EXTRAS)})"
                f" SELECT {number}, {_OWN}, {store.extras} FROM rendered"
            )
        )


def _hashed_sql(text: str) -> str:
    # Contents are only compared, so a hash is enough if it is shorter.
    return f"CASE WHEN strlen({text}) > {_LONGEST_CONTENT} THEN md5({text}) ELSE {text} END"


def is_checked(ingested: Sequence[IngestedSection]) -> bool:
    """Return whether nothing is left to be checked: the locs of one section differ, and no row brings anything else."""
    return len(ingested) == 1 and not ingested[0].rows.has_extras and not ingested[0].rows.may_repeat_loc()


@dataclass(frozen=True, slots=True)
class Incoming:
    """What `incoming` holds: whether any page is in a group of translations, and whether rows were left out."""

    has_groups: bool
    has_repeated: bool


def check_incoming(connection: DuckDBPyConnection, report: IngestReport, *, is_checked: bool = False) -> Incoming:
    """Check the lastmod source of all rows, and leave one row per loc in `incoming`.

    Args:
        connection: The planning database.
        report: The counts of the rows.
        is_checked: Whether ingest has seen that nothing is left to be done.

    Raises:
        InputError: A row's lastmod source is not one of the known words.
    """
    if is_checked:
        return Incoming(has_groups=False, has_repeated=False)
    is_wrong = f"lastmod_source NOT IN ({', '.join(literal(word) for word in LASTMOD_SOURCES)})"
    query = f"SELECT count(page), count(*) FILTER ({is_wrong}), count(*) - count(DISTINCT loc_hash) FROM incoming"
    [(pages, wrong, repeated)] = connection.execute(parsed(query)).fetchall()
    if wrong:
        [(loc, source)] = connection.execute(
            f"SELECT loc, lastmod_source FROM incoming WHERE {is_wrong} LIMIT 1"
        ).fetchall()
        raise InputError(f"lastmod_source must be one of {', '.join(LASTMOD_SOURCES)}, got {source[:80]!r} for {loc}")
    if repeated:
        _drop_repeated(connection, report)
    return Incoming(has_groups=pages > 0, has_repeated=report.duplicates > 0)


def _drop_repeated(connection: DuckDBPyConnection, report: IngestReport) -> None:
    """Leave one row per loc: that of the first section, and of these the one with the latest lastmod.

    If rows agree in both, the rest of what they say decides and not their order, so that rows in any order give the
    same set. Every row that is left out is reported to `on_refusal`.
    """
    twice = "SELECT loc_hash FROM incoming GROUP BY loc_hash HAVING count(*) > 1"
    connection.execute(f"CREATE TABLE twice AS {twice}")
    create_as(
        connection,
        "repeated",
        """
        SELECT rowid AS rowid_of, section, row, loc FROM incoming SEMI JOIN twice USING (loc_hash)
        QUALIFY row_number() OVER (
            PARTITION BY coalesce(normal, loc)
            ORDER BY section, instant DESC NULLS LAST, lastmod, entry_hash, grp, page, lang, content, lastmod_source,
                loc, row
        ) > 1
        """,
    )
    connection.execute("DROP TABLE twice")
    report.duplicates = scalar(connection, "SELECT count(*) FROM repeated")
    connection.execute("DELETE FROM incoming WHERE rowid IN (SELECT rowid_of FROM repeated)")
    if report.on_refusal is not None:
        repeated = connection.execute("SELECT section, row, loc FROM repeated ORDER BY section, row")
        while rows := repeated.fetchmany(_FETCHED_AT_ONCE):
            for section, row, loc in rows:
                reason = "another row has the same loc, perhaps written in another way, and is published instead"
                report.on_refusal(report.error(section, row, loc, "LOC014", reason))
