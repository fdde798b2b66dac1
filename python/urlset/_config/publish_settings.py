"""The settings of `publish`: the table `publish` of the configuration file, and options of `urlset publish`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

from urlset._config.kinds import BOOLEAN, DESTINATION, HEADERS, NUMBER, PATH, STORE, STRING, STRINGS, Kind
from urlset._config.section_settings import SET, SectionSettings
from urlset._config.setting import read_settings, setting
from urlset._config.toml import Table
from urlset._publish.plan.guards import NAMES as GUARDS
from urlset._publish.values.options import Names, OnBadValue
from urlset._util.arguments import OnError, check_zone, folder_url, standard_url

#: The environment variable that holds the IndexNow key unless the settings name another one.
KEY_ENV = "URLSET_INDEXNOW_KEY"

SAFETY = "Safety"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexNowSettings:
    """The table `publish.indexnow`, for `urlset submit`. An absent setting is None."""

    key_env: str | None = setting(
        STRING,
        "Environment variable that holds the IndexNow key.",
        example=f'"{KEY_ENV}"',
        default=KEY_ENV,
        option="",
    )
    key_location: str | None = setting(
        STRING,
        "URL of the key file, if it is not at the root of the host; the key then covers only that folder.",
        example='"https://example.com/key.txt"',
        metavar="URL",
    )
    endpoint: str | None = setting(
        STRING,
        "IndexNow endpoint, which passes submitted URLs on to the other search engines.",
        example='"https://api.indexnow.org/indexnow"',
        default="https://api.indexnow.org/indexnow",
        metavar="URL",
    )


def _sections(table: Table, key: str) -> tuple[SectionSettings, ...] | None:
    tables = table.tables(key)
    if tables is None:
        return None
    names: set[str] = set()
    for inner in tables:
        name = inner.text("name")
        if not name:
            raise inner.error("name", "a section needs a name, which is part of the file names of its sitemaps")
        if name in names:
            raise inner.error("name", f"another section has the name {name!r}")
        names.add(name)
    return tuple(read_settings(SectionSettings, inner) for inner in tables)


def _indexnow(table: Table, key: str) -> IndexNowSettings | None:
    inner = table.table(key)
    return None if inner is None else read_settings(IndexNowSettings, inner)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishSettings(SectionSettings):
    """The table `publish`: where a set is published, its rows or its sections, and how it is written.

    The names are those of `urlset.publish`. What a section leaves out, the table says for all sections. An absent
    setting is None.
    """

    to: str | None = setting(
        DESTINATION,
        "Destination: a folder, or an object store as s3://, gs:// or az://BUCKET/PREFIX.",
        example='"public"',
        metavar="DEST",
    )
    base_url: str | None = setting(
        STRING,
        "Public URL of the destination.",
        example='"https://example.com/"',
        check=folder_url,
        metavar="URL",
    )
    scope: str | None = setting(
        STRING,
        "URL prefix that every loc must have.",
        example='"https://example.com/shop/"',
        default="the origin of the base URL",
        check=partial(standard_url, "scope"),
        metavar="URL",
        panel=SET,
    )
    x_default: str | None = setting(
        STRING,
        "Language whose page is the x-default of its translations.",
        example='"en"',
        metavar="LANG",
        panel=SET,
    )
    recent: int | None = setting(
        NUMBER,
        "Add a sitemap of the pages that changed in this number of days.",
        example="3",
        metavar="DAYS",
        panel=SET,
    )
    news: bool | None = setting(
        BOOLEAN,
        "Move the news of the last 48 hours to a sitemap of its own.",
        example="true",
        panel=SET,
    )
    removed: int | None = setting(
        NUMBER,
        "Add a sitemap of the pages that were removed in this number of days.",
        example="30",
        metavar="DAYS",
        panel=SET,
    )
    compression: str | None = setting(
        STRING,
        "Compression of the sitemaps.",
        example='"gzip"',
        default="gzip",
        choices=("gzip", "none"),
        panel=SET,
    )
    names: str | None = setting(
        STRING,
        "Names of the shards: with a hash of their content, so that a set changes in one step (content), or the same"
        " names every time, so that shards are replaced one by one and a rollback is refused (stable).",
        example='"stable"',
        default="content",
        choices=get_args(Names),
        panel=SET,
    )
    pretty: bool | None = setting(
        BOOLEAN,
        "Write one element per line.",
        example="true",
        option="--pretty/--dense",
        panel=SET,
    )
    stylesheet: bool | None = setting(
        BOOLEAN,
        "Add a stylesheet, with which browsers show the sitemaps as tables.",
        example="true",
        panel=SET,
    )
    robots: bool | None = setting(
        BOOLEAN,
        "Add the set to robots.txt in the destination.",
        example="true",
        panel=SET,
    )
    store: Mapping[str, Any] | None = setting(
        STORE,
        "Options of the object store, such as endpoint and region; secrets stay in the environment.",
        example='{ region = "eu-central-1", endpoint = "https://storage.example.com" }',
        option="--store-option",
        metavar="NAME=VALUE",
        panel=SET,
    )
    headers: Mapping[str, Mapping[str, str]] | None = setting(
        HEADERS,
        "HTTP headers of the stored objects whose names match a glob.",
        example='{ "*.xml" = { Cache-Control = "no-cache" } }',
        option="--header",
        metavar="GLOB:NAME=VALUE",
        panel=SET,
    )
    allow: tuple[str, ...] | None = setting(
        STRINGS,
        f"Guards that may not stop the publish: {', '.join(GUARDS[:-1])} or {GUARDS[-1]}.",
        example='["shrunk"]',
        choices=GUARDS,
        metavar="GUARD",
        panel=SAFETY,
    )
    on_error: str | None = setting(
        STRING,
        "Publish nothing if a row is refused (raise), or leave out refused rows and report them (collect).",
        example='"collect"',
        default="raise; with rejects, collect",
        choices=get_args(OnError),
        panel=SAFETY,
    )
    zone: str | None = setting(
        STRING,
        "Time zone of lastmods that state none: Z or an offset. Dates of news and videos stay as they are.",
        example='"+01:00"',
        check=check_zone,
        metavar="OFFSET",
        panel=SAFETY,
    )
    on_bad_value: str | None = setting(
        STRING,
        "Refuse a row whose lastmod, priority or changefreq is invalid (refuse), or leave out that value (drop).",
        example='"drop"',
        default="refuse",
        choices=get_args(OnBadValue),
        panel=SAFETY,
    )
    verify: bool | None = setting(
        BOOLEAN,
        "Compare every stored sitemap with its hash first, and write damaged ones again.",
        example="true",
        panel=SAFETY,
    )
    rejects: Path | None = setting(
        PATH,
        "JSON Lines file to which refused rows, and values and pages that were left out, are written.",
        example='"refused.jsonl"',
        metavar="FILE",
        panel=SAFETY,
    )
    memory: str | None = setting(
        STRING,
        "Memory limit for planning; what does not fit goes to temporary files.",
        example='"512MB"',
        default="512MB",
        metavar="SIZE",
        panel=SAFETY,
    )
    section: tuple[SectionSettings, ...] | None = setting(
        Kind("array of tables", _sections),
        "Sections of the set, each with its own source of rows.",
        example="",
        option="",
    )
    indexnow: IndexNowSettings | None = setting(
        Kind("table", _indexnow),
        "Settings of `urlset submit`.",
        example="",
        option="",
    )

    @property
    def store_options(self) -> dict[str, Any] | None:
        """What `urlset.publish` takes as `store`."""
        headers = {"headers": self.headers} if self.headers else {}
        return {**(self.store or {}), **headers} or None
