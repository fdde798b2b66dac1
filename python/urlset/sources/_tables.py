"""Map tables of rows to DuckDB relations with the columns that urlset knows, matched by name.

Images, videos and alternates are lists of structs, news is a struct, and all other columns are text. Nothing is
inferred from a sample, so how a row is read never depends on other rows. The writer judges what the text means.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

from urlset._model.errors import EntryError, InputError, PublishError
from urlset._options.publish import KNOWN_COLUMNS
from urlset._util.duckdb import identifier, literal, moment_text
from urlset.sources._column_names import match_columns
from urlset.sources._nested_columns import NESTED, SHORT_FORM, accepted_types, shape_check_sql, sql_type
from urlset.sources._row_file import RowFile, bad_json, first_keys, is_list

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

#: The columns that the tables of all files have.
TEXT = ("loc", "lastmod", "changefreq", "priority")
#: The columns that describe a page in a sitemap; the others in KNOWN_COLUMNS control how `publish` treats it.
COLUMNS = (*TEXT, *NESTED)
#: The lastmod as a document had it, which `urlset read` gives in addition to the instant.
RAW = "lastmod_raw"
#: Columns of `urlset read` that say where an entry was found: left out without a note.
POSITION_COLUMNS = ("document", "kind", "line")

#: The most characters of a header.
_LONGEST_HEAD = 1 << 17
#: Bytes of a CSV without quotes that each thread of DuckDB reads at once: hardly more than its longest line. What it
#: takes by itself, four times as many, is 90 MB of memory more and no faster. Yet inside a quoted text of several lines
#: it may not find where a row begins, and the more pieces there are, the more of them begin inside one.
_READ_AT_ONCE = 1 << 21
#: Bytes at the beginning of a CSV that are searched for a quote.
_SEARCHED = 1 << 20

CSV_ERROR = re.compile(r"CSV Error on Line: (\d+)\nOriginal Line: ?(.*?)\n\n?(.*?)(?:\n\n|\nPossible)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Which columns of a table to take, and under which names.

    `columns` has names of the table by known name, where they differ. The columns in `keep` are taken as well, under
    their own names, and those in `optional` where a table has them. `on_note` is called with a sentence about columns
    that are not used.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    keep: Sequence[str] = ()
    on_note: Callable[[str], object] = lambda _: None
    optional: Sequence[str] = ()

    def pairs(self, columns: Sequence[str], table: str) -> list[tuple[str, str]]:
        """Return pairs of the table's own name and the new name. `table` is what messages call the table.

        A column `group` without a column `lang` means something else, and is not taken unless `columns` maps it.
        """
        lower = {name.lower() for name in columns}
        keep = [*self.keep, *(name for name in self.optional if name.lower() in lower)]
        for name in columns:
            if columns.count(name) > 1 and (name in KNOWN_COLUMNS or name in (*self.columns.values(), *keep)):
                raise InputError(f"{table}: there are two columns named {name}")
        try:
            pairs = match_columns(columns, self.columns, keep)
        except InputError as error:
            raise InputError(f"{table}: {error}") from None
        names = {new for _, new in pairs}
        if "loc" not in names:
            raise InputError(_without_loc(columns, table))
        if "lang" not in names and "group" not in self.columns:
            pairs = [(column, new) for column, new in pairs if new != "group" or new in keep]
        # Under exactly the requested name, which may differ in case.
        kept = [(column, name) for name in keep for column, _ in pairs if column.lower() == name.lower()]
        pairs = list(dict.fromkeys([pair for pair in pairs if pair[1] in KNOWN_COLUMNS] + kept))
        used = {column for column, _ in pairs} | {RAW, *POSITION_COLUMNS}
        self.note_unused([name for name in columns if name not in used], table)
        return pairs

    def note_unused(self, columns: Sequence[str], table: str) -> None:
        """Report the columns that are not used."""
        if columns:
            self.on_note(f"{table}: not used: {', '.join(column or '(no name)' for column in columns)}")


@dataclass(frozen=True, slots=True)
class MappedRows:
    """Rows as stored, and the SQL expression for each known column that they have."""

    rows: DuckDBPyRelation
    columns: Mapping[str, str]

    def project(self, names: Sequence[str]) -> DuckDBPyRelation:
        """Return the rows with exactly these columns; a missing one is null in every row."""
        expressions = []
        for name in names:
            kind = sql_type(NESTED[name]) if name in NESTED else "VARCHAR"
            expressions.append(f"{self.columns.get(name, f'CAST(NULL AS {kind})')} AS {identifier(name)}")
        return self.rows.project(", ".join(expressions))


def map_file(connection: DuckDBPyConnection, file: RowFile, mapping: ColumnMapping) -> MappedRows:
    """Map the rows of a CSV, JSON lines or Parquet file.

    Raises:
        InputError: There is no column `loc`, or a column has a type that it cannot have.
        duckdb.Error: The file is not of its format; see `duckdb_errors_as_input_errors`.
    """
    if file.form == "csv":
        return _map_csv(connection, file, mapping)
    if file.form == "jsonl":
        return _map_jsonl(connection, file, mapping)
    return map_relation(connection.read_parquet(file.pattern), file.name, mapping)


def _map_csv(connection: DuckDBPyConnection, file: RowFile, mapping: ColumnMapping) -> MappedRows:
    header, delimiter, blank = _read_header(file, mapping)
    # Columns are named by number, so that the names in a header can neither collide nor need quoting.
    rows = connection.read_csv(
        file.pattern,
        columns={f"c{number}": "VARCHAR" for number in range(len(header))},
        auto_detect=False,
        header=True,
        skiprows=blank,
        delimiter=delimiter,
        quotechar='"',
        escapechar='"',
        buffer_size=None if _has_quotes(file) else _READ_AT_ONCE,
    )
    if len(header) == 1:
        # With a single column DuckDB takes a blank line for a row; with more it skips it.
        rows = rows.filter("c0 IS NOT NULL")
    # Blanks around a name are not a part of it, nor are those around a value.
    sources = {
        new: f"c{header.index(column)}" if new in NESTED else _trimmed_sql(f"c{header.index(column)}")
        for column, new in mapping.pairs(header, file.name)
    }
    if RAW in header and "lastmod" not in mapping.columns:
        sources[RAW] = f"c{header.index(RAW)}"
    return MappedRows(rows, _expressions(sources, set(NESTED), file.name))


def _has_quotes(file: RowFile) -> bool:
    """Return whether a CSV seems to have quoted texts. Whatever is compressed has bytes like that, too."""
    with file.path.open("rb") as opened:
        return b'"' in opened.read(_SEARCHED)


def _read_header(file: RowFile, mapping: ColumnMapping) -> tuple[list[str], str, int]:
    """Return the names in the first line that is not blank, the delimiter, and the number of blank lines before it.

    The delimiter is whichever of comma, semicolon and tab makes the loc a column.
    """
    loc = mapping.columns.get("loc", "loc").lower()
    try:
        with file.text() as lines:
            bounded = partial(lines.readline, _LONGEST_HEAD)
            blank = 0
            while (line := bounded()) and not line.strip():
                blank += 1
            if len(line) == _LONGEST_HEAD:
                raise InputError(f"{file.name}: the header has more than {_LONGEST_HEAD:,} characters")
            read: list[list[str]] = []
            for delimiter in (",", ";", "\t"):
                lines.seek(0)
                for _ in range(blank):
                    bounded()
                try:
                    cells = next(csv.reader(iter(bounded, ""), delimiter=delimiter, strict=True), [])
                except csv.Error as error:  # a name may be quoted for another delimiter
                    fault = error
                    continue
                read.append([cell.strip() for cell in cells])
                if any(cell.lower() == loc for cell in read[-1]):
                    return read[-1], delimiter, blank
    except UnicodeDecodeError:
        file.check_utf8()
        raise
    if not read:
        raise InputError(f"{file.name}: the header is not CSV: {fault}")
    columns = max(read, key=len)
    mapping.pairs(columns, file.name)
    raise InputError(_without_loc(columns, file.name))


def delimiter_of(file: RowFile, mapping: ColumnMapping) -> str:
    """Return the delimiter of a CSV file that can be mapped."""
    return _read_header(file, mapping)[1]


def _map_jsonl(connection: DuckDBPyConnection, file: RowFile, mapping: ColumnMapping) -> MappedRows:
    """Map the rows of a JSON lines file, or of a list of objects.

    Rows may have different keys; unused keys of the first row are reported.
    """
    mapped = mapping.columns.values()
    match_columns(tuple(dict.fromkeys(mapped)), mapping.columns)  # raises for an unknown column
    keys = {name: name for name in KNOWN_COLUMNS if name not in mapped} | dict(mapping.columns)
    keys |= {name: name for name in (*mapping.keep, *mapping.optional) if name not in keys}
    if "lastmod" not in mapping.columns:
        keys[RAW] = RAW
    _check_cases(list(keys.values()), file)
    first = first_keys(file)
    mapping.note_unused([key for key in first or () if key not in {*keys.values(), *POSITION_COLUMNS}], file.name)
    missing = [] if first is None else [key for key in (*mapped, *mapping.keep) if key not in first]
    if missing:
        mapping.on_note(f"{file.name}: the first row has no {', '.join(missing)}")
    nested = {key for name, key in keys.items() if name in NESTED}
    types = {key: "JSON" if key in nested else "VARCHAR" for key in keys.values()}
    form: Literal["array", "newline_delimited"] = "array" if is_list(file) else "newline_delimited"
    rows = connection.read_json(file.pattern, columns=types, format=form)
    sources = {
        name: f"({identifier(key)} ->> '$')" if key in nested and name not in NESTED else identifier(key)
        for name, key in keys.items()
    }
    return MappedRows(rows, _expressions(sources, set(NESTED), file.name))


def _check_cases(keys: Sequence[str], file: RowFile) -> None:
    """Raise InputError for keys that differ only in case, which DuckDB cannot have as columns."""
    spelled: dict[str, str] = {}
    for key in keys:
        if spelled.setdefault(key.lower(), key) != key:
            raise InputError(f"{file.name}: the keys {spelled[key.lower()]} and {key} differ only in case: rename one")


def map_relation(rows: DuckDBPyRelation, table: str, mapping: ColumnMapping) -> MappedRows:
    """Map the rows of a table whose columns have types. `table` is what messages call it."""
    types = dict(zip(rows.columns, map(str, rows.types), strict=True))
    pairs = mapping.pairs(rows.columns, table)
    for column, name in pairs:
        if name in NESTED:
            pattern, words = accepted_types(name)
            if not re.fullmatch(pattern, types[column], re.DOTALL):
                raise InputError(f"{table}: {column} must be {words}, or JSON as text, got {types[column]}")
    sources = {name: _column_sql(name, column, types[column]) for column, name in pairs}
    if RAW in types and "lastmod" not in mapping.columns:
        sources[RAW] = _column_sql(RAW, RAW, types[RAW])
    as_json = {name for column, name in pairs if name in NESTED and types[column] in ("VARCHAR", "JSON")}
    return MappedRows(rows, _expressions(sources, as_json, table))


def _column_sql(name: str, column: str, kind: str) -> str:
    """Return SQL for a column as text, or for a nested one as the list or struct that `name` has."""
    column = identifier(column)
    if kind == "BLOB":
        # Text, from a type or a writer that does not mark it as such; invalid UTF-8 stops the reading.
        return f"decode({column})"
    if kind == "TIMESTAMP WITH TIME ZONE":
        return moment_text(column)
    if kind.startswith("TIMESTAMP"):
        # Still without a zone, as stored: the writer judges that.
        return f"strftime({column}, '%Y-%m-%dT%H:%M:%S')"
    if name in NESTED and kind.startswith("STRUCT"):
        return f"CAST({column} AS {sql_type(NESTED[name])})"
    if name in NESTED and kind == "VARCHAR[]":
        return f"list_transform({column}, lambda each: {_short_form_sql(name, 'each')})"
    return f"CAST({column} AS VARCHAR)"


def _without_loc(columns: Sequence[str], table: str) -> str:
    if not columns:
        return f"{table}: it is empty; rows need a header with the names of their columns, one of them loc"
    return (
        f"{table}: there is no column loc, which every row needs; columns found: {', '.join(columns)}; "
        "if one of them has the URLs, map it (columns={'loc': NAME}, --columns loc=NAME)"
    )


def _expressions(sources: Mapping[str, str], as_json: set[str], table: str) -> dict[str, str]:
    """Return the SQL expression for each known column; those in `as_json` are parsed."""
    expressions = {name: source for name, source in sources.items() if name != RAW}
    if RAW in sources:
        expressions["lastmod"] = _lastmod_sql(sources.get("lastmod"), sources[RAW])
    for name in as_json & expressions.keys():
        expressions[name] = _json_sql(name, expressions[name], sources["loc"], table)
    return expressions


def _trimmed_sql(text: str) -> str:
    """Return SQL for a text without outer blanks. Few texts have any, and to look first is twice as fast as `trim`."""
    return f"CASE WHEN starts_with({text}, ' ') OR ends_with({text}, ' ') THEN trim({text}) ELSE {text} END"


def _lastmod_sql(lastmod: str | None, raw: str) -> str:
    """Return SQL for the raw text where it is the same instant as `lastmod`, and else, as that was edited, for that."""
    if lastmod is None:
        return raw
    complete = f"CASE length({raw}) WHEN 4 THEN {raw} || '-01-01' WHEN 7 THEN {raw} || '-01' ELSE {raw} END"
    same = f"TRY_CAST({complete} AS TIMESTAMPTZ) = TRY_CAST({lastmod} AS TIMESTAMPTZ)"
    return f"CASE WHEN {raw} IS NULL THEN {lastmod} WHEN {same} THEN {raw} ELSE {lastmod} END"


def _short_form_sql(column: str, value: str) -> str:
    """Return SQL for the struct that a plain text in a list of `column` stands for: only its loc or href is set."""
    return f"CAST({{{SHORT_FORM[column]}: {value}}} AS {sql_type(NESTED[column]).removesuffix('[]')})"


def _json_sql(column: str, source: str, loc: str, table: str) -> str:
    """Return SQL that parses JSON text as the lists and structs of `column`; any other text stops the reading."""
    shape = NESTED[column]
    kind, expected = ("OBJECT", "a JSON object") if isinstance(shape, dict) else ("ARRAY", "a JSON list")
    about = literal(f"{table}: {column} of ")
    misfit, no_json = (
        f"error({about} || coalesce({loc}, '?') || ' {wrong}: ' || left({source}, 80))"
        for wrong in ("has an unexpected type where a list, an object or text belongs", f"is not {expected}")
    )
    value = f"""CASE WHEN {shape_check_sql(shape, f"CAST({source} AS JSON)")}
                THEN from_json({source}, '{json.dumps(shape)}') ELSE {misfit} END"""
    if column in SHORT_FORM and isinstance(shape, list):
        value = f"""list_transform(
                CAST(CAST({source} AS JSON) AS JSON[]),
                lambda each: CASE json_type(each)
                    WHEN 'VARCHAR' THEN {_short_form_sql(column, "each ->> '$'")}
                    ELSE from_json(each, '{json.dumps(shape[0])}')
                END
            )"""
    single = ""
    if column == "images":
        # One URL in a cell is an image.
        url = f"CASE WHEN json_valid({source}) THEN CAST({source} AS JSON) ->> '$' ELSE trim({source}) END"
        several = f"error({about} || coalesce({loc}, '?') || ' are several URLs: write a JSON list')"
        single = (
            f"WHEN regexp_matches(trim({source}), '[,;|\\s]https?://') AND NOT json_valid({source}) THEN {several}"
            f" WHEN regexp_matches({source}, '^\\s*\"?https?://') AND ({url}) IS NOT NULL"
            f" THEN [{_short_form_sql(column, url)}]"
        )
    return f"""
        CASE
            WHEN {source} IS NULL OR trim({source}) = 'null' THEN NULL
            {single}
            WHEN CASE WHEN json_valid({source}) THEN json_type({source}) END IS DISTINCT FROM '{kind}'
                THEN {no_json}
            ELSE {value}
        END"""


@contextmanager
def duckdb_errors_as_input_errors(files: Sequence[RowFile] = ()) -> Iterator[None]:
    """Raise InputError, with a sentence about these files, for what DuckDB reports, directly or through the writer."""
    try:
        yield
    except (EntryError, PublishError):
        raise
    except Exception as error:
        if re.search("unicode|utf-8", str(error), re.IGNORECASE):
            for file in files:
                if file.form in ("csv", "jsonl"):
                    file.check_utf8()
        sentence = _sentence(str(error), files)
        if sentence is None:
            raise
        raise InputError(sentence) from None


def _sentence(message: str, files: Sequence[RowFile]) -> str | None:
    """Return DuckDB's part of `message` as one line about the user's file; None if there is no such part."""
    if "Parallel CSV Reader" in message:  # it reads large files in pieces, or else needs memory for all of one
        tables = [file.name for file in files if file.form == "csv"]
        return (
            f"{' or '.join(tables)}: a quoted text has so many lines that look like rows that it is not clear where a"
            " row begins: leave its column out, or write the rows as JSON Lines or Parquet"
        )
    found = re.search(r"\b(?:Invalid Input|IO|Conversion|Out of Memory) Error: (.*)", message, re.DOTALL)
    if found is None:
        return None
    text = found[1].strip()
    for file in files:
        if f'JSON in file "{file.path}"' in text or f'error in file "{file.path}"' in text:
            return f"{file.name}:{bad_json(file) or text}"
    name = next((file.name for file in files if f"file = {file.path}\n" in text), "CSV")
    if broken := CSV_ERROR.match(text):
        return f"{name}:{broken[1]}: {' '.join(broken[3].split())}: {broken[2][:120]}"
    if "CSV Parser state machine" in text:
        return f"{name}: this is not CSV as in RFC 4180: does it mix different line ends?"
    first = text.partition("\n")[0]
    for file in files:
        first = first.replace(str(file.path), file.name)
    return first
