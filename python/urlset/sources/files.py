"""Files of rows for `publish`: tables, lists of locs, and existing sitemaps.

    .csv .tsv      the first line names the columns; commas, semicolons or tabs; an empty cell is a missing value
    .json .jsonl   a list of objects, or one object per line
    .parquet       columns of any type that can hold the value
    .txt           one loc per line
    .xml .rss .atom, and a folder (its sitemap.xml)    an existing set, with the children of an index

All but Parquet may be compressed with gzip. Tables and lists of locs are UTF-8 unless `encoding` says otherwise. If the
name of a file does not show its format, it is detected from the beginning of its content. In a table, images, videos,
alternates and news are lists and structs, or the same as JSON text.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, cast

from urlset._model.entries import SitemapEntry, UrlEntry
from urlset._model.errors import InputError
from urlset._options.option import Option
from urlset._options.publish import KNOWN_COLUMNS, ROWS
from urlset._read.entry_points import entry_points
from urlset._util.globs import glob_files, is_glob
from urlset._util.instances import in_memory
from urlset._util.row_files import RowFiles, provenance, stamped
from urlset._util.tempdirs import temporary_folder
from urlset._util.text import plural
from urlset.sources._encoding import check_encoding, transcode
from urlset.sources._places import RowPlaces
from urlset.sources._row_file import Form, RowFile, open_unpacked
from urlset.sources._tables import TEXT, ColumnMapping, delimiter_of, duckdb_errors_as_input_errors, map_file

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

__all__ = ["rows"]

_FORMS: dict[str, Form] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".txt": "txt",
    ".xml": "xml",
    ".rss": "xml",
    ".atom": "xml",
}
_TEXT = {"csv", "jsonl", "txt"}
_TABLES = {"csv", "jsonl", "parquet"}
#: Bytes of a file that several threads read. Less is read before they have begun.
_LARGE = 1 << 22
#: How those are read: on all cores. The connection is open as long as its rows are used, so a thread of the allocator
#: gives back to the system what reading has freed.
_FOR_LARGE = {"allocator_background_threads": True}
#: The most characters of a line with a loc.
_LONGEST_LINE = 1 << 20


@contextmanager
def rows(
    paths: str | os.PathLike[str] | BinaryIO | Sequence[str | os.PathLike[str] | BinaryIO],
    *,
    form: Annotated[
        Form | None,
        Option(
            "Format of the files of rows.",
            example='"csv"',
            default="by file name, else by content",
            key="from",
            flags="--from",
            panel=ROWS,
        ),
    ] = None,
    encoding: Annotated[
        str | None,
        Option(
            "Encoding of CSV files, JSON Lines and lists of URLs that are not UTF-8.",
            example='"windows-1252"',
            default="utf-8",
            check=check_encoding,
            metavar="NAME",
            panel=ROWS,
        ),
    ] = None,
    columns: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    optional: Sequence[str] = (),
    on_note: Callable[[str], object] | None = None,
) -> Iterator[DuckDBPyRelation | Iterator[str] | Iterator[UrlEntry | SitemapEntry]]:
    """Yield the rows of all files, one file after the other, for as long as the `with` block lasts.

    Args:
        paths: Files, folders of existing sets, or globs if there is no file of that name: one or a list. A binary file
            object is copied to a temporary file first.
        form: Format of the files of rows. It is "csv", "jsonl", "parquet", "txt" or "xml", and by default detected
            from the name, else from the content.
        encoding: Encoding of CSV files, JSON Lines and lists of URLs that are not UTF-8. Parquet files and sitemaps
            state their own.
        columns: Names in the files by the names that urlset knows, such as `{"loc": "url"}`.
        keep: Further columns to return under their own names.
        optional: The same of columns that a file need not have; they are null then.
        on_note: Called with a sentence about what is not used.

    Yields:
        For tables, one DuckDB relation with the columns loc, lastmod, changefreq and priority, and those of images,
        videos, alternates, news, group, lang, lastmod_source, content and file that any of them has. For lists of
        locs, strings. For sets, entries. Tables cannot be mixed with the others.

    Raises:
        InputError: A file is not of its format or not in its encoding, or has no column loc. An error while rows are
            read is raised from inside the block.
        OSError: A file cannot be read.
        DocumentError: A set cannot be read; see `urlset.scan`.

    Example:
        >>> from pathlib import Path
        >>> from urlset.sources import files
        >>> _ = Path("pages.csv").write_text("url,updated\\nhttps://shop.example/tea,2026-11-20\\n")
        >>> with files.rows("pages.csv", columns={"loc": "url", "lastmod": "updated"}) as table:
        ...     print(table.select("loc", "lastmod").fetchall())
        [('https://shop.example/tea', '2026-11-20')]
    """
    mapping = ColumnMapping(columns or {}, keep, on_note or (lambda _: None), optional)
    is_one = isinstance(paths, str | os.PathLike) or hasattr(paths, "read")
    sources = [cast("str | os.PathLike[str] | BinaryIO", paths)] if is_one else list(cast("Sequence[str]", paths))
    with ExitStack() as stack:
        files = [file for source in sources for file in _expand(source, form, stack)]
        if encoding is not None:
            check_encoding(encoding)
            files = [_as_utf8(file, encoding, stack) if file.form in _TEXT else file for file in files]
        forms = {file.form for file in files}
        if not forms & _TABLES:
            if mapping.columns or mapping.keep:
                what = "a list of locs" if forms == {"txt"} else "a sitemap"
                raise InputError(f"{what} has no column {next(iter((*mapping.columns.values(), *keep)))}")
            if forms == {"txt"}:
                locs = _locs(files)
                with provenance(locs, None, RowPlaces(files, {})):
                    yield locs
            else:
                yield _entries(files, mapping.on_note)
            return
        if not forms <= _TABLES:
            others = "text lists" if "txt" in forms else "sitemaps"
            raise InputError(f"{others} and tables cannot be mixed in one section: convert them, or use two sections")
        with duckdb_errors_as_input_errors(files):
            is_own = encoding is None and all(isinstance(source, str | os.PathLike) for source in sources)
            own = _own_files(files, mapping) if is_own else None  # and not of a copy in a temporary folder
            # Of a large file, other threads read ahead while the rows are taken.
            is_large = any(file.path.stat().st_size > _LARGE for file in files)
            settings: dict[str, Any] = _FOR_LARGE if is_large else {"threads": 1}
            connection = stack.enter_context(in_memory(**settings))
            tables = [map_file(connection, file, mapping) for file in files]
            found = {name for table in tables for name in table.columns}
            names = [*TEXT, *(name for name in KNOWN_COLUMNS if name in found and name not in TEXT)]
            names += [name for name in (*keep, *optional) if name not in names]
            table = reduce(lambda above, below: above.union(below), (table.project(names) for table in tables))
            delimiters = {file.name: delimiter_of(file, mapping) for file in files if file.form == "csv"}
            with provenance(table, own, RowPlaces(files, delimiters)):
                yield table


def _own_files(files: Sequence[RowFile], mapping: ColumnMapping) -> RowFiles | None:
    """Look at files before anything decides how their rows are read but their names, their formats and the mapping."""
    # DuckDB takes `lang=de` in the path of a Parquet file for a column, so paths decide too.
    named = [(str(file.path), file.form) for file in files]
    return stamped(
        [file.path for file in files], repr((dict(mapping.columns), [*mapping.keep, *mapping.optional], named))
    )


def _expand(source: str | os.PathLike[str] | BinaryIO, form: Form | None, stack: ExitStack) -> list[RowFile]:
    """Return the files that a path names. Raises FileNotFoundError, or InputError for a glob that matches no file."""
    if not isinstance(source, str | os.PathLike):
        path = stack.enter_context(temporary_folder()) / "rows"
        with path.open("wb") as file:
            shutil.copyfileobj(source, file)
        name = getattr(source, "name", None)
        return [RowFile(name if isinstance(name, str) else "the rows", path, form or _detect_form(path))]
    text = os.fspath(source)
    if is_glob(text) and not Path(text).exists():
        found = glob_files(text)
        if not found:
            raise InputError(f"no file matches {text}")
        return [RowFile(str(path), path, form or _detect_form(path)) for path in found]
    path = Path(text)
    path.stat()  # raises at once, and with the path, if nothing is there
    if path.is_dir():
        _check_set(path)
    return [RowFile(text, path, "xml" if path.is_dir() else form or _detect_form(path))]


def _as_utf8(file: RowFile, encoding: str, stack: ExitStack) -> RowFile:
    """Return a copy of a text file in UTF-8, which all that reads rows can read."""
    path = stack.enter_context(temporary_folder()) / "rows"
    with open_unpacked(file.path) as source:
        transcode(source, path, encoding, file.name)
    return RowFile(file.name, path, file.form)


def _check_set(folder: Path) -> None:
    """Raise InputError for a folder without a set, even if it has pages: publishing could add a set to it any time."""
    try:
        entry_points(folder)
    except InputError as error:
        has_pages = any(path.suffix in (".html", ".htm") for path in folder.iterdir())
        hint = "; to take its HTML pages as rows, use --html or urlset.sources.html" if has_pages else ""
        raise InputError(f"{error}{hint}") from None


def _detect_form(path: Path) -> Form:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    if suffixes and suffixes[-1] in _FORMS:
        return _FORMS[suffixes[-1]]
    with open_unpacked(path) as file:
        head = file.read(4096)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise InputError(
            f"{path}: this is an Excel file or another archive: save its sheet as CSV UTF-8 in Excel, or read it with"
            " pandas.read_excel and publish the frame"
        )
    if start.startswith((b"{", b"[", b"<")):
        return "xml" if start.startswith(b"<") else "jsonl"
    return "txt" if start.lower().startswith((b"http://", b"https://")) else "csv"


def _locs(files: Iterable[RowFile]) -> Iterator[str]:
    """Yield each line that is not blank as a loc."""
    for file in files:
        with file.text() as lines:
            try:
                for number, line in enumerate(iter(partial(lines.readline, _LONGEST_LINE), ""), 1):
                    if len(line) == _LONGEST_LINE:
                        raise InputError(f"{file.name}:{number}: the line exceeds {_LONGEST_LINE:,} characters")
                    if loc := line.strip():
                        yield loc
            except UnicodeDecodeError:
                file.check_utf8()
                raise


def _entries(files: Iterable[RowFile], on_note: Callable[[str], object]) -> Iterator[UrlEntry | SitemapEntry]:
    """Yield the entries of sets, and of lists of locs among them."""
    for file in files:
        if file.form == "txt":
            yield from (UrlEntry(loc) for loc in _locs([file]))
            continue
        from urlset._read.api import scan  # noqa: PLC0415  (the signature of `rows` is declared without it)

        pages = scan(file.path, strict=True)  # a set with parts missing must not replace a whole one
        yield from pages
        recovered = sum(document.completeness == "recovered" for document in pages.documents)
        if recovered:
            on_note(f"{file.name}: {plural(recovered, 'document')} had broken markup; `urlset lint` shows where")
