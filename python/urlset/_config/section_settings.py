"""The settings of a section: where its rows come from, and how they are read and split."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from urlset._config.kinds import BOOLEAN, COLUMNS, DATABASE, GLOBS, PATH, STRING, STRINGS
from urlset._config.setting import setting
from urlset._model.errors import InputError
from urlset._publish.values.shards import ShardBy
from urlset._util.text import did_you_mean
from urlset.sources._column_names import KNOWN
from urlset.sources._encoding import check_encoding
from urlset.sources._locs import IndexPages, TrailingSlash

#: The formats of files of rows; see urlset.sources.files.
FORMS = ("csv", "jsonl", "parquet", "txt", "xml")
#: Where a lastmod can come from if the rows have none, in order of precedence.
LASTMOD_FROM = ("front-matter", "git")

ROWS = "Source of the rows"
PAGES = "HTML pages"
SET = "Sitemaps"


def check_columns(columns: Mapping[str, str]) -> None:
    """Raise InputError for a column mapping that publish does not know."""
    for name in columns:
        if name not in KNOWN:
            raise InputError(f"unknown column mapping {name!r}{did_you_mean(name, KNOWN, or_all=True)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionSettings:
    """Where the rows of a section come from, and how they are read and split. An absent setting is None.

    Exactly one of `rows`, `html`, `set`, `database` and `database_env` is the source of the rows.
    """

    name: str | None = setting(
        STRING,
        "Name of the section, which is part of the file names of its sitemaps.",
        example='"pages"',
        metavar="NAME",
        panel=ROWS,
    )
    rows: tuple[str, ...] | None = setting(
        GLOBS,
        "Files of rows: CSV, JSON Lines, Parquet, lists of URLs, or sitemaps.",
        example='["pages.csv", "export/*.parquet"]',
        option="",  # it is the argument of the command
        metavar="ROWS",
        panel=ROWS,
    )
    form: str | None = setting(
        STRING,
        "Format of the files of rows.",
        example='"csv"',
        default="by file name, else by content",
        choices=FORMS,
        key="from",
        option="--from",
        panel=ROWS,
    )
    encoding: str | None = setting(
        STRING,
        "Encoding of CSV files, JSON Lines and lists of URLs that are not UTF-8.",
        example='"windows-1252"',
        default="utf-8",
        check=check_encoding,
        metavar="NAME",
        panel=ROWS,
    )
    set: Path | None = setting(
        PATH,
        "Existing sitemap or set to take over.",
        example='"old/sitemap.xml"',
        metavar="PATH",
        panel=ROWS,
    )
    database: str | None = setting(
        DATABASE,
        "URL of the database to query: sqlite:///FILE or postgresql://USER@HOST/NAME.",
        example='"sqlite:///shop.db"',
        metavar="URL",
        panel=ROWS,
    )
    database_env: str | None = setting(
        STRING,
        "Environment variable that holds the URL of the database.",
        example='"DATABASE_URL"',
        metavar="NAME",
        panel=ROWS,
    )
    query: str | None = setting(
        STRING,
        "SQL query that returns the rows.",
        example='"SELECT loc, lastmod FROM pages"',
        metavar="SQL",
        panel=ROWS,
    )
    columns: Mapping[str, str] | None = setting(
        COLUMNS,
        f"Columns of the rows that have other names, for {', '.join(KNOWN[:-1])} or {KNOWN[-1]}.",
        example='{ loc = "url", lastmod = "updated_at", group = "product", lang = "locale" }',
        check=check_columns,
        option="--column",
        metavar="NAME=COLUMN",
        panel=ROWS,
    )
    lastmod_from: tuple[str, ...] | None = setting(
        STRINGS,
        "Sources of lastmod for rows without one: the front matter or the git commits of their source file.",
        example='["front-matter", "git"]',
        choices=LASTMOD_FROM,
        metavar="|".join(LASTMOD_FROM),
        panel=ROWS,
    )
    files: Path | None = setting(
        PATH,
        "Folder of the source files, which the rows name in a column file.",
        example='"content"',
        default="the folder of HTML pages",
        metavar="DIR",
        panel=ROWS,
    )
    html: Path | None = setting(
        PATH,
        "Folder of built HTML pages to publish.",
        example='"public"',
        metavar="DIR",
        panel=PAGES,
    )
    html_url: str | None = setting(
        STRING,
        "Public URL of the folder of HTML pages.",
        example='"https://example.com/"',
        default="the base URL",
        metavar="URL",
        panel=PAGES,
    )
    index_pages: str | None = setting(
        STRING,
        "Publish a/index.html as a/ (slash), or under its own name (keep).",
        example='"slash"',
        default="slash",
        choices=get_args(IndexPages),
        panel=PAGES,
    )
    trailing_slash: str | None = setting(
        STRING,
        "Keep the trailing slash of URLs as it is (keep), add it (always), or remove it (never).",
        example='"keep"',
        default="keep",
        choices=get_args(TrailingSlash),
        panel=PAGES,
    )
    alternates: bool | None = setting(
        BOOLEAN,
        "Publish the hreflang links of the pages.",
        example="true",
        panel=PAGES,
    )
    images: bool | None = setting(
        BOOLEAN,
        "Publish the images of the pages.",
        example="true",
        panel=PAGES,
    )
    robots_txt: Path | None = setting(
        PATH,
        "robots.txt whose disallowed pages are left out.",
        example='"public/robots.txt"',
        metavar="FILE",
        panel=PAGES,
    )
    boilerplate: tuple[str, ...] | None = setting(
        STRINGS,
        "CSS selector for elements to ignore when pages are compared.",
        example='[".related", "#latest"]',
        metavar="SELECTOR",
        panel=PAGES,
    )
    include: tuple[str, ...] | None = setting(
        STRINGS,
        "Pages to include.",
        example='["**/*.html"]',
        default="**/*.html",
        metavar="GLOB",
        panel=PAGES,
    )
    exclude: tuple[str, ...] | None = setting(
        STRINGS,
        "Pages to leave out.",
        example='["drafts/**"]',
        metavar="GLOB",
        panel=PAGES,
    )
    shard_by: str | None = setting(
        STRING,
        "How to split the rows into shards: sticky, hash:16, key:COLUMN, date:month, path:1 or sequence.",
        example='"sticky"',
        default="sticky",
        check=ShardBy.parse,
        metavar="METHOD",
        panel=SET,
    )
