"""Tables of rows to DuckDB relations of our columns, all told by name.

loc, lastmod, changefreq and priority are text, images, videos and alternates lists of structs, news a
struct, and what publish knows beside them is text. Nothing is inferred from a sample, so a row's place in
the file never changes how it is read; what the text means is for the writer to judge.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, cast

from urlset._model.errors import EntryError, InputError, PublishError
from urlset._util.duckdb import identifier, literal, moment_text, path_pattern
from urlset.sources._names import KNOWN, rename
from urlset.sources._shapes import BARE, NESTED, fits, forms, sql_type

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

Form = Literal["csv", "jsonl", "parquet", "txt", "xml"]

TEXT = ("loc", "lastmod", "changefreq", "priority")
#: What a row says of its page; the rest of KNOWN is what publish makes something of.
COLUMNS = (*TEXT, *NESTED)

RAW = "lastmod_raw"
"""The lastmod as a document had it, which `urlset read` gives beside the instant it means."""

UNSAID = ("document", "line")
"""Columns of `urlset read` that tell where a row was, not what it says: left out without a word."""

#: Characters of a header, and of a row of JSON: DuckDB takes 16 MiB of one.
_LONGEST_HEAD, _LONGEST_ROW = 1 << 17, 1 << 24

CSV_ERROR = re.compile(r"CSV Error on Line: (\d+)\nOriginal Line: ?(.*?)\n\n?(.*?)(?:\n\n|\nPossible)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is taken of a table: theirs by our name where the names differ, and `keep` under their own beside them."""

    columns: Mapping[str, str] = field(default_factory=dict)
    keep: Sequence[str] = ()
    #: Is told what is passed over.
    on_note: Callable[[str], object] = lambda _: None

    def pairs(self, columns: Sequence[str], of: str) -> list[tuple[str, str]]:
        """Names of theirs and of ours. A group without a language means something else, unless it was asked for."""
        for name in columns:
            if columns.count(name) > 1 and (name in KNOWN or name in (*self.columns.values(), *self.keep)):
                raise InputError(f"{of}: the column {name} is there twice")
        try:
            pairs = rename(columns, self.columns, self.keep)
        except InputError as error:
            raise InputError(f"{of}: {error}") from None
        ours = {ours for _, ours in pairs}
        if "loc" not in ours:
            raise InputError(_without_loc(columns, of))
        if "lang" not in ours and "group" not in self.columns:
            pairs = [(theirs, name) for theirs, name in pairs if name != "group" or name in self.keep]
        # Under the very name that they are asked for by, which may differ in case.
        asked = [(theirs, name) for name in self.keep for theirs, _ in pairs if theirs.lower() == name.lower()]
        pairs = list(dict.fromkeys([pair for pair in pairs if pair[1] in KNOWN] + asked))
        taken = {theirs for theirs, _ in pairs} | {RAW, *UNSAID}
        self.pass_over([name for name in columns if name not in taken], of)
        return pairs

    def pass_over(self, columns: Sequence[str], of: str) -> None:
        """Tells of columns that nothing is made of."""
        if columns:
            self.on_note(f"{of}: not used: {', '.join(column or '(no name)' for column in columns)}")


@dataclass(frozen=True, slots=True)
class Taken:
    """Rows as they lie there, and for each column of ours that they have how it comes of them, in SQL."""

    rows: DuckDBPyRelation
    columns: Mapping[str, str]

    def projected(self, names: Sequence[str]) -> DuckDBPyRelation:
        """The rows in these columns; one that they do not have is null throughout."""
        expressions = []
        for name in names:
            kind = sql_type(NESTED[name]) if name in NESTED else "VARCHAR"
            expressions.append(f"{self.columns.get(name, f'CAST(NULL AS {kind})')} AS {identifier(name)}")
        return self.rows.project(", ".join(expressions))


@dataclass(frozen=True, slots=True)
class RowFile:
    """One file of rows: as the user names it, where it lies, and what it is."""

    name: str
    path: Path
    form: Form

    @property
    def pattern(self) -> str:
        """The path for DuckDB, which would take some of its characters for wildcards."""
        return path_pattern(self.path)

    def text(self) -> IO[str]:
        """The content as UTF-8 text without a byte order mark, line ends kept."""
        return io.TextIOWrapper(binary(self.path), encoding="utf-8-sig", newline="")


def binary(path: Path) -> IO[bytes]:
    """The content of `path`, unpacked if its name ends in .gz, as DuckDB does."""
    return cast(IO[bytes], gzip.open(path)) if path.suffix.lower() == ".gz" else path.open("rb")


def of_file(connection: DuckDBPyConnection, file: RowFile, wanted: Wanted) -> Taken:
    """The rows of a file of CSV, JSON lines or Parquet.

    Raises:
        InputError: there is no column `loc`, or a column holds what it cannot.
        duckdb.Error: the file is not what it is taken for; `explained` makes a sentence of it.
    """
    if file.form == "csv":
        return _csv(connection, file, wanted)
    if file.form == "jsonl":
        return _jsonl(connection, file, wanted)
    return of_relation(connection.read_parquet(file.pattern), file.name, wanted)


def _csv(connection: DuckDBPyConnection, file: RowFile, wanted: Wanted) -> Taken:
    header, delimiter, blank = _header(file, wanted)
    # Columns go by place: whatever a header says, it cannot collide or need quoting.
    rows = connection.read_csv(
        file.pattern,
        columns={f"c{place}": "VARCHAR" for place in range(len(header))},
        auto_detect=False,
        header=True,
        skiprows=blank,
        delimiter=delimiter,
        quotechar='"',
        escapechar='"',
    )
    if len(header) == 1:
        # Only here is a blank line a row to DuckDB; with more columns it skips it.
        rows = rows.filter("c0 IS NOT NULL")
    sources = {ours: f"c{header.index(theirs)}" for theirs, ours in wanted.pairs(header, file.name)}
    if RAW in header and "lastmod" not in wanted.columns:
        sources[RAW] = f"c{header.index(RAW)}"
    return Taken(rows, _expressions(sources, set(NESTED), file.name))


def _header(file: RowFile, wanted: Wanted) -> tuple[list[str], str, int]:
    """The names in the first line that is not blank, the delimiter, and how many blank lines come before.

    The delimiter is the one of comma, semicolon and tab that makes the loc a column.
    """
    loc = wanted.columns.get("loc", "loc").lower()
    try:
        with file.text() as lines:
            bounded = partial(lines.readline, _LONGEST_HEAD)
            blank = 0
            while (line := bounded()) and not line.strip():
                blank += 1
            if len(line) == _LONGEST_HEAD:
                raise InputError(f"{file.name}: the header has more than {_LONGEST_HEAD:,} characters")
            for delimiter in (",", ";", "\t"):
                lines.seek(0)
                for _ in range(blank):
                    bounded()
                cells = next(csv.reader(iter(bounded, ""), delimiter=delimiter, strict=True), [])
                header = [cell.strip() for cell in cells]
                if any(cell.lower() == loc for cell in header):
                    return header, delimiter, blank
    except UnicodeDecodeError as error:
        raise InputError(f"{file.name}: not UTF-8: {error.reason}") from None
    except csv.Error as error:
        raise InputError(f"{file.name}: the header is not CSV: {error}") from None
    columns = [cell.strip() for cell in line.split(",")] if line.strip() else []
    wanted.pairs(columns, file.name)
    raise InputError(_without_loc(columns, file.name))


def _jsonl(connection: DuckDBPyConnection, file: RowFile, wanted: Wanted) -> Taken:
    """Which keys a row has is its own affair; those of the first one that mean nothing here are told."""
    mapped = wanted.columns.values()
    rename(tuple(dict.fromkeys(mapped)), wanted.columns)  # raises for what is no column of ours
    keys = {name: name for name in KNOWN if name not in mapped} | dict(wanted.columns)
    keys |= {name: name for name in wanted.keep if name not in keys}
    if "lastmod" not in wanted.columns:
        keys[RAW] = RAW
    _check_cases(list(keys.values()), file)
    first = _keys(file)
    wanted.pass_over([key for key in first or () if key not in {*keys.values(), *UNSAID}], file.name)
    missing = [] if first is None else [theirs for theirs in (*mapped, *wanted.keep) if theirs not in first]
    if missing:
        wanted.on_note(f"{file.name}: the first row has no {', '.join(missing)}")
    nested = {theirs for ours, theirs in keys.items() if ours in NESTED}
    types = {theirs: "JSON" if theirs in nested else "VARCHAR" for theirs in keys.values()}
    rows = connection.read_json(file.pattern, columns=types, format="newline_delimited")
    sources = {
        ours: f"({identifier(theirs)} ->> '$')" if theirs in nested and ours not in NESTED else identifier(theirs)
        for ours, theirs in keys.items()
    }
    return Taken(rows, _expressions(sources, set(NESTED), file.name))


def _check_cases(keys: Sequence[str], file: RowFile) -> None:
    """DuckDB has no two columns that only differ in case."""
    spelled: dict[str, str] = {}
    for key in keys:
        if spelled.setdefault(key.lower(), key) != key:
            raise InputError(f"{file.name}: the keys {spelled[key.lower()]} and {key} only differ in case: rename one")


def _keys(file: RowFile) -> list[str] | None:
    """The keys of the first line that is not blank; none if it is no object, which its reading will tell."""
    with file.text() as lines:
        try:
            bounded = iter(partial(lines.readline, _LONGEST_ROW), "")
            first = json.loads(next((line for line in bounded if line.strip()), "null"))
        except (ValueError, RecursionError):
            return None
    return list(first) if isinstance(first, dict) else None


def of_relation(rows: DuckDBPyRelation, name: str, wanted: Wanted) -> Taken:
    """The rows of a table whose columns have types; `name` is what it is called in messages."""
    types = dict(zip(rows.columns, map(str, rows.types), strict=True))
    pairs = wanted.pairs(rows.columns, name)
    for theirs, ours in pairs:
        if ours in NESTED:
            pattern, words = forms(ours)
            if not re.fullmatch(pattern, types[theirs], re.DOTALL):
                raise InputError(f"{name}: {theirs} is {types[theirs]}; it can be {words}, or JSON as text")
    sources = {ours: _typed(ours, theirs, types[theirs]) for theirs, ours in pairs}
    if RAW in types and "lastmod" not in wanted.columns:
        sources[RAW] = _typed(RAW, RAW, types[RAW])
    as_json = {ours for theirs, ours in pairs if ours in NESTED and types[theirs] in ("VARCHAR", "JSON")}
    return Taken(rows, _expressions(sources, as_json, name))


def _typed(ours: str, theirs: str, kind: str) -> str:
    """The column as text, or a list as the list it is to become."""
    column = identifier(theirs)
    if kind == "BLOB":
        # Text of a type or a writer that does not say so; what is no UTF-8 stops the reading.
        return f"decode({column})"
    if kind == "TIMESTAMP WITH TIME ZONE":
        return moment_text(column)
    if kind.startswith("TIMESTAMP"):
        # Still without a zone, as it was: the writer says what it thinks of that.
        return f"strftime({column}, '%Y-%m-%dT%H:%M:%S')"
    if ours in NESTED and kind.startswith("STRUCT"):
        return f"CAST({column} AS {sql_type(NESTED[ours])})"
    if ours in NESTED and kind == "VARCHAR[]":
        return f"list_transform({column}, lambda each: {_bare(ours, 'each')})"
    return f"CAST({column} AS VARCHAR)"


def _without_loc(columns: Sequence[str], of: str) -> str:
    found = ", ".join(columns) or "none"
    return f"{of}: there is no column loc, which every row needs; columns found: {found}"


def _expressions(sources: Mapping[str, str], as_json: set[str], of: str) -> dict[str, str]:
    """How each column of ours comes of the rows; what is JSON is parsed."""
    expressions = {name: source for name, source in sources.items() if name != RAW}
    if RAW in sources:
        expressions["lastmod"] = _as_written(sources.get("lastmod"), sources[RAW])
    for name in as_json & expressions.keys():
        expressions[name] = _parsed(name, expressions[name], sources["loc"], of)
    return expressions


def _as_written(lastmod: str | None, raw: str) -> str:
    """SQL for the raw text where it means the same instant as `lastmod`, which else has been edited since."""
    if lastmod is None:
        return raw
    whole = f"CASE length({raw}) WHEN 4 THEN {raw} || '-01-01' WHEN 7 THEN {raw} || '-01' ELSE {raw} END"
    same = f"TRY_CAST({whole} AS TIMESTAMPTZ) = TRY_CAST({lastmod} AS TIMESTAMPTZ)"
    return f"CASE WHEN {raw} IS NULL THEN {lastmod} WHEN {same} THEN {raw} ELSE {lastmod} END"


def _bare(column: str, value: str) -> str:
    """A struct of `column` with nothing but its loc or href: what a plain text in the list stands for."""
    return f"CAST({{{BARE[column]}: {value}}} AS {sql_type(NESTED[column]).removesuffix('[]')})"


def _parsed(column: str, source: str, loc: str, of: str) -> str:
    """SQL that reads JSON text as the column's lists and structs; text that is no such JSON stops the reading."""
    shape = NESTED[column]
    kind, expected = ("OBJECT", "object") if isinstance(shape, dict) else ("ARRAY", "list")
    about = literal(f"{of}: {column} of ")
    misfit, no_json = (
        f"error({about} || coalesce({loc}, '?') || ' {wrong}: ' || left({source}, 80))"
        for wrong in ("has something else than lists, objects and text where they belong", f"is no JSON {expected}")
    )
    value = f"""CASE WHEN {fits(shape, f"CAST({source} AS JSON)")}
                THEN from_json({source}, '{json.dumps(shape)}') ELSE {misfit} END"""
    if column in BARE and isinstance(shape, list):
        value = f"""list_transform(
                CAST(CAST({source} AS JSON) AS JSON[]),
                lambda each: CASE json_type(each)
                    WHEN 'VARCHAR' THEN {_bare(column, "each ->> '$'")}
                    ELSE from_json(each, '{json.dumps(shape[0])}')
                END
            )"""
    return f"""
        CASE
            WHEN {source} IS NULL OR trim({source}) = 'null' THEN NULL
            WHEN CASE WHEN json_valid({source}) THEN json_type({source}) END IS DISTINCT FROM '{kind}'
                THEN {no_json}
            ELSE {value}
        END"""


@contextmanager
def explained(files: Sequence[RowFile] = ()) -> Iterator[None]:
    """Makes a sentence of what DuckDB raises of these files, or the writer with DuckDB's text inside."""
    try:
        yield
    except (EntryError, PublishError):
        raise
    except Exception as error:
        sentence = _told(str(error), files)
        if sentence is None:
            raise
        raise InputError(sentence) from None


def _told(message: str, files: Sequence[RowFile]) -> str | None:
    """What DuckDB says inside `message`, as one line about the user's file; None if it is not DuckDB's."""
    found = re.search(r"\b(?:Invalid Input|IO|Conversion|Out of Memory) Error: (.*)", message, re.DOTALL)
    if found is None:
        return None
    said = found[1].strip()
    for file in files:
        if f'JSON in file "{file.path}"' in said or f'error in file "{file.path}"' in said:
            return f"{file.name}:{_bad_json(file) or said}"
    name = next((file.name for file in files if f"file = {file.path}\n" in said), "CSV")
    if broken := CSV_ERROR.match(said):
        return f"{name}:{broken[1]}: {' '.join(broken[3].split())}: {broken[2][:120]}"
    if "CSV Parser state machine" in said:
        return f"{name}: this is not CSV as RFC 4180 has it: do its lines end in more than one way?"
    first = said.partition("\n")[0]
    for file in files:
        first = first.replace(str(file.path), file.name)
    return first


def _bad_json(file: RowFile) -> str | None:
    """Place and trouble of the first line that is no JSON object. DuckDB's own line number is off by one."""
    with file.text() as lines:
        for number, line in enumerate(iter(partial(lines.readline, _LONGEST_ROW), ""), start=1):
            try:
                if line.strip() and not isinstance(json.loads(line), dict):
                    return f"{number}: no JSON object: {line.strip()[:120]}"
            except json.JSONDecodeError as error:
                return f"{number}:{error.colno}: not JSON: {error.msg}"
    return None
