"""Rows in: made ready one by one by the core, and put into the table `incoming`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from urlset import _core
from urlset._model.errors import EntryError, InputError
from urlset._publish.database import PlanningDatabase
from urlset._util.arguments import OnError
from urlset._util.duckdb import scalar
from urlset._write.rows import KEPT, RowsLike, source_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Bytes of a content that is kept as it is, such as a hash.
_LONGEST_CONTENT = 64
#: Rows that are fetched at once.
_TOLD = 10_000
#: The columns of `incoming` that a row may bring along, by what they are called there.
_EXTRAS = ("evidence", "content", "grp", "page", "lang")
#: Row, loc, code and reason.
Refused = tuple[int, str | None, str, str]
#: What a lastmod can rest on.
EVIDENCE = ("column", "page", "front matter", "git", "content", "published")
_OWN = "row, loc, lastmod, instant, tail, news, uses, size, key, hash"


@dataclass(slots=True)
class Intake:
    """What came of the rows: how many there were, and what was left out or written otherwise than it was given.

    `sections` are the names of theirs, by number.
    """

    on_error: OnError
    sections: Sequence[str] = ("",)
    on_refusal: Callable[[EntryError], None] | None = None
    progress: Callable[[int], None] | None = None
    rows: int = 0
    respelled: int = 0
    duplicates: int = 0
    refused_by_code: Counter[str] = field(default_factory=Counter)
    refusals: list[EntryError] = field(default_factory=list)
    passed: set[str] = field(default_factory=set)

    @property
    def refused(self) -> int:
        """Rows that were left out, those that said again what another one says aside."""
        return self.refused_by_code.total()

    def refuse(self, section: int, row: int, loc: str | None, code: str, reason: str) -> None:
        """Counts a row that is left out, or ends all where that was asked for."""
        error = EntryError(row, loc, code, reason, self.sections[section])
        if self.on_error == "raise":
            raise error
        self.refused_by_code[error.code] += 1
        if self.on_refusal is not None:
            self.on_refusal(error)
        if len(self.refusals) < KEPT:
            self.refusals.append(error)


def take(
    database: PlanningDatabase,
    section: int,
    rows: RowsLike,
    intake: Intake,
    *,
    preparer: Callable[[list[str]], _core.Preparer],
    extras: Mapping[str, str],
) -> str:
    """Puts the rows of a section into `incoming`. `extras` leads from its columns to those of the rows.

    Gives a fingerprint of the rows, which is the same for any order of them.
    """
    columns = list(dict.fromkeys(extras.values()))
    source = source_of(rows, columns)
    # By their place: their own names could be those of others here.
    ready = preparer([f"extra{place}" for place in range(len(columns))])
    sources = {name: f"extra{columns.index(column)}" for name, column in extras.items()}
    if "content" in sources:
        # It is told by its hash: what is compared need not be kept.
        sources["content"] = _hashed_sql(sources["content"])
    named = ", ".join(sources.get(name, "NULL") for name in _EXTRAS)

    def listen(refused: Sequence[Refused]) -> None:
        for refusal in refused:
            intake.refuse(section, *refusal)
        if intake.progress is not None:
            intake.progress(intake.rows + source.index)

    with ThreadPoolExecutor(1) as writer:
        waiting: Future[int] | None = None
        for batch in batches(ready, source, listen):
            # One batch is put into the table while the next one is made ready.
            if waiting is not None:
                intake.respelled += waiting.result()
            waiting = writer.submit(_insert, database, section, batch, named)
        if waiting is not None:
            intake.respelled += waiting.result()
    if "evidence" in extras:
        _check_evidence(database.connection)
    intake.rows += source.index
    intake.passed.update(source.passed)
    return "{}:{:x}:{:x}".format(*ready.fingerprint)


def batches(
    ready: _core.Preparer, rows: _core.Rows, listen: Callable[[Sequence[Refused]], None]
) -> Iterator[_core.Prepared]:
    """All rows, made ready, in batches; `listen` hears every few thousand rows of those that are refused."""
    state = "more"
    while state != "end":
        state, refused = ready.fill(rows)
        listen(refused)
        if state != "more" and len(batch := ready.take()):
            yield batch


def _hashed_sql(text: str) -> str:
    """A text, or, where a hash is shorter, that."""
    return f"CASE WHEN strlen({text}) > {_LONGEST_CONTENT} THEN md5({text}) ELSE {text} END"


def _check_evidence(connection: DuckDBPyConnection) -> None:
    wrong = connection.execute(
        f"SELECT loc, evidence FROM incoming WHERE evidence NOT IN ({', '.join('?' for _ in EVIDENCE)}) LIMIT 1",
        list(EVIDENCE),
    ).fetchall()
    for loc, evidence in wrong:
        raise InputError(f"the evidence of {loc} is {evidence[:80]!r}; it is {', '.join(EVIDENCE)}")


def _insert(database: PlanningDatabase, section: int, batch: _core.Prepared, extras: str) -> int:
    """Puts a batch into the table; gives how many locs were not spelled as they are now."""
    database.expect(len(batch))
    connection = database.connection
    # DuckDB finds `batch` by its name among the local variables.
    connection.execute(
        f"INSERT INTO incoming (section, {_OWN}, {', '.join(_EXTRAS)}) SELECT {section}, {_OWN}, {extras} FROM batch"
    )
    respelled: int = connection.execute("SELECT count(*) FROM batch WHERE is_rewritten").fetchall()[0][0]
    return respelled


def fold(connection: DuckDBPyConnection, intake: Intake) -> None:
    """Leaves one row of each loc: that of the first section, of these the one with the latest lastmod.

    Where rows say the same of both, what else they say decides, and not their order, so that rows in any order give the
    same set. Every row that is left out is told.
    """
    connection.execute("CREATE TEMP TABLE repeated AS SELECT hash FROM incoming GROUP BY hash HAVING count(*) > 1")
    if scalar(connection, "SELECT count(*) FROM repeated") == 0:
        return
    connection.execute("""
        CREATE TEMP TABLE folded AS
        SELECT rowid AS place, section, row, loc
        FROM incoming SEMI JOIN repeated USING (hash)
        QUALIFY row_number() OVER (
            PARTITION BY loc
            ORDER BY section, instant DESC NULLS LAST, lastmod, key, grp, page, lang, content, evidence, row
        ) > 1
    """)
    intake.duplicates = scalar(connection, "SELECT count(*) FROM folded")
    connection.execute("DELETE FROM incoming WHERE rowid IN (SELECT place FROM folded)")
    if intake.on_refusal is not None:
        told = connection.execute("SELECT section, row, loc FROM folded ORDER BY section, row")
        while rows := told.fetchmany(_TOLD):
            for section, row, loc in rows:
                reason = "another row has the same loc, and counts"
                intake.on_refusal(EntryError(row, loc, "LOC014", reason, intake.sections[section]))
