"""A configured site: the rows of its sources, opened, and the arguments for `urlset.publish`."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from urlset._config.file import load
from urlset._config.location import find
from urlset._config.publish_settings import MISSING_DESTINATION, PublishSettings
from urlset._config.section_settings import SectionSettings
from urlset._config.sections import resolve_sections
from urlset._config.settings import stated
from urlset._model.errors import InputError
from urlset._options.option import options_of
from urlset._options.publish import Checks, Derived, Layout
from urlset._publish.api import Section, publish
from urlset._publish.values.robots_txt import MAX_BYTES
from urlset._publish.values.shards import ShardBy
from urlset._util.instances import in_memory
from urlset._util.text import plural
from urlset._write.rows import RowsLike
from urlset.sources import database, files, generators, html
from urlset.sources._column_names import rename_rows
from urlset.sources._lastmods import Lastmods
from urlset.sources._nested_columns import NESTED
from urlset.sources._tables import COLUMNS, TEXT, ColumnMapping, duckdb_errors_as_input_errors, map_relation

#: The columns that publish ignores unless its argument `columns` names them.
_NAMED_COLUMNS = ("group", "lang", "lastmod_source", "content")
#: The arguments of `urlset.publish` that settings give as they are. The others are combined here.
_COMBINED = ("dest", "shard_by", "columns", "store", "dry_run")
_ARGUMENTS = tuple(each.name for each in options_of(publish) if each.name not in _COMBINED)
#: The values that it takes.
_VALUES = {"layout": Layout, "derived": Derived, "checks": Checks}
#: The path that stands for standard input.
STDIN = "-"
_URL = re.compile(r"\s*https?://")
#: Rows that are fetched from DuckDB at a time.
_BATCH = 10_000


@dataclass(frozen=True, slots=True)
class Site:
    """A configured site, for `urlset.publish(site.entries, site.dest, **site.options)`.

    Attributes:
        entries: The rows, or sections by name.
        dest: The destination.
        options: Keyword arguments for `urlset.publish`.
        left_out: HTML pages that were left out, counted by reason while the rows are read.
        hints: Sentences about settings that are most likely wrong, found while the rows are read.
    """

    entries: RowsLike | Mapping[str, Section]
    dest: str
    options: Mapping[str, Any]
    left_out: Counter[str] = field(default_factory=Counter)
    hints: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Listeners:
    """Callbacks: `on_note` gets sentences about what is ignored, `on_skip` each HTML page that is left out."""

    on_note: Callable[[str], object]
    on_skip: Callable[[str, str, str], object]


@dataclass(frozen=True, slots=True)
class _Opened:
    """The rows of a section, and their columns; None if they have no columns but those of an entry."""

    rows: RowsLike
    columns: frozenset[str] | None = None


@contextmanager
def configured(
    file: str | os.PathLike[str] | None = None,
    *,
    on_note: Callable[[str], object] | None = None,
    on_skip: Callable[[str, str, str], object] | None = None,
) -> Iterator[Site]:
    """Open the site that a configuration file describes; its rows stay open for the length of the block.

    Args:
        file: A `urlset.toml` or `pyproject.toml`. By default, the one that applies to the working folder.
        on_note: Called with a sentence about each thing that is ignored.
        on_skip: Called with file, reason and detail for each HTML page that is left out.

    Yields:
        The site.

    Raises:
        InputError: No configuration file was found, or it cannot be used, or a source cannot be read; see
            `urlset.sources.files`, `html`, `database` and `git`.

    Example:
        >>> import pathlib, urlset
        >>> rows = pathlib.Path("rows.csv").write_text("loc\\n/\\n/tea\\n")
        >>> settings = '[publish]\\ndest = "public"\\nbase-url = "https://shop.example/"\\nrows = ["rows.csv"]'
        >>> file = pathlib.Path("urlset.toml").write_text(settings)
        >>> with urlset.configured("urlset.toml") as site:
        ...     urlset.publish(site.entries, site.dest, **site.options).entries
        2
    """
    path = find(Path.cwd()) if file is None else Path(file)
    if path is None:
        raise InputError("no urlset.toml in this folder or above: `urlset init` writes one")
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
    metadata: bool = False,
) -> Iterator[Site]:
    """Open the site that settings describe. `stdin` is read for the path `-`; `metadata` is that of `html.pages`."""
    if settings.base_url is None:
        raise InputError("base-url is missing: pass --base-url, or set it in urlset.toml")
    if settings.dest is None:
        raise InputError(MISSING_DESTINATION)
    sections = resolve_sections(settings)
    left_out: Counter[str] = Counter()

    def skip(page: str, reason: str, detail: str) -> None:
        left_out[reason] += 1
        listeners.on_skip(page, reason, detail)

    with ExitStack() as stack:
        hints: list[str] = []
        heard = Listeners(listeners.on_note, skip)
        opener = _Opener(settings.base_url, heard, environment, stdin, stack, hints, metadata=metadata)
        found = [opener.open(section) for section in sections]
        options = stated(settings, _ARGUMENTS)
        for name, value in _VALUES.items():
            if fields := stated(settings, [each.name for each in options_of(value)]):
                options[name] = value(**fields)
        options["store"] = settings.store_options
        entries: RowsLike | dict[str, Section]
        parts = [
            Section(each.rows, section.shard_by or "sticky", _named_columns(each, section))
            for section, each in zip(sections, found, strict=True)
        ]
        if len(sections) == 1 and not sections[0].name:
            [part] = parts
            entries = part.entries
            options |= {"shard_by": part.shard_by, "columns": part.columns}
        else:
            entries = {str(section.name): part for section, part in zip(sections, parts, strict=True)}
        yield Site(entries, settings.dest, options, left_out, hints)


def _named_columns(opened: _Opened, section: SectionSettings) -> dict[str, str]:
    """Return the columns to name for publish. A language counts only with a group, unless it is mapped."""
    names = [name for name in _NAMED_COLUMNS if name in (opened.columns or ())]
    is_mapped = "lang" in (section.columns or ()) and section.shard_by != "key:lang"
    return {name: name for name in names if name != "lang" or "group" in names or is_mapped}


class _Opener:
    """Opens the rows of sections; they stay open until the stack is closed."""

    def __init__(
        self,
        base_url: str,
        listeners: Listeners,
        environment: Mapping[str, str],
        stdin: BinaryIO | None,
        stack: ExitStack,
        hints: list[str],
        *,
        metadata: bool,
    ) -> None:
        self._hints = hints
        self._metadata = metadata
        self._base_url = base_url
        self._listeners = listeners
        self._environment = environment
        self._stdin = stdin
        self._stack = stack

    def open(self, section: SectionSettings) -> _Opened:
        """Open the rows of a section."""
        column = ShardBy.parse(section.shard_by or "sticky").column
        columns = dict(section.columns or {})
        # A mapped column is there under the name that it is mapped to.
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
            raise InputError("standard input (-) can be given only once")
        sources = [self._stdin if path == STDIN and self._stdin is not None else path for path in paths]
        rows = self._stack.enter_context(
            files.rows(
                sources,
                form="xml" if section.set is not None else section.form,
                encoding=section.encoding,
                columns=wanted.columns,
                keep=wanted.keep,
                on_note=wanted.on_note,
            )
        )
        return _Opened(rows, frozenset(rows.columns)) if hasattr(rows, "columns") else _Opened(rows)

    def _html(self, section: SectionSettings, folder: Path, wanted: ColumnMapping) -> _Opened:
        if columns := (*wanted.columns.values(), *wanted.keep):
            raise InputError(f"HTML pages have no column {columns[0]!r}")
        pages = html.pages(
            folder,
            base_url=section.html_url or self._base_url,
            robots=None if section.robots_txt is None else _text(section.robots_txt),
            metadata=self._metadata,
            on_skip=self._listeners.on_skip,
            **stated(section, [option.name for option in options_of(html.pages)]),
        )
        base = "html-url" if section.html_url else "base-url"
        of_languages = ("group", "lang") if section.languages else ()
        of_pages = frozenset((*COLUMNS, "lastmod_source", "content", "file", *of_languages))
        return _Opened(_hinted(pages, base, self._hints), of_pages)

    def _url(self, section: SectionSettings) -> str:
        if section.database_env is None:
            return str(section.database)
        url = self._environment.get(section.database_env)
        if not url:
            raise InputError(
                f"the environment variable {section.database_env} is not set; it must hold the URL of the database"
            )
        return url

    def _database(self, url: str, query: str, wanted: ColumnMapping) -> _Opened:
        # Entered first, so that it explains only the errors of DuckDB that the database has not explained.
        self._stack.enter_context(duckdb_errors_as_input_errors())
        records = self._stack.enter_context(database.query(url, query))
        if isinstance(records, database.SQLiteRows):
            pairs = wanted.pairs(records.columns, "the query")
            columns = frozenset(ours for _, ours in pairs)
            rows: Iterable[Mapping[str, Any]] = rename_rows(records, pairs)
            return _Opened(_decoded(rows) if columns & NESTED.keys() else rows, columns)
        connection = self._stack.enter_context(in_memory(threads=1))
        taken = map_relation(connection.from_arrow(records), "the query", wanted)
        names = [*TEXT, *(name for name in taken.columns if name not in TEXT)]
        return _Opened(taken.project(names), frozenset(names))

    def _dated(self, section: SectionSettings, found: _Opened) -> _Opened:
        """Add lastmods from other sources, and leave out drafts, if the section asks for it."""
        omits_drafts = section.html is not None and "drafts" in (section.omit or ())
        if not section.lastmod_from and not omits_drafts:
            return found
        if found.columns is None or "file" not in found.columns:
            raise InputError("lastmod-from needs a column file, or a column that is mapped to it")
        folder = section.files
        if folder is None and section.html is not None:
            folder = generators.project_of(section.html) or section.html
        if folder is None:
            raise InputError("lastmod-from needs files, the folder of the files that the column file names")
        lastmods = Lastmods(
            folder,
            section.lastmod_from or (),
            self._listeners.on_note,
            sources=None
            if section.html is None
            else generators.sources(folder, generator=section.generator, output=section.html),
            on_draft=self._skip_draft if omits_drafts else None,
        )
        return _Opened(lastmods.add_to(_dicts(found.rows)), (found.columns | {"lastmod_source"}) - {"file"})

    def _skip_draft(self, page: str, source: str) -> None:
        self._listeners.on_skip(page, "draft", f"{source} is a draft")


def _hinted(pages: html.Pages, key: str, hints: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of pages, and afterwards say which setting they contradict."""
    yield from pages
    if (base := pages.canonical_base) is not None:
        left_out = pages.skipped["canonical"]
        and_left_out = f", and {plural(left_out, 'page was', 'pages were')} left out for that" if left_out else ""
        hints.append(
            f"nearly all canonical URLs are below {base}{and_left_out}: set {key} to that, unless the pages are copies"
        )


def _dicts(rows: Any) -> Iterator[Mapping[str, Any]]:
    """Yield rows as dicts; those of a relation are tuples."""
    if not hasattr(rows, "iter_rows"):
        return iter(rows)
    columns = rows.columns
    return (dict(zip(columns, row, strict=True)) for row in rows.iter_rows(_BATCH))


def _decoded(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield rows with their nested columns parsed as JSON, because SQLite has no lists."""
    for number, row in enumerate(rows, 1):
        nested = {name: row[name] for name in NESTED if isinstance(row.get(name), str)}
        if _URL.match(nested.get("images", "")):
            del nested["images"]  # one URL in a cell is an image
        yield {**row, **{name: _json(text, f"row {number:,} of the query: {name}") for name, text in nested.items()}}


def _json(text: str, of: str) -> Any:
    try:
        return _texts(json.loads(text, parse_int=str, parse_float=str, parse_constant=str))
    except (ValueError, RecursionError):
        raise InputError(f"{of} is not JSON: {text[:80]}") from None


def _texts(value: Any) -> Any:
    """Return values of JSON with strings in place of true and false."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return [_texts(item) for item in value]
    return {name: _texts(item) for name, item in value.items()} if isinstance(value, dict) else value


def _text(path: Path) -> str:
    """Return a robots.txt, up to the length that search engines read."""
    with path.open("rb") as file:
        return file.read(MAX_BYTES).decode("utf-8", "replace")
