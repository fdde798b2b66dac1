"""The settings of `publish`: the table `publish` of the configuration file, and options of `urlset publish`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from urlset._config.section_settings import SectionSettings
from urlset._config.settings import Settings, read_settings, table_of
from urlset._config.toml import Table
from urlset._feeds.api import feed
from urlset._indexnow.api import submit
from urlset._options import kinds
from urlset._options.kinds import Kind
from urlset._options.option import Option
from urlset._options.publish import CHECKS, SET, Checks, Derived, Layout
from urlset._publish.api import publish

MISSING_DESTINATION = "dest is missing: pass --dest, or set it in urlset.toml"
#: The environment variable that holds the IndexNow key unless the settings name another one.
KEY_ENV = "URLSET_INDEXNOW_KEY"

SECTIONS = Kind("array of tables")
INDEXNOW = Kind("table")
SITE = Kind("table")


@table_of(submit, without=["dest", "store"])
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


@table_of(feed, without=["dest", "columns", "scope", "memory", "store"])
class SiteSettings(Settings):
    """The table `publish.site`, for `urlset feed` and `urlset llms`. An absent setting is None."""


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


def _site(table: Table, key: str) -> SiteSettings | None:
    inner = table.table(key)
    return None if inner is None else read_settings(SiteSettings, inner)


@table_of(publish, Layout, Derived, Checks)
class PublishSettings(SectionSettings):
    """The table `publish`: where a set is published, its rows or its sections, and how it is written.

    The names are those of `urlset.publish`. What a section leaves out, the table says for all sections. An absent
    setting is None.
    """

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
    rejects: Annotated[
        Path | None,
        Option(
            "JSON Lines file to which refused rows, and values and pages that were left out, are written.",
            example='"refused.jsonl"',
            metavar="FILE",
            panel=CHECKS,
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

    site: Annotated[
        SiteSettings | None,
        Option(
            "Settings of `urlset feed` and `urlset llms`.",
            kind=SITE,
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
    return read_settings(PublishSettings, table, {SECTIONS: _sections, INDEXNOW: _indexnow, SITE: _site})
