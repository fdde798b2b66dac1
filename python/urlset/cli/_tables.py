"""Files of rows to DuckDB relations of the fixed columns, all told by name.

loc, lastmod, changefreq and priority are text, images, videos and alternates lists of structs, news a
struct. Nothing is inferred from a sample, so a row's place in the file never changes how it is read;
what the text means is for the writer to judge.
"""

import csv
import glob
import gzip
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, cast

from urlset import InputError
from urlset.cli._console import note
from urlset.cli._duckdb import moment_text
from urlset.cli._shapes import BARE, NESTED, fits, forms, sql_type

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

Form = Literal["csv", "jsonl", "parquet", "txt"]

TEXT = ("loc", "lastmod", "changefreq", "priority")
COLUMNS = (*TEXT, *NESTED)

RAW = "lastmod_raw"
"""The lastmod as a document had it, which `urlset read` gives beside the instant it means."""

UNSAID = ("document", "line")
"""Columns of `urlset read` that tell where a row was, not what it says: left out without a word."""

CSV_ERROR = re.compile(r"CSV Error on Line: (\d+)\nOriginal Line: ?(.*?)\n\n?(.*?)(?:\n\n|\nPossible)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RowFile:
    """One file of rows: as the user names it, where it lies, and what it is."""

    name: str
    path: Path
    form: Form

    @property
    def pattern(self) -> str:
        """The path for DuckDB, which would take some of its characters for wildcards."""
        return glob.escape(str(self.path))

    def text(self) -> IO[str]:
        """The content as UTF-8 text without a byte order mark, line ends kept."""
        return io.TextIOWrapper(binary(self.path), encoding="utf-8-sig", newline="")


def binary(path: Path) -> IO[bytes]:
    """The content of `path`, unpacked if its name ends in .gz, as DuckDB does."""
    return cast(IO[bytes], gzip.open(path)) if path.suffix.lower() == ".gz" else path.open("rb")


def table(connection: "DuckDBPyConnection", file: RowFile) -> "DuckDBPyRelation":
    """The rows of `file` as a relation of the fixed columns.

    Raises:
        InputError: there is no column `loc`, or a column holds what it cannot.
        duckdb.Error: the file is not what it is taken for; `told` makes a sentence of it.
    """
    if file.form == "csv":
        return _csv(connection, file)
    if file.form == "jsonl":
        return _jsonl(connection, file)
    return _parquet(connection, file)


def _csv(connection: "DuckDBPyConnection", file: RowFile) -> "DuckDBPyRelation":
    header, delimiter, blank = _header(file)
    found = _recognised(header, file)
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
    return _projected(rows, {column: f"c{header.index(column)}" for column in found}, set(NESTED), file)


def _header(file: RowFile) -> tuple[list[str], str, int]:
    """The names in the first line that is not blank, the delimiter, and how many blank lines come before.

    The delimiter is the one of comma, semicolon and tab that makes `loc` a column.
    """
    try:
        with file.text() as lines:
            blank = 0
            while (line := lines.readline()) and not line.strip():
                blank += 1
            for delimiter in (",", ";", "\t"):
                lines.seek(0)
                for _ in range(blank):
                    lines.readline()
                cells = next(csv.reader(lines, delimiter=delimiter, strict=True), [])
                header = [cell.strip() for cell in cells]
                if "loc" in header:
                    return header, delimiter, blank
    except UnicodeDecodeError as error:
        raise InputError(f"{file.name}: not UTF-8: {error.reason}") from None
    except csv.Error as error:
        raise InputError(f"{file.name}: the header is not CSV: {error}") from None
    columns = [cell.strip() for cell in line.split(",")] if line.strip() else []
    raise InputError(_without_loc(columns, file))


def _jsonl(connection: "DuckDBPyConnection", file: RowFile) -> "DuckDBPyRelation":
    # The first object's keys are named if they are not ours; which of them a row has is its own affair.
    _recognised(_keys(file), file, required=False)
    rows = connection.read_json(
        file.pattern,
        columns=dict.fromkeys((*TEXT, RAW), "VARCHAR") | dict.fromkeys(NESTED, "JSON"),
        format="newline_delimited",
    )
    return _projected(rows, {column: column for column in (*COLUMNS, RAW)}, set(NESTED), file)


def _keys(file: RowFile) -> list[str]:
    """The keys of the first line that is not blank; none if it is no object, which its reading will tell."""
    with file.text() as lines:
        try:
            first = json.loads(next((line for line in lines if line.strip()), "{}"))
        except ValueError:
            return []
    return list(first) if isinstance(first, dict) else []


def _parquet(connection: "DuckDBPyConnection", file: RowFile) -> "DuckDBPyRelation":
    rows = connection.read_parquet(file.pattern)
    types = dict(zip(rows.columns, map(str, rows.types), strict=True))
    found = _recognised(rows.columns, file)
    for column in set(found) & set(NESTED):
        pattern, words = forms(column)
        if not re.fullmatch(pattern, types[column], re.DOTALL):
            raise InputError(f"{file.name}: {column} is {types[column]}; it can be {words}, or JSON as text")
    sources = {column: _from_parquet(column, types[column]) for column in found}
    as_json = {column for column in set(found) & set(NESTED) if types[column] in ("VARCHAR", "JSON")}
    return _projected(rows, sources, as_json, file)


def _from_parquet(column: str, kind: str) -> str:
    """The column as text, or a list as the list it is to become."""
    if kind == "TIMESTAMP WITH TIME ZONE":
        return moment_text(column)
    if kind.startswith("TIMESTAMP"):
        # Still without a zone, as it was: the writer says what it thinks of that.
        return f"strftime({column}, '%Y-%m-%dT%H:%M:%S')"
    if kind.startswith("STRUCT"):
        return f"CAST({column} AS {sql_type(NESTED[column])})"
    if kind == "VARCHAR[]":
        return f"list_transform({column}, lambda each: {_bare(column, 'each')})"
    return f"CAST({column} AS VARCHAR)"


def _recognised(columns: Sequence[str], file: RowFile, *, required: bool = True) -> list[str]:
    """Those of `columns` that are published. The others are named on standard error.

    Raises:
        InputError: there is no `loc`, though it is required, or one of ours is there twice.
    """
    found = [column for column in columns if column in COLUMNS or column == RAW]
    if required and "loc" not in found:
        raise InputError(_without_loc(columns, file))
    for column in found:
        if found.count(column) > 1:
            raise InputError(f"{file.name}: the column {column} is there twice")
    unknown = [column for column in columns if column not in found and column not in UNSAID]
    if unknown:
        note(f"{file.name}: not used: {', '.join(column or '(no name)' for column in unknown)}")
    return found


def _without_loc(columns: Sequence[str], file: RowFile) -> str:
    found = ", ".join(columns) or "none"
    return f"{file.name}: there is no column loc, which every row needs; columns found: {found}"


def _projected(
    rows: "DuckDBPyRelation", sources: Mapping[str, str], as_json: set[str], file: RowFile
) -> "DuckDBPyRelation":
    """`rows` in the fixed columns, each from its source expression; without one it is null throughout."""
    expressions = []
    for column in COLUMNS:
        source = sources.get(column)
        if column == "lastmod" and RAW in sources:
            source = _as_written(source, sources[RAW])
        if source is None:
            source = f"CAST(NULL AS {'VARCHAR' if column in TEXT else sql_type(NESTED[column])})"
        elif column in as_json:
            source = _parsed(column, source, sources["loc"], file)
        expressions.append(f"{source} AS {column}")
    return rows.project(", ".join(expressions))


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


def _parsed(column: str, source: str, loc: str, file: RowFile) -> str:
    """SQL that reads JSON text as the column's lists and structs; text that is no such JSON stops the reading."""
    shape = NESTED[column]
    kind, expected = ("OBJECT", "object") if isinstance(shape, dict) else ("ARRAY", "list")
    about = f"{file.name}: {column} of ".replace("'", "''")
    misfit, no_json = (
        f"error('{about}' || coalesce({loc}, '?') || ' {wrong}: ' || left({source}, 80))"
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


def told(message: str, files: Sequence[RowFile]) -> str | None:
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
        for number, line in enumerate(lines, start=1):
            try:
                if line.strip() and not isinstance(json.loads(line), dict):
                    return f"{number}: no JSON object: {line.strip()[:120]}"
            except json.JSONDecodeError as error:
                return f"{number}:{error.colno}: not JSON: {error.msg}"
    return None
