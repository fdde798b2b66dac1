"""Ingest: the core makes each row ready by itself, and it goes into the table `incoming`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from urlset import _core
from urlset._model.errors import EntryError, InputError
from urlset._publish.database import SMALL_ROWS, PlanningDatabase
from urlset._publish.options import PublishOptions, SectionRows
from urlset._publish.schema import create, create_as
from urlset._util.arguments import OnError
from urlset._util.duckdb import literal, parsed, scalar
from urlset._write.rows import KEPT, source_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Bytes up to which a content is kept as it is, such as a hash.
_LONGEST_CONTENT = 64
#: Rows that are fetched at once.
_FETCHED_AT_ONCE = 10_000
#: The columns of `incoming` that a row can bring, by their names there.
_EXTRAS = ("evidence", "content", "grp", "page", "lang")
#: What a lastmod can rest on.
EVIDENCE = ("column", "page", "front matter", "git", "content", "published")
#: The columns of `incoming` that the core makes, and the names that they have in its batches.
_OWN = "row, loc, lastmod, instant, tail, news, uses, size, content_hash, loc_hash"
_OF_BATCH = "row, loc, lastmod, instant, tail, news, uses, size, key, hash"


@dataclass(slots=True)
class Intake:
    """The counts of one publish: how many rows there were, how many were refused, repeated or respelled.

    `sections` are the names of the sections by their numbers.
    """

    on_error: OnError
    sections: Sequence[str] = ("",)
    on_refusal: Callable[[EntryError], None] | None = None
    progress: Callable[[int], None] | None = None
    on_dropped: Callable[[EntryError], None] | None = None
    rows: int = 0
    respelled: int = 0
    duplicates: int = 0
    outside: int = 0
    refused_by_code: Counter[str] = field(default_factory=Counter)
    refusals: list[EntryError] = field(default_factory=list)
    dropped_by_code: Counter[str] = field(default_factory=Counter)
    drops: list[EntryError] = field(default_factory=list)
    passed: set[str] = field(default_factory=set)

    @property
    def refused(self) -> int:
        """How many rows were left out because they break a rule."""
        return self.refused_by_code.total()

    @property
    def dropped(self) -> int:
        """How many values were left out because they are invalid."""
        return self.dropped_by_code.total()

    def drop(self, section: int, row: int, loc: str | None, code: str, reason: str) -> None:
        """Count a value that is left out, while its page is not."""
        error = EntryError(row, loc, code, reason, self.sections[section])
        self.dropped_by_code[code] += 1
        if self.on_dropped is not None:
            self.on_dropped(error)
        if len(self.drops) < KEPT:
            self.drops.append(error)

    def refuse(self, section: int, row: int, loc: str | None, code: str, reason: str) -> None:
        """Count a row that is left out.

        Raises:
            EntryError: `on_error` is `raise`.
        """
        error = EntryError(row, loc, code, reason, self.sections[section])
        if self.on_error == "raise":
            raise error
        self.refused_by_code[error.code] += 1
        if self.on_refusal is not None:
            self.on_refusal(error)
        if len(self.refusals) < KEPT:
            self.refusals.append(error)


@dataclass(frozen=True, slots=True)
class Ingested:
    """What `ingest` has seen of the rows.

    Attributes:
        fingerprints: One of each section's rows, which is the same for any order of them.
        is_checked: Whether nothing is left to be checked: all rows came in one batch, with different locs, and none has
            evidence of its own or is in a group.
    """

    fingerprints: tuple[str, ...]
    is_checked: bool


def ingest(
    database: PlanningDatabase, options: PublishOptions, sections: Sequence[SectionRows], intake: Intake
) -> Ingested:
    """Put the rows of all sections into `incoming`.

    Raises:
        EntryError: A row is refused, and `on_error` is `raise`.
        InputError: The rows cannot be read.
    """
    create(database.connection, "incoming")
    ingested = [_ingest_section(database, options, number, section, intake) for number, section in enumerate(sections)]
    fingerprints = tuple(fingerprint for fingerprint, _ in ingested)
    return Ingested(fingerprints, is_checked=len(ingested) == 1 and ingested[0][1])


def _ingest_section(
    database: PlanningDatabase, options: PublishOptions, number: int, section: SectionRows, intake: Intake
) -> tuple[str, bool]:
    """Return the fingerprint of a section's rows, and whether they need no further check."""
    columns = list(dict.fromkeys(section.extras.values()))
    source = source_of(section.entries, columns, names=section.names, is_local=options.zone is not None)
    # Numbered, because their own names could be those of other columns here.
    ready = options.preparer([f"extra{place}" for place in range(len(columns))])
    sources = {name: f"extra{columns.index(column)}" for name, column in section.extras.items()}
    if "content" in sources:
        sources["content"] = _hashed_sql(sources["content"])
    extras = ", ".join(sources.get(name, "NULL") for name in _EXTRAS)

    def listen(filled: _core.Filled) -> None:
        for refusal in filled.refused:
            intake.refuse(number, refusal.index, refusal.loc, refusal.code, refusal.message)
        for value in filled.dropped:
            intake.drop(number, value.index, value.loc, value.code, value.message)
        if intake.progress is not None:
            intake.progress(intake.rows + source.index)

    is_checked = sources.keys().isdisjoint(("evidence", "page"))
    with ThreadPoolExecutor(1) as writer:
        waiting: Future[None] | None = None
        for count, (batch, is_last) in enumerate(batches(ready, source, listen)):
            is_checked = is_checked and not count and len(batch) <= SMALL_ROWS and not batch.has_repeated_loc()
            if waiting is not None:
                waiting.result()
                waiting = None
            if is_last:
                _insert(database, number, batch, extras)
            else:
                # One batch is inserted while the core makes the next one ready.
                waiting = writer.submit(_insert, database, number, batch, extras)
        if waiting is not None:
            waiting.result()
    intake.rows += source.index
    intake.respelled += ready.respelled
    intake.passed.update(source.passed)
    return "{}:{:x}:{:x}".format(ready.fingerprint.rows, *ready.fingerprint.sums), is_checked


def batches(
    ready: _core.Renderer, rows: _core.Rows, listen: Callable[[_core.Filled], object]
) -> Iterator[tuple[_core.RenderedRows, bool]]:
    """Yield all rows, made ready, in batches, and whether the batch is known to be the last.

    `listen` is called every few thousand rows with what was refused of them.
    """
    status = _core.FillStatus.MORE
    while status != _core.FillStatus.END:
        filled = ready.fill(rows)
        status = filled.status
        listen(filled)
        if status != _core.FillStatus.MORE and len(batch := ready.take()):
            yield batch, status == _core.FillStatus.END


def _hashed_sql(text: str) -> str:
    # Contents are only compared, so a hash is enough if it is shorter.
    return f"CASE WHEN strlen({text}) > {_LONGEST_CONTENT} THEN md5({text}) ELSE {text} END"


def _insert(database: PlanningDatabase, section: int, batch: _core.RenderedRows, extras: str) -> None:
    """Insert a batch into `incoming`."""
    database.expect(len(batch), batch.size)
    # DuckDB finds `batch` among the local variables by its name.
    statement = (
        f"INSERT INTO incoming (section, {_OWN}, {', '.join(_EXTRAS)})"
        f" SELECT {section}, {_OF_BATCH}, {extras} FROM batch"
    )
    database.connection.execute(parsed(statement))


def count_outside(connection: DuckDBPyConnection, base: str) -> int:
    """Return how many rows of `incoming` are not below the folder of the set; none can be if that is the whole site."""
    if base.count("/") == "https://host/".count("/"):
        return 0
    return int(scalar(connection, "SELECT count(*) FROM incoming WHERE NOT starts_with(loc, ?)", [base]))


@dataclass(frozen=True, slots=True)
class Incoming:
    """What `incoming` holds: whether any page is in a group of translations, and whether rows were left out."""

    has_groups: bool
    has_repeated: bool


def check_incoming(connection: DuckDBPyConnection, intake: Intake, *, is_checked: bool = False) -> Incoming:
    """Check the evidence of all rows, and leave one row per loc in `incoming`.

    Args:
        connection: The planning database.
        intake: The counts of the rows.
        is_checked: Whether ingest has seen that nothing is left to be done.

    Raises:
        InputError: A row's evidence is not one of the known words.
    """
    if is_checked:
        return Incoming(has_groups=False, has_repeated=False)
    is_wrong = f"evidence NOT IN ({', '.join(literal(word) for word in EVIDENCE)})"
    query = f"SELECT count(page), count(*) FILTER ({is_wrong}), count(*) - count(DISTINCT loc_hash) FROM incoming"
    [(pages, wrong, repeated)] = connection.execute(parsed(query)).fetchall()
    if wrong:
        [(loc, evidence)] = connection.execute(
            f"SELECT loc, evidence FROM incoming WHERE {is_wrong} LIMIT 1"
        ).fetchall()
        raise InputError(f"evidence must be one of {', '.join(EVIDENCE)}, got {evidence[:80]!r} for {loc}")
    if repeated:
        _drop_repeated(connection, intake)
    return Incoming(has_groups=pages > 0, has_repeated=intake.duplicates > 0)


def _drop_repeated(connection: DuckDBPyConnection, intake: Intake) -> None:
    """Leave one row per loc: that of the first section, and of these the one with the latest lastmod.

    If rows agree in both, the rest of what they say decides and not their order, so that rows in any order give the
    same set. Every row that is left out is reported to `on_refusal`.
    """
    create_as(
        connection,
        "repeated",
        """
        SELECT rowid AS rowid_of, section, row, loc
        FROM incoming
        SEMI JOIN (SELECT loc_hash FROM incoming GROUP BY loc_hash HAVING count(*) > 1) AS twice USING (loc_hash)
        QUALIFY row_number() OVER (
            PARTITION BY loc
            ORDER BY section, instant DESC NULLS LAST, lastmod, content_hash, grp, page, lang, content, evidence, row
        ) > 1
        """,
    )
    intake.duplicates = scalar(connection, "SELECT count(*) FROM repeated")
    connection.execute("DELETE FROM incoming WHERE rowid IN (SELECT rowid_of FROM repeated)")
    if intake.on_refusal is not None:
        repeated = connection.execute("SELECT section, row, loc FROM repeated ORDER BY section, row")
        while rows := repeated.fetchmany(_FETCHED_AT_ONCE):
            for section, row, loc in rows:
                reason = "another row has the same loc and is published instead"
                intake.on_refusal(EntryError(row, loc, "LOC014", reason, intake.sections[section]))
