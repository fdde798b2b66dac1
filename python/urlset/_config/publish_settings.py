"""The settings of `publish`: the table `publish` of the configuration file, and options of `urlset publish`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_args

from urlset._config.section_settings import SET, SectionSettings
from urlset._config.settings import Settings, read_settings, table_of
from urlset._config.toml import Table
from urlset._options import kinds
from urlset._options.kinds import Kind
from urlset._options.option import Option
from urlset._options.shared import Store
from urlset._publish.guards import NAMES as GUARDS
from urlset._publish.options import Names, OnBadValue
from urlset._util.arguments import OnError, check_zone, folder_url, standard_url

#: The environment variable that holds the IndexNow key unless the settings name another one.
KEY_ENV = "URLSET_INDEXNOW_KEY"

SAFETY = "Safety"

SECTIONS = Kind("array of tables")
INDEXNOW = Kind("table")


@table_of()
class IndexNowSettings(Settings):
    """The table `publish.indexnow`, for `urlset submit`. An absent setting is None."""

    key_env: Annotated[
        str | None,
        Option(
            "Environment variable that holds the IndexNow key.",
            example=f'"{KEY_ENV}"',
            default=KEY_ENV,
            flags="",
        ),
    ] = None
    key_location: Annotated[
        str | None,
        Option(
            "URL of the key file, if it is not at the root of the host; the key then covers only that folder.",
            example='"https://example.com/key.txt"',
            metavar="URL",
        ),
    ] = None
    endpoint: Annotated[
        str | None,
        Option(
            "IndexNow endpoint, which passes submitted URLs on to the other search engines.",
            example='"https://api.indexnow.org/indexnow"',
            default="https://api.indexnow.org/indexnow",
            metavar="URL",
        ),
    ] = None


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


@table_of()
class PublishSettings(SectionSettings):
    """The table `publish`: where a set is published, its rows or its sections, and how it is written.

    The names are those of `urlset.publish`. What a section leaves out, the table says for all sections. An absent
    setting is None.
    """

    to: Annotated[
        str | None,
        Option(
            "Destination: a folder, or an object store as s3://, gs:// or az://BUCKET/PREFIX.",
            kind=kinds.DESTINATION,
            example='"public"',
            metavar="DEST",
        ),
    ] = None
    base_url: Annotated[
        str | None,
        Option(
            "Public URL of the destination.",
            example='"https://example.com/"',
            check=folder_url,
            metavar="URL",
        ),
    ] = None
    scope: Annotated[
        str | None,
        Option(
            "URL prefix that every loc must have.",
            example='"https://example.com/shop/"',
            default="the origin of the base URL",
            check=partial(standard_url, "scope"),
            metavar="URL",
            panel=SET,
        ),
    ] = None
    x_default: Annotated[
        str | None,
        Option(
            "Language whose page is the x-default of its translations.",
            example='"en"',
            metavar="LANG",
            panel=SET,
        ),
    ] = None
    recent: Annotated[
        int | None,
        Option(
            "Add a sitemap of the pages that changed in this number of days.",
            example="3",
            metavar="DAYS",
            panel=SET,
        ),
    ] = None
    news: Annotated[
        bool | None,
        Option(
            "Move the news of the last 48 hours to a sitemap of its own.",
            example="true",
            panel=SET,
        ),
    ] = None
    removed: Annotated[
        int | None,
        Option(
            "Add a sitemap of the pages that were removed in this number of days.",
            example="30",
            metavar="DAYS",
            panel=SET,
        ),
    ] = None
    compression: Annotated[
        str | None,
        Option(
            "Compression of the sitemaps.",
            example='"gzip"',
            default="gzip",
            choices=("gzip", "none"),
            panel=SET,
        ),
    ] = None
    names: Annotated[
        str | None,
        Option(
            "Names of the shards: with a hash of their content, so that a set changes in one step (content), or the"
            " same names every time, so that shards are replaced one by one and a rollback is refused (stable).",
            example='"stable"',
            default="content",
            choices=get_args(Names),
            panel=SET,
        ),
    ] = None
    pretty: Annotated[
        bool | None,
        Option(
            "Write one element per line.",
            example="true",
            flags="--pretty/--dense",
            panel=SET,
        ),
    ] = None
    stylesheet: Annotated[
        bool | None,
        Option(
            "Add a stylesheet, with which browsers show the sitemaps as tables.",
            example="true",
            panel=SET,
        ),
    ] = None
    robots: Annotated[
        bool | None,
        Option(
            "Add the set to robots.txt in the destination.",
            example="true",
            panel=SET,
        ),
    ] = None
    store: Store = None
    object_headers: Annotated[
        Mapping[str, Mapping[str, str]] | None,
        Option(
            "HTTP headers of the stored objects whose names match a glob.",
            kind=kinds.OBJECT_HEADERS,
            example='{ "*.xml" = { Cache-Control = "no-cache" } }',
            metavar="GLOB:NAME=VALUE",
            panel=SET,
        ),
    ] = None
    allow: Annotated[
        tuple[str, ...] | None,
        Option(
            f"Guards that may not stop the publish: {', '.join(GUARDS[:-1])} or {GUARDS[-1]}.",
            example='["shrunk"]',
            choices=GUARDS,
            metavar="GUARD",
            panel=SAFETY,
        ),
    ] = None
    on_error: Annotated[
        str | None,
        Option(
            "Publish nothing if a row is refused (raise), or leave out refused rows and report them (collect).",
            example='"collect"',
            default="raise; with rejects, collect",
            choices=get_args(OnError),
            panel=SAFETY,
        ),
    ] = None
    zone: Annotated[
        str | None,
        Option(
            "Time zone of lastmods that state none: Z or an offset. Dates of news and videos stay as they are.",
            example='"+01:00"',
            check=check_zone,
            metavar="OFFSET",
            panel=SAFETY,
        ),
    ] = None
    on_bad_value: Annotated[
        str | None,
        Option(
            "Refuse a row whose lastmod, priority or changefreq is invalid (refuse), or leave out that value (drop).",
            example='"drop"',
            default="refuse",
            choices=get_args(OnBadValue),
            panel=SAFETY,
        ),
    ] = None
    verify: Annotated[
        bool | None,
        Option(
            "Compare every stored sitemap with its hash first, and write damaged ones again.",
            example="true",
            panel=SAFETY,
        ),
    ] = None
    rejects: Annotated[
        Path | None,
        Option(
            "JSON Lines file to which refused rows, and values and pages that were left out, are written.",
            example='"refused.jsonl"',
            metavar="FILE",
            panel=SAFETY,
        ),
    ] = None
    memory: Annotated[
        str | None,
        Option(
            "Memory limit for planning; what does not fit goes to temporary files.",
            example='"512MB"',
            default="512MB",
            metavar="SIZE",
            panel=SAFETY,
        ),
    ] = None
    section: Annotated[
        tuple[SectionSettings, ...] | None,
        Option(
            "Sections of the set, each with its own source of rows.",
            kind=SECTIONS,
            example="",
            flags="",
        ),
    ] = None
    indexnow: Annotated[
        IndexNowSettings | None,
        Option(
            "Settings of `urlset submit`.",
            kind=INDEXNOW,
            example="",
            flags="",
        ),
    ] = None

    @property
    def store_options(self) -> dict[str, Any] | None:
        """What `urlset.publish` takes as `store`."""
        headers = {"object_headers": self.object_headers} if self.object_headers else {}
        return {**(self.store or {}), **headers} or None


def read_publish_settings(table: Table) -> PublishSettings:
    """Read the table `publish`.

    Raises:
        InputError: A key is unknown or its value is invalid; the message names the file and the key.
    """
    return read_settings(PublishSettings, table, {SECTIONS: _sections, INDEXNOW: _indexnow})
