"""What a source in a configuration means: a site's rows, opened, and the arguments with which they are published."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from urlset._model.errors import InputError
from urlset._publish.api import Section, ShardBy
from urlset._publish.robots_txt import MOST
from urlset._util.duckdb import connect
from urlset._write.rows import RowsLike
from urlset.sources import database, files, html
from urlset.sources._column_names import rename_rows
from urlset.sources._lastmods import Lastmods
from urlset.sources._nested_columns import NESTED
from urlset.sources._tables import COLUMNS, ColumnMapping, duckdb_errors_as_input_errors, map_relation

if TYPE_CHECKING:
    from urlset._config.publish_settings import PublishSettings, SectionSettings

#: The columns that publish has to be told of, which it else passes over.
_FURTHER = ("group", "lang", "evidence", "content")
#: What has the same name here and there, and is handed on as it is.
_SAME = (
    *("base_url", "scope", "x_default", "recent", "news", "removed", "compression", "pretty", "stylesheet"),
    *("robots", "allow", "on_error", "memory"),
)
#: What stands for standard input among the rows.
STDIN = "-"
#: Rows that are fetched at once.
_BATCH = 10_000


@dataclass(frozen=True, slots=True)
class Site:
    """What a configuration says, as `urlset.publish(site.entries, site.dest, **site.options)` takes it.

    `left_out` counts the pages of HTML that were left out by reason, once they were read.
    """

    entries: RowsLike | Mapping[str, Section]
    dest: str
    options: Mapping[str, Any]
    left_out: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Listeners:
    """Who is told what is left out or passed over: pages of HTML by file, reason and detail, and the rest in words."""

    on_note: Callable[[str], object]
    on_skip: Callable[[str, str, str], object]


@dataclass(frozen=True, slots=True)
class _Opened:
    """The rows of a section, and the columns that they can have; None for rows that have no others than ours."""

    rows: RowsLike
    columns: frozenset[str] | None = None


@contextmanager
def configured(
    file: str | os.PathLike[str] | None = None,
    *,
    on_note: Callable[[str], object] | None = None,
    on_skip: Callable[[str, str, str], object] | None = None,
) -> Iterator[Site]:
    """The site that a configuration describes, with its rows open for as long as the block lasts.

        with urlset.configured("urlset.toml") as site:
            urlset.publish(site.entries, site.dest, **site.options)

    `file` is an `urlset.toml` or a `pyproject.toml`, by default the one that holds for the working folder. `on_note` is
    called with a sentence on what is passed over, `on_skip` with file, reason and detail of each page of HTML that is
    left out.

    Raises InputError for a file that cannot be used, and as the sources do: `urlset.sources.files`, `html`, `database`
    and `git`.
    """
    from urlset._config.settings import find, load  # noqa: PLC0415  (it imports this package for the names of columns)

    path = find(Path.cwd()) if file is None else Path(file)
    if path is None:
        raise InputError("there is no urlset.toml here or in a folder above: `urlset init` writes one")
    listeners = Listeners(on_note or (lambda _: None), on_skip or (lambda *_: None))
    with opened(load(path).publish, listeners, environment=os.environ) as site:
        yield site


@contextmanager
def opened(
    settings: PublishSettings,
    listeners: Listeners,
    *,
    environment: Mapping[str, str],
    stdin: BinaryIO | None = None,
) -> Iterator[Site]:
    """The same for settings. `stdin` is what `-` among the rows means."""
    if settings.base_url is None:
        raise InputError("base-url is missing, an option or a key of urlset.toml: where the set is on the web")
    if settings.to is None:
        raise InputError("to is missing, an option or a key of urlset.toml: where the set is put")
    sections = settings.sections()
    left_out: Counter[str] = Counter()

    def skip(page: str, reason: str, detail: str) -> None:
        left_out[reason] += 1
        listeners.on_skip(page, reason, detail)

    with ExitStack() as stack:
        opener = _Opener(settings.base_url, Listeners(listeners.on_note, skip), environment, stdin, stack)
        found = [opener.open(section) for section in sections]
        options = {name: value for name in _SAME if (value := getattr(settings, name)) is not None}
        options["store"] = settings.store_options
        entries: RowsLike | dict[str, Section]
        parts = [
            Section(each.rows, section.shard_by or "sticky", _further(each, section))
            for section, each in zip(sections, found, strict=True)
        ]
        if len(sections) == 1 and not sections[0].name:
            [part] = parts
            entries = part.entries
            options |= {"shard_by": part.shard_by, "columns": part.columns}
        else:
            entries = {str(section.name): part for section, part in zip(sections, parts, strict=True)}
        yield Site(entries, settings.to, options, left_out)


def _further(found: _Opened, section: SectionSettings) -> dict[str, str]:
    """The columns that publish has to be told of: a language that was not asked for is one only beside a group."""
    further = [name for name in _FURTHER if name in (found.columns or ())]
    is_asked = "lang" in (section.columns or ()) and section.shard_by != "key:lang"
    return {name: name for name in further if name != "lang" or "group" in further or is_asked}


class _Opener:
    """Opens the rows of sections, one after the other, until the stack is closed."""

    def __init__(
        self,
        base_url: str,
        listeners: Listeners,
        environment: Mapping[str, str],
        stdin: BinaryIO | None,
        stack: ExitStack,
    ) -> None:
        self._base_url = base_url
        self._listeners = listeners
        self._environment = environment
        self._stdin = stdin
        self._stack = stack

    def open(self, section: SectionSettings) -> _Opened:
        """The rows of a section."""
        column = ShardBy.parse(section.shard_by or "sticky").column
        columns = dict(section.columns or {})
        # What is mapped to one of our names is there under that one.
        wanted = ColumnMapping(columns, [column] if column and column not in columns else [], self._listeners.on_note)
        if section.html is not None:
            found = self._html(section, section.html, wanted)
        elif section.query is not None:
            found = self._database(self._url(section), section.query, wanted)
        else:
            found = self._files(section, wanted)
        return self._dated(section, found)

    def _files(self, section: SectionSettings, wanted: ColumnMapping) -> _Opened:
        paths = [str(section.set)] if section.set is not None else section.rows or ()
        if list(paths).count(STDIN) > 1:
            raise InputError("standard input (-) can be read once, and stands there twice")
        sources = [self._stdin if path == STDIN and self._stdin is not None else path for path in paths]
        rows = self._stack.enter_context(
            files.rows(
                sources,
                form="xml" if section.set is not None else section.form,  # type: ignore[arg-type]  # it was checked
                columns=wanted.columns,
                keep=wanted.keep,
                on_note=wanted.on_note,
            )
        )
        return _Opened(rows, frozenset(rows.columns)) if hasattr(rows, "columns") else _Opened(rows)

    def _html(self, section: SectionSettings, folder: Path, wanted: ColumnMapping) -> _Opened:
        if asked := (*wanted.columns.values(), *wanted.keep):
            raise InputError(f"pages of HTML have no column {asked[0]}")
        said = {name: value for name in ("include", "exclude", "mask") if (value := getattr(section, name)) is not None}
        pages = html.pages(
            folder,
            base_url=section.html_url or self._base_url,
            index_pages=section.index_pages or "slash",  # type: ignore[arg-type]  # both were checked
            trailing_slash=section.trailing_slash or "keep",  # type: ignore[arg-type]
            alternates=bool(section.alternates),
            images=bool(section.images),
            robots=None if section.robots_txt is None else _text(section.robots_txt),
            on_skip=self._listeners.on_skip,
            **said,
        )
        return _Opened(pages, frozenset((*COLUMNS, "evidence", "content", "file")))

    def _url(self, section: SectionSettings) -> str:
        if section.database_env is None:
            return str(section.database)
        url = self._environment.get(section.database_env)
        if not url:
            raise InputError(f"the environment has no {section.database_env}, which the database's URL is to be in")
        return url

    def _database(self, url: str, query: str, wanted: ColumnMapping) -> _Opened:
        # The database has the first word on what it does not give: only the rest is DuckDB's.
        self._stack.enter_context(duckdb_errors_as_input_errors())
        records = self._stack.enter_context(database.query(url, query))
        if isinstance(records, database.SQLiteRows):
            pairs = wanted.pairs(records.columns, "the query")
            columns = frozenset(ours for _, ours in pairs)
            rows: Iterable[Mapping[str, Any]] = rename_rows(records, pairs)
            return _Opened(_decoded(rows) if columns & NESTED.keys() else rows, columns)
        connection = self._stack.enter_context(connect(threads=1))
        taken = map_relation(connection.from_arrow(records), "the query", wanted)
        names = [*COLUMNS, *(name for name in taken.columns if name not in COLUMNS)]
        return _Opened(taken.project(names), frozenset(names))

    def _dated(self, section: SectionSettings, found: _Opened) -> _Opened:
        """The rows with lastmods from elsewhere, where that is asked for."""
        if not section.lastmod_from:
            return found
        if found.columns is None or "file" not in found.columns:
            raise InputError("lastmod-from needs to know the file of each row: a column file, or one mapped to it")
        folder = section.files or section.html
        if folder is None:
            raise InputError("lastmod-from needs to know the folder that the files are in: files")
        lastmods = Lastmods(folder, section.lastmod_from, self._listeners.on_note)
        rows = lastmods.add_to(_dicts(found.rows), are_built=section.html is not None)
        return _Opened(rows, (found.columns | {"evidence"}) - {"file"})


def _dicts(rows: Any) -> Iterator[Mapping[str, Any]]:
    """Rows as dicts, which those of a relation are not."""
    if not hasattr(rows, "iter_rows"):
        return iter(rows)
    columns = rows.columns
    return (dict(zip(columns, row, strict=True)) for row in rows.iter_rows(_BATCH))


def _decoded(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows in which what is nested is no text any more: SQLite has no lists."""
    for number, row in enumerate(rows, 1):
        nested = {name: row[name] for name in NESTED if isinstance(row.get(name), str)}
        yield {**row, **{name: _json(text, f"row {number:,} of the query: {name}") for name, text in nested.items()}}


def _json(text: str, of: str) -> Any:
    try:
        return _texts(json.loads(text, parse_int=str, parse_float=str, parse_constant=str))
    except (ValueError, RecursionError):
        raise InputError(f"{of} is no JSON: {text[:80]}") from None


def _texts(value: Any) -> Any:
    """Values of JSON with texts where they have true and false."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return [_texts(item) for item in value]
    return {name: _texts(item) for name, item in value.items()} if isinstance(value, dict) else value


def _text(path: Path) -> str:
    """A robots.txt, as far as its rules count."""
    with path.open("rb") as file:
        return file.read(MOST).decode("utf-8", "replace")
