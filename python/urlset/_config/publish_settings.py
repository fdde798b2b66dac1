"""What the table `publish` of a configuration says, and how flags and sections go together with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar, get_args

from urlset._config.toml import Table
from urlset._model.errors import InputError
from urlset._publish.api import ShardBy
from urlset._publish.guards import check_names
from urlset._util.text import did_you_mean
from urlset.sources._column_names import KNOWN
from urlset.sources._locs import IndexPages, TrailingSlash

#: What files of rows can be; see urlset.sources.files.
FORMS = ("csv", "jsonl", "parquet", "txt", "xml")
#: Where a lastmod can come from that the rows do not have, in the order in which they count.
LASTMOD_FROM = ("front-matter", "git")

#: Of these one says where the rows of a section come from.
SOURCES = ("rows", "html", "set", "database", "database_env")
#: Fields that are no keys of the same name.
_KEYS = {"form": "from"}
#: Options of a store that are the caller's, and not a configuration's.
_NOT_OPTIONS = ("headers", "clock", "credential_provider")
_SECRET = re.compile(r"secret|token|passw|sas|credential|_key$", re.IGNORECASE)
_PASSWORD = re.compile(r"//[^/@?#]*:[^/@]+@|[?&](?:ssl)?password=", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionSettings:
    """Where the rows of a section come from, and what is made of them. None is what is not said.

    One of `rows` (paths and globs), `html` (a folder of pages), `set` (an existing set), and `database` or
    `database_env` (a URL, or the name of the variable of the environment that holds it) with `query` gives the rows.
    """

    name: str | None = None
    rows: tuple[str, ...] | None = None
    form: str | None = None
    html: Path | None = None
    set: Path | None = None
    database: str | None = None
    database_env: str | None = None
    query: str | None = None
    shard_by: str | None = None
    columns: Mapping[str, str] | None = None
    lastmod_from: tuple[str, ...] | None = None
    files: Path | None = None
    html_url: str | None = None
    index_pages: str | None = None
    trailing_slash: str | None = None
    alternates: bool | None = None
    images: bool | None = None
    robots_txt: Path | None = None
    mask: tuple[str, ...] | None = None
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None

    @property
    def sources(self) -> list[str]:
        """Which of the fields that say where rows come from are there."""
        return [name for name in SOURCES if getattr(self, name) is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexNowSettings:
    """The table `publish.indexnow`. `key_env` names the variable of the environment that holds the site's key."""

    key_env: str | None = None
    key_location: str | None = None
    endpoint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishSettings(SectionSettings):
    """The table `publish`: a site, whose rows are its own or those of its sections, and how its set is published.

    The words are those of `urlset.publish`. What a section does not say of its rows, the site says for it.
    """

    base_url: str | None = None
    to: str | None = None
    section: tuple[SectionSettings, ...] | None = None
    scope: str | None = None
    x_default: str | None = None
    recent: int | None = None
    news: bool | None = None
    removed: int | None = None
    compression: str | None = None
    pretty: bool | None = None
    stylesheet: bool | None = None
    robots: bool | None = None
    allow: tuple[str, ...] | None = None
    on_error: str | None = None
    rejects: Path | None = None
    memory: str | None = None
    store: Mapping[str, Any] | None = None
    headers: Mapping[str, Mapping[str, str]] | None = None
    indexnow: IndexNowSettings | None = None

    @property
    def store_options(self) -> dict[str, Any] | None:
        """What `urlset.publish` takes as `store`."""
        headers = {"headers": self.headers} if self.headers else {}
        return {**(self.store or {}), **headers} or None

    def over(self, flags: Mapping[str, Any]) -> PublishSettings:
        """The same with what flags say, by field. Flags win: also over sections, and a source over all that there are.

        What has names (columns, options of the store, headers) is put over what is there, name by name.
        """
        base = self
        if any(name in flags for name in SOURCES):
            base = replace(self, **dict.fromkeys((*SOURCES, "query", "form", "section"), None))
        own = {name: value for name, value in flags.items() if name in _OPTIONS}
        sections = base.section and tuple(_over(section, own) for section in base.section)
        return replace(_over(base, flags), section=sections)

    def sections(self) -> tuple[SectionSettings, ...]:
        """The sections with all that counts for them; the only one has no name where it needs none.

        Raises InputError where there are no rows, or where it is unclear which.
        """
        if self.section:
            if self.name:
                raise InputError("the sections have names of their own")
            if others := [*self.sources, *(["query"] if self.query is not None else [])]:
                raise InputError(f"the sections have rows of their own, and {_key(others[0])} says others")
            found = [_over(self._shared(section), _said(section)) for section in self.section]
        else:
            found = [replace(self._shared(self), **{name: getattr(self, name) for name in ("name", "query", *SOURCES)})]
        for section in found:
            of = f"section {section.name}: " if section.name else ""
            if len(section.sources) > 1:
                both = " and ".join(_key(name) for name in section.sources[:2])
                raise InputError(f"{of}the rows come from one place, and {both} say two")
            if not section.sources:
                raise InputError(
                    f"{of}nothing says where the rows come from: it is one of rows, html, set and database"
                )
            if ("database" in section.sources[0]) != (section.query is not None):
                raise InputError(f"{of}a database and a query belong together")
        return tuple(found)

    def _shared(self, section: SectionSettings) -> SectionSettings:
        """What the site says for a section, but names of columns for one that has none."""
        shared = SectionSettings(**{name: getattr(self, name) for name in _OPTIONS})
        has_columns = section is self or (section.html is None and section.set is None)
        return shared if has_columns else replace(shared, columns=None)


_S = TypeVar("_S", bound=SectionSettings)

#: What the site can say for its sections, and flags for all of them.
_OPTIONS = tuple(field.name for field in fields(SectionSettings) if field.name not in ("name", "query", *SOURCES))


def _said(settings: Any) -> dict[str, Any]:
    return {field.name: value for field in fields(settings) if (value := getattr(settings, field.name)) is not None}


def _over(settings: _S, values: Mapping[str, Any]) -> _S:
    merged: dict[str, Any] = {}
    for name, value in values.items():
        below = getattr(settings, name)
        merged[name] = {**below, **value} if isinstance(value, Mapping) and below else value
    return replace(settings, **merged)


def _key(name: str) -> str:
    return _KEYS.get(name, name.replace("_", "-"))


def keys_of(settings: type) -> list[str]:
    """The keys of a table, which are the fields, spelt as in all such files."""
    return [_key(field.name) for field in fields(settings)]


def publish_settings(table: Table) -> PublishSettings:
    """The table `publish`. Raises InputError for what cannot be meant, with the file and the key."""
    table.check_keys(keys_of(PublishSettings))
    found = PublishSettings(
        **_section(table),
        base_url=table.text("base-url"),
        to=_place(table, "to"),
        section=_sections(table),
        scope=table.text("scope"),
        x_default=table.text("x-default"),
        recent=table.count("recent"),
        news=table.switch("news"),
        removed=table.count("removed"),
        compression=table.choice("compression", ("gzip", "none")),
        pretty=table.switch("pretty"),
        stylesheet=table.switch("stylesheet"),
        robots=table.switch("robots"),
        allow=table.texts("allow"),
        on_error=table.choice("on-error", ("raise", "collect")),
        rejects=table.path("rejects"),
        memory=table.text("memory"),
        store=table.scalars("store"),
        headers=_headers(table),
        indexnow=_indexnow(table),
    )
    with table.at("allow"):
        check_names(found.allow or ())
    for name in found.store or ():
        with table.at(f"store.{name}"):
            check_option(name)
            if _SECRET.search(name):
                raise InputError(
                    "a secret does not belong into a file: the store's own variables of the environment do"
                )
    return found


def _sections(table: Table) -> tuple[SectionSettings, ...] | None:
    tables = table.tables("section")
    if tables is None:
        return None
    names: set[str] = set()
    for inner in tables:
        inner.check_keys(keys_of(SectionSettings))
        name = inner.text("name")
        if not name:
            raise inner.error("name", "a section needs a name: its documents are named after it")
        if name in names:
            raise inner.error("name", f"another section is called {name!r} too")
        names.add(name)
    return tuple(SectionSettings(**_section(inner)) for inner in tables)


def _section(table: Table) -> dict[str, Any]:
    """What a section can say, which the whole table can too."""
    found = {
        "name": table.text("name"),
        "rows": table.globs("rows"),
        "form": table.choice("from", FORMS),
        "html": table.path("html"),
        "set": table.path("set"),
        "database": _database(table),
        "database_env": table.text("database-env"),
        "query": table.text("query"),
        "shard_by": table.text("shard-by"),
        "columns": table.named("columns"),
        "lastmod_from": table.texts("lastmod-from"),
        "files": table.path("files"),
        "html_url": table.text("html-url"),
        "index_pages": table.choice("index-pages", get_args(IndexPages)),
        "trailing_slash": table.choice("trailing-slash", get_args(TrailingSlash)),
        "alternates": table.switch("alternates"),
        "images": table.switch("images"),
        "robots_txt": table.path("robots-txt"),
        "mask": table.texts("mask"),
        "include": table.texts("include"),
        "exclude": table.texts("exclude"),
    }
    if found["shard_by"] is not None:
        with table.at("shard-by"):
            ShardBy.parse(str(found["shard_by"]))
    with table.at("columns"):
        check_columns(table.named("columns") or {})
    with table.at("lastmod-from"):
        check_lastmod_from(table.texts("lastmod-from") or ())
    return found


def _place(table: Table, key: str) -> str | None:
    """A folder, which is relative to the file, or the URL of a store."""
    value = table.text(key)
    return value if value is None or "://" in value else str(table.folder / value)


def _database(table: Table) -> str | None:
    """The URL of a database, whose file is relative to ours. A password is for the environment."""
    url = table.text("database")
    if url is None:
        return None
    if _PASSWORD.search(url):
        raise table.error("database", "a password does not belong into a file: use database-env, or ~/.pgpass")
    found = re.fullmatch(r"(?P<scheme>sqlite):///(?P<path>[^/].*)", url, re.DOTALL | re.IGNORECASE)
    return f"sqlite:///{table.folder / found['path']}" if found else url


def _headers(table: Table) -> dict[str, Mapping[str, str]] | None:
    inner = table.table("headers")
    if inner is None:
        return None
    return {glob: named for glob in inner.values if (named := inner.named(glob)) is not None}


def _indexnow(table: Table) -> IndexNowSettings | None:
    inner = table.table("indexnow")
    if inner is None:
        return None
    inner.check_keys(keys_of(IndexNowSettings))
    return IndexNowSettings(
        key_env=inner.text("key-env"), key_location=inner.text("key-location"), endpoint=inner.text("endpoint")
    )


def check_columns(columns: Mapping[str, str]) -> None:
    """Raises InputError for a name that none of our columns has."""
    for ours in columns:
        if ours not in KNOWN:
            raise InputError(f"no column of ours is called {ours!r}{did_you_mean(ours, KNOWN, or_all=True)}")


def check_lastmod_from(names: Iterable[str]) -> None:
    """Raises InputError for what a lastmod cannot come from."""
    for name in names:
        if name not in LASTMOD_FROM:
            raise InputError(f"a lastmod cannot come from {name!r}{did_you_mean(name, LASTMOD_FROM, or_all=True)}")


def check_option(name: str) -> None:
    """Raises InputError for what is no option of a store."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name in _NOT_OPTIONS:
        raise InputError(f"{name!r} is no option of a store, such as endpoint or region")
