"""Files of rows for `publish`: tables, lists of locs, and sitemaps that are there already.

    .csv .tsv      the first line names the columns; commas, semicolons or tabs; an empty cell is absent
    .jsonl         one object a line
    .parquet       columns of any type that can mean the value
    .txt           a loc a line
    .xml .rss .atom, and a folder (its sitemap.xml)    an existing set, with the children of an index

Each may be packed with gzip but Parquet. A file whose name says nothing is told by how its content begins. In a table,
images, videos, alternates and news are lists and structs, or the same as JSON text.
"""

from __future__ import annotations

import glob
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from urlset._model.entries import SitemapEntry, UrlEntry
from urlset._model.errors import InputError
from urlset._read.api import scan
from urlset._read.source import ENTRY_POINT
from urlset._util.duckdb import connect
from urlset._util.tempdirs import temporary_folder
from urlset._util.text import plural
from urlset.sources._names import KNOWN
from urlset.sources._tables import COLUMNS, Form, RowFile, Wanted, binary, explained, of_file

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

__all__ = ["rows"]

_FORMS: dict[str, Form] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".txt": "txt",
    ".xml": "xml",
    ".rss": "xml",
    ".atom": "xml",
}
_TABLES = {"csv", "jsonl", "parquet"}
#: Characters of a line with a loc.
_LONGEST_LINE = 1 << 20


@contextmanager
def rows(
    paths: Sequence[str | os.PathLike[str] | BinaryIO],
    *,
    form: Form | None = None,
    columns: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    on_note: Callable[[str], object] | None = None,
) -> Iterator[DuckDBPyRelation | Iterator[str] | Iterator[UrlEntry | SitemapEntry]]:
    """The rows of all files, one after the other, for as long as the block lasts.

    `paths` are files, folders of existing sets, or globs where there is no such file; a binary file object is copied
    to a temporary file first. `form` is that of all of them; without it, it is told by name, else by content.
    `columns` leads from our names to theirs, as in `{"loc": "url"}`; those of `keep` are brought along under their own
    names. `on_note` is called with a sentence on what is passed over.

    Tables become one relation with the columns of `urlset.write` and those of group, lang, evidence, content and file
    that one of them has. Lists of locs become texts, sets become entries; neither can be mixed with tables.

    Raises InputError where a file is not what it is taken for, or has no column loc, also from inside the block for
    what only shows while rows are drawn; OSError where one cannot be read; what `urlset.scan` does for a set.
    """
    wanted = Wanted(columns or {}, keep, on_note or (lambda _: None))
    with ExitStack() as stack:
        files = [file for path in paths for file in _files(path, form, stack)]
        forms = {file.form for file in files}
        if not forms & _TABLES:
            if wanted.columns or wanted.keep:
                of = "a list of locs" if forms == {"txt"} else "a sitemap"
                raise InputError(f"{of} has no column {next(iter((*wanted.columns.values(), *keep)))}")
            yield _entries(files, wanted.on_note) if forms != {"txt"} else _lines(files)
            return
        if not forms <= _TABLES:
            others = "text lists" if "txt" in forms else "sitemaps"
            raise InputError(f"{others} and tables cannot be the rows of one section: make them one form, or sections")
        with explained(files):
            connection = stack.enter_context(connect(threads=1))
            taken = [of_file(connection, file, wanted) for file in files]
            has = {name for table in taken for name in table.columns}
            names = [*COLUMNS, *(name for name in KNOWN if name in has and name not in COLUMNS)]
            names += [name for name in keep if name not in names]
            yield reduce(lambda above, below: above.union(below), (table.projected(names) for table in taken))


def _files(source: str | os.PathLike[str] | BinaryIO, form: Form | None, stack: ExitStack) -> list[RowFile]:
    """The files that were meant. Raises FileNotFoundError, or InputError for a glob that nothing matches."""
    if not isinstance(source, str | os.PathLike):
        path = stack.enter_context(temporary_folder()) / "rows"
        with path.open("wb") as file:
            shutil.copyfileobj(source, file)
        name = getattr(source, "name", None)
        return [RowFile(name if isinstance(name, str) else "the rows", path, form or _form(path))]
    text = os.fspath(source)
    if glob.has_magic(text) and not Path(text).exists():
        names = glob.glob(text, recursive=True)  # noqa: PTH207  (one of pathlib's cannot be absolute)
        found = [path for path in map(Path, sorted(names)) if path.is_file()]
        if not found:
            raise InputError(f"no file is named {text}")
        return [RowFile(str(path), path, form or _form(path)) for path in found]
    path = Path(text)
    path.stat()  # says at once, and with the path, that there is nothing
    if path.is_dir():
        _check_set(path)
    return [RowFile(text, path, "xml" if path.is_dir() else form or _form(path))]


def _check_set(folder: Path) -> None:
    """A folder means a set, always: one with pages gets a set too, with the first publish into it."""
    if not (folder / ENTRY_POINT).is_file():
        has_pages = any(path.suffix in (".html", ".htm") for path in folder.iterdir())
        hint = ": its pages are rows too, as a source of HTML (--html)" if has_pages else ""
        raise InputError(f"{folder} has no {ENTRY_POINT}{hint}")


def _form(path: Path) -> Form:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    if suffixes and suffixes[-1] in _FORMS:
        return _FORMS[suffixes[-1]]
    with binary(path) as file:
        head = file.read(4096)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"PAR1"):
        return "parquet"
    if start.startswith((b"{", b"<")):
        return "jsonl" if start.startswith(b"{") else "xml"
    return "txt" if start.lower().startswith((b"http://", b"https://")) else "csv"


def _lines(files: Iterable[RowFile]) -> Iterator[str]:
    """Each line that is not blank is a loc."""
    for file in files:
        with file.text() as lines:
            try:
                for number, line in enumerate(iter(partial(lines.readline, _LONGEST_LINE), ""), 1):
                    if len(line) == _LONGEST_LINE:
                        raise InputError(f"{file.name}:{number}: the line has more than {_LONGEST_LINE:,} characters")
                    if loc := line.strip():
                        yield loc
            except UnicodeDecodeError as error:
                raise InputError(f"{file.name}: not UTF-8: {error.reason}") from None


def _entries(files: Iterable[RowFile], on_note: Callable[[str], object]) -> Iterator[UrlEntry | SitemapEntry]:
    """The pages of sets, and of lists of locs among them."""
    for file in files:
        if file.form == "txt":
            yield from (UrlEntry(loc) for loc in _lines([file]))
            continue
        pages = scan(file.path)
        yield from pages
        mended = sum(document.completeness == "recovered" for document in pages.documents)
        if mended:
            on_note(f"{file.name}: mended while it was read, {plural(mended, 'document')}: `urlset lint` shows where")
